"""Numbers written as words: "trinta e dois", "dois mil e quinhentos", "one hundred and twenty-five"."""

import re
from dataclasses import dataclass

_PT_ATOMS = [
    "zero", "um", "dois", "tres", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze", "doze",
    "treze", "quatorze", "quinze", "dezesseis", "dezessete", "dezoito", "dezenove",
]  # fmt: skip
_EN_ATOMS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
]  # fmt: skip
_PT_ORDINAL_STEMS = [
    "primeir", "segund", "terceir", "quart", "quint", "sext", "setim", "oitav", "non", "decim",
]  # fmt: skip
_EN_ORDINALS = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
]  # fmt: skip
_TENS = {
    "vinte": 20, "trinta": 30, "quarenta": 40, "cinquenta": 50, "sessenta": 60, "setenta": 70, "oitenta": 80,
    "noventa": 90, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70,
    "eighty": 80, "ninety": 90,
}  # fmt: skip
_HUNDREDS = {
    "cem": 100, "cento": 100, "duzentos": 200, "trezentos": 300, "quatrocentos": 400, "quinhentos": 500,
    "seiscentos": 600, "setecentos": 700, "oitocentos": 800, "novecentos": 900,
}  # fmt: skip
ATOMS: dict[str, int] = {
    **{word: value for value, word in enumerate(_PT_ATOMS)},
    **{word: value for value, word in enumerate(_EN_ATOMS)},
    "uma": 1, "duas": 2, "catorze": 14,
    **_TENS,
    **_HUNDREDS,
    **{word[:-2] + "as": value for word, value in _HUNDREDS.items() if word.endswith("os")},
}  # fmt: skip
SCALES: dict[str, int] = {
    "mil": 10**3, "thousand": 10**3, "milhao": 10**6, "milhoes": 10**6, "million": 10**6, "millions": 10**6,
    "bilhao": 10**9, "bilhoes": 10**9, "billion": 10**9, "trilhao": 10**12, "trilhoes": 10**12,
    "trillion": 10**12,
}  # fmt: skip
ORDINALS: dict[str, int] = {
    **{stem + "o": value for value, stem in enumerate(_PT_ORDINAL_STEMS, start=1)},
    **{stem + "a": value for value, stem in enumerate(_PT_ORDINAL_STEMS, start=1)},
    **{word: value for value, word in enumerate(_EN_ORDINALS, start=1)},
}
_ARTICLES = frozenset(["um", "uma", "one"])  # numbers only when something else says so
_HALVES: dict[str, tuple[float, ...]] = {"metade": (0.5, 50.0), "half": (0.5, 50.0)}
_LETTERS = re.compile(r"[a-z]+")
_GAP = re.compile(r"[ \u00a0-]{1,2}")


@dataclass(frozen=True, slots=True)
class Spelled:
    """A number in words. `weak`: an article, an ordinal or a half, which is often no number at all."""

    start: int
    end: int
    values: tuple[float, ...]
    weak: bool


def _fits(group: int, value: int) -> bool:
    """Whether `value` continues the group below a thousand: 20 + 5 and 100 + 15 do, 20 + 30 and 5 + 3 do not."""
    if group == 0:
        return True
    return (group % 100 == 0 and value < 100) or (group % 10 == 0 and value < 10 and group % 100 != 10)


class _Reader:
    """Adds words up to one number; `take` says whether the word still belongs to it."""

    def __init__(self) -> None:
        self.total = 0
        self.group = 0
        self.scale = 10**15
        self.count = 0
        self.fresh_scale = False

    def take(self, word: str, joined: str) -> bool:
        """Feed one word; `joined` is the connector before it ("", "e", "and")."""
        if joined and not self._joins(joined):
            return False
        if word == "hundred":
            taken = self.group < 10
            self.group = (self.group or 1) * 100 if taken else self.group
        elif word in SCALES:
            taken = not joined and SCALES[word] < self.scale and (self.group > 0 or self.count == 0)
            if taken:
                self.scale = SCALES[word]
                self.total += (self.group or 1) * self.scale
                self.group = 0
        else:
            taken = _fits(self.group, ATOMS[word]) and ATOMS[word] < self.scale
            taken = taken and (self.count == 0 or ATOMS[word] > 0)
            self.group += ATOMS[word] if taken else 0
        if taken:
            self.count += 1
            self.fresh_scale = word in SCALES
        return taken

    def _joins(self, connector: str) -> bool:
        if connector == "and":  # "one hundred and five", never "twenty and five"
            return self.fresh_scale or (self.group > 0 and self.group % 100 == 0)
        return self.fresh_scale or (self.group > 0 and self.group % 10 == 0)


def spelled_numbers(flat_text: str) -> tuple[Spelled, ...]:
    """Numbers in words, in order of place.

    Args:
        flat_text: text after `core.numbers.flat.flat`.
    """
    tokens = [(m.group(), m.start(), m.end()) for m in _LETTERS.finditer(flat_text)]
    found: list[Spelled] = []
    at = 0
    while at < len(tokens):
        word, start, end = tokens[at]
        if word in ATOMS or word in SCALES or word == "hundred":
            at, number = _read(flat_text, tokens, at)
            found.append(number)
            continue
        if word in ORDINALS:
            found.append(Spelled(start, end, (float(ORDINALS[word]),), True))
        elif word in _HALVES:
            found.append(Spelled(start, end, _HALVES[word], True))
        at += 1
    return tuple(found)


def _read(text: str, tokens: list[tuple[str, int, int]], at: int) -> tuple[int, Spelled]:
    reader = _Reader()
    first = at
    end = tokens[at][2]
    joined = ""
    while at < len(tokens):
        word, start, stop = tokens[at]
        near = at == first or _GAP.fullmatch(text, tokens[at - 1][2], start) is not None
        if near and word in ("e", "and") and not joined and at > first:
            joined = word
            at += 1
            continue
        known = word in ATOMS or word in SCALES or word == "hundred"
        if not (near and known and reader.take(word, joined)):
            break
        end = stop
        joined = ""
        at += 1
    used = at - 1 if joined else at  # a trailing connector belongs to the sentence, not to the number
    weak = reader.count == 1 and tokens[first][0] in _ARTICLES
    return max(used, first + 1), Spelled(tokens[first][1], end, (float(reader.total + reader.group),), weak)
