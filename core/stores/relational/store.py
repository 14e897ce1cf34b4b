"""The relational store behind the Store port: typed tables in, guarded answers out."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa

from core.errors import NothingReadable, SqlRefused
from core.ports import Message
from core.stores.relational import registry, shelf
from core.stores.relational.catalog import Catalog, NamedTable, build_catalog
from core.stores.relational.database import Database, delete_where
from core.stores.relational.findings import (
    CONFIDENT,
    found_by_model,
    found_of,
    nothing_found,
    said_often,
    signals_of,
)
from core.stores.relational.grammar import build_grammar, pick_tables, schema_messages
from core.stores.relational.guard import Guarded, guard
from core.stores.relational.joins import Link, find_links
from core.stores.relational.labels import labels_of
from core.stores.relational.link.index import TableIndex, build_index
from core.stores.relational.link.question import read_question
from core.stores.relational.modelsql import tidy_sql
from core.stores.relational.plan.build import build_sql
from core.stores.relational.plan.contexts import link_strength
from core.stores.relational.plan.planner import Candidate, plan_question
from core.stores.relational.plan.sentence import plan_sentence
from core.stores.relational.profile import ColumnProfile, TableProfile
from core.stores.relational.survey import profile_table
from core.types import Found, Heading, Language, Parcel, Query, SqlResult, Table, Value, View
from core.vectors import row_dots

_TIED, _TRIED = 0.01, 3  # plans that are as sure as the best are tried in its place when it finds nothing
_KEPT_VIEWS = 64  # catalogs kept ready; a scope is usually asked again
_HEADING_VALUES = 300  # a column with more different values is no vocabulary for the router
_LINK_VALUES = 20_000  # different values compared when tables are linked


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the planner needs of a view; all tuples in the order of the catalog's tables."""

    catalog: Catalog
    indexes: tuple[TableIndex, ...]
    links: tuple[Link, ...]


