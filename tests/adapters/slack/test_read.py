"""What Slack delivers, and what it means for the bot. Payloads are small and made here."""

from typing import Any

import pytest

from adapters.slack.meaning import (
    Asked,
    AssistantOpened,
    ChannelGone,
    FileGone,
    FileRef,
    HomeOpened,
    Me,
    MessageGone,
    Mine,
    Nothing,
    Pressed,
    Said,
    Shared,
    Stale,
)
from adapters.slack.read import READERS, keys_of, read_body
from adapters.slack.tables import EVENTS
from bot.messages import Attachment

ME = Me("T1", "U0BOT", "B0BOT", "https://acme.slack.test/")
TS, LATER = "1700000001.000100", "1700000009.000200"
Json = dict[str, Any]


def attach(ref: FileRef) -> Attachment:
    async def fetch() -> bytes:
        return ref.url.encode()

    return Attachment(ref.name or ref.id, fetch, ref.size, ref.link, ref.id)


def event(kind: str = "message", **fields: Any) -> Json:
    return {"type": "event_callback", "team_id": "T9", "event_id": "Ev1", "event": {"type": kind, **fields}}


def message(text: str = "oi", **fields: Any) -> Json:
    known = {"channel": "C7", "channel_type": "channel", "user": "U1", "text": text, "ts": TS}
    return event("message", **(known | fields))


def changed(text: str, before: str, **fields: Any) -> Json:
    now = {"user": "U1", "text": text, "ts": TS, "edited": {"ts": LATER, "user": "U1"}} | fields
    return event(
        channel="C7", channel_type="channel", subtype="message_changed", hidden=True, ts=LATER, message=now,
        previous_message={"user": "U1", "text": before, "ts": TS},
    )  # fmt: skip


def read(body: Json) -> Any:
    return read_body(body, ME, attach)


def said(body: Json) -> Any:
    meaning = read(body)
    assert isinstance(meaning, Said), meaning
    return meaning.inbound


# --- messages --------------------------------------------------------------------------------------


def test_a_channel_message_is_tagged_by_the_bots_own_workspace() -> None:
    inbound = said(message("<@U0BOT> qual o total?"))
    assert (inbound.tag, inbound.user, inbound.text, inbound.id) == ("slack:T1/C7", "U1", "qual o total?", TS)
    assert inbound.mentioned
    assert not inbound.direct
    assert inbound.link == "https://acme.slack.test/archives/C7/p1700000001000100"


def test_a_direct_message_has_no_channel_but_a_place() -> None:
    inbound = said(message(channel="D5", channel_type="im"))
    assert (inbound.channel, inbound.place, inbound.direct) == ("", "D5", True)
    assert inbound.tag == "slack:T1/@U1"


def test_a_group_direct_message_is_a_channel() -> None:
    assert said(message(channel="G5", channel_type="mpim")).tag == "slack:T1/G5"


def test_a_mention_without_channel_type_is_read_like_its_message() -> None:
    body = event("app_mention", channel="C7", user="U1", text="<@U0BOT> e agora?", ts=TS)
    assert said(body).mentioned


def test_a_thread_is_named_by_its_first_message() -> None:
    assert said(message(thread_ts="1.1")).thread == "1.1"
    assert said(message(thread_ts=TS)).thread == ""


def test_an_answer_in_a_thread_that_the_bot_opened_is_meant_for_it() -> None:
    assert said(message("e no sul?", thread_ts="1.1", parent_user_id="U0BOT")).mentioned
    assert not said(message("e no sul?", thread_ts="1.1", parent_user_id="U2")).mentioned
    assert not said(message("<@U2> veja", thread_ts="1.1", parent_user_id="U0BOT")).mentioned


@pytest.mark.parametrize(
    "fields", [{"user": "U0BOT"}, {"bot_id": "B0BOT", "user": None}, {"subtype": "bot_message", "bot_id": "B0BOT"}]
)  # fmt: skip
def test_the_bots_own_messages_only_tell_that_they_arrived(fields: Json) -> None:
    assert read(message(**fields)) == Mine("C7", "1700000001.000100", "", "oi")


def test_another_bot_is_known_for_one() -> None:
    inbound = said(message(subtype="bot_message", bot_id="B9", user=None))
    assert inbound.from_bot
    assert inbound.user == "B9"


@pytest.mark.parametrize(
    "subtype", ["channel_join", "channel_topic", "message_replied", "pinned_item", "huddle_thread"]
)
def test_notices_mean_nothing(subtype: str) -> None:
    assert isinstance(read(message(subtype=subtype)), Nothing)


@pytest.mark.parametrize("subtype", ["file_share", "thread_broadcast", "me_message"])
def test_other_ways_to_speak_count(subtype: str) -> None:
    assert said(message(subtype=subtype)).text == "oi"


