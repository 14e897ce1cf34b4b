"""Months side by side become rows: a table with columns Jan, Fev, Mar, ... also exists in a long form.

"Em abril", "no segundo trimestre", "qual mês teve mais" then mean the same in both layouts. The long form holds no
cell of its own: it is a SELECT over the stored table.
"""

import re
from collections import defaultdict
from dataclasses import replace

from sqlglot import exp

from core.normalize import fold
from core.stores.relational import registry
from core.stores.relational.profile import NUMERIC, ColumnProfile, TableProfile
from core.stores.relational.roles import described
from core.stores.relational.wording.calendar import moment_of

_FEWEST = 3  # moments side by side that make a series
_UNIT = re.compile(r"\s*\([^)]*\)\s*")
_IN_BRACKETS = re.compile(r"\(([^()\d]{1,5})\)\s*$")
_TOTALS = frozenset(["total", "totais", "soma", "sum", "acumulado", "ytd", "media", "average"])


def long_form(table: TableProfile) -> TableProfile | None:
    """The table with one row a month (or quarter), or None when no such series stands side by side."""
    name, series = _longest_series(table)
    if len(series) < _FEWEST or len({moment_of(label) for _, label in series}) < len(series):
        return None
    positions = {column.position for column, _ in series}
    kept = [
        column
        for column in table.columns
        if column.position not in positions and not (column.type in NUMERIC and _TOTALS & set(column.words))
    ]
    columns = [_repeated(column, len(series)) for column in kept]
    columns += [
        _moment_column(series, table.rows),
        _value_column(series, name or table.caption or table.sheet),
    ]
    numbered = tuple(replace(column, position=position) for position, column in enumerate(columns))
    return replace(
        table, id=f"{table.id}#long", columns=numbered, rows=sum(column.filled for column, _ in series),
        source=_source(table, kept, series), vectors=table.vectors[:0],
    )  # fmt: skip


def _longest_series(table: TableProfile) -> tuple[str, list[tuple[ColumnProfile, str]]]:
    found: dict[str, list[tuple[ColumnProfile, str]]] = defaultdict(list)
    for column in table.columns:
        label = _label(column.name) if column.type in NUMERIC else None
        if label is not None:
            found[label[0]].append((column, label[1]))
    return max(found.items(), key=lambda item: len(item[1]), default=("", []))


def _label(header: str) -> tuple[str, str] | None:
    """Split a header into what is measured and the moment: "Receita jan/24 (R$)" -> ("Receita", "jan/24")."""
    bare = _UNIT.sub(" ", header).strip()
    if moment_of(bare):
        return "", bare
    words = bare.split()
    for size in range(1, len(words)):
        if moment_of(" ".join(words[size:])):
            return " ".join(words[:size]), " ".join(words[size:])
        if moment_of(" ".join(words[:size])):
            return " ".join(words[size:]), " ".join(words[:size])
    return None


def _repeated(column: ColumnProfile, times: int) -> ColumnProfile:
    counted = replace(column, filled=column.filled * times, physical=f"c{column.position}")
    return described(counted)


def _moment_column(series: list[tuple[ColumnProfile, str]], rows: int) -> ColumnProfile:
    labels = tuple((label, rows) for _, label in series)
    quarters = all(len(moment.months) == 3 for _, label in series if (moment := moment_of(label)))
    name = "Trimestre" if quarters else "Mês"
    return described(
        ColumnProfile(
            0, fold(name), name, "text", "", rows * len(series), len(series), None, None,
            labels, len(labels), physical="moment",
        )
    )  # fmt: skip


def _value_column(series: list[tuple[ColumnProfile, str]], name: str) -> ColumnProfile:
    first = series[0][0]
    real = any(column.type == "real" for column, _ in series)
    lows = [column.minimum for column, _ in series if isinstance(column.minimum, int | float)]
    highs = [column.maximum for column, _ in series if isinstance(column.maximum, int | float)]
    filled = sum(column.filled for column, _ in series)
    return described(
        ColumnProfile(
            0, "valor", name or "Valor", "real" if real else "integer", first.unit or _unit_of(name), filled, filled,
            min(lows, default=None), max(highs, default=None), physical="amount",
        )
    )  # fmt: skip


def _unit_of(name: str) -> str:
    """What stands in brackets behind a title: "Paradas (h)" is in hours."""
    found = _IN_BRACKETS.search(name)
    return found[1] if found else ""


def _source(table: TableProfile, kept: list[ColumnProfile], series: list[tuple[ColumnProfile, str]]) -> str:
    parts = []
    for column, label in series:
        cells = [exp.column(registry.TOTAL), *(exp.column(f"c{k.position}") for k in kept)]
        moment = exp.alias_(exp.Literal.string(label), "moment")
        amount = exp.alias_(exp.column(f"c{column.position}"), "amount")
        filled = exp.Not(this=exp.Is(this=exp.column(f"c{column.position}"), expression=exp.Null()))
        parts.append(exp.select(*cells, moment, amount).from_(table.physical).where(filled))
    return " UNION ALL ".join(part.sql(dialect="sqlite") for part in parts)
