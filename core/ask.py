"""The read walk: from a question and a scope to a grounded answer, in the order in which things happen.

question -> view -> follow-up -> exact repeat -> clauses -> trial retrieval -> router -> served stores -> fusion
-> evidence -> paraphrase -> answer -> grounding. Everything up to the answer is arithmetic over the view alone.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.answer.described import strengthened
from core.answer.write import Pen, write_answer
from core.cache import AnswerCache, Cached, CacheKey, evidence_of
from core.clauses import ClauseText, read_clauses
from core.errors import LongQuestion, ManyQuestions, PolyragError, StoreFailed
from core.evidence import Evidence, gather
from core.explain import explain, with_cache
from core.followup import depends_on_history, resolve_followup
from core.forms import read_form
from core.fuse import merge
from core.kinship import WordKeeper
from core.language import detect_language
from core.lore import Lore, LoreKeeper
from core.ports import Embedder, Generator, ModelQueryable, Store, Ticker
from core.router import Anchors, hand_over, route_clause, weights_of
from core.settings import Settings, Thresholds
from core.smalltalk import smalltalk
from core.stores.ledger import Ledger
from core.topic import NO_KIN
from core.types import (
    Answer,
    Clause,
    FloatArray,
    Found,
    Language,
    Passage,
    Query,
    Scope,
    Source,
    Turn,
    View,
)
from core.vectors import row_dots

log = logging.getLogger("polyrag.ask")
RELATIONAL = "relational"
SQL_TOKENS = 200  # of a model's query
MAX_CHARACTERS = 2_000  # of a message; about 350 words, some minutes of typing
MAX_CLAUSES = 12  # each is searched for in every store


@dataclass(frozen=True, slots=True)
class Question:
    """One message as it was asked, by whom it may be answered from, and what was said before."""

    text: str
    scope: Scope
    trace_id: str
    language: Language = "und"  # the reader's, where the text does not tell
    history: tuple[Turn, ...] = ()
    fresh: bool = False  # neither read nor write the cache
    today: str = ""  # ISO date


@dataclass(frozen=True, slots=True)
class AskPorts:
    """What the read walk works with."""

    ledger: Ledger
    stores: Mapping[str, Store]
    embedder: Embedder
    generator: Generator | None
    anchors: Anchors
    cache: AnswerCache
    lore: LoreKeeper
    settings: Settings
    thresholds: Thresholds
    ticker: Ticker
    routes: Mapping[str, str] | None = None  # route -> store, where their names differ
    words: WordKeeper | None = None  # None: words match by their spelling alone
    code: str = ""  # version of the program: another one's answers are not served again

    def store_of(self, route: str) -> str:
        """The name of the store that a route asks."""
        return (self.routes or {}).get(route, route)


class Stopwatch:
    """Milliseconds by step, from the caller's ticker."""

    def __init__(self, ticker: Ticker) -> None:
        self._ticker = ticker
        self._start = self._last = ticker()
        self._laps: dict[str, float] = {}

    def lap(self, step: str) -> None:
        now = self._ticker()
        self._laps[step] = self._laps.get(step, 0.0) + (now - self._last) * 1000
        self._last = now

    def laps(self) -> tuple[tuple[str, float], ...]:
        total = (self._ticker() - self._start) * 1000
        return tuple((step, round(ms, 3)) for step, ms in {**self._laps, "total": total}.items())


@dataclass(frozen=True, slots=True)
class _Understood:
    """A message in its view: what every later step of the walk needs to know of it."""

    question: Question
    text: str  # as understood
    language: Language  # of the answer
    view: View
    lore: Lore


@dataclass(frozen=True, slots=True)
class _Routed:
    """One clause after trial retrieval, routing and serving."""

    query: Query
    group: int  # clauses of one comparison share it
    trial: Mapping[str, Found]
    clause: Clause


