"""The messages that the fake Slack takes and refuses: sizes, shapes, and what would notify people."""

from collections.abc import AsyncIterator

import pytest

from tests.adapters.slack.fake import FakeSlack
from tests.adapters.slack.fake.realclients import client_of, refused, room
from tests.adapters.slack.fake.samples import Block, actions, button, container, plain, section, table


@pytest.fixture
async def slack() -> AsyncIterator[FakeSlack]:
    async with FakeSlack() as fake:
        yield fake


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
