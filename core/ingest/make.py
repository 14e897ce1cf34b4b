"""From bytes to everything that needs no model: text, typed tables, passages, relations by rule.

This is the part of the write walk that a hostile or broken file can hurt, and it needs nothing but the bytes.
So a bot may have it done elsewhere (core.ports.Reader), and without one it is done here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from core.ingest.chunk import build_chunks
from core.ingest.extract import extract_triples
from core.ingest.load import read_file
from core.ingest.tables import build_tables
from core.ports import Ocr, Parser, ReadLimits
from core.types import Chunk, Loaded, Table, Triple


@dataclass(frozen=True, slots=True)
class ReadOrder:
    """One document to be made: from its bytes, or again from what was read of it before."""

    name: str  # as uploaded; a hint for the reader only
    document: str  # SHA-256 of the bytes
    characters: int  # passage length aimed at
    limits: ReadLimits
    data: bytes = b""
    loaded: Loaded | None = None  # given: the bytes are not read again


@dataclass(frozen=True, slots=True)
class Made:
    """What a document consists of before any model has seen it."""

    loaded: Loaded
    tables: tuple[Table, ...]
    pieces: tuple[Chunk, ...]
    relations: tuple[tuple[Triple, ...], ...]  # by rule, one tuple a piece


def make(order: ReadOrder, parsers: Sequence[Parser], ocr: Ocr | None) -> Made:
    """Read, type tables, cut into passages, find relations. Pure but for the OCR.

    Raises: FileRejected and its kin; what the OCR raises.
    """
    loaded = order.loaded or read_file(order.data, order.name, parsers, order.limits, ocr)
    tables = build_tables(loaded, order.document)
    pieces = build_chunks(loaded, tables, order.document, characters=order.characters)
    return Made(loaded, tables, pieces, tuple(extract_triples(piece) for piece in pieces))
