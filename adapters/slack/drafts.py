"""A reply on its way that everybody in the place sees."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slack_sdk.errors import SlackApiError

from adapters.slack.calls import error_of, is_passing, told
from adapters.slack.mrkdwn import unpinged
from adapters.slack.private import PrivateDraft
from adapters.slack.write import Post, draft_text, posts
from bot.messages import Inbound, Reply
from bot.phrases import say

if TYPE_CHECKING:
    from adapters.slack.outlet import SlackOutlet

log = logging.getLogger("polyrag.slack")
STREAMED = 10_000  # characters of one streamed message; the final reply has the whole text
APPEND_EVERY, UPDATE_EVERY = 0.8, 1.2  # seconds; Slack allows 100 and 50 calls a minute
_STREAMING = "streaming_state_conflict"
_GONE = ("message_not_found", "cant_update_message", "edit_window_closed", _STREAMING)


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
