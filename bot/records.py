"""The bot's own rows beside the ledger's: turns of threads, traces, feedback, audit, links, cache."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from bot.clerk import Prepared, Work, Writing
from core.types import Turn

__all__ = ["Origin", "Page", "Records", "Trace", "Writing"]

metadata = sa.MetaData()
turns = sa.Table(
    "turns",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("thread", sa.String(255), nullable=False, index=True),
    sa.Column("scope", sa.String(64), nullable=False),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("answer", sa.Text, nullable=False),
)
turn_origins = (
    sa.Table(  # where a turn came from: what must go when its asker, or a file that it quotes, goes
        "turn_origins",
        metadata,
        sa.Column("turn", sa.Integer, primary_key=True),
        sa.Column("user", sa.String(255), nullable=False),
        sa.Column("scope_tags", sa.Text, nullable=False),
        sa.Column("documents", sa.Text, nullable=False),
    )
)
traces = sa.Table(
    "traces",
    metadata,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("at", sa.String(40), nullable=False),
    sa.Column("user", sa.String(255), nullable=False),
    sa.Column("tag", sa.String(255), nullable=False),
    sa.Column("scope_tags", sa.Text, nullable=False),
    sa.Column("view", sa.String(64), nullable=False),
    sa.Column("body", sa.Text, nullable=False),
)
feedback = sa.Table(
    "feedback",
    metadata,
    sa.Column("trace", sa.String(32), primary_key=True),
    sa.Column("user", sa.String(255), primary_key=True),
    sa.Column("positive", sa.Boolean, nullable=False),
)
audit = sa.Table(
    "audit",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("at", sa.String(40), nullable=False),
    sa.Column("actor", sa.String(255), nullable=False),
    sa.Column("action", sa.String(64), nullable=False),
    sa.Column("tag", sa.String(255), nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
)
links = sa.Table(
    "links",
    metadata,
    sa.Column("tag", sa.String(255), primary_key=True),
    sa.Column("reads", sa.String(255), primary_key=True),
    sa.Column("actor", sa.String(255), nullable=False),
)
approvals = sa.Table(
    "approvals",
    metadata,
    sa.Column("tag", sa.String(255), primary_key=True),
    sa.Column("reads", sa.String(255), primary_key=True),
    sa.Column("actor", sa.String(255), nullable=False),
)
cache_rows = sa.Table(
    "cache_rows",
    metadata,
    sa.Column("key", sa.String(128), primary_key=True),
    sa.Column("position", sa.Integer, nullable=False, index=True),
    sa.Column("body", sa.Text, nullable=False),
)
cache_served = sa.Table(
    "cache_served",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("trace", sa.String(32), nullable=False, unique=True),
    sa.Column("key", sa.String(128), nullable=False, index=True),
)

# Their parameters are named after what they are compared with.
_HISTORY = Prepared(
    sa.select(turns.c.question, turns.c.answer)
    .where(turns.c.thread == sa.bindparam("of_thread"), turns.c.scope == sa.bindparam("of_scope"))
    .order_by(turns.c.id.desc())
    .limit(sa.bindparam("most"))
)
_ADD_TURN = Prepared(turns.insert().returning(turns.c.id), "thread", "scope", "question", "answer")
_ADD_ORIGIN = Prepared(turn_origins.insert(), "turn", "user", "scope_tags", "documents")
_ADD_TRACE = Prepared(traces.insert(), *(column.name for column in traces.columns))
_OLD_TRACES = traces.delete().where(
    traces.c.id.not_in(
        sa.select(traces.c.id)
        .order_by(traces.c.at.desc(), traces.c.id.desc())
        .limit(sa.bindparam("most"))
        .scalar_subquery()
    )
)
_LOG = Prepared(audit.insert(), "at", "actor", "action", "tag", "detail")
_LINKS = Prepared(sa.select(links.c.tag, links.c.reads).order_by(links.c.tag, links.c.reads))
_APPROVALS = Prepared(sa.select(approvals.c.tag, approvals.c.reads))
_CACHE_ROW = Prepared(sa.select(cache_rows.c.body).where(cache_rows.c.key == sa.bindparam("of_key")))
_CACHE_DROP = Prepared(cache_rows.delete().where(cache_rows.c.key == sa.bindparam("of_key")))
_CACHE_NEWEST = Prepared(sa.select(sa.func.max(cache_rows.c.position)))
_CACHE_PUT = Prepared(cache_rows.insert(), "key", "position", "body")
_UNSERVE = Prepared(cache_served.delete().where(cache_served.c.trace == sa.bindparam("of_trace")))
_SERVE = Prepared(cache_served.insert().returning(cache_served.c.id), "trace", "key")
_SERVED_LONG_AGO = Prepared(cache_served.delete().where(cache_served.c.id <= sa.bindparam("last")))


@dataclass(frozen=True, slots=True)
class Trace:
    """One answered question, as `/why`, feedback and `audit replay` need it."""

    id: str
    at: str
    user: str
    tag: str
    scope_tags: tuple[str, ...]
    view: str  # view fingerprint
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asked a question of a thread, over which channels, and what its answer drew on."""

    user: str
    scope_tags: tuple[str, ...]
    documents: tuple[str, ...]  # ids


