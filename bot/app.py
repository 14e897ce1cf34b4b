"""Message handling: every platform's reader hands an Inbound in, and gets a Reply back. Errors end here."""

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from uuid import uuid4

from bot.audience import AccessUnchecked, Checked, Directory, Overtaken, configured_links, scope_of
from bot.blocks import answer_reply, report_line
from bot.book import Book
from bot.clerk import Clerk
from bot.commands.run import run_command
from bot.erasing import Removed, erase_memory
from bot.jobs.job import RETRACT, Job
from bot.jobs.runner import Jobs
from bot.messages import Attachment, Inbound, Reply
from bot.models.servers import ServerManager
from bot.phrases import reader_language, say
from bot.plugins.manager import PluginManager
from bot.plugins.spec import CommandSpec
from bot.records import Origin, Records, Trace
from bot.telemetry import Telemetry
from bot.traces import TRACE_ID, asked, is_own, is_private, trace_body
from bot.versions import Versions
from bot.watch import Watched
from core.ask import AskPorts, Question, ask, dry_route
from core.errors import FileRejected, NotAllowed, NotFound, OversizedFile, PolyragError
from core.handover import hands_over
from core.harmless import shown_name, unlinked
from core.ingest.walk import ForgetReceipt, IngestPorts, catch_up
from core.ports import Progress
from core.scope import NOTHING
from core.settings import Settings
from core.types import Answer, Clause, IngestReport, Placement, Scope, Source, Turn, View

log = logging.getLogger("polyrag.app")
NAMES = 2  # words of a command that name things; more of them are a sentence
REBUILD = "rebuild-stores"  # marker in a home


def utc_now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return uuid4().hex