async def test_files_come_as_attachments_with_their_ids() -> None:
    item = {
        "id": "F1", "name": "a.csv", "size": 12, "mimetype": "text/csv", "mode": "hosted",
        "url_private": "https://files.slack.com/x", "url_private_download": "https://files.slack.com/x/download",
        "permalink": "https://acme.slack.test/files/F1",
    }  # fmt: skip
    (found,) = said(message(subtype="file_share", files=[item])).attachments
    assert (found.id, found.name, found.size, found.link) == ("F1", "a.csv", 12, item["permalink"])
    assert await found.fetch() == b"https://files.slack.com/x/download"


# --- edits and what goes ---------------------------------------------------------------------------


def test_an_edit_that_adds_the_mention_is_a_question() -> None:
    inbound = said(changed("<@U0BOT> qual o total?", "qual o total?"))
    assert (inbound.id, inbound.edited, inbound.mentioned) == (TS, True, True)


@pytest.mark.parametrize(
    ("now", "before"),
    [
        ("<@U0BOT> qual o total?", "<@U0BOT> qual total?"),
        ("qual o total?", "qual total?"),
        ("qual o total?", "<@U0BOT> qual o total?"),
        ("`<@U0BOT>` qual o total?", "qual o total?"),
        ("<@U0BOT> qual?", "<@U0BOT> qual?"),
    ],
)
def test_other_edits_are_none(now: str, before: str) -> None:
    assert isinstance(read(changed(now, before)), Nothing)


def test_an_edit_of_the_bots_own_message_means_nothing() -> None:
    assert isinstance(read(changed("<@U0BOT> x", "x", user="U0BOT", bot_id="B0BOT")), Nothing)


def test_an_edited_mention_is_left_to_message_changed() -> None:
    body = event("app_mention", channel="C7", user="U1", text="<@U0BOT> x", ts=TS, edited={"ts": LATER})
    assert isinstance(read(body), Nothing)


def test_deleted_messages_go_also_when_replies_leave_a_tombstone() -> None:
    gone = event(channel="C7", subtype="message_deleted", deleted_ts=TS, ts=LATER)
    assert read(gone) == MessageGone("C7", TS)
    assert read(changed("This message was deleted.", "oi", subtype="tombstone")) == MessageGone("C7", TS)


def test_files_and_channels_that_go() -> None:
    assert read(event("file_deleted", file_id="F1")) == FileGone("F1")
    assert read(event("file_unshared", file_id="F1", channel_id="C7")) == FileGone("F1", ("C7",))
    for kind in ("channel_deleted", "channel_archive", "group_deleted", "group_archive"):
        assert read(event(kind, channel="C7")) == ChannelGone("C7")


def test_a_file_without_a_message_names_its_place() -> None:
    assert read(event("file_shared", file_id="F1", user_id="U1", channel_id="C7")) == Shared("C7", "U1", "F1")
    assert isinstance(read(event("file_shared", file_id="F1", user_id="U0BOT", channel_id="C7")), Nothing)


def test_what_was_looked_up_goes_stale() -> None:
    assert read(event("member_left_channel", user="U1", channel="C7")) == Stale("members", "C7")
    assert read(event("member_joined_channel", user="U0BOT", channel="C7")) == Stale("channels")
    assert read(event("channel_rename", channel={"id": "C7", "name": "novo"})) == Stale("channels")
    assert read(message(subtype="channel_convert_to_private")) == Stale("channels")
    assert read(event("user_change", user={"id": "U1"})) == Stale("people", "U1")


def test_the_home_tab_and_the_assistant() -> None:
    assert read(event("app_home_opened", user="U1", tab="home")) == HomeOpened("U1")
    assert isinstance(read(event("app_home_opened", user="U1", tab="messages")), Nothing)
    thread = {"user_id": "U1", "channel_id": "D5", "thread_ts": TS, "context": {}}
    assert read(event("assistant_thread_started", assistant_thread=thread)) == AssistantOpened("U1", "D5", TS)


def test_every_subscribed_event_has_a_reader_and_the_other_way_round() -> None:
    assert set(READERS) == {name.split(".")[0] for name in EVENTS}


def test_an_unknown_event_means_nothing() -> None:
    assert isinstance(read(event("emoji_changed")), Nothing)


# --- keys ------------------------------------------------------------------------------------------


def test_a_message_and_its_mention_share_a_key() -> None:
    one, other = (
        message("<@U0BOT> x"),
        event("app_mention", channel="C7", user="U1", text="<@U0BOT> x", ts=TS),
    )
    other["event_id"] = "Ev2"
    assert set(keys_of(one, ME)) & set(keys_of(other, ME)) == {f"message:T1/C7/{TS}"}


def test_an_edit_has_a_key_of_its_own() -> None:
    assert set(keys_of(changed("<@U0BOT> x", "x"), ME)) == {"event:Ev1", f"edit:T1/C7/{TS}/{LATER}"}


