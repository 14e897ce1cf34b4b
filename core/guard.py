"""May a cached answer serve another wording? Only if nothing that changes the answer differs.

Opposite questions reach cosines of 0.83 to 0.99, so the vector alone decides nothing. Every check names itself when
it fails, so that the explanation can say why a near question was not served from the cache.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from core.analyze import Token as Term
from core.analyze import question_tokens, tokens
from core.clauses import split_clauses
from core.forms import Form, names_of, read_form
from core.lexicon import (
    FUNCTION_WORDS,
    LIGHT_VERBS,
    MONTHS,
    REQUEST_INFINITIVES,
    REQUESTS_EN,
    REQUESTS_PT,
    word_set,
)
from core.quantities import numbers_of
from core.tokens import tokenize
from core.vocabulary import NO_VOCABULARY, Mention, Vocabulary

# Kinds that ask for the same thing in other words.
_SAME_KIND = {"which": "", "list": "", "explain": "", "how_much": "", "how": "how_to", "define": "define"}
_STRICT = ("average", "max", "min", "share", "growth")
_FRAME = word_set(
    # nouns and verbs of asking: they say how the question is put, not what it is about
    "responsavel responsaveis responsible person pessoa pessoas valor valores value amount quantia numero number numeros quantidade",
    "quantity total nome nomes name names tipo tipos type kind lista list data date forma maneira modo way procedimento processo",
    "procedure process passos steps regra regras rule rules informacao informacoes information info empresa company gente people",
    "atualmente currently hoje existentes disponiveis available registrado registrados recorded existem diferentes different distinct",
    "qual quais quanto quantos contagem count mostre mostrar show encontre find retorne return liste forneca give diga tell",
    "conte retorna devolva distinto distinta distintos distintas junto correspondente corresponding respective respectivos localizada",
    "localizado located fica chamado chamada called named denominado intitulado titled ocorreram ocorridos aconteceram acontecem",
    "contem contenham contains contain inclui include",
    "permitido permitida possivel allowed possible ok",
    "possui possuem possuam temos tiver esperado esperada banco dados database tabela table",
)
_ASKING = FUNCTION_WORDS | LIGHT_VERBS | REQUESTS_PT | REQUESTS_EN | REQUEST_INFINITIVES
_DIRECTED = re.compile(
    r"\b(?:de|do|da|from)\s+(.+?)\s+(?:para|pra|pro|a|ao|ate|to|into|until)\s+(.+?)(?=\s+(?:em|no|na|in|on|at|por|by|com|with|durante|during)\b|$)"
)
_SYMMETRIC = re.compile(r"^(?:e|ou|and|or|com|with|versus|vs|nem|nor|entre|between|,|x)$")


def guard(
    a: str, b: str, vocabulary: Vocabulary = NO_VOCABULARY, evidence: Iterable[str] = ()
) -> tuple[str, ...]:
    """The checks that two questions fail, by name; empty if one answer may serve both.

    Args:
        vocabulary: names of the view both were asked in.
        evidence: texts of the passages found; words that stand for one another must not both occur there.
    """
    failed = compare_forms(a, b, read_form(a, vocabulary), read_form(b, vocabulary), tuple(evidence))
    return failed if len(split_clauses(a)) == len(split_clauses(b)) else ("questions", *failed)


def compare_forms(
    a: str, b: str, form_a: Form, form_b: Form, evidence: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """`guard` on forms that are already read; how many questions there are is the caller's to compare."""
    checks = (
        ("kind", _kinds(form_a) == _kinds(form_b)),
        ("numbers", Counter(form_a.numbers) == Counter(form_b.numbers)),
        ("dates", set(form_a.dates) == set(form_b.dates)),
        ("units", form_a.units == form_b.units),
        ("codes", Counter(form_a.codes) == Counter(form_b.codes)),
        ("names", _same_names(a, b, form_a, form_b)),
        (
            "polarity",
            bool(form_a.negations) == bool(form_b.negations)
            and not _opposed(form_a.opposites, form_b.opposites),
        ),
        (
            "comparison",
            form_a.comparisons == form_b.comparisons and _aggregates(form_a) == _aggregates(form_b),
        ),
        ("direction", _same_direction(a, b, form_a, form_b)),
        ("words", _same_words(a, b, evidence)),
    )
    return tuple(name for name, passed in checks if not passed)


def seed_guard(a: str, b: str) -> bool:
    """The seed's guard: same capitalised names, same numbers, same count of questions."""
    tokens_a, tokens_b = tokenize(a), tokenize(b)
    names_a, names_b = ({m.text for m in names_of(ts, NO_VOCABULARY)} for ts in (tokens_a, tokens_b))
    same_numbers = Counter(numbers_of(tokens_a)) == Counter(numbers_of(tokens_b))
    return names_a == names_b and same_numbers and a.count("?") == b.count("?")