async def ask(
    question: Question,
    ports: AskPorts,
    on_text: Callable[[str], None] | None = None,
    *,
    view: View | None = None,
) -> Answer:
    """Answer one message.

    Args:
        on_text: gets pieces of a model's draft as they come; the returned text is what counts.
        view: of the question's scope, where the caller has looked just now.
    Raises: ModelUnavailable when the embedder does not answer; LongQuestion, ManyQuestions.
    """
    _check_length(question)
    watch = Stopwatch(ports.ticker)
    language = _language(question, ports.settings)
    kind = smalltalk(question.text, (ports.settings.answer.name,))
    if kind is not None:
        return _small(question, kind, language, ports.settings.answer.name, watch)
    seen = _kept(view, ports)
    if seen is None:
        seen = await asyncio.to_thread(_seen, question.scope, ports)
    watch.lap("view")
    resolved = resolve_followup(question.text, question.history, seen[1].vocabulary)
    understood = _Understood(question, resolved or question.text, language, *seen)
    answer = await _answer(understood, ports, watch, on_text)
    if resolved is None or not answer.abstained:
        return answer
    # What was understood may be wrong; what was typed is not.
    typed = await _answer(replace(understood, text=question.text), ports, watch, on_text)
    return answer if typed.abstained else typed


async def dry_route(question: Question, ports: AskPorts) -> tuple[Clause, ...]:
    """Where a message would go, and why; nothing is answered, no model is asked.

    Raises: as `ask`.
    """
    _check_length(question)
    ports = replace(ports, generator=None)
    view, lore = await asyncio.to_thread(_seen, question.scope, ports)
    text = resolve_followup(question.text, question.history, lore.vocabulary) or question.text
    language = _language(question, ports.settings)
    understood = _Understood(question, text, language, view, lore)
    routed, _ = await _route(understood, ports, Stopwatch(ports.ticker))
    return tuple(item.clause for item in routed)


async def weigh(question: Question, ports: AskPorts) -> tuple[Evidence, ...]:
    """The evidence of every clause and the verdicts on it, without an answer: what calibration looks at."""
    ports = replace(ports, generator=None)
    view, lore = await asyncio.to_thread(_seen, question.scope, ports)
    understood = _Understood(question, question.text, _language(question, ports.settings), view, lore)
    routed, _ = await _route(understood, ports, Stopwatch(ports.ticker))
    return await _weighed(routed, ports)


def _kept(view: View | None, ports: AskPorts) -> tuple[View, Lore] | None:
    """A view with what was made of it before; None where a thread has to work for it."""
    lore = ports.lore.kept(view) if view is not None else None
    return (view, lore) if view is not None and lore is not None else None


def _seen(scope: Scope, ports: AskPorts) -> tuple[View, Lore]:
    """What may be answered from, and what is known of it as a whole."""
    view = ports.ledger.view(scope)
    return view, ports.lore.of(view)


# --- the walk, once the question is understood -------------------------------------------------------


