"""Relations of a passage by rules: no model, the same result on every machine."""

import re
from collections.abc import Iterator

from core.ingest.extract.discourse import Discourse, Statement
from core.ingest.extract.lexicon import GRAMMARS, Grammar
from core.ingest.extract.lines import (
    headed_name,
    heading_topic,
    is_generic,
    is_identity,
    is_named,
    is_telling,
    key_value,
    row_relations,
    split_bullet,
)
from core.ingest.extract.names import ALSO_CALLED, aliases, mentions
from core.ingest.extract.nouns import Phrase, is_preposition, read_phrase
from core.ingest.extract.statements import read_sentence
from core.ingest.extract.tokens import Token, tokenize
from core.language import detect_language
from core.normalize import canonical_name
from core.sentences import sentence_spans
from core.types import Chunk, Language, Triple

LONGEST_NAME = 90  # characters
_OCCASIONS = frozenset(["se", "quando", "caso", "if", "when", "whenever", "should", "em", "no", "na"])
_MEASURE = re.compile(
    r"[\d.,:/\s-]+(?:%|°\s?[cf]|[a-z]{1,3}|dias?|days?|horas?|hours?|anos?|years?|meses|months?|minut\w+)?"
)


def extract_triples(chunk: Chunk) -> tuple[Triple, ...]:
    """The relations a passage states, sorted, without repetition. Code has none."""
    if chunk.kind == "code":
        return ()
    found = row_relations(chunk.text) if chunk.kind == "table" else _prose_relations(chunk)
    full = _full_names(chunk)
    named = (
        (full.get(subject, subject), relation, full.get(object_, object_))
        for subject, relation, object_ in found
    )
    triples = {
        Triple(subject, " ".join(relation.split()), object_, chunk.id)
        for subject, relation, object_ in named
        if is_sound(subject, relation, object_)
    }
    return tuple(sorted(triples))


def chunk_mentions(chunk: Chunk) -> tuple[str, ...]:
    """Proper names and codes a passage mentions, canonical and sorted, whether or not it relates them."""
    found: set[str] = set()
    for start, end in sentence_spans(chunk.text):
        sentence = chunk.text[start:end]
        found.update(mentions(tokenize(split_bullet(sentence)[1]), _grammar(sentence, chunk.language)))
    return tuple(sorted(name for name in found if 2 <= len(name) <= LONGEST_NAME))


def _full_names(chunk: Chunk) -> dict[str, str]:
    """Short forms of names that the same passage gives in full: "o Conselho" behind "Conselho Municipal de Saúde"."""
    names = chunk_mentions(chunk)
    longer: dict[str, list[str]] = {}
    for name in names:
        first, _, rest = name.partition(" ")
        if rest:
            longer.setdefault(first, []).append(name)
    return {name: longer[name][0] for name in names if len(longer.get(name, ())) == 1}


def is_sound(subject: str, relation: str, object_: str) -> bool:
    """Whether two canonical names and a relation can be kept: something on each side, and not twice the same."""
    names = (subject, object_)
    return (
        bool(relation.strip())
        and subject != object_
        and all(2 <= len(name) <= LONGEST_NAME and any(char.isalpha() for char in name) for name in names)
        and not any(_MEASURE.fullmatch(name) for name in names)
    )


def _grammar(sentence: str, language: Language) -> Grammar:
    spoken = detect_language(sentence)
    return GRAMMARS.get(spoken) or GRAMMARS.get(language) or GRAMMARS["pt"]


def _prose_relations(chunk: Chunk) -> Iterator[tuple[str, str, str]]:
    reader = _PassageReader(chunk)
    for heading in (chunk.title, *chunk.headings):
        named = headed_name(heading)
        if named is not None:
            yield named[0], ALSO_CALLED, named[1]
        for name, other in aliases(tokenize(heading, running=False), _grammar(heading, chunk.language)):
            yield name, ALSO_CALLED, other
    end = 0
    for start, stop in sentence_spans(chunk.text):
        gap = chunk.text[end:start]
        end = stop
        for statement in reader.read(chunk.text[start:stop], new_line=start == 0 or "\n" in gap):
            yield statement.subject, statement.relation, statement.object


