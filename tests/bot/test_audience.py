"""From a message to the scope of its reply; every failure denies."""

import asyncio
from collections.abc import Mapping

import pytest

from bot.audience import Checked, ConfiguredChannels, UnknownChannel, channel_tag, console_channel, scope_of
from bot.messages import Inbound
from bot.plugins.manager import PluginManager
from core.scope import NOTHING, Channel
from core.settings import ChannelSettings, Settings

CHANNELS = {
    "geral": ChannelSettings(),
    "obras": ChannelSettings(members=("bia",)),
    "rh": ChannelSettings(visibility="private", members=("ana",)),
}
GERAL, OBRAS, RH = (channel_tag(name) for name in ("geral", "obras", "rh"))
Links = Mapping[str, tuple[str, ...]]


def message(user: str, channel: str, **more: bool) -> Inbound:
    return Inbound("console", "local", channel, user, "oi", "1", direct=not channel, **more)  # type: ignore[arg-type]


def tags(
    inbound: Inbound, links: Links | None = None, approved: tuple[tuple[str, str], ...] = ()
) -> frozenset[str]:
    settings = Settings(channels=CHANNELS)
    plugins = PluginManager(settings, ())
    directory = ConfiguredChannels(CHANNELS)
    return asyncio.run(scope_of(inbound, directory, settings, links or {}, plugins, approved)).scope.tags


def test_a_public_channel_reads_the_public_ones() -> None:
    assert tags(message("bia", "geral")) == {GERAL, OBRAS}


def test_a_private_channel_reads_itself_and_the_public_ones_for_its_members_only() -> None:
    assert tags(message("ana", "rh")) == {GERAL, OBRAS, RH}
    assert tags(message("bia", "rh")) == frozenset()


def test_a_direct_message_reads_what_its_author_may_read_and_its_own_files() -> None:
    assert tags(message("ana", "")) == {GERAL, OBRAS, RH, "console:local/@ana"}
    assert tags(message("bia", "")) == {GERAL, OBRAS, "console:local/@bia"}


def test_an_ephemeral_reply_reads_with_the_askers_own_scope() -> None:
    assert tags(message("ana", "geral", ephemeral=True)) == {GERAL, OBRAS, RH}
    assert tags(message("bia", "rh", ephemeral=True)) == {GERAL, OBRAS}


def test_an_unknown_channel_reads_nothing() -> None:
    assert tags(message("ana", "nowhere")) == frozenset()


def test_a_link_to_a_private_channel_counts_only_when_a_member_approved_it() -> None:
    link = {GERAL: (RH,)}

    assert tags(message("bia", "geral"), link) == {GERAL, OBRAS}
    assert tags(message("bia", "geral"), link, ((GERAL, RH),)) == {GERAL, OBRAS, RH}
    assert tags(message("bia", "obras"), link, ((GERAL, RH),)) == {GERAL, OBRAS}
    assert tags(message("bia", "geral"), {}, ((GERAL, RH),)) == {GERAL, OBRAS}  # approved but not linked


def test_a_link_to_a_channel_that_is_gone_counts_for_nothing() -> None:
    gone = channel_tag("gone")

    assert gone not in tags(message("bia", "geral"), {GERAL: (gone,)}, ((GERAL, gone),))


def test_a_directory_that_fails_denies() -> None:
    class Broken:
        async def channels(self, inbound: Inbound) -> tuple[Channel, ...]:
            raise ConnectionError("no network")

    settings = Settings()
    scope = asyncio.run(
        scope_of(message("ana", "geral"), Broken(), settings, {}, PluginManager(settings, ()))
    )

    assert scope == Checked(NOTHING, "directory of console (ConnectionError)")


@pytest.mark.parametrize("name", ["dm", "#dm"])
def test_dm_is_a_direct_message(name: str) -> None:
    assert console_channel(name, "ana", CHANNELS) == ""


@pytest.mark.parametrize("name", ["geral", "#geral", "Geral", "GERÁL"])
def test_a_channel_is_found_as_people_type_it(name: str) -> None:
    assert console_channel(name, "bia", CHANNELS) == "geral"


def test_an_unknown_channel_hints_only_at_what_its_asker_may_know_of() -> None:
    with pytest.raises(UnknownChannel) as near:
        console_channel("gerall", "bia", CHANNELS)
    with pytest.raises(UnknownChannel) as hidden:
        console_channel("rhh", "bia", CHANNELS)
    with pytest.raises(UnknownChannel) as member:
        console_channel("rhh", "ana", CHANNELS)

    assert "`geral`?" in near.value.say("en")
    assert "`rh`" not in hidden.value.say("en")
    assert "`rh`?" in member.value.say("pt")
    assert "rhh: {visibility: public, members: []}" in hidden.value.say("pt")  # how to declare it