async def _answer(
    understood: _Understood, ports: AskPorts, watch: Stopwatch, on_text: Callable[[str], None] | None
) -> Answer:
    question = understood.question
    caching = ports.settings.cache.enabled and not question.fresh
    caching = caching and not depends_on_history(understood.text, understood.lore.vocabulary)
    if caching:
        cache_scope = _cache_scope(understood, ports)
        kept = ports.cache.exact(cache_scope, understood.text, understood.language)
        watch.lap("cache")
        if kept is not None:
            return _from_cache(kept, understood, ports, watch)
    routed, problems = await _route(understood, ports, watch)
    evidence = await _weighed(routed, ports)
    watch.lap("evidence")
    if caching:
        key = _cache_key(cache_scope, understood, routed, evidence)
        cosine = ports.thresholds.cache_cosine
        kept = ports.cache.paraphrase(key, understood.lore.vocabulary, threshold=cosine)
        watch.lap("cache")
        if kept is not None:
            return _from_cache(kept, understood, ports, watch)
    written = await write_answer(evidence, _pen(understood, routed, ports, on_text))
    watch.lap("answer")
    retrieved = _retrieved(routed, ports.settings.retrieval.served)
    answer = Answer(
        text=written.draft.text,
        language=understood.language,
        abstained=written.abstained,
        degraded=(*problems, *written.degraded),
        cache="miss" if caching else "bypass",
        understood_as="" if understood.text == question.text else understood.text,
        clauses=tuple(item.clause for item in routed),
        sources=tuple(
            source_of(p, understood.view, rank) for rank, p in enumerate(written.draft.used, start=1)
        ),
        retrieved=tuple(source_of(p, understood.view, rank) for rank, p in enumerate(retrieved, start=1)),
        explanation="",
        trace_id=question.trace_id,
        timings_ms=(),
        by_model=written.by_model or any(_model_rows(p) for p in written.draft.used),
        notes=written.notes,
    )
    answer = replace(answer, explanation=explain(answer, evidence, language=understood.language))
    if caching:
        ports.cache.put(key, answer)
    watch.lap("reply")
    return replace(answer, timings_ms=watch.laps())


async def _route(
    understood: _Understood, ports: AskPorts, watch: Stopwatch
) -> tuple[tuple[_Routed, ...], tuple[str, ...]]:
    """Clauses, their vectors, a trial retrieval in every store, a decision, and what the chosen stores found.

    Returns: the routed clauses and, for people, which stores failed.
    """
    clauses = read_clauses(understood.text, understood.lore.vocabulary)
    if len(clauses) > MAX_CLAUSES:
        raise ManyQuestions(f"{len(clauses)} clauses", count=len(clauses), limit=MAX_CLAUSES)
    watch.lap("clauses")
    vectors = await ports.embedder.embed_queries([clause.text for clause in clauses])
    watch.lap("embed")
    routed = [
        await _route_one(clause, vector, understood, ports)
        for clause, vector in zip(clauses, vectors, strict=True)
    ]
    watch.lap("route")
    failed = sorted({name for item in routed for name, found in item.clause.found.items() if found.failed})
    return tuple(routed), tuple(
        f"{ports.stores[name].label}: {StoreFailed().say(understood.language)}" for name in failed
    )


async def _route_one(
    clause: ClauseText, vector: FloatArray, understood: _Understood, ports: AskPorts
) -> _Routed:
    language = detect_language(clause.text)
    spoken = understood.language if language == "und" else language
    query = Query(clause.text, vector, spoken, understood.question.today)
    names = sorted(ports.stores)
    found = await asyncio.gather(*(_trial(name, query, understood.view, ports) for name in names))
    trial = dict(zip(names, found, strict=True))
    decision = route_clause(
        query,
        ports.anchors,
        _by_route(trial, ports),
        understood.lore.headings,
        weights=weights_of(ports.settings.router.weights),
        vocabulary=understood.lore.vocabulary,
    )
    chosen = {ports.store_of(route) for route in decision.routes}
    if RELATIONAL in chosen and not trial[RELATIONAL].passages:
        trial |= {RELATIONAL: await _by_model(query, understood.view, trial[RELATIONAL], ports)}
    rows_found = RELATIONAL in trial and bool(trial[RELATIONAL].passages)
    decision = hand_over(decision, chosen, rows_found)
    served = {name: trial[name] for name in sorted({ports.store_of(route) for route in decision.routes})}
    return _Routed(query, clause.group, trial, Clause(clause.text, decision, served, vector.tobytes().hex()))


