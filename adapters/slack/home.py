"""The Home tab: what the bot knows in the channels that this person reads, how it is, what can be asked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slack_sdk.models.blocks import DividerBlock, HeaderBlock

from adapters.slack.mrkdwn import ids_in, named
from adapters.slack.outlet import Names
from adapters.slack.write import text_blocks
from bot.messages import Inbound
from bot.phrases import say

if TYPE_CHECKING:
    from bot.app import App

SECTIONS = (("slack_home_files", "sources"), ("slack_home_health", "status"), ("slack_home_help", "help"))
BLOCKS = 95  # Slack takes 100


async def home_view(app: "App", inbound: Inbound, names: Names) -> dict[str, Any]:
    """The view of one person: the replies that the same commands would give them in a direct message.

    Args: inbound: a direct message of that person, without text.
    """
    blocks: list[dict[str, Any]] = []
    language = inbound.locale if inbound.locale != "und" else app.settings.language
    for title, command in SECTIONS:
        reply = await app.handle(replace(inbound, command=command))
        text = named(reply.text, await names(inbound, ids_in(reply.text)))
        blocks += [HeaderBlock(text=say(title, language)).to_dict(), *text_blocks(text, "simple")]
        blocks.append(DividerBlock().to_dict())
    return view(blocks[:BLOCKS])


def view(blocks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return {"type": "home", "blocks": list(blocks)}
