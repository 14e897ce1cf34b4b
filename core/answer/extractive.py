"""Answers without a model: the query result in a sentence, the best sentences quoted with their sources."""

from collections.abc import Mapping, Sequence

from core.answer.abstain import not_found
from core.answer.chain import Chain, best_chain
from core.answer.citing import Draft, joined
from core.answer.described import chain_of, described
from core.answer.phrases import say
from core.answer.quotes import Quote, choose, quoted
from core.answer.rows import rows_in_words
from core.answer.units import Unit, score_units
from core.asked import asked
from core.evidence import CHAIN_PASSAGES, Evidence
from core.harmless import fenceless, harmless
from core.settings import AnswerSettings
from core.topic import Topic, passage_text, terms_of, topic_of
from core.types import Language, Passage

CHARACTERS = 560  # of quoted text a clause
BESIDE = 0.6  # topic that a sentence must hold to be quoted beside rows


def extractive(
    evidence: Sequence[Evidence],
    language: Language,
    settings: AnswerSettings,
    *,
    cosines: Mapping[str, float] | None = None,
    documents: int | None = None,
) -> Draft:
    """One paragraph a clause; with several clauses each under its own question.

    Args:
        evidence: one per clause, in order.
        language: of the question; quotes stay as they are written.
        cosines: similarity of candidate sentences with their question, where known.
        documents: how many documents could be searched, for clauses without an answer.
    """
    drafts = [paragraph(one, language, settings, cosines=cosines, documents=documents) for one in evidence]
    return under_questions(evidence, drafts)


def under_questions(evidence: Sequence[Evidence], drafts: Sequence[Draft]) -> Draft:
    """Join one draft a clause; several stand each under its own question."""
    if len(drafts) == 1:
        whole = joined(drafts)
    else:
        titled = [
            Draft(f"**{_title(one.clause.text)}**\n{draft.text}", draft.used)
            for one, draft in zip(evidence, drafts, strict=True)
        ]
        whole = joined(titled)
    return Draft(harmless(whole.text), whole.used)


def paragraph(
    evidence: Evidence,
    language: Language,
    settings: AnswerSettings,
    *,
    cosines: Mapping[str, float] | None = None,
    documents: int | None = None,
) -> Draft:
    """The answer to one clause. Weak evidence gives a paragraph that says so and cites nothing."""
    if evidence.verdict.weak:
        return Draft(not_found(evidence, language, documents))
    if evidence.verdict.reason == "rows":
        return joined([_rows(evidence.rows, language), *_beside(evidence, language, cosines)], "\n")
    prose = _prose(evidence, language, settings, cosines)
    if not evidence.verdict.rows:
        return prose
    rows = _rows(evidence.rows, language)
    return joined([prose, Draft(say("tables_say", language, text=rows.text), rows.used)], "\n")


