"""What a column's header says: its unit, whether it holds codes or dates, and its SQL identifier."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.ingest.tables.units import is_unit_cell, is_unit_phrase
from core.language import listed
from core.normalize import fold

_BRACKETED = re.compile(r"^(?P<name>.*?)\s*[(\[](?P<unit>[^()\[\]]{1,20})[)\]]\s*(?P<rest>.*)$", re.DOTALL)
_TAIL = re.compile(
    r"^(?P<name>.+?)\s+(?:(?:em|in)\s+)?(?P<unit>R\$(?: mil)?|US\$|\$|€|£|%|kg|km|m²|m³|kWh|MWh|°C|ºC)$",
    re.DOTALL,
)
_WORD = re.compile(r"[a-z0-9]+")
_CODES = frozenset(
    listed("""id ids cod codigo codigos code codes cpf cnpj cep zip postal phone telefone tel fone celular whatsapp
    ramal fax conta account agencia matricula rg placa isbn ean gtin ncm cfop sku barcode serial chassi
    protocolo processo uuid guid versao version extension ddd cnh pis inscricao iban bic""")
)
_NUMBERED = frozenset(["numero", "num", "no", "nr", "nro", "number"])
_COUNTED = re.compile(r"\b(?:numero|num|no|nr|nro|number|qtd|quantidade) (?:de|of|total)\b|\bno\. of\b")
_DATED = frozenset(
    listed("""data date dia day mes month competencia periodo period vencimento emissao nascimento birth admissao
    validade desde inicio fim start end until prazo dt timestamp datetime quando when""")
)
_AMOUNTS = frozenset(
    listed("""qtd qtde quantidade quantity valor value total saldo balance preco price custo cost media average
    soma sum taxa rate count contagem duracao duration dias days horas hours meses months""")
)
_KEYWORDS = frozenset(
    listed("""all and any as asc between by case cast check column create cross current_date default delete desc
    distinct drop else end except exists false for foreign from full grant group having in index inner
    insert intersect into is join key left like limit natural not null offset on or order outer primary
    references returning right row rows select set some table then to true union unique update user using
    values view when where with transaction trigger commit begin alter add analyze array both collate
    constraint do fetch only placing session_user symmetric window""")
)
_LONGEST_KEY = 48


@dataclass(frozen=True, slots=True)
class Header:
    """One column's header."""

    name: str  # as written
    unit: str = ""
    code: bool = False  # digits below it are names, not amounts
    dated: bool = False


def read_header(name: str, unit: str = "") -> Header:
    """What a header tells. `unit` comes from a unit row or a number format and wins."""
    plain, own = split_unit(name)
    words = _WORD.findall(fold(plain))
    bag = frozenset(words)
    numbered = bool(bag & _NUMBERED) and len(words) > 1 and not _COUNTED.search(fold(plain))
    code = not bag & _AMOUNTS and (bool(bag & _CODES) or numbered)
    return Header(name, unit or own, code, bool(bag & _DATED) and not bag & _AMOUNTS)


def split_unit(name: str) -> tuple[str, str]:
    """'Receita (R$)' is ('Receita', 'R$'); brackets that hold no unit stay in the name."""
    for pattern in (_BRACKETED, _TAIL):
        match = pattern.match(name)
        if match and (
            is_unit_cell(match["unit"]) or (pattern is _BRACKETED and is_unit_phrase(match["unit"]))
        ):
            rest = match.groupdict().get("rest") or ""
            unit = re.sub(r"^(?:em|in)\s+", "", match["unit"].strip(), flags=re.IGNORECASE)
            return f"{match['name']} {rest}".strip(), unit
    return name, ""


def keys_for(names: Sequence[str]) -> tuple[str, ...]:
    """Unique SQL identifiers: folded, letters, digits and underscores, never a keyword, `column_3` where nothing is left."""
    keys: list[str] = []
    taken: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        key = (
            "_".join(_WORD.findall(fold(split_unit(name)[0])))[:_LONGEST_KEY].strip("_")
            or f"column_{position}"
        )
        if key[0].isdigit():
            key = f"c_{key}"
        if key in _KEYWORDS:
            key = f"{key}_"
        keys.append(_unused(key, taken))
    return tuple(keys)


def _unused(key: str, taken: dict[str, int]) -> str:
    """The key, or the first free one with a number; `taken` remembers each key and where its numbers stand."""
    candidate, number = key, taken.get(key, 1)
    while candidate in taken:
        number += 1
        candidate = f"{key}_{number}"
    taken[candidate] = 1
    taken[key] = number
    return candidate
