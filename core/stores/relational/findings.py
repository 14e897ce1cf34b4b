"""What a search hands back: the rows as a passage, and the signals that say how strong the evidence is."""

from collections.abc import Sequence
from hashlib import sha256

from core.format import format_value
from core.stores.relational.catalog import NamedTable
from core.stores.relational.plan.model import Plan
from core.stores.relational.plan.planner import Candidate, Planned
from core.stores.relational.plan.sentence import assumptions
from core.types import Found, Language, Passage, SqlResult

CONFIDENT = 0.6  # a plan below this is not run: the lowest cut with few wrong answers among those run
_LONGEST_TEXT = 1_500  # characters of a passage


def signals_of(planned: Planned, rows: int) -> tuple[tuple[str, float], ...]:
    """Named evidence for the router; honest even when no plan was made."""
    best = planned.best
    aggregate = best is not None and (best.plan.aggregated or bool(best.plan.limit))
    return (
        ("link", planned.linked),
        ("plan", best.confidence if best else 0.0),
        ("plan_margin", planned.margin),
        ("aggregate", float(aggregate)),
        ("values", float(planned.values)),
        ("columns", float(planned.columns)),
        ("rows", float(rows)),
        ("numeric_column", float(planned.numeric)),
    )


def found_of(planned: Planned, best: Candidate, result: SqlResult, language: Language) -> Found:
    """One passage with the rows; none when the query found nothing."""
    if nothing_found(result):
        return Found(signals=signals_of(planned, 0), note="the query found no rows")
    main = best.context.tables[0 if best.plan.joined else best.plan.only].profile
    tables = sorted(table.profile.id for table in best.context.tables)
    passage = Passage(
        store="relational", label="SQL", chunk_id=evidence_id(tables, result.sql), document=main.document,
        locator=main.locator, text=rows_as_text(result, language), score=best.confidence, rank=1,
        headings=main.headings, language=language, result=result,
    )  # fmt: skip
    return Found((passage,), signals_of(planned, len(result.rows)), assumptions(best.guesses, language))


def found_by_model(tables: Sequence[NamedTable], result: SqlResult, language: Language) -> Found:
    """One passage with the rows of a model's query; none when it found nothing or read no table."""
    if nothing_found(result) or not tables:
        return Found(note="the model's query found no rows")
    main = tables[0].profile
    passage = Passage(
        store="relational", label="SQL", chunk_id=evidence_id(sorted(t.profile.id for t in tables), result.sql),
        document=main.document, locator=main.locator, text=rows_as_text(result, language), score=CONFIDENT, rank=1,
        headings=main.headings, language=language, result=result,
    )  # fmt: skip
    return Found((passage,), note="a chat model wrote the query")


def said_often(plan: Plan, result: SqlResult) -> bool:
    """The same fact in every row of a filtered list ("quando é o festival?"): once is enough."""
    plain = (
        not plan.aggregated and not plan.group and plan.limit is None and not plan.distinct and not plan.order
    )
    return plain and bool(plan.where) and len(result.rows) > 1 and len(set(result.rows)) == 1


def nothing_found(result: SqlResult) -> bool:
    """No rows, or one row of nothing but empty cells (an aggregate over no rows)."""
    return not result.rows or all(cell is None for row in result.rows for cell in row)


def rows_as_text(result: SqlResult, language: Language) -> str:
    """`Região: Norte; soma de Receita (R$): R$ 440,00`, one line a row, cut at a row's end."""
    lines: list[str] = []
    length = 0
    units = result.units or ("",) * len(result.columns)
    for row in result.rows:
        cells = zip(result.columns, row, units, strict=True)
        line = "; ".join(f"{name}: {format_value(value, unit, language)}" for name, value, unit in cells)
        if lines and length + len(line) > _LONGEST_TEXT:
            break
        lines.append(line)
        length += len(line) + 1
    return "\n".join(lines)


def evidence_id(tables: list[str], sql: str) -> str:
    """Chunk id of a query's result: what was read and how."""
    return sha256("\n".join([*tables, sql]).encode()).hexdigest()
