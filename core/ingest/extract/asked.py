"""Relations of many passages from a chat model: one question a passage, a few at a time, none of which may stop the others."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.errors import PolyragError
from core.ingest.extract.model import TRIPLE_SCHEMA, read_model_triples, triple_prompt
from core.ports import Generator
from core.types import Chunk, Triple

MAX_TOKENS = 700  # of one answer: about twenty relations


@dataclass(frozen=True, slots=True)
class AskedTriples:
    """What a chat model found, and what could not be used of its answers."""

    triples: tuple[Triple, ...]  # sorted
    skipped: int = 0  # items of answers that were no relation of the passage
    unanswered: tuple[str, ...] = ()  # ids of passages whose question failed


async def model_triples(
    chunks: Sequence[Chunk],
    generator: Generator,
    *,
    at_once: int = 1,
    max_tokens: int = MAX_TOKENS,
    tell: Callable[[str, int, int], None] = lambda step, done, total: None,
) -> AskedTriples:
    """Ask a chat model for the relations of each passage; code has none and is not asked about.

    Args:
        generator: answers at temperature 0 under a JSON schema, so that the same passage gives the same relations.
        at_once: questions under way together; more than the server's slots only wait for each other.
    Returns: all relations together. A question that fails is counted and its passage has none: the rules' relations
        of that passage still stand.
    """
    asked = [chunk for chunk in chunks if chunk.kind != "code"]
    gate = asyncio.Semaphore(at_once)
    done = 0

    async def ask(chunk: Chunk) -> tuple[tuple[Triple, ...], int, str]:
        nonlocal done
        async with gate:
            try:
                text = await generator.complete(
                    triple_prompt(chunk), max_tokens=max_tokens, schema=TRIPLE_SCHEMA
                )
            except PolyragError:
                return (), 0, chunk.id
            finally:
                done += 1
                tell("triples", done, len(asked))
        reading = read_model_triples(text, chunk)
        return reading.triples, reading.skipped, ""

    answers = await asyncio.gather(*map(ask, asked))
    return AskedTriples(
        tuple(sorted({triple for triples, _, _ in answers for triple in triples})),
        sum(skipped for _, skipped, _ in answers),
        tuple(failed for _, _, failed in answers if failed),
    )
