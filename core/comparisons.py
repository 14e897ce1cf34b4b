"""Comparisons by grammar: "compare X with Y" asks for X and for Y, each searched with its own text."""

import re
from dataclasses import dataclass

from core.lexicon import INTERROGATIVES, MONTHS
from core.quantities import codes_of, dates_of, numbers_of
from core.tokens import flat, is_content, tokenize

MOST = 4  # compared things; more would be a listing


@dataclass(frozen=True, slots=True)
class Comparison:
    """The compared things, in order; each can be searched on its own."""

    things: tuple[str, ...]


_VERB = re.compile(
    r"\b(?:compare|compara|compares|comparar|comparando|comparing|contrast|contraste)\b(?: entre si)?(?: (?:para mim|pra mim|me))? (?P<items>.+)"
)
_VERSUS = re.compile(r"^(?P<a>.+?) (?:vs\.?|versus) (?P<b>[^:]+)")
# Each pattern captures what is compared as `items`, or one thing each as `a` and `b`. Matched on folded text.
_THEN = re.compile(
    r"^(?P<items>.+? (?:e|and|ou|or|vs|x|versus) .+?)[:,-] ?(?:compare|compara|comparar|comparando)\b(?P<aspect>.*)$"
)
_PATTERNS = (
    _THEN,
    _VERB,
    re.compile(r"\b(?:comparacao|comparativo|paralelo|comparison|contrast)(?: \w+)? (?:entre|de|do|da|between|of) (?P<items>.+)"),
    re.compile(r"\b(?:diferencas?|differences?|distinction|distincao|semelhancas?|similarities|similarity) (?:que ha |que existe |basica |principal )?(?:entre|between|among) (?P<items>.+)"),
    re.compile(r"\b(?:muda|mudou|mudam|changes|changed|distingue) (?:entre|between|from) (?P<items>.+)"),
    re.compile(r"\bhow (?:do|does|did|is|are) (?P<a>.+?) (?:differ(?:ent)?(?: from| to)?|compare[ds]?(?: to| with| against)?|stack up against) (?P<b>.+)"),
    re.compile(r"\b(?:em que|como|no que) (?P<a>.+?) (?:difere[m]?|se diferencia|e diferente|se compara) (?:de|do|da|dos|das|com|ao|a|com o|com a) (?P<b>.+)"),
    re.compile(r"\bwhat (?:do|does) (?P<items>.+? and .+?) have in common"),
    re.compile(r"\bo que (?P<items>.+? e .+?) (?:tem|teem|possuem) em comum"),
    re.compile(r"\bwhat (?:distinguishes|separates|sets apart) (?P<a>.+?) from (?P<b>.+)"),
    re.compile(r"\b(?:o que|que) (?:distingue|diferencia|separa) (?P<a>.+?) (?:de|do|da|dos|das) (?P<b>.+)"),
    re.compile(r"^(?P<items>.+? (?:e|and|ou|or|vs|x|versus) .+?)[,:?.-]* (?:qual|quais|what|o que|que)\b.*\b(?:diferencas?|differences?|muda|distingue)$"),
    re.compile(r"^(?P<a>[^\W\d][\w-]*(?: [^\W\d][\w-]*){0,5}) x (?P<b>[^\W\d][\w-]*(?: [^\W\d][\w-]*){0,5})$"),
    _VERSUS,
)  # fmt: skip
_WITH = re.compile(r"\s+(?:com|with|to|against|versus|vs\.?|x|e com|and with|frente a|contra)\s+")
_LIST = re.compile(r"\s*,\s*(?!(?:19|20)\d\d\b)(?:e|and|ou|or)?\s*(?=\S)|\s+(?:e|and|ou|or)\s+")
_ASPECT = re.compile(
    r",? (?:on|about|regarding|concerning|in terms of|with respect to|with regard to|when it comes to|sobre|quanto a[os]?|"
    r"em relacao a[os]?|no que diz respeito a|em termos de|no quesito|a respeito de|in|em|no|na|during|durante|for me|pra mim|para mim|please|por favor) .+$"
)
_COURTESY = re.compile(r",? (?:for me|pra mim|para mim|please|por favor|thanks|obrigad[oa])$")
_DEGREE = (
    r"\b(?:maior|menor|melhor|pior|mais|menos|more|less|better|worse|best|worst|longer|shorter|higher|lower|bigger|smaller|"
    r"larger|cheaper|faster|slower|older|newer|earlier|later|stricter|heavier|lighter|stronger|safer|greater|fewer|longest|"
    r"highest|lowest)\b"
)
_WHICH = re.compile(
    rf"^(?P<ask>.*?\b(?:qual|quais|quem|which|who|what)\b.*?{_DEGREE}.*?)"
    r"(?:(?:[,:]| -) (?P<items>.+? (?:ou|or) .+)|(?: entre| between) (?P<pair>.+? (?:ou|or|e|and) .+))$"
)
_WHICH_LAST = re.compile(
    rf"^(?:entre |between )?(?P<items>.+? (?:ou|or|e|and) .+?)[,:?] (?P<ask>(?:qual|quais|quem|which|who|what)\b.*{_DEGREE}.*)$"
)
_HEAD = re.compile(
    r"\b(?:qual|quais|which|what)(?: e| sao| is| are)?(?: o| a| the)? (?P<head>.+?) (?:e|sao|is|are|has|have|tem|lasts?|dura|custa|costs?|vence|was|were|foi)\b"
)
_ONE = re.compile(
    r"^(?:o|a|os|as|the one|the ones|that|those)(?= (?:de|do|da|dos|das|em|no|na|para|of|for|in|from|with|com)\b)"
)
_ARTICLE = re.compile(r"^(?:o|a|os|as|um|uma|the|an|ao|aos|do|da|dos|das|de|both|ambos)\s+")
_PREPOSITION = re.compile(r"^(?:de|do|da|dos|das|em|no|na|nos|nas|para|pelo|pela|por|of|for|in|from|on|at)\b")
_EXTREMES = re.compile(
    r"^(?:the |o |a )?(?:min\w*|max\w*|highest|lowest|largest|smallest|maior|menor|first|last|primeir\w|ultim\w|oldest|youngest|media|average|top)\b"
)
_OTHERS = re.compile(
    r"^(?:the |os |as )?(?:other|others|outr\w+|demais|rest|same|mesm\w|previous|anterior\w*)\b"
)
_BY = re.compile(r"\b(?:por|by|per)\b")


