"""Settings, homes and a stand-in llama-server for the tests of model servers and their clients."""

import json
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import psutil
import pytest

from bot.models.servers import ServerManager
from core.settings import ModelEntry, RoleSettings, ServerSettings, Settings

HERE = Path(__file__).parent
DIMENSION = 8


class Bench:
    """One home and one model cache; makes models that behave as told, and managers that the test's end closes."""

    def __init__(self, root: Path) -> None:
        self.home, self.cache = root / "home", root / "cache"
        (self.cache / "models").mkdir(parents=True)
        (root / "bin").mkdir()
        shutil.copy(HERE / "fake_llama.py", root / "bin" / "fake_llama.py")
        self.binary = root / "bin" / "llama-server"
        self.binary.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "{root}/bin/fake_llama.py" "$@"\n')
        self.binary.chmod(0o755)
        self._managers: list[ServerManager] = []

    def entry(self, role: str, **behaviour: Any) -> ModelEntry:
        """A model whose file says how its server behaves."""
        file = f"{role}.gguf"
        content = json.dumps({"dimension": DIMENSION, **behaviour}).encode()
        (self.cache / "models" / file).write_bytes(content)
        more = {
            "dimension": DIMENSION,
            "query_prefix": "query: ",
            "passage_prefix": "passage: ",
            "context": 16,
        }
        digest = sha256(content).hexdigest()
        return ModelEntry(
            kind=role, file=file, sha256=digest, **(more if role == "embed" else {"context": 64})
        )

    def settings(self, **roles: dict[str, Any]) -> Settings:
        """A profile with the given roles: {"embed": {"dimension": 4}} is the behaviour of that role's model;
        its keys `port`, `device`, `start_seconds` … go to the role's settings.
        """
        fields = set(RoleSettings.model_fields)
        models, chosen = {}, {}
        for role, given in roles.items():
            models[role] = self.entry(
                role, **{key: value for key, value in given.items() if key not in fields}
            )
            options = {key: value for key, value in given.items() if key in fields}
            chosen[role] = RoleSettings(**{"model": role, "start_seconds": 30.0, **options})
        profile = ServerSettings(binary=str(self.binary), **chosen)
        return Settings(profile="test", profiles={"test": profile}, models=models)

    def manager(self, settings: Settings, **more: Any) -> ServerManager:
        """Looks after its servers twenty times a second."""
        options = {"watch_seconds": 0.05, "back_off": (0.0, 0.05, 0.05), "cache": self.cache, **more}
        made = ServerManager(settings, self.home, **options)
        self._managers.append(made)
        return made

    def requests(self, role: str) -> list[dict[str, Any]]:
        """What a role's servers were really sent, in order; starts included."""
        noted = self.cache / "models" / f"{role}.gguf.requests"
        return [json.loads(line) for line in noted.read_text().splitlines()] if noted.exists() else []

    def processes(self) -> list[psutil.Process]:
        """Every living process that runs this bench's stand-in."""
        mark = str(self.binary.parent)
        return [
            p
            for p in psutil.process_iter(["cmdline"])
            if any(mark in part for part in p.info["cmdline"] or ())
        ]

    def close(self) -> None:
        for manager in self._managers:
            manager.close()
        for process in self.processes():
            process.kill()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.close()


def wait_until(true: Callable[[], bool], seconds: float = 20.0) -> None:
    """Poll until the condition holds; fail the test when it does not in time."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)
