"""Lexical analysis for Portuguese and English at once: what a passage is indexed under and a question asks for.

A word stands for several terms: as typed (folded), its Portuguese stem, its English stem and its first letters.
Both stems for every text, whatever its language: names, cognates and mixed texts match, and a wrongly guessed
language costs nothing. A code or number stands for its exact form first and for its parts at half the value.
"""

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import Stemmer
from rapidfuzz.distance import OSA

from core.dictionary import is_word
from core.normalize import fold

PREFIX_MARK = "~"  # keeps "first letters" apart from whole words
PART_VALUE = 0.5  # all parts of a code together, beside 1.0 for the code itself
_PREFIX = 5

_PORTUGUESE = Stemmer.Stemmer("portuguese", 0)
_ENGLISH = Stemmer.Stemmer("english", 0)

_TOKEN = re.compile(
    r"""
    [^\W_]+ (?: (?:[.\-/–_'’]|(?<=\d)[,:](?=\d)) [^\W_]+ )+ (?: \([a-z0-9]{1,3}\) )*   # joined: 14.3(b), e-mail
  | \d+ (?: \([a-z0-9]{1,3}\) )+                                                       # 14(b)
  | [^\W_]+                                                                            # plain
    """,
    re.VERBOSE,
)
_THOUSANDS = re.compile(r"\d{1,3}([.,])\d{3}(?:\1\d{3})*(?:(?!\1)[.,]\d+)?")
_PIECES = re.compile(r"\d+|[^\W\d_]+")

_STOP = frozenset(
    fold(
        """
    a as ao aos à às o os um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas para
    pra com sem sob sobre entre até após e ou mas nem que se como mais menos muito já também só ainda cada qual quais
    quem quando onde aonde quanto quanta quantos quantas porque porquê cujo cuja ser é era são foi foram será sendo
    sido está estão estava estar ter tem têm tinha há haver ele ela eles elas isso isto aquilo esse essa esses essas
    este esta estes estas aquele aquela seu sua seus suas meu minha nosso nossa lhe me te nos eu tu você vocês nós não
    the an and or but of to in on at by for from with without into about as if than then so not is are was were be
    been being it its this that these those there their they them he she his her him i we us our you your my me who
    whom whose what which when where why how do does did done has have had having can could may might must shall
    should will would
    """
    ).split()
)
_REQUEST = frozenset(
    fold(
        """
    favor gostaria queria quero preciso precisa saber diga dizer diz fala fale explique explica mostre mostra liste
    significa significam informe informar pode podem posso podemos poderia devo deve devem existe existem
    please tell know explain show list give want need let get say says said mean means
    """
    ).split()
)

