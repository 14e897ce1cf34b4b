"""The fake platform is the whole bot: files, questions, commands, threads, people; and the same twice."""

import asyncio

import numpy as np

from bot.plugins.spec import hookimpl
from bot.testkit import FakePlatform, StandInEmbedder

FILES = {"trips.md": "# Trips\n\nA trip abroad is requested thirty days ahead.\n"}
QUESTION = "how many days ahead is a trip abroad requested?"


class Watches:
    def __init__(self) -> None:
        self.seen: list[str] = []

    @hookimpl
    def on_ingested(self, report: object, tag: str) -> None:
        self.seen.append(f"ingested {tag}")

    @hookimpl
    def on_answered(self, inbound: object, answer: object) -> None:
        self.seen.append("answered")

    @hookimpl
    def on_feedback(self, trace_id: str, positive: bool, user: str) -> None:
        self.seen.append(f"feedback {positive} by {user}")

    @hookimpl
    def forget(self, document: str, tag: str) -> None:
        self.seen.append(f"forgot in {tag}")


def test_a_plugin_sees_a_files_and_a_questions_whole_life() -> None:
    watcher = Watches()
    with FakePlatform(plugins={"watcher": watcher}) as chat:
        chat.says("ana", files=FILES)
        reply = chat.says("bia", QUESTION)
        chat.presses("bia", "down", reply)
        chat.says("ana", "/forget trips.md")

    assert "thirty days" in reply.text
    assert watcher.seen == [
        "ingested console:local/general", "answered", "feedback False by bia", "forgot in console:local/general",
    ]  # fmt: skip


def test_a_judged_answer_is_not_taken_from_the_cache_again() -> None:
    with FakePlatform() as chat:
        chat.says("ana", files=FILES)
        chat.says("bia", QUESTION)
        kept = chat.says("bia", QUESTION)
        chat.presses("bia", "down", kept)
        anew = chat.says("bia", QUESTION)

    assert [button.action for button in kept.buttons][-1] == "fresh"
    assert "fresh" not in [button.action for button in anew.buttons]


def test_a_message_with_a_good_and_a_bad_file_reports_both_and_still_answers() -> None:
    with FakePlatform() as chat:
        reply = chat.says("ana", QUESTION, files={**FILES, "empty.txt": ""})

    assert "`trips.md` stored" in reply.text
    assert "⚠ `empty.txt`: The file is empty" in reply.text
    assert "thirty days" in reply.text


def test_a_private_answer_can_be_shared_and_is_then_answered_for_everybody() -> None:
    channels = {"general": {}, "staff": {"visibility": "private", "members": ["ana"]}}
    with FakePlatform(channels=channels) as chat:
        chat.says(
            "ana", files={"pay.md": "# Pay\n\nThe manager Otto earns 9,100 a month.\n"}, channel="staff"
        )
        private = chat.says("ana", "/ask how much does the manager Otto earn?", channel="general")

        assert private.ephemeral
        assert "9,100" in private.text
        assert "share" in [button.action for button in private.buttons]
        public = chat.says("ana", "how much does the manager Otto earn?", channel="general")
        assert "9,100" not in public.text


def test_two_runs_give_the_same_replies() -> None:
    def run() -> list[object]:
        with FakePlatform() as chat:
            return [
                chat.says("ana", files=FILES),
                chat.says("ana", QUESTION).text,
                chat.says("ana", "/why").text.split("\n")[1],
            ]

    assert run() == run()


def test_the_stand_in_gives_unit_rows_that_do_not_depend_on_their_neighbours() -> None:
    embedder = StandInEmbedder()
    alone = asyncio.run(embedder.embed_passages(["a trip"]))
    among = asyncio.run(embedder.embed_passages(["x", "a trip", ""]))

    assert np.array_equal(alone[0], among[1])
    assert np.allclose(np.linalg.norm(among, axis=1), 1.0, atol=1e-6)
    assert asyncio.run(embedder.embed_queries([])).shape == (0, embedder.dimension)


def test_a_message_that_only_hands_a_file_over_gets_its_receipt_alone() -> None:
    with FakePlatform(settings={"language": "pt"}) as chat:
        handed = chat.says(
            "ana", "segue a planilha de maio", files={"maio.csv": "loja;receita\nSul;10\nNorte;20\n"}
        )
        asked = chat.says(
            "ana", "segue a de junho, qual o total?", files={"junho.csv": "loja;receita\nSul;1\nNorte;2\n"}
        )

    assert handed.text == "`maio.csv` guardado: 1 trecho(s), tabela maio com 2 linha(s)."
    assert "junho.csv" in asked.text.splitlines()[0]
    assert len(asked.text.splitlines()) > 2


def test_what_was_assumed_is_told_in_the_readers_language_whatever_the_files() -> None:
    file = "account;amount\n0010;5\n0042;6\n"
    with FakePlatform(settings={"language": "pt"}) as chat:
        told = chat.says("ana", files={"accounts.csv": file}).text
    with FakePlatform(settings={"language": "en"}) as chat:
        first = chat.says("ana", files={"accounts.csv": file}).text

    assert "“account” ficou como texto" in told
    assert "“account” stays text" in first