def comparison(text: str) -> Comparison | None:
    """What a question compares, or None.

    One measure of two values is one question ("which sold more, north or south?", "difference in sales between 2023
    and 2024"): a table answers it at once.
    """
    shape = flat(text)
    end = len(shape.rstrip(" ?!.;,"))
    for pattern in _PATTERNS:
        match = pattern.search(shape[:end])
        if match and not _asked_before(shape, match):
            things = _things(text, shape, match)
            return Comparison(things) if things else None
    return _which(text, shape, end)


def _asked_before(shape: str, match: re.Match[str]) -> bool:
    """ "how do I compare two files": the comparison is what is done, not what is asked."""
    before = shape[: match.start()] if match.re is not _VERSUS else match.group("a")
    verb = match.re in (_VERB, _VERSUS)
    return verb and any(word in INTERROGATIVES or word in {"que", "if", "se"} for word in before.split())


def _things(text: str, shape: str, match: re.Match[str]) -> tuple[str, ...]:
    groups = match.groupdict()
    spans = [match.span("a"), match.span("b")] if groups.get("a") else _split(shape, *match.span("items"))
    if len(spans) < 2 or any(_EXTREMES.match(shape[a:b]) or _OTHERS.match(shape[a:b]) for a, b in spans):
        return ()
    if match.re is not _VERB and _are_values([text[a:b] for a, b in spans]):
        return ()
    (first_a, first_b), (last_a, last_b) = spans[0], spans[-1]
    grouped = _BY.search(shape[first_a:first_b])
    if grouped and len(shape[last_a:last_b].split()) <= 2 and not _ARTICLE.match(shape[last_a:last_b]):
        return ()  # "compare sales by month and region": the "and" joins what it is grouped by
    aspect = text[slice(*match.span("aspect"))].rstrip() if groups.get("aspect") else ""
    return _complete([text[a:b].strip(" ,") + aspect for a, b in spans])


def _are_values(items: list[str]) -> bool:
    """Years, months, numbers and codes, and nothing else: cells of one table."""
    return all(
        all(
            dates_of((t,)) or numbers_of((t,)) or codes_of((t,)) for t in tokenize(item) if is_content(t.word)
        )
        for item in items
    )