class _PassageReader:
    """Reads a passage's sentences and lines from top to bottom and remembers what they are about."""

    def __init__(self, chunk: Chunk) -> None:
        self.language = chunk.language
        topic = heading_topic(chunk.headings, chunk.title)
        inner = chunk.headings[-1] if chunk.headings else chunk.title
        self.headed = is_named(inner)
        self.talk = Discourse(topic=topic if self.headed else "", title=canonical_name(chunk.title))
        self.subject = topic  # of key-value lines
        self.label = ""  # "E-4021" of "E-4021: …"; holds until the next line

    def read(self, sentence: str, *, new_line: bool) -> list[Statement]:
        is_item, text = split_bullet(sentence)
        is_item = is_item and new_line
        grammar = _grammar(text, self.language)
        if new_line:
            self.label = ""
            waiting = self.talk.open_verb
            if is_item:
                self.talk.subject = self.talk.object = None
            if waiting is not None and is_item:
                found = self._listed(text, grammar, waiting)
                self.talk.open_verb = waiting
                if found:
                    return found
        pair = key_value(text)
        if pair is not None and (new_line or len(pair[0].split()) <= 3):
            return self._pair(*pair, grammar)
        return self._sentence(text, grammar)

    def _sentence(self, text: str, grammar: Grammar) -> list[Statement]:
        tokens = tokenize(text)
        found = [Statement(name, ALSO_CALLED, other) for name, other in aliases(tokens, grammar)]
        occasion, rest = _occasion(tokens, grammar)
        if occasion or self.label:
            found += _orders(tokens[rest:], occasion or self.label, grammar)
        bare = _without_brackets(tokens)
        return [*found, *read_sentence(bare, grammar, self.talk)]

    def _listed(
        self, text: str, grammar: Grammar, waiting: tuple[tuple[Phrase, ...], str]
    ) -> list[Statement]:
        """An item of a list that an unfinished sentence introduced: "The committee consists of:"."""
        tokens = tokenize(text)
        phrase = read_phrase(tokens, 0, len(tokens), grammar)
        subjects, relation = waiting
        if (
            phrase is None
            or (phrase.end < len(tokens) and tokens[phrase.end].text not in ".;,(")
            or phrase.words > 6
        ):
            return []
        return [Statement(s.name, " ".join([relation, phrase.head]).strip(), phrase.name) for s in subjects]

    def _pair(self, key: str, value: str, grammar: Grammar) -> list[Statement]:
        """A `key: value` line: an attribute of what the section or the first line names, or a labelled entry."""
        tokens = tokenize(value, running=False)
        key_tokens = tokenize(key)
        is_code = len(key_tokens) <= 4 and any(
            t.is_code and any(c.isdigit() for c in t.text) for t in key_tokens
        )
        if is_code or _is_order(tokens, grammar):
            self.label = canonical_name(key)
            return self._sentence(value, grammar)
        if is_identity(key) and is_telling(value) and not self.headed:
            self.subject = canonical_name(value.rstrip("."))
            self.talk.topic = self.subject
            return []
        if (
            is_generic(key)
            or not self.subject
            or not is_telling(value.rstrip("."))
            or canonical_name(value) == self.subject
        ):
            return self._sentence(value, grammar)
        return [
            Statement(self.subject, key.lower(), phrase.name)
            for phrase in _values(tokens, grammar)
            if phrase.anchored
        ]


def _values(tokens: tuple[Token, ...], grammar: Grammar) -> Iterator[Phrase]:
    """The names a value consists of: "Ana Prado e Bruno Reis", "Oficina Leste, ramal 12"."""
    at = 0
    while at < len(tokens):
        phrase = read_phrase(tokens, at, len(tokens), grammar)
        if phrase is None:
            return
        yield phrase
        at = phrase.end
        if at >= len(tokens) or (tokens[at].text != "," and tokens[at].word not in grammar.conjunctions):
            return
        at += 1


def _is_order(tokens: tuple[Token, ...], grammar: Grammar) -> bool:
    return bool(tokens) and tokens[0].word in grammar.imperatives


def _occasion(tokens: tuple[Token, ...], grammar: Grammar) -> tuple[str, int]:
    """ "For alarm E-12, …", "Em caso de E-4021, …", "Se o E-12 voltar, …": the coded thing, and where the order begins."""
    comma = next((i for i, token in enumerate(tokens) if token.text == ","), 0)
    opens = bool(tokens) and (tokens[0].word in _OCCASIONS or is_preposition(tokens[0], grammar))
    code = next(
        (i for i in range(comma) if tokens[i].is_code and any(c.isdigit() for c in tokens[i].text)), None
    )
    if (
        not opens
        or code is None
        or comma + 1 >= len(tokens)
        or tokens[comma + 1].word not in grammar.imperatives
    ):
        return "", 0
    begin = code
    while begin > 1 and tokens[begin - 1].is_word and not is_preposition(tokens[begin - 1], grammar):
        begin -= 1
    phrase = read_phrase(tokens, begin, code + 1, grammar)
    return (phrase.name, comma + 1) if phrase is not None else ("", 0)


def _orders(tokens: tuple[Token, ...], label: str, grammar: Grammar) -> list[Statement]:
    """What a labelled entry tells its reader to do: "E-4021: … Follow procedure PO-17."."""
    found = []
    for at, token in enumerate(tokens):
        if token.word not in grammar.imperatives or token.is_anchor:
            continue
        fresh = (
            at == 0
            or tokens[at - 1].text in ".,;:"
            or tokens[at - 1].word in ("e", "and", "ou", "or", "then")
        )
        phrase = read_phrase(tokens, at + 1, len(tokens), grammar) if fresh else None
        if phrase is not None and phrase.anchored:
            found.append(Statement(label, " ".join([token.word, phrase.head]).strip(), phrase.name))
        elif phrase is not None and phrase.definite and phrase.words <= 3:
            found.append(Statement(label, token.word, phrase.name))
    return found


def _without_brackets(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """Asides in brackets interrupt a sentence; without them it is whole again."""
    kept, depth = [], 0
    for token in tokens:
        if token.text in "([":
            depth += 1
        elif token.text in ")]" and depth:
            depth -= 1
        elif not depth:
            kept.append(token)
    return tuple(kept)
