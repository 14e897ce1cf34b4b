"""Events, commands, forms and buttons of Discord, through the whole bot."""

import asyncio
from typing import Any

import discord
import pytest
from simcord.results import to_discord_message

from bot.messages import Inbound
from tests.adapters.discord.world import PATIENCE, World, buttons_in

TRAVEL = "# Viagens\n\nA viagem internacional deve ser pedida com 30 dias de antecedência.\n".encode()
ASKED = "com quantos dias se pede a viagem internacional?"


async def taught(world: World, place: int = 0, **more: Any) -> Any:
    """Ana has uploaded a file; returns her message."""
    upload = world.write("ana", place or world.places["geral"].id, "", {"viagens.md": TRAVEL}, **more)
    await world.settle()
    return upload


async def known(world: World, user: str = "ana", channel: str = "geral") -> str:
    """The names of the files that this person's channel knows."""
    await world.member(user).slash(world.places[channel], "sources")
    return world.text_of(list(world.messages(user))[-1])


async def answered(world: World, text: str = ASKED, user: str = "ana") -> Any:
    """The bot's answer to a mention in the channel."""
    asked = world.write(user, world.places["geral"].id, world.mention(text))
    await world.settle()
    return list(world.messages(user, asked.id))[-1]


def click(world: World, user: str, message: Any, action: str) -> Any:
    button = next(b for b in buttons_in(message.components) if b.split(":")[1] == action)
    return world.member(user).click(to_discord_message(world.env, message), custom_id=button)


def synced(world: World) -> dict[str, dict[str, Any]]:
    return {command["name"]: command for command in world.env.backend.commands[None].values()}


# --- commands --------------------------------------------------------------------------------------


async def test_every_command_is_registered_in_both_languages_and_admins_ones_for_managers() -> None:
    async with World() as world:
        commands = synced(world)
        runnable = {name for name, spec in world.app.commands.items() if spec.run}

        assert runnable | {"polyrag", "Remember this", "Why this answer?"} == set(commands)
        assert commands["ask"]["name_localizations"] == {"pt-BR": "perguntar"}
        assert commands["ask"]["options"][0]["required"]
        assert "pt-BR" in commands["ask"]["description_localizations"]
        shown = [(c.get("name_localizations") or {}).get("pt-BR", name) for name, c in commands.items()]
        assert len(set(shown)) == len(shown)
        manage = discord.Permissions(manage_guild=True).value
        for name in runnable:
            wanted = manage if world.app.commands[name].who in ("admins", "bot admins") else None
            assert commands[name]["default_member_permissions"] == wanted, name
        assert [o["name"] for o in commands["servers"]["options"]] == ["action", "role"]
        assert {c["value"] for c in commands["servers"]["options"][0]["choices"]} >= {"status", "restart"}
        assert commands["link"]["options"][0]["type"] == discord.AppCommandOptionType.channel.value


async def test_a_private_answer_is_deferred_first_and_for_its_asker_alone() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        await taught(world)
        result = await world.member("ana").slash(geral, "ask", question=ASKED)

        first = next(r for r in world.env.http_requests if "/callback" in r.path)
        assert first.json == {"type": 5, "data": {"flags": 64}}  # a reply is coming, for the asker's eyes
        assert result.ephemeral
        assert "30 dias" in world.text_of(list(world.messages("ana"))[-1])
        assert not any("30 dias" in world.text_of(message) for message in world.messages("rui"))


async def test_a_channel_is_linked_by_choosing_it() -> None:
    async with World(admins=["root"]) as world:
        geral = world.channel("geral", members=["root"])
        role = world.guild.create_role("gerente", permissions=discord.Permissions(manage_guild=True))
        world.env.backend.add_member_role(world.guild.id, world.person("root").id, role.id)
        other = world.channel("outro")
        await world.settle()
        result = await world.member("root").slash(geral, "link", channel=other)

        assert not result.ephemeral  # what changes the channel is said in the channel
        assert f"<#{other.id}>" in world.text_of(list(world.messages("root"))[-1])
        assert world.app.links() == {
            f"discord:{world.guild.id}/{geral.id}": (f"discord:{world.guild.id}/{other.id}",)
        }


