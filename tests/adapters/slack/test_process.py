"""The program itself: `polyrag run --adapter slack` connects, answers, and ends in order."""

import asyncio
import os
import signal
from pathlib import Path

import pytest
import yaml

from adapters.slack.manifest import manifest
from tests.adapters.slack.fake import FakeSlack
from tests.bot.conftest import CONFIG, make_program

ASKED = "com quantos dias se pede a viagem internacional?"


@pytest.mark.slow
async def test_the_program_serves_slack_until_it_is_terminated(tmp_path: Path) -> None:
    async with FakeSlack.from_manifest(manifest()) as slack:
        program = make_program(tmp_path)
        options = {"api_url": slack.api_url, "file_grace": 0.1}
        config = yaml.safe_load(CONFIG) | {"adapters": {"slack": {"enabled": True, "options": options}}}
        (tmp_path / "config.yaml").write_text(yaml.safe_dump(config), encoding="utf-8")
        ana = await slack.add_user("ana")
        room = await slack.add_channel("geral", members=[ana])
        tokens = {"SLACK_BOT_TOKEN": slack.bot_token, "SLACK_APP_TOKEN": slack.app_token}
        process = await asyncio.create_subprocess_exec(
            *program.command, "--config", str(tmp_path / "config.yaml"), "run",
            cwd=tmp_path, env={**program.environment, **tokens},
            stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.timeout(120):
                ts = await slack.post(ana, room, files={"viagens.md": program_file(tmp_path)})
                while slack.reactions(room, ts) != {"white_check_mark"}:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
                asked = await slack.post(ana, room, ASKED, mention=True)
                while not any("30 dias" in slack.text_of(m) for m in slack.bot_messages(room, asked)):  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            os.kill(process.pid, signal.SIGTERM)
            _, errors = await asyncio.wait_for(process.communicate(), 60)
        finally:
            if process.returncode is None:
                process.kill()
        assert process.returncode == 143
        assert b"slack" in errors
        assert slack.bot_token.encode() not in errors
        logs = "".join(
            p.read_text(errors="replace") for p in (tmp_path / "home" / "run").rglob("*") if p.is_file()
        )
        assert slack.bot_token not in logs
        assert slack.app_token not in logs


def program_file(folder: Path) -> bytes:
    return (folder / "docs" / "viagens.md").read_bytes()
