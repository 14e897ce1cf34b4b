"""What a job is: frozen values, and which jobs may not run side by side."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from core.errors import PolyragError

Kind = Literal["upload", "forget", "forget_channel", "erase_user", "reindex"]
State = Literal["waiting", "running", "retrying", "done", "failed", "cancelled"]
OPEN_STATES: tuple[State, ...] = ("waiting", "running", "retrying")
EVERYTHING = "*"
RETRACT = "retract"  # why a file is forgotten: the platform took its message away


class JobCancelled(PolyragError):
    messages = {"en": "This was called off.", "pt": "Isto foi cancelado."}


class JobFailed(PolyragError):
    """A job that ended in the dead-letter list; the admins see it under `jobs`."""

    messages = {
        "en": "This could not be done now. An admin finds it under `jobs`, with the reason, and can try it again.",
        "pt": "Isto não pôde ser feito agora. Um administrador encontra o motivo em `jobs` e pode tentar de novo.",
    }


class GivenUp(PolyragError):
    messages = {
        "en": "The bot ended {times} times while it was at this; it was given up.",
        "pt": "O bot caiu {times} vezes enquanto fazia isto; desisti.",
    }


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to be done to the documents of a home."""

    id: str
    kind: Kind
    workspace: str  # "console:local": between these, work is shared out fairly
    tag: str  # channel; empty where the job is not about one
    name: str  # file, user or nothing, by kind
    actor: str  # who asked for it, "platform:user"
    received: str  # ISO 8601
    documents: tuple[str, ...] = ()  # SHA-256 of what it is about, as far as known when it was submitted
    body: Mapping[str, Any] = field(default_factory=dict)  # what else the kind needs; JSON

    @property
    def alone(self) -> frozenset[str]:
        """What it must have for itself while it runs."""
        if self.kind == "erase_user":
            return frozenset({EVERYTHING})
        if self.kind == "forget_channel":
            return frozenset({f"tag {self.tag}"})
        named = {f"name {self.tag}\n{self.name}"} if self.tag else set()
        return frozenset(named | {f"document {document}" for document in self.documents})

    @property
    def beside(self) -> frozenset[str]:
        """What it uses together with others."""
        return frozenset({EVERYTHING} | ({f"tag {self.tag}"} if self.tag else set())) - self.alone


@dataclass(frozen=True, slots=True)
class JobRow:
    """A job as the list of jobs shows it."""

    job: Job
    position: int  # in order of submission
    state: State
    step: str
    done: int
    total: int
    starts: int  # times that a process began with it
    reason: str  # why it failed, in the bot's language
    owner: str  # process that has it


def body_text(body: Mapping[str, Any]) -> str:
    return json.dumps(dict(body), ensure_ascii=False, sort_keys=True)
