"""Whose version of a file stood where another person's stands now: a channel is told, and both may take the name away."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass

import sqlalchemy as sa

from bot.records import Writing
from core.types import Language

metadata = sa.MetaData()
superseded = sa.Table(
    "superseded",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),  # in the order in which they were replaced
    sa.Column("tag", sa.String(255), nullable=False, index=True),
    sa.Column("name", sa.String(1024), nullable=False),
    sa.Column("document", sa.String(64), nullable=False),
    sa.Column("uploader", sa.String(255), nullable=False),
    sa.Column("language", sa.String(8), nullable=False, default="und"),
)


@dataclass(frozen=True, slots=True)
class Former:
    """A version that is no longer visible: its bytes are gone, its message may still stand in the channel."""

    document: str
    uploader: str
    language: Language = "und"  # in which the channel was told of the replacement


class Versions:
    """Each method is one transaction on the ledger's engine."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        metadata.create_all(engine)

    def replaced(self, tag: str, name: str, former: Iterable[Former]) -> None:
        """These versions of a name have just lost their place to another one."""
        with Writing(self._engine) as connection:
            for item in former:
                same = (superseded.c.tag == tag) & (superseded.c.name == name)
                connection.execute(superseded.delete().where(same, superseded.c.document == item.document))
                connection.execute(superseded.insert().values(tag=tag, name=name, **asdict(item)))

    def former(self, tag: str, name: str) -> tuple[Former, ...]:
        """The versions that a name had in a channel before the one it has, the latest first."""
        query = sa.select(superseded)
        here = query.where(superseded.c.tag == tag, superseded.c.name == name)
        with self._engine.connect() as connection:
            rows = connection.execute(here.order_by(superseded.c.id.desc())).all()
        return tuple(Former(row.document, row.uploader, row.language) for row in rows)

    def erase_names(self, names: Collection[tuple[str, str]]) -> None:
        """Args: names: (tag, name) pairs that are known no more."""
        with Writing(self._engine) as connection:
            for tag, name in sorted(names):
                connection.execute(
                    superseded.delete().where(superseded.c.tag == tag, superseded.c.name == name)
                )

    def erase_place(self, tag: str) -> None:
        """Everything about one channel goes."""
        with Writing(self._engine) as connection:
            connection.execute(superseded.delete().where(superseded.c.tag == tag))

    def erase_person(self, prefix: str, user: str) -> None:
        """What names a person in the channels whose tag begins like this."""
        mine = superseded.c.tag.startswith(prefix, autoescape=True) & (superseded.c.uploader == user)
        with Writing(self._engine) as connection:
            connection.execute(superseded.delete().where(mine))