async def test_names_of_files_are_completed_only_for_those_who_may_read_them() -> None:
    async with World() as world:
        world.channel("diretoria", private=True, members=["ana"])
        world.channel("geral", members=["ana", "rui"])
        await taught(world)
        await taught(world, world.places["diretoria"].id)
        world.write("ana", world.places["diretoria"].id, "", {"fusao.md": b"# Fusao"})
        await world.settle()
        ana, rui = world.member("ana"), world.member("rui")

        assert [
            c["name"] for c in await rui.autocomplete(world.places["geral"], "forget", "file", "viag")
        ] == ["viagens.md"]
        assert await rui.autocomplete(world.places["geral"], "forget", "file", "fus") == []
        assert len(await ana.autocomplete(world.places["diretoria"], "forget", "file", "FUSÃO")) == 1


async def test_command_names_are_completed_with_what_the_person_may_run() -> None:
    async with World(admins=["root"]) as world:
        geral = world.channel("geral", members=["ana", "root"])
        await world.settle()
        named = {
            user: {c["name"] for c in await world.member(user).autocomplete(geral, "polyrag", "name", "")}
            for user in ("ana", "root")
        }

        assert "audit" in named["root"]
        assert "audit" not in named["ana"]
        assert "ask" in named["ana"]


async def test_the_form_of_remember_takes_files() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        form = await world.member("ana").slash(geral, "remember")
        assert form.modal is not None
        files, text = (label["component"]["custom_id"] for label in form.modal["components"])
        await world.member("ana").submit_modal(form, {files: [("viagens.md", TRAVEL)], text: ""})

        assert "viagens.md" in world.text_of(list(world.messages("ana"))[-1])
        assert "viagens.md" in await known(world)


async def test_the_form_of_remember_takes_a_text_and_says_when_it_was_empty() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        for written in ("A copa fecha às 18h.", ""):
            form = await world.member("ana").slash(geral, "remember")
            assert form.modal is not None
            _, text = (label["component"]["custom_id"] for label in form.modal["components"])
            await world.member("ana").submit_modal(form, {text: written} if written else {})

        kept, empty = (world.text_of(message) for message in world.messages("ana"))
        assert "nota-" in kept
        assert "nem texto" in empty


async def test_remember_this_keeps_an_old_message_and_its_deletion_takes_it_back() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        written = world.write("ana", geral.id, "A copa fecha às 18h.")
        await world.settle()
        message = to_discord_message(world.env, written)
        await world.member("ana").context_menu(geral, "Remember this", message)
        assert "nota-" in await known(world)
        assert [r.emoji for r in written.reactions if r.user_ids] == ["✅"]

        world.env.backend.delete_message(geral.id, written.id)
        await world.settle()
        assert "nota-" not in await known(world)


async def test_why_this_answer_explains_the_bots_messages_and_no_others() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await taught(world)
        answer = await answered(world)
        other = world.write("ana", geral.id, "bom dia")
        await world.settle()
        thread = next(c for c in geral.threads if c.id == answer.channel_id)
        await world.member("ana").context_menu(
            thread, "Why this answer?", to_discord_message(world.env, answer)
        )
        assert "Margem" in world.text_of(list(world.messages("ana"))[-1])

        await world.member("ana").context_menu(
            geral, "Why this answer?", to_discord_message(world.env, other)
        )
        assert "Não encontrei essa resposta" in world.text_of(list(world.messages("ana"))[-1])


async def test_why_takes_a_link_to_the_answer() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await taught(world)
        answer = await answered(world)
        link = to_discord_message(world.env, answer).jump_url
        await world.member("ana").slash(geral, "polyrag", name="porque", arguments=link)

        assert "Margem" in world.text_of(list(world.messages("ana"))[-1])


# --- buttons ---------------------------------------------------------------------------------------


async def test_the_explanation_unfolds_for_everybody_and_folds_again_after_a_restart() -> None:
    async with World() as world:
        world.channel("geral", members=["ana", "rui"])
        await taught(world)
        answer = await answered(world)
        before = world.text_of(answer)
        await click(world, "ana", answer, "why")
        assert "Margem" in world.text_of(answer)
        await world.restart()
        await click(world, "rui", answer, "why")
        assert world.text_of(answer) == before


async def test_an_explanation_of_what_is_gone_is_not_unfolded() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        upload = await taught(world)
        answer = await answered(world)
        world.env.backend.delete_message(geral.id, upload.id)
        await world.settle()
        await click(world, "ana", answer, "why")

        assert "Margem" not in world.text_of(answer)
        told = list(world.messages("ana"))[-1]
        assert told.is_ephemeral
        assert "Não encontrei essa resposta" in world.text_of(told)


