"""What the fake Slack refuses, asked for by the real client: tokens, scopes, membership, sizes, shapes, rates."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from tests.adapters.slack.fake import BOT_USER, TEAM, FakeSlack
from tests.adapters.slack.fake.realclients import client_of, refused, room

Block = dict[str, Any]


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    async with FakeSlack() as fake:
        yield fake


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def section(text: str = "x", **more: Any) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}, **more}


def button(text: str = "ok", **more: Any) -> Block:
    return {"type": "button", "text": plain(text), **more}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def table(rows: int = 2, columns: int = 2, text: str = "x") -> Block:
    return {"type": "table", "rows": [[{"type": "raw_text", "text": text}] * columns] * rows}


def container(*children: Block, **more: Any) -> Block:
    return {"type": "container", "title": plain("Como cheguei aqui"), "child_blocks": list(children), **more}


FINE: dict[str, list[Block]] = {
    "fifty blocks": [section()] * 50,
    "a long section": [section("x" * 3000)],
    "a long Markdown": [{"type": "markdown", "text": "x" * 12_000}],
    "a full table": [table(100, 20)],
    "a collapsed container": [container(section(), table(), is_collapsible=True, default_collapsed=True)],
    "twenty-five buttons": [
        actions(*(button("o" * 75, action_id=f"a{n}", value="v" * 2000) for n in range(25)))
    ],
    "feedback": [
        {
            "type": "context_actions",
            "elements": [
                {
                    "type": "feedback_buttons",
                    "action_id": "f",
                    "positive_button": {"text": plain("Boa"), "value": "up"},
                    "negative_button": {"text": plain("Ruim"), "value": "down"},
                }
            ],
        }
    ],
    "a number cell": [{"type": "table", "rows": [[{"type": "raw_number", "value": 3.5, "text": "3,5"}]]}],
}
WRONG: dict[str, tuple[str, list[Block]]] = {
    "51 blocks": ("invalid_blocks", [section()] * 51),
    "51 blocks with children": ("invalid_blocks", [*[section()] * 45, container(*[section()] * 5)]),
    "12,001 characters in all": ("msg_blocks_too_long", [section("x" * 3000)] * 4 + [section()]),
    "a section over 3,000": ("invalid_blocks", [section("x" * 3001)]),
    "an empty section": ("invalid_blocks", [section("")]),
    "a header over 150": ("invalid_blocks", [{"type": "header", "text": plain("x" * 151)}]),
    "a header in mrkdwn": ("invalid_blocks", [{"type": "header", "text": {"type": "mrkdwn", "text": "x"}}]),
    "Markdown over 12,000": ("invalid_blocks", [{"type": "markdown", "text": "x" * 12_001}]),
    "a button text over 75": ("invalid_blocks", [actions(button("x" * 76))]),
    "a button value over 2,000": ("invalid_blocks", [actions(button(value="v" * 2001))]),
    "a button in mrkdwn": (
        "invalid_blocks",
        [actions({"type": "button", "text": {"type": "mrkdwn", "text": "x"}})],
    ),
    "26 buttons": ("invalid_blocks", [actions(*[button()] * 26)]),
    "11 context elements": ("invalid_blocks", [{"type": "context", "elements": [plain("x")] * 11}]),
    "101 rows": ("invalid_blocks", [table(101)]),
    "21 columns": ("invalid_blocks", [table(2, 21)]),
    "an empty cell": ("invalid_blocks", [table(text="")]),
    "a ragged table": (
        "invalid_blocks",
        [{"type": "table", "rows": [table(1)["rows"][0], table(1, 3)["rows"][0]]}],
    ),
    "10,001 characters in a table": ("invalid_blocks", [table(2, 1, "x" * 5001)]),
    "two tables": ("invalid_blocks", [table(), table()]),
    "two tables, one inside": ("invalid_blocks", [table(), container(table())]),
    "an empty container": ("invalid_blocks", [container()]),
    "11 children": ("invalid_blocks", [container(*[section()] * 11)]),
    "Markdown in a container": ("invalid_blocks", [container({"type": "markdown", "text": "x"})]),
    "a container in a container": ("invalid_blocks", [container(container(section()))]),
    "a container without title": ("invalid_blocks", [{"type": "container", "child_blocks": [section()]}]),
    "collapsed, not collapsible": ("invalid_blocks", [container(section(), default_collapsed=True)]),
    "divider and collapsible": (
        "invalid_blocks",
        [container(section(), is_collapsible=True, has_header_divider=True)],
    ),
    "an unknown block": ("invalid_blocks", [{"type": "accordion"}]),
    "an unknown field": ("invalid_blocks", [section(colour="red")]),
    "an input": (
        "invalid_blocks",
        [{"type": "input", "label": plain("x"), "element": {"type": "plain_text_input"}}],
    ),
    "a block id twice": ("invalid_blocks", [section(block_id="a"), section(block_id="a")]),
    "an action id twice": (
        "invalid_blocks",
        [actions(button(action_id="a")), actions(button(action_id="a"))],
    ),
}


@pytest.mark.parametrize("blocks", FINE.values(), ids=FINE)
async def test_a_message_up_to_the_limits_is_taken(slack: FakeSlack, blocks: list[Block]) -> None:
    _, channel = await room(slack)
    posted = await client_of(slack).chat_postMessage(channel=channel, text="x", blocks=blocks)

    assert slack.message(channel, posted["ts"]).blocks == blocks


@pytest.mark.parametrize(("error", "blocks"), WRONG.values(), ids=WRONG)
async def test_a_message_over_a_limit_is_refused_and_not_posted(
    slack: FakeSlack, error: str, blocks: list[Block]
) -> None:
    _, channel = await room(slack)
    client = client_of(slack)

    assert await refused(client.chat_postMessage(channel=channel, text="x", blocks=blocks)) == error
    assert slack.bot_messages(channel) == []
    kept = await client.chat_postMessage(channel=channel, text="antes")
    assert await refused(client.chat_update(channel=channel, ts=kept["ts"], text="x", blocks=blocks)) == error
    assert slack.message(channel, kept["ts"]).text == "antes"


async def test_text_has_limits_of_its_own(slack: FakeSlack) -> None:
    _, channel = await room(slack)
    client = client_of(slack)

    assert await refused(client.chat_postMessage(channel=channel, text="x" * 40_001)) == "msg_too_long"
    assert (
        await refused(client.chat_postMessage(channel=channel, markdown_text="x" * 12_001)) == "msg_too_long"
    )
    assert await refused(client.chat_postMessage(channel=channel, text="")) == "no_text"
    both = client.chat_postMessage(channel=channel, text="x", markdown_text="y")
    assert await refused(both) == "markdown_text_conflict"


@pytest.mark.parametrize(("switch", "block"), [("containers", container(section())), ("tables", table())])
async def test_a_workspace_may_not_know_the_newer_blocks(slack: FakeSlack, switch: str, block: Block) -> None:
    _, channel = await room(slack)
    setattr(slack.rules, switch, False)

    assert (
        await refused(client_of(slack).chat_postMessage(channel=channel, text="x", blocks=[block]))
        == "invalid_blocks"
    )


async def test_what_would_notify_people_is_written_down_and_escaped_text_is_not(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    client = client_of(slack)
    await client.chat_postMessage(channel=channel, text="&lt;!channel&gt; &lt;@U1&gt; <#C1> @here")
    assert slack.pings == []
    await client.chat_postMessage(channel=channel, text="@here", link_names=True)
    await client.chat_postMessage(channel=channel, text="x", blocks=[section(f"<!channel> <@{ana}>")])
    await client.chat_postMessage(channel=channel, text="x", blocks=[{"type": "markdown", "text": "<!here>"}])
    await client.chat_postMessage(
        channel=channel, text="x", blocks=[{"type": "header", "text": plain("<!here>")}]
    )
    user = {"type": "rich_text_section", "elements": [{"type": "user", "user_id": ana}]}
    rich = {"type": "rich_text", "elements": [user]}
    await client.chat_postMessage(channel=channel, text="x", blocks=[rich])

    assert [ping.what for ping in slack.pings] == ["@here", "<!channel>", f"<@{ana}>", "<!here>", ana]


async def test_tokens_scopes_and_methods_are_checked(slack: FakeSlack) -> None:
    _, channel = await room(slack)
    stranger = AsyncWebClient(token="xoxb-somebody", base_url=slack.api_url)
    nobody = AsyncWebClient(base_url=slack.api_url)
    slack.scopes = frozenset({"chat:write"})

    assert await refused(stranger.auth_test()) == "invalid_auth"
    assert await refused(nobody.auth_test()) == "not_authed"
    assert await refused(client_of(slack).api_call("chat.postMesage")) == "unknown_method"
    assert (
        await refused(client_of(slack).apps_connections_open(app_token=slack.bot_token))
        == "not_allowed_token_type"
    )
    with pytest.raises(SlackApiError) as caught:
        await client_of(slack).conversations_members(channel=channel)
    assert caught.value.response["error"] == "missing_scope"
    assert caught.value.response["provided"] == "chat:write"
    assert (await client_of(slack).auth_test()).headers["x-oauth-scopes"] == "chat:write"


async def test_arguments_come_as_query_form_or_json(slack: FakeSlack) -> None:
    _, channel = await room(slack)
    url, headers = f"{slack.api_url}conversations.info", {"Authorization": f"Bearer {slack.bot_token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        query = await (await session.get(url, params={"channel": channel})).json()
        form = await (await session.post(url, data={"channel": channel})).json()
        body = await (await session.post(url, json={"channel": channel})).json()
        none = await (await session.post(url)).json()

    assert [answer["channel"]["name"] for answer in (query, form, body)] == ["vendas"] * 3
    assert none["error"] == "invalid_arguments"


async def test_a_place_without_the_bot_is_closed_and_a_private_one_is_unknown(slack: FakeSlack) -> None:
    ana, public = await room(slack, bot=False)
    hidden = await slack.add_channel("rh", private=True, members=[ana], bot=False)
    client = client_of(slack)

    assert await refused(client.chat_postMessage(channel=public, text="x")) == "not_in_channel"
    assert await refused(client.chat_postMessage(channel=hidden, text="x")) == "channel_not_found"
    assert await refused(client.conversations_history(channel=public)) == "not_in_channel"
    assert await refused(client.conversations_members(channel=hidden)) == "channel_not_found"
    assert (await client.conversations_info(channel=public))["channel"]["is_member"] is False
    types = "public_channel,private_channel"
    listed = await client.conversations_list(types=types)
    assert [place["id"] for place in listed["channels"]] == [public]
    shared = await client.users_conversations(user=ana, types=types)
    assert [place["id"] for place in shared["channels"]] == [public]


async def test_listings_come_in_pages(slack: FakeSlack) -> None:
    people = [await slack.add_user(f"p{number}") for number in range(5)]
    channel = await slack.add_channel("todos", members=people)
    slack.world.page_cap = 2
    client, found, cursor = client_of(slack), [], ""
    while True:
        page = await client.conversations_members(channel=channel, cursor=cursor, limit=200)
        found += page["members"]
        if not (cursor := page["response_metadata"]["next_cursor"]):
            break

    assert found == [*people, BOT_USER]
    assert len(slack.calls("conversations.members")) == 3
    assert await refused(client.conversations_members(channel=channel, cursor="!")) == "invalid_cursor"


async def test_only_own_and_existing_messages_can_be_changed(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    theirs = await slack.post(ana, channel, "meu")
    client = client_of(slack)
    hint = await client.chat_postEphemeral(channel=channel, user=ana, text="só você")

    assert await refused(client.chat_update(channel=channel, ts=theirs, text="x")) == "cant_update_message"
    assert await refused(client.chat_delete(channel=channel, ts=theirs)) == "cant_delete_message"
    assert await refused(client.chat_update(channel=channel, ts="1.2", text="x")) == "message_not_found"
    assert (
        await refused(client.chat_update(channel=channel, ts=hint["message_ts"], text="x"))
        == "message_not_found"
    )
    assert (
        await refused(client.chat_postMessage(channel=channel, thread_ts="1.2", text="x"))
        == "thread_not_found"
    )
    reply = await client.chat_postMessage(channel=channel, thread_ts=theirs, text="resposta")
    deeper = client.chat_postMessage(channel=channel, thread_ts=reply["ts"], text="x")
    assert await refused(deeper) == "cannot_reply_to_message"
    outsider = await slack.add_user("fora")
    assert (
        await refused(client.chat_postEphemeral(channel=channel, user=outsider, text="x"))
        == "user_not_in_channel"
    )
    await slack.archive(ana, channel)
    assert await refused(client.chat_postMessage(channel=channel, text="x")) == "is_archived"


async def test_an_update_without_blocks_keeps_them_and_is_shown_as_edited(slack: FakeSlack) -> None:
    _, channel = await room(slack)
    client = client_of(slack)
    ts = (await client.chat_postMessage(channel=channel, text="a", blocks=[section()]))["ts"]
    message = slack.message(channel, ts)
    await client.chat_update(channel=channel, ts=ts, text="b", blocks=[section("novo")])
    assert (message.text, message.edited) == ("b", "")
    await client.chat_update(channel=channel, ts=ts, text="c")
    assert (message.text, message.blocks, bool(message.edited)) == ("c", [section("novo")], True)
    await client.chat_update(channel=channel, ts=ts, text="d", blocks=[])
    assert (message.text, message.blocks) == ("d", [])
    assert [text.split("\n")[0] for text in slack.history_of(message)] == ["a", "b", "c", "d"]


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


async def test_a_second_message_within_the_second_waits_and_the_sdk_retries_by_itself(
    slack: FakeSlack,
) -> None:
    _, channel = await room(slack)
    _, other = await room(slack)
    slack.limits.on, slack.limits.post_burst = True, 1
    await client_of(slack).chat_postMessage(channel=channel, text="um")
    with pytest.raises(SlackApiError) as caught:
        await client_of(slack).chat_postMessage(channel=channel, text="dois")
    assert (caught.value.response.status_code, caught.value.response.headers["Retry-After"]) == (429, "1")
    await client_of(slack).chat_postMessage(channel=other, text="outro lugar")
    patient = client_of(slack, retry_handlers=[AsyncRateLimitErrorRetryHandler(max_retry_count=2)])
    await patient.chat_postMessage(channel=channel, text="três")

    assert [m.text for m in slack.bot_messages(channel)] == ["um", "três"]
    assert slack.limits.refused["chat.postMessage"] >= 1


async def test_each_method_has_its_tier_and_time_gives_calls_back(slack: FakeSlack) -> None:
    _, channel = await room(slack)
    slack.limits.on, slack.limits.tiers = True, {1: 1, 2: 1, 3: 2, 4: 3}
    client = client_of(slack)
    for _ in range(2):
        await client.conversations_info(channel=channel)
    assert await refused(client.conversations_info(channel=channel)) == "ratelimited"
    await client.conversations_members(channel=channel)
    slack.world.advance(31)
    await client.conversations_info(channel=channel)


async def test_ordered_failures_come_as_ordered_and_then_stop(slack: FakeSlack) -> None:
    _, channel = await room(slack)
    client = client_of(slack, timeout=1, retry_handlers=[])
    slack.fail("chat.postMessage", error="invalid_blocks")
    assert await refused(client.chat_postMessage(channel=channel, text="1")) == "invalid_blocks"
    slack.fail("chat.postMessage", status=500)
    with pytest.raises(SlackApiError):
        await client.chat_postMessage(channel=channel, text="2")
    slack.fail("chat.postMessage", drop=True)
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel=channel, text="3")
    slack.fail("chat.postMessage", drop=True, after=True)
    with pytest.raises(aiohttp.ClientError):
        await client.chat_postMessage(channel=channel, text="4, and the answer got lost")
    slack.fail("chat.postMessage", delay=1.5, error="fatal_error")
    with pytest.raises(asyncio.TimeoutError):
        await client.chat_postMessage(channel=channel, text="5")
    slack.fail("chat.postMessage", retry_after=7, when=lambda arguments: arguments["text"] == "7")
    await client.chat_postMessage(channel=channel, text="6")
    assert await refused(client.chat_postMessage(channel=channel, text="7")) == "ratelimited"

    texts = [m.text for m in slack.bot_messages(channel)]
    assert texts == ["4, and the answer got lost", "6"]


async def test_home_takes_no_blocks_of_messages_and_a_hash_guards_it(slack: FakeSlack) -> None:
    ana = await slack.add_user("ana")
    client = client_of(slack)
    view = {"type": "home", "blocks": [section("olá")]}
    shown = await client.views_publish(user_id=ana, view=view)
    assert slack.home_text(ana) == "olá"
    assert await refused(client.views_publish(user_id=ana, view=view, hash="old")) == "hash_conflict"
    await client.views_publish(user_id=ana, view=view, hash=shown["view"]["hash"])
    for block in ({"type": "markdown", "text": "x"}, table()):
        wrong = client.views_publish(user_id=ana, view={"type": "home", "blocks": [block]})
        assert await refused(wrong) == "invalid_blocks"
    many = client.views_publish(user_id=ana, view={"type": "home", "blocks": [section()] * 101})
    assert await refused(many) == "invalid_blocks"


async def test_assistant_calls_are_kept_and_a_reply_takes_the_status_away(slack: FakeSlack) -> None:
    ana = await slack.add_user("ana")
    place, thread = await slack.assistant_thread(ana)
    client = client_of(slack)
    prompts = [{"title": "O que você sabe?", "message": "O que você sabe?"}]
    await client.assistant_threads_setSuggestedPrompts(channel_id=place, thread_ts=thread, prompts=prompts)
    await client.assistant_threads_setTitle(channel_id=place, thread_ts=thread, title="Vendas")
    await client.assistant_threads_setStatus(
        channel_id=place, thread_ts=thread, status="lendo…", loading_messages=["lendo as planilhas…"]
    )
    assert slack.status(place, thread) == "lendo…"
    await client.chat_postMessage(channel=place, thread_ts=thread, text="Foram 19.")
    assert slack.status(place, thread) == ""
    assert (slack.world.titles[place, thread], slack.world.prompts[place, thread]) == ("Vendas", prompts)
    five = client.assistant_threads_setSuggestedPrompts(
        channel_id=place, thread_ts=thread, prompts=prompts * 5
    )
    assert await refused(five) == "invalid_arguments"


async def test_people_see_what_slack_shows_them(slack: FakeSlack) -> None:
    ana, channel = await room(slack)
    bia, guest = await slack.add_user("bia"), await slack.add_user("gil", guest=True)
    hidden = await slack.add_channel("rh", private=True, members=[ana])
    client = client_of(slack)
    await client.chat_postMessage(channel=channel, text="todos")
    await client.chat_postMessage(channel=hidden, text="poucos")
    await client.chat_postEphemeral(channel=channel, user=ana, text="ana")
    await client.chat_postMessage(channel=bia, text="conversa")

    assert [m.text for m in slack.visible_to(ana)] == ["todos", "poucos", "ana"]
    assert [m.text for m in slack.visible_to(bia)] == ["todos", "conversa"]
    assert slack.visible_to(guest) == []
    info = (await client.users_info(user=guest, include_locale=True))["user"]
    assert (info["is_restricted"], info["locale"]) == (True, "pt-BR")
