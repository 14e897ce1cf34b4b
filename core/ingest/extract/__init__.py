"""Relations of a passage: by rules, or from a chat model's JSON."""

from core.ingest.extract.asked import AskedTriples, model_triples
from core.ingest.extract.model import TRIPLE_SCHEMA, read_model_triples, triple_prompt, triples_from_model
from core.ingest.extract.names import ALSO_CALLED
from core.ingest.extract.rules import chunk_mentions, extract_triples

__all__ = [
    "ALSO_CALLED",
    "TRIPLE_SCHEMA",
    "AskedTriples",
    "chunk_mentions",
    "extract_triples",
    "model_triples",
    "read_model_triples",
    "triple_prompt",
    "triples_from_model",
]