def test_the_same_file_in_two_channels_is_two_events() -> None:
    one = event("file_shared", file_id="F1", user_id="U1", channel_id="C7")
    other = event("file_shared", file_id="F1", user_id="U1", channel_id="C8") | {"event_id": "Ev2"}
    assert not set(keys_of(one, ME)) & set(keys_of(other, ME))


def test_commands_and_buttons_are_told_apart_by_their_triggers() -> None:
    assert keys_of({"command": "/ask", "trigger_id": "9.1"}, ME) == ("trigger:9.1",)
    press = {
        "type": "block_actions",
        "user": {"id": "U1"},
        "trigger_id": "9.2",
        "actions": [{"action_ts": "5.5"}],
    }
    assert keys_of(press, ME) == ("press:U1/9.2/5.5",)


# --- commands, menus, buttons ----------------------------------------------------------------------


def command(name: str, text: str = "", channel: str = "C7") -> Any:
    body = {
        "command": name, "text": text, "channel_id": channel, "user_id": "U1", "team_id": "T1", "trigger_id": "9.1",
        "response_url": "https://hooks.slack.test/1",
    }  # fmt: skip
    meaning = read(body)
    assert isinstance(meaning, Asked)
    assert meaning.respond == "https://hooks.slack.test/1"
    return meaning.inbound


def test_a_slash_command_is_private() -> None:
    inbound = command("/ask", "qual o total em <#C9|vendas> &amp; cia?")
    assert (inbound.command, inbound.text, inbound.ephemeral) == (
        "ask",
        "qual o total em #vendas & cia?",
        True,
    )
    assert inbound.tag == "slack:T1/C7"


def test_the_general_command_takes_any_name() -> None:
    assert (command("/polyrag", "status").command, command("/polyrag", "").command) == ("status", "help")
    inbound = command("/polyrag", "forget vendas.csv")
    assert (inbound.command, inbound.text) == ("forget", "vendas.csv")


def test_a_channel_that_is_to_be_linked_keeps_its_id() -> None:
    assert command("/link", "<#C9|vendas>").text == "<#C9|vendas>"
    assert command("/polyrag", "approve <#C9|vendas>").text == "<#C9|vendas>"


def test_a_command_in_a_direct_message_is_direct() -> None:
    inbound = command("/ask", "x", channel="D5")
    assert (inbound.direct, inbound.channel, inbound.place) == (True, "", "D5")


def test_menu_entries_are_about_their_message() -> None:
    body = {
        "type": "message_action", "callback_id": "polyrag_remember", "user": {"id": "U1"}, "channel": {"id": "C7"},
        "message": {"ts": TS, "text": "guarde &lt;isto&gt;", "files": [{"id": "F1", "name": "a.csv"}]},
        "message_ts": TS, "response_url": "https://hooks.slack.test/1", "trigger_id": "9.1",
    }  # fmt: skip
    meaning = read(body)
    assert isinstance(meaning, Asked)
    assert (meaning.inbound.command, meaning.inbound.text, meaning.inbound.id) == (
        "remember",
        "guarde <isto>",
        TS,
    )
    assert [item.id for item in meaning.inbound.attachments] == ["F1"]
    why = read(body | {"callback_id": "polyrag_why"})
    assert (why.about, why.inbound.text, why.inbound.attachments) == (TS, "", ())
    assert isinstance(read(body | {"callback_id": "other_app"}), Nothing)


def pressed(action: str, value: str, **fields: Any) -> Any:
    body = {
        "type": "block_actions", "user": {"id": "U1"}, "channel": {"id": "C7"}, "trigger_id": "9.3",
        "container": {"channel_id": "C7", "message_ts": LATER, "is_ephemeral": False},
        "message": {"ts": LATER, "thread_ts": TS, "text": "42"},
        "actions": [{"action_id": action, "value": value, "action_ts": "5.5"}],
    }  # fmt: skip
    return read(body | fields)


def test_buttons_name_what_they_do_and_the_answer() -> None:
    meaning = pressed("polyrag_why", "abc")
    assert isinstance(meaning, Pressed)
    assert (meaning.action, meaning.trace_id, meaning.message) == ("why", "abc", LATER)
    assert (meaning.inbound.thread, meaning.inbound.user, meaning.inbound.ephemeral) == (TS, "U1", False)
    assert pressed("polyrag_feedback", "down abc").action == "down"
    assert isinstance(pressed("somebody_else", "x"), Nothing)


def test_nothing_hangs_on_a_private_message() -> None:
    container = {"channel_id": "C7", "message_ts": LATER, "is_ephemeral": True}
    inbound = pressed("polyrag_share", "abc", container=container, message=None).inbound
    assert inbound.ephemeral
    assert inbound.id != LATER
    assert inbound.thread == ""


@pytest.mark.parametrize("body", [{}, {"event": {}}, {"type": "view_closed"}, {"event": {"type": "message"}}])
def test_a_body_without_what_it_should_have_does_not_break_the_reader(body: Json) -> None:
    read(body)
    keys_of(body, ME)
