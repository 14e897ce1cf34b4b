"""Where a period of the question meets a column: dates, years, months, quarters, in the data's own terms."""

from dataclasses import replace
from datetime import date, timedelta

from core.stores.relational.link.question import Question
from core.stores.relational.plan.model import Comparison, Condition, Context, Ref
from core.stores.relational.profile import ColumnProfile
from core.stores.relational.roles import moments
from core.stores.relational.wording.calendar import MONTH_NAMES, month_days
from core.stores.relational.wording.periods import Period
from core.types import Value


def period_condition(
    context: Context, refs: list[Ref], period: Period, op: str, question: Question
) -> tuple[list[Condition], str]:
    """Conditions that mean the period on the best of the columns, and how to say it; nothing when none fits.

    Args:
        context: the tables.
        refs: columns of dates, years, months, in the order of preference within a role.
        period: as read from the question.
        op: "=" (inside it), or a comparison with it.
        question: for its language and its today.
    """
    for role in ("date", "moment", "month", "year"):
        for ref in refs:
            column = context.column(ref)
            if column.role != role:
                continue
            resolved = _resolved(period, column, question.today)
            parts = _conditions(context, ref, column, resolved, op, refs)
            if parts:
                return parts, _words(resolved, op, question.language)
    return [], ""


def _resolved(period: Period, column: ColumnProfile, today: str) -> Period:
    """Give "em abril" the last April that has begun by the data's end, "último mês" the last one in the data."""
    last = str(column.maximum or "")[:10]
    if column.role != "date" or not last:
        return period
    if period.latest:
        return _latest(period, last, today)
    if not period.months or period.year is not None or period.low:
        return period
    year = int(last[:4]) - (period.months[0] > int(last[5:7]))
    first = str(column.minimum or "")[:10]
    if f"{year}-{period.months[-1]:02d}-31" < first:
        return period
    low = f"{year}-{period.months[0]:02d}-01"
    high = f"{year}-{period.months[-1]:02d}-{month_days(year, period.months[-1]):02d}"
    return replace(period, low=low, high=high, year=year)


def _latest(period: Period, last: str, today: str) -> Period:
    """The calendar unit before today when the data reaches it, else the data's last one."""
    year, month = int(last[:4]), int(last[5:7])
    if today:
        now = date.fromisoformat(today[:10])
        before = now.replace(day=1) - timedelta(days=1)
        if last >= before.replace(day=1).isoformat() and period.latest == "month":
            year, month = before.year, before.month
    if period.latest == "year":
        return replace(period, low=f"{year}-01-01", high=f"{year}-12-31", year=year, latest="")
    size = 3 if period.latest == "quarter" else 1
    first = month - (month - 1) % size
    months = tuple(range(first, first + size))
    high = f"{year}-{months[-1]:02d}-{month_days(year, months[-1]):02d}"
    return replace(period, low=f"{year}-{first:02d}-01", high=high, months=months, year=year, latest="")


def _conditions(
    context: Context, ref: Ref, column: ColumnProfile, period: Period, op: str, refs: list[Ref]
) -> list[Condition]:
    if column.role == "date":
        return _on_dates(ref, period, op)
    if column.role == "year":
        return _on_years(ref, column, period, op)
    moment = column.role == "moment"
    found = _on_moments(ref, column, period, op) if moment else _on_months(ref, period, op)
    years = [r for r in refs if context.column(r).role == "year" and r.table == ref.table]
    if found and period.year is not None and years and not _says_year(column):
        found += _on_years(years[0], context.column(years[0]), replace(period, months=()), "=")
    return found


def _says_year(column: ColumnProfile) -> bool:
    return any(moment.year is not None for moment in moments(column).values())


def _on_dates(ref: Ref, period: Period, op: str) -> list[Condition]:
    if not period.low and not period.high:
        return []
    low, high = period.low, period.high
    after = _next_day(high) if high else ""
    if op in (">", "<="):
        return [Condition(ref, ">=" if op == ">" else "<", (after,))] if after else []
    if op in ("<", ">="):
        return [Condition(ref, op, (low,))] if low else []  # type: ignore[arg-type]
    if low and after:
        return [Condition(ref, "between", (low, after))]  # built as >= low and < after
    return [Condition(ref, ">=", (low,))] if low else [Condition(ref, "<", (after,))]


