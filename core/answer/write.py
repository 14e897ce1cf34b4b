"""Writing an answer: figures by arithmetic, prose by the model where one runs, every draft checked before it counts."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from core.answer.abstain import not_found
from core.answer.citing import Draft, cited
from core.answer.extractive import paragraph, under_questions
from core.answer.phrases import listed, say
from core.answer.prompt import Prompt, prompt_messages
from core.answer.tidy import says_unknown, tidy, without_marker
from core.answer.units import candidate_texts
from core.asked import asked
from core.errors import ModelMissing, ModelUnavailable, TooSlow
from core.evidence import Evidence
from core.grounding import ungrounded
from core.harmless import fenceless
from core.language import detect_language
from core.ports import Generator, Message
from core.sentences import sentences
from core.settings import AnswerSettings
from core.topic import passage_text, terms_of, topic_of
from core.types import Language

SURE = 0.40  # evidence from this score on is quoted even where the model finds no answer in it
SENTENCES = 24  # candidate sentences that get a vector
CREDIT = 0.3  # a sentence shares at least this much of its words with the passage it is credited to
_CLAIMS = 3

ScoreSentences = Callable[[str, Sequence[str]], Awaitable[Mapping[str, float]]]
"""(question, sentences) -> cosine of each sentence with the question."""


@dataclass(frozen=True, slots=True)
class Written:
    """A finished answer and how it came about."""

    draft: Draft
    abstained: bool
    by_model: bool = False
    degraded: tuple[str, ...] = ()  # what does not work, for the reader
    notes: tuple[str, ...] = ()  # what was decided about the model's drafts, for the reader


@dataclass(frozen=True, slots=True)
class Pen:
    """All that writing needs besides the evidence."""

    language: Language
    settings: AnswerSettings
    generator: Generator | None = None  # None: extractive
    fits: Callable[[str], int] = lambda text: (
        len(text) // 3 + 1
    )  # tokens a text costs; a safe guess by default
    documents: int | None = None  # how many could be searched
    score_sentences: ScoreSentences | None = None
    on_text: Callable[[str], None] | None = (
        None  # gets the model's text as it comes; the final text is what counts
    )


@dataclass(frozen=True, slots=True)
class _Part:
    """The paragraph of one clause."""

    draft: Draft
    abstained: bool = False
    by_model: bool = False
    degraded: str = ""
    note: str = ""


async def write_answer(evidence: Sequence[Evidence], pen: Pen) -> Written:
    """One paragraph a clause, in order.

    Weak evidence and query results never reach the model: there is nothing to write, or nothing to add. A model
    that fails, is too slow, answers in another language or states what the evidence does not say (each after one
    more try) is replaced by quotations, and the answer says so.
    """
    parts: list[_Part] = []
    for one in evidence:
        broken = any(part.degraded for part in parts)  # do not wait for a dead server once a clause
        parts.append(await _part(one, pen, model=not broken))
    draft = under_questions(evidence, [part.draft for part in parts])
    return Written(
        draft,
        abstained=all(part.abstained for part in parts),
        by_model=any(part.by_model for part in parts),
        degraded=tuple(dict.fromkeys(part.degraded for part in parts if part.degraded)),
        notes=tuple(dict.fromkeys(part.note for part in parts if part.note)),
    )


async def _part(evidence: Evidence, pen: Pen, *, model: bool) -> _Part:
    verdict = evidence.verdict
    if verdict.weak:
        return _Part(Draft(not_found(evidence, pen.language, pen.documents)), abstained=True)
    if verdict.reason == "rows":
        return _Part(paragraph(evidence, pen.language, pen.settings))
    cosines = await _cosines(evidence, pen)
    quotes = paragraph(evidence, pen.language, pen.settings, cosines=cosines, documents=pen.documents)
    if pen.generator is None or pen.settings.mode == "extractive" or not model:
        return _Part(quotes)
    if "graph" in evidence.clause.decision.routes and len(quotes.used) > 1:
        return _Part(quotes)  # a chain is shown link by link: a model may tie its true names together wrongly
    try:
        return await _by_model(evidence, pen, pen.generator, quotes, cosines)
    except TooSlow:
        return _Part(quotes, degraded=say("model_slow", pen.language))
    except (ModelMissing, ModelUnavailable):
        return _Part(quotes, degraded=say("model_off", pen.language))


async def _cosines(evidence: Evidence, pen: Pen) -> Mapping[str, float] | None:
    """Similarity of candidate sentences; an embedder that fails costs precision, not the answer."""
    if pen.score_sentences is None:
        return None
    texts = candidate_texts(evidence.prose, SENTENCES)
    try:
        return await pen.score_sentences(evidence.clause.text, texts) if texts else None
    except (ModelUnavailable, TooSlow):
        return None


async def _by_model(
    evidence: Evidence, pen: Pen, generator: Generator, quotes: Draft, cosines: Mapping[str, float] | None
) -> _Part:
    prompt = prompt_messages(
        [evidence], pen.language, fits=pen.fits, budget=pen.settings.prompt_tokens, cosines=cosines
    )
    text = await _draft(prompt.messages, pen, generator)
    if says_unknown(text):
        return _unsure(evidence, pen, quotes, empty=not text)
    problem = _problem(text, prompt, evidence, pen)
    if problem is not None:
        text = await _draft(_again(prompt, text, problem.ask), pen, generator)
        problem = None if says_unknown(text) else _problem(text, prompt, evidence, pen)
        if says_unknown(text):
            return _unsure(evidence, pen, quotes, empty=not text)
    if problem is not None:
        return _Part(quotes, note=problem.note)
    text = without_marker(text)
    draft = cited(text, prompt.passages)
    return _Part(draft if draft.used else _credited(draft.text, prompt), by_model=True)


async def _draft(messages: Sequence[Message], pen: Pen, generator: Generator) -> str:
    if pen.on_text is None:
        return tidy(await generator.complete(messages, max_tokens=pen.settings.max_tokens))
    pieces = []
    async for piece in generator.stream(messages, max_tokens=pen.settings.max_tokens):
        pieces.append(piece)
        pen.on_text(piece)
    return tidy("".join(pieces))


def _unsure(evidence: Evidence, pen: Pen, quotes: Draft, *, empty: bool) -> _Part:
    """The model sees no answer: strong evidence is quoted, anything else is not an answer."""
    if empty:
        return _Part(quotes, note=say("model_empty", pen.language))
    if evidence.verdict.score >= SURE:
        return _Part(quotes, note=say("model_unsure", pen.language))
    return _Part(Draft(not_found(evidence, pen.language, pen.documents, by_model=True)), abstained=True)


@dataclass(frozen=True, slots=True)
class _Problem:
    ask: str  # what the model is told
    note: str  # what the reader is told if it happens again


def _problem(text: str, prompt: Prompt, evidence: Evidence, pen: Pen) -> _Problem | None:
    """What is wrong with a draft: its language, or claims without evidence."""
    written = detect_language(text)
    if pen.settings.language_retry and "und" not in (written, pen.language) and written != pen.language:
        return _Problem(_ASK_LANGUAGE[pen.language], say("model_language", pen.language))
    sources = [
        "\n".join([passage_text(passage), shown])
        for passage, shown in zip(prompt.passages, prompt.texts, strict=True)
    ]
    claims = ungrounded(text, sources, evidence.clause.text)
    if not claims:
        return None
    shown = listed([f"“{fenceless(claim)}”" for claim in claims[:_CLAIMS]], pen.language)
    ask = _ASK_GROUNDED["pt" if pen.language == "pt" else "en"].format(claims=", ".join(claims[:_CLAIMS]))
    return _Problem(ask, say("model_ungrounded", pen.language, claims=shown))


_ASK_LANGUAGE = {
    "pt": "Escreva a mesma resposta em português.",
    "en": "Write the same answer in English.",
}
_ASK_GROUNDED = {
    "pt": (
        "Isto não está nos trechos: {claims}. Escreva a resposta de novo usando somente o que os trechos dizem, "
        "ou escreva somente NAO_SEI."
    ),
    "en": (
        "This is not in the passages: {claims}. Write the answer again using only what the passages say, "
        "or write only UNKNOWN."
    ),
}


def _again(prompt: Prompt, text: str, ask: str) -> tuple[Message, ...]:
    return (*prompt.messages, Message("assistant", text), Message("user", ask))


def _credited(text: str, prompt: Prompt) -> Draft:
    """Marks for a draft that cites nothing: each sentence is credited to the passage that shares most of it."""
    credited = []
    for sentence in sentences(text):
        said = topic_of(asked(sentence), prompt.texts)
        shares = [(said.share(terms_of(shown)), -at) for at, shown in enumerate(prompt.texts)]
        share, at = max(shares, default=(0.0, 0))
        credited.append(f"{sentence} [{1 - at}]" if share >= CREDIT else sentence)
    return cited("\n".join(credited) if "\n" in text else " ".join(credited), prompt.passages)