async def _by_model(query: Query, view: View, planned: Found, ports: AskPorts) -> Found:
    """Where no plan is sure: a query by the chat model, under a grammar of what is in view, through the guard.

    Whatever goes wrong leaves what the arithmetic found; the reason stands in the note.
    """
    store, generator = ports.stores[RELATIONAL], ports.generator
    if (
        generator is None
        or ports.settings.answer.mode == "extractive"
        or not isinstance(store, ModelQueryable)
    ):
        return planned
    try:
        messages, grammar = await asyncio.to_thread(store.schema_prompt, view, query)
        sql = await generator.complete(messages, max_tokens=SQL_TOKENS, grammar=grammar)
        found = await asyncio.to_thread(store.search_model_sql, sql, query, view)
    except PolyragError as err:
        log.info("no model query", extra={"error": repr(err)})
        return replace(
            planned, note=f"{planned.note}; the model's query was not usable ({type(err).__name__})"
        )
    return replace(planned, passages=found.passages, note=found.note)


def _by_route(trial: Mapping[str, Found], ports: AskPorts) -> dict[str, Found]:
    """The router speaks of routes; a route asks one store."""
    return {route: trial[ports.store_of(route)] for route in ports.anchors.routes}


async def _trial(name: str, query: Query, view: View, ports: AskPorts) -> Found:
    """One store's answer within its deadline; a failure is an empty, labelled result, never an exception."""
    store, retrieval = ports.stores[name], ports.settings.retrieval
    try:
        async with asyncio.timeout(retrieval.store_seconds):
            return await asyncio.to_thread(store.search, query, view, retrieval.served)
    except (PolyragError, TimeoutError) as err:
        log.warning("store failed", extra={"store": name, "error": repr(err)})
    except Exception:
        log.exception("store crashed", extra={"store": name})
    return Found(failed=True, note=f"{store.label} could not be searched")


async def _weighed(routed: Sequence[_Routed], ports: AskPorts) -> tuple[Evidence, ...]:
    """One ranked list a clause, and the verdict whether it can be answered from."""
    retrieval, weighed = ports.settings.retrieval, []
    for number, item in enumerate(routed):
        passages = merge(tuple(item.clause.found.items()), retrieval.served)
        kin = NO_KIN
        if ports.words is not None:
            kin = await ports.words.kin(item.query.text, passages, item.query.language)
        evidence = gather(
            item.clause,
            number,
            passages,
            item.trial,
            ports.thresholds,
            language=item.query.language,
            limit=retrieval.prompt_passages,
            kin=kin,
        )
        weighed.append(strengthened(evidence))
    return tuple(weighed)


def _pen(
    understood: _Understood,
    routed: Sequence[_Routed],
    ports: AskPorts,
    on_text: Callable[[str], None] | None,
) -> Pen:
    """What the answer is written with. Sentences are compared with the vector of the clause they may answer."""
    vectors = {item.query.text: item.query.vector for item in routed}

    async def score_sentences(question: str, sentences: Sequence[str]) -> Mapping[str, float]:
        rows = await ports.embedder.embed_passages(sentences)
        return dict(zip(sentences, row_dots(rows, vectors[question]).tolist(), strict=True))

    return Pen(
        understood.language,
        ports.settings.answer,
        ports.generator,
        documents=len(understood.view.documents),
        score_sentences=score_sentences,
        on_text=on_text,
    )


def _model_rows(passage: Passage) -> bool:
    return passage.result is not None and passage.result.by_model


def _retrieved(routed: Sequence[_Routed], limit: int) -> tuple[Passage, ...]:
    """The whole ranked list: clause by clause in turns, best first; of a comparison each chunk once, best score wins."""
    ranked: list[tuple[int, int, Passage]] = []
    for number, item in enumerate(routed):
        for passage in merge(tuple(item.clause.found.items()), limit):
            ranked.append((passage.rank, number, replace(passage, clause=number)))
    best: dict[tuple[int, str], Passage] = {}
    for _, number, passage in sorted(ranked, key=lambda r: (r[0], r[1], r[2].chunk_id)):
        group = routed[number].group
        key = (group if group >= 0 else -1 - number, passage.chunk_id)
        if key not in best or passage.score > best[key].score:
            best[key] = passage
    return tuple(best.values())


