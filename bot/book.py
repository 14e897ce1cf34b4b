"""The bot's own rows about a platform: what was delivered, what is still to be done, what it posted and kept.

All of it outlives a restart: an event that a platform delivers again is known, a question that a killed process had
accepted is answered, a deleted message takes its files along, and `/why` on a message finds its answer.
"""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from bot.clerk import Prepared, Work, Writing

metadata = sa.MetaData()
delivered = sa.Table(
    "delivered",
    metadata,
    sa.Column("key", sa.String(512), primary_key=True),
    sa.Column("at", sa.String(40), nullable=False, index=True),
    sa.Column("by", sa.String(512), nullable=False, default=""),  # the event that noted it
)
inbox = sa.Table(
    "inbox",
    metadata,
    sa.Column("key", sa.String(512), primary_key=True),
    sa.Column("platform", sa.String(32), nullable=False, index=True),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("attempts", sa.Integer, nullable=False, default=0),
    sa.Column("draft", sa.String(255), nullable=False, default=""),
    sa.Column("owner", sa.String(64), nullable=False, default=""),  # the process that deals with it
    sa.Column("event", sa.Text, nullable=False),
)
joined = sa.Table(
    "joined",
    metadata,
    sa.Column("tag", sa.String(255), primary_key=True),
    sa.Column("thread", sa.String(255), primary_key=True),
)
posts = sa.Table(
    "posts",
    metadata,
    sa.Column("tag", sa.String(255), primary_key=True),
    sa.Column("message", sa.String(255), primary_key=True),
    sa.Column("trace", sa.String(32), nullable=False),
)
kept = sa.Table(
    "kept",
    metadata,
    sa.Column("tag", sa.String(255), primary_key=True),
    sa.Column("message", sa.String(255), primary_key=True),
    sa.Column("document", sa.String(64), primary_key=True),
    sa.Column("platform", sa.String(32), nullable=False),
    sa.Column("workspace", sa.String(255), nullable=False),
    sa.Column("channel", sa.String(255), nullable=False),
    sa.Column("file", sa.String(255), nullable=False, index=True),
    sa.Column("name", sa.String(1024), nullable=False),
)
listening = sa.Table("listening", metadata, sa.Column("tag", sa.String(255), primary_key=True))

# Their parameters are named after what they are compared with.
_NOTED = Prepared(sa.select(delivered.c.at, delivered.c.by).where(delivered.c.key == sa.bindparam("named")))
_NOTE = Prepared(delivered.insert(), "key", "at", "by")
_UNNOTE = Prepared(delivered.delete().where(delivered.c.key == sa.bindparam("named")))
_NEWEST = Prepared(sa.select(sa.func.max(inbox.c.position)))
_RECEIVE = Prepared(inbox.insert(), *(column.name for column in inbox.columns))
_REMOVE = Prepared(inbox.delete().where(inbox.c.key == sa.bindparam("named")))
_DRAFTED = Prepared(
    inbox.update().where(inbox.c.key == sa.bindparam("named")).values(draft=sa.bindparam("placeholder"))
)
_IN_THREAD = (joined.c.tag == sa.bindparam("of_tag"), joined.c.thread == sa.bindparam("of_thread"))
_JOINED, _JOIN = (
    Prepared(sa.select(joined.c.tag).where(*_IN_THREAD)),
    Prepared(joined.insert(), "tag", "thread"),
)
_A_POST = (posts.c.tag == sa.bindparam("of_tag"), posts.c.message == sa.bindparam("of_message"))
_TRACE_OF, _UNPOST = (
    Prepared(sa.select(posts.c.trace).where(*_A_POST)),
    Prepared(posts.delete().where(*_A_POST)),
)
_POST = Prepared(posts.insert(), "tag", "message", "trace")
_LISTENS = Prepared(sa.select(listening.c.tag).where(listening.c.tag == sa.bindparam("of_tag")))

