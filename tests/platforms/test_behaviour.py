"""What people may expect of the bot on every platform."""

import asyncio

import pytest

from tests.platforms.conftest import Open
from tests.platforms.stage import BOTS, BUTTONS, DELETES, EDITS, MENTIONS, RESTARTS, SIGNS, THREADS

TRAVEL = b"# Viagens\n\nA viagem internacional deve ser pedida com 30 dias de anteced\xc3\xaancia.\n\nA viagem nacional deve ser pedida com 10 dias.\n"
SALES = b"produto;regiao;receita\nfio;Sul;100,50\nfio;Norte;200,25\nrenda;Sul;50,00\n"
LONG = b"produto;receita\n" + b"".join(b"item %03d;%d,00\n" % (n, n) for n in range(1, 41))
ASKED = "com quantos dias se pede a viagem internacional?"


@pytest.mark.needs(MENTIONS)
async def test_a_mention_is_answered_once_in_a_thread_with_its_source(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana", "rui"])
        await stage.post("ana", "geral", files={"viagens.md": TRAVEL})
        await stage.settle()
        question = await stage.post("rui", "geral", ASKED, mention=True)
        await stage.settle()

        replies = stage.seen("rui", "geral", thread=question)
        assert len(replies) == 1
        assert "30 dias" in replies[0].text
        assert "viagens.md" in replies[0].text
        assert {"up", "down"} <= set(replies[0].actions)


@pytest.mark.needs(MENTIONS)
async def test_a_mention_that_only_hands_a_file_over_gets_a_receipt_and_no_answer(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        await stage.post("ana", "geral", "segue a política nova", mention=True, files={"viagens.md": TRAVEL})
        await stage.settle()
        said = [seen.text for seen in stage.seen("ana", "geral")]
        assert sum("guardado" in text for text in said) == 1
        assert not any("Não encontrei" in text for text in said)


async def test_a_direct_message_is_answered_from_public_channels(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        await stage.post("ana", "geral", files={"viagens.md": TRAVEL})
        await stage.settle()
        await stage.post("rui", "dm", ASKED)
        await stage.settle()

        replies = stage.seen("rui", "dm")
        assert len(replies) == 1
        assert "30 dias" in replies[0].text


@pytest.mark.needs(MENTIONS)
async def test_what_is_not_for_the_bot_gets_no_reply(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        await stage.post("ana", "geral", "alguém viu o relatório de vendas?")
        await stage.post("ana", "geral", "```\n@bot quantos dias?\n```")
        await stage.settle()

        assert stage.seen("ana") == ()


@pytest.mark.needs(MENTIONS, THREADS)
async def test_a_thread_of_the_bot_goes_on_without_a_mention_and_knows_what_was_asked(
    open_stage: Open,
) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        await stage.post("ana", "geral", files={"vendas.csv": SALES})
        await stage.settle()
        opened = await stage.post("ana", "geral", "qual a receita total no Sul?", mention=True)
        await stage.settle()
        await stage.post("ana", "geral", "e no Norte?", thread=opened)
        await stage.settle()

        first, second = stage.seen("ana", "geral", thread=opened)
        assert "150,5" in first.text
        assert "200,25" in second.text


@pytest.mark.needs(MENTIONS)
async def test_a_bare_mention_is_told_what_can_be_asked(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        await stage.post("ana", "geral", "", mention=True)
        await stage.settle()

        (reply,) = stage.seen("ana")
        assert "sources" in reply.text


@pytest.mark.needs(EDITS)
async def test_only_an_edit_that_adds_the_mention_is_a_question(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        await stage.post("ana", "geral", files={"viagens.md": TRAVEL})
        await stage.settle()
        before = len(stage.seen("ana"))
        message = await stage.post("ana", "geral", ASKED)
        await stage.edit("ana", "geral", message, ASKED.upper())
        await stage.settle()
        assert len(stage.seen("ana")) == before

        await stage.edit("ana", "geral", message, ASKED, mention=True)
        await stage.settle()
        assert len(stage.seen("ana")) == before + 1
        assert "30 dias" in stage.seen("ana")[-1].text

        await stage.edit("ana", "geral", message, ASKED + " por favor", mention=True)
        await stage.settle()
        assert len(stage.seen("ana")) == before + 1


@pytest.mark.needs(SIGNS)
async def test_an_upload_is_marked_and_its_receipt_says_what_was_stored(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        message = await stage.post("ana", "geral", files={"vendas.csv": SALES})
        await stage.settle()

        assert stage.signs("geral", message) == {"done"}
        (receipt,) = stage.seen("ana")
        assert "vendas.csv" in receipt.text
        assert "3" in receipt.text


@pytest.mark.needs(SIGNS)
async def test_a_file_that_cannot_be_read_is_refused_aloud_and_does_not_hold_up_the_others(
    open_stage: Open,
) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        message = await stage.post("ana", "geral", files={"a-vazio.csv": b"", "viagens.md": TRAVEL})
        await stage.settle()

        assert stage.signs("geral", message) == {"failed"}
        text = "\n".join(seen.text for seen in stage.seen("ana"))
        assert "⚠ `a-vazio.csv`" in text
        assert "`viagens.md` guardado" in text


@pytest.mark.needs(MENTIONS)
async def test_a_question_with_a_file_is_answered_from_that_file(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        await stage.post("ana", "geral", ASKED, mention=True, files={"viagens.md": TRAVEL})
        await stage.settle()

        assert "30 dias" in stage.seen("ana")[-1].text


@pytest.mark.needs(DELETES)
async def test_a_deleted_message_takes_its_file_along_unless_another_message_shares_it(
    open_stage: Open,
) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana", "rui"])
        first = await stage.post("ana", "geral", files={"viagens.md": TRAVEL})
        await stage.settle()
        second = await stage.post("rui", "geral", files={"viagens.md": TRAVEL})
        await stage.settle()
        await stage.delete("ana", "geral", first)
        await stage.settle()
        (listed,) = await stage.command("ana", "geral", "sources")
        assert "viagens.md" in listed.text

        await stage.delete("rui", "geral", second)
        await stage.settle()
        (listed,) = await stage.command("ana", "geral", "sources")
        assert "viagens.md" not in listed.text


@pytest.mark.needs(DELETES)
async def test_deleting_an_old_version_leaves_the_new_one(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        old = await stage.post("ana", "geral", files={"viagens.md": TRAVEL})
        await stage.settle()
        await stage.post("ana", "geral", files={"viagens.md": TRAVEL.replace(b"30 dias", b"45 dias")})
        await stage.settle()
        await stage.delete("ana", "geral", old)
        await stage.settle()
        await stage.post("ana", "geral", ASKED, mention=True)
        await stage.settle()

        assert "45 dias" in stage.seen("ana")[-1].text


@pytest.mark.needs(BUTTONS, MENTIONS)
async def test_buttons_judge_explain_and_ask_again(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        await stage.post("ana", "geral", files={"viagens.md": TRAVEL})
        await stage.settle()
        for _ in range(2):
            await stage.post("ana", "geral", ASKED, mention=True)
            await stage.settle()
        again = stage.seen("ana")[-1]
        assert "fresh" in again.actions  # the second one came from the cache

        why = await stage.press("ana", "why", again)
        assert "text" in "".join(seen.text for seen in why)
        liked = await stage.press("ana", "up", again)
        assert "Obrigado" in "".join(seen.text for seen in liked)
        (fresh,) = await stage.press("ana", "fresh", again)
        assert "30 dias" in fresh.text
        assert "fresh" not in fresh.actions


@pytest.mark.needs(BUTTONS, MENTIONS)
async def test_rows_beyond_what_is_shown_come_as_a_file(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        await stage.post("ana", "geral", files={"itens.csv": LONG})
        await stage.settle()
        await stage.post("ana", "geral", "qual a receita por produto?", mention=True)
        await stage.settle()
        answer = stage.seen("ana")[-1]
        assert "csv" in answer.actions

        files = await stage.press("ana", "csv", answer)
        text = "".join(seen.text for seen in files)
        assert "item 001" in text
        assert "item 040" in text


async def test_a_private_answer_is_seen_by_its_asker_alone_and_can_be_shared(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana", "rui"])
        await stage.post("ana", "geral", files={"viagens.md": TRAVEL})
        await stage.settle()
        (answer,) = await stage.command("ana", "geral", "ask", ASKED)
        assert "30 dias" in answer.text
        assert answer.private
        assert not any("30 dias" in seen.text and seen.actions for seen in stage.seen("rui", "geral"))

        (shared,) = await stage.press("ana", "share", answer)
        assert "30 dias" in shared.text
        assert not shared.private


@pytest.mark.needs(BOTS)
async def test_bots_that_answer_each_other_stop_after_a_few_turns(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        opened = await stage.post("robo", "geral", "quantos dias?", mention=True, bot=True)
        await stage.settle()
        for _ in range(10):
            await stage.post("robo", "geral", "e quantas horas?", mention=True, bot=True, thread=opened)
            await stage.settle()

        assert 1 <= len(stage.seen("ana")) <= 8


@pytest.mark.needs(RESTARTS, MENTIONS)
async def test_a_question_that_a_dying_bot_had_accepted_is_answered_once_by_the_next(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        await stage.post("ana", "geral", files={"viagens.md": TRAVEL})
        await stage.settle()
        stuck = asyncio.Event()
        with monkeypatch.context() as patch:
            app = type(stage.app)

            async def never(self: object, *_: object, **__: object) -> None:
                stuck.set()
                await asyncio.Event().wait()

            patch.setattr(app, "handle", never)
            question = await stage.post("ana", "geral", ASKED, mention=True)
            await asyncio.wait_for(stuck.wait(), 20)
        await stage.restart()
        await stage.settle()

        replies = stage.seen("ana", "geral", thread=question)
        assert len(replies) == 1
        assert "30 dias" in replies[0].text


@pytest.mark.needs(RESTARTS)
async def test_a_file_that_a_dying_bot_was_reading_is_taken_in_once_by_the_next(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])
        stuck = asyncio.Event()
        with monkeypatch.context() as patch:

            async def never(self: object, *_: object, **__: object) -> None:
                stuck.set()
                await asyncio.Event().wait()

            patch.setattr(type(stage.app), "take", never)
            await stage.post("ana", "geral", files={"viagens.md": TRAVEL})
            await asyncio.wait_for(stuck.wait(), 20)
        await stage.restart()
        await stage.settle()

        receipts = [seen for seen in stage.seen("ana") if "viagens.md" in seen.text]
        assert len(receipts) == 1
        assert "guardado" in receipts[0].text


@pytest.mark.needs(MENTIONS)
async def test_a_failure_says_so_and_gives_no_reason_away(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage() as stage:
        await stage.channel("geral", members=["ana"])

        def broken(*_: object, **__: object) -> None:
            raise RuntimeError("/secret/path and a key")

        monkeypatch.setattr(stage.app.ingest_ports.ledger, "view", broken)
        await stage.post("ana", "geral", ASKED, mention=True)
        await stage.settle()

        (reply,) = stage.seen("ana")
        assert "Algo deu errado" in reply.text
        assert "secret" not in reply.text


@pytest.mark.needs(MENTIONS)
async def test_an_admin_makes_a_channel_answer_every_question(open_stage: Open) -> None:
    async with open_stage(admins=["root"]) as stage:
        await stage.channel("geral", members=["ana", "root"])
        await stage.post("ana", "geral", files={"viagens.md": TRAVEL})
        await stage.settle()
        (refused,) = await stage.command("ana", "geral", "listen", "on")
        assert "administradores" in refused.text
        await stage.command("root", "geral", "listen", "on")
        before = len(stage.seen("ana"))
        await stage.post("ana", "geral", "bom trabalho, pessoal")
        await stage.settle()
        assert len(stage.seen("ana")) == before
        await stage.post("ana", "geral", ASKED)
        await stage.settle()

        assert "30 dias" in stage.seen("ana")[-1].text


async def test_every_command_of_the_help_can_be_run(open_stage: Open) -> None:
    async with open_stage(admins=["root"]) as stage:
        await stage.channel("geral", members=["ana", "root"])
        await stage.post("ana", "geral", files={"viagens.md": TRAVEL})
        await stage.settle()
        said = {
            name: "\n".join(seen.text for seen in await stage.command("root", "geral", name, arguments))
            for name, arguments in (
                ("help", ""), ("status", ""), ("sources", ""), ("route", ASKED), ("ask", ASKED), ("why", ""),
                ("servers", "status"), ("plugins", ""), ("audit", ""), ("remember", "A copa fecha às 18h."),
                ("forget", "viagens.md"), ("link", "#nenhum"), ("unlink", "#nenhum"), ("nada", ""),
            )
        }  # fmt: skip

        assert all(said.values()), {name for name, text in said.items() if not text}
        assert "viagens.md" in said["sources"]
        assert "30 dias" in said["ask"]
        assert "text" in said["route"]
        assert "saiu deste canal" in said["forget"]
        assert "Não conheço" in said["nada"]
