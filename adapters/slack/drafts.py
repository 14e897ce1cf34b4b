"""Replies on their way: one that everybody in the place sees, and one for a person alone."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slack_sdk.errors import SlackApiError
from slack_sdk.webhook.async_client import AsyncWebhookClient

from adapters.slack.calls import BROKEN, error_of, is_passing, told
from adapters.slack.mrkdwn import unpinged
from adapters.slack.write import Post, draft_text, posts
from bot.messages import Inbound, OutFile, Reply
from bot.phrases import say
from core.harmless import harmless

if TYPE_CHECKING:
    from adapters.slack.outlet import SlackOutlet

log = logging.getLogger("polyrag.slack")
STREAMED = 10_000  # characters of one streamed message; the final reply has the whole text
APPEND_EVERY, UPDATE_EVERY = 0.8, 1.2  # seconds; Slack allows 100 and 50 calls a minute
WEBHOOK_USES = 5  # that Slack allows one response address
_TS = re.compile(r"\d+\.\d+\Z")
_REFUSED = re.compile(
    r"invalid_blocks|invalid_attach|msg_|block_mismatch|no_text|invalid_arg|markdown|too_long|table"
)
_STREAMING = "streaming_state_conflict"
_GONE = ("message_not_found", "cant_update_message", "edit_window_closed", _STREAMING)


def is_message(id: str) -> bool:
    """Whether an id is that of a message; commands and private buttons have none."""
    return _TS.match(id) is not None


def is_about_form(err: SlackApiError) -> bool:
    """Whether a refusal is about how a message is made, so that a simpler one may be taken."""
    return _REFUSED.search(error_of(err)) is not None


class SlackDraft:
    """A reply that everybody in the place sees."""

    def __init__(self, outlet: SlackOutlet, inbound: Inbound, thread: str) -> None:
        self._outlet = outlet
        self._thread = thread
        self._ids: list[str] = [inbound.draft] if inbound.draft else []
        self._stream = ""  # id of a message that is being streamed
        self._streaming = False  # a status stands, or a stream runs
        self._shown = ""
        self._at = 0.0
        self._sending: asyncio.Task[None] | None = None
        self.id = inbound.draft
        self.inbound = replace(inbound, thread=thread or (inbound.place if inbound.direct else ""))

    async def open(self) -> None:
        """The first visible sign: a status where Slack takes one, else a placeholder message."""
        out = self._outlet
        if self._thread and out.native and await out.first_status(self.inbound, self._thread):
            self._streaming = True
            return
        try:
            await self._post(Post(say("slack_working", out.language(self.inbound))))
        except SlackApiError as err:  # the reply itself is tried all the same
            log.warning("no placeholder", extra={"error": error_of(err)})

    async def show(self, text: str) -> None:
        """Waits for its turn; a call that is on its way when the caller gives up still counts."""
        every = APPEND_EVERY if self._streaming else UPDATE_EVERY
        delay = self._at + every - asyncio.get_running_loop().time()
        if delay > 0:
            await asyncio.sleep(delay)
        self._at = asyncio.get_running_loop().time()
        self._sending = asyncio.create_task(self._send(text))
        await asyncio.shield(self._sending)

    async def finish(self, reply: Reply) -> str:
        """Raises: SlackApiError when Slack takes no form of it."""
        if self._sending is not None:
            await asyncio.gather(self._sending, return_exceptions=True)
        if reply.ephemeral:
            await self._withdraw()
            return await PrivateDraft(self._outlet, self.inbound, self._thread).finish(reply)
        names = await self._outlet.names_in(self.inbound, reply)
        try:
            await self._outlet.formed(lambda form: self._final(posts(reply, form, names)))
        except SlackApiError as err:
            if not is_passing(err):
                raise
            await self._give_up(err)
            return ""
        if reply.files:
            await self._outlet.upload(reply.files, self.inbound.place, self._thread)
        return self._ids[-1]

    # --- while it is written ---

    async def _send(self, text: str) -> None:
        text = unpinged(text)
        if not text.strip() or text == self._shown:
            return
        goes_on = self._streaming and (not self._stream or text.startswith(self._shown))
        if goes_on and await self._stream_on(text):
            return
        await self._stop_stream()
        if self._ids:
            out = self._outlet
            await out.lightly(
                out.light.chat_update, channel=self.inbound.place, ts=self._ids[0], text=draft_text(text)
            )  # fmt: skip
        else:
            await self._post(Post(draft_text(text)))
        self._shown = text

    async def _stream_on(self, text: str) -> bool:
        """The next piece of a stream; False where Slack streams nothing here."""
        out, piece = self._outlet, text[len(self._shown) :]
        if len(text) > STREAMED:
            return True
        if self._stream:
            done = await out.lightly(
                out.light.chat_appendStream, channel=self.inbound.place, ts=self._stream, markdown_text=piece
            )  # fmt: skip
            self._shown = text if done is not None else self._shown
            return True
        await out.pace.wait(self.inbound.place)
        done = await out.lightly(
            out.light.chat_startStream,
            channel=self.inbound.place,
            thread_ts=self._thread,
            recipient_user_id=self.inbound.user,
            recipient_team_id=await self._team(),
            markdown_text=piece,
        )
        if done is None:
            self._streaming = False
            return False
        self._stream = str(done["ts"])
        self._ids.append(self._stream)
        self._shown = text
        await self._noted(self._stream)
        return True

    async def _team(self) -> str:
        """Of the person who asked: Slack wants it beside their id."""
        return (await self._outlet.people.person(self.inbound.user)).team

    async def _stop_stream(self) -> None:
        """From here on the streamed message is one like any other."""
        self._streaming = False
        if self._stream:
            ts, self._stream = self._stream, ""
            try:
                await told(self._outlet.client.chat_stopStream, channel=self.inbound.place, ts=ts)
            except SlackApiError as err:  # Slack ends a stream by itself when it lasts too long
                log.info("stream not stopped", extra={"error": error_of(err)})

    # --- at the end ---

    async def _give_up(self, err: SlackApiError) -> None:
        """Slack takes no form of the reply here: the person is told so on another way, and a sign stands on the message."""
        out, inbound = self._outlet, self.inbound
        log.error("reply not delivered", extra={"channel": inbound.place, "error": error_of(err)})
        if self._thread:
            await out.status(inbound, self._thread, "")
        await out.sign(inbound, "failed")
        failed = say("slack_not_delivered", out.language(inbound))
        await PrivateDraft(out, inbound, self._thread).finish(Reply(failed, out.language(inbound)))

    async def _final(self, made: Sequence[Post]) -> None:
        """Every post in place of what is there already; what is left over goes."""
        if self._stream:
            await self._stop_stream()
        for number, post in enumerate(made):
            if number < len(self._ids):
                await self._put(number, post)
            else:
                await self._post(post)
        for surplus in self._ids[len(made) :]:
            await self._outlet.lightly(
                self._outlet.light.chat_delete, channel=self.inbound.place, ts=surplus
            )  # fmt: skip
        del self._ids[len(made) :]

    async def _put(self, number: int, post: Post) -> None:
        """Change a message of ours; one that was deleted meanwhile is posted again."""
        try:
            await self._update(self._ids[number], post)
        except SlackApiError as err:
            if error_of(err) not in _GONE and not is_passing(err):
                raise
            log.info("posted anew", extra={"error": error_of(err)})
            kept, self._ids = self._ids, []
            try:
                await self._post(post)
            except SlackApiError:
                self._ids = kept
                raise
            stale, kept[number] = kept[number], self._ids[0]
            self._ids = kept
            if error_of(err) not in _GONE:
                await self._outlet.lightly(
                    self._outlet.light.chat_delete, channel=self.inbound.place, ts=stale
                )  # fmt: skip

    async def _update(self, ts: str, post: Post) -> None:
        """Raises: SlackApiError. A stream that a killed process left open is ended first."""
        update = self._outlet.client.chat_update
        what: dict[str, Any] = {"text": post.text, "blocks": list(post.blocks)}
        try:
            await told(update, channel=self.inbound.place, ts=ts, **what)
        except SlackApiError as err:
            if error_of(err) != _STREAMING:
                raise
            self._stream = ts
            await self._stop_stream()
            await told(update, channel=self.inbound.place, ts=ts, **what)

    async def _post(self, post: Post) -> None:
        await self._outlet.pace.wait(self.inbound.place)
        more: dict[str, Any] = {"blocks": list(post.blocks)} if post.blocks else {}
        ts = await self._outlet.posting(
            channel=self.inbound.place, text=post.text, thread=self._thread, **more
        )  # fmt: skip
        self._ids.append(ts)
        if len(self._ids) == 1:
            await self._noted(self._ids[0])
        if not self._thread and not self.inbound.direct:  # what follows hangs on the first message
            self._thread = self._ids[0]
            self.inbound = replace(self.inbound, thread=self._thread)

    async def _noted(self, ts: str) -> None:
        """The message that stands for the reply: a later process takes it over if this one dies."""
        self.id = ts
        key = self._outlet.origin(self.inbound).key
        if key:
            await self._outlet.drafted(key, ts)

    async def _withdraw(self) -> None:
        """The reply is for one person: nothing of it stays in the place."""
        if self._streaming and not self._stream:
            await self._outlet.status(self.inbound, self._thread, "")
        await self._stop_stream()
        for ts in self._ids:
            try:
                await told(self._outlet.client.chat_delete, channel=self.inbound.place, ts=ts)
            except (
                SlackApiError
            ) as err:  # what stands there was meant for everybody: no reason to lose the reply
                log.warning("draft not withdrawn", extra={"error": error_of(err)})
        self._ids = []


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
        names = ", ".join(f"`{harmless(file.name)}`" for file in files)
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
