"""What is kept of an answered question, so that it can be explained, judged, shared and asked again."""

from typing import Any

from bot.contract import answer_json
from core.types import Answer


def trace_body(question: str, answer: Answer) -> dict[str, Any]:
    """The answer as the command line prints it, the question, and the documents (ids) that it drew on."""
    documents = sorted({source.document_id for source in (*answer.sources, *answer.retrieved)})
    return answer_json(answer) | {
        "question": question,
        "documents": documents,
        "by_model": answer.by_model,
    }


def asked(answer: Answer) -> dict[str, Any]:
    """The audit trail's row of a question: ids and verdicts, no texts."""
    routes = dict.fromkeys(route for clause in answer.clauses for route in clause.decision.routes)
    return {
        "trace": answer.trace_id,
        "routes": list(routes),
        "cache": answer.cache,
        "abstained": answer.abstained,
        "evidence": [source.chunk_id for source in answer.sources],
    }
