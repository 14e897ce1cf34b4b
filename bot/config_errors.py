"""What is wrong with a configuration: for each problem where, which key, what value, what is allowed, the nearest name."""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from core.errors import BadSetting

Location = tuple[int | str, ...]

_SECRET_KEY = re.compile(r"(^|_)(token|secret|password|key|env)$")
_SECRET_VALUE = re.compile(r"\b(xox[a-z]-|xapp-|sk-|hf_|gh[a-z]_|Bearer )")
_CHOICES = frozenset({"str", "int", "float", "bool"})  # pydantic's names for the choices of a scalar
_ALLOWED = {  # pydantic's name of a problem -> (Portuguese, English)
    "int_type": ("um número inteiro", "a whole number"),
    "int_from_float": ("um número inteiro", "a whole number"),
    "float_type": ("um número", "a number"),
    "bool_type": ("true ou false", "true or false"),
    "string_type": ("texto (entre aspas)", "text (put it in quotes)"),
    "tuple_type": ("uma lista", "a list"),
    "list_type": ("uma lista", "a list"),
    "dict_type": ("linhas `chave: valor`", "`key: value` lines"),
    "model_type": ("linhas `chave: valor`", "`key: value` lines"),
    "model_attributes_type": ("linhas `chave: valor`", "`key: value` lines"),
}
_BOUNDS = {
    "ge": ("no mínimo {n}", "at least {n}"),
    "le": ("no máximo {n}", "at most {n}"),
    "gt": ("mais de {n}", "more than {n}"),
    "lt": ("menos de {n}", "less than {n}"),
}


@dataclass(frozen=True, slots=True)
class Said:
    """One sentence in both languages."""

    pt: str
    en: str

    @property
    def fact(self) -> dict[str, str]:
        """For the fields of an error's message."""
        return {"pt": self.pt, "en": self.en}

    def filled(self, **facts: object) -> "Said":
        """Args: facts: for the fields; one that is itself said in both languages is put in in each."""
        chosen = [
            {k: getattr(v, x) if isinstance(v, Said) else v for k, v in facts.items()} for x in ("pt", "en")
        ]
        return Said(self.pt.format(**chosen[0]), self.en.format(**chosen[1]))


Problem = tuple[str, Said]  # (dotted key, what is wrong with it)


def refuse(pt: str, en: str, **facts: object) -> NoReturn:
    """Raises: BadSetting with the problem for both the log and the administrator."""
    said = Said(pt, en).filled(**facts)
    raise BadSetting(said.en, problem=said.fact)


def bad_settings(found: Sequence[Problem], source: Path, lines: Mapping[str, int]) -> BadSetting:
    """The error for all problems of a file, in its order, each with the line if the file holds the key or one above it."""
    placed = sorted(((_line_of(key, lines), key, said) for key, said in found), key=lambda p: (p[0], p[1]))
    told = [
        Said("{where}: {key}: {what}", "{where}: {key}: {what}").filled(
            where=f"{source.name}:{line}" if line else source.name, key=key, what=said
        )
        for line, key, said in placed
    ]
    if len(told) == 1:
        return BadSetting(told[0].en, problem=told[0].fact)
    head = Said("{n} problemas:", "{n} problems:").filled(n=len(told))
    listed = Said(
        "\n  ".join([head.pt, *(s.pt for s in told)]), "\n  ".join([head.en, *(s.en for s in told)])
    )
    return BadSetting(listed.en, problem=listed.fact)


def _line_of(key: str, lines: Mapping[str, int]) -> int:
    """0 where the file holds neither the key nor one above it."""
    parts = key.split(".")
    return next((lines[at] for n in range(len(parts), 0, -1) if (at := ".".join(parts[:n])) in lines), 0)


