"""Answers that an earlier version of the program kept are not served by a later one."""

from pathlib import Path

import pytest

from bot import codeversion, wiring
from bot.testkit import FakePlatform

ASKED = "com quantos dias se pede a viagem internacional?"
TRAVEL = "# Viagens\n\nA viagem internacional deve ser pedida com 30 dias de antecedência.\n"


def test_the_version_is_that_of_the_engines_sources(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.py").write_text("y = 2")
    (tmp_path / "notes.txt").write_text("no source")

    assert [name for name, _ in sorted(codeversion._sources(tmp_path, "core"))] == [
        "core/a.py",
        "core/inner/b.py",
    ]
    assert len(codeversion.code_version()) == 16


def test_an_answer_of_an_earlier_version_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FakePlatform(home=tmp_path) as chat:
        chat.says("ana", files={"viagens.md": TRAVEL})
        chat.says("ana", ASKED)
    with FakePlatform(home=tmp_path) as chat:
        kept = chat.says("ana", ASKED)
    monkeypatch.setattr(wiring, "code_version", lambda: "f" * 16)
    with FakePlatform(home=tmp_path) as chat:
        anew = chat.says("ana", ASKED)

    assert "fresh" in [button.action for button in kept.buttons]
    assert "fresh" not in [button.action for button in anew.buttons]