def _kinds(form: Form) -> frozenset[str]:
    return frozenset(kind for kind in (_SAME_KIND.get(k, k) for k in form.kinds) if kind)


def _aggregates(form: Form) -> frozenset[str]:
    return frozenset(a for a in form.aggregates if a in _STRICT)


def _opposed(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    """One names one side of an opposition, the other names the other side."""
    families = {side[:-1] for side in a} & {side[:-1] for side in b}
    return any({s for s in a if s[:-1] == f} != {s for s in b if s[:-1] == f} for f in families)


def _same_names(a: str, b: str, form_a: Form, form_b: Form) -> bool:
    """Values, entities and capitalised names stand in both; a column may be called otherwise, not by another's name."""
    for text, form in ((b, form_a), (a, form_b)):
        said = f" {' '.join(t.word for t in tokenize(text))} "
        if any(f" {m.text} " not in said for m in form.names if m.kind in {"value", "entity"}):
            return False
        if any(not all(f" {w} " in said for w in m.text.split()) for m in form.names if m.kind == "capital"):
            return False
    columns_a, columns_b = (
        {m.text for m in f.names if m.kind in {"column", "table"}} for f in (form_a, form_b)
    )
    return not (columns_a - columns_b and columns_b - columns_a)


def _same_direction(a: str, b: str, form_a: Form, form_b: Form) -> bool:
    """ "from A to B" is not "from B to A": names, numbers and codes of one group keep their order."""
    for source, target in _directed(a):
        for other_source, other_target in _directed(b):
            if set(source) & set(other_target) and set(target) & set(other_source):
                return False
    if _order(form_a) == _order(form_b):
        return True
    return _is_symmetric(a, form_a) and _is_symmetric(b, form_b)


def _directed(text: str) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    joined = " ".join(t.word for t in tokenize(text))
    pairs = [(_stems(m.group(1)), _stems(m.group(2))) for m in _DIRECTED.finditer(joined)]
    return [(source, target) for source, target in pairs if source and target]


def _stems(text: str) -> tuple[str, ...]:
    return tuple(sorted(min(token.sure, key=len) for token in tokens(text)))


def _order(form: Form) -> dict[str, tuple[str, ...]]:
    groups: dict[str, list[str]] = {"number": list(form.numbers), "code": list(form.codes)}
    for name in (m for m in form.names if m.kind not in {"column", "table"}):
        group = name.group if name.kind == "value" and name.group != "value" else "name"
        groups.setdefault(group, []).append(name.text)
    return {group: tuple(dict.fromkeys(texts)) for group, texts in groups.items() if len(set(texts)) > 1}


def _is_symmetric(text: str, form: Form) -> bool:
    """All neighbouring names are joined by "and", "or", "between"."""
    words = [t.word for t in tokenize(text)]
    names = [m for m in form.names if m.kind in {"value", "entity", "capital"}]
    return all(_joined(words, left, right) for left, right in pairwise(names))


def _joined(words: list[str], left: Mention, right: Mention) -> bool:
    between = [
        w
        for w in words[left.end : right.start]
        if w not in {"o", "a", "os", "as", "the", "de", "do", "da", "of"}
    ]
    return all(_SYMMETRIC.match(word) for word in between)


def _same_words(a: str, b: str, evidence: tuple[str, ...]) -> bool:
    """No topic word on one side only; swapped words must not both be words of the evidence.

    "prazo de troca" and "prazo de devolução" are two questions where the documents know both words, and one
    question where they know only one.
    """
    only_a, only_b = _unmatched(a, b), _unmatched(b, a)
    if bool(only_a) != bool(only_b):
        return False
    if not only_a or not evidence:
        return True
    known = {term for text in evidence for term in _terms(text)}
    return not (any(known & set(t.sure) for t in only_a) and any(known & set(t.sure) for t in only_b))


def _unmatched(a: str, b: str) -> tuple[Term, ...]:
    there = {term for token in question_tokens(_plain(b)) for term in token.sure}
    return tuple(t for t in question_tokens(_plain(a)) if not there & set(t.sure) and _is_topic(t))


def _plain(text: str) -> str:
    """Contractions and chat spellings written out: "what's" holds no word that "what is" lacks."""
    return " ".join(t.word for t in tokenize(text))


def _is_topic(term: Term) -> bool:
    word = term.surface
    quantity = term.kind != "word" or word in MONTHS or bool(numbers_of(tokenize(word)))
    return not quantity and word not in _FRAME | _ASKING


@lru_cache(maxsize=2048)
def _terms(text: str) -> frozenset[str]:
    return frozenset(term for token in tokens(text) for term in token.sure)
