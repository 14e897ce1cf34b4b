"""Run a question set against a bot of its own: ingest the corpus, ask everything, judge every answer."""

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter
from typing import Any

from bot.app import App
from bot.audience import CONSOLE, WORKSPACE, ConfiguredChannels, channel_tag
from bot.messages import Inbound
from core.ask import AskPorts, Question
from core.errors import PolyragError
from core.ingest.walk import Upload, ingest
from core.settings import Settings
from core.types import Answer, IngestReport, Turn
from eval import metrics
from eval.sets import CachePair, EvalQuestion, EvalSet, Followup

log = logging.getLogger("polyrag.eval")
Asker = Callable[[Question, AskPorts], Awaitable[Answer]]
Tell = Callable[[str, int, int], None]
TODAY = "2026-07-01"  # sets are asked on one fixed day, so that a run prints the same figures on any other


@dataclass(frozen=True, slots=True)
class Judged:
    """One question, its answer and the verdicts on it."""

    question: EvalQuestion
    answer: Answer
    ranks: tuple[int | None, ...]
    facts: tuple[bool, ...]
    rows_right: bool | None  # None: the question has no gold rows
    leaks: tuple[str, ...]
    seconds: float

    @property
    def routes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(r for clause in self.answer.clauses for r in clause.decision.routes))

    @property
    def compound(self) -> bool:
        return bool(self.question.tags & {"compound", "comparison"})


def eval_settings(settings: Settings, found: EvalSet, *, mode: str, answers: str) -> Settings:
    """The configuration of a run: the set's channels, the mode, and how answers are written."""
    return settings.model_copy(
        update={
            "channels": dict(found.channels),
            "mode": mode,
            "answer": settings.answer.model_copy(update={"mode": answers}),
        }
    )


async def take_in(app: App, found: EvalSet, home: Path, tell: Tell) -> tuple[IngestReport, ...]:
    """Ingest the corpus in its order, unless this home holds it already, unchanged."""
    stamp = home / "eval.json"
    digest = sha256(app.ingest_ports.index_key.encode())
    for item in found.corpus:
        digest.update(f"{item.path.name}\t{item.channel}\n".encode() + item.path.read_bytes())
    if stamp.is_file() and json.loads(stamp.read_text()).get("corpus") == digest.hexdigest():
        return ()
    reports = []
    for number, item in enumerate(found.corpus, start=1):
        tell("ingest", number, len(found.corpus))
        received = f"2026-01-01T00:00:{number % 60:02d}Z"
        upload = Upload(item.path.name, item.path.read_bytes(), channel_tag(item.channel), "eval", received)
        reports.append(await ingest(upload, app.ingest_ports))
    stamp.write_text(json.dumps({"corpus": digest.hexdigest()}))
    return tuple(reports)


