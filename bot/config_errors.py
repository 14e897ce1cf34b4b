"""One line for a wrong configuration: where, which key, what value, what is allowed, the nearest right name."""

import json
import re
from collections.abc import Iterable, Mapping
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
_ALLOWED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text (put it in quotes)",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "`key: value` lines",
    "model_type": "`key: value` lines",
    "model_attributes_type": "`key: value` lines",
}


def refuse(problem: str) -> NoReturn:
    """Raises: BadSetting with the problem for both the log and the administrator."""
    raise BadSetting(problem, problem=problem)


def bad_setting(found: tuple[str, str], source: Path, lines: Mapping[str, int]) -> BadSetting:
    """The error for (dotted key, problem), with the line if the file holds the key or one above it."""
    key, problem = found
    parts = key.split(".")
    known = (lines[dotted] for n in range(len(parts), 0, -1) if (dotted := ".".join(parts[:n])) in lines)
    line = next(known, None)
    where = source.name if line is None else f"{source.name}:{line}"
    text = f"{where}: {key}: {problem}"
    return BadSetting(text, problem=text)


def nearest(name: str, names: Iterable[str]) -> str:
    """'did you mean …? allowed: …', shortest useful form."""
    allowed = sorted(str(candidate) for candidate in names)
    close = get_close_matches(name, allowed, n=1, cutoff=0.5)
    listed = ", ".join(allowed) if allowed else "nothing yet"
    return f"did you mean {close[0]!r}? allowed: {listed}" if close else f"allowed: {listed}"


def problem_of(err: ValidationError, model: type[BaseModel]) -> tuple[str, str]:
    """The first problem of a validation as (dotted key, one sentence)."""
    found: dict[str, list[ErrorDetails]] = {}
    for detail in err.errors(include_url=False):
        place = detail["loc"][:-1] if detail["loc"][-1] in _CHOICES else detail["loc"]  # one error a choice
        found.setdefault(".".join(map(str, place)), []).append(detail)
    key, details = next(iter(found.items()))
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return key, _sentence(details, key.rpartition(".")[2], model) + more


def _sentence(details: list[ErrorDetails], name: str, model: type[BaseModel]) -> str:
    detail = details[0]
    kind, value, context = detail["type"], _shown(name, detail["input"]), detail.get("ctx", {})
    if kind == "extra_forbidden":
        return f"{value} is not a setting; {nearest(name, _names_at(model, detail['loc'][:-1]))}"
    if kind == "literal_error":
        choices = re.findall(r"'([^']*)'", str(context.get("expected", "")))
        return f"{value} is not allowed; {nearest(str(detail['input']), choices)}"
    if kind == "missing":
        return "is needed and not there"
    if kind == "too_short":
        return f"{value} is too short; allowed: at least {context.get('min_length')} entries"
    for bound, words in (("ge", "at least"), ("le", "at most"), ("gt", "more than"), ("lt", "less than")):
        if bound in context:
            return f"{value} is out of range; allowed: {words} {context[bound]}"
    allowed = dict.fromkeys(_ALLOWED.get(choice["type"], choice["msg"]) for choice in details)
    return f"{value} is wrong; allowed: {', or '.join(allowed)}"


def _shown(name: str, value: Any) -> str:
    """The value as it stands in the file, shortened; never something that may be a secret."""
    if isinstance(value, Mapping):
        return "a section"
    text = json.dumps(value, ensure_ascii=False, default=str)  # true, null, "text"
    if _SECRET_KEY.search(name) or _SECRET_VALUE.search(text):
        return "the value (hidden)"
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
