"""A refusal on its way from a reader process: plain data there and back, as the process may be a file's by then.

What comes back chooses one of core's errors and the values for that error's own sentence. It brings no template: one
could print whatever the bot knows ("{x.__class__}" of a format string).
"""

from collections.abc import Mapping
from typing import Any

import core.errors
from core.errors import FileRejected, NothingInside, PolyragError, ReaderCrashed

_SHOWN = 3  # members of an archive whose refusals are told; the rest is a count
_DEEP = 3  # archives in archives whose members are told
_LONG = 2000  # characters of a sentence, a detail or a value
_LARGE = 10**15
_LANGUAGES = ("en", "pt")


def packed(err: PolyragError, depth: int = 0) -> dict[str, Any]:
    """Strings, numbers, lists and dicts that say all of it; a plugin's own kind brings its sentences, filled in."""
    detail = str(err)[:_LONG]
    if isinstance(err, NothingInside):
        shown = err.refusals[: _SHOWN if depth < _DEEP else 0]
        members = [[str(path), packed(refusal, depth + 1)] for path, refusal in shown]
        return {"kind": "NothingInside", "count": len(err.refusals), "members": members}
    if type(err).__module__ == core.errors.__name__ and "messages" not in vars(err):
        return {"kind": type(err).__name__, "detail": detail, "facts": _plain(err.facts)}
    kind = "FileRejected" if isinstance(err, FileRejected) else "PolyragError"
    return {"kind": kind, "detail": detail, "texts": {lang: err.say(lang) for lang in _LANGUAGES}}


def unpacked(value: object) -> PolyragError:
    """The error that was packed, made here from its class. Raises: ReaderCrashed for anything else."""
    try:
        err = _unpacked(value, 0)
        for language in _LANGUAGES:
            err.say(language)  # a sentence whose values are missing would fail in the room
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as wrong:
        raise ReaderCrashed(f"the reader said no refusal: {type(wrong).__name__}") from wrong
    return err


def _unpacked(value: Any, depth: int) -> PolyragError:
    """Raises: KeyError, TypeError, ValueError for a wrong shape."""
    if type(value) is not dict or depth > _DEEP + 1:
        raise TypeError("not a refusal")
    if value["kind"] == "NothingInside":
        return _archive(value, depth)
    err = _kind(value["kind"])(_text(value.get("detail", "")))
    if "texts" in value:
        texts = {language: _text(value["texts"][language]) for language in _LANGUAGES}
        err.messages = {lang: text.replace("{", "{{").replace("}", "}}") for lang, text in texts.items()}
    err.facts = {**_plain(value.get("facts", {}))}
    return err


def _archive(value: dict[str, Any], depth: int) -> PolyragError:
    members = []
    for path, member in value["members"][:_SHOWN]:
        refusal = _unpacked(member, depth + 1)
        if not isinstance(refusal, FileRejected):
            raise TypeError("no file's refusal")
        members.append((_text(path), refusal))
    more = min(int(value["count"]), 100_000) - len(members)
    return NothingInside([*members, *[("", FileRejected())] * max(0, more)])


def _kind(name: object) -> type[PolyragError]:
    found = vars(core.errors).get(name) if type(name) is str else None
    if not (isinstance(found, type) and issubclass(found, PolyragError)):
        raise TypeError("not one of core's errors")
    return found


def _plain(facts: Mapping[str, Any]) -> dict[str, str | int | float]:
    """The values that a sentence may be filled with; anything else is left out."""
    kept: dict[str, str | int | float] = {}
    for name, fact in facts.items():
        if type(fact) is str:
            kept[str(name)] = fact[:_LONG]
        elif type(fact) is float or (type(fact) is int and abs(fact) < _LARGE):
            kept[str(name)] = fact
    return kept


def _text(value: object) -> str:
    if type(value) is not str:
        raise TypeError("not a text")
    return value[:_LONG]
