"""Who may read what on Discord: overwrites, roles, threads and servers, as they are at this moment."""

from typing import Any

import discord
import pytest

from adapters.discord.directory import NotThere
from bot.messages import Inbound
from core.scope import Channel
from tests.adapters.discord.world import HIDDEN, World

NO_HISTORY = discord.PermissionOverwrite(read_message_history=False)
LOCKED = discord.PermissionOverwrite(connect=False)


async def found(world: World, user: str, *, direct: bool = False) -> dict[str, Channel]:
    """What the directory says for a message of this person, by the last part of the tag."""
    workspace = "@me" if direct else str(world.guild.id)
    inbound = Inbound("discord", workspace, "", str(world.person(user).id), "", "1", direct=direct)
    channels = await world.client.directory.channels(inbound)
    return {channel.tag.rsplit("/", 1)[-1]: channel for channel in channels}


def reads(channels: dict[str, Channel], world: World, user: str, place: Any) -> bool:
    entry = channels.get(str(place.id))
    return entry is not None and (entry.visibility == "public" or str(world.person(user).id) in entry.members)


async def test_a_channel_that_everyone_may_view_is_public() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        entry = (await found(world, "ana"))[str(geral.id)]

        assert entry == Channel(f"discord:{world.guild.id}/{geral.id}", "public")


async def test_a_hidden_channel_is_private_and_its_readers_are_its_members() -> None:
    async with World() as world:
        diretoria = world.channel("diretoria", private=True, members=["ana"])
        world.person("rui")
        await world.settle()

        assert (await found(world, "ana"))[str(diretoria.id)].visibility == "private"
        assert reads(await found(world, "ana"), world, "ana", diretoria)
        assert not reads(await found(world, "rui"), world, "rui", diretoria)


async def test_a_channel_whose_history_is_closed_to_everyone_is_not_public() -> None:
    async with World() as world:
        geral = world.guild.create_text_channel("geral", overwrites={world.guild.default_role: NO_HISTORY})
        world.person("ana")
        await world.settle()
        channels = await found(world, "ana")

        assert channels[str(geral.id)].visibility == "private"
        assert not reads(channels, world, "ana", geral)


async def test_a_channel_that_keeps_one_role_out_is_not_public() -> None:
    async with World() as world:
        role = world.guild.create_role("visitante")
        geral = world.guild.create_text_channel("geral", overwrites={role: HIDDEN})
        world.person("ana")
        world.env.backend.add_member_role(world.guild.id, world.person("rui").id, role.id)
        await world.settle()

        assert (await found(world, "ana"))[str(geral.id)].visibility == "private"
        assert reads(await found(world, "ana"), world, "ana", geral)
        assert not reads(await found(world, "rui"), world, "rui", geral)


def voiced(world: World, kind: str) -> Any:
    make = {"voice": world.guild.create_voice_channel, "stage": world.guild.create_stage_channel}
    return make[kind]("sala")


@pytest.mark.parametrize("kind", ["voice", "stage"])
async def test_a_voice_channel_that_everyone_may_join_is_public(kind: str) -> None:
    async with World() as world:
        room = voiced(world, kind)
        world.person("ana")
        await world.settle()

        assert (await found(world, "ana"))[str(room.id)].visibility == "public"


@pytest.mark.parametrize("kind", ["voice", "stage"])
async def test_the_chat_of_a_locked_voice_channel_is_read_only_by_those_who_may_join(kind: str) -> None:
    async with World() as world:
        room = voiced(world, kind)
        world.person("rui")
        world.allow(world.guild.default_role.id, room, LOCKED, role=True)
        world.allow(world.person("ana").id, room, discord.PermissionOverwrite(connect=True))
        await world.settle()

        assert (await found(world, "rui"))[str(room.id)] == Channel(
            f"discord:{world.guild.id}/{room.id}", "private"
        )
        assert reads(await found(world, "ana"), world, "ana", room)
        assert (await found(world, "ana"))[str(room.id)].visibility == "private"


async def test_a_voice_channel_that_one_person_may_not_join_is_not_public() -> None:
    async with World() as world:
        room = voiced(world, "voice")
        world.person("ana")
        world.allow(world.person("rui").id, room, LOCKED)
        await world.settle()

        assert (await found(world, "ana"))[str(room.id)].visibility == "private"
        assert reads(await found(world, "ana"), world, "ana", room)
        assert not reads(await found(world, "rui"), world, "rui", room)


async def test_where_nobody_may_join_voice_channels_their_chat_is_not_public_and_text_is() -> None:
    async with World() as world:
        room, geral = voiced(world, "voice"), world.channel("geral", members=["ana"])
        everyone = world.env.backend.guilds[world.guild.id].roles[world.guild.default_role.id]
        without = discord.Permissions(everyone.permissions)
        without.update(connect=False)
        world.env.backend.edit_role(world.guild.id, everyone.id, {"permissions": without.value})
        await world.settle()
        channels = await found(world, "ana")

        assert channels[str(geral.id)].visibility == "public"
        assert not reads(channels, world, "ana", room)


async def test_a_text_channel_is_public_whatever_it_says_about_joining() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        world.allow(world.guild.default_role.id, geral, LOCKED, role=True)
        await world.settle()

        assert (await found(world, "ana"))[str(geral.id)].visibility == "public"


async def test_an_age_restricted_channel_is_not_public() -> None:
    async with World() as world:
        adultos = world.channel("adultos", members=["ana"])
        await world.settle()
        cached: Any = world.client.get_channel(adultos.id)
        cached.nsfw = True  # the simulated server knows no such field

        assert (await found(world, "ana"))[str(adultos.id)].visibility == "private"
        assert reads(await found(world, "ana"), world, "ana", adultos)