async def test_a_shared_answer_is_posted_in_the_channel() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        await taught(world)
        await world.member("ana").slash(geral, "ask", question=ASKED)
        private = list(world.messages("ana"))[-1]
        await click(world, "ana", private, "share")

        shared = list(world.messages("rui", geral.id))[-1]
        assert "30 dias" in world.text_of(shared)
        assert not shared.is_ephemeral


async def test_an_ephemeral_answer_asked_afresh_stays_private() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        await taught(world)
        for _ in range(2):
            await world.member("ana").slash(geral, "ask", question=ASKED)
        await click(world, "ana", list(world.messages("ana"))[-1], "fresh")

        assert "30 dias" in world.text_of(list(world.messages("ana"))[-1])
        assert not any("30 dias" in world.text_of(m) for m in world.messages("rui"))


async def test_an_ephemeral_answer_asked_afresh_stays_private_when_the_bot_dies_over_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        await taught(world)
        for _ in range(2):
            await world.member("ana").slash(geral, "ask", question=ASKED)
        private = list(world.messages("ana"))[-1]
        seen = len(list(world.messages("rui")))
        with monkeypatch.context() as patch:

            async def never(self: Any, *_: Any, **__: Any) -> Any:
                await asyncio.Event().wait()

            patch.setattr(type(world.app), "handle", never)
            world.env.settle_timeout = 1.0
            with pytest.raises(TimeoutError):
                await click(world, "ana", private, "fresh")
            world.env.settle_timeout = PATIENCE
        sent: list[str] = []
        send = discord.TextChannel.send

        async def heard(self: Any, *args: Any, **more: Any) -> Any:
            sent.append(str(more or args))
            return await send(self, *args, **more)

        original = type(world.app).handle

        async def streaming(self: Any, inbound: Inbound, *, on_text: Any = None, **more: Any) -> Any:
            if on_text is not None:
                on_text("A viagem internacional deve ser pedida")
                for _ in range(200):  # so that it is shown
                    await asyncio.sleep(0)
            return await original(self, inbound, on_text=on_text, **more)

        monkeypatch.setattr("adapters.discord.drafts.SHOW_EVERY", 0.0)
        monkeypatch.setattr(discord.TextChannel, "send", heard)
        monkeypatch.setattr(type(world.app), "handle", streaming)
        await world.restart()
        await world.settle()

        assert sent == []
        assert len(list(world.messages("rui"))) == seen
        assert "30 dias" in world.text_of(list(world.messages("ana", world.place("ana", "dm")))[-1])


# --- late and expired ------------------------------------------------------------------------------


