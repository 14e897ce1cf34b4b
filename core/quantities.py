"""Numbers, dates, units and codes of a question, each in one canonical spelling."""

import re
from decimal import Decimal

from core.lexicon import MONTHS, MULTIPLIERS, NUMBER_WORDS, ORDINALS, SHORT_MONTHS, UNITS, WEEKDAYS
from core.tokens import Token

_YEAR = re.compile(r"(?:19|20)\d\d")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*%?")
_DATE = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{2,4})|(\d{4})-(\d{1,2})-(\d{1,2})")
_CODE = re.compile(
    r"(?=\w*[-./(]?\w*\d)(?=.*[a-z])[\w.()/-]+|\d+(?:\.\d+)+\([a-z0-9]+\)|\d+(?:\.\d+){2,}|\d+-\d+"
)
_PERIODS = re.compile(
    r"\b(?P<pre>ultim[oa]s?|passad[oa]|proxim[oa]s?|est[ea]|ness[ea]|nest[ea]|dest[ea]|last|next|this|previous|current|atual)?\s?"
    r"(?P<period>mes|ano|semana|trimestre|semestre|month|year|week|quarter|semester)\s?"
    r"(?P<post>passad[oa]|atual|anterior|seguinte|que vem)?\b"
)
_RELATIVE = {
    "hoje": "today",
    "ontem": "yesterday",
    "amanha": "tomorrow",
    "today": "today",
    "yesterday": "yesterday",
    "tomorrow": "tomorrow",
}
_PERIOD_NAMES = {
    "mes": "month",
    "ano": "year",
    "semana": "week",
    "trimestre": "quarter",
    "semestre": "semester",
}
_QUARTER = re.compile(
    r"\b(?:(?P<a>[1-4])[ºoa°]? ?(?P<ka>trimestre|semestre|tri|quarter)|q(?P<b>[1-4])|(?P<c>[1-4])(?:st|nd|rd|th) (?P<kc>quarter|semester)"
    r"|(?P<d>primeir[oa]|segund[oa]|terceir[oa]|quart[oa]|first|second|third|fourth) (?P<kd>trimestre|semestre|quarter|semester)|(?P<e>[1-4])t(?:\d\d)?)\b"
)


def number_value(raw: str) -> str:
    """A number as written, by value: "1.234,56" and "1,234.56" are "1234.56"; "5.000" is five thousand."""
    plain = raw.rstrip("%")
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+(?:,\d+)?", plain):
        plain = plain.replace(".", "").replace(",", ".")
    elif re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain):
        plain = plain.replace(",", "")
    else:
        plain = plain.replace(",", ".") if plain.count(",") <= 1 and plain.count(".") == 0 else plain
    try:
        return f"{Decimal(plain).normalize():f}"
    except ArithmeticError:
        return plain