async def test_a_role_gives_access_at_once_and_takes_it_at_once() -> None:
    async with World() as world:
        role = world.guild.create_role("financeiro")
        see = discord.PermissionOverwrite(view_channel=True, read_message_history=True)
        caixa = world.guild.create_text_channel(
            "caixa", overwrites={world.guild.default_role: HIDDEN, role: see}
        )
        backend, ana = world.env.backend, world.person("ana").id
        await world.settle()
        assert not reads(await found(world, "ana"), world, "ana", caixa)
        backend.add_member_role(world.guild.id, ana, role.id)
        await world.settle()
        assert reads(await found(world, "ana"), world, "ana", caixa)
        backend.remove_member_role(world.guild.id, ana, role.id)
        await world.settle()
        assert not reads(await found(world, "ana"), world, "ana", caixa)


async def test_an_administrator_reads_what_is_hidden_from_everyone() -> None:
    async with World() as world:
        diretoria = world.channel("diretoria", private=True, members=["ana"])
        role = world.guild.create_role("chefe", permissions=discord.Permissions(administrator=True))
        world.env.backend.add_member_role(world.guild.id, world.person("rui").id, role.id)
        await world.settle()

        assert reads(await found(world, "rui"), world, "rui", diretoria)


async def test_a_channel_turned_private_is_private_for_the_next_message() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        await world.settle()
        assert (await found(world, "ana"))[str(geral.id)].visibility == "public"

        from simcord.backend.models import Overwrite
        from simcord.enums import OverwriteType

        everyone = world.guild.default_role.id
        deny = discord.Permissions(view_channel=True).value
        world.env.backend.set_overwrite(
            geral.id, Overwrite(target_id=everyone, type=OverwriteType.ROLE, allow=0, deny=deny)
        )
        await world.settle()
        entry = (await found(world, "ana"))[str(geral.id)]
        assert (entry.visibility, entry.members) == ("private", frozenset())


async def test_a_private_thread_is_read_by_those_in_it_who_still_see_its_channel() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        backend = world.env.backend
        thread = backend.create_thread(
            geral.id, "fechado", world.person("ana").id, type=discord.ChannelType.private_thread.value
        )
        backend.add_thread_member(thread.id, world.bot_id)
        await world.settle()
        assert (await found(world, "ana"))[str(thread.id)].visibility == "private"
        assert reads(await found(world, "ana"), world, "ana", thread)
        assert not reads(await found(world, "rui"), world, "rui", thread)

        backend.add_thread_member(thread.id, world.person("rui").id)
        await world.settle()
        assert reads(await found(world, "rui"), world, "rui", thread)

        backend.remove_thread_member(thread.id, world.person("rui").id)
        await world.settle()
        assert not reads(await found(world, "rui"), world, "rui", thread)

        world.allow(world.person("ana").id, geral, HIDDEN)
        await world.settle()
        assert not reads(await found(world, "ana"), world, "ana", thread)


async def test_a_public_thread_has_no_entry_of_its_own() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        thread = world.env.backend.create_thread(geral.id, "aberto", world.person("ana").id)
        await world.settle()

        assert str(thread.id) not in await found(world, "ana")


async def test_a_direct_message_reaches_the_servers_that_the_person_shares_with_the_bot() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        other = world.env.create_guild("Outra equipe")
        foreign = other.create_text_channel("geral-deles")
        other.add_member(world.person("rui"))
        await world.settle()
        ana, rui = await found(world, "ana", direct=True), await found(world, "rui", direct=True)

        assert str(geral.id) in ana
        assert str(foreign.id) not in ana
        assert {str(geral.id), str(foreign.id)} <= set(rui)


async def test_who_leaves_the_server_reads_nothing_of_it_in_a_direct_message() -> None:
    async with World() as world:
        world.channel("geral", members=["ana"])
        await world.settle()
        world.guild.remove_member(world.person("ana"))
        await world.settle()

        assert await found(world, "ana", direct=True) == {}


async def test_a_server_that_the_bot_does_not_know_is_refused() -> None:
    async with World() as world:
        inbound = Inbound("discord", "1", "2", str(world.person("ana").id), "", "3")

        with pytest.raises(NotThere):
            await world.client.directory.channels(inbound)
        assert (await world.app.scope(inbound)).tags == frozenset()


async def test_a_failed_look_up_denies() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        backend = world.env.backend
        thread = backend.create_thread(
            geral.id, "fechado", world.person("ana").id, type=discord.ChannelType.private_thread.value
        )
        backend.add_thread_member(thread.id, world.bot_id)
        await world.settle()
        world.env.inject_error("GET", f"/channels/{thread.id}/thread-members", status=500, times=None)
        inbound = Inbound("discord", str(world.guild.id), str(geral.id), str(world.person("ana").id), "", "3")

        assert (await world.app.scope(inbound)).tags == frozenset()


async def test_an_overwrite_of_somebody_who_left_does_not_close_a_public_channel() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        world.allow(world.person("rui").id, geral, HIDDEN)
        await world.settle()
        assert (await found(world, "ana"))[str(geral.id)].visibility == "private"

        world.guild.remove_member(world.person("rui"))
        await world.settle()
        server = world.client.get_guild(world.guild.id)
        assert server is not None
        await server.chunk()  # as at every start: all members are known
        assert (await found(world, "ana"))[str(geral.id)].visibility == "public"
