"""`polyrag eval triples`: the relations that rules and chat model find in prose neither was made from, side by side."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

import yaml

from bot.config_errors import Said
from core.ingest.extract import extract_triples, model_triples
from core.normalize import canonical_name, fold
from core.ports import Generator
from core.types import Chunk, Locator, Triple
from eval.errors import BadInput

SET = Path(__file__).parent / "sets" / "triples.yaml"


@dataclass(frozen=True, slots=True)
class Gold:
    """One relation that a reader found: spellings of its subject, words of its relation, spellings of its object."""

    subjects: frozenset[str]
    words: tuple[str, ...]
    objects: frozenset[str]
    line: str

    def is_pair(self, triple: Triple) -> bool:
        """The same two names, in either direction: what a walk over the graph needs."""
        one, two = triple.subject, triple.object
        return (one in self.subjects and two in self.objects) or (
            two in self.subjects and one in self.objects
        )

    def is_same(self, triple: Triple) -> bool:
        """The same two names in order, and a word of the relation."""
        named = triple.subject in self.subjects and triple.object in self.objects
        return named and any(word in fold(triple.relation) for word in self.words)


@dataclass(frozen=True, slots=True)
class Marked:
    """A passage and what a reader found in it."""

    chunk: Chunk
    missed: tuple[Gold, ...]  # would be missed
    welcome: tuple[Gold, ...]


def load_marked(path: Path = SET) -> tuple[Marked, ...]:
    """Raises: BadSetting for a file that is no such set."""
    try:
        listing = yaml.safe_load(path.read_text(encoding="utf-8"))["passages"]
        return tuple(_marked(entry) for entry in listing)
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError) as err:
        said = Said(
            "{name} não é um conjunto de trechos marcados: {why}",
            "{name} is no set of marked passages: {why}",
        ).filled(name=path.name, why=err)
        raise BadInput(said.en, problem=said.fact) from err


def _marked(entry: dict[str, Any]) -> Marked:
    identity = sha256(entry["text"].encode()).hexdigest()[:32]
    chunk = Chunk(
        identity, entry["id"], Locator(), entry["text"], entry["title"], tuple(entry["headings"]), entry["lang"]
    )  # fmt: skip
    missed, welcome = (tuple(map(_gold, entry.get(key, ()))) for key in ("relations", "welcome"))
    return Marked(chunk, missed, welcome)


def _gold(line: str) -> Gold:
    subjects, words, objects = (part.split("|") for part in line.split(";"))
    return Gold(
        frozenset(map(canonical_name, subjects)),
        tuple(fold(word.strip()) for word in words),
        frozenset(map(canonical_name, objects)),
        line,
    )


async def triples_report(
    marked: Sequence[Marked], generator: Generator | None, tell: Callable[[str, int, int], None]
) -> dict[str, Any]:
    """Figures of the rules, of the model where there is one, and of both together.

    `recall` and `precision` ask for names, direction and a word of the relation; `pair_*` only for the two names.
    """
    start = perf_counter()
    ruled = {item.chunk.id: extract_triples(item.chunk) for item in marked}
    report: dict[str, Any] = {
        "passages": len(marked),
        "relations": sum(len(item.missed) for item in marked),
        "rules": _scored(marked, ruled) | {"seconds": round(perf_counter() - start, 3)},
    }
    if generator is None:
        return report
    start = perf_counter()
    asked = await model_triples([item.chunk for item in marked], generator, tell=tell)
    seconds = round(perf_counter() - start, 1)
    by_chunk = {item.chunk.id: tuple(t for t in asked.triples if t.chunk == item.chunk.id) for item in marked}
    both = {key: tuple(sorted({*ruled[key], *by_chunk[key]})) for key in ruled}
    report["model"] = _scored(marked, by_chunk) | {
        "name": generator.name,
        "seconds": seconds,
        "skipped": asked.skipped,
        "unanswered": len(asked.unanswered),
    }
    report["together"] = _scored(marked, both)
    return report


def _scored(marked: Sequence[Marked], found: dict[str, tuple[Triple, ...]]) -> dict[str, Any]:
    hits = pairs = total = extra = extra_pairs = kept = 0
    missing: list[str] = []
    wrong: list[str] = []
    for item in marked:
        triples = found[item.chunk.id]
        known = (*item.missed, *item.welcome)
        kept += len(triples)
        total += len(item.missed)
        hits += sum(any(map(gold.is_same, triples)) for gold in item.missed)
        pairs += sum(any(map(gold.is_pair, triples)) for gold in item.missed)
        missing += [gold.line for gold in item.missed if not any(map(gold.is_pair, triples))]
        for triple in triples:
            extra += not any(gold.is_same(triple) for gold in known)
            if not any(gold.is_pair(triple) for gold in known):
                extra_pairs += 1
                wrong.append(triple.text)
    return {
        "recall": _share(hits, total),
        "precision": _share(kept - extra, kept),
        "pair_recall": _share(pairs, total),
        "pair_precision": _share(kept - extra_pairs, kept),
        "found": kept,
        "missing": missing,
        "unconfirmed": wrong,
    }


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None
