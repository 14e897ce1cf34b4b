"""Units after a number: which suffixes are units, which are one unit in two spellings, which are scale words."""

import re

from core.language import listed
from core.normalize import fold

_SCALES = {
    "mil": 1_000, "thousand": 1_000, "milhao": 1_000_000, "milhoes": 1_000_000, "million": 1_000_000,
    "millions": 1_000_000, "mi": 1_000_000, "bilhao": 1_000_000_000, "bilhoes": 1_000_000_000,
    "billion": 1_000_000_000, "bi": 1_000_000_000,
}  # fmt: skip
_ORDINAL = re.compile(r"(?:º|ª|o|a|st|nd|rd|th)(?:\s.*)?", re.IGNORECASE)
_SYMBOLS = frozenset(
    listed("""% ‰ p.p. pp bps kg g mg t ton l ml m cm mm km m2 m3 m² m³ cm² cm³ km² ha h min s ms ° °c ºc °f c f
    kwh mwh gwh kw mw w v kv hz khz mhz ghz bar psi pa kpa mpa kgf n j kj cal kcal gb mb tb kb mbps gbps
    ppm rpm km/h m/s l/min m³/h l/h kg/m³ mg/l g/l lb oz ft in mi gal un und pc pcs cx sc ph lux db mah
    ah kva""")
)  # folded by `_key`; "A" and other bare letters are more often codes
_WORDS = {
    "dia": "dias", "mes": "meses", "ano": "anos", "hora": "horas", "semana": "semanas", "minuto": "minutos",
    "segundo": "segundos", "unidade": "unidades", "peca": "peças", "caixa": "caixas", "litro": "litros",
    "pessoa": "pessoas", "vez": "vezes", "tonelada": "toneladas", "quilo": "quilos", "metro": "metros", "ponto": "pontos",
    "saca": "sacas", "lote": "lotes", "cabeca": "cabeças", "hectare": "hectares", "grau": "graus",
    "day": "days", "month": "months", "year": "years", "hour": "hours", "week": "weeks", "minute": "minutes",
    "second": "seconds", "unit": "units", "piece": "pieces", "box": "boxes", "person": "people", "time": "times",
    "point": "points", "degree": "degrees", "liter": "liters", "meter": "meters", "ton": "tons",
}  # fmt: skip
_ABBREVIATED = {
    "seg": "s",
    "hr": "h",
    "hrs": "h",
    "hs": "h",
    "mins": "min",
    "lt": "l",
    "lts": "l",
    "kgs": "kg",
    "uni": "un",
    "unid": "un",
    "pç": "pc",
    "pçs": "pc",
}
_PLURALS = {fold(plural): plural for plural in _WORDS.values()}
_CURRENCY = re.compile(r"r\$|us\$|u\$s|\$|€|£|¥|brl|usd|eur|gbp|reais|real", re.IGNORECASE)


def is_ordinal(suffix: str) -> bool:
    """1º, 2nd: a rank, not an amount; º C is a degree."""
    return bool(_ORDINAL.fullmatch(suffix)) and fold(suffix) != "o c"


def scale_of(suffix: str) -> int:
    """1,000 for "mil", 1 for a plain unit."""
    first = fold(suffix).split(" ")[0].rstrip(".") if suffix else ""
    return _SCALES.get(first, 1)


def unit_of(suffix: str) -> str:
    """One spelling for a unit: 'dia' and 'dias' are 'dias'; scale words are no unit."""
    if not suffix:
        return ""
    words = suffix.strip().rstrip(".").split()
    if fold(words[0]).rstrip(".") in _SCALES:
        words = [word for word in words[1:] if fold(word) != "de"]
    plain = " ".join(words)
    key = fold(plain)
    if key in _WORDS:
        return _WORDS[key]
    if key in _PLURALS:
        return _PLURALS[key]
    return _ABBREVIATED.get(key, plain.lower() if plain.isupper() and len(plain) > 3 else plain)


def same_unit(unit: str) -> bool:
    """Whether this is a unit that people measure in, by itself, without further evidence."""
    return unit.lower() in _SYMBOLS or fold(unit) in _PLURALS or fold(unit) in _SYMBOLS


def is_unit_cell(text: str) -> bool:
    """Whether a cell of a row under the header only names a unit: (R$), kg, em mil, %."""
    inner = fold(text).strip("()[] ")
    inner = re.sub(r"^(?:em|in) ", "", inner)
    if _CURRENCY.match(inner):
        rest = _CURRENCY.sub("", inner, count=1).strip()
        return not rest or rest in _SCALES or rest.startswith("/") or rest == "mil"
    return inner in _SCALES or inner in _SYMBOLS or inner in _PLURALS or inner in _WORDS


def is_unit_phrase(text: str) -> bool:
    """Whether a few words in a header's brackets are a unit: 'R$ por litro', 'dias úteis', 'mil UFC/mL'."""
    words = fold(text).split()
    if not 1 < len(words) <= 4:
        return False
    first = words[0]
    return first in _SCALES or first in _PLURALS or first == "%" or bool(_CURRENCY.fullmatch(first))