def nearest(name: str, names: Iterable[str]) -> Said:
    """'did you mean …? allowed: …', shortest useful form."""
    allowed = sorted(str(candidate) for candidate in names)
    close = get_close_matches(name, allowed, n=1, cutoff=0.5)
    listed = Said("permitido: {names}", "allowed: {names}").filled(
        names=", ".join(allowed) if allowed else Said("nada ainda", "nothing yet")
    )
    if not close:
        return listed
    return Said("quis dizer {near!r}? {listed}", "did you mean {near!r}? {listed}").filled(
        near=close[0], listed=listed
    )


def problems_of(err: ValidationError, model: type[BaseModel]) -> list[Problem]:
    """Every problem of a validation, each key once."""
    found: dict[str, list[ErrorDetails]] = {}
    for detail in err.errors(include_url=False):
        place = detail["loc"][:-1] if detail["loc"][-1] in _CHOICES else detail["loc"]  # one error a choice
        found.setdefault(".".join(map(str, place)), []).append(detail)
    return [(key, _sentence(details, key.rpartition(".")[2], model)) for key, details in found.items()]


def _sentence(details: list[ErrorDetails], name: str, model: type[BaseModel]) -> Said:
    detail = details[0]
    kind, value, context = detail["type"], _shown(name, detail["input"]), detail.get("ctx", {})
    if kind == "extra_forbidden":
        near = nearest(name, _names_at(model, detail["loc"][:-1]))
        return Said("{value} não é uma configuração; {near}", "{value} is not a setting; {near}").filled(
            value=value, near=near
        )
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", str(context.get("expected", "")))
        near = nearest(str(detail["input"]), choices)
        return Said("{value} não é permitido; {near}", "{value} is not allowed; {near}").filled(
            value=value, near=near
        )
    if kind == "missing":
        return Said("é necessário e não está aí", "is needed and not there")
    if kind == "too_short":
        return Said(
            "{value} é curto demais; permitido: no mínimo {n} item(ns)",
            "{value} is too short; allowed: at least {n} entries",
        ).filled(value=value, n=context.get("min_length"))
    for bound, words in _BOUNDS.items():
        if bound in context:
            limit = Said(*words).filled(n=context[bound])
            return Said(
                "{value} está fora dos limites; permitido: {limit}",
                "{value} is out of range; allowed: {limit}",
            ).filled(value=value, limit=limit)
    pairs = dict.fromkeys(_ALLOWED.get(choice["type"], (choice["msg"],) * 2) for choice in details)
    allowed = Said(", ou ".join(pt for pt, _ in pairs), ", or ".join(en for _, en in pairs))
    return Said("{value} está errado; permitido: {allowed}", "{value} is wrong; allowed: {allowed}").filled(
        value=value, allowed=allowed
    )


def _shown(name: str, value: Any) -> str | Said:
    """The value as it stands in the file, shortened; never something that may be a secret."""
    if isinstance(value, Mapping):
        return Said("uma seção", "a section")
    text = json.dumps(value, ensure_ascii=False, default=str)  # true, null, "text"
    if _SECRET_KEY.search(name) or _SECRET_VALUE.search(text):
        return Said("o valor (oculto)", "the value (hidden)")
    return text if len(text) <= 60 else text[:57] + "…"


def _names_at(model: type[BaseModel], trail: Location) -> tuple[str, ...]:
    """The keys that the section at `trail` may hold."""
    current: Any = model
    for part in trail:
        if isinstance(current, type) and issubclass(current, BaseModel):
            current = _section_of(current.model_fields[str(part)].annotation)
        elif get_origin(current) is dict:
            current = _section_of(get_args(current)[1])
    return tuple(current.model_fields) if isinstance(current, type) and issubclass(current, BaseModel) else ()


def _section_of(annotation: Any) -> Any:
    """The section type inside an annotation such as `Thresholds | None`; tables (dict) stay as they are."""
    if get_origin(annotation) is dict or isinstance(annotation, type):
        return annotation
    inner = [kind for kind in get_args(annotation) if isinstance(kind, type) and issubclass(kind, BaseModel)]
    return inner[0] if inner else annotation
