"""Before the verb: who does it, directly or by a pronoun, an apposition, a list or a relative clause."""

from collections.abc import Sequence
from dataclasses import replace

from core.ingest.extract.complements import HARD
from core.ingest.extract.discourse import Discourse, written
from core.ingest.extract.lexicon import Grammar
from core.ingest.extract.nouns import Phrase, is_determiner, is_preposition, read_phrase
from core.ingest.extract.tokens import Token
from core.ingest.extract.verbs import Verb

_RELATIVE = frozenset(["que", "which", "that", "who"])
_WHOSE = frozenset(["whose", "cujo", "cuja", "cujos", "cujas"])
LIMITS = frozenset(["acima", "abaixo", "ate", "entre", "above", "over", "below", "under", "up", "between"])


class Subjects:
    """Finds the subjects of the verbs of one sentence, from left to right."""

    def __init__(
        self, tokens: Sequence[Token], verbs: Sequence[Verb], grammar: Grammar, talk: Discourse
    ) -> None:
        self.tokens = tokens
        self.verbs = verbs
        self.grammar = grammar
        self.talk = talk
        self.found: list[tuple[Phrase, ...]] = []  # of the verbs so far
        self.limit = ""  # "acima de R$ 10 mil" that the current clause depends on

    def of(self, k: int) -> tuple[tuple[Phrase, ...], str]:
        """The subjects of verb k, and words that belong to the relation ("contract" of "whose contract is …")."""
        verb = self.verbs[k]
        floor = self.verbs[k - 1].end if k else 0
        before = self.found[k - 1] if k else ()
        if verb.shared is not None:
            return self.found[verb.shared], ""
        if verb.start == floor:
            return (before, "") if k else (self._understood(verb), "")
        last = self.tokens[verb.start - 1]
        if last.word in self.grammar.conjunctions and k:
            return before, ""
        if last.word in _RELATIVE:
            return self._ending_at(verb.start - 1, floor if not k else 0), ""
        whose = next((i for i in range(verb.start - 1, floor - 1, -1) if self.tokens[i].word in _WHOSE), None)
        if whose is not None:
            return self._ending_at(whose, 0), written(self.tokens[whose + 1 : verb.start])
        if verb.kind == "participle":
            return self._ending_at(verb.start, 0), ""
        return self._plain_subjects(floor, verb.start, first=k == 0), ""

    def _understood(self, verb: Verb) -> tuple[Phrase, ...]:
        """A sentence that begins with its verb speaks of the last subject, or of what the heading names."""
        if verb.kind in ("participle", "passive") and self.talk.topic:
            return (Phrase(self.talk.topic, True, 0, 0),)
        antecedent = self.talk.antecedent("", self.grammar)
        return (antecedent,) if antecedent is not None else ()

    def _plain_subjects(self, floor: int, end: int, *, first: bool) -> tuple[Phrase, ...]:
        begin = self._clause_start(floor, end, first=first)
        words = [t.word for t in self.tokens[begin:end] if t.word not in self.grammar.adverbs]
        if len(words) == 1 and words[0] in self.grammar.pronouns:
            return self._pointed(words[0])
        if self.tokens[end - 1].text == ",":
            return self._apposition(begin, end - 1)
        phrase = self._covering(begin, end)
        if phrase is not None:
            return self._resolved(phrase)
        if first:
            several = self._several(begin, end)
            if several:
                return several
        comma = max((i for i in range(begin, end) if self.tokens[i].text == ","), default=None)
        if comma is None:
            return ()
        self._note_limit(begin, comma)
        phrase = self._covering(comma + 1, end)
        pronoun = [t.word for t in self.tokens[comma + 1 : end]]
        if len(pronoun) == 1 and pronoun[0] in self.grammar.pronouns:
            return self._pointed(pronoun[0])
        if phrase is None:
            return self._several(comma + 1, end)
        return self._resolved(phrase)

    def _clause_start(self, floor: int, end: int, *, first: bool) -> int:
        """Behind the last hard mark; between two verbs also behind the last comma or conjunction."""
        begin = floor
        for i in range(floor, end):
            token = self.tokens[i]
            if token.text in HARD or (
                not first and i + 1 < end and (token.text == "," or token.word in ("e", "and", "mas", "but"))
            ):
                begin = i + 1
        return begin

    def _covering(self, begin: int, end: int) -> Phrase | None:
        """The phrase that ends right before `end`; one inside a prepositional phrase is no subject."""
        for at in range(begin, end):
            token = self.tokens[at]
            if token.word in LIMITS and at == begin:
                found = self._after_limit(begin, end)
                if found is not None:
                    return found
            if token.text == ",":
                return None
            if token.word in self.grammar.stops or not self._may_start(begin, at):
                continue
            phrase = read_phrase(self.tokens, at, end, self.grammar, whole=True)
            if phrase is not None and _reaches(self.tokens, phrase, end, self.grammar):
                behind = self.tokens[at - 1] if at > begin else None
                outside = behind is None or not (
                    is_preposition(behind, self.grammar) or behind.word in self.grammar.conjunctions
                )
                return phrase if outside else None
        return None

    def _may_start(self, begin: int, at: int) -> bool:
        """A phrase begins with the clause, at an article, or behind something that is no noun; never inside another."""
        if at == begin or is_determiner(self.tokens[at], self.grammar):
            return True
        before = self.tokens[at - 1]
        if before.word in _RELATIVE:
            return False
        plain = before.is_word and before.word not in self.grammar.stops | self.grammar.conjunctions
        return not plain or is_preposition(before, self.grammar) or before.word in self.grammar.adverbs

    def _after_limit(self, begin: int, end: int) -> Phrase | None:
        """ "Acima de R$ 15 mil o pedido …": the subject begins at the article behind the amount."""
        for at in range(begin + 1, end):
            if self.tokens[at].word in self.grammar.determiners and any(
                t.is_amount or t.is_number for t in self.tokens[begin:at]
            ):
                phrase = read_phrase(self.tokens, at, end, self.grammar, whole=True)
                if phrase is not None and _reaches(self.tokens, phrase, end, self.grammar):
                    self._note_limit(begin, at)
                    return phrase
        return None

    def _note_limit(self, begin: int, end: int) -> None:
        words = self.tokens[begin:end]
        if words and words[0].word in LIMITS and any(t.is_amount or t.is_number for t in words):
            self.limit = written(words)
            self.talk.last_limit = self.limit

    def _several(self, begin: int, end: int) -> tuple[Phrase, ...]:
        """A subject list: "A, B e C"."""
        bounds = [
            i for i in range(begin, end) if self.tokens[i].text == "," or self.tokens[i].word in ("e", "and")
        ]
        if not bounds or self.tokens[bounds[-1]].text == ",":
            return ()
        parts = []
        for left, right in zip([begin - 1, *bounds], [*bounds, end], strict=True):
            if left + 1 == right:
                continue
            phrase = read_phrase(self.tokens, left + 1, right, self.grammar, whole=True)
            if (
                phrase is None
                or phrase.end != right
                or not (phrase.anchored or phrase.definite or phrase.words <= 3)
            ):
                return ()
            parts.append(phrase)
        return tuple(parts)

    def _apposition(self, begin: int, end: int) -> tuple[Phrase, ...]:
        """ "The supplier, Vendico, …": the named one of the two is the subject."""
        comma = max((i for i in range(begin, end) if self.tokens[i].text == ","), default=None)
        if comma is None:
            return ()
        one, two = self._covering(begin, comma), read_phrase(self.tokens, comma + 1, end, self.grammar)
        if one is None or two is None or two.end != end:
            return ()
        if two.anchored and not one.anchored:
            return (two,)
        return (one,)

    def _ending_at(self, end: int, floor: int) -> tuple[Phrase, ...]:
        """The nearest phrase that ends at `end`, over a comma: what a relative clause or participle belongs to."""
        if end > floor and self.tokens[end - 1].text == ",":
            end -= 1
        for at in range(max(floor, end - 10), end):
            if is_preposition(self.tokens[at], self.grammar) or self.tokens[at].word in self.grammar.stops:
                continue
            if not self._may_start(max(floor, end - 10), at):
                continue
            phrase = read_phrase(self.tokens, at, end, self.grammar)
            if phrase is not None and phrase.end == end and not _crosses_verb(self.verbs, at, end):
                return self._resolved(replace(phrase, head=""))
        return ()

    def _pointed(self, pronoun: str) -> tuple[Phrase, ...]:
        antecedent = self.talk.antecedent(pronoun, self.grammar)
        return (antecedent,) if antecedent is not None else ()

    def _resolved(self, phrase: Phrase) -> tuple[Phrase, ...]:
        """Pronouns, "the team" and "this policy" become what they stand for; without an antecedent they are dropped."""
        if phrase.name in self.grammar.pronouns:
            return self._pointed(phrase.name)
        points = phrase.determiner in self.grammar.demonstratives
        if points and phrase.name in self.grammar.document and self.talk.title:
            return (replace(phrase, name=self.talk.title, anchored=True),)
        if phrase.definite and not phrase.anchored and phrase.name.removesuffix("s") in self.grammar.generic:
            antecedent = self.talk.antecedent(phrase.determiner, self.grammar)
            return (antecedent,) if antecedent is not None and antecedent.anchored else ()
        return (phrase,)


def _reaches(tokens: Sequence[Token], phrase: Phrase, end: int, grammar: Grammar) -> bool:
    return all(
        token.word in grammar.adverbs or token.text in "\"'”’»*_`" for token in tokens[phrase.end : end]
    )


def _crosses_verb(verbs: Sequence[Verb], start: int, end: int) -> bool:
    return any(start < verb.end and verb.start < end for verb in verbs)
