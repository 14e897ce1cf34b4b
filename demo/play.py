"""Plays the demo: files in, twelve questions, and a verdict on every answer."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from bot.app import App
from bot.attachments import from_path
from bot.audience import CONSOLE, WORKSPACE
from bot.messages import Inbound
from core.normalize import fold
from core.numbers import holds
from core.ports import Progress
from core.settings import ChannelSettings
from core.types import Answer, IngestReport

FOLDER = Path(__file__).parent
UPLOADER = "ana"  # sits in every channel


@dataclass(frozen=True, slots=True)
class ScriptQuestion:
    """One line of the script and what its answer must be."""

    text: str
    channel: str
    user: str
    kind: str
    thread: str
    facts: tuple[tuple[str, ...], ...]
    forbidden: tuple[str, ...]
    routes: frozenset[str]
    abstain: bool
    cache: str


def demo_channels() -> dict[str, ChannelSettings]:
    """The organisation's channels with their members."""
    declared = yaml.safe_load((FOLDER / "channels.yaml").read_text(encoding="utf-8"))["channels"]
    return {
        name: ChannelSettings(visibility=entry["visibility"], members=tuple(entry["members"]))
        for name, entry in declared.items()
    }


def demo_files() -> tuple[tuple[Path, str], ...]:
    """(file, channel) in upload order."""
    declared = yaml.safe_load((FOLDER / "channels.yaml").read_text(encoding="utf-8"))["corpus"]
    return tuple((FOLDER / entry["file"], entry["channel"]) for entry in declared)


def script() -> tuple[ScriptQuestion, ...]:
    """The questions of the demo, in order."""
    declared = yaml.safe_load((FOLDER / "script.yaml").read_text(encoding="utf-8"))["questions"]
    return tuple(_question(entry, number) for number, entry in enumerate(declared, start=1))


def _question(entry: dict[str, Any], number: int) -> ScriptQuestion:
    return ScriptQuestion(
        entry["text"],
        entry["channel"],
        entry["user"],
        entry["kind"],
        str(entry.get("thread") or f"q{number}"),
        tuple(tuple(str(a) for a in group) for group in entry.get("facts") or ()),
        tuple(str(text) for text in entry.get("forbidden") or ()),
        frozenset(entry.get("routes") or ()),
        bool(entry["abstain"]),
        str(entry.get("cache") or ""),
    )


async def upload_all(app: App, progress: Progress | None = None) -> tuple[IngestReport, ...]:
    """Share every file in its channel, as a member would; what is there already is a no-op."""
    reports = []
    for number, (path, channel) in enumerate(demo_files(), start=1):
        if progress is not None:
            progress("upload", number, len(demo_files()))
        inbound = Inbound(CONSOLE, WORKSPACE, channel, UPLOADER, "", f"upload{number}")
        reports.append(await app.upload(inbound, from_path(path)))
    return tuple(reports)


def inbound_of(question: ScriptQuestion, number: int) -> Inbound:
    return Inbound(
        CONSOLE, WORKSPACE, question.channel, question.user, question.text, f"ask{number}", question.thread
    )


def shortcomings(question: ScriptQuestion, answer: Answer) -> tuple[str, ...]:
    """What the answer lacks; empty when it is all that it must be."""
    found = []
    if answer.abstained != question.abstain:
        found.append("it should have abstained" if question.abstain else "it abstained")
    missing = [group for group in question.facts if not any(holds(answer.text, fact) for fact in group)]
    found += [f"it does not say {group[0]!r}" for group in missing]
    shown = fold(" ".join([answer.text, answer.explanation, *(s.text for s in answer.retrieved)]))
    found += [f"it shows {text!r}" for text in question.forbidden if fold(text) in shown]
    if question.cache and answer.cache != question.cache:
        found.append(f"cache {answer.cache!r} instead of {question.cache!r}")
    asked = {route for clause in answer.clauses for route in clause.decision.routes}
    if not question.routes <= asked:
        found.append(f"it asked {sorted(asked)} and not {sorted(question.routes - asked)}")
    return tuple(found)