def _split(shape: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the listed things: at "with" if it is there, else at commas and "and"."""
    tail = _COURTESY.search(shape[start:end])
    end = start + tail.start() if tail else end
    marks = list(_WITH.finditer(shape, start, end))[:1] or [
        m for m in _LIST.finditer(shape, start, end) if shape[m.end() : end].strip()
    ]
    edges = [start, *(edge for m in marks[: MOST - 1] for edge in (m.start(), m.end())), end]
    return [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if shape[a:b].strip()]


def _complete(items: list[str]) -> tuple[str, ...]:
    """Give each thing what the list left out: a shared head, a shared aspect."""
    aspect = _ASPECT.search(flat(items[-1]))
    if aspect and aspect.start() > 0 and not any(_ASPECT.search(flat(item)) for item in items[:-1]):
        shared = items[-1][aspect.start() :].rstrip()
        items = [*(item + shared for item in items[:-1]), items[-1]]
    whole = [items[0]]
    for item in items[1:]:
        whole.append(_with_head(whole[0], item))
    return tuple(_bare(item) for item in _modifiers(whole))


def _bare(item: str) -> str:
    """A leading article says nothing to a search."""
    match = _ARTICLE.match(flat(item))
    return item[match.end() :] if match else item


def _with_head(first: str, item: str) -> str:
    """ "a de licença" beside "a política de férias" is "política de licença"."""
    bare = _ONE.sub("", flat(item)).strip()
    offset = len(item) - len(bare) if flat(item).endswith(bare) else 0
    if not _PREPOSITION.match(bare):
        return item
    preposition, _, rest = bare.partition(" ")
    places = [
        m.start()
        for m in re.finditer(
            r"\b(?:de|do|da|dos|das|em|no|na|nos|nas|para|pelo|pela|por|of|for|in|from|on|at)\b", flat(first)
        )
    ]
    if not places or places[0] == 0:
        return item
    same_noun = [p for p in places if flat(first)[p:].split()[1:2] == rest.split()[:1]]
    of = {"de", "do", "da", "dos", "das", "of"}
    alike = of if preposition in of else {preposition}
    same_word = [p for p in places if flat(first)[p:].split()[0] in alike]
    deep = len(re.findall(r"\b(?:de|do|da|dos|das|of|for)\b", bare))
    place = (
        same_noun[-1]
        if same_noun
        else same_word[-deep]
        if len(same_word) >= deep > 0
        else places[-min(max(deep, 1), len(places))]
    )
    return f"{first[:place].rstrip()} {item[offset:]}"


def _modifiers(items: list[str]) -> list[str]:
    """English lists put the head last: "nursery, primary and secondary school rules"."""
    last = _bare(items[-1]).split()
    bare = [_bare(item) for item in items[:-1]]
    english = re.search(r"\b(?:de|do|da|dos|das)\b", flat(" ".join(items))) is None
    short = all(len(item.split()) == 1 and flat(item) not in MONTHS for item in bare)
    if (
        not english
        or not short
        or len(last) < 2
        or _PREPOSITION.match(flat(last[1]))
        or last[-1][:1].isupper()
    ):
        return items
    return [*(f"{item} {' '.join(last[1:])}" for item in bare), items[-1]]


def _which(text: str, shape: str, end: int) -> Comparison | None:
    """ "which period is longer, the one for tenants or the one for landlords?": two things with articles of their own."""
    match = _WHICH.match(shape[:end]) or _WHICH_LAST.match(shape[:end])
    if not match:
        return None
    named = next(name for name in ("items", "pair") if match.groupdict().get(name))
    items = [text[a:b].strip(" ,") for a, b in _split(shape, *match.span(named))]
    if len(items) < 2 or not all(len(item.split()) > 2 or _ONE.match(flat(item)) for item in items):
        return None
    head = _HEAD.search(match.group("ask"))
    noun = text[slice(*(at + match.start("ask") for at in head.span("head")))] if head else ""
    return Comparison(_complete([_named(item, noun) for item in items]))


def _named(item: str, noun: str) -> str:
    """ "the one for tenants" with the noun that was asked about: "notice period for tenants"."""
    match = _ONE.match(flat(item))
    return noun + item[match.end() :] if match and noun else item