class RelationalStore:
    """Tables of documents, asked through plans or guarded model SQL. Safe to call from several threads."""

    name = "relational"
    label = "SQL"

    def __init__(self, url: str, *, rows: int, seconds: float) -> None:
        """Args:
        url: SQLAlchemy URL of a SQLite file or a PostgreSQL database.
        rows: the most rows a query may return.
        seconds: time limit of one query.
        """
        self.rows = rows
        self._database = Database(url, seconds=seconds)
        self._prepared: dict[tuple[str, tuple[str, ...]], Prepared] = {}
        self._indexes: dict[tuple[str, str, str], TableIndex] = {}
        self._distinct: dict[tuple[str, str, str], frozenset[Value]] = {}
        self._lock = threading.Lock()  # of the prepared views; searches run in several threads
        with self._database.writing() as connection:
            registry.metadata.create_all(connection)

    def apply(self, parcel: Parcel) -> None:
        """Store the document's tables in one transaction, in the place of whatever was stored of it."""
        with self._database.writing() as connection:
            _remove(connection, parcel.document)
            for position, table in enumerate(parcel.tables):
                _load_rows(connection, table)
                shelf.save(connection, profile_table(table, position), parcel)
            connection.execute(sa.insert(registry.documents), {"document": parcel.document})
        self._forget(parcel.document)

    def drop(self, document: str) -> int:
        """Remove a document's tables; returns how many rows of cells went."""
        with self._database.writing() as connection:
            gone = _remove(connection, document)
        self._forget(document)
        return gone

    def _forget(self, document: str) -> None:
        """Views that hold the document are prepared anew when they are asked next."""
        with self._lock:
            for key in [key for key in self._prepared if document in key[1]]:
                del self._prepared[key]
            for kept in (self._indexes, self._distinct):
                for table in [table for table in list(kept) if table[0] == document]:
                    kept.pop(table, None)

    def held(self) -> frozenset[str]:
        with self._database.reading() as connection:
            return frozenset(connection.execute(sa.select(registry.documents.c.document)).scalars())

    def headings(self, view: View) -> Sequence[Heading]:
        """Sheets, captions, columns and categorical values of the view's tables."""
        found: set[Heading] = set()
        for table in self.catalog(view).tables:
            if table.profile.source:  # another form of a table that is listed already
                continue
            found |= {Heading("table", part) for part in (table.profile.caption, table.profile.sheet) if part}
            for column in table.profile.columns:
                found.add(Heading("column", column.name))
                if 0 < column.different <= _HEADING_VALUES:
                    found |= {Heading("value", value, column.name) for value, _ in column.values}
        return tuple(sorted(found, key=lambda heading: (heading.kind, heading.text, heading.group)))

    def close(self) -> None:
        self._database.close()

    def catalog(self, view: View) -> Catalog:
        """The view's tables under their display names. Depends on nothing outside the view."""
        return self.prepare(view).catalog

    def prepare(self, view: View) -> Prepared:
        """The view's tables with their indexes and links, kept for the next question of the same scope."""
        with self._database.reading() as connection:
            query = sa.select(registry.documents.c.document)
            if len(view.documents) <= 500:
                query = query.where(registry.documents.c.document.in_(sorted(view.documents)))
            held = tuple(sorted(set(connection.execute(query).scalars()) & view.documents))
            key = (view.fingerprint, held)
            known = self._prepared.get(key)
            if known is not None:
                return known
            catalog = build_catalog(shelf.load(connection, held), view)
        indexes = tuple(self._index(table) for table in catalog.tables)
        prepared = Prepared(catalog, indexes, find_links(catalog, self._values))
        with self._lock:
            while len(self._prepared) >= _KEPT_VIEWS:
                del self._prepared[next(iter(self._prepared))]
            self._prepared[key] = prepared
        return prepared

    def _index(self, table: NamedTable) -> TableIndex:
        """A table's index, kept while its document is: another upload rebuilds nothing of it."""
        key = (table.profile.document, table.profile.id, repr(table.parts))
        if key not in self._indexes:
            self._indexes[key] = build_index(table.profile, table.parts)
        return self._indexes[key]

    def _values(self, table: NamedTable, column: ColumnProfile) -> frozenset[Value]:
        """All different values of a column, for finding links between tables."""
        key = (table.profile.document, table.profile.id, column.key)
        if key not in self._distinct:
            self._distinct[key] = self._read_values(table, column)
        return self._distinct[key]

    def _read_values(self, table: NamedTable, column: ColumnProfile) -> frozenset[Value]:
        source = sa.table(table.name, sa.column(column.key))
        cells = sa.select(source.c[column.key]).distinct()
        guarded = guard(str(cells), Catalog((table,)), rows=_LINK_VALUES, dialect=self._database.dialect)
        _, rows = self._database.select(guarded.physical, frozenset({table.profile.physical}), guarded.limit)
        return frozenset(row[0] for row in rows if row[0] is not None)

    def search(self, query: Query, view: View, limit: int) -> Found:
        """Plan by arithmetic, run the surest plan; no passage when none is sure enough or nothing matches."""
        prepared = self.prepare(view)
        if not prepared.catalog.tables:
            return Found(note="no tables")
        question = read_question(query.text, query.language, query.today)
        nearness = [_nearness(table.profile, query) for table in prepared.catalog.tables]
        planned = plan_question(question, prepared.catalog, prepared.indexes, prepared.links, nearness)
        best = planned.best
        if best is None or best.confidence < CONFIDENT:
            return Found(
                signals=signals_of(planned, 0), note="no plan" if best is None else "no plan is sure enough"
            )
        chosen, result = best, None
        try:
            for candidate in planned.tied(_TIED)[:_TRIED]:
                rows = self._result(candidate, query, prepared)
                if result is None or not nothing_found(rows):
                    chosen, result = candidate, rows
                if not nothing_found(rows):
                    break
        except SqlRefused as err:  # a plan that the guard does not accept is no plan
            return Found(signals=signals_of(planned, 0), note=f"plan refused: {err}")
        return found_of(planned, chosen, result, query.language) if result else Found(note="no plan")

    def _result(self, chosen: Candidate, query: Query, prepared: Prepared) -> SqlResult:
        """Raises: SqlRefused."""
        sentence = plan_sentence(chosen.plan, chosen.context, query.language)
        guarded = self._guarded(chosen.sql or build_sql(chosen.plan, chosen.context), prepared.catalog)
        result = self._run(guarded, query.language, sentence, by_model=False)
        if not said_often(chosen.plan, result):
            return result
        once = build_sql(replace(chosen.plan, distinct=True), chosen.context)
        return self._run(self._guarded(once, prepared.catalog), query.language, sentence, by_model=False)

    def schema_prompt(self, view: View, query: Query) -> tuple[tuple[Message, ...], str]:
        """Messages and GBNF grammar for a chat model that is to write the SQL.

        Raises: NothingReadable when the view holds no table.
        """
        prepared = self.prepare(view)
        if not prepared.catalog.tables:
            raise NothingReadable("no tables in view")
        question = read_question(query.text, query.language, query.today)
        nearness = [_nearness(table.profile, query) for table in prepared.catalog.tables]
        strength = link_strength(question, prepared.catalog, prepared.indexes, nearness)
        tables, links = pick_tables(prepared.catalog, strength, prepared.links)
        named = tuple(_named_link(prepared.catalog, link) for link in links)
        return schema_messages(tables, named, query.text, query.today), build_grammar(tables, named)

    def run_model_sql(self, sql: str, view: View, language: Language = "und") -> SqlResult:
        """Run what a chat model wrote, over the view's tables and through the guard.

        Raises: SqlRefused naming the rule; StoreFailed when it takes too long.
        """
        return self.run(tidy_sql(sql, self.catalog(view)), view, language=language, by_model=True)

    def search_model_sql(self, sql: str, query: Query, view: View) -> Found:
        """What a chat model's SELECT finds, as a passage like that of a plan; empty when it finds no rows.

        Raises: SqlRefused naming the rule; StoreFailed when it takes too long.
        """
        catalog = self.catalog(view)
        guarded = self._guarded(tidy_sql(sql, catalog), catalog)
        result = self._run(guarded, query.language, "", by_model=True)
        return found_by_model(guarded.tables, result, query.language)

    def run(
        self, sql: str, view: View, *, language: Language = "und", sentence: str = "", by_model: bool = False
    ) -> SqlResult:
        """Guard a SELECT over the view's tables and run it.

        Raises: SqlRefused naming the rule; StoreFailed when it takes too long.
        """
        return self._run(self._guarded(sql, self.catalog(view)), language, sentence, by_model)

    def _guarded(self, sql: str, catalog: Catalog) -> Guarded:
        return guard(sql, catalog, rows=self.rows, dialect=self._database.dialect)

    def _run(self, guarded: Guarded, language: Language, sentence: str, by_model: bool) -> SqlResult:
        physical = frozenset(table.profile.physical for table in guarded.tables)
        _, rows = self._database.select(guarded.physical, physical, guarded.limit)
        labels = labels_of(guarded.outputs, guarded.tables, language)
        booleans = [label.boolean for label in labels]
        shown = tuple(
            tuple(_shown(value, flag) for value, flag in zip(row, booleans, strict=True))
            for row in rows[: self.rows]
        )
        return SqlResult(
            guarded.shown, tuple(label.text for label in labels), shown, len(rows) > self.rows,
            sentence, by_model, tuple(label.unit for label in labels),
        )  # fmt: skip


