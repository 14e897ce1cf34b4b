"""The demo's whole corpus, uploaded and asked as people would do it in Slack."""

from pathlib import Path
from typing import Any

import pytest
import yaml

import demo
from core.normalize import fold
from tests.adapters.slack.world import SlackWorld

FOLDER = Path(demo.__file__).parent
CHANNELS: dict[str, Any] = yaml.safe_load((FOLDER / "channels.yaml").read_text(encoding="utf-8"))
QUESTIONS: list[dict[str, Any]] = yaml.safe_load((FOLDER / "script.yaml").read_text(encoding="utf-8"))[
    "questions"
]


@pytest.mark.slow
async def test_every_file_is_kept_and_every_question_answered_once_in_its_thread() -> None:
    async with SlackWorld() as world:
        for name, entry in CHANNELS["channels"].items():
            await world.channel(name, members=entry["members"], private=entry["visibility"] == "private")
        for item in CHANNELS["corpus"]:
            path = FOLDER / item["file"]
            place = world.channels[item["channel"]]
            ts = await world.slack.post(world.users["ana"], place, files={path.name: path.read_bytes()})
            await world.settle()
            assert world.slack.reactions(place, ts) == {"white_check_mark"}, world.replies(
                item["channel"], ts
            )
        assert len(world.bot.desk.kept_files()) == len(CHANNELS["corpus"])

        threads: dict[str, str] = {}
        for question in QUESTIONS:
            name, talk = question["channel"], question.get("thread", "")
            user = await world.user(question["user"])
            place = await world.slack.open_dm(user) if name == "dm" else world.channels[name]
            before = len(world.slack.bot_messages(place))
            ts = await world.slack.post(
                user, place, question["text"], mention=name != "dm", thread_ts=threads.get(talk, "")
            )
            threads.setdefault(talk or ts, ts)
            await world.settle()
            answers = world.slack.bot_messages(place)[before:]
            assert len(answers) == 1, question["text"]
            said = fold(world.slack.text_of(answers[0]))
            if question["kind"] in ("figure", "follow-up"):  # arithmetic needs no model to be right
                for group in question["facts"]:
                    assert any(fold(fact) in said for fact in group), (question["text"], said)
        assert (world.slack.pings, world.slack.lost, world.slack.late) == ([], [], [])
