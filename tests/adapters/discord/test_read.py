"""What is said to the bot, and what only looks like it."""

import discord
import pytest
from simcord.results import to_discord_message

from adapters.discord.read import (
    AttachmentGone,
    Me,
    language_of,
    linked,
    mentions,
    message_keys,
    people_in,
    read_edit,
    read_message,
    restored,
    stored,
)
from bot.messages import Inbound
from tests.adapters.discord.world import World

ME = Me(7, frozenset({70}))


@pytest.mark.parametrize(
    ("content", "mentioned"),
    [
        ("<@7> quantos dias?", True),
        ("oi <@!7>", True),
        ("<@&70> quantos dias?", True),
        ("<@8> quantos dias?", False),
        ("`<@7>` é como se chama o bot", False),
        ("``<@7> `x` ``", False),
        ("```\n<@7> quantos dias?\n```", False),
        ("```py\n<@7>", False),
        ("> <@7> quantos dias?\nalguém sabe?", False),
        (">>> veja\n<@7> quantos dias?", False),
        ("> <@8> perguntou\n<@7> responda", True),
        ("preço > custo <@7>", True),
        ("`a` <@7> `b`", True),
        ("@everyone", False),
    ],
)
def test_a_mention_counts_outside_of_code_and_quotes(content: str, mentioned: bool) -> None:
    assert mentions(content, ME) == mentioned


def test_people_are_those_who_are_named_outside_of_code() -> None:
    assert people_in("<@8> e <@!9> mas `<@10>` e <@&70>") == {8, 9}


@pytest.mark.parametrize(
    ("locale", "told", "language"),
    [
        ("pt-BR", True, "pt"),
        ("en-GB", True, "en"),
        ("en-US", False, "und"),
        ("pt-BR", False, "pt"),
        ("fr", True, "und"),
    ],
)
def test_a_servers_english_may_be_nobodys_choice(locale: str, told: bool, language: str) -> None:
    assert language_of(locale, told=told) == language


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("https://discord.com/channels/1/22/333", ("22", "333")),
        ("https://discord.com/channels/@me/22/333", ("22", "333")),
        ("https://discord.com/channels/1/22", ("22", "")),
        ("6afd5c6c3fe54e2f", ("", "")),
    ],
)
def test_a_link_names_its_place_and_message(text: str, found: tuple[str, str]) -> None:
    assert linked(text) == found


def test_an_interaction_survives_the_inbox() -> None:
    inbound = Inbound(
        "discord",
        "1",
        "22",
        "5",
        "quantos dias?",
        "interaction-9",
        ephemeral=True,
        command="ask",
        locale="pt",
    )

    assert restored(stored(inbound), "") == inbound


async def read(world: World, written: object, **more: object) -> Inbound | None:
    return read_message(to_discord_message(world.env, written), world.client.me)  # type: ignore[arg-type]


async def test_a_message_of_a_channel_carries_its_place_its_people_and_its_files() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        rui = world.person("rui").id
        written = world.write(
            "ana", geral.id, world.mention(f"<@{rui}> pergunta quantos dias"), {"a.md": b"# A"}
        )
        inbound = await read(world, written)

        assert inbound is not None
        assert inbound.tag == f"discord:{world.guild.id}/{geral.id}"
        assert (inbound.thread, inbound.place, inbound.direct) == ("", "", False)
        assert inbound.text == "@rui pergunta quantos dias"
        assert inbound.mentioned
        assert not inbound.to_others
        assert inbound.locale == "pt"
        (item,) = inbound.attachments
        assert (item.name, item.size) == ("a.md", 3)
        assert await item.fetch() == b"# A"


