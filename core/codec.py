"""Frozen values to JSON and back, for the ledger's rows. Only the vocabulary of core.types, never pickled code."""

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")
_ATOMS = frozenset([str, int, float, bool, type(None)])


def dumps(value: object) -> str:
    """Canonical JSON: sorted keys, no spaces, sets sorted; dates are tagged so that they come back as dates."""
    return json.dumps(plain(value), ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def loads(kind: type[T], text: str) -> T:
    """The value of dataclass `kind` that `dumps` wrote."""
    return typing.cast(T, _typed(kind, json.loads(text)))


def loads_all(kind: type[T], text: str) -> tuple[T, ...]:
    """A tuple of `kind`."""
    return tuple(typing.cast(T, _typed(kind, item)) for item in json.loads(text))


def plain(value: object) -> object:
    """What `dumps` writes, before it is written: dictionaries, lists, texts, numbers, booleans and None."""
    kind: Any = type(value)
    if kind in _ATOMS:
        return value
    if kind is tuple or kind is list:
        return [item if type(item) in _ATOMS else plain(item) for item in value]  # type: ignore[attr-defined]
    names = _names(kind)
    if names is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, tuple | list):
        return [plain(item) for item in value]
    if isinstance(value, frozenset | set):
        return sorted((plain(item) for item in value), key=repr)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, datetime):
        return {"@datetime": value.isoformat()}
    if isinstance(value, date):
        return {"@date": value.isoformat()}
    return value


@cache
def _names(kind: type) -> tuple[str, ...] | None:
    """The fields of a dataclass, in alphabetical order; None for what is none."""
    return tuple(sorted(f.name for f in dataclasses.fields(kind))) if dataclasses.is_dataclass(kind) else None


@cache
def _fields(kind: type) -> tuple[tuple[str, Any], ...]:
    hints = typing.get_type_hints(kind)
    return tuple((f.name, hints[f.name]) for f in dataclasses.fields(kind))


def _typed(kind: Any, value: Any) -> Any:
    if isinstance(value, dict) and "@datetime" in value:
        return datetime.fromisoformat(value["@datetime"])
    if isinstance(value, dict) and "@date" in value:
        return date.fromisoformat(value["@date"])
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return kind(**{name: _typed(hint, value[name]) for name, hint in _fields(kind) if name in value})
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if origin is tuple:
        inner = arguments[0] if len(arguments) == 2 and arguments[1] is Ellipsis else None
        if inner is not None:
            return tuple(_typed(inner, item) for item in value)
        return tuple(_typed(hint, item) for hint, item in zip(arguments, value, strict=True))
    if origin is frozenset:
        return frozenset(_typed(arguments[0], item) for item in value)
    if origin in (typing.Union, types.UnionType):
        return _of_union(arguments, value)
    return value


def _of_union(arguments: tuple[Any, ...], value: Any) -> Any:
    """The member that fits: dataclasses are told apart by their field names."""
    if isinstance(value, dict):
        for kind in arguments:
            if dataclasses.is_dataclass(kind) and {name for name, _ in _fields(kind)} == set(value):  # type: ignore[arg-type]
                return _typed(kind, value)
    if isinstance(value, list):
        for kind in arguments:
            if typing.get_origin(kind) is tuple:
                return _typed(kind, value)
    return value
