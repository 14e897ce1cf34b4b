"""One sentence, its verbs, and the relations between who stands on either side of them."""

from collections.abc import Iterator, Sequence

from core.ingest.extract.complements import Complements, end_of
from core.ingest.extract.discourse import Discourse, Statement, joined, written
from core.ingest.extract.lexicon import Grammar
from core.ingest.extract.nouns import Phrase, is_determiner, read_phrase
from core.ingest.extract.subjects import LIMITS, Subjects
from core.ingest.extract.tokens import Token
from core.ingest.extract.verbs import Verb, find_verbs
from core.language import listed
from core.normalize import canonical_name

_CONDITION = frozenset(["se", "quando", "if", "when", "caso", "unless"])
_ABSENCE = (
    *((first, noun, last) for first in ("na", "nas") for noun in ("ausencia", "ausencias", "falta", "licenca", "ferias") for last in ("de", "do", "da")),
    ("in", "the", "absence", "of"),
)  # fmt: skip
_BEYOND = frozenset(["disso", "disto", "desse", "deste", "that", "this"])
_INDEFINITE = frozenset(["a", "an", "the", "o", "um", "uma"])
_TIMES = frozenset(
    listed(
        """janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro january february march
        april may june july august september october november december segunda terca quarta quinta sexta sabado domingo
        monday tuesday wednesday thursday friday saturday sunday segunda-feira terca-feira quarta-feira quinta-feira
        sexta-feira"""
    )
)


def read_sentence(tokens: Sequence[Token], grammar: Grammar, talk: Discourse) -> list[Statement]:
    """The relations one sentence states. Updates what the next sentence's pronouns refer to."""
    talk.open_verb = None
    if not tokens or tokens[-1].text == "?":
        return []
    verbs = find_verbs(tokens, grammar)
    reader = _Reader(tokens, verbs, grammar, talk)
    statements = [s for k in range(len(verbs)) for s in reader.read(k)]
    statements += reader.beyond_limit()
    statements += reader.in_absence()
    first = next((subjects for subjects in reader.before.found if subjects), ())
    if first:
        talk.subject = first[0]
        talk.object = next(iter(reader.objects), None)
    return list(dict.fromkeys(statements))