def _next_day(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _on_years(ref: Ref, column: ColumnProfile, period: Period, op: str) -> list[Condition]:
    if period.months and period.bare_year is False and op == "=":
        return []  # a year column cannot tell months apart
    first = int(period.low[:4]) if period.low else None
    last = int(period.high[:4]) if period.high else None
    if first is None or last is None:
        return []
    low, high = _year_value(first, column), _year_value(last, column)
    if op in (">", "<="):
        return [Condition(ref, op, (high,))]  # type: ignore[arg-type]
    if op in ("<", ">="):
        return [Condition(ref, op, (low,))]  # type: ignore[arg-type]
    return [Condition(ref, "=", (low,))] if low == high else [Condition(ref, "between", (low, high))]


def _year_value(year: int, column: ColumnProfile) -> Value:
    return year if column.numeric else str(year)


def _on_months(ref: Ref, period: Period, op: str) -> list[Condition]:
    if not period.months:
        return []
    if op in (">", "<", ">=", "<="):
        edge = period.months[-1] if op in (">", "<=") else period.months[0]
        return [Condition(ref, op, (edge,))]  # type: ignore[arg-type]
    return [Condition(ref, "=" if len(period.months) == 1 else "in", tuple(period.months))]


def _on_moments(ref: Ref, column: ColumnProfile, period: Period, op: str) -> list[Condition]:
    """A text column of months or quarters: the cells that lie in the period."""
    if not (period.months or period.year):
        return []
    named = moments(column)
    chosen = [value for value, moment in named.items() if _inside(moment.year, moment.months, period, op)]
    if not chosen:
        return []
    kept: tuple[Value, ...] = tuple(sorted(chosen))
    equal: Comparison = "=" if len(kept) == 1 else "in"
    return [Condition(ref, equal, kept)]


def _inside(year: int | None, months: tuple[int, ...], period: Period, op: str) -> bool:
    if op in (">", "<", ">=", "<="):
        here = ((year if period.year is not None and year is not None else 0), months[0])
        there_year = period.year if period.year is not None and year is not None else 0
        edges = period.months or (1, 12)
        low, high = (there_year, edges[0]), (there_year, edges[-1])
        return {">": here > high, ">=": here >= low, "<": here < low, "<=": here <= high}[op]
    if year is not None and period.low and period.high:
        return (
            period.low[:7] <= f"{year:04d}-{months[0]:02d}"
            and f"{year:04d}-{months[-1]:02d}" <= period.high[:7]
        )
    return bool(period.months) and set(months) <= set(period.months)


_BEFORE = {
    "pt": {">": "depois de", "<": "antes de", ">=": "a partir de", "<=": "até", "=": ""},
    "en": {">": "after", "<": "before", ">=": "from", "<=": "up to", "=": ""},
}


def _words(period: Period, op: str, language: str) -> str:
    lead = _BEFORE["pt" if language == "pt" else "en"].get(op, "")
    return f"{lead} {_span_words(period, 'pt' if language == 'pt' else 'en')}".strip()


def _span_words(period: Period, language: str) -> str:
    names = MONTH_NAMES[language]
    if period.bare_year and period.low and period.high:
        first, last = period.low[:4], period.high[:4]
        return first if first == last else f"{first}–{last}"
    if period.months and (period.low[8:] in ("", "01")) and (not period.low or period.low != period.high):
        first, last = names[period.months[0] - 1], names[period.months[-1] - 1]
        span = first if first == last else f"{first}–{last}"
        joint = " de " if language == "pt" else " "
        return f"{span}{joint}{period.year}" if period.year is not None else span
    if period.low and period.low == period.high:
        return period.low
    return f"{period.low or '…'} – {period.high or '…'}"
