"""Behind the verb: objects, agents and what a thing is said to be."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.ingest.extract.lexicon import Grammar
from core.ingest.extract.nouns import Phrase, is_preposition, read_phrase
from core.ingest.extract.tokens import Token
from core.ingest.extract.verbs import Verb, is_adverb
from core.language import listed
from core.normalize import canonical_name

HARD = frozenset(".;:!?()[]—–")
_RELATING = frozenset(
    listed(
        """responsavel responsaveis encarregado encarregada membro parte dono dona titular integrante subordinado
        subordinada vinculado vinculada ligado ligada filial sede responsible accountable part member owner subject
        subsidiary branch head chef"""
    )
)


class Complements:
    """Reads what stands behind the verbs of one sentence."""

    def __init__(self, tokens: Sequence[Token], verbs: Sequence[Verb], grammar: Grammar) -> None:
        self.tokens = tokens
        self.verbs = verbs
        self.grammar = grammar

    def of(self, verb: Verb, stop: int) -> Iterator[tuple[str, Phrase]]:
        """(preposition, phrase) pairs behind a verb."""
        if verb.kind in ("passive", "participle"):
            yield from self._passive_complements(verb, stop)
        elif verb.kind == "copula":
            yield from self._predicate(verb, stop)
        else:
            yield from self._active_complements(verb, stop)

    def _active_complements(self, verb: Verb, stop: int) -> Iterator[tuple[str, Phrase]]:
        at = verb.end
        if at >= stop:
            return
        preposition = ""
        if is_preposition(self.tokens[at], self.grammar):
            if self._is_purpose(at, stop):
                return
            preposition = self.tokens[at].text.lower()
            at += 1
        yield from self.listed(at, stop, preposition)

    def _is_purpose(self, at: int, stop: int) -> bool:
        """ "to store …", "para armazenar …": a second verb rather than a thing."""
        if (
            self.tokens[at].word not in ("to", "para", "de", "em", "a")
            or at + 1 >= stop
            or self.tokens[at + 1].is_anchor
        ):
            return False
        word = self.tokens[at + 1].word
        if self.tokens[at].word == "to":
            return word in self.grammar.verbs or word in ("be", "do", "get")
        return len(word) > 4 and word.endswith(("ar", "er", "ir"))

    def _passive_complements(self, verb: Verb, stop: int) -> Iterator[tuple[str, Phrase]]:
        """The agent wherever it stands in the clause; other complements only if they have a name."""
        at, seen = verb.end, 0
        while at < stop:
            token = self.tokens[at]
            if (
                token.text in HARD
                or token.text == ","
                or token.word in self.grammar.stops | self.grammar.conjunctions
            ):
                return
            inner = token.word in self.grammar.inner and at > verb.end
            if not is_preposition(token, self.grammar) or inner or self._is_purpose(at, stop):
                at += 1
                continue
            preposition = token.text.lower()
            phrases = list(self.listed(at + 1, stop, preposition, agent=token.word in self.grammar.agents))
            if token.word in self.grammar.agents:
                doers = [(p, phrase) for p, phrase in phrases if not self._is_manner(p, phrase)]
                yield from doers
                if doers:
                    return
            elif seen < 2:
                yield from ((p, phrase) for p, phrase in phrases if phrase.anchored)
            seen += 1
            at = end_of(phrases[-1][1]) if phrases else at + 1

    def _is_manner(self, preposition: str, phrase: Phrase) -> bool:
        """ "por escrito", "by hand", "por 35 dias": how, not by whom."""
        first = phrase.name.split()[0]
        words = set(phrase.name.split())
        timed = first.isdigit() or first in self.grammar.numerals
        return preposition in ("por", "by") and (
            (first in self.grammar.manner and not phrase.determiner)
            or (timed and bool(words & self.grammar.manner))
        )

    def _predicate(self, verb: Verb, stop: int) -> Iterator[tuple[str, Phrase]]:
        """What something is: "a gerente da Queijaria", "responsible for …", "um setor de …"."""
        at = verb.end
        while at < stop and is_adverb(self.tokens[at], self.grammar):
            at += 1
        if at >= stop:
            return
        first = self.tokens[at]
        beyond = at + 1 < stop and is_preposition(self.tokens[at + 1], self.grammar)
        if is_preposition(first, self.grammar):  # where it is
            yield from ((p, x) for p, x in self.listed(at + 1, stop, first.text.lower()) if x.anchored)
            return
        if first.word in _RELATING and beyond:
            words = f"{first.text.lower()} {self.tokens[at + 1].text.lower()}"
            yield from self.listed(at + 2, stop, words)
            return
        phrase = read_phrase(self.tokens, at, stop, self.grammar)
        if phrase is None:
            return
        if phrase.anchored or (
            phrase.determiner and phrase.words >= 2 and first.word in self.grammar.determiners
        ):
            yield "", phrase

    def listed(
        self, at: int, stop: int, preposition: str, *, agent: bool = False
    ) -> Iterator[tuple[str, Phrase]]:
        """A phrase and those joined to it by commas and `e`/`and`."""
        phrase = read_phrase(self.tokens, at, stop, self.grammar)
        first = phrase
        while phrase is not None:
            yield preposition, phrase
            at = end_of(phrase)
            if at >= stop:
                return
            token = self.tokens[at]
            if token.word not in self.grammar.conjunctions and token.text != ",":
                return
            after = at + 1
            if token.text == "," and after < stop and self.tokens[after].word in self.grammar.conjunctions:
                after += 1
            inherited = ""
            if after < stop and is_preposition(self.tokens[after], self.grammar):
                head = first.head if first is not None else ""
                if head and self._repeats(head.split()[-1], self.tokens[after]):
                    inherited = head  # "representantes da Secretaria, do Sindicato e da Associação"
                elif preposition and self._repeats(preposition, self.tokens[after]):
                    preposition = self.tokens[after].text.lower()  # "pelo Departamento e pela Fiscalização"
                else:
                    return
                after += 1
            phrase = read_phrase(self.tokens, after, stop, self.grammar)
            if phrase is not None and inherited:
                phrase = replace(phrase, head=inherited)
            if phrase is None or not self._joins(first, phrase, token, stop):
                return
            if agent and phrase.end < stop and self.tokens[phrase.end].word in self.grammar.agents:
                return  # "… é dirigido por A e o outro por B": the next thing, not another doer

    def _repeats(self, preposition: str, token: Token) -> bool:
        """Whether a list goes on with the same preposition, its article aside: "do … e da …"."""
        one, two = canonical_name(preposition), token.word
        return (
            one == two
            or (one in self.grammar.agents and two in self.grammar.agents)
            or one[:1] == two[:1] != "p"
        )

    def _joins(self, first: Phrase | None, phrase: Phrase, link: Token, stop: int) -> bool:
        """Whether a further phrase belongs to the list rather than being the next verb's subject or an apposition."""
        ends_at_verb = phrase.end >= stop and stop < len(self.tokens)
        if ends_at_verb and not any(verb.start == stop and verb.shared is not None for verb in self.verbs):
            return False
        if link.text == ",":
            listed_on = phrase.end < stop and (
                self.tokens[phrase.end].text == ","
                or self.tokens[phrase.end].word in self.grammar.conjunctions
            )
            return bool(phrase.anchored and first and first.anchored and listed_on)
        counted = phrase.name.split()[0] in self.grammar.numerals
        return phrase.anchored or phrase.definite or counted or bool(first and not first.anchored)

    def tail(self, verb: Verb) -> str:
        """The preposition between a verb and the colon that announces its list."""
        return " ".join(t.text.lower() for t in self.tokens[verb.end : -1] if is_preposition(t, self.grammar))

    def also(self, complements: Sequence[tuple[str, Phrase]], stop: int) -> tuple[Phrase, ...]:
        """Subjects added behind the object: ", assim como a batedeira BT-7 e …"."""
        if not complements:
            return ()
        at = complements[-1][1].end
        if at < stop and self.tokens[at].text == ",":
            at += 1
        for words in self.grammar.also:
            if tuple(token.word for token in self.tokens[at : at + len(words)]) == words:
                return tuple(phrase for _, phrase in self.listed(at + len(words), stop, ""))
        return ()


def end_of(phrase: Phrase) -> int:
    """Where the text goes on behind a phrase and the thing it belongs to."""
    return phrase.owner.end if phrase.owner is not None else phrase.end
