"""Whether two quantities mean the same, and whether a text holds a fact."""

import math
import re

from core.normalize import fold
from core.numbers.dates import covers_date
from core.numbers.find import Quantity, quantities
from core.numbers.flat import composed, flat


def same_value(a: float, b: float) -> bool:
    """Equal as numbers are read: exactly, or after rounding to cents where both are at least one."""
    if math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12):
        return True
    return min(abs(a), abs(b)) >= 1 and round(a, 2) == round(b, 2)


def same_quantity(known: Quantity, claimed: Quantity) -> bool:
    """Whether `known` says what `claimed` says: dates part by part, codes by letters and digits, numbers by value."""
    if known.kind == "code" or claimed.kind == "code":
        return known.key == claimed.key
    if known.dates and claimed.dates:
        return any(covers_date(k, c) for k in known.dates for c in claimed.dates)
    return any(same_value(k, c) for k in known.values for c in claimed.values)


_ONE = frozenset(["um", "uma", "one"])
_PLAIN = re.compile(r"[^\W_]+(?:[-'’][^\W\d_]+)*", re.UNICODE)


def _tokens(text: str) -> list[Quantity | str]:
    """Words and quantities in order; words folded, articles in words ("um") kept as words."""
    text = composed(text)
    tokens: list[Quantity | str] = []
    at = 0
    for quantity in (q for q in quantities(text) if not q.weak):
        tokens += _PLAIN.findall(flat(text[at : quantity.start]))
        tokens.append(quantity)
        at = quantity.end
    return [*tokens, *_PLAIN.findall(flat(text[at:]))]


def _token_matches(known: Quantity | str, claimed: Quantity | str) -> bool:
    if isinstance(claimed, str) and not isinstance(known, str):
        return claimed in _ONE and 1.0 in known.values
    if isinstance(known, str) or isinstance(claimed, str):
        return known == claimed
    return same_quantity(known, claimed)


def holds(text: str, fact: str) -> bool:
    """Whether a text says a fact: its words in a row, with numbers and dates compared by value.

    "5" is not in "50" nor in "5,5"; "trinta dias" holds "30 dias"; "R$ 1.234,50" holds "1234.5". Case, accents
    and punctuation do not matter. An empty fact is in no text.
    """
    wanted = _tokens(fact)
    if not wanted:
        return False
    have = _tokens(text)
    for at in range(len(have) - len(wanted) + 1):
        if all(_token_matches(have[at + i], wanted[i]) for i in range(len(wanted))):
            return True
    return _has_year(have, wanted) or _has_text(text, fact)


def _has_year(have: list[Quantity | str], wanted: list[Quantity | str]) -> bool:
    """A bare year is also said by a date of that year."""
    only = wanted[0] if len(wanted) == 1 else ""
    if isinstance(only, str) or only.kind != "number" or not re.fullmatch(r"\d{4}", only.text):
        return False
    return any(d.startswith(only.text) for q in have if isinstance(q, Quantity) for d in q.dates)


def _has_text(text: str, fact: str) -> bool:
    """The plain way: the folded fact stands in the folded text, bounded; digits do not touch more digits."""
    needle = fold(fact)
    if re.fullmatch(r"[\W\d_]*", needle):
        return False  # numbers are compared by value only
    head = r"(?<!\w)(?<!\d[.,])" if needle[0].isalnum() else ""
    tail = r"(?!\w)(?![.,]\d)" if needle[-1].isalnum() else ""
    return re.search(head + re.escape(needle) + tail, fold(text)) is not None


def mentions(text: str, code: str) -> bool:
    """Whether a text holds a code in any spelling of its separators; `14.3(b)` may be item (b) under 14.3.

    >>> mentions("alarme E 4021", "e-4021"), mentions("E-40210", "E-4021")
    (True, False)
    """
    parts = re.findall(r"[^\W\d_]+|\d+", flat(composed(code)))
    whole = r"[\s\-_./()]{0,2}".join(map(re.escape, parts))
    if not parts:
        return False
    bare = flat(composed(text))
    if re.search(rf"(?<![^\W_]){whole}(?![^\W_])", bare):
        return True
    item = re.fullmatch(r"(.+?)\(([a-z0-9]{1,3})\)", flat(composed(code)))
    return item is not None and mentions(text, item[1]) and f"({item[2]})" in bare