@dataclass(slots=True)
class Page:
    """What is to be written of one turn, in one transaction."""

    works: list[Work[object]] = field(default_factory=list)
    rows: dict[str, str] = field(default_factory=dict)  # of the cache, key -> body
    is_open: bool = True


_PAGE: ContextVar[Page | None] = ContextVar("page", default=None)


class Records:
    """Each method is one transaction on the ledger's engine; what a turn leaves may be gathered on a page."""

    def __init__(self, engine: sa.Engine, *, keep_traces: int) -> None:
        self._engine = engine
        self._keep = keep_traces
        self._prune_every = max(1, keep_traces // 20)
        self._traced = 0
        self._unwritten: dict[str, str] = {}  # rows of the cache that stand on pages
        metadata.create_all(engine)

    @contextmanager
    def together(self) -> Iterator[Page]:
        """Turns, traces, audit and cache rows of this task are only noted; `written` when they are in the database.

        When the block fails they are written at once: what the cache holds in memory has its row.
        """
        page = Page()
        token = _PAGE.set(page)
        try:
            yield page
        except BaseException:
            page.is_open = False
            if page.works:
                with self._writing(relaxed=True) as connection:
                    for work in page.works:
                        work(connection)
                self.written(page)
            raise
        finally:
            page.is_open = False
            _PAGE.reset(token)

    def written(self, page: Page) -> None:
        """A page is in the database."""
        for key, body in page.rows.items():
            if self._unwritten.get(key) is body:
                del self._unwritten[key]

    def history(self, thread: str, scope: str, limit: int = 6) -> tuple[Turn, ...]:
        """The latest turns of a thread under the same scope, oldest first."""
        with self._engine.connect() as connection:
            rows = _HISTORY.rows(connection, of_thread=thread, of_scope=scope, most=limit)
        return tuple(Turn(question, answer) for question, answer in reversed(rows))

    def add_turn(self, thread: str, scope: str, turn: Turn, origin: "Origin | None" = None) -> None:
        """Keep a turn of a thread, and what it came from."""
        values = {"thread": thread, "scope": scope, "question": turn.question, "answer": turn.answer}

        def work(connection: sa.Connection) -> None:
            added = _ADD_TURN.value(connection, **values)
            if origin is not None:
                tags, documents = json.dumps(origin.scope_tags), json.dumps(origin.documents)
                _ADD_ORIGIN.run(
                    connection, turn=added, user=origin.user, scope_tags=tags, documents=documents
                )

        self._note(work)

    def origins_of(self, documents: Collection[str]) -> tuple[tuple[int, "Origin"], ...]:
        """(turn, where it came from) of the turns that drew on any of these documents (ids)."""
        with self._engine.connect() as connection:
            found = [(row.turn, _origin(row)) for row in connection.execute(sa.select(turn_origins))]
        return tuple(pair for pair in found if not set(documents).isdisjoint(pair[1].documents))

    def erase_turns(self, ids: Iterable[int]) -> int:
        """Remove turns; a follow-up in their thread is then a question of its own."""
        gone = list(ids)
        with self._writing() as connection:
            connection.execute(turn_origins.delete().where(turn_origins.c.turn.in_(gone)))
            return int(connection.execute(turns.delete().where(turns.c.id.in_(gone))).rowcount)

    def turns_under(self, prefix: str, user: str = "") -> tuple[int, ...]:
        """Turns of the threads whose name begins like this; of this asker only, where one is named."""
        query = sa.select(turns.c.id).where(turns.c.thread.startswith(prefix, autoescape=True))
        if user:
            query = query.join(turn_origins, turn_origins.c.turn == turns.c.id).where(
                turn_origins.c.user == user
            )
        with self._engine.connect() as connection:
            return tuple(sorted(connection.scalars(query)))

    def is_known_thread(self, thread: str) -> bool:
        """Whether the bot has answered in this thread."""
        with self._engine.connect() as connection:
            return (
                connection.scalar(sa.select(turns.c.id).where(turns.c.thread == thread).limit(1)) is not None
            )

    def add_trace(self, trace: Trace) -> None:
        """Keep a trace; the oldest beyond the configured number go, a few at a time."""
        row = {
            "id": trace.id,
            "at": trace.at,
            "user": trace.user,
            "tag": trace.tag,
            "scope_tags": json.dumps(trace.scope_tags),
            "view": trace.view,
            "body": json.dumps(trace.body, ensure_ascii=False),
        }
        prunes = self._traced % self._prune_every == 0
        self._traced += 1

        def work(connection: sa.Connection) -> None:
            _ADD_TRACE.run(connection, **row)
            if prunes:
                connection.execute(_OLD_TRACES, {"most": self._keep})

        self._note(work)

    def trace(self, trace_id: str) -> Trace | None:
        """A trace by id, or by an unambiguous beginning of it (at least six characters)."""
        query = sa.select(traces)
        if len(trace_id) >= 6:
            query = query.where(traces.c.id.startswith(trace_id, autoescape=True))
        else:
            query = query.where(traces.c.id == trace_id)
        with self._engine.connect() as connection:
            rows = connection.execute(query.limit(2)).all()
        return _trace(rows[0]) if len(rows) == 1 else None

    def last_trace(self, user: str, tag: str) -> Trace | None:
        """The newest answer to this user in this place."""
        query = sa.select(traces).where(traces.c.user == user, traces.c.tag == tag)
        with self._engine.connect() as connection:
            row = connection.execute(query.order_by(traces.c.at.desc(), traces.c.id.desc()).limit(1)).first()
        return _trace(row) if row else None

    def all_traces(self) -> tuple[Trace, ...]:
        """Every trace that is kept, oldest first."""
        query = sa.select(traces).order_by(traces.c.at, traces.c.id)
        with self._engine.connect() as connection:
            return tuple(_trace(row) for row in connection.execute(query))

    def recent_traces(self, limit: int) -> tuple[Trace, ...]:
        query = sa.select(traces).order_by(traces.c.at.desc(), traces.c.id.desc()).limit(limit)
        with self._engine.connect() as connection:
            return tuple(_trace(row) for row in connection.execute(query))

    def judge(self, trace_id: str, user: str, positive: bool) -> None:
        """One verdict a reader and answer; a later one replaces it."""
        with self._writing() as connection:
            same = (feedback.c.trace == trace_id) & (feedback.c.user == user)
            connection.execute(feedback.delete().where(same))
            connection.execute(feedback.insert().values(trace=trace_id, user=user, positive=positive))

    def log(self, at: str, actor: str, action: str, tag: str, detail: Mapping[str, Any]) -> None:
        """Append to the audit trail. Ids and numbers only, never texts."""
        body = json.dumps(detail, ensure_ascii=False, sort_keys=True)
        row = {"at": at, "actor": actor, "action": action, "tag": tag, "detail": body}
        self._note(lambda connection: _LOG.run(connection, **row))

    def has_logged(self, action: str, detail: Mapping[str, Any]) -> bool:
        """Whether the audit trail has this very act already."""
        body = json.dumps(detail, ensure_ascii=False, sort_keys=True)
        query = sa.select(audit.c.id).where(audit.c.action == action, audit.c.detail == body).limit(1)
        with self._engine.connect() as connection:
            return connection.scalar(query) is not None

    def audit_tail(self, limit: int, tags: Collection[str] | None = None) -> tuple[dict[str, Any], ...]:
        """The newest audit rows, oldest first; of these channels only, or of all (None)."""
        query = sa.select(audit).order_by(audit.c.id.desc()).limit(limit)
        if tags is not None:
            query = query.where(audit.c.tag.in_(sorted(tags)))
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return tuple(dict(row._mapping) | {"detail": json.loads(row.detail)} for row in reversed(rows))

    def traces_of(self, documents: Collection[str]) -> tuple[Trace, ...]:
        """Traces that drew on any of these documents (ids)."""
        with self._engine.connect() as connection:
            found = [_trace(row) for row in connection.execute(sa.select(traces))]
        return tuple(t for t in found if not set(documents).isdisjoint(t.body.get("documents", ())))

    def erase_traces(self, ids: Iterable[str]) -> None:
        """Empty these traces; what is left says that there was one, and counts as unreplayable."""
        erased = json.dumps({"erased": True})
        with self._writing() as connection:
            for trace_id in ids:
                connection.execute(traces.update().where(traces.c.id == trace_id).values(body=erased))

    def traces_under(self, prefix: str, user: str = "") -> tuple[str, ...]:
        """Traces of the channels whose tag begins like this; of this asker only, where one is named."""
        query = sa.select(traces.c.id).where(traces.c.tag.startswith(prefix, autoescape=True))
        if user:
            query = query.where(traces.c.user == user)
        with self._engine.connect() as connection:
            return tuple(sorted(connection.scalars(query)))

    def remove_traces(self, ids: Collection[str]) -> int:
        """Remove traces and the feedback on them altogether; returns how many traces went."""
        with self._writing() as connection:
            connection.execute(feedback.delete().where(feedback.c.trace.in_(sorted(ids))))
            return int(connection.execute(traces.delete().where(traces.c.id.in_(sorted(ids)))).rowcount)

    def remove_feedback(self, user: str, prefix: str) -> int:
        """Remove what a person judged in the channels whose tag begins like this, and where the answer is gone."""
        elsewhere = sa.select(traces.c.id).where(~traces.c.tag.startswith(prefix, autoescape=True))
        mine = (feedback.c.user == user) & feedback.c.trace.not_in(elsewhere)
        with self._writing() as connection:
            return int(connection.execute(feedback.delete().where(mine)).rowcount)

    def unlink_all(self, tag: str) -> int:
        """Take away every link and approval that a channel gives or has."""
        with self._writing() as connection:
            counts = [
                connection.execute(t.delete().where((t.c.tag == tag) | (t.c.reads == tag))).rowcount
                for t in (links, approvals)
            ]
            return sum(counts)

    def rename_actor(self, actor: str, prefix: str, pseudonym: str, direct: str, hidden: str) -> int:
        """Put a pseudonym in a person's place in the audit trail and beside links.

        Args:
            actor: "platform:user"; pseudonym: in its place, where the channel's tag begins with `prefix`.
            direct: tag of the person's direct messages, which names them; hidden: in its place.
        """
        with self._writing() as connection:
            changed = 0
            for table in (audit, links, approvals):
                own = (table.c.actor == actor) & table.c.tag.startswith(prefix, autoescape=True)
                changed += connection.execute(table.update().where(own).values(actor=pseudonym)).rowcount
            connection.execute(audit.update().where(audit.c.tag == direct).values(tag=hidden))
            return changed

    def link(self, tag: str, reads: str, actor: str) -> None:
        """Let a channel read another; where that one is private, only once `approve` was called for the pair."""
        self._put_pair(links, tag, reads, actor)

    def approve(self, tag: str, reads: str, actor: str) -> None:
        """A member of the private channel `reads` opens it to the readers of `tag`."""
        self._put_pair(approvals, tag, reads, actor)

    def unlink(self, tag: str, reads: str) -> bool:
        """Take a link and its approval away; False when there was neither."""
        with self._writing() as connection:
            counts = [
                connection.execute(t.delete().where(t.c.tag == tag, t.c.reads == reads)).rowcount
                for t in (links, approvals)
            ]
            return any(counts)

    def approved(self) -> frozenset[tuple[str, str]]:
        """(tag, private tag that it may read) pairs that a member approved."""
        with self._engine.connect() as connection:
            return frozenset((tag, reads) for tag, reads in _APPROVALS.rows(connection))

    def _put_pair(self, table: sa.Table, tag: str, reads: str, actor: str) -> None:
        with self._writing() as connection:
            connection.execute(table.delete().where(table.c.tag == tag, table.c.reads == reads))
            connection.execute(table.insert().values(tag=tag, reads=reads, actor=actor))

    def links(self) -> dict[str, tuple[str, ...]]:
        """tag -> tags it may also read."""
        found: dict[str, list[str]] = {}
        with self._engine.connect() as connection:
            for tag, other in _LINKS.rows(connection):
                found.setdefault(tag, []).append(other)
        return {tag: tuple(reads) for tag, reads in found.items()}

    def cache_load(self) -> tuple[str, ...]:
        """Cached answers as the cache wrote them, in insertion order."""
        with self._engine.connect() as connection:
            return tuple(connection.scalars(sa.select(cache_rows.c.body).order_by(cache_rows.c.position)))

    def cache_put(self, key: str, body: str) -> None:
        page = _open_page()
        if page is not None:
            page.rows[key] = self._unwritten[key] = body

        def work(connection: sa.Connection) -> None:
            if page is not None and self._unwritten.get(key) is not body:
                return  # dropped, or put anew, since it was noted
            _CACHE_DROP.run(connection, of_key=key)
            newest = _CACHE_NEWEST.value(connection) or 0
            _CACHE_PUT.run(connection, key=key, position=newest + 1, body=body)

        self._note(work)

    def cache_drop(self, keys: Iterable[str]) -> None:
        with self._writing() as connection:
            for key in keys:
                self._unwritten.pop(key, None)
                _CACHE_DROP.run(connection, of_key=key)
                connection.execute(cache_served.delete().where(cache_served.c.key == key))

    def cache_row(self, key: str) -> str:
        """The body as it is now; "" when it is gone."""
        with self._engine.connect() as connection:
            kept = _CACHE_ROW.value(connection, of_key=key)
        return str(kept or self._unwritten.get(key, ""))

    def cache_keys_of(self, documents: Collection[str]) -> tuple[str, ...]:
        """Rows that were answered from any of these documents (ids), whichever process wrote them."""
        found: set[str] = set()
        with self._engine.connect() as connection:
            for document in documents:
                holds = cache_rows.c.body.contains(document, autoescape=True)
                found |= set(connection.scalars(sa.select(cache_rows.c.key).where(holds)))
        return tuple(sorted(found))

    def cache_served(self, trace: str, key: str) -> None:
        """The reply with this trace id came from this row; known for as many replies as traces are kept."""

        def work(connection: sa.Connection) -> None:
            _UNSERVE.run(connection, of_trace=trace)
            newest = _SERVE.value(connection, trace=trace, key=key)
            _SERVED_LONG_AGO.run(connection, last=newest - self._keep)

        self._note(work)

    def cache_entry(self, trace: str) -> str:
        """The row that a reply came from; "" when it is not known."""
        query = sa.select(cache_served.c.key).where(cache_served.c.trace == trace)
        with self._engine.connect() as connection:
            return str(connection.scalar(query) or "")

    def _writing(self, *, relaxed: bool = False) -> Writing:
        return Writing(self._engine, relaxed=relaxed)

    def _note(self, work: Work[object]) -> None:
        """On the page of this task; written at once where there is none."""
        page = _open_page()
        if page is not None:
            page.works.append(work)
            return
        with self._writing(relaxed=True) as connection:
            work(connection)


def _open_page() -> Page | None:
    page = _PAGE.get()
    return page if page is not None and page.is_open else None


def _origin(row: sa.Row[Any]) -> Origin:
    return Origin(row.user, tuple(json.loads(row.scope_tags)), tuple(json.loads(row.documents)))


def _trace(row: sa.Row[Any]) -> Trace:
    tags: Sequence[str] = json.loads(row.scope_tags)
    return Trace(row.id, row.at, row.user, row.tag, tuple(tags), row.view, json.loads(row.body))
