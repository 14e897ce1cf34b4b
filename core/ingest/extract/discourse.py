"""What has been said so far: relations found, and what pronouns stand for."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.ingest.extract.lexicon import Grammar
from core.ingest.extract.nouns import Phrase
from core.ingest.extract.tokens import Token


@dataclass(frozen=True, slots=True)
class Statement:
    """Subject, relation as written, object; names are canonical."""

    subject: str
    relation: str
    object: str


@dataclass(slots=True)
class Discourse:
    """What pronouns and bare verbs refer to while a passage is read from top to bottom."""

    topic: str = ""  # the thing the heading names
    title: str = ""
    subject: Phrase | None = None
    object: Phrase | None = None
    open_verb: tuple[tuple[Phrase, ...], str] | None = (
        None  # "The committee consists of:" waits for list items
    )
    last_limit: str = ""

    def antecedent(self, pronoun: str, grammar: Grammar) -> Phrase | None:
        """The last subject or object that has a name and agrees; the heading's thing otherwise."""
        for phrase in (self.subject, self.object):
            if phrase is not None and phrase.anchored and agree(pronoun, phrase, grammar):
                return phrase
        if self.topic:
            return Phrase(self.topic, True, 0, 0)
        return self.subject if self.subject and agree(pronoun, self.subject, grammar) else None


def agree(pronoun: str, phrase: Phrase, grammar: Grammar) -> bool:
    """Gender and number, as far as articles and endings tell."""
    if pronoun in grammar.feminine and phrase.article in grammar.masculine:
        return False
    if pronoun in grammar.masculine and phrase.article in grammar.feminine:
        return False
    return not (pronoun in grammar.pronouns and pronoun not in grammar.plural and phrase.plural)


def written(tokens: Sequence[Token]) -> str:
    return " ".join(token.text.lower() for token in tokens if token.text != ",")


def joined(*parts: str) -> str:
    return " ".join(part for part in parts if part)
