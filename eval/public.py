"""`polyrag eval public DIR`: public sets, one block a folder, told apart by the files a folder holds."""

import csv
import json
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bot.commandline import CommandLine
from bot.models.servers import ServerManager
from bot.wiring import open_embedder, thresholds_of
from core.guard import guard
from core.ingest.tables import build_tables
from core.language import detect_language
from core.ports import Embedder, Parser
from core.stores.relational.store import RelationalStore
from core.stores.text.store import TextStore
from core.types import (
    Chunk,
    FloatArray,
    Grid,
    Loaded,
    Locator,
    Parcel,
    PlacedChunk,
    Placement,
    Query,
    RouteDecision,
    Scope,
    Table,
    View,
)
from core.vectors import row_dots
from eval import metrics
from eval.files import files_report

Tell = Callable[[str, int, int], None]
TAG = "console:local/public"


async def public_report(
    folder: Path, home: Path, line: CommandLine, parsers: Sequence[Parser], tell: Tell
) -> dict[str, Any]:
    """Folder -> its figures; a folder of no known shape says so."""
    report: dict[str, Any] = {}
    with ServerManager(line.settings, home) as servers:
        embedder = line.embedder or open_embedder(line.settings, servers, line.plugins)
        for part in sorted(path for path in folder.iterdir() if path.is_dir()):
            report[part.name] = await _block(part, home / part.name, line, embedder, parsers, tell)
        close = getattr(embedder, "close", None)
        if close is not None:
            await close()
    return report


async def _block(
    part: Path, home: Path, line: CommandLine, embedder: Embedder, parsers: Sequence[Parser], tell: Tell
) -> dict[str, Any]:
    home.mkdir(parents=True, exist_ok=True)
    if (part / "qrels.tsv").is_file():
        return await _retrieval(part, home, line, embedder, tell)
    if (part / "databases").is_dir():
        return _sql(part, home, tell)
    if (part / "pairs.jsonl").is_file():
        return await _pairs(part, line, embedder)
    if (part / "expected.jsonl").is_file():
        report = files_report(part / "expected.jsonl", parsers, line.settings.ingest, None, tell)
        return {**report["overall"], "ocr": False}
    return {"problem": "no shape that this command measures"}


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


# --- passages ----------------------------------------------------------------------------------------


async def _retrieval(
    part: Path, home: Path, line: CommandLine, embedder: Embedder, tell: Tell
) -> dict[str, Any]:
    """Recall and MRR of the text store, beside dense search alone on the same vectors."""
    passages, queries = _lines(part / "corpus.jsonl"), _lines(part / "queries.jsonl")
    gold: dict[str, set[str]] = {}
    with (part / "qrels.tsv").open(encoding="utf-8") as stream:
        for row in list(csv.reader(stream, delimiter="\t"))[1:]:
            gold.setdefault(row[0], set()).add(row[1])
    chunks = tuple(_chunk(entry, number) for number, entry in enumerate(passages))
    vectors = await _embedded([chunk.indexed for chunk in chunks], embedder, line, tell)
    settings = line.settings
    store = TextStore.open(home / "text", settings.stores.text, settings.retrieval, embedder.dimension)
    ranks: list[tuple[int | None, ...]] = []
    dense: list[tuple[int | None, ...]] = []
    asked = [query for query in queries if str(query["_id"]) in gold]
    try:
        decision = RouteDecision("", ("text",), "cosine", (), 1.0, "")
        store.apply(Parcel("public", tuple(PlacedChunk(chunk, decision) for chunk in chunks), vectors))
        view = View.of(Scope(frozenset({TAG})), (Placement(TAG, "public", "public", 1, "eval", ""),))
        for number, query in enumerate(asked, start=1):
            tell(part.name, number, len(asked))
            vector = (await embedder.embed_queries([query["text"]]))[0]
            found = store.search(Query(query["text"], vector, detect_language(query["text"])), view, 20)
            wanted = sorted(gold[str(query["_id"])])
            ranks.append(_ranks(wanted, [p.chunk_id for p in found.passages]))
            scores = row_dots(vectors, vector)
            order = sorted(range(len(chunks)), key=lambda at: (-scores[at], chunks[at].id))[:20]
            dense.append(_ranks(wanted, [chunks[at].id for at in order]))
    finally:
        store.close()
    return {"n": len(asked), "passages": len(chunks), "full": _recalls(ranks), "dense": _recalls(dense)}


def _chunk(entry: Mapping[str, Any], number: int) -> Chunk:
    text = str(entry["text"])
    title = str(entry.get("title") or "")
    return Chunk(str(entry["_id"]), "public", Locator(ordinal=number), text, title, (), detect_language(text))


async def _embedded(texts: Sequence[str], embedder: Embedder, line: CommandLine, tell: Tell) -> FloatArray:
    size, rows = line.settings.ingest.embed_batch, []
    for start in range(0, len(texts), size):
        tell("embed", start, len(texts))
        rows.append(await embedder.embed_passages(list(texts[start : start + size])))
    return np.concatenate(rows)


