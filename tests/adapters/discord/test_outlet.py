"""Where replies go, and what happens when Discord does not take them."""

from dataclasses import replace
from typing import Any

import discord
import pytest

from adapters.discord.outlet import CannotReply
from adapters.discord.read import read_message
from bot.messages import Button, Inbound, Reply
from tests.adapters.discord.world import World, buttons_in

REPLY = Reply("São 30 dias.", "pt", buttons=(Button("why", "a1b2c3"),), trace_id="a1b2c3")


async def inbound_of(world: World, written: Any) -> Inbound:
    from simcord.results import to_discord_message

    inbound = read_message(to_discord_message(world.env, written), world.client.me)
    assert inbound is not None
    return inbound


def denied(world: World, channel: Any, **permissions: bool) -> None:
    """Take permissions from the bot in a channel."""
    world.allow(world.bot_id, channel, discord.PermissionOverwrite(**permissions))


async def test_a_question_in_a_channel_opens_a_thread_and_shows_at_once_that_it_was_heard() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        asked = await inbound_of(world, world.write("ana", geral.id, "com quantos   dias?"))
        draft = await world.client.outlet.begin(asked)

        assert draft.inbound.thread == asked.id
        (sign,) = world.messages("ana", int(asked.id))
        assert str(sign.id) == draft.id
        assert world.env.backend.get_channel(int(asked.id)).name == "com quantos dias?"
        assert await draft.finish(REPLY) == draft.id
        (answer,) = world.messages("ana", int(asked.id))
        assert "São 30 dias." in world.text_of(answer)
        assert list(buttons_in(answer.components)) == ["polyrag:why:a1b2c3"]


async def test_an_upload_is_replied_to_without_a_thread_and_without_a_sign() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        upload = await inbound_of(world, world.write("ana", geral.id, "veja"))
        draft = await world.client.outlet.begin(upload, quiet=True)
        assert not list(world.messages("ana"))
        await draft.finish(Reply("guardado", "pt"))

        (receipt,) = world.messages("ana")
        assert receipt.channel_id == geral.id
        assert receipt.reference["message_id"] == upload.id


async def test_a_thread_that_is_there_already_is_used() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        written = world.write("ana", geral.id, "com quantos dias?")
        world.env.backend.create_thread(geral.id, "já aberto", world.person("ana").id, message_id=written.id)
        await world.settle()
        draft = await world.client.outlet.begin(await inbound_of(world, written))

        assert draft.inbound.thread == str(written.id)
        assert len(list(world.messages("ana", written.id))) == 1


async def test_without_the_permission_for_threads_the_reply_stands_in_the_channel_and_admins_are_told_once() -> (
    None
):
    async with World(admins=["chefe"]) as world:
        geral = world.channel("geral", members=["ana"])
        denied(world, geral, create_public_threads=False)
        await world.settle()
        for _ in range(2):
            asked = await inbound_of(world, world.write("ana", geral.id, "com quantos dias?"))
            draft = await world.client.outlet.begin(asked)
            await draft.finish(REPLY)

        answers = list(world.messages("ana", geral.id))
        assert [answer.reference["message_id"] for answer in answers][-1] == asked.id
        (told,) = world.messages("chefe", world.place("chefe", "dm"))
        assert "Create Public Threads" in told.content


async def test_where_the_bot_may_not_write_the_person_and_the_admins_are_told_directly() -> None:
    async with World(admins=["chefe"]) as world:
        geral = world.channel("geral", members=["ana"])
        denied(world, geral, send_messages=False, send_messages_in_threads=False)
        await world.settle()
        asked = await inbound_of(world, world.write("ana", geral.id, "com quantos dias?"))

        with pytest.raises(CannotReply):
            await world.client.outlet.begin(asked)
        (silence,) = world.messages("ana", world.place("ana", "dm"))
        assert "Send Messages" in silence.content
        (told,) = world.messages("chefe", world.place("chefe", "dm"))
        assert "Send Messages" in told.content


async def test_marks_follow_one_another() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        written = world.write("ana", geral.id, "veja")
        await world.settle()
        upload = await inbound_of(world, written)
        for sign, shown in (
            ("seen", ["👀"]),
            ("failed", ["⚠️"]),
            ("seen", ["⚠️", "👀"]),
            ("done", ["⚠️", "✅"]),
        ):
            await world.client.outlet.sign(upload, sign)  # type: ignore[arg-type]
            assert [r.emoji for r in written.reactions if r.user_ids] == shown


async def test_a_mark_on_a_message_that_is_gone_or_closed_to_reactions_is_no_failure() -> None:
    async with World(admins=["chefe"]) as world:
        geral = world.channel("geral", members=["ana"])
        denied(world, geral, add_reactions=False)
        written = world.write("ana", geral.id, "veja")
        await world.settle()
        upload = await inbound_of(world, written)
        await world.client.outlet.sign(upload, "seen")
        world.env.backend.delete_message(geral.id, written.id)
        await world.client.outlet.sign(upload, "done")

        (told,) = world.messages("chefe", world.place("chefe", "dm"))
        assert "Add Reactions" in told.content


