"""The JSON of the command line: the contract that scripts and outside checks rely on. Keys never change silently."""

from collections.abc import Iterable
from typing import Any

from core.types import Answer, Clause, IngestReport, RouteDecision, Scope, Source


def answer_json(answer: Answer) -> dict[str, Any]:
    """`polyrag ask --json`."""
    routes = dict.fromkeys(route for clause in answer.clauses for route in clause.decision.routes)
    return {
        "answer": answer.text,
        "language": answer.language,
        "abstained": answer.abstained,
        "degraded": bool(answer.degraded),
        "cache": answer.cache,
        "understood_as": answer.understood_as,
        "routes": list(routes),
        "clauses": [clause_json(clause.text, clause.decision) for clause in answer.clauses],
        "sources": [source_json(source) for source in answer.sources],
        "retrieved": [source_json(source) for source in answer.retrieved],
        "explanation": answer.explanation,
        "trace_id": answer.trace_id,
        "timings_ms": dict(answer.timings_ms),
    }


def clause_json(text: str, decision: RouteDecision) -> dict[str, Any]:
    """One clause, as `route` and `ask` print it."""
    return {
        "text": text,
        "routes": list(decision.routes),
        "stage": decision.stage,
        "scores": {score.route: score.score for score in decision.scores},
        "margin": decision.margin,
        "reason": decision.reason,
    }


def route_json(text: str, scope: Scope, clauses: Iterable[Clause]) -> dict[str, Any]:
    """`polyrag route --json`."""
    return {
        "text": text,
        "scope_tags": sorted(scope.tags),
        "clauses": [clause_json(clause.text, clause.decision) for clause in clauses],
    }


def source_json(source: Source) -> dict[str, Any]:
    """One source; `sql` and `rows` only where the source is a query result."""
    found: dict[str, Any] = {
        "label": source.label,
        "document": source.document,
        "locator": source.locator,
        "channel": source.channel,
        "text": source.text,
        "chunk_id": source.chunk_id,
    }
    if source.sql:
        found |= {"sql": source.sql, "rows": [list(row) for row in source.rows]}
    return found | {"score": source.score, "rank": source.rank, "clause": source.clause}


def ingest_json(reports: Iterable[IngestReport]) -> dict[str, Any]:
    """`polyrag ingest --json`."""
    return {"files": [_report_json(report) for report in reports]}


def _report_json(report: IngestReport) -> dict[str, Any]:
    counts = dict.fromkeys(("text", "graph", "relational"), 0) | dict(report.chunks)
    return {
        "file": report.file,
        "document": report.document,
        "status": report.status,
        "reason": report.reason,
        "chunks": counts,
        "tables": [{"name": t.name, "rows": t.rows, "rejected": len(t.rejected)} for t in report.tables],
        "assumptions": [
            *report.assumptions,
            *(f"{r.where}: {r.reason}" for r in report.rejected),
            *(f"{r.where}: {r.reason}" for table in report.tables for r in table.rejected),
        ],
    }