def _shown(value: Value, boolean: bool) -> Value:
    return bool(value) if boolean and value is not None else value


def _load_rows(connection: sa.Connection, table: Table) -> None:
    physical = registry.physical_table(table)
    physical.create(connection)
    rows = [
        {
            registry.ROW: number,
            registry.TOTAL: int(number in table.totals),
            **{
                f"c{position}": registry.cell(value, column)
                for position, (value, column) in enumerate(zip(row, table.columns, strict=True))
            },
        }
        for number, row in enumerate(table.rows)
    ]
    if rows:
        connection.execute(sa.insert(physical), rows)


def _remove(connection: sa.Connection, document: str) -> int:
    """Drop every trace of a document inside the caller's transaction; returns how many rows of cells went."""
    chosen = registry.tables.c.document == document
    found = connection.execute(
        sa.select(registry.tables.c.id, registry.tables.c.physical).where(chosen)
    ).all()
    gone = 0
    for _, physical in found:
        table = sa.table(physical)
        gone += int(connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one())
        connection.execute(sa.schema.DropTable(sa.Table(physical, sa.MetaData()), if_exists=True))
    ids = [table_id for table_id, _ in found]
    for owned in (registry.columns, registry.vocabulary):
        delete_where(connection, owned, "table_id", ids)
    delete_where(connection, registry.tables, "document", [document])
    delete_where(connection, registry.documents, "document", [document])
    return gone


def _named_link(catalog: Catalog, link: Link) -> tuple[NamedTable, str, NamedTable, str]:
    many, one = catalog.tables[link.many], catalog.tables[link.one]
    return many, many.profile.columns[link.column].key, one, one.profile.columns[link.key].key


def _nearness(profile: TableProfile, query: Query) -> float:
    """Cosine of the question with what was embedded of the table; zero when nothing was."""
    if profile.vectors.shape[1:] != query.vector.shape or not profile.vectors.any():
        return 0.0
    return float(row_dots(profile.vectors, query.vector).max())