class Runner:
    """Asks as the set's users do. The console's directory answers for the declared channels."""

    def __init__(self, app: App, asker: Asker) -> None:
        self._app = app
        self._asker = asker
        app.directories[CONSOLE] = ConfiguredChannels(app.settings.channels)

    async def ask(
        self,
        text: str,
        channel: str,
        user: str,
        *,
        identity: str,
        fresh: bool = True,
        history: tuple[Turn, ...] = (),
    ) -> Answer:
        question = await self.question(text, channel, user, identity=identity, fresh=fresh, history=history)
        return await self._asker(question, self._app.ask_ports)

    async def question(
        self,
        text: str,
        channel: str,
        user: str,
        *,
        identity: str,
        fresh: bool = True,
        history: tuple[Turn, ...] = (),
    ) -> Question:
        """The question with the scope that its asker has in that place."""
        direct = channel == "dm"
        inbound = Inbound(CONSOLE, WORKSPACE, "" if direct else channel, user, text, identity, direct=direct)
        scope = await self._app.scope(inbound)
        trace = sha256(f"{identity}\n{text}".encode()).hexdigest()[:32]
        return Question(text, scope, trace, "und", history, fresh, TODAY)

    async def judge(self, question: EvalQuestion) -> Judged:
        start = perf_counter()
        answer = await self.ask(question.text, question.channel, question.user, identity=question.id)
        seconds = perf_counter() - start
        ranks = metrics.evidence_ranks(question.evidence, [source.text for source in answer.retrieved])
        rows_right = None
        if question.rows is not None:
            rows_right = any(
                metrics.rows_match(question.rows, source.rows, ordered=question.ordered)
                for source in answer.sources
                if source.sql
            )
        shown = [answer.text, answer.explanation]
        shown += [part for s in (*answer.sources, *answer.retrieved) for part in _shown(s)]
        return Judged(
            question,
            answer,
            ranks,
            metrics.facts_found(question.facts, answer.text),
            rows_right,
            metrics.leaked(question, shown),
            seconds,
        )

    async def cache_hit(self, pair: CachePair, number: int) -> bool:
        """Whether the second question of a pair is answered from the first one's entry."""
        self._app.ask_ports.cache.clear()
        first = await self.ask(pair.a, pair.channel, pair.user, identity=f"pair{number}a", fresh=False)
        second = await self.ask(pair.b, pair.channel, pair.user, identity=f"pair{number}b", fresh=False)
        del first
        return second.cache in ("exact", "paraphrase")

    async def followup(self, found: Followup) -> list[dict[str, Any]]:
        """Ask the turns of one thread; each is right when its facts stand in its answer."""
        history: tuple[Turn, ...] = ()
        verdicts = []
        for number, turn in enumerate(found.turns, start=1):
            answer = await self.ask(
                turn.text, found.channel, found.user, identity=f"{found.id}.{number}", history=history
            )
            history = (*history, Turn(answer.understood_as or turn.text, answer.text))
            facts = metrics.facts_found(turn.facts, answer.text)
            verdicts.append(
                {
                    "text": turn.text,
                    "understood_as": answer.understood_as,
                    "right": all(facts),
                    "answer": answer.text,
                }
            )
        return verdicts


def _shown(source: Any) -> list[str]:
    cells = [str(cell) for row in source.rows for cell in row if cell is not None]
    return [source.text, source.document, source.locator, source.channel, " ".join(cells)]


async def run_set(
    app: App, found: EvalSet, home: Path, mode: str, asker: Asker, tell: Tell = lambda step, done, total: None
) -> dict[str, Any]:
    """The report of one mode on one set: the JSON of `polyrag eval --json`."""
    reports = await take_in(app, found, home, tell)
    runner = Runner(app, asker)
    problems = [{"where": p.where, "reason": p.reason} for p in found.problems]
    problems += [{"where": r.file, "reason": r.reason} for r in reports if r.status == "rejected"]
    judged: list[Judged] = []
    for number, question in enumerate(found.questions, start=1):
        tell("ask", number, len(found.questions))
        try:
            judged.append(await runner.judge(question))
        except PolyragError as err:
            log.warning("question failed", extra={"question": question.id, "error": str(err)})
            problems.append({"where": question.id, "reason": err.say("en")})
    hits: list[bool] = []
    for number, pair in enumerate(found.cache_pairs, start=1):
        tell("cache", number, len(found.cache_pairs))
        hits.append(await runner.cache_hit(pair, number))
    threads = []
    for number, followup in enumerate(found.followups, start=1):
        tell("follow-ups", number, len(found.followups))
        threads.append((followup, await runner.followup(followup)))
    return report(found, mode, judged, hits, threads, problems)


def report(
    found: EvalSet,
    mode: str,
    judged: Sequence[Judged],
    hits: Sequence[bool],
    threads: Sequence[tuple[Followup, list[dict[str, Any]]]],
    problems: Sequence[dict[str, str]],
) -> dict[str, Any]:
    """Shares over all questions, by gold route and by tag; each question's verdicts below."""
    routes = sorted({"+".join(sorted(j.question.routes)) or "none" for j in judged})
    tags = sorted({tag for j in judged for tag in j.question.tags})
    turns = [verdict for _, verdicts in threads for verdict in verdicts]
    return {
        "name": found.name,
        "mode": mode,
        "n": len(judged),
        "overall": shares(judged),
        "by_route": {r: shares([j for j in judged if _route_key(j) == r]) for r in routes},
        "by_tag": {t: shares([j for j in judged if t in j.question.tags]) for t in tags},
        "compound": _compound(judged),
        "abstain": _abstain(judged),
        "cache": _cache(found, hits),
        "followups": {
            "n": len(turns),
            "right": metrics.mean(float(v["right"]) for v in turns),
            "threads": [{"id": f.id, "turns": verdicts} for f, verdicts in threads],
        },
        "latency_ms": _latency(judged),
        "share_without_model": metrics.mean(float(not j.answer.by_model) for j in judged),
        "problems": list(problems),
        "questions": [_verdict(j) for j in judged],
    }


