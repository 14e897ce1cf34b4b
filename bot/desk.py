"""The desk between a platform and the app: what is meant for the bot, in which order, and what becomes of it.

Adapters bring events here as `Inbound` and give an `Outlet` to reply through; everything that users of all platforms
expect alike is decided in this file. Nothing that was accepted is lost: it is in the inbox until it is dealt with.
"""

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from bot.app import App
from bot.book import KeptFile, Waiting
from bot.clerk import Work
from bot.commands.files import note
from bot.drafting import Progressing, Writing
from bot.messages import Attachment, Inbound, Reply
from bot.phrases import reader_language, say
from bot.spreadsheets import csv_files
from bot.turns import Turns
from core.asking import asks
from core.handover import hands_over
from core.harmless import shown_name, unlinked
from core.tokens import tokenize
from core.types import IngestReport

log = logging.getLogger("polyrag.desk")
Sign = Literal["seen", "done", "failed"]
MAX_BOT_TURNS = 3  # messages of other bots that are answered in a row in one thread
BOT_PLACES = 1_000  # threads for which they are counted
_EVENT: ContextVar[str] = ContextVar("event", default="")  # key of the event that this task deals with


@dataclass(slots=True)
class _Closing:
    """What is written together with the end of an event."""

    works: list[Work[object]] = field(default_factory=list)
    joined: list[tuple[str, str]] = field(default_factory=list)  # (tag, thread)


_CLOSING: ContextVar[_Closing | None] = ContextVar("closing", default=None)


class Draft(Protocol):
    """A reply on its way. Unless it is quiet, its first visible sign is there when `begin` returns."""

    inbound: Inbound  # with the thread in which it is answered
    id: str  # of the placeholder message; "" when the platform needs none

    async def show(self, text: str) -> None:
        """The whole text so far, or how far an upload is. Called often: the platform's side throttles."""
        ...

    async def finish(self, reply: Reply) -> str:
        """The final message in place of the sign. Returns the id of the message with the buttons, "" if it has none."""
        ...


class Outlet(Protocol):
    """What the desk asks of a platform."""

    platform: str

    async def begin(self, inbound: Inbound, *, quiet: bool = False) -> Draft:
        """Start a reply. `inbound.draft` names a placeholder of an earlier process that is to be taken over.

        Args: quiet: nothing is shown before `show` or `finish` is called.
        """
        ...

    async def sign(self, inbound: Inbound, sign: Sign) -> None:
        """Mark the message itself: seen, done or failed; the former mark goes."""
        ...