def source_of(passage: Passage, view: View, rank: int) -> Source:
    """A passage as this scope's readers may see it: the name, channel and link of their own copy."""
    placement = view.placement(passage.document)
    result = passage.result
    return Source(
        label=passage.label,
        document=placement.name,
        document_id=passage.document,
        locator=passage.locator,
        channel=placement.tag.rsplit("/", 1)[-1],
        link=placement.link,
        text=passage.text,
        chunk_id=passage.chunk_id,
        score=passage.score,
        rank=rank,
        clause=passage.clause,
        sql=result.sql if result else "",
        columns=result.columns if result else (),
        rows=result.rows if result else (),
        truncated=result.truncated if result else False,
    )


# --- the cache ---------------------------------------------------------------------------------------


def _cache_scope(understood: _Understood, ports: AskPorts) -> str:
    """What an answer depends on besides its words: the view, who writes and finds it, and the day where days are meant."""
    writer = ports.generator.name if ports.generator else "extractive"
    dates = read_form(understood.text, understood.lore.vocabulary).dates
    relative = any(not any(char.isdigit() for char in date) for date in dates)
    day = understood.question.today if relative else ""
    return f"{understood.view.fingerprint}:{writer}:{day}:{ports.code}"


def _cache_key(
    scope: str, understood: _Understood, routed: Sequence[_Routed], evidence: Sequence[Evidence]
) -> CacheKey:
    texts = tuple(passage.text for item in evidence for passage in item.passages)
    return CacheKey(
        scope,
        understood.text,
        understood.language,
        routed[0].query.vector,
        evidence_of([item.clause for item in routed]),
        texts,
    )


def _from_cache(kept: Cached, understood: _Understood, ports: AskPorts, watch: Stopwatch) -> Answer:
    """A kept answer under a new trace; its verdict and its explanation say where it came from."""
    question = understood.question
    ports.cache.served(kept.entry, question.trace_id)
    return replace(
        kept.answer,
        cache=kept.verdict,
        explanation=with_cache(kept.answer.explanation, kept.verdict, understood.language),
        trace_id=question.trace_id,
        understood_as="" if understood.text == question.text else understood.text,
        timings_ms=watch.laps(),
    )


def _check_length(question: Question) -> None:
    size = len(question.text)
    if size > MAX_CHARACTERS:
        raise LongQuestion(f"{size} characters", size=size, limit=MAX_CHARACTERS)


# --- small talk and languages --------------------------------------------------------------------------


def _language(question: Question, settings: Settings) -> Language:
    """Of the answer: what was typed; else the reader's; else that of the thread; else the bot's."""
    candidates = [detect_language(question.text), question.language]
    candidates += [detect_language(turn.question) for turn in reversed(question.history)]
    return next((language for language in candidates if language != "und"), settings.language)


def _small(question: Question, kind: str, language: Language, name: str, watch: Stopwatch) -> Answer:
    """A fixed reply to small talk: no retrieval, no model."""
    portuguese, english = _SMALL[kind]
    text = (portuguese if language == "pt" else english).format(name=name)
    reason = "conversa: resposta fixa" if language == "pt" else "small talk: a fixed reply"
    return Answer(
        text, language, False, (), "bypass", "", (), (), (), reason, question.trace_id, watch.laps()
    )


_SMALL: dict[str, tuple[str, str]] = {
    "greeting": (
        "Olá! Pergunte sobre os arquivos deste canal e eu respondo com as fontes.",
        "Hello! Ask about the files of this channel and I answer with the sources.",
    ),
    "thanks": ("De nada!", "You are welcome!"),
    "farewell": ("Até logo!", "See you!"),
    "about": (
        "Sou o {name}: respondo perguntas sobre os arquivos enviados aos canais que você lê, e mostro as fontes e o "
        "caminho de cada resposta. Envie um arquivo, pergunte, ou use o comando help.",
        "I am {name}: I answer questions about the files shared in the channels that you read, and show the sources "
        "and the way of every answer. Share a file, ask, or use the help command.",
    ),
}
