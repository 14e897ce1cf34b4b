"""The command line of one llama-server, from settings alone."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import psutil

from core.settings import ModelEntry, RoleSettings

_SECRET = re.compile(r"(^|_)(TOKEN|SECRET|PASSWORD|KEY|DSN|URL)$")
_HUB_TOKEN = "HF_TOKEN"  # noqa: S105  the name of a variable, needed for gated models
_CHAT_CACHE_MIB = "512"  # prompts kept in memory; llama-server's own default is 8 GiB


@dataclass(frozen=True, slots=True)
class Plan:
    """All that decides how a server runs, but its port and key."""

    role: str
    binary: Path
    model: Path | None  # None: fetched by llama-server from the hub
    projector: Path | None
    name: str
    entry: ModelEntry
    settings: RoleSettings
    device: str  # a name of --list-devices, or "none"

    @property
    def arguments(self) -> tuple[str, ...]:
        """Without port, key and the flags that not every build knows."""
        source = ("--model", str(self.model)) if self.model else ("--hf-repo", self.entry.hub)
        threads = self.settings.threads or self._spare_threads()
        layers = (
            "0"
            if self.device == "none"
            else str(self.settings.gpu_layers if self.settings.gpu_layers >= 0 else 999)
        )
        own = (
            "--alias",
            self.name,
            "--threads",
            str(threads),
            "--device",
            self.device,
            "--n-gpu-layers",
            layers,
        )
        projector = ("--mmproj", str(self.projector)) if self.model and self.projector else ()
        return (*source, *own, *projector, *self._role_arguments(), *self.entry.flags)

    def _spare_threads(self) -> int:
        """One a physical core. The embedder leaves one to the bot: texts come one at a time, and threads that wait for a
        busy core at every step made them two to four times slower."""
        cores = psutil.cpu_count(logical=False) or psutil.cpu_count() or 1
        return max(1, cores - 1) if self.role == "embed" else cores

    def _role_arguments(self) -> tuple[str, ...]:
        size = str(self.entry.context)
        context = ("--ctx-size", size) if self.entry.context else ()
        if self.role != "embed":
            return (*context, "--parallel", str(self.settings.parallel))
        # One text at a time, whole in one batch: a vector never depends on the texts beside it.
        batch = ("--batch-size", size, "--ubatch-size", size) if self.entry.context else ()
        return ("--embeddings", *context, *batch, "--parallel", "1")

    @property
    def fingerprint(self) -> str:
        """Servers with the same fingerprint are interchangeable."""
        lines = (str(self.binary), *self.arguments, *(part for wish in self.wishes for part in wish))
        return sha256("\n".join(lines).encode()).hexdigest()[:16]

    @property
    def wishes(self) -> tuple[tuple[str, ...], ...]:
        """Flags used where the build knows them."""
        sleep = (
            (("--sleep-idle-seconds", str(self.settings.idle_seconds)),) if self.settings.idle_seconds else ()
        )
        cache = ("--cache-ram", "0" if self.role == "embed" else _CHAT_CACHE_MIB)
        offline = (("--offline",),) if self.model else ()
        return (("--no-webui",), ("--no-slots",), ("--cors-origins", "localhost"), cache, *offline, *sleep)


def command_line(plan: Plan, port: int, key_file: Path, known: frozenset[str]) -> tuple[str, ...]:
    """The whole command. The key stands in a file, not here, where every user of the machine could read it."""
    wishes = (part for wish in plan.wishes if wish[0] in known for part in wish)
    where = ("--host", "127.0.0.1", "--port", str(port), "--api-key-file", str(key_file))
    return (str(plan.binary), *plan.arguments, *wishes, *where)


def server_environment(environment: Mapping[str, str], cache: Path) -> dict[str, str]:
    """What a model server may see: no tokens of chat platforms, no database addresses."""
    kept = {
        name: value for name, value in environment.items() if not _SECRET.search(name) or name == _HUB_TOKEN
    }
    kept.setdefault("LLAMA_CACHE", str(cache / "hub"))
    kept["LIBC_FATAL_STDERR_"] = "1"  # glibc's last words go into the log, not onto a terminal
    return kept