async def test_an_answer_that_takes_longer_than_the_token_lives_comes_directly(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await taught(world)
        app, release = type(world.app), asyncio.Event()
        handle = app.handle

        async def slow(self: Any, inbound: Inbound, **more: Any) -> Any:
            await world.env.external_wait(release.wait(), reason="a slow model")
            return await handle(self, inbound, **more)

        monkeypatch.setattr(app, "handle", slow)
        await world.member("ana").slash(geral, "ask", question=ASKED)
        await world.env.advance_time(15 * 60 + 1)
        release.set()
        await world.settle()

        (direct,) = world.messages("ana", world.place("ana", "dm"))
        assert "30 dias" in world.text_of(direct)


async def test_a_public_command_that_takes_longer_is_answered_in_the_channel(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        await taught(world)
        app, release = type(world.app), asyncio.Event()
        handle = app.handle

        async def slow(self: Any, inbound: Inbound, **more: Any) -> Any:
            await world.env.external_wait(release.wait(), reason="a slow store")
            return await handle(self, inbound, **more)

        monkeypatch.setattr(app, "handle", slow)
        await world.member("ana").slash(geral, "forget", file="viagens.md")
        await world.env.advance_time(15 * 60 + 1)
        release.set()
        await world.settle()

        last = list(world.messages("rui", geral.id))[-1]
        assert "saiu deste canal" in world.text_of(last)


async def test_a_deferral_that_comes_too_late_is_still_answered() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await taught(world)
        world.env.inject_error("POST", "/interactions/*/*/callback", status=404, code=10062, times=1)
        await world.member("ana").slash(geral, "ask", question=ASKED)

        (direct,) = world.messages("ana", world.place("ana", "dm"))
        assert "30 dias" in world.text_of(direct)


# --- what Discord takes away -----------------------------------------------------------------------


async def test_messages_deleted_together_take_their_files_along() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        uploads = [await taught(world)]
        uploads.append(world.write("ana", geral.id, "", {"horas.md": b"# Horas\n\nA copa fecha as 18h."}))
        await world.settle()
        world.env.backend.bulk_delete_messages(geral.id, [message.id for message in uploads])
        await world.settle()

        assert ".md" not in await known(world)


async def test_a_file_taken_out_of_a_message_leaves_the_channel() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        upload = world.write(
            "ana", geral.id, "dois", {"viagens.md": TRAVEL, "horas.md": b"# Horas\n\nA copa fecha as 18h."}
        )
        await world.settle()
        left = [item for item in upload.attachments if item["filename"] == "horas.md"]
        world.env.backend.edit_message(geral.id, upload.id, {"attachments": left})
        await world.settle()

        listed = await known(world)
        assert "viagens.md" not in listed
        assert "horas.md" in listed


async def test_a_deleted_thread_takes_the_files_of_its_messages_along_and_no_others() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await taught(world)
        thread = world.env.backend.create_thread(geral.id, "aberto", world.person("ana").id)
        await world.settle()
        world.write("ana", thread.id, "", {"horas.md": b"# Horas\n\nA copa fecha as 18h."})
        await world.settle()
        assert "horas.md" in await known(world)
        world.env.backend.delete_channel(thread.id)
        await world.settle()

        listed = await known(world)
        assert "horas.md" not in listed
        assert "viagens.md" in listed


async def test_a_deleted_channel_is_forgotten() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        world.channel("outro", members=["ana"])
        await taught(world)
        world.env.backend.delete_channel(geral.id)
        await world.settle()

        assert "viagens.md" not in await known(world, channel="outro")
        assert world.client.desk.kept_files() == ()


async def test_a_server_that_the_bot_was_removed_from_is_forgotten_and_its_admins_are_told() -> None:
    async with World(admins=["chefe"]) as world:
        world.channel("geral", members=["ana"])
        other = world.env.create_guild("Outra")
        other.add_member(world.person("chefe"))
        await taught(world)
        world.env.backend.remove_guild(world.guild.id)
        await world.settle()

        assert world.client.desk.kept_files() == ()
        (told,) = world.messages("chefe", world.place("chefe", "dm"))
        assert "Equipe" in told.content


async def test_what_was_deleted_while_the_bot_was_away_is_forgotten_when_it_comes_back() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        gone = await taught(world)
        stays = world.write("ana", geral.id, "", {"horas.md": b"# Horas\n\nA copa fecha as 18h."})
        await world.settle()
        form = await world.member("ana").slash(geral, "remember")
        assert form.modal is not None
        _, text = (label["component"]["custom_id"] for label in form.modal["components"])
        await world.member("ana").submit_modal(form, {text: "O cofre abre as 9h."})
        with world.away():
            world.env.backend.delete_message(geral.id, gone.id)
        await world.restart()
        await world.env.advance_time(10)

        listed = await known(world)
        assert "viagens.md" not in listed
        assert "horas.md" in listed
        assert "nota-" in listed
        assert stays.id


async def test_what_was_asked_and_shared_while_the_bot_was_away_is_dealt_with_once_when_it_comes_back() -> (
    None
):
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await taught(world)
        before = await answered(world)
        await world.env.advance_time(60)
        with world.away():
            missed = world.write("ana", geral.id, world.mention("e a viagem nacional?"))
            upload = world.write("ana", geral.id, "", {"horas.md": b"# Horas\n\nA copa fecha as 18h."})
        await world.restart()
        await world.env.advance_time(5)

        assert len(list(world.messages("ana", missed.id))) == 1
        assert "horas.md" in await known(world)
        assert [r.emoji for r in upload.reactions if r.user_ids] == ["✅"]
        assert len(list(world.messages("ana", before.channel_id))) == 1
        await world.restart()
        await world.env.advance_time(5)
        assert len(list(world.messages("ana", missed.id))) == 1


async def test_what_was_written_directly_while_the_bot_was_away_is_dealt_with_once_when_it_comes_back() -> (
    None
):
    async with World() as world:
        world.channel("geral", members=["ana", "rui"])
        await taught(world)
        places = {user: world.place(user, "dm") for user in ("ana", "rui")}
        for user, place in places.items():
            world.write(user, place, "oi")
        await world.settle()
        await world.env.advance_time(60)
        with world.away():
            world.write("ana", places["ana"], ASKED)
            upload = world.write("rui", places["rui"], "", {"horas.md": b"# Horas\n\nA copa fecha as 18h."})
        for _ in range(2):
            await world.restart()
            await world.env.advance_time(5)

        answers = [m for m in world.messages("ana", places["ana"]) if "30 dias" in world.text_of(m)]
        assert len(answers) == 1
        assert [r.emoji for r in upload.reactions if r.user_ids] == ["✅"]
        assert len(list(world.messages("ana", places["ana"]))) == 2


async def test_what_was_said_before_the_bot_came_to_the_server_is_not_for_it() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        with world.away():
            old = world.write("ana", geral.id, world.mention(ASKED))
        world.env.backend.advance_clock(60)
        world.env.backend.guilds[world.guild.id].members[world.bot_id].joined_at = world.env.now().isoformat()
        await world.restart()
        await world.env.advance_time(5)

        assert not list(world.messages("ana", old.id))


async def test_a_message_that_was_being_remembered_when_the_bot_died_is_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        with world.away():
            upload = world.write("ana", geral.id, "", {"viagens.md": TRAVEL})
        stuck = asyncio.Event()
        with monkeypatch.context() as patch:

            async def never(self: Any, *_: Any, **__: Any) -> Any:
                stuck.set()
                await asyncio.Event().wait()

            patch.setattr(type(world.app), "take", never)
            message = to_discord_message(world.env, upload)
            world.env.settle_timeout = 1.0
            with pytest.raises(TimeoutError):
                await world.member("ana").context_menu(geral, "Remember this", message)
            assert stuck.is_set()
            world.env.settle_timeout = PATIENCE
        await world.restart()
        await world.settle()

        assert "viagens.md" in await known(world)
        assert [r.emoji for r in upload.reactions if r.user_ids] == ["✅"]


# --- the end ---


async def test_a_stop_finishes_what_is_being_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await taught(world)
        app, started, release = type(world.app), asyncio.Event(), asyncio.Event()
        handle = app.handle

        async def slow(self: Any, inbound: Inbound, **more: Any) -> Any:
            started.set()
            await release.wait()
            return await handle(self, inbound, **more)

        monkeypatch.setattr(app, "handle", slow)
        asked = world.write("ana", geral.id, world.mention(ASKED))
        await asyncio.wait_for(started.wait(), 20)
        stopping = asyncio.create_task(world.client.stop())
        release.set()
        await stopping

        (answer,) = world.messages("ana", asked.id)
        assert "30 dias" in world.text_of(answer)
        assert world.app.book.waiting("discord") == ()


# --- places ----------------------------------------------------------------------------------------


async def test_a_forum_post_is_answered_in_the_post_from_the_forums_files() -> None:
    async with World() as world:
        world.channel("geral", members=["ana"])
        await taught(world)
        forum = world.guild.create_forum_channel("perguntas")
        await world.settle()
        post = world.env.backend.create_thread(forum.id, "viagens", world.person("ana").id)
        await world.settle()
        world.write("ana", post.id, world.mention(ASKED))
        await world.settle()

        (answer,) = world.messages("ana", post.id)
        assert "30 dias" in world.text_of(answer)


@pytest.mark.parametrize("private", [False, True])
async def test_listening_and_erasing_in_a_thread_say_what_they_are_about(private: bool) -> None:
    async with World(admins=["root"]) as world:
        geral = world.channel("geral", members=["root", "ana"])
        role = world.guild.create_role("gerente", permissions=discord.Permissions(manage_guild=True))
        world.env.backend.add_member_role(world.guild.id, world.person("root").id, role.id)
        await taught(world)
        kind = discord.ChannelType.private_thread if private else discord.ChannelType.public_thread
        made = world.env.backend.create_thread(geral.id, "aberto", world.person("root").id, type=kind.value)
        world.env.backend.add_thread_member(made.id, world.bot_id)
        await world.settle()
        (thread,) = geral.threads
        said = []
        for name, options in (("listen", {"action": "on"}), ("erase", {"arguments": "channel"})):
            await world.member("root").slash(thread, name, **options)
            await world.settle()
            said.append(world.text_of(list(world.messages("root", thread.id))[-1]))

        for text in said:
            assert f"<#{thread.id if private else geral.id}>" in text
            assert ("só esta thread privada" if private else "o canal inteiro, com as suas threads") in text
        assert ("0 arquivo(s)" if private else "1 arquivo(s)") in said[1]


async def test_what_a_private_thread_knows_stays_in_it() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        backend = world.env.backend
        thread = backend.create_thread(
            geral.id, "fechado", world.person("ana").id, type=discord.ChannelType.private_thread.value
        )
        backend.add_thread_member(thread.id, world.bot_id)
        await world.settle()
        world.write("ana", thread.id, "", {"viagens.md": TRAVEL})
        await world.settle()
        world.write("ana", thread.id, world.mention(ASKED))
        await world.settle()
        inside = list(world.messages("ana", thread.id))[-1]
        outside = await answered(world)
        direct = world.place("ana", "dm")
        world.write("ana", direct, ASKED)
        await world.settle()

        assert "30 dias" in world.text_of(inside)
        assert "30 dias" not in world.text_of(outside)
        assert "30 dias" in world.text_of(list(world.messages("ana", direct))[-1])


async def test_a_message_delivered_twice_is_answered_once() -> None:
    from simcord.backend import serializers

    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        asked = world.write("ana", geral.id, world.mention(ASKED))
        payload = dict(serializers.message_payload(world.env.backend, asked))
        for _ in range(3):
            world.env.backend.emit("MESSAGE_CREATE", payload)
        await world.settle()
        await world.restart()
        world.env.backend.emit("MESSAGE_CREATE", payload)
        await world.settle()

        assert len(list(world.messages("ana"))) == 1


async def test_commands_that_cannot_be_registered_leave_messages_working() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        world.env.inject_error("PUT", "/applications/*/commands", status=403, code=50001, times=1)
        await world.restart()
        world.write("ana", geral.id, world.mention("oi"))
        await world.settle()

        assert list(world.messages("ana"))


async def test_two_platforms_in_one_process_do_not_see_each_others_channels() -> None:
    from bot.audience import CONSOLE, WORKSPACE, ConfiguredChannels
    from bot.testkit import _attachment

    async with World(settings={"channels": {"geral": {"visibility": "public"}}}) as world:
        world.channel("geral", members=["ana"])
        app = world.app
        app.directories[CONSOLE] = ConfiguredChannels(app.settings.channels)
        await taught(world)
        secret = _attachment("codigo.md", "# Cofre\n\nO codigo do cofre do console termina em 7731.")
        await app.handle(Inbound(CONSOLE, WORKSPACE, "geral", "ana", "", "c1", attachments=(secret,)))

        asked = await app.handle(Inbound(CONSOLE, WORKSPACE, "geral", "ana", ASKED, "c2"))
        listed = await app.handle(Inbound(CONSOLE, WORKSPACE, "geral", "ana", "", "c3", command="sources"))
        direct = await app.handle(Inbound(CONSOLE, WORKSPACE, "", "ana", ASKED, "c4", direct=True))
        for reply in (asked, listed, direct):
            assert "30 dias" not in str(reply)
            assert "viagens.md" not in str(reply)
        assert "codigo.md" in listed.text

        answer = await answered(world, "qual o codigo do cofre do console?")
        assert "7731" not in world.text_of(answer)
        assert "codigo.md" not in await known(world)
        assert "30 dias" in world.text_of(await answered(world))


async def test_a_file_in_a_direct_message_is_its_senders_alone_and_goes_with_the_message() -> None:
    async with World() as world:
        world.channel("geral", members=["ana", "rui"])
        await world.settle()
        direct = world.place("ana", "dm")
        upload = await taught(world, direct)
        world.write("ana", direct, ASKED)
        await world.settle()
        assert [r.emoji for r in upload.reactions if r.user_ids] == ["✅"]
        assert "30 dias" in world.text_of(list(world.messages("ana", direct))[-1])
        world.write("rui", world.place("rui", "dm"), ASKED)
        await world.settle()
        assert "30 dias" not in world.text_of(list(world.messages("rui", world.place("rui", "dm")))[-1])

        world.env.backend.delete_message(direct, upload.id)
        await world.settle()
        world.write("ana", direct, ASKED + " agora")
        await world.settle()
        assert "30 dias" not in world.text_of(list(world.messages("ana", direct))[-1])


async def test_a_command_in_a_direct_message_stays_readable_there() -> None:
    async with World() as world:
        world.channel("geral", members=["ana"])
        await taught(world)
        result = await world.person("ana").slash("ask", question=ASKED)

        assert not result.ephemeral
        assert "30 dias" in world.text_of(list(world.messages("ana", world.place("ana", "dm")))[-1])
