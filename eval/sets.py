"""Question sets: YAML to frozen values. What is malformed is reported and counted, never silently skipped."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bot.attachments import system_words
from bot.config_errors import Said
from core.settings import ChannelSettings
from eval.errors import BadInput

Facts = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class CorpusFile:
    path: Path
    channel: str


@dataclass(frozen=True, slots=True)
class EvalQuestion:
    """One question with its gold."""

    id: str
    text: str
    lang: str
    channel: str  # "dm": a direct message
    user: str
    routes: frozenset[str]
    evidence: tuple[str, ...]
    facts: Facts
    answerable: bool
    forbidden: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...] | None
    ordered: bool
    tags: frozenset[str]


@dataclass(frozen=True, slots=True)
class CachePair:
    a: str
    b: str
    same: bool
    why: str
    channel: str
    user: str


@dataclass(frozen=True, slots=True)
class FollowupTurn:
    text: str
    facts: Facts


@dataclass(frozen=True, slots=True)
class Followup:
    id: str
    channel: str
    user: str
    turns: tuple[FollowupTurn, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the set that could not be used."""

    where: str
    reason: str


@dataclass(frozen=True, slots=True)
class EvalSet:
    name: str
    path: Path
    channels: Mapping[str, ChannelSettings]
    corpus: tuple[CorpusFile, ...]
    questions: tuple[EvalQuestion, ...]
    cache_pairs: tuple[CachePair, ...]
    followups: tuple[Followup, ...]
    problems: tuple[Problem, ...]


def load_set(path: Path) -> EvalSet:
    """Read one set; paths in it are relative to it.

    Raises: BadSetting when the file is no set at all (unreadable, no mapping).
    """
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as err:
        no_yaml = Said("não é YAML válido", "it is not valid YAML")
        reason = Said(**system_words(err)) if isinstance(err, OSError) else no_yaml
        said = Said(
            "o conjunto de perguntas {name} não pode ser lido: {reason}",
            "the question set {name} cannot be read: {reason}",
        )
        raise BadInput(f"{path}: {err}", problem=said.filled(name=path.name, reason=reason).fact) from err
    if not isinstance(data, dict):
        said = Said(
            "{name} não é um conjunto de perguntas (sem linhas `chave: valor` no topo)",
            "{name} is not a question set (no mapping at the top)",
        )
        raise BadInput(f"{path}: no mapping", problem=said.filled(name=path.name).fact)
    problems: list[Problem] = []
    channels = _channels(data.get("channels"), problems)
    everyone = _member_of_everything(channels)
    return EvalSet(
        str(data.get("name") or path.stem),
        path,
        channels,
        _corpus(data.get("corpus"), path.parent, channels, problems),
        tuple(_each("questions", data.get("questions"), _question, problems)),
        tuple(_each("cache_pairs", data.get("cache_pairs"), lambda raw, n: _pair(raw, everyone), problems)),
        tuple(_each("followups", data.get("followups"), _followup, problems)),
        tuple(problems),
    )


def _channels(raw: Any, problems: list[Problem]) -> dict[str, ChannelSettings]:
    channels: dict[str, ChannelSettings] = {}
    for name, entry in (raw or {}).items():
        entry = entry or {}
        try:
            members = tuple(str(m) for m in entry.get("members") or ())
            channels[str(name)] = ChannelSettings(
                visibility=entry.get("visibility", "public"), members=members
            )
        except (ValueError, AttributeError) as err:
            problems.append(Problem(f"channels.{name}", _first_line(err)))
    return channels


def _member_of_everything(channels: Mapping[str, ChannelSettings]) -> str:
    """A user whom every private channel has; a stranger where there is none."""
    private = [set(c.members) for c in channels.values() if c.visibility == "private"]
    listed = [set(c.members) for c in channels.values() if c.members]
    common = set.intersection(*private) if private else (set.union(*listed) if listed else set())
    return min(common, default="eval")


def _corpus(
    raw: Any, base: Path, channels: Mapping[str, Any], problems: list[Problem]
) -> tuple[CorpusFile, ...]:
    files: list[CorpusFile] = []
    for number, entry in enumerate(raw or (), start=1):
        where = f"corpus[{number}]"
        if not isinstance(entry, dict) or not entry.get("file") or not entry.get("channel"):
            problems.append(Problem(where, "needs file and channel"))
            continue
        path, channel = base / str(entry["file"]), str(entry["channel"])
        if channel not in channels:
            problems.append(Problem(where, f"channel {channel!r} is not declared"))
        elif not path.is_file():
            problems.append(Problem(where, f"file {entry['file']} is missing"))
        else:
            files.append(CorpusFile(path, channel))
    return tuple(files)


def _each(name: str, raw: Any, read: Any, problems: list[Problem]) -> list[Any]:
    found, ids = [], set()
    for number, entry in enumerate(raw or (), start=1):
        where = f"{name}[{number}]"
        try:
            item = read(entry, number)
        except (KeyError, TypeError, ValueError, AttributeError) as err:
            problems.append(Problem(where, f"malformed: {_first_line(err)}"))
            continue
        if getattr(item, "id", None) is not None and item.id in ids:
            problems.append(Problem(where, f"id {item.id!r} is used twice"))
            continue
        ids.add(getattr(item, "id", None))
        found.append(item)
    return found


def _question(raw: dict[str, Any], number: int) -> EvalQuestion:
    text = raw["text"]
    if not isinstance(text, str) or not text.strip():
        raise ValueError("text is empty")
    rows = raw.get("rows")
    return EvalQuestion(
        str(raw.get("id") or f"q{number}"),
        text,
        str(raw.get("lang") or ""),
        str(raw.get("channel") or "dm"),
        str(raw["user"]),
        frozenset(str(r) for r in raw.get("routes") or ()),
        tuple(str(e) for e in raw.get("evidence") or ()),
        _facts(raw.get("facts")),
        bool(raw.get("answerable", True)),
        tuple(str(f) for f in raw.get("forbidden") or ()),
        None if rows is None else tuple(tuple(row) if isinstance(row, list) else (row,) for row in rows),
        bool(raw.get("ordered", False)),
        frozenset(str(t) for t in raw.get("tags") or ()),
    )


def _facts(raw: Any) -> Facts:
    return tuple(
        tuple(str(a) for a in group) if isinstance(group, list) else (str(group),) for group in raw or ()
    )


def _pair(raw: dict[str, Any], everyone: str) -> CachePair:
    channel, user = str(raw.get("channel") or "dm"), str(raw.get("user") or everyone)
    return CachePair(
        str(raw["a"]), str(raw["b"]), bool(raw["same"]), str(raw.get("why") or ""), channel, user
    )


def _followup(raw: dict[str, Any], number: int) -> Followup:
    turns = tuple(FollowupTurn(str(t["text"]), _facts(t.get("facts"))) for t in raw["turns"])
    if not turns:
        raise ValueError("no turns")
    identity = str(raw.get("id") or f"f{number}")
    return Followup(identity, str(raw.get("channel") or "dm"), str(raw["user"]), turns)


def _first_line(err: Exception) -> str:
    return (f"missing {err}" if isinstance(err, KeyError) else str(err)).splitlines()[0]