def _ranks(wanted: Sequence[str], served: Sequence[str]) -> tuple[int | None, ...]:
    place = {name: rank for rank, name in reversed(list(enumerate(served, start=1)))}
    return tuple(place.get(name) for name in wanted)


def _recalls(ranks: Sequence[tuple[int | None, ...]]) -> dict[str, float | None]:
    figures = {f"recall_at_{d}": metrics.mean(metrics.recall_at(r, d) for r in ranks) for d in (1, 2, 5, 10)}
    return figures | {"mrr": metrics.mean(metrics.reciprocal_rank(r) for r in ranks)}


# --- tables ------------------------------------------------------------------------------------------


def _sql(part: Path, home: Path, tell: Tell) -> dict[str, Any]:
    """Execution accuracy of plans alone, by language; vectors play no part."""
    questions = [q for q in _lines(part / "questions.jsonl") if q.get("executable", True)]
    counts = {lang: {"n": 0, "right": 0, "answered": 0, "wrong": 0} for lang in ("en", "pt")}
    with_rows = [q for q in questions if q.get("gold_rows")]
    for number, name in enumerate(sorted({q["db_id"] for q in with_rows}), start=1):
        tell(part.name, number, len(counts))
        store, view = _database(part / "databases" / f"{name}.sqlite", home / f"{name}.db")
        for question in (q for q in with_rows if q["db_id"] == name):
            for lang, figures in counts.items():
                text = question.get(f"question_{lang}")
                if text:
                    _count(figures, store.search(_blank(text, lang), view, 20), question)
        store.close()
    return {
        lang: {
            "n": f["n"],
            "right": round(f["right"] / f["n"], 4) if f["n"] else None,
            "answered": round(f["answered"] / f["n"], 4) if f["n"] else None,
            "wrong_when_answered": round(f["wrong"] / f["answered"], 4) if f["answered"] else None,
        }
        for lang, f in counts.items()
    }


def _blank(text: str, lang: str) -> Query:
    return Query(text, np.zeros(0, np.float32), lang)  # type: ignore[arg-type]


def _count(figures: dict[str, int], found: Any, question: Mapping[str, Any]) -> None:
    figures["n"] += 1
    results = [p.result for p in found.passages if p.result is not None]
    if not results:
        return
    figures["answered"] += 1
    gold, rows = question["gold_rows"], results[0].rows
    ordered = bool(question.get("order_matters"))
    cut = int(question.get("n_rows") or len(gold)) > len(gold)
    right = metrics.rows_match(gold, rows[: len(gold)] if cut else rows, ordered=ordered)
    figures["right" if right else "wrong"] += 1


def _database(path: Path, target: Path) -> tuple[RelationalStore, View]:
    """Every table of a database as a table of its own document."""
    store = RelationalStore(f"sqlite:///{target}", rows=200, seconds=10)
    placements = []
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as source:
        names = [
            row[0]
            for row in source.execute("SELECT name FROM sqlite_master WHERE type='table' ORDER BY name")
        ]
        for name in names:
            cursor = source.execute(f'SELECT * FROM "{name}"')  # noqa: S608
            header = tuple(column[0] for column in cursor.description)
            rows = tuple(tuple(_cell(value) for value in row) for row in cursor)
            grid = Grid((header, *rows), Locator(), header_rows=1)
            tables: tuple[Table, ...] = build_tables(Loaded("table", (grid,)), name) if rows else ()
            store.apply(Parcel(name, (), np.zeros((0, 0), np.float32), tables))
            placements.append(Placement(TAG, f"{name}.csv", name, 1, "eval", ""))
    return store, View.of(Scope(frozenset({TAG})), tuple(placements))


def _cell(value: Any) -> Any:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


# --- pairs of questions --------------------------------------------------------------------------------


async def _pairs(part: Path, line: CommandLine, embedder: Embedder) -> dict[str, Any]:
    """How the cosine and the guard tell same from different; equal gold SQL stands for equal evidence."""
    threshold = thresholds_of(line.settings).cache_cosine
    counts = {"same": 0, "true_hits": 0, "different": 0, "false_hits": 0, "false_by_guard_alone": 0}
    for pair in _lines(part / "pairs.jsonl"):
        left, right = await embedder.embed_queries([pair["a"], pair["b"]])
        near = float(row_dots(left[None, :], right)[0]) >= threshold
        passes = near and not guard(pair["a"], pair["b"])
        evidence = pair["sql_a"] == pair["sql_b"]
        if pair["label"] == "same":
            counts["same"] += 1
            counts["true_hits"] += passes and evidence
        else:
            counts["different"] += 1
            counts["false_by_guard_alone"] += passes
            counts["false_hits"] += passes and evidence
    return counts
