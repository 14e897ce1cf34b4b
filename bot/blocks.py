"""From the engine's values to a platform-free Reply."""

from bot.messages import Button, Reply, SourceBlock
from bot.phrases import say
from bot.plain import TABLE_ROWS
from core.explain import run_lines
from core.harmless import harmless, shown_name, unlinked
from core.ingest.notes import said_in
from core.types import Answer, IngestReport, Language

MAX_REASONS = 3  # rejected rows named in a receipt; the rest is a count


def answer_reply(answer: Answer) -> Reply:
    """An answer with its source groups in the order of their best rank, the folded explanation, and buttons."""
    language = answer.language
    notes = list(answer.notes)
    if answer.cache in ("exact", "paraphrase"):
        notes.append(say("from_cache", language))
    if answer.understood_as:
        notes.append(say("understood_as", language, text=harmless(answer.understood_as)))
    notes += answer.degraded
    labels = dict.fromkeys(source.label for source in answer.sources)
    blocks = tuple(
        SourceBlock(label, tuple(s for s in answer.sources if s.label == label)) for label in labels
    )
    buttons = [Button("why", answer.trace_id)]
    if not answer.abstained:
        buttons = [Button("up", answer.trace_id), Button("down", answer.trace_id), *buttons]
    if answer.cache in ("exact", "paraphrase"):
        buttons.append(Button("fresh", answer.trace_id))
    if any(source.truncated or len(source.rows) > TABLE_ROWS for source in answer.sources):
        buttons.append(Button("csv", answer.trace_id))
    return Reply(
        answer.text,
        language,
        blocks,
        "\n".join([answer.explanation, run_lines(answer, language)]),
        tuple(buttons),
        trace_id=answer.trace_id,
        notes=tuple(dict.fromkeys(notes)),
    )


def report_line(report: IngestReport, language: Language) -> str:
    """The receipt of one upload: what was stored, assumed and refused."""
    name = shown_name(report.file)
    if report.status == "rejected":
        return say("upload_rejected", language, file=name, reason=unlinked(report.reason))
    if report.status == "same":
        line = say("upload_same", language, file=name)
        return f"{line} ({unlinked(report.reason)})" if report.reason else line
    key = "upload_new" if report.status == "new" else "upload_version"
    facts = {"file": name, "what": _stored(report, language)}
    if report.replaced:
        key = "upload_replaced"
        facts |= {"by": unlinked(report.uploader), "former": unlinked(report.replaced)}
    return "\n".join([say(key, language, **facts), *_caveats(report, language)])


def _stored(report: IngestReport, language: Language) -> str:
    counts = dict(report.chunks)
    parts = [say("passages", language, n=counts.get("text", 0))] if counts.get("text") else []
    if counts.get("graph"):
        parts.append(say("relations", language, n=counts["graph"]))
    parts += [say("table", language, name=unlinked(t.name), rows=t.rows) for t in report.tables]
    return ", ".join(parts)


def _caveats(report: IngestReport, language: Language) -> list[str]:
    lines: list[str] = []
    refused = [*report.rejected, *(r for table in report.tables for r in table.rejected)]
    if refused:
        told = [(said_in(r.where, language), said_in(r.reason, language)) for r in refused[:MAX_REASONS]]
        why = "; ".join(unlinked(f"{where}: {reason}") for where, reason in told)
        lines.append("  " + say("rejected_rows", language, n=len(refused), why=why))
    if report.assumptions:
        what = "; ".join(said_in(text, language) for text in report.assumptions)
        lines.append("  " + say("assumed", language, what=unlinked(what)))
    return lines
