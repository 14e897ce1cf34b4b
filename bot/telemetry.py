"""Spans of every answered question and every upload, sent to an OpenTelemetry collector where one is configured.

Names, counts, scores, verdicts and milliseconds only; never a text, a file's name, a person or a token. Spans are made
after the fact from what the walks measured, so that the engine needs no clock of ours and no tracing library.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

from core.errors import BadSetting
from core.types import Answer, IngestReport

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

Attributes = dict[str, str | bool | int | float]
SERVICE = "polyrag"


class Telemetry:
    """One exporter; `close` sends what is waiting."""

    def __init__(self, provider: "TracerProvider") -> None:
        self._provider = provider
        self._tracer = provider.get_tracer(SERVICE)

    @classmethod
    def open(cls, endpoint: str) -> "Telemetry":
        """Send to this OTLP/HTTP endpoint, for example http://127.0.0.1:4318/v1/traces.

        Raises: BadSetting when the extra `otel` is not installed.
        """
        try:
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
        except ImportError as err:
            problem = {
                "pt": "telemetry.otlp_endpoint precisa do extra otel: pip install 'polyrag-bot[otel]'",
                "en": "telemetry.otlp_endpoint needs the extra otel: pip install 'polyrag-bot[otel]'",
            }
            raise BadSetting(problem["en"], problem=problem) from err
        provider = TracerProvider(resource=Resource.create({"service.name": SERVICE}))
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint)))
        return cls(provider)

    def answered(self, answer: Answer, platform: str, ended: datetime) -> None:
        """A span for the question, one for each step inside it, and an event for each routing decision."""
        steps = [(name, ms) for name, ms in answer.timings_ms if name != "total"]
        total = dict(answer.timings_ms).get("total") or sum(ms for _, ms in steps)
        self._spans("ask", ended, total, steps, answer_attributes(answer, platform), decisions(answer))

    def ingested(self, report: IngestReport, platform: str, ended: datetime, ms: float) -> None:
        """A span for one upload."""
        self._spans("ingest", ended, ms, (), ingest_attributes(report, platform), ())

    def close(self) -> None:
        self._provider.shutdown()

    def _spans(
        self,
        name: str,
        ended: datetime,
        total: float,
        steps: Sequence[tuple[str, float]],
        attributes: Attributes,
        events: Sequence[Attributes],
    ) -> None:
        from opentelemetry.trace import set_span_in_context

        end = int(ended.timestamp() * 1e9)
        begin = end - int(total * 1e6)
        span = self._tracer.start_span(name, start_time=begin, attributes=attributes)
        for event in events:
            span.add_event("route", attributes=event, timestamp=begin)
        marks = list(accumulate((int(ms * 1e6) for _, ms in steps), initial=begin))
        inside = set_span_in_context(span)
        for (step, _), (started, stopped) in zip(steps, pairwise(marks), strict=True):
            self._tracer.start_span(step, context=inside, start_time=started).end(end_time=stopped)
        span.end(end_time=end)


def answer_attributes(answer: Answer, platform: str) -> Attributes:
    """What is worth counting of an answer."""
    routes = sorted({route for clause in answer.clauses for route in clause.decision.routes})
    return {
        "polyrag.platform": platform,
        "polyrag.trace_id": answer.trace_id,
        "polyrag.cache": answer.cache,
        "polyrag.abstained": answer.abstained,
        "polyrag.degraded": bool(answer.degraded),
        "polyrag.by_model": answer.by_model,
        "polyrag.clauses": len(answer.clauses),
        "polyrag.sources": len(answer.sources),
        "polyrag.retrieved": len(answer.retrieved),
        "polyrag.routes": ",".join(routes),
    }


def decisions(answer: Answer) -> tuple[Attributes, ...]:
    """One routing decision a clause: stage, margin, and every route's score."""
    return tuple(
        {
            "stage": clause.decision.stage,
            "margin": clause.decision.margin,
            "routes": ",".join(clause.decision.routes),
            **{f"score.{score.route}": score.score for score in clause.decision.scores},
        }
        for clause in answer.clauses
    )


def ingest_attributes(report: IngestReport, platform: str) -> Attributes:
    """What is worth counting of an upload."""
    chunks: Mapping[str, int] = dict(report.chunks)
    refused = [*report.rejected, *(r for table in report.tables for r in table.rejected)]
    counted: dict[str, Any] = {f"polyrag.chunks.{store}": chunks[store] for store in sorted(chunks)}
    return {
        "polyrag.platform": platform,
        "polyrag.status": report.status,
        "polyrag.tables": len(report.tables),
        "polyrag.rejected": len(refused),
        **counted,
    }