@dataclass(slots=True)
class App:
    """One bot at work. Adapters add their directory and call `handle`."""

    settings: Settings
    plugins: PluginManager
    records: Records
    ingest_ports: IngestPorts
    ask_ports: AskPorts
    commands: Mapping[str, CommandSpec]
    servers: ServerManager | None = None  # where this process manages model servers
    telemetry: Telemetry | None = None  # where a collector is configured
    now: Callable[[], datetime] = utc_now
    make_id: Callable[[], str] = new_id
    directories: dict[str, Directory] = field(default_factory=dict)
    book: Book = field(init=False)
    versions: Versions = field(init=False)
    clerk: Clerk = field(init=False)
    jobs: Jobs = field(init=False)  # wiring gives them
    folder: Path = field(init=False)  # the home
    is_alone: Callable[[], bool] = field(init=False)  # whether no other process has the home open
    unchecked: dict[str, str] = field(
        default_factory=dict
    )  # platform -> what keeps access from being checked
    watched: tuple[Watched, ...] = ()  # hot folders of this process
    down: dict[str, Exception] = field(default_factory=dict)  # platforms that failed while others serve
    _caught_up: int = -1

    def __post_init__(self) -> None:
        self.book = Book(self.ingest_ports.ledger.engine)
        self.versions = Versions(self.ingest_ports.ledger.engine)
        self.clerk = Clerk(self.ingest_ports.ledger.engine)

    # --- who ---

    async def scope(self, inbound: Inbound) -> Scope:
        """What every reader of the reply may read; empty where that cannot be looked up."""
        return (await self._checked(inbound)).scope

    async def checked_scope(self, inbound: Inbound) -> Scope:
        """The same for who is told why there is nothing. Raises: AccessUnchecked where it cannot be looked up."""
        found = await self._checked(inbound)
        if found.trouble:
            raise AccessUnchecked(f"{found.trouble} kept {inbound.tag} from being checked")
        return found.scope

    async def _checked(self, inbound: Inbound) -> Checked:
        """A platform without a directory reads nothing. Trouble is kept for the admins until a check succeeds."""
        directory = self.directories.get(inbound.platform)
        if directory is None:
            return Checked(NOTHING)
        approved = self.records.approved()
        found = await scope_of(inbound, directory, self.settings, self.links(), self.plugins, approved)
        if not found.trouble:
            self.unchecked.pop(inbound.platform, None)
        elif self.unchecked.get(inbound.platform) != found.trouble:
            self.unchecked[inbound.platform] = found.trouble
            self.audit(inbound, "unchecked", {"by": found.trouble})
        return found

    def links(self) -> dict[str, tuple[str, ...]]:
        """tag -> tags it is linked to, by the configuration and by admins in chat."""
        declared, added = configured_links(self.settings), self.records.links()
        return {
            tag: tuple(dict.fromkeys((*declared.get(tag, ()), *added.get(tag, ()))))
            for tag in sorted({*declared, *added})
        }

    async def is_private(self, inbound: Inbound) -> bool:
        """Whether the message stands in a channel that is private now. Raises: what the directory raises."""
        directory = self.directories[inbound.platform]
        found = {channel.tag: channel.visibility for channel in await directory.channels(inbound)}
        return found.get(inbound.tag) == "private"

    def is_admin(self, inbound: Inbound) -> bool:
        """Listed in the configuration, by bare user id or as platform:user; or an admin by the platform's word."""
        names = {inbound.user, f"{inbound.platform}:{inbound.user}"}
        return inbound.admin or bool(names & set(self.settings.permissions.admins))

    # --- what ---

    async def handle(
        self,
        inbound: Inbound,
        *,
        on_text: Callable[[str], None] | None = None,
        progress: Progress | None = None,
        fresh: bool = False,
    ) -> Reply:
        """A command, an upload, a question, or an upload with a question. Always says something."""
        names = inbound.command and len(inbound.text.split()) <= NAMES  # `on` and `x.md` are no language
        language = reader_language("" if names else inbound.text, inbound.locale, self.settings)
        try:
            if inbound.command:
                return await run_command(self, inbound)
            lines = [(await self.take(inbound, item, progress))[0] for item in inbound.attachments]
            if not inbound.text.strip() or (inbound.attachments and hands_over(inbound.text)):
                return Reply("\n".join(lines), language)
            answer = await self.ask(inbound, on_text=on_text, fresh=fresh)
            reply = answer_reply(answer)
            return replace(reply, text="\n".join([*lines, "", reply.text])) if lines else reply
        except PolyragError as err:
            log.warning("refused", extra={"error": str(err), "tag": inbound.tag})
            return Reply(err.say(language), language)
        except Exception:
            incident = self.make_id()[:8]
            log.exception("failed", extra={"incident": incident, "tag": inbound.tag})
            return Reply(say("failed", language, id=incident), language)

    async def ask(
        self,
        inbound: Inbound,
        *,
        on_text: Callable[[str], None] | None = None,
        fresh: bool = False,
    ) -> Answer:
        """Answer one question and remember the turn and the trace. Raises: PolyragError, Overtaken among them."""
        await self.refresh()
        scope = await self.checked_scope(inbound)
        question = self._question(inbound, scope, fresh)
        view = await self._view(scope)
        with self.records.together() as page:
            answer = await ask(question, self.ask_ports, on_text, view=view)
            await self._still_readable(inbound, scope, answer)
            if inbound.thread:
                turn = Turn(answer.understood_as or inbound.text, answer.text)
                origin = Origin(inbound.user, tuple(sorted(scope.tags)), _drew_on(answer))
                self.records.add_turn(_thread(inbound), scope.fingerprint, turn, origin)
            self._remember(inbound, view, answer)
        await self.clerk.write(*page.works, relaxed=True)
        self.records.written(page)
        now = await self._view(scope)
        if now is not view:  # it changed while the turn was being written down
            self._check_gone(inbound, now, answer)
        if self.telemetry is not None:
            self.telemetry.answered(answer, inbound.platform, self.now())
        if self.plugins.listens("on_answered"):
            await asyncio.to_thread(self.plugins.answered, inbound, answer)
        return answer

    async def _still_readable(self, inbound: Inbound, scope: Scope, answer: Answer) -> None:
        """Writing takes its time: a file may have gone meanwhile, and so may a reader.

        Raises: Overtaken, AccessUnchecked.
        """
        if not _drew_on(answer):
            return
        left = Scope(scope.tags & (await self.checked_scope(inbound)).tags)
        self._check_gone(inbound, await self._view(left), answer)

    def _check_gone(self, inbound: Inbound, view: View, answer: Answer) -> None:
        """Raises: Overtaken when the answer drew on what is no longer in view."""
        gone = set(_drew_on(answer)) - view.documents
        if gone:
            erase_memory(self, gone)
            raise Overtaken(f"{len(gone)} documents left the readers of {inbound.tag}")

    async def ask_again(
        self,
        inbound: Inbound,
        trace_id: str,
        *,
        fresh: bool,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Ask the question of an earlier answer once more: anew, or for other readers (a shared private answer)."""
        question = await self.question_of(inbound, trace_id)
        if not question:
            language = reader_language("", inbound.locale, self.settings)
            return Reply(say("trace_unknown", language), language)
        again = replace(inbound, text=question, command="", ephemeral=False, attachments=())
        return await self.handle(again, on_text=on_text, fresh=fresh)

    async def question_of(self, inbound: Inbound, trace_id: str) -> str:
        """What was asked, in full, for a reader who may see that answer here or privately; "" for others."""
        for place in (inbound, replace(inbound, ephemeral=True)):
            trace = await self.trace_for(place, trace_id)
            if trace is not None:
                return str(trace.body["understood_as"] or trace.body["question"])
        return ""

    async def results_of(self, inbound: Inbound, trace_id: str) -> tuple[Source, ...]:
        """The query results of an earlier answer, read again; none for a reader who may not see that answer."""
        trace = await self.trace_for(inbound, trace_id)
        if trace is None:
            return ()
        await self.refresh()
        text = str(trace.body["understood_as"] or trace.body["question"])
        scope, day = Scope(frozenset(trace.scope_tags)), trace.at[:10]
        question = Question(text, scope, self.make_id(), inbound.locale, (), True, day)
        answer = await ask(question, replace(self.ask_ports, generator=None))
        return tuple(source for source in answer.sources if source.sql)

    async def route(self, inbound: Inbound) -> tuple[Scope, tuple[Clause, ...]]:
        """Where a message would go, without answering it. Raises: PolyragError."""
        await self.refresh()
        scope = await self.checked_scope(inbound)
        return scope, await dry_route(self._question(inbound, scope, fresh=True), self.ask_ports)

    async def upload(
        self, inbound: Inbound, attachment: Attachment, progress: Progress | None = None
    ) -> IngestReport:
        """Take one file into the channel of the message; one that cannot be had or read gives a "rejected" report.

        Raises: NotAllowed, AccessUnchecked, ModelUnavailable.
        """
        began = self.ask_ports.ticker()
        scope = await self.checked_scope(inbound)
        if inbound.tag not in scope.tags:
            raise NotAllowed(f"{inbound.user} may not upload to {inbound.tag}")
        language = reader_language(inbound.text, inbound.locale, self.settings)
        try:
            self._check_size(attachment)
            data = await attachment.fetch()
        except FileRejected as refusal:
            log.warning("no upload", extra={"error": str(refusal), "tag": inbound.tag})
            return IngestReport(attachment.name, "", "rejected", refusal.say(language))
        report = await self.store(
            inbound.tag,
            attachment.name,
            data,
            uploader=inbound.user,
            actor=f"{inbound.platform}:{inbound.user}",
            link=attachment.link or inbound.link,
            language=language,
            progress=progress,
        )
        if self.telemetry is not None:
            ms = (self.ask_ports.ticker() - began) * 1000
            self.telemetry.ingested(report, inbound.platform, self.now(), ms)
        return report

    async def store(
        self,
        tag: str,
        name: str,
        data: bytes,
        *,
        uploader: str,
        actor: str,
        link: str = "",
        language: str = "",
        progress: Progress | None = None,
    ) -> IngestReport:
        """Take bytes into a channel, as a job. Who may do so is the caller's matter. Raises: ModelUnavailable."""
        body = {"uploader": uploader, "link": link, "language": language}
        documents = (sha256(data).hexdigest(),)
        workspace = tag.rpartition("/")[0]
        job = Job(new_id(), "upload", workspace, tag, name, actor, self.stamp(), documents, body)
        report: IngestReport = await self.jobs.submit(job, data, progress)
        return report

    async def remove(self, tag: str, name: str, *, actor: str, action: str = "forget") -> ForgetReceipt:
        """Take a file away from a channel, as a job. Who may do so is the caller's matter. Raises: NotFound."""
        return await self._forget(tag, name, actor, {"action": action})

    async def forget(self, inbound: Inbound, name: str) -> ForgetReceipt:
        """Take a file away from this channel: an admin may, its uploader, and whose version it replaced.

        Raises: NotAllowed, NotFound.
        """
        scope = await self.checked_scope(inbound)
        if inbound.tag not in scope.tags:
            raise NotAllowed(f"{inbound.user} may not forget in {inbound.tag}")
        held = self.held(inbound.tag, name)
        theirs = {p.uploader for p in held} | {f.uploader for f in self.versions.former(inbound.tag, name)}
        if held and not self.is_admin(inbound) and inbound.user not in theirs:
            raise NotAllowed(f"{inbound.user} did not upload {name!r}")
        actor = f"{inbound.platform}:{inbound.user}"
        return await self.remove(inbound.tag, name, actor=actor)

    async def _forget(self, tag: str, name: str, actor: str, body: Mapping[str, str]) -> ForgetReceipt:
        documents = tuple(sorted({placement.document for placement in self.held(tag, name)}))
        workspace = tag.rpartition("/")[0]
        job = Job(new_id(), "forget", workspace, tag, name, actor, self.stamp(), documents, body)
        receipt: ForgetReceipt = await self.jobs.submit(job)
        return receipt

    async def forget_channel(self, tag: str, actor: str) -> Removed:
        """Take a whole channel away: its files, its conversation, its links. Who may do so is the caller's matter."""
        job = Job(new_id(), "forget_channel", tag.rpartition("/")[0], tag, "", actor, self.stamp())
        removed: Removed = await self.jobs.submit(job)
        return removed

    async def erase_user(self, platform: str, workspace: str, user: str, actor: str) -> Removed:
        """Take a person's data away: uploads, direct messages, questions, thumbs; the audit keeps a pseudonym."""
        place = f"{platform}:{workspace}"
        job = Job(new_id(), "erase_user", place, "", user, actor, self.stamp())
        removed: Removed = await self.jobs.submit(job)
        return removed

    async def reindex(self, actor: str, progress: Progress | None = None) -> int:
        """Make every document anew for this configuration while another one serves; how many are ready.

        Raises: ModelUnavailable; what is ready stays, and the next call goes on from there.
        """
        job = Job(new_id(), "reindex", actor.partition(":")[0], "", "", actor, self.stamp())
        ready: int = await self.jobs.submit(job, None, progress)
        return ready

    async def refresh(self) -> None:
        """Catch the stores up when another process, or a crash, has changed the ledger."""
        generation = self.ingest_ports.ledger.generation()
        if generation != self._caught_up:
            await catch_up(self.ingest_ports)
            self._caught_up = self.ingest_ports.ledger.generation()

    async def trace_for(self, inbound: Inbound, trace_id: str = "") -> Trace | None:
        """A trace that this reader may see: its channels are in the reader's scope, its files still there, now.

        What was asked privately is its asker's alone. A beginning of an id could be guessed, so it names nothing here.
        """
        scope = await self.scope(inbound)
        if trace_id:
            trace = self.records.trace(trace_id) if len(trace_id) == TRACE_ID else None
        else:
            trace = self.records.last_trace(inbound.user, inbound.tag)
        if trace is None or "erased" in trace.body or not set(trace.scope_tags) <= scope.tags:
            return None
        hidden = is_private(trace) or not trace.scope_tags or trace.tag not in scope.tags
        if hidden and not is_own(trace, inbound):
            return None  # who could read nothing, or not even the channel they asked in, is no measure for others
        visible = self.ingest_ports.ledger.view(scope).documents
        return self._followed(trace) if set(trace.body["documents"]) <= visible else None

    async def judge(self, inbound: Inbound, trace_id: str, positive: bool) -> bool:
        """Feedback of a reader on an answer that the reader may see."""
        trace = await self.trace_for(inbound, trace_id)
        if trace is None:
            return False
        self.records.judge(trace.id, inbound.user, positive)
        if not positive:
            self.ask_ports.cache.bar(trace.id)
        await asyncio.to_thread(self.plugins.feedback, trace.id, positive, inbound.user)
        self.audit(inbound, "feedback", {"trace": trace.id, "positive": positive})
        return True

    def stamp(self) -> str:
        """Now, as rows keep it."""
        return self.now().isoformat(timespec="seconds")

    def audit(self, inbound: Inbound, action: str, detail: Mapping[str, object]) -> None:
        """Append one act of a person to the audit trail: ids and numbers, never texts."""
        self.records.log(self.stamp(), f"{inbound.platform}:{inbound.user}", action, inbound.tag, detail)

    # --- steps ---

    def _followed(self, trace: Trace) -> Trace:
        """A trace whose passages have their ids of today: an index that was made anew may have cut them anew."""
        shown = [source for key in ("sources", "retrieved") for source in trace.body.get(key, ())]
        moved = self.ingest_ports.ledger.moved({str(source["chunk_id"]) for source in shown})
        if not moved:
            return trace
        body = trace.body | {
            key: [s | {"chunk_id": moved.get(s["chunk_id"], s["chunk_id"])} for s in trace.body.get(key, ())]
            for key in ("sources", "retrieved")
        }
        return replace(trace, body=body)

    async def take(
        self, inbound: Inbound, item: Attachment, progress: Progress | None = None
    ) -> tuple[str, IngestReport | None]:
        """One file of a message: what the uploader is told, and the report; none where it may not or cannot be kept.

        One bad file does not hold up the others.
        """
        language = reader_language(inbound.text, inbound.locale, self.settings)
        try:
            report = await self.upload(inbound, item, progress)
            return report_line(report, language), report
        except PolyragError as err:
            log.warning("upload refused", extra={"error": str(err), "tag": inbound.tag})
            return say(
                "upload_rejected", language, file=shown_name(item.name), reason=unlinked(err.say(language))
            ), None

    async def retract(self, tag: str, name: str, document: str, actor: str) -> bool:
        """A platform took a file away: it leaves the channel, unless another version stands there by now."""
        try:
            await self._forget(tag, name, actor, {"action": RETRACT, "only": document})
        except NotFound:
            return False
        return True

    def _check_size(self, attachment: Attachment) -> None:
        """What the platform says is too large is not even fetched. Raises: OversizedFile."""
        limit = self.settings.ingest.max_bytes
        if attachment.size > limit:
            size, most = f"{attachment.size / 1e6:.1f} MB", f"{limit / 1e6:.1f} MB"
            raise OversizedFile(f"{attachment.size} bytes", size=size, limit=most)

    def _question(self, inbound: Inbound, scope: Scope, fresh: bool) -> Question:
        history = self.records.history(_thread(inbound), scope.fingerprint) if inbound.thread else ()
        today = self.now().date().isoformat()
        return Question(inbound.text, scope, self.make_id(), inbound.locale, history, fresh, today)

    def held(self, tag: str, name: str) -> list[Placement]:
        """What a channel knows under this name."""
        return [p for p in self.ingest_ports.ledger.placements([tag]) if p.name == name]

    async def _view(self, scope: Scope) -> View:
        """What may be read now; the loop waits only for the look whether it is what was read before."""
        ledger = self.ingest_ports.ledger
        kept = ledger.kept_view(scope)
        return kept if kept is not None else await asyncio.to_thread(ledger.view, scope)

    def _remember(self, inbound: Inbound, view: View, answer: Answer) -> None:
        at = self.now().isoformat(timespec="milliseconds")
        tags = tuple(sorted(view.scope.tags))
        body = trace_body(inbound.text, answer, self.ask_ports.embedder.fingerprint)
        body["private"] = inbound.direct or inbound.ephemeral
        self.records.add_trace(
            Trace(answer.trace_id, at, inbound.user, inbound.tag, tags, view.fingerprint, body)
        )
        self.audit(inbound, "ask", asked(answer) | {"private": body["private"]})

    def rebuild_later(self) -> None:
        """Have the stores made anew from the ledger when this home is next opened by one process alone."""
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        (self.folder / REBUILD).touch()


def _drew_on(answer: Answer) -> tuple[str, ...]:
    """Documents (ids) that an answer shows or was chosen from."""
    return tuple(sorted({source.document_id for source in (*answer.sources, *answer.retrieved)}))


def _thread(inbound: Inbound) -> str:
    """What is asked privately inside a thread is a conversation of its own: nobody else goes on from it."""
    whose = f"@{inbound.user}" if inbound.ephemeral else ""
    return f"{inbound.tag}#{inbound.thread}{whose}"
