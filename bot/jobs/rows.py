"""The list of jobs, in the ledger's database: what is to be done, how far it is, and why something could not be done."""

import json
from collections.abc import Collection, Iterable
from typing import Any

import sqlalchemy as sa

from bot.clerk import Writing
from bot.jobs.job import OPEN_STATES, Job, JobRow, State, body_text

metadata = sa.MetaData()
jobs = sa.Table(
    "jobs",
    metadata,
    sa.Column("position", sa.Integer, primary_key=True),
    sa.Column("id", sa.String(32), nullable=False, unique=True),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("workspace", sa.String(255), nullable=False),
    sa.Column("tag", sa.String(255), nullable=False),
    sa.Column("name", sa.String(1024), nullable=False),
    sa.Column("actor", sa.String(255), nullable=False),
    sa.Column("received", sa.String(40), nullable=False),
    sa.Column("documents", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("state", sa.String(16), nullable=False, index=True),
    sa.Column("step", sa.String(32), nullable=False, default=""),
    sa.Column("done", sa.Integer, nullable=False, default=0),
    sa.Column("total", sa.Integer, nullable=False, default=0),
    sa.Column("starts", sa.Integer, nullable=False, default=0),
    sa.Column("reason", sa.Text, nullable=False, default=""),
    sa.Column("owner", sa.String(64), nullable=False),
    sa.Column("wanted", sa.String(16), nullable=False, default=""),  # "cancel": by another process
)
_JOB = ("id", "kind", "workspace", "tag", "name", "actor", "received")


class JobRows:
    """Each method is one transaction."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        metadata.create_all(engine)

    def add(self, job: Job, owner: str) -> None:
        values = {name: getattr(job, name) for name in _JOB}
        values |= {"documents": json.dumps(job.documents), "body": body_text(job.body)}
        self._write(jobs.insert().values(**values, state="waiting", owner=owner))

    def get(self, job: str) -> JobRow | None:
        """A job by id, or by an unambiguous beginning of it (at least four characters)."""
        found = self._rows(jobs.c.id.startswith(job, autoescape=True) if len(job) >= 4 else jobs.c.id == job)
        return found[0] if len(found) == 1 else None

    def listed(self, states: Iterable[State] | None = None, limit: int = 1_000_000) -> tuple[JobRow, ...]:
        """In order of submission; the newest `limit` of them."""
        condition = jobs.c.state.in_(list(states)) if states is not None else sa.true()
        return self._rows(condition)[-limit:]

    def open_owners(self) -> tuple[str, ...]:
        """Processes that have something to finish, alive or not."""
        query = sa.select(jobs.c.owner).distinct().where(jobs.c.state.in_(OPEN_STATES))
        with self._engine.connect() as connection:
            return tuple(sorted(connection.scalars(query)))

    def adopt(self, dead: str, owner: str) -> tuple[JobRow, ...]:
        """Take over what a process that ended left unfinished, in order; nobody else can after that."""
        with Writing(self._engine) as connection:
            mine = (jobs.c.owner == dead) & jobs.c.state.in_(OPEN_STATES)
            ids = list(connection.scalars(sa.select(jobs.c.id).where(mine).order_by(jobs.c.position)))
            connection.execute(jobs.update().where(mine).values(owner=owner, state="waiting"))
        return self._rows(jobs.c.id.in_(ids))

    def change(self, job: str, **values: Any) -> None:
        self._write(jobs.update().where(jobs.c.id == job).values(**values))

    def started(self, job: str) -> int:
        """Count a beginning; how many there were, this one included."""
        with Writing(self._engine) as connection:
            row = jobs.c.id == job
            connection.execute(jobs.update().where(row).values(starts=jobs.c.starts + 1, state="running"))
            return int(connection.scalar(sa.select(jobs.c.starts).where(row)) or 0)

    def is_unwanted(self, job: str) -> bool:
        """Whether somebody called it off, or erased it altogether."""
        with self._engine.connect() as connection:
            wanted = connection.scalar(sa.select(jobs.c.wanted).where(jobs.c.id == job))
        return wanted is None or wanted == "cancel"

    def remove(self, ids: Collection[str]) -> None:
        self._write(jobs.delete().where(jobs.c.id.in_(list(ids))))

    def prune(self, keep: int) -> tuple[str, ...]:
        """Drop the oldest finished jobs beyond `keep`; failed ones stay until somebody decides. Returns their ids."""
        finished = [row.job.id for row in self.listed(("done", "cancelled"))]
        gone = finished[: max(0, len(finished) - keep)]
        if gone:
            self.remove(gone)
        return tuple(gone)

    def _rows(self, condition: Any) -> tuple[JobRow, ...]:
        query = sa.select(jobs).where(condition).order_by(jobs.c.position)
        with self._engine.connect() as connection:
            return tuple(_row(row) for row in connection.execute(query))

    def _write(self, statement: sa.Executable) -> None:
        with Writing(self._engine) as connection:
            connection.execute(statement)


def _row(row: sa.Row[Any]) -> JobRow:
    facts = {name: getattr(row, name) for name in _JOB}
    job = Job(**facts, documents=tuple(json.loads(row.documents)), body=json.loads(row.body))
    return JobRow(
        job, row.position, row.state, row.step, row.done, row.total, row.starts, row.reason, row.owner
    )
