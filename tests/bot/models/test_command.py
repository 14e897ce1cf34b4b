"""How many threads a server gets where nobody says."""

from pathlib import Path

import psutil
import pytest

from bot.models.command import Plan
from core.settings import ModelEntry, RoleSettings


def threads_of(role: str, **settings: int) -> str:
    plan = Plan(
        role, Path("llama-server"), Path("m.gguf"), None, "m", ModelEntry(kind="chat"), RoleSettings(**settings), "none"
    )  # fmt: skip
    return plan.arguments[plan.arguments.index("--threads") + 1]


@pytest.mark.parametrize(("cores", "chat", "embed"), [(1, "1", "1"), (2, "2", "1"), (8, "8", "7")])
def test_the_embedder_leaves_a_core_to_the_bot(
    monkeypatch: pytest.MonkeyPatch, cores: int, chat: str, embed: str
) -> None:
    monkeypatch.setattr(psutil, "cpu_count", lambda logical=True: cores)

    assert (threads_of("chat"), threads_of("embed")) == (chat, embed)
    assert threads_of("embed", threads=5) == "5"
