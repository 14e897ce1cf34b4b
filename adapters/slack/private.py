"""A reply that one person sees: through a response address, as an ephemeral message, or directly."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from adapters.slack.calls import BROKEN, error_of, told
from adapters.slack.write import Post, posts
from bot.messages import Inbound, OutFile, Reply
from bot.phrases import say
from core.harmless import shown_name

if TYPE_CHECKING:
    from adapters.slack.outlet import SlackOutlet

log = logging.getLogger("polyrag.slack")
WEBHOOK_USES = 5  # that Slack allows one response address
_TS = re.compile(r"\d+\.\d+\Z")
_REFUSED = re.compile(
    r"invalid_blocks|invalid_attach|msg_|block_mismatch|no_text|invalid_arg|markdown|too_long|table"
)


def is_message(id: str) -> bool:
    """Whether an id is that of a message; commands and private buttons have none."""
    return _TS.match(id) is not None


def is_about_form(err: SlackApiError) -> bool:
    """Whether a refusal is about how a message is made, so that a simpler one may be taken."""
    return _REFUSED.search(error_of(err)) is not None


class PrivateDraft:
    """A reply that one person sees."""

    def __init__(self, outlet: SlackOutlet, inbound: Inbound, thread: str = "") -> None:
        self.id = ""
        self._outlet = outlet
        self._thread = thread or (inbound.thread if is_message(inbound.thread) else "")
        self._respond = outlet.origin(inbound).respond
        self._uses = 0
        self._apart = False  # the direct message is the way by now
        self.inbound = inbound

    async def show(self, text: str) -> None:
        """Private messages cannot be changed while they are written; the acknowledgement was the sign."""

    async def finish(self, reply: Reply) -> str:
        """Raises: SlackApiError when Slack takes no form of it."""
        out = self._outlet
        if reply.files:
            sent = await self._send_files(reply.files)
            reply = replace(reply, text=f"{reply.text}\n{sent}".strip())
        names = await out.names_in(self.inbound, reply)
        await out.formed(lambda form: self._say_all(posts(reply, form, names)))
        return ""

    async def _say_all(self, made: Sequence[Post]) -> None:
        for post in made:
            await self._say(post)

    async def _send_files(self, files: Sequence[OutFile]) -> str:
        """Slack has no private files in a channel: they go to the person's direct message."""
        out = self._outlet
        channel = self.inbound.place
        if not self.inbound.direct:
            opened = await out.client.conversations_open(users=self.inbound.user)
            channel = str(opened["channel"]["id"])
        await out.upload(files, channel)
        names = ", ".join(f"`{shown_name(file.name)}`" for file in files)
        return say("slack_file_sent", out.language(self.inbound), names=names)

    async def _say(self, post: Post) -> None:
        """Through the response address while it lasts, else as an ephemeral message, else in a direct message.

        Each way shows it to the person alone. Raises: SlackApiError when the last one fails, or about its form.
        """
        if self._respond and self._uses < WEBHOOK_USES and await self._to_webhook(post):
            return
        self._respond = ""  # what follows stays together
        more: dict[str, Any] = {"blocks": list(post.blocks)} if post.blocks else {}
        if self._apart or not await self._as_ephemeral(post, more):
            self._apart = True
            await self._outlet.posting(channel=self.inbound.user, text=post.text, **more)

    async def _as_ephemeral(self, post: Post, more: Mapping[str, Any]) -> bool:
        """False where Slack shows none: the person or the bot is not in the channel, or it takes none now."""
        try:
            await told(
                self._outlet.client.chat_postEphemeral,
                channel=self.inbound.place,
                user=self.inbound.user,
                text=post.text,
                thread_ts=self._thread or None,
                **more,
            )
        except SlackApiError as err:
            if is_about_form(err):
                raise
            log.info("no ephemeral message", extra={"channel": self.inbound.place, "error": error_of(err)})
            return False
        return True

    async def _to_webhook(self, post: Post) -> bool:
        """False when the address has expired or does not answer. Raises: SlackApiError when Slack refuses the message itself."""
        self._uses += 1
        hook = AsyncWebhookClient(
            self._respond, session=self._outlet.client.session, retry_handlers=[]
        )  # fmt: skip
        try:
            answer = await hook.send(
                text=post.text,
                blocks=list(post.blocks) or None,
                response_type="ephemeral",
                replace_original=False,
            )
        except BROKEN as err:
            log.info("response address failed", extra={"error": repr(err)})
            return False
        error = webhook_error(answer.status_code, answer.body)
        if not error:
            return True
        if _REFUSED.search(error):
            told = {"ok": False, "error": error}
            raise SlackApiError(f"response address: {error}", told)  # type: ignore[no-untyped-call]
        log.info("response address failed", extra={"error": error})
        return False


def webhook_error(status: int, body: str) -> str:
    """The error of a response address's answer: "ok", or JSON, or a bare word; "" when there is none."""
    try:
        told = json.loads(body)
    except ValueError:
        told = None
    if isinstance(told, dict):
        return "" if told.get("ok") else str(told.get("error") or "unknown")
    return "" if status == 200 else body.strip()[:100] or f"HTTP {status}"