def numbers_of(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """Numbers by value, in order: digits with their multipliers ("5 mil", "2k") and number words."""
    found: list[str] = []
    skip = -1
    for at, token in enumerate(tokens):
        if at == skip or _is_date_part(tokens, at):
            continue
        following = tokens[at + 1].word if at + 1 < len(tokens) else ""
        glued = re.fullmatch(r"(\d+(?:[.,]\d+)?)(k|mil|mi|m)", token.word)
        if _NUMBER.fullmatch(token.word) or (glued and glued.group(2) != "m"):
            value = (
                Decimal(number_value(glued.group(1) if glued else token.word))
                if _plain(glued.group(1) if glued else token.word)
                else None
            )
            factor = MULTIPLIERS.get(glued.group(2) if glued else following)
            if value is None:
                continue
            if factor and not glued:
                skip = at + 1
            found.append(f"{(value * (factor or 1)).normalize():f}")
        elif token.word in NUMBER_WORDS:
            factor = MULTIPLIERS.get(following) if NUMBER_WORDS[token.word] < 1000 else None
            skip = at + 1 if factor else skip
            found.append(str(NUMBER_WORDS[token.word] * (factor or 1)))
    return tuple(found)


def _plain(word: str) -> bool:
    return re.fullmatch(r"\d+(?:\.\d+)?", number_value(word)) is not None


def _is_date_part(tokens: tuple[Token, ...], at: int) -> bool:
    word = tokens[at].word
    return bool(
        _YEAR.fullmatch(word)
        or _DATE.fullmatch(word)
        or re.fullmatch(r"\d{1,2}/\d{2,4}", word)
        or month_of(word, "", "")
    )


def dates_of(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """Dates in canonical spelling, in order of their kinds: full dates, months, years, quarters, relative ones."""
    text = " ".join(t.word for t in tokens)
    found: list[str] = []
    for at, token in enumerate(tokens):
        before = tokens[at - 1].word if at else ""
        after = tokens[at + 1].word if at + 1 < len(tokens) else ""
        full = _DATE.fullmatch(token.word)
        if full:
            d, m, y, iso_y, iso_m, iso_d = full.groups()
            found.append(f"{iso_y or _full_year(y)}-{int(iso_m or m):02d}-{int(iso_d or d):02d}")
        elif _YEAR.fullmatch(token.word):
            found.append(f"y{token.word}")
        elif month := month_of(token.word, before, after):
            found += [f"m{month}", *(f"y{_full_year(year)}" for year in re.findall(r"\d+", token.word))]
        elif match := re.fullmatch(r"(\d{1,2})/(\d{4}|\d{2})", token.word):
            if 1 <= int(match.group(1)) <= 12:
                found += [f"m{int(match.group(1))}", f"y{_full_year(match.group(2))}"]
        elif token.word in WEEKDAYS:
            found.append(f"w{WEEKDAYS[token.word]}")
        elif token.word in _RELATIVE:
            found.append(_RELATIVE[token.word])
    found += [_quarter(match) for match in _QUARTER.finditer(text)]
    for match in _PERIODS.finditer(text):
        mark = match.group("pre") or match.group("post")
        if mark:
            when = (
                "last"
                if re.match(r"ultim|passad|last|previous|anterior", mark)
                else "next"
                if re.match(r"proxim|next|seguinte|que vem", mark)
                else "this"
            )
            period = _PERIOD_NAMES.get(match.group("period"), match.group("period"))
            found.append(f"{when}-{period}")
    return tuple(dict.fromkeys(found))


def _full_year(year: str) -> str:
    return year if len(year) == 4 else f"20{year}"


def month_of(word: str, before: str, after: str) -> int:
    """1..12, or 0. Short spellings and the English "may" are months only beside a preposition or a year."""
    bare, _, year = word.replace("/", "-").partition("-")
    if bare not in MONTHS or (year and not year.isdigit()):
        return 0
    sure = bool(year) or before in {
        "em",
        "de",
        "in",
        "of",
        "since",
        "until",
        "by",
        "from",
        "desde",
        "ate",
        "para",
        "e",
        "and",
        "a",
        "to",
        "between",
        "entre",
        "during",
        "last",
        "this",
    }
    if bare in SHORT_MONTHS or bare == "may":
        return MONTHS[bare] if sure or re.fullmatch(r"\d{1,4}(?:/\d+)?", after) else 0
    return MONTHS[bare]


def _quarter(match: re.Match[str]) -> str:
    digit = (
        match.group("a")
        or match.group("b")
        or match.group("c")
        or match.group("e")
        or str(ORDINALS.get(match.group("d") or "", 0))
    )
    name = match.group("ka") or match.group("kc") or match.group("kd") or "quarter"
    return f"{'s' if name.startswith('sem') else 'q'}{digit}"


def units_of(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """Units and currencies, canonical and sorted.

    Currency and percent count anywhere; a measure counts beside a number or where it is asked for ("em dias",
    "how many hours"), because elsewhere "mês" or "dia" is an ordinary noun.
    """
    found = set()
    for at, token in enumerate(tokens):
        glued = re.fullmatch(r"\d+(?:[.,]\d+)*([a-z]{1,3}|%)", token.word)
        word = glued.group(1) if glued else token.word
        unit, before = UNITS.get(word), tokens[at - 1].word if at else ""
        measured = bool(glued) or before[:1].isdigit() or before in NUMBER_WORDS or before in _ASKS_UNIT
        if (
            unit
            and (unit in _ANYWHERE or measured)
            and (len(word) > 1 or glued or not word.isalpha() or before[:1].isdigit())
        ):
            found.add(unit)
    return tuple(sorted(found))


_ANYWHERE = frozenset({"brl", "usd", "eur", "gbp", "percent"})
_ASKS_UNIT = frozenset(["em", "in", "quantos", "quantas", "many", "per", "por"])


def codes_of(tokens: tuple[Token, ...]) -> tuple[str, ...]:
    """Exact tokens: letters with digits, dotted or dashed numbers that are neither dates nor amounts."""
    return tuple(t.word for at, t in enumerate(tokens) if _is_code(tokens, at))


def _is_code(tokens: tuple[Token, ...], at: int) -> bool:
    word = tokens[at].word
    if (
        not any(c.isdigit() for c in word)
        or _is_date_part(tokens, at)
        or re.fullmatch(
            r"q[1-4]|[1-4]t\d*|\d+(?:k|mil|mi|h|%|o|a|st|nd|rd|th|s|º|ª)?|\d+(?:[.,]\d+)?(?:kg|g|km|m|cm|mm|l|ml|h|min|%)",
            word,
        )
    ):
        return False
    return _CODE.fullmatch(word) is not None
