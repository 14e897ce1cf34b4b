"""Streams, downloads and uploads of the fake Slack, by the real client's own helpers."""

from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from tests.adapters.slack.fake import TEAM, FakeSlack
from tests.adapters.slack.fake.realclients import client_of, refused, room
from tests.adapters.slack.fake.samples import section


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    async with FakeSlack() as fake:
        yield fake


async def test_the_stream_helper_streams_and_a_stopped_stream_takes_no_more(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    thread = await slack.post(ana, channel, "quanto?")
    client = client_of(slack)
    stream = await client.chat_stream(
        channel=channel, thread_ts=thread, recipient_team_id=TEAM, recipient_user_id=ana, buffer_size=4
    )
    for piece in ("Foram ", "**19** ", "peças."):
        await stream.append(markdown_text=piece)
    message = slack.messages(channel, thread)[0]
    assert (message.text, message.streaming) == ("Foram **19** peças.", True)
    assert "chunks" in slack.calls("chat.appendStream")[0].arguments
    assert (
        await refused(client.chat_update(channel=channel, ts=message.ts, text="x"))
        == "streaming_state_conflict"
    )
    await stream.stop(blocks=[section("fontes")])
    assert (message.streaming, slack.text_of(message)) == (False, "Foram **19** peças.\nfontes")
    late = client.chat_appendStream(channel=channel, ts=message.ts, markdown_text="x")
    assert await refused(late) == "message_not_in_streaming_state"


async def test_a_stream_needs_its_reader_in_channels_and_pieces_of_at_most_12_000(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    thread, client = await slack.post(ana, channel, "quanto?"), client_of(slack)
    place: dict[str, Any] = {"channel": channel, "thread_ts": thread}
    reader = {"recipient_team_id": TEAM, "recipient_user_id": ana}

    assert await refused(client.chat_startStream(**place)) == "missing_recipient_team_id"
    assert (
        await refused(client.chat_startStream(**place, recipient_team_id=TEAM)) == "missing_recipient_user_id"
    )
    long = client.chat_startStream(**place, **reader, markdown_text="x" * 12_001)
    assert await refused(long) == "msg_too_long"
    ts = (await client.chat_startStream(**place, **reader))["ts"]
    long = client.chat_appendStream(
        channel=channel, ts=ts, chunks=[{"type": "markdown_text", "text": "x" * 12_001}]
    )
    assert await refused(long) == "msg_too_long"
    odd = client.chat_appendStream(channel=channel, ts=ts, chunks=[{"type": "picture"}])
    assert await refused(odd) == "invalid_chunks"
    assert (
        await refused(client.chat_stopStream(channel=channel, ts=ts, blocks=[section()] * 51))
        == "invalid_blocks"
    )
    slack.rules.streams = False
    assert (
        await refused(client.chat_startStream(**place, **reader)) == "method_not_supported_for_channel_type"
    )
    private = await slack.open_dm(ana)
    slack.rules.streams = True
    root = await slack.post(ana, private, "oi")
    assert (await client.chat_startStream(channel=private, thread_ts=root))["ok"]


async def test_files_open_for_the_bearer_alone_and_others_get_the_sign_in_page(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    ts = await slack.post(ana, channel, files={"preços.csv": b"a,b\n1,2"})
    file = slack.message(channel, ts).files[0]
    url = (await client_of(slack).files_info(file=file))["file"]["url_private_download"]
    async with aiohttp.ClientSession() as session:
        with_token = await session.get(url, headers={"Authorization": f"Bearer {slack.bot_token}"})
        without = await session.get(url)
        slack.scopes -= {"files:read"}
        no_scope = await session.get(url, headers={"Authorization": f"Bearer {slack.bot_token}"})
        assert await with_token.read() == b"a,b\n1,2"
        assert (without.status, without.content_type, no_scope.content_type) == (
            200,
            "text/html",
            "text/html",
        )
        assert "signin_form" in await no_scope.text()
        slack.scopes |= {"files:read"}
        await slack.delete_file(ana, file)
        gone = await session.get(url, headers={"Authorization": f"Bearer {slack.bot_token}"})
    assert gone.status == 404
    assert await refused(client_of(slack).files_info(file=file)) == "file_deleted"


async def test_a_file_is_unknown_where_the_bot_is_not(slack: FakeSlack) -> None:
    ana, channel = await room(slack, bot=False)
    ts = await slack.post(ana, channel, files={"a.txt": b"x"})

    assert (
        await refused(client_of(slack).files_info(file=slack.message(channel, ts).files[0]))
        == "file_not_found"
    )


async def test_slack_connect_shows_an_id_and_a_foreign_file_tempts_with_its_address(slack: FakeSlack) -> None:
    ana, channel = await room(slack, connect=True)
    client = client_of(slack)
    shared = await slack.post(ana, channel, files={"a.csv": b"x"})
    history = await client.conversations_history(channel=channel)
    file = history["messages"][0]["files"][0]
    assert file == {
        "id": slack.message(channel, shared).files[0],
        "mode": "file_access",
        "file_access": "check_file_info",
    }
    assert (await client.files_info(file=file["id"]))["file"]["name"] == "a.csv"
    drive = await slack.share_external(ana, channel, "plano.gdoc")
    info = (await client.files_info(file=slack.message(channel, drive).files[0]))["file"]
    assert (info["is_external"], info["mode"]) == (True, "external")
    async with aiohttp.ClientSession() as session:
        await session.get(info["url_private"], headers={"Authorization": f"Bearer {slack.bot_token}"})
    assert slack.leaked_tokens == ["/elsewhere/plano.gdoc"]


async def test_the_bot_uploads_a_file_into_a_thread(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    thread = await slack.post(ana, channel, "quero tudo")
    answer = await client_of(slack).files_upload_v2(
        channel=channel,
        thread_ts=thread,
        filename="tudo.csv",
        content="a;b\n1;2\n",
        initial_comment="Aqui está.",
    )

    message = slack.messages(channel, thread)[0]
    assert (message.text, message.files) == ("Aqui está.", [answer["file"]["id"]])
    assert slack.file_bytes(message.files[0]) == b"a;b\n1;2\n"
