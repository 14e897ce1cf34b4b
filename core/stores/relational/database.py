"""The two doors to the tables: one that writes, one that can only read what it was told.

SQLite reads through its own read-only connections: `mode=ro`, `query_only`, an authorizer that knows the tables of
this one query, length limits, and a budget of engine steps instead of a clock, so that the same query stops at
the same place on every machine. On PostgreSQL the statement runs in a read-only transaction with a
statement timeout and is always sent with parameters (the simple protocol would run stacked statements); a role
or schema a permission set is the layer below it there, as row security by a setting can be undone by SQL.
"""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from urllib.parse import quote

import sqlalchemy as sa
from sqlalchemy.pool import QueuePool

from core.errors import BadSetting, SqlRefused, StoreFailed
from core.types import Value

_STEPS_A_SECOND = 20_000_000  # engine steps a slow core does
_STEPS_A_CALL = 10_000
_FUNCTIONS = frozenset(
    [
        "count",
        "sum",
        "avg",
        "min",
        "max",
        "abs",
        "round",
        "lower",
        "upper",
        "length",
        "substr",
        "substring",
        "coalesce",
        "nullif",
        "strftime",
        "trim",
        "like",
        "iif",
        "ifnull",
        "rank",
        "row_number",
    ]
)
_ALLOWED_ACTIONS = frozenset([sqlite3.SQLITE_SELECT])
_LONGEST_VALUE = 1_000_000  # bytes