def _route_key(judged: Judged) -> str:
    return "+".join(sorted(judged.question.routes)) or "none"


def shares(judged: Sequence[Judged]) -> dict[str, Any]:
    """The figures of one group of questions; None where no question of the group can tell."""
    routed = [j for j in judged if j.question.routes]
    quoted = [j for j in judged if j.question.evidence and not j.compound]
    factual = [j for j in judged if j.question.facts]
    tabular = [j for j in judged if j.rows_right is not None]
    clauses = [len(c.decision.routes) for j in routed for c in j.answer.clauses]
    found: dict[str, Any] = {
        "n": len(judged),
        "routing": metrics.mean(float(metrics.routing(j.question.routes, j.routes)) for j in routed),
        "routing_exact": metrics.mean(
            float(metrics.routing_exact(j.question.routes, j.routes)) for j in routed
        ),
        "stores_per_clause": metrics.mean(clauses),
    }
    for depth in metrics.DEPTHS:
        found[f"recall_at_{depth}"] = metrics.mean(metrics.recall_at(j.ranks, depth) for j in quoted)
    found["mrr"] = metrics.mean(metrics.reciprocal_rank(j.ranks) for j in quoted)
    found["facts"] = metrics.mean(float(all(j.facts)) for j in factual)
    found["sql_exact"] = metrics.mean(float(bool(j.rows_right)) for j in tabular)
    found["abstain"] = _abstain(judged)
    found["leaks"] = sum(len(j.leaks) for j in judged)
    return found


def _abstain(judged: Sequence[Judged]) -> dict[str, float | None]:
    return metrics.precision_recall(
        {j.question.id: j.answer.abstained for j in judged},
        {j.question.id: j.question.answerable for j in judged},
    )


def _compound(judged: Sequence[Judged]) -> dict[str, Any]:
    """Share of compound messages with more than one clause, and single ones that were split."""
    compound = [j for j in judged if j.compound]
    return {
        "detected": metrics.mean(float(len(j.answer.clauses) > 1) for j in compound),
        "false_splits": sum(1 for j in judged if not j.compound and len(j.answer.clauses) > 1),
        "n": len(compound),
    }


def _cache(found: EvalSet, hits: Sequence[bool]) -> dict[str, Any]:
    pairs = list(zip(found.cache_pairs, hits, strict=True))
    return {
        "true_hits": sum(1 for pair, hit in pairs if pair.same and hit),
        "false_hits": sum(1 for pair, hit in pairs if not pair.same and hit),
        "same": sum(1 for pair, _ in pairs if pair.same),
        "pairs": len(pairs),
        "wrong": [
            {"a": pair.a, "b": pair.b, "same": pair.same, "hit": hit}
            for pair, hit in pairs
            if pair.same != hit
        ],
    }


def _latency(judged: Sequence[Judged]) -> dict[str, dict[str, float]]:
    stages: dict[str, list[float]] = {}
    for j in judged:
        for stage, value in j.answer.timings_ms:
            stages.setdefault(stage, []).append(value)
        stages.setdefault("all", []).append(j.seconds * 1000)
    return {stage: metrics.percentiles(values) for stage, values in sorted(stages.items())}


def _verdict(judged: Judged) -> dict[str, Any]:
    question, answer = judged.question, judged.answer
    verdicts: dict[str, Any] = {
        "routing": metrics.routing(question.routes, judged.routes) if question.routes else None,
        "facts": all(judged.facts) if question.facts else None,
        "sql_exact": judged.rows_right,
        "abstained": answer.abstained,
        "answerable": question.answerable,
        "leaks": list(judged.leaks),
        "clauses": len(answer.clauses),
    }
    return {
        "id": question.id,
        "text": question.text,
        "verdicts": verdicts,
        "answer": answer.text,
        "routes": list(judged.routes),
        "gold_routes": sorted(question.routes),
        "evidence_ranks": list(judged.ranks),
        "sql": [s.sql for s in answer.sources if s.sql],
        "scores": [{s.route: s.score for s in c.decision.scores} for c in answer.clauses],
        "signals": [dict(c.decision.signals) for c in answer.clauses],
        "language": answer.language,
        "degraded": list(answer.degraded),
    }
