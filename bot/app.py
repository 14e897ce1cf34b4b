"""Message handling: every platform's reader hands an Inbound in, and gets a Reply back. Errors end here."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from uuid import uuid4

from core.ask import AskPorts, Question, ask

from bot.audience import Directory, configured_links, scope_of
from bot.blocks import answer_reply, report_line
from bot.commands.run import run_command
from bot.contract import answer_json
from bot.messages import Attachment, Inbound, Reply
from bot.phrases import reader_language, say
from bot.plugins.manager import PluginManager
from bot.plugins.spec import CommandSpec
from bot.records import Records, Trace
from core.errors import NotAllowed, PolyragError
from core.ingest.walk import ForgetReceipt, IngestPorts, Upload, catch_up, forget, ingest
from core.ports import Progress
from core.scope import NOTHING
from core.settings import Settings
from core.types import Answer, IngestReport, Scope, Turn

log = logging.getLogger("polyrag.app")


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
    servers: object | None = None  # bot.models.servers.ServerManager where this process manages servers
    now: Callable[[], datetime] = utc_now
    make_id: Callable[[], str] = new_id
    directories: dict[str, Directory] = field(default_factory=dict)
    _caught_up: int = -1

    # --- who ---

    async def scope(self, inbound: Inbound) -> Scope:
        """What every reader of the reply may read; a platform without a directory reads nothing."""
        directory = self.directories.get(inbound.platform)
        if directory is None:
            return NOTHING
        links = {**configured_links(self.settings), **self.records.links()}
        return await scope_of(inbound, directory, self.settings, links, self.plugins)

    def is_admin(self, inbound: Inbound) -> bool:
        """Listed in the configuration, by bare user id or as platform:user."""
        names = {inbound.user, f"{inbound.platform}:{inbound.user}"}
        return bool(names & set(self.settings.permissions.admins))

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
        language = reader_language(inbound.text, inbound.locale, self.settings)
        try:
            if inbound.command:
                return await run_command(self, inbound)
            lines = [
                report_line(await self.upload(inbound, item, progress), language)
                for item in inbound.attachments
            ]
            if not inbound.text.strip():
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
        """Answer one question and remember the turn and the trace. Raises: PolyragError."""
        await self.refresh()
        scope = await self.scope(inbound)
        thread = f"{inbound.tag}#{inbound.thread}" if inbound.thread else ""
        question = Question(
            inbound.text,
            scope,
            self.make_id(),
            inbound.locale,
            self.records.history(thread, scope.fingerprint) if thread else (),
            fresh,
            self.now().date().isoformat(),
        )
        answer = await ask(question, self.ask_ports, on_text)
        if thread:
            turn = Turn(answer.understood_as or inbound.text, answer.text)
            self.records.add_turn(thread, scope.fingerprint, turn)
        self._remember(inbound, scope, answer)
        self.plugins.answered(inbound, answer)
        return answer

    async def upload(
        self, inbound: Inbound, attachment: Attachment, progress: Progress | None = None
    ) -> IngestReport:
        """Take one file into the channel of the message. Raises: NotAllowed, PolyragError."""
        scope = await self.scope(inbound)
        if inbound.tag not in scope.tags:
            raise NotAllowed(f"{inbound.user} may not upload to {inbound.tag}")
        upload = Upload(
            attachment.name,
            await attachment.fetch(),
            inbound.tag,
            inbound.user,
            self.now().isoformat(timespec="seconds"),
            attachment.link or inbound.link,
            reader_language(inbound.text, inbound.locale, self.settings),
        )
        report = await ingest(upload, self.ingest_ports, progress)
        detail = {"document": report.document, "status": report.status}
        self._audit(inbound, "ingest", detail)
        self.plugins.ingested(report, inbound.tag)
        return report

    async def forget(self, inbound: Inbound, name: str) -> ForgetReceipt:
        """Take a file away from this channel: its uploader or an admin may. Raises: NotAllowed, NotFound."""
        scope = await self.scope(inbound)
        if inbound.tag not in scope.tags:
            raise NotAllowed(f"{inbound.user} may not forget in {inbound.tag}")
        held = [p for p in self.ingest_ports.ledger.placements([inbound.tag]) if p.name == name]
        if held and not self.is_admin(inbound) and all(p.uploader != inbound.user for p in held):
            raise NotAllowed(f"{inbound.user} did not upload {name!r}")
        receipt = await forget(inbound.tag, name, self.ingest_ports)
        self._audit(inbound, "forget", {"documents": list(receipt.documents)})
        for document in receipt.documents:
            self.plugins.forgotten(document, inbound.tag)
        return receipt

    async def refresh(self) -> None:
        """Catch the stores up when another process, or a crash, has changed the ledger."""
        generation = self.ingest_ports.ledger.generation()
        if generation != self._caught_up:
            await catch_up(self.ingest_ports)
            self._caught_up = self.ingest_ports.ledger.generation()

    async def trace_for(self, inbound: Inbound, trace_id: str = "") -> Trace | None:
        """A trace that this reader may see: every channel it drew on must be in the reader's scope now."""
        scope = await self.scope(inbound)
        trace = (
            self.records.trace(trace_id) if trace_id else self.records.last_trace(inbound.user, inbound.tag)
        )
        return trace if trace and set(trace.scope_tags) <= scope.tags else None

    async def judge(self, inbound: Inbound, trace_id: str, positive: bool) -> bool:
        """Feedback of a reader on an answer that the reader may see."""
        trace = await self.trace_for(inbound, trace_id)
        if trace is None:
            return False
        self.records.judge(trace.id, inbound.user, positive)
        if not positive:
            self.ask_ports.cache.bar(trace.id)
        self.plugins.feedback(trace.id, positive, inbound.user)
        self._audit(inbound, "feedback", {"trace": trace.id, "positive": positive})
        return True

    def _remember(self, inbound: Inbound, scope: Scope, answer: Answer) -> None:
        at = self.now().isoformat(timespec="milliseconds")
        view = self.ingest_ports.ledger.view(scope).fingerprint
        body = answer_json(answer)
        tags = tuple(sorted(scope.tags))
        self.records.add_trace(Trace(answer.trace_id, at, inbound.user, inbound.tag, tags, view, body))

    def _audit(self, inbound: Inbound, action: str, detail: Mapping[str, object]) -> None:
        at = self.now().isoformat(timespec="seconds")
        self.records.log(at, f"{inbound.platform}:{inbound.user}", action, inbound.tag, detail)