class Database:
    """Engines of one relational store. Built complete; closed by `close`."""

    def __init__(self, url: str, *, seconds: float) -> None:
        self.seconds = seconds
        self.url = sa.make_url(url)
        self.embedded = self.url.get_backend_name() == "sqlite"
        backend = self.url.get_backend_name()
        self.dialect = {"postgresql": "postgres"}.get(backend, backend)  # as sqlglot calls it
        self._lock = threading.Lock()  # one writer; SQLite has one anyway
        self.writer = self._sqlite_writer() if self.embedded else sa.create_engine(self.url)
        self.reader = self._sqlite_reader() if self.embedded else self.writer

    def close(self) -> None:
        self.writer.dispose()
        if self.reader is not self.writer:
            self.reader.dispose()

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One transaction: all of it or nothing."""
        with self._lock, self.writer.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection for the registry; nothing is written through it."""
        with self.reader.connect() as connection:
            yield connection

    def select(
        self, sql: str, physical: frozenset[str], limit: int
    ) -> tuple[tuple[str, ...], tuple[tuple[Value, ...], ...]]:
        """Run one guarded SELECT over the named physical tables.

        Args:
            sql: in this database's dialect.
            physical: the only tables the engine may touch.
            limit: rows to fetch at most.
        Returns: column names and rows.
        Raises: SqlRefused when the engine's own guard says no; StoreFailed past the budget or on an engine error.
        """
        if self.embedded:
            return self._select_sqlite(sql, physical, limit)
        return self._select_server(sql, limit)

    def _select_sqlite(
        self, sql: str, physical: frozenset[str], limit: int
    ) -> tuple[tuple[str, ...], tuple[tuple[Value, ...], ...]]:
        with self.reader.connect() as connection:
            raw = connection.connection.driver_connection
            if not isinstance(raw, sqlite3.Connection):
                raise StoreFailed("the SQLite driver is not the standard one")
            refused: list[str] = []
            raw.set_authorizer(_authorizer(physical, refused))
            raw.set_progress_handler(_budget(self.seconds), _STEPS_A_CALL)
            try:
                cursor = raw.execute(sql)
                rows = cursor.fetchmany(limit)
                names = tuple(column[0] for column in cursor.description)
                cursor.close()
            except sqlite3.Error as err:
                if refused:
                    raise SqlRefused(f"authorizer: {refused[0]}") from err
                raise StoreFailed(f"query stopped: {err}") from err
            finally:
                raw.set_progress_handler(None, 0)
                raw.set_authorizer(None)
            return names, tuple(tuple(row) for row in rows)

    def _select_server(self, sql: str, limit: int) -> tuple[tuple[str, ...], tuple[tuple[Value, ...], ...]]:
        try:
            with self.reader.connect() as connection:
                connection.exec_driver_sql("SET TRANSACTION READ ONLY")
                connection.execute(
                    sa.text("SELECT set_config('statement_timeout', :ms, true)"),
                    {"ms": str(int(self.seconds * 1000))},
                )
                escaped = sql.replace(":", "\\:")  # a colon in a literal is not a parameter
                wrapped = f"SELECT * FROM ({escaped}) AS guarded LIMIT :polyrag_limit"  # noqa: S608 (guarded)
                statement = sa.text(wrapped)
                result = connection.execute(statement, {"polyrag_limit": limit})
                return tuple(result.keys()), tuple(tuple(_plain(cell) for cell in row) for row in result)
        except sa.exc.SQLAlchemyError as err:
            raise StoreFailed(f"query stopped: {type(err).__name__}") from err

    def _sqlite_writer(self) -> sa.Engine:
        path = self._path()
        path.parent.mkdir(parents=True, exist_ok=True)
        engine = sa.create_engine(self.url)

        @sa.event.listens_for(engine, "connect")
        def _configure(raw: sqlite3.Connection, _record: object) -> None:
            raw.isolation_level = None  # transactions are opened by the listener below, DDL included
            raw.execute("PRAGMA journal_mode=WAL")
            raw.execute("PRAGMA synchronous=NORMAL")
            raw.execute("PRAGMA busy_timeout=10000")

        @sa.event.listens_for(engine, "begin")
        def _begin(connection: sa.Connection) -> None:
            connection.exec_driver_sql("BEGIN IMMEDIATE")

        return engine

    def _sqlite_reader(self) -> sa.Engine:
        path = self._path()

        def connect() -> sqlite3.Connection:
            raw = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, check_same_thread=False)
            raw.execute("PRAGMA query_only=1")
            raw.execute("PRAGMA busy_timeout=10000")
            raw.execute("PRAGMA trusted_schema=0")
            raw.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST_VALUE)
            raw.setlimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, _LONGEST_VALUE)
            raw.setlimit(sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 200)
            raw.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
            return raw

        return sa.create_engine("sqlite://", creator=connect, poolclass=QueuePool, pool_size=8)

    def _path(self) -> Path:
        if not self.url.database or self.url.database == ":memory:":
            raise BadSetting(problem="stores.tables needs a database file or a server URL")
        return Path(self.url.database)


def _plain(cell: Value | Decimal) -> Value:
    """A server adds whole numbers up to a decimal; a cell is a number of our own."""
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    return cell


def _budget(seconds: float) -> Callable[[], int]:
    """A progress handler that stops the engine after a fixed amount of work."""
    calls = max(1, int(seconds * _STEPS_A_SECOND / _STEPS_A_CALL))
    left = iter(range(calls))

    def step() -> int:
        return 0 if next(left, None) is not None else 1

    return step


def _authorizer(physical: frozenset[str], refused: list[str]) -> Callable[..., int]:
    """Allow reading the given tables and calling the listed functions; note the first thing that is not."""

    def decide(
        action: int, first: str | None, second: str | None, _database: str | None, _source: str | None
    ) -> int:
        if action in _ALLOWED_ACTIONS:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ and (first in physical or not first):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in _FUNCTIONS:
            return sqlite3.SQLITE_OK
        refused.append(f"action {action} on {first or second}")
        return sqlite3.SQLITE_DENY

    return decide


def delete_where(connection: sa.Connection, table: sa.Table, column: str, values: Sequence[str]) -> int:
    """Delete the rows of a registry table whose column is one of the values; returns how many went."""
    if not values:
        return 0
    return int(connection.execute(sa.delete(table).where(table.c[column].in_(values))).rowcount)
