"""The report of `polyrag eval` on a terminal: one column a mode, so that every gain stands beside the seed."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

ROWS = (
    "routing",
    "routing_exact",
    "stores_per_clause",
    "recall_at_1",
    "recall_at_5",
    "recall_at_10",
    "recall_at_20",
    "mrr",
    "facts",
    "sql_exact",
    "leaks",
)


def show(reports: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print reports of one set side by side, then the full mode's groups and problems."""
    first = reports[0]
    console.print(f"{first['name']}: {first['n']} questions")
    console.print(_overall(reports))
    for group in ("by_route", "by_tag"):
        if first[group]:
            console.print(_groups(first, group))
    for problem in first["problems"]:
        console.print(f"problem: {problem['where']}: {problem['reason']}", markup=False)


def _overall(reports: Sequence[Mapping[str, Any]]) -> Table:
    table = Table("figure", *(str(report["mode"]) for report in reports))
    for name in ROWS:
        table.add_row(name, *(_cell(report["overall"][name]) for report in reports))
    extra = {
        "abstain precision": lambda r: r["abstain"]["precision"],
        "abstain recall": lambda r: r["abstain"]["recall"],
        "compound detected": lambda r: r["compound"]["detected"],
        "false splits": lambda r: r["compound"]["false_splits"],
        "cache true hits": lambda r: _of(r["cache"]["true_hits"], r["cache"]["same"]),
        "cache false hits": lambda r: _of(r["cache"]["false_hits"], r["cache"]["pairs"] - r["cache"]["same"]),
        "follow-ups right": lambda r: r["followups"]["right"],
        "without a model": lambda r: r["share_without_model"],
        "latency p50 / p95 ms": lambda r: _pair(r["latency_ms"].get("all", {})),
    }
    for name, read in extra.items():
        table.add_row(name, *(_cell(read(report)) for report in reports))
    return table


def _groups(report: Mapping[str, Any], group: str) -> Table:
    table = Table(group.removeprefix("by_"), "n", *ROWS[:10])
    for name, figures in report[group].items():
        table.add_row(name, str(figures["n"]), *(_cell(figures[row]) for row in ROWS[:10]))
    return table


def _of(part: int, whole: int) -> str:
    return f"{part} of {whole}" if whole else "-"


def _pair(values: Mapping[str, float]) -> str:
    return f"{values['p50']:.0f} / {values['p95']:.0f}" if values else "-"


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
