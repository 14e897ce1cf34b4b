"""Who writes the bot's own rows: a transaction by itself, or one thread that commits together all that waits.

Committing is what costs: while the disk takes one transaction, others gather, and the next one takes them all. Whoever
asked waits until theirs is committed, so nothing is acknowledged that a killed process would lose.
"""

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, TypeVar

import sqlalchemy as sa

log = logging.getLogger("polyrag.clerk")
T = TypeVar("T")
Work = Callable[[sa.Connection], T]  # may be run again: it changes nothing but rows
TOGETHER = 256  # pieces of work in one transaction


class Prepared:
    """A statement of every question: made once a dialect, and run on the driver's own cursor.

    Making a statement, and what SQLAlchemy does around running it, takes several times as long as the database itself.
    Values must be what the driver takes as it is: texts, whole numbers, None.
    """

    def __init__(self, statement: sa.ClauseElement, *columns: str) -> None:
        """Args: columns: that an insert gives; all others stay empty."""
        self._statement = statement
        self._columns = columns
        self._made: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {}  # by dialect

    def run(self, connection: sa.Connection, **values: Any) -> None:
        self._cursor(connection, values).close()

    def rows(self, connection: sa.Connection, **values: Any) -> list[Any]:
        """Every row, as a tuple."""
        cursor = self._cursor(connection, values)
        try:
            return list(cursor.fetchall())
        finally:
            cursor.close()

    def value(self, connection: sa.Connection, **values: Any) -> Any:
        """The first column of the first row; None when there is none."""
        found = self.rows(connection, **values)
        return found[0][0] if found else None

    def _cursor(self, connection: sa.Connection, values: dict[str, Any]) -> Any:
        made = self._made.get(connection.dialect.name) or self._make(connection.dialect)
        sql, order, known = made
        given = known | values
        cursor = connection.connection.cursor()
        cursor.execute(sql, tuple(given[name] for name in order) if order else given)
        return cursor

    def _make(self, dialect: sa.Dialect) -> tuple[str, tuple[str, ...], dict[str, Any]]:
        more: dict[str, Any] = {"column_keys": self._columns} if self._columns else {}
        compiled = self._statement.compile(dialect=dialect, **more)
        if not isinstance(compiled, sa.sql.compiler.SQLCompiler):
            raise TypeError(f"no statement with rows: {self._statement}")
        order = tuple(compiled.positiontup or ())
        open_ones = {*self._columns, *(name for name, value in compiled.params.items() if value is None)}
        known = {name: value for name, value in compiled.params.items() if name not in open_ones}
        self._made[dialect.name] = compiled.string, order, known
        return self._made[dialect.name]


class Writing:
    """A transaction that takes the write lock at once (see core.stores.ledger).

    A relaxed one does not wait until the disk has it: a killed process loses nothing, and after a power failure the last
    moments of bookkeeping may be missing, never half there. Acceptance of events and everything that erases waits.
    """

    def __init__(self, engine: sa.Engine, *, relaxed: bool = False) -> None:
        self._connection = engine.connect().execution_options(writes=True)
        self._relaxed = relaxed and engine.dialect.name == "sqlite"

    def __enter__(self) -> sa.Connection:
        if self._relaxed:
            self._synchronous("NORMAL")
        self._transaction = self._connection.begin()
        return self._connection

    def __exit__(self, kind: object, value: object, trace: object) -> None:
        try:
            self._transaction.rollback() if kind else self._transaction.commit()
        finally:
            if self._relaxed:
                self._synchronous("FULL")
            self._connection.close()

    def _synchronous(self, mode: str) -> None:
        """Of this connection, between transactions; the pool gives it to others afterwards."""
        cursor = self._connection.connection.cursor()
        cursor.execute(f"PRAGMA synchronous={mode}")
        cursor.close()


@dataclass(frozen=True, slots=True)
class _Order:
    """Work that somebody waits for."""

    works: Sequence[Work[Any]]
    relaxed: bool
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[list[Any]]"


class Clerk:
    """Writes in the order in which it is asked. Its thread starts with the first order and ends with `close`."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._orders: SimpleQueue[_Order | None] = SimpleQueue()
        self._thread: Thread | None = None
        self._starting = Lock()

    async def write(self, *works: Work[Any], relaxed: bool = False) -> list[Any]:
        """All of it in one transaction, perhaps with other people's; what each piece returned, once it is committed.

        Args: relaxed: as in `Writing`.
        Raises: what the work or the database raises; then none of it is written.
        """
        return await self.order(*works, relaxed=relaxed)

    def order(self, *works: Work[Any], relaxed: bool = False) -> "asyncio.Future[list[Any]]":
        """As `write`, for who does not wait: it is written even if the future is cancelled."""
        loop = asyncio.get_running_loop()
        order = _Order(works, relaxed, loop, loop.create_future())
        with self._starting:
            if self._thread is None:
                self._thread = Thread(target=self._run, name="polyrag-clerk", daemon=True)
                self._thread.start()
            self._orders.put(order)
        return order.done

    def close(self) -> None:
        """Write what was ordered, and end."""
        with self._starting:
            thread, self._thread = self._thread, None
            if thread is not None:
                self._orders.put(None)
        if thread is not None:
            thread.join()

    # --- in the thread ---

    def _run(self) -> None:
        while True:
            orders = self._waiting()
            self._commit([order for order in orders if order is not None])
            if None in orders:
                return

    def _waiting(self) -> list[_Order | None]:
        """At least one; everything that is there by now, in order, up to the end."""
        found = [self._orders.get()]
        while found[-1] is not None and len(found) < TOGETHER:
            try:
                found.append(self._orders.get_nowait())
            except Empty:
                break
        return found

    def _commit(self, orders: Sequence[_Order]) -> None:
        if not orders:
            return
        try:
            results = self._written(orders)
        except Exception as err:
            if len(orders) == 1:
                _tell(orders[0], err)
                return
            log.info("written one by one", extra={"error": repr(err)})
            for order in orders:  # one may have spoilt it for the others
                self._commit([order])
            return
        for order, result in zip(orders, results, strict=True):
            _tell(order, result)

    def _written(self, orders: Sequence[_Order]) -> list[list[Any]]:
        with Writing(self._engine, relaxed=all(order.relaxed for order in orders)) as connection:
            return [[work(connection) for work in order.works] for order in orders]


def _tell(order: _Order, outcome: list[Any] | Exception) -> None:
    try:
        order.loop.call_soon_threadsafe(_settle, order.done, outcome)
    except RuntimeError:  # the loop has ended, and nobody waits any more
        log.debug("nobody waits")


def _settle(done: "asyncio.Future[list[Any]]", outcome: list[Any] | Exception) -> None:
    if done.done():
        return
    if isinstance(outcome, Exception):
        done.set_exception(outcome)
    else:
        done.set_result(outcome)
