"""Tokens, scopes, membership, pages, rates and ordered failures of the fake Slack, met by the real client."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_async_handlers import AsyncRateLimitErrorRetryHandler
from slack_sdk.web.async_client import AsyncWebClient

from tests.adapters.slack.fake import BOT_USER, FakeSlack
from tests.adapters.slack.fake.realclients import client_of, refused, room
from tests.adapters.slack.fake.samples import section, table


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    async with FakeSlack() as fake:
        yield fake


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