async def test_a_public_thread_belongs_to_its_channel_and_a_private_one_to_itself() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        backend, ana = world.env.backend, world.person("ana").id
        opened = backend.create_thread(geral.id, "aberto", ana)
        closed = backend.create_thread(
            geral.id, "fechado", ana, type=discord.ChannelType.private_thread.value
        )
        backend.add_thread_member(closed.id, world.bot_id)
        await world.settle()
        public = await read(world, world.write("ana", opened.id, "oi"))
        private = await read(world, world.write("ana", closed.id, "oi"))

        assert public is not None
        assert private is not None
        assert (public.channel, public.thread, public.place) == (
            str(geral.id),
            str(opened.id),
            str(opened.id),
        )
        assert (private.channel, private.thread, private.place) == (str(closed.id),) * 3


async def test_a_direct_message_has_its_persons_own_tag() -> None:
    async with World() as world:
        place = world.place("ana", "dm")
        inbound = await read(world, world.write("ana", place, "quantos dias?"))

        assert inbound is not None
        assert inbound.direct
        assert inbound.tag == f"discord:@me/@{world.person('ana').id}"
        assert inbound.place == str(place)


async def test_a_reply_to_the_bot_is_for_the_bot_and_one_to_somebody_else_is_not() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        backend = world.env.backend
        own = backend.create_message(geral.id, world.bot_id, "uma resposta")
        other = world.write("rui", geral.id, "bom dia")

        def replying(to: int) -> object:
            reference = {"channel_id": str(geral.id), "message_id": str(to)}
            normal = backend.normalize_message_reference(geral.id, reference)
            return world.write("ana", geral.id, "e isso?", reference=normal)

        to_bot, to_other = await read(world, replying(own.id)), await read(world, replying(other.id))

        assert to_bot is not None
        assert to_other is not None
        assert (to_bot.mentioned, to_bot.to_others) == (True, False)
        assert (to_other.mentioned, to_other.to_others) == (False, True)


async def test_own_messages_are_dropped_and_other_bots_are_marked() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        world.person("robo", bot=True)
        own = world.env.backend.create_message(geral.id, world.bot_id, "uma resposta")
        robo = await read(world, world.write("robo", geral.id, "oi"))

        assert await read(world, own) is None
        assert robo is not None
        assert robo.from_bot


async def test_an_edit_is_a_question_only_if_it_adds_the_mention() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        before = to_discord_message(world.env, world.write("ana", geral.id, "quantos dias?"))
        edited = world.env.backend.edit_message(
            geral.id, before.id, {"content": world.mention("quantos dias?")}
        )
        after = to_discord_message(world.env, edited)
        again = to_discord_message(world.env, edited)

        added = read_edit(after, before, world.client.me)
        repeated = read_edit(again, after, world.client.me)
        assert added is not None
        assert repeated is not None
        assert (added.edited, added.mentioned, repeated.mentioned) == (True, True, False)
        assert message_keys(added) == (f"asked:{before.id}",)


async def test_a_preview_that_discord_adds_is_no_edit() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        message = to_discord_message(world.env, world.write("ana", geral.id, world.mention("veja isso")))

        assert read_edit(message, None, world.client.me) is None


async def test_a_file_whose_message_is_gone_says_so_to_its_uploader() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana"])
        written = world.write("ana", geral.id, "", {"a.md": b"# A"})
        inbound = await read(world, written)
        world.env.backend.cdn._blobs.clear()
        world.env.backend.delete_message(geral.id, written.id)

        assert inbound is not None
        with pytest.raises(AttachmentGone):
            await inbound.attachments[0].fetch()


async def test_who_manages_the_server_is_an_admin() -> None:
    async with World() as world:
        geral = world.channel("geral", members=["ana", "rui"])
        role = world.guild.create_role("gerente", permissions=discord.Permissions(manage_guild=True))
        world.env.backend.add_member_role(world.guild.id, world.person("ana").id, role.id)
        await world.settle()
        geral_of = {user: await read(world, world.write(user, geral.id, "oi")) for user in ("ana", "rui")}

        assert [bool(inbound and inbound.admin) for inbound in geral_of.values()] == [True, False]