def _beside(evidence: Evidence, language: Language, cosines: Mapping[str, float] | None) -> list[Draft]:
    """Where the router asked texts as well as tables: the best quote beside the rows, if it speaks about the same."""
    topic, units = _weighed(evidence, cosines)
    near = [unit for unit in units if topic.share(terms_of(unit.text)) >= BESIDE]
    quotes = choose(near[:1], sentences=1, characters=CHARACTERS // 2)
    texts = [say("texts_say", language, quote=f"“{quoted(quote.texts)}” [1]") for quote in quotes]
    return [Draft(text, (quote.passage,)) for text, quote in zip(texts, quotes, strict=True)]


def _rows(rows: Sequence[Passage], language: Language) -> Draft:
    texts = [
        rows_in_words(row.result, language, f"[{at}]")
        for at, row in enumerate(rows, start=1)
        if row.result is not None
    ]
    return Draft("\n".join(texts), tuple(rows))


def weighed_units(
    evidence: Evidence, cosines: Mapping[str, float] | None
) -> tuple[Topic, tuple[Unit, ...], Chain | None]:
    """The clause's topic, its units best first, and the chain through them where one says what is asked."""
    question, prose = asked(evidence.clause.text), evidence.prose
    topic, units = _weighed(evidence, cosines)
    related = "graph" in evidence.clause.decision.routes
    followed = described(evidence, cosines)
    if followed is not None and followed.whole and (related or not followed.loose):
        if len(followed.hops) > 1:
            return topic, units, chain_of(followed)
        if followed.exact:
            return topic, units, None
    near = {passage.chunk_id for passage in prose[:CHAIN_PASSAGES]}
    linked = [unit for unit in units if unit.passage.chunk_id in near]
    return topic, units, best_chain(question, topic, linked, language=evidence.language, related=related)


def _weighed(evidence: Evidence, cosines: Mapping[str, float] | None) -> tuple[Topic, tuple[Unit, ...]]:
    question = asked(evidence.clause.text)
    topic = topic_of(question, [passage_text(passage) for passage in evidence.prose], evidence.kin)
    return topic, score_units(question, topic, evidence.prose, cosines)


def _prose(
    evidence: Evidence, language: Language, settings: AnswerSettings, cosines: Mapping[str, float] | None
) -> Draft:
    topic, units, chain = weighed_units(evidence, cosines)
    if chain is not None:
        return joined([_chain(chain, topic, language), *_aside(chain, units, language)], "\n")
    quotes = choose(units, sentences=settings.sentences, characters=CHARACTERS)
    lines = [_quote(quote, at, language) for at, quote in enumerate(quotes, start=1)]
    return Draft("\n".join(lines), tuple(quote.passage for quote in quotes))


def _quote(quote: Quote, number: int, language: Language, lead: str = "") -> str:
    text = f"“{quoted(quote.texts, entries=quote.entries)}” [{number}]"
    where = place(quote.passage)
    if not where:
        return text
    lead = lead or ("according_to" if number == 1 else "also")
    return say(lead, language, where=where, quote=text)


def _aside(chain: Chain, units: Sequence[Unit], language: Language) -> list[Draft]:
    """The sentence that answers best by itself, where the chain does not lead over it."""
    hops = {unit.key for unit in chain.units}
    known = units[0].key in hops
    alone = () if known else choose(units[:1], sentences=1, characters=CHARACTERS)
    return [Draft(_quote(quote, 1, language, "also"), (quote.passage,)) for quote in alone]


def _chain(chain: Chain, topic: Topic, language: Language) -> Draft:
    """One sentence per hop, from what the question names to what it asks for; the last one is the answer.

    A hop's place is shown where its heading says something of the question that no hop does. Further ends follow where
    several things are asked for.
    """
    used: list[Passage] = []
    lines = [say("chain", language, n=len(chain.units))]
    said = frozenset[str]().union(*(terms_of(unit.text) for unit in chain.units))
    for at, unit in enumerate(chain.units, start=1):
        if unit.passage not in used:
            used.append(unit.passage)
        text = f"“{quoted([chain.lead(at - 1) + unit.text])}”"
        strong = "**" if at == len(chain.units) and "**" not in text else ""
        whole = said | terms_of("\n".join(unit.passage.headings[-1:]))
        under = place(unit.passage) if topic.share(whole) > topic.share(said) else ""
        said = whole if under else said
        where = f"*{under}*: " if under else ""
        lines.append(f"{at}. {where}{strong}{text}{strong} [{used.index(unit.passage) + 1}]")
    for lead, unit in chain.also:
        if unit.passage not in used:
            used.append(unit.passage)
        lines.append(f"- **“{quoted([lead + unit.text])}”** [{used.index(unit.passage) + 1}]")
    return Draft("\n".join(lines), tuple(used))


def place(passage: Passage) -> str:
    """Title and last heading of a passage, for a reader; empty where it has neither."""
    parts = dict.fromkeys(part.strip() for part in (passage.title, *passage.headings[-1:]) if part.strip())
    return fenceless(" › ".join(parts)).replace("*", "")


def _title(clause: str) -> str:
    return fenceless(" ".join(clause.split())).replace("*", "")