_ACCENTED = tuple(
    sorted(
        {
            "ao": "ão", "oes": "ões", "aes": "ães", "cao": "ção", "coes": "ções",
            "avel": "ável", "aveis": "áveis", "ivel": "ível", "iveis": "íveis",
            "encia": "ência", "encias": "ências", "ancia": "ância", "ancias": "âncias",
            "ario": "ário", "arios": "ários", "orio": "ório", "orios": "órios",
        }.items(),
        key=lambda pair: -len(pair[0]),
    )
)  # fmt: skip
_SINGULAR = (
    ("ões", "ão"), ("ães", "ão"), ("ãos", "ão"), ("ais", "al"), ("éis", "el"), ("eis", "el"),
    ("óis", "ol"), ("ois", "ol"), ("uis", "ul"), ("is", "il"), ("ns", "m"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Token:
    """One content word, number or code, and the terms it stands for with their values (the first is the surest)."""

    surface: str  # folded
    kind: Literal["word", "number", "code"]
    terms: tuple[tuple[str, float], ...]

    @property
    def sure(self) -> tuple[str, ...]:
        """Terms whose match means the same word, number or code: not mere first letters, not parts of a code."""
        if self.kind == "word":
            return tuple(term for term, _ in self.terms if not term.startswith(PREFIX_MARK))
        return tuple(term for term, value in self.terms if value >= 1.0)


def tokens(text: str) -> tuple[Token, ...]:
    """Content tokens in reading order; stop words are left out."""
    lowered = unicodedata.normalize("NFKC", text).lower()
    return tuple(token for match in _TOKEN.finditer(lowered) for token in _read(match.group()))


def question_tokens(text: str) -> tuple[Token, ...]:
    """The distinct content tokens of a question, without words of asking such as "please" or "gostaria"."""
    kept = {token.surface: token for token in tokens(text) if token.surface not in _REQUEST}
    return tuple(kept.values())


def passage_terms(text: str) -> tuple[Counter[str], tuple[str, ...], int]:
    """What a passage is indexed under.

    Returns: how often each term occurs; the folded words of the passage, sorted; its length in content tokens.
    """
    found = tokens(text)
    counts = Counter(term for token in found for term, _ in token.terms)
    return counts, tuple(sorted({t.surface for t in found if t.kind == "word"})), len(found)


def nearest_word(word: str, vocabulary: Sequence[str]) -> str | None:
    """The word of the vocabulary that a mistyped word means, or None.

    One slip (letter missing, added, wrong or swapped) in words of 5 to 8 letters, two in longer ones, but not in
    the first letter, where people hardly slip; a silent h may be missing. Ties go to the same first letter, then
    to the name. A token with a digit is never guessed, nor is a word of the dictionary: "férias" are no "feiras".

    Args:
        word: folded.
        vocabulary: folded words, sorted.
    """
    slips = 0 if len(word) < 5 or not word.isalpha() else 1 if len(word) <= 8 else 2
    if not slips:
        return None
    initials = {word[0], "h"} if word[0] in "aeiou" else {word[0], word[1]} if word[0] == "h" else {word[0]}
    near = [
        (OSA.distance(word, other, score_cutoff=slips), other[0] != word[0], other)
        for initial in initials
        for other in _starting_with(initial, vocabulary)
        if abs(len(other) - len(word)) <= slips
    ]
    distance, _, best = min(near, default=(slips + 1, False, ""))
    return best if distance <= slips and not (distance and is_word(word)) else None


def _starting_with(initial: str, vocabulary: Sequence[str]) -> Sequence[str]:
    return vocabulary[bisect_left(vocabulary, initial) : bisect_left(vocabulary, chr(ord(initial) + 1))]


@lru_cache(maxsize=65536)
def word_token(word: str) -> Token:
    """The token of one lower-case word (accents as typed)."""
    folded = fold(word)
    forms = (folded, _portuguese_stem(word), _ENGLISH.stemWord(folded), PREFIX_MARK + folded[:_PREFIX])
    terms = tuple(dict.fromkeys(forms))
    return Token(folded, "word", tuple((term, 1.0 / len(terms)) for term in terms))


def _portuguese_stem(word: str) -> str:
    """Accents that the ending needs are restored, the plural undone, the word stemmed, and only then folded.

    Snowball joins neither cartão/cartões nor aprovacao/aprovação by itself, and stems folded words worse.
    """
    stem = fold(_PORTUGUESE.stemWord(_swap_ending(_swap_ending(word, _ACCENTED), _SINGULAR)))
    return stem[:-2] + "il" if stem.endswith("el") else stem  # fáceis may come from -el or -il: one spelling


def _swap_ending(word: str, endings: Iterable[tuple[str, str]]) -> str:
    for old, new in endings:
        if word.endswith(old) and len(word) >= len(old) + 2:
            return word[: -len(old)] + new
    return word


def _read(raw: str) -> tuple[Token, ...]:
    """One raw token: a number, a code, or words (those of a compound, and the compound written together)."""
    if any(char.isdigit() for char in raw):
        return (exact_token(fold(raw)),)
    pieces = _PIECES.findall(raw)
    words = [piece for piece in pieces if fold(piece) not in _STOP]
    if len(pieces) > 1 and "-" in raw:
        words.append("".join(pieces))
    return tuple(word_token(word) for word in words)


@lru_cache(maxsize=65536)
def exact_token(raw: str) -> Token:
    """A number or code: its canonical form, then its parts (`14.3(b)`: 14.3; `e-4021`: 4021; `2.3.1`: 2.3).

    The clauses above a dotted one are its parts, nearest first; its bare figures would match anything.
    """
    numeric = not any(char.isalpha() for char in raw)
    whole = _number(raw) if numeric else re.sub(r"[-–_/]", "", raw)
    pieces = [piece for piece in _PIECES.findall(raw) if len(piece) > 1]
    thousands = numeric and _THOUSANDS.fullmatch(raw) is not None
    if thousands:
        parts = [re.sub(r"[.,]", "", raw)]
    elif numeric and re.fullmatch(r"\d+[.,]\d+", whole):
        parts = []
    else:
        parts = [".".join(levels) for levels in _leading_parts(raw)] or pieces
    parts = [part for part in dict.fromkeys(parts) if part != whole]
    value = PART_VALUE / len(parts) if parts else 0.0
    plain = numeric and (thousands or re.fullmatch(r"\d+(?:[.,:]\d+)?", raw) is not None)
    kind: Literal["number", "code"] = "number" if plain else "code"
    return Token(whole, kind, ((whole, 1.0), *((part, value) for part in parts)))


def _number(raw: str) -> str:
    """`1.234,56`, `1,234.56` -> `1234.56`; `3,5` -> `3.5`; `1.234` stays: it may be a clause or a thousand."""
    if _THOUSANDS.fullmatch(raw) and len(re.findall(r"[.,]", raw)) > 1:
        head, _, tail = re.sub(r"[.,](?=.*[.,])", "", raw).replace(",", ".").partition(".")
        last_mark = re.findall(r"[.,]", raw)[-1]
        return head + tail if raw.count(last_mark) > 1 else f"{head}.{tail}"
    return re.sub(r"^(\d+),(\d+)$", r"\1.\2", raw)


def _leading_parts(raw: str) -> list[list[str]]:
    """The clauses above a dotted one: `14.3.2(b)` stands under 14.3.2 and 14.3."""
    match = re.match(r"v?(\d+(?:\.\d+)+)", raw)
    if not match:
        return []
    levels = match.group(1).split(".")
    return [levels[:depth] for depth in range(len(levels), 1, -1)]