async def test_a_refused_rich_message_falls_back_to_plain_text_and_loses_nothing() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        asked = await inbound_of(world, world.write("ana", geral.id, "com quantos dias?"))
        draft = await world.client.outlet.begin(asked)
        long = replace(REPLY, text="Uma frase inteira. " * 300)
        world.env.inject_error("PATCH", "/channels/*/messages/*", status=400, code=50035, times=1)
        await draft.finish(long)

        shown = "".join(message.content for message in world.messages("ana", int(asked.id)))
        assert shown.count("Uma frase inteira.") == 300
        assert not any(message.components for message in world.messages("ana", int(asked.id)))


async def test_a_placeholder_that_somebody_deleted_is_replaced() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        asked = await inbound_of(world, world.write("ana", geral.id, "com quantos dias?"))
        draft = await world.client.outlet.begin(asked)
        world.env.backend.delete_message(int(asked.id), int(draft.id))
        posted = await draft.finish(REPLY)

        (answer,) = world.messages("ana", int(asked.id))
        assert str(answer.id) == posted


async def test_a_placeholder_of_an_earlier_process_is_taken_over() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        asked = await inbound_of(world, world.write("ana", geral.id, "com quantos dias?"))
        first = await world.client.outlet.begin(asked)
        again = await world.client.outlet.begin(replace(asked, draft=first.id))
        await again.finish(REPLY)

        (answer,) = world.messages("ana", int(asked.id))
        assert str(answer.id) == first.id


async def test_an_answer_is_shown_while_it_is_written_but_not_at_every_word() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        asked = await inbound_of(world, world.write("ana", geral.id, "com quantos dias?"))
        draft = await world.client.outlet.begin(asked)
        before = len(world.env.http_requests)
        for n in range(50):
            await draft.show("palavra " * n * 100)
        assert len(world.env.http_requests) - before == 1
        await draft.finish(REPLY)

        (answer,) = world.messages("ana", int(asked.id))
        assert "palavra" not in world.text_of(answer)


async def test_a_private_answer_is_not_shown_to_the_channel_while_it_is_written() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        await world.settle()
        asked = await inbound_of(world, world.write("ana", geral.id, "com quantos dias?"))
        draft = await world.client.outlet.begin(replace(asked, ephemeral=True, place=str(geral.id)))
        await draft.show("São 30")
        assert not list(world.messages("rui"))
        await draft.finish(replace(REPLY, ephemeral=True))

        assert not list(world.messages("rui"))
        (answer,) = world.messages("ana", world.place("ana", "dm"))
        assert "São 30 dias." in world.text_of(answer)


async def test_nobody_is_pinged_by_what_a_document_says() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        rui = world.person("rui").id
        await world.settle()
        asked = await inbound_of(world, world.write("ana", geral.id, "quem?"))
        draft = await world.client.outlet.begin(asked)
        await draft.show(f"@everyone <@{rui}>")
        await draft.finish(replace(REPLY, text=f"@everyone <@{rui}> @here"))

        for message in world.messages("ana"):
            assert not message.ping_user_ids
            assert not message.ping_role_ids
            assert not message.mention_everyone


async def test_files_go_out_ten_at_a_time() -> None:
    from bot.messages import OutFile

    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        asked = await inbound_of(world, world.write("ana", geral.id, "tudo?"))
        draft = await world.client.outlet.begin(asked)
        await draft.finish(replace(REPLY, files=tuple(OutFile(f"{n}.csv", b"a;b") for n in range(12))))

        assert [len(m.attachments) for m in world.messages("ana", int(asked.id))] == [0, 10, 2]


async def test_without_the_permission_for_files_they_are_named_and_admins_are_told() -> None:
    from bot.messages import OutFile

    async with World(admins=["chefe"]) as world:
        geral = world.channel("geral", members=["ana"])
        denied(world, geral, attach_files=False)
        await world.settle()
        asked = await inbound_of(world, world.write("ana", geral.id, "tudo?"))
        draft = await world.client.outlet.begin(asked)
        await draft.finish(replace(REPLY, files=(OutFile("linhas.csv", b"a;b"),)))

        answer, instead = world.messages("ana", int(asked.id))
        assert "São 30 dias." in world.text_of(answer)
        assert "`linhas.csv`" in world.text_of(instead)
        assert "Attach Files" in world.text_of(instead)
        (told,) = world.messages("chefe", world.place("chefe", "dm"))
        assert "Attach Files" in told.content


async def test_a_preview_of_a_link_in_the_draft_does_not_keep_the_answer_from_its_form() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        asked = await inbound_of(world, world.write("ana", geral.id, "onde está?"))
        draft = await world.client.outlet.begin(asked)
        await draft.show("veja https://exemplo.example/pagina")
        preview = {"type": "link", "url": "https://exemplo.example/pagina", "title": "Página"}
        world.env.backend.edit_message(int(asked.id), int(draft.id), {"embeds": [preview]})
        await draft.finish(REPLY)

        (answer,) = world.messages("ana", int(asked.id))
        assert list(buttons_in(answer.components))
        assert not answer.embeds