class Desk:
    """One platform's desk; made on the event loop. Methods end when the reply is posted; run them through `spawn`."""

    def __init__(self, app: App, outlet: Outlet, *, parallel: int = 8) -> None:
        self.app = app
        self.outlet = outlet
        self._slots = asyncio.Semaphore(parallel)
        self._turns = Turns()
        self._tasks: dict[asyncio.Task[None], str] = {}
        self._bot_turns: dict[tuple[str, str], int] = {}
        self._owner = app.jobs.open()
        self._left = app.book.take_over(outlet.platform, self._owner, app.jobs.is_left)

    # --- events ---

    def accept(self, keys: Sequence[str], event: Mapping[str, Any]) -> bool:
        """Note an event durably before it is acknowledged.

        Args:
            keys: unique names of the event on this platform ("event:Ev1", "message:T1/C7/171.01"), its own first.
            event: what `unfinished` gives back after a restart; JSON.
        Returns: False when it was delivered before under any of the keys: there is nothing to do.
        """
        return self.app.book.accept(self.outlet.platform, keys, event, self.app.now(), self._owner)

    async def accepted(self, keys: Sequence[str], event: Mapping[str, Any]) -> bool:
        """As `accept`, in the order of the calls; the disk's time is shared with others who wait for it."""
        note = self.app.book.accepting(self.outlet.platform, keys, event, self.app.now(), self._owner)
        return bool((await self.app.clerk.write(note))[0])

    def spawn(self, key: str, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Do the work of an accepted event; when it ends, however it ends, the event leaves the inbox."""
        task = asyncio.create_task(self._run(key, work), name=f"{self.outlet.platform}:{key}")
        self._tasks[task] = key
        task.add_done_callback(lambda done: self._tasks.pop(done, None))
        return task

    def unfinished(self) -> tuple[Waiting, ...]:
        """What processes that ended had accepted and not finished: read it again and `spawn` it under its key.

        Given once; other living processes keep theirs. Put its `draft` into the Inbound, so that a placeholder that was
        posted is taken over.
        """
        left, self._left = self._left, ()
        return left

    async def idle(self) -> None:
        """Wait until nothing is in flight."""
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    async def drain(self, seconds: float) -> None:
        """Finish what runs; what is not done in time stays in the inbox for the next process."""
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=seconds)
        late = list(self._tasks)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    # --- messages ---

    async def message(self, inbound: Inbound) -> None:
        """A message or an edit: keep its files, answer it, both, or nothing when it is not for the bot."""
        fresh = self._new_files(inbound)
        asked = self._addressed(inbound)
        if fresh and not inbound.edited:
            async with self._turns.of(f"{inbound.tag} files"):
                await self._keep(inbound, fresh)
        if not asked or (inbound.attachments and hands_over(inbound.text)):
            return
        if inbound.from_bot and not self._may_talk(inbound):
            return
        if not inbound.text.strip():  # a bare mention: say what can be asked
            await self.command(replace(inbound, command="help"))
            return
        async with self._turns.of(f"{inbound.tag}#{inbound.thread or inbound.id}"):
            await self._answer(inbound)

    async def command(self, inbound: Inbound) -> None:
        """A command, a message action, or a form; `remember` takes the message's files, or its text as a note."""
        if inbound.command == "remember" and (inbound.attachments or inbound.text.strip()):
            language = reader_language(inbound.text, inbound.locale, self.app.settings)
            items = inbound.attachments or (note(inbound.text.strip(), language, inbound.link),)
            await self._keep(replace(inbound, command=""), items)
            return
        draft = await self._begin(inbound)
        async with self._slots:
            reply = await self.app.handle(draft.inbound)
        await self._finish(draft, replace(reply, ephemeral=reply.ephemeral or inbound.ephemeral))

    async def press(self, inbound: Inbound, action: str, trace_id: str) -> Reply | None:
        """A button of an answer. A Reply is for the presser alone; None: an answer was posted through the outlet.

        Args:
            inbound: who pressed, in the place and thread of the message; `ephemeral` if only they see that message.
        """
        language = reader_language("", inbound.locale, self.app.settings)
        match action:
            case "up" | "down":
                judged = await self.app.judge(inbound, trace_id, action == "up")
                return Reply(say(f"feedback_{action}" if judged else "trace_unknown", language), language)
            case "why":
                return await self.app.handle(replace(inbound, command="why", text=trace_id))
            case "csv":
                return await self._rows(inbound, trace_id)
            case "fresh" | "share":
                return await self._again(inbound, trace_id, shared=action == "share")
        return Reply(say("trace_unknown", language), language)

    # --- what the platform takes away ---

    async def message_removed(self, workspace: str, channel: str, message: str) -> None:
        """A deleted message takes the files and the note along that it brought into the channel."""
        book, platform = self.app.book, self.outlet.platform
        book.first_time(platform, _gone(workspace, channel, message), self.app.now())  # it may still be read
        await self._retract(book.kept_of_message(platform, workspace, channel, message))

    async def file_removed(self, workspace: str, file: str, channel: str = "") -> None:
        """A deleted file leaves every channel it was shared in; an unshared one leaves that channel."""
        book, platform = self.app.book, self.outlet.platform
        book.first_time(platform, _gone_file(workspace, channel, file), self.app.now())
        await self._retract(book.kept_of_file(platform, workspace, file, channel))

    async def channel_removed(self, workspace: str, channel: str) -> None:
        """A deleted or archived channel: nobody reads it any more, so what it knew goes."""
        tag = f"{self.outlet.platform}:{workspace}/{channel}"
        await self.app.forget_channel(tag, self._actor)
        self.app.book.erase_place(tag)

    def kept_files(self) -> tuple[KeptFile, ...]:
        """Everything that this platform's messages brought in: for a comparison with what still exists there."""
        return self.app.book.kept(self.outlet.platform)

    def trace_of(self, workspace: str, channel: str, message: str) -> str:
        """The trace id of the answer that the bot posted as this message; "" if none."""
        return self.app.book.trace_of(f"{self.outlet.platform}:{workspace}/{channel}", message)

    # --- steps ---

    @property
    def _actor(self) -> str:
        return f"{self.outlet.platform}:platform"

    async def _run(self, key: str, work: Coroutine[Any, Any, None]) -> None:
        closing = _Closing()
        _EVENT.set(key)
        _CLOSING.set(closing)
        try:
            await work
        except asyncio.CancelledError:
            work.close()
            if closing.works:
                self.app.clerk.order(*closing.works, relaxed=True)
            raise  # it stays in the inbox
        except Exception:
            log.exception("event failed", extra={"platform": self.outlet.platform, "key": key})
        closing.works.append(self.app.book.finishing(self.outlet.platform, key))
        await self._written(closing)

    async def _written(self, closing: _Closing) -> None:
        await self.app.clerk.write(*closing.works, relaxed=True)
        for tag, thread in closing.joined:
            self.app.book.has_joined(tag, thread)

    def _addressed(self, inbound: Inbound) -> bool:
        """Whether an answer is expected."""
        if inbound.mentioned or (inbound.direct and not inbound.edited and not inbound.from_bot):
            return True
        if inbound.edited or inbound.from_bot or inbound.to_others:
            return False
        if inbound.thread and self.app.book.takes_part(inbound.tag, inbound.thread):
            return True
        everything = inbound.tag in self.app.settings.permissions.answer_all or self.app.book.listens(
            inbound.tag
        )
        return everything and asks(tokenize(inbound.text), marked="?" in inbound.text)

    def _may_talk(self, inbound: Inbound) -> bool:
        """Bots that answer each other stop after a few turns; a person's message sets the count back."""
        place = (inbound.tag, inbound.thread)
        turns = self._bot_turns.pop(place, 0) + 1
        self._bot_turns[place] = turns
        for old in list(self._bot_turns)[: len(self._bot_turns) - BOT_PLACES]:
            del self._bot_turns[old]
        return turns <= MAX_BOT_TURNS

    def _new_files(self, inbound: Inbound) -> tuple[Attachment, ...]:
        """Platforms announce one upload in several ways; the first one counts."""
        book, platform, now = self.app.book, self.outlet.platform, self.app.now()
        fresh = []
        for item in inbound.attachments:
            if not item.id:
                fresh.append(item)
            elif book.first_time(platform, f"file:{inbound.tag}/{item.id}", now, by=_EVENT.get()):
                book.unnote(platform, _gone_file(inbound.workspace, _place(inbound), item.id))  # it is back
                fresh.append(item)
        return tuple(fresh)

    async def _keep(self, inbound: Inbound, items: Sequence[Attachment]) -> None:
        """Ingest files of one message, with a sign on it, progress for the slow ones, and one receipt for all."""
        await self.outlet.sign(inbound, "seen")
        draft = await self._begin(inbound, quiet=True)
        lines, failed, platform = [], False, self.outlet.platform
        for item in items:
            async with Progressing(draft.show, item.name, inbound, self.app.settings) as progress:
                line, report = await self.app.take(inbound, item, progress)
            lines.append(line)
            failed = failed or report is None or report.status == "rejected"
            if report is not None and report.status != "rejected":
                await self._note_kept(inbound, item, report)
            elif item.id and (
                report is None or not report.document
            ):  # it could not be had: it may come again
                self.app.book.failed(platform, f"file:{inbound.tag}/{item.id}", self.app.now())
        language = reader_language(inbound.text, inbound.locale, self.app.settings)
        await self._finish(draft, Reply("\n".join(lines), language, ephemeral=inbound.ephemeral))
        await self.outlet.sign(inbound, "failed" if failed else "done")

    async def _note_kept(self, inbound: Inbound, item: Attachment, report: IngestReport) -> None:
        """The message answers for the file from now on; if it was deleted meanwhile, the file goes at once."""
        book, platform, place = self.app.book, self.outlet.platform, _place(inbound)
        if report.status == "same" and not book.still_shared(inbound.tag, report.document):
            return  # it came by another way (a watched folder, the command line), and stays when this message goes
        here = self.app.ingest_ports.ledger.placements([inbound.tag])
        name = next((p.name for p in here if p.document == report.document), item.name)
        kept = KeptFile(
            platform, inbound.workspace, place, inbound.id, item.id, inbound.tag, name, report.document
        )
        book.keep(kept)
        gone = (
            _gone(inbound.workspace, place, inbound.id),
            *([_gone_file(inbound.workspace, at, item.id) for at in ("", place)] if item.id else []),
        )
        if any(book.is_noted(platform, key) for key in gone):
            await self._retract([kept])

    async def _answer(self, inbound: Inbound, *, fresh: bool = False) -> None:
        if not inbound.from_bot:
            self._bot_turns.pop((inbound.tag, inbound.thread), None)
        draft = await self._begin(inbound)
        async with self._slots, Writing(draft.show) as on_text:
            reply = await self.app.handle(
                replace(draft.inbound, attachments=()), on_text=on_text, fresh=fresh
            )
        thread = "" if inbound.ephemeral else draft.inbound.thread
        await self._finish(draft, replace(reply, ephemeral=reply.ephemeral or inbound.ephemeral), thread)

    async def _begin(self, inbound: Inbound, *, quiet: bool = False) -> Draft:
        draft = await self.outlet.begin(inbound, quiet=quiet)
        if draft.id and _EVENT.get():
            note = self.app.book.drafting(self.outlet.platform, _EVENT.get(), draft.id)
            await self.app.clerk.write(note, relaxed=True)
        return draft

    async def _finish(self, draft: Draft, reply: Reply, thread: str = "") -> None:
        """Args: thread: in which the bot takes part from now on; a follow-up may come as soon as the reply is seen."""
        closing, tag, book = _Closing(), draft.inbound.tag, self.app.book
        if thread:
            closing.works.append(book.joining(tag, thread))
            closing.joined.append((tag, thread))
        try:
            message = await draft.finish(reply)
            if message and reply.trace_id:
                closing.works.append(book.posting(tag, message, reply.trace_id))
        finally:
            with_event = _CLOSING.get()
            if with_event is not None:
                with_event.works += closing.works
                with_event.joined += closing.joined
        if with_event is None and closing.works:
            await self._written(closing)

    async def _again(self, inbound: Inbound, trace_id: str, *, shared: bool) -> Reply | None:
        """The same question anew; shared: for everybody in the channel, so from what all of them may read."""
        question = await self.app.question_of(inbound, trace_id)
        if not question:
            language = reader_language("", inbound.locale, self.app.settings)
            return Reply(say("trace_unknown", language), language)
        again = replace(inbound, text=question, command="", attachments=(), draft="")
        await self._answer(replace(again, ephemeral=False) if shared else again, fresh=not shared)
        return None

    async def _rows(self, inbound: Inbound, trace_id: str) -> Reply:
        language = reader_language("", inbound.locale, self.app.settings)
        found = await self.app.results_of(inbound, trace_id)
        if not found:
            return Reply(say("not_kept", language), language, ephemeral=True)
        lines = [say("rows_file_cut" if s.truncated else "rows_file", language, n=len(s.rows)) for s in found]
        return Reply("\n".join(lines), language, files=csv_files(found), ephemeral=True)

    async def _retract(self, items: Sequence[KeptFile]) -> None:
        """What no other message of the channel shares is forgotten there."""
        self.app.book.drop(items)
        gone = [
            item
            for item in items
            if not self.app.book.still_shared(item.tag, item.document)
            and await self.app.retract(item.tag, item.name, item.document, self._actor)
        ]
        for item in gone:
            await self._tell_of_former(item)

    async def _tell_of_former(self, gone: KeptFile) -> None:
        """A file left that had replaced another one, whose message still stands: the channel hears that neither is read.

        What was replaced was erased with the last channel that held it, so it has to be handed in once more.
        """
        app = self.app
        messages = {item.document: item for item in app.book.kept_as(gone.tag, gone.name)}
        former = next((f for f in app.versions.former(gone.tag, gone.name) if f.document in messages), None)
        app.versions.erase_names({(gone.tag, gone.name)})
        if former is None or app.held(gone.tag, gone.name):
            return
        where = _about(messages[former.document], former.uploader)
        facts = {"file": shown_name(gone.name), "former": unlinked(former.uploader)}
        language = reader_language("", former.language, app.settings)
        try:
            draft = await self.outlet.begin(where, quiet=True)
            await draft.finish(Reply(say("former_version", language, **facts), language))
        except Exception:  # what was deleted is gone in any case
            log.exception("channel not told", extra={"tag": gone.tag})


def _place(inbound: Inbound) -> str:
    """The platform's id of the place of a message."""
    return inbound.place if inbound.direct else inbound.channel


def _about(item: KeptFile, user: str) -> Inbound:
    """The message that brought a file, for a reply to it. A direct message's tag names its person."""
    direct = "/@" in item.tag
    person = item.tag.rpartition("/@")[2] if direct else user
    channel = "" if direct else item.channel
    return Inbound(
        item.platform, item.workspace, channel, person, "", item.message, direct=direct, place=item.channel
    )


def _gone(workspace: str, channel: str, message: str) -> str:
    return f"gone:{workspace}/{channel}/{message}"


def _gone_file(workspace: str, channel: str, file: str) -> str:
    """Args: channel: "" where it is gone everywhere."""
    return f"gone-file:{workspace}/{channel}/{file}"