KEPT_DAYS = 14  # no platform delivers an event again after so long
ECHO_SECONDS = 30  # within which platforms report one upload in several ways
_FAILED = "failed"
PRUNE_EVERY = 500  # accepted events between two clean-ups
MAX_ATTEMPTS = 3  # processes that may die over one event before it is given up


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file or note of a message that a channel knows, as the platform calls it."""

    platform: str
    workspace: str
    channel: str  # the platform's id of the place of the message
    message: str
    file: str  # the platform's id; empty for a note
    tag: str
    name: str
    document: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """An event that was accepted and not finished."""

    key: str
    event: dict[str, Any]
    draft: str  # id of the placeholder that was posted for it, if any


class Book:
    """Each method is one transaction on the ledger's engine; those that are called like what goes on give work for a Clerk."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._accepted = 0
        self._joining: dict[tuple[str, str], None] = {}  # threads whose row is on its way
        metadata.create_all(engine)

    # --- events ---

    def accept(
        self, platform: str, keys: Sequence[str], event: Mapping[str, Any], at: datetime, owner: str = ""
    ) -> bool:
        """Note an event under all its keys and keep it until `finish`; False when any of them was seen before.

        Args:
            keys: names of the event, the first one is its own.
            owner: the process that deals with it.
        """
        with Writing(self._engine) as connection:
            return self.accepting(platform, keys, event, at, owner)(connection)

    def accepting(
        self, platform: str, keys: Sequence[str], event: Mapping[str, Any], at: datetime, owner: str = ""
    ) -> Work[bool]:
        """As `accept`."""
        known = [f"{platform}:{key}" for key in dict.fromkeys(keys)]
        stamp = at.astimezone(UTC).isoformat(timespec="seconds")
        body = json.dumps(event, ensure_ascii=False)

        def work(connection: sa.Connection) -> bool:
            fresh = [key for key in known if not _NOTED.rows(connection, named=key)]
            for key in fresh:
                _NOTE.run(connection, key=key, at=stamp, by="")
            if len(fresh) < len(known):
                return False
            newest = _NEWEST.value(connection) or 0
            _REMOVE.run(connection, named=known[0])  # left from before a clean-up
            row = {"key": known[0], "platform": platform, "position": newest + 1, "attempts": 0}
            _RECEIVE.run(connection, **row, draft="", owner=owner, event=body)
            self._accepted += 1
            if self._accepted % PRUNE_EVERY == 0:
                limit = (at.astimezone(UTC) - timedelta(days=KEPT_DAYS)).isoformat(timespec="seconds")
                connection.execute(delivered.delete().where(delivered.c.at < limit))
            return True

        return work

    def first_time(self, platform: str, key: str, at: datetime, *, by: str = "") -> bool:
        """Whether this key was never noted before; it is now.

        Args: by: the event that asks. The same event may ask again: a killed process may have stopped in its midst.
        """
        named = f"{platform}:{key}"
        with Writing(self._engine, relaxed=True) as connection:
            found = _NOTED.rows(connection, named=named)
            stamp = at.astimezone(UTC).isoformat(timespec="seconds")
            since = (at.astimezone(UTC) - timedelta(seconds=ECHO_SECONDS)).isoformat(timespec="seconds")
            if found:
                noted_at, noted_by = found[0]
                if not (noted_by == _FAILED and noted_at <= since):
                    return bool(by) and bool(noted_by == by)
            _UNNOTE.run(connection, named=named)
            _NOTE.run(connection, key=named, at=stamp, by=by)
            return True

    def failed(self, platform: str, key: str, at: datetime) -> None:
        """What a key stood for did not happen: it may come again, but not as another report of the same event."""
        stamp = at.astimezone(UTC).isoformat(timespec="seconds")
        change = delivered.update().where(delivered.c.key == f"{platform}:{key}")
        self._write(change.values(at=stamp, by=_FAILED))

    def is_noted(self, platform: str, key: str) -> bool:
        with self._engine.connect() as connection:
            return bool(_NOTED.rows(connection, named=f"{platform}:{key}"))

    def unnote(self, platform: str, key: str) -> None:
        """Forget that a key was seen."""
        self._do(lambda connection: _UNNOTE.run(connection, named=f"{platform}:{key}"))

    def finish(self, platform: str, key: str) -> None:
        """The event is dealt with; its text is not kept."""
        self._do(self.finishing(platform, key), relaxed=True)

    def finishing(self, platform: str, key: str) -> Work[object]:
        """As `finish`."""
        return lambda connection: _REMOVE.run(connection, named=f"{platform}:{key}")

    def drafted(self, platform: str, key: str, draft: str) -> None:
        """A placeholder with this id stands for the event."""
        self._do(self.drafting(platform, key, draft), relaxed=True)

    def drafting(self, platform: str, key: str, draft: str) -> Work[object]:
        """As `drafted`."""
        return lambda connection: _DRAFTED.run(connection, named=f"{platform}:{key}", placeholder=draft)

    def waiting(self, platform: str) -> tuple[Waiting, ...]:
        """Everything that was accepted and is not finished, by any process, oldest first."""
        query = sa.select(inbox).where(inbox.c.platform == platform).order_by(inbox.c.position)
        with self._engine.connect() as connection:
            return tuple(_waiting(row, platform) for row in connection.execute(query))

    def take_over(self, platform: str, owner: str, is_left: Callable[[str], bool]) -> tuple[Waiting, ...]:
        """Events of processes that ended, oldest first; they are this owner's from now on, and nobody else's.

        One that has ended several processes is given up.

        Args: is_left: whether the process of that name is gone.
        """
        with Writing(self._engine) as connection:
            names = connection.scalars(
                sa.select(inbox.c.owner).where(inbox.c.platform == platform).distinct()
            )
            mine = (inbox.c.platform == platform) & inbox.c.owner.in_([n for n in names if is_left(n)])
            connection.execute(inbox.delete().where(mine, inbox.c.attempts >= MAX_ATTEMPTS))
            rows = connection.execute(sa.select(inbox).where(mine).order_by(inbox.c.position)).all()
            taken = inbox.update().where(mine)
            connection.execute(taken.values(attempts=inbox.c.attempts + 1, owner=owner))
        return tuple(_waiting(row, platform) for row in rows)

    # --- threads and posts ---

    def join(self, tag: str, thread: str) -> None:
        """The bot takes part in a thread from now on."""
        self._do(self.joining(tag, thread), relaxed=True)
        self.has_joined(tag, thread)

    def joining(self, tag: str, thread: str) -> Work[object]:
        """As `join`; it counts at once, and whoever has it written says so by `has_joined`."""
        self._joining[tag, thread] = None

        def work(connection: sa.Connection) -> None:
            if not _JOINED.rows(connection, of_tag=tag, of_thread=thread):
                _JOIN.run(connection, tag=tag, thread=thread)

        return work

    def has_joined(self, tag: str, thread: str) -> None:
        """The row is there."""
        self._joining.pop((tag, thread), None)

    def takes_part(self, tag: str, thread: str) -> bool:
        if (tag, thread) in self._joining:
            return True
        with self._engine.connect() as connection:
            return bool(_JOINED.rows(connection, of_tag=tag, of_thread=thread))

    def directs(self, platform: str, workspace: str) -> tuple[str, ...]:
        """Where people write to the bot directly, as it was told by `join`, sorted."""
        pattern = sa.func.substr(joined.c.tag, 1, len(platform) + len(workspace) + 3)
        query = sa.select(joined.c.thread).where(pattern == f"{platform}:{workspace}/@").distinct()
        with self._engine.connect() as connection:
            return tuple(connection.scalars(query.order_by(joined.c.thread)))

    def posted(self, tag: str, message: str, trace: str) -> None:
        """The bot's message that carries this answer."""
        self._do(self.posting(tag, message, trace), relaxed=True)

    def posting(self, tag: str, message: str, trace: str) -> Work[object]:
        """As `posted`."""

        def work(connection: sa.Connection) -> None:
            _UNPOST.run(connection, of_tag=tag, of_message=message)
            _POST.run(connection, tag=tag, message=message, trace=trace)

        return work

    def trace_of(self, tag: str, message: str) -> str:
        """The answer that the bot posted as this message; "" when there is none."""
        with self._engine.connect() as connection:
            return str(_TRACE_OF.value(connection, of_tag=tag, of_message=message) or "")

    def listen(self, tag: str, on: bool) -> None:
        """Whether every question in this channel is one for the bot."""
        if on:
            self._put(listening, {"tag": tag}, {})
        else:
            self._write(listening.delete().where(listening.c.tag == tag))

    def listens(self, tag: str) -> bool:
        with self._engine.connect() as connection:
            return bool(_LISTENS.rows(connection, of_tag=tag))

    # --- kept files ---

    def keep(self, item: KeptFile) -> None:
        row = asdict(item)
        own = {name: row.pop(name) for name in ("tag", "message", "document")}
        self._put(kept, own, row)

    def kept(self, platform: str) -> tuple[KeptFile, ...]:
        """Everything that came from this platform, sorted."""
        return self._kept(kept.c.platform == platform)

    def kept_of_message(
        self, platform: str, workspace: str, channel: str, message: str
    ) -> tuple[KeptFile, ...]:
        return self._kept(*_at(platform, workspace), kept.c.channel == channel, kept.c.message == message)

    def kept_of_file(self, platform: str, workspace: str, file: str, channel: str) -> tuple[KeptFile, ...]:
        """Args: channel: only there; "" means everywhere."""
        where = [kept.c.file == file, *([kept.c.channel == channel] if channel else [])]
        return self._kept(*_at(platform, workspace), *where)

    def drop(self, items: Iterable[KeptFile]) -> None:
        """These are no longer kept; a file that is shared anew counts as new."""
        with Writing(self._engine) as connection:
            for item in items:
                named = f"{item.platform}:file:{item.tag}/{item.file}"
                connection.execute(delivered.delete().where(delivered.c.key == named))
                same = (kept.c.tag == item.tag) & (kept.c.message == item.message)
                connection.execute(kept.delete().where(same, kept.c.document == item.document))

    def still_shared(self, tag: str, document: str) -> bool:
        """Whether another message of the channel holds the same bytes."""
        return bool(self._kept(kept.c.tag == tag, kept.c.document == document))

    def erase_place(self, tag: str) -> None:
        """Everything about one channel goes."""
        self._joining = {place: None for place in self._joining if place[0] != tag}
        with Writing(self._engine) as connection:
            for table in (joined, posts, kept, listening):
                connection.execute(table.delete().where(table.c.tag == tag))

    def erase_documents(self, tag: str, documents: Collection[str]) -> None:
        """A channel no longer knows these documents, so its messages hold nothing of them either."""
        self.drop(self._kept(kept.c.tag == tag, kept.c.document.in_(sorted(documents))))

    def erase_names(self, names: Collection[tuple[str, str]]) -> None:
        """Channels know no version of these files any more, nor bring one back. Args: names: (tag, name) pairs."""
        for tag, name in sorted(names):
            self.drop(self.kept_as(tag, name))

    def kept_as(self, tag: str, name: str) -> tuple[KeptFile, ...]:
        """Every message of a channel that brought some version of this file."""
        return self._kept(kept.c.tag == tag, kept.c.name == name)

    def _kept(self, *where: sa.ColumnElement[bool]) -> tuple[KeptFile, ...]:
        query = sa.select(*(kept.c[name] for name in KeptFile.__slots__)).where(*where)
        order = (kept.c.tag, kept.c.message, kept.c.document)
        with self._engine.connect() as connection:
            return tuple(KeptFile(**row._mapping) for row in connection.execute(query.order_by(*order)))

    def _put(self, table: sa.Table, own: Mapping[str, Any], rest: Mapping[str, Any]) -> None:
        same = [table.c[name] == value for name, value in own.items()]
        with Writing(self._engine, relaxed=True) as connection:
            connection.execute(table.delete().where(*same))
            connection.execute(table.insert().values(**own, **rest))

    def _write(self, statement: sa.Executable) -> None:
        self._do(lambda connection: connection.execute(statement))

    def _do(self, work: Work[object], *, relaxed: bool = False) -> None:
        with Writing(self._engine, relaxed=relaxed) as connection:
            work(connection)


def _at(platform: str, workspace: str) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return kept.c.platform == platform, kept.c.workspace == workspace


def _waiting(row: sa.Row[Any], platform: str) -> Waiting:
    return Waiting(row.key.removeprefix(f"{platform}:"), json.loads(row.event), row.draft or "")