class _Reader:
    """Works through the verbs of one sentence from left to right."""

    def __init__(
        self, tokens: Sequence[Token], verbs: Sequence[Verb], grammar: Grammar, talk: Discourse
    ) -> None:
        self.tokens = tokens
        self.verbs = verbs
        self.grammar = grammar
        self.talk = talk
        self.before = Subjects(tokens, verbs, grammar, talk)
        self.behind = Complements(tokens, verbs, grammar)
        self.objects: list[Phrase] = []
        self.condition_end = self._condition_end()

    def read(self, k: int) -> Iterator[Statement]:
        verb = self.verbs[k]
        self.before.limit = ""
        subjects, prefix = self.before.of(k)
        self.before.found.append(subjects)
        stop = self.verbs[k + 1].start if k + 1 < len(self.verbs) else len(self.tokens)
        if verb.start < self.condition_end:
            return
        complements = list(self.behind.of(verb, stop))
        self.objects += [phrase for _, phrase in complements]
        inverted = self._inverted(verb, k, complements, stop)
        if inverted is not None:
            subjects, complements, verb = inverted
            self.before.found[-1] = subjects
        yield from self._elliptic(verb, complements, stop)
        yield from self._apposed(complements, stop)
        if not complements and subjects and verb.end < len(self.tokens) and self.tokens[-1].text == ":":
            self.talk.open_verb = (subjects, joined(prefix, verb.text, self.behind.tail(verb)))
        also = self.behind.also(complements, stop)
        for subject in (*subjects, *also):
            for preposition, phrase in complements:
                yield from self._state(subject, prefix, verb, preposition, phrase)

    def _state(
        self, subject: Phrase, prefix: str, verb: Verb, preposition: str, phrase: Phrase
    ) -> Iterator[Statement]:
        """One statement, if it relates two things that can be told apart; and whom each of them belongs to."""
        if not self._worth(subject, verb, preposition, phrase):
            return
        head = bare_head(subject.head, self.grammar)
        yield Statement(
            subject.name,
            joined(head, prefix, self.before.limit, self._relation(verb, preposition, phrase)),
            phrase.name,
        )
        for part in (subject, phrase):
            if part.owner is not None and part.owner.name != part.name:
                yield Statement(part.name, part.joint, part.owner.name)

    def _relation(self, verb: Verb, preposition: str, phrase: Phrase) -> str:
        """The words from the verb to the name as they stand, where that is short: "aprova as despesas da"."""
        between = self.tokens[verb.end : phrase.name_start]
        if verb.kind in ("passive", "participle") or not verb.end <= phrase.name_start <= verb.end + 6:
            return joined(verb.text, preposition, phrase.head)
        if any(t.text == "," or t.word in self.grammar.conjunctions or t.is_anchor for t in between):
            return joined(verb.text, preposition, phrase.head)
        words = list(between)
        while words and is_determiner(words[-1], self.grammar):
            words.pop()
        return joined(verb.text, written(words))

    def _worth(self, subject: Phrase, verb: Verb, preposition: str, phrase: Phrase) -> bool:
        """Whether both sides name something, and at least one of them something in particular."""
        if subject.name == phrase.name or is_time(subject.name) or is_time(phrase.name):
            return False
        if self._is_hollow(subject) or self._is_hollow(phrase):
            return False
        if (
            verb.core in self.grammar.modals
            and phrase.words == 1
            and phrase.name.endswith(("ar", "er", "ir"))
        ):
            return False  # "precisa concluir"
        if subject.anchored or phrase.anchored:
            return True
        agent = canonical_name(preposition) in self.grammar.agents and verb.kind in ("passive", "participle")
        firm = verb.core in self.grammar.strong or agent
        return firm and subject.words <= 4 and phrase.words <= 4

    def _is_hollow(self, phrase: Phrase) -> bool:
        """A pronoun, an adverb, a verb form or a bare share taken for a thing."""
        if phrase.name in self.grammar.pronouns:
            return True
        if phrase.anchored or phrase.words > 1:
            return phrase.name.startswith(("cerca de", "mais de", "about ")) or "%" in phrase.name.split()[0]
        has_article = phrase.determiner or phrase.article in self.grammar.feminine | self.grammar.masculine
        is_verb = phrase.name in self.grammar.verbs and not has_article and not phrase.name.endswith("s")
        return (
            is_verb
            or phrase.name.endswith(("mente", "ly"))
            or phrase.name in ("most", "maioria", "maior", "more")
        )

    def _elliptic(
        self, verb: Verb, complements: Sequence[tuple[str, Phrase]], stop: int
    ) -> Iterator[Statement]:
        """ "A é dirigida por X e B por Y": the second pair shares the verb."""
        at = end_of(complements[-1][1]) if complements and verb.kind == "passive" else stop
        while at + 1 < stop and (
            self.tokens[at].word in self.grammar.conjunctions or self.tokens[at].text == ","
        ):
            subject = read_phrase(self.tokens, at + 1, stop, self.grammar)
            if (
                subject is None
                or subject.end >= stop
                or self.tokens[subject.end].word not in self.grammar.agents
            ):
                return
            doer = read_phrase(self.tokens, subject.end + 1, stop, self.grammar)
            if doer is None:
                return
            preposition = self.tokens[subject.end].text.lower()
            if self._worth(subject, verb, preposition, doer):
                yield Statement(subject.name, joined(verb.text, preposition), doer.name)
            at = doer.end

    def _apposed(self, complements: Sequence[tuple[str, Phrase]], stop: int) -> Iterator[Statement]:
        """ "… Northgate Imaging, a subsidiary of Medax Group": what the object is."""
        if not complements or not complements[-1][1].anchored:
            return
        named = complements[-1][1]
        at = end_of(named)
        if at + 1 >= stop or self.tokens[at].text != "," or self.tokens[at + 1].word not in _INDEFINITE:
            return
        phrase = read_phrase(self.tokens, at + 1, stop, self.grammar)
        if phrase is not None and phrase.anchored and phrase.name != named.name:
            copula = "is" if "is" in self.grammar.copulas else "é"
            article = self.tokens[at + 1].text.lower()
            yield Statement(named.name, joined(copula, article, phrase.head), phrase.name)

    def _inverted(
        self, verb: Verb, k: int, complements: Sequence[tuple[str, Phrase]], stop: int
    ) -> tuple[tuple[Phrase, ...], list[tuple[str, Phrase]], Verb] | None:
        """Subjects that stand behind their verb, what it relates them to, and the verb itself."""
        if not complements:
            return None
        if verb.kind == "copula" and k and self.tokens[0].word == "quem" and self.verbs[0].kind == "active":
            asked = list(self.behind.of(self.verbs[0], self.verbs[1].start))  # "Quem autoriza X é Y"
            return ((complements[0][1],), asked, self.verbs[0]) if asked else None
        if verb.core not in self.grammar.fronted or verb.kind != "active":
            return None
        object_ = complements[0][1]
        if verb.start == 0 and object_.end < stop and is_determiner(self.tokens[object_.end], self.grammar):
            subject = read_phrase(
                self.tokens, object_.end, stop, self.grammar
            )  # "Coordena a oficina a técnica Marli"
            return ((subject,), list(complements[:1]), verb) if subject is not None else None
        lead = self.tokens[: verb.start]
        if k == 0 and lead and lead[0].word in LIMITS and any(t.is_amount or t.is_number for t in lead):
            limit = written([t for t in lead if t.text != ","])
            self.talk.last_limit = limit
            self.before.limit = ""
            return (
                (object_,),
                [("", Phrase(canonical_name(limit), True, 0, 0))],
                verb,
            )  # "Até R$ 10 mil aprova a gerência"
        return None

    def beyond_limit(self) -> Iterator[Statement]:
        """ "; acima disso, a diretoria": the same verb beyond the last limit."""
        for at, token in enumerate(self.tokens[:-2]):
            if token.text not in (";", ",", ".") or self.tokens[at + 1].word not in (
                "acima",
                "above",
                "beyond",
            ):
                continue
            after = at + 2
            if self.tokens[after].word in _BEYOND:
                after += 1
            if after < len(self.tokens) and self.tokens[after].text == ",":
                after += 1
            phrase = read_phrase(self.tokens, after, len(self.tokens), self.grammar)
            verb = next((v for v in reversed(self.verbs) if v.end <= at), None)
            amount = self.talk.last_limit.split(" ", 1)[-1] if self.talk.last_limit else ""
            if phrase is not None and verb is not None and amount:
                limit = f"{self.tokens[at + 1].text.lower()} {'de ' if self.tokens[at + 1].word == 'acima' else ''}{amount.removeprefix('de ')}"
                yield Statement(phrase.name, verb.text, canonical_name(limit))

    def in_absence(self) -> Iterator[Statement]:
        """ "Na ausência do plantonista térmico, assume o técnico de caldeiras": who stands in for whom."""
        begin = next(
            (
                len(opening)
                for opening in _ABSENCE
                if tuple(t.word for t in self.tokens[: len(opening)]) == opening
            ),
            0,
        )
        comma = next((i for i, token in enumerate(self.tokens) if token.text == ","), 0)
        verb = next((v for v in self.verbs if v.start > comma), None)
        if not begin or not comma or verb is None or verb.kind != "active":
            return
        absent = read_phrase(self.tokens, begin, comma, self.grammar)
        if verb.start == comma + 1:
            deputy = read_phrase(self.tokens, verb.end, len(self.tokens), self.grammar)
        else:
            deputy = read_phrase(self.tokens, comma + 1, verb.start, self.grammar)
        if absent is None or deputy is None or absent.name == deputy.name:
            return
        if all(phrase.anchored or phrase.words > 1 for phrase in (absent, deputy)):
            opening = written(self.tokens[:begin])
            yield Statement(deputy.name, joined(verb.text, opening, absent.head), absent.name)

    def _condition_end(self) -> int:
        """What stands in an opening if-clause is not stated."""
        if not self.tokens or self.tokens[0].word not in _CONDITION:
            return 0
        return next((i for i, token in enumerate(self.tokens) if token.text == ","), len(self.tokens))


def bare_head(head: str, grammar: Grammar) -> str:
    """A subject's head without its preposition and article: "despesas da" is "despesas"."""
    words = head.split()
    while words and canonical_name(words[-1]) in grammar.prepositions | grammar.determiners | {""}:
        words.pop()
    return " ".join(words)


def is_time(name: str) -> bool:
    return all(word in _TIMES or word.isdigit() or word in ("de", "of") for word in name.split())
