"""What the router knows about a question, as named numbers: example phrases, form, and what each store found.

Every feature is in [0, 1] or near it, computed row by row from the view alone, so that a weight is readable: how much
a full feature speaks for a route.
"""

import math
import re
from collections.abc import Mapping

from core.forms import Form, read_form
from core.router.anchors import Anchors, HeadingIndex
from core.tokens import tokenize
from core.types import FloatArray, Found, Query, Route
from core.vectors import rounded
from core.vocabulary import NO_VOCABULARY, Vocabulary

Features = Mapping[str, float]

_KINDS = (
    "count",
    "how_much",
    "how_long",
    "who",
    "when",
    "where",
    "why",
    "how_to",
    "how",
    "define",
    "explain",
    "list",
    "yes_no",
    "what_if",
    "compare",
)
_AGGREGATES = ("sum", "average", "max", "min", "share", "growth", "rank", "group")
_CHAIN = re.compile(
    # "da oficina que mantém", "the team that owns", "the instrument used in": a thing known only by what it does
    r"\b(?:d[oa]s?|n[oa]s?|pel[oa]s?|[oa]s?|the|whose|cuj[oa]s?) (?:\w+ ){1,3}?"
    r"(?:(?:que|that|which|who|cuj[oa]s?|whose|where|onde|em que|n[oa] qual) \w+"
    r"|(?:containing|holding|using|running|making|managing|owning|leading|serving) (?:the |an? )?\w+"
    r"|(?:\w{2,}(?:ed|ad[oa]s?|id[oa]s?)|done|made|run|led|built|feit[oa]s?|don[oa]|owner|responsible|responsavel|in charge) "
    r"(?:in|by|for|with|to|n[oa]s?|em|por|pel[oa]s?|d[oa]s?|com|para|pra|of)\b)"
)
_RELATIONS = re.compile(
    # who and what hangs together with whom and what, in any organisation
    r"\b(?:respond\w+|report(?:a|am|s|ed)?|subordinad\w+|gerenci\w+|gere|geri\w+|coorden\w+|chefi\w+|chefe\w*|lider\w*|dirig\w+|diret\w+|supervis\w+|"
    r"comand\w+|mant(?:em|eve|inha|id[oa]s?|er)|fornec(?:e|em|eu|id[oa]s?|edor\w*)|aprov\w+|pertenc\w+|depend\w+|substitu\w+|atend(?:e|em|er|eu|id[oa]s?)|assin(?:a|am|ou|ad[oa]s?)|presid\w+|represent\w+|administr\w+|"
    r"fiscaliz\w+|patrocin\w+|contrat(?:a|am|ou|ad[oa]s?|ante)|orient\w+|sucess\w+|cuid\w+|oper(?:a|am|ad[oa]s?)|calibr\w+|abastec\w+|indic(?:a|ou|ad[oa]s?)|responsa\w+|acima|"
    r"manag\w+|lead\w*|led|head\w*|boss|own\w*|maintain\w*|suppl\w+|supervis\w+|belong\w*|represent\w*|replac\w+|cover\w*|runs?|"
    r"serv(?:e|es|ed|em)|answers?|audit\w*|approv\w+|sign\w*|responsible|charge|subsidiar\w+|parent|successor|above|founder|teach\w*|built|makes?|maker|stands? in)\b"
)
_RELATIVE = re.compile(r"(?<!\bo) \b(?:que|that|which|who|whose|cuj[oa]s?|onde|where|whom)\b")
_GENITIVE = re.compile(r"\b(?:de|do|da|dos|das|of)\b")
_POSSESSIVE = re.compile(r"\w['’]s\b|s['’](?=\s)")
_RULES = re.compile(
    r"\b(?:pode\w*|posso|dev[eo]\w*|precis[ao]\w*|permit\w+|obrigat\w+|proib\w+|regra\w*|politica\w*|prazo\w*|procedimento\w*|norma\w*"
    r"|can|may|must|should|allowed|required|need|policy|policies|rule|rules|procedure|deadline|happens?|acontece|fazer|faco|do i|do we)\b"
)


def features_of(
    query: Query,
    anchors: Anchors,
    found: Mapping[str, Found],
    headings: HeadingIndex,
    vocabulary: Vocabulary = NO_VOCABULARY,
) -> Features:
    """The features of a clause that are not 0. Those of a route are named "anchor.<route>" and "heading.<route>"."""
    values = dict(_shape(query.text, read_form(query.text, vocabulary)))
    values |= anchor_features(query.vector, anchors)
    if len(headings.matrix):
        values |= _near("heading", {s.route: s.score for s in headings.best(query.vector)}, anchors.scale)
    for store in sorted(found):
        values |= {f"{store}.{name}": _bounded(name, value) for name, value in found[store].signals}
        values[f"{store}.found"] = float(bool(found[store].passages))
    if "graph" in found and "text" in found:
        lead = found["graph"].signal("fact_top") - found["text"].signal("dense_top")
        values["graph.fact_lead"] = _cut(lead / anchors.scale)
    return {name: rounded(values[name]) for name in sorted(values) if values[name]}


def anchor_features(vector: FloatArray, anchors: Anchors) -> Features:
    """How near a question is to each route's example phrases, from its vector alone."""
    near = _near("anchor", {score.route: score.score for score in anchors.best(vector)}, anchors.scale)
    return {name: rounded(value) for name, value in near.items()}


def _shape(text: str, form: Form) -> Features:
    joined = " ".join(t.word for t in tokenize(text))
    values = {f"kind.{kind}": float(kind in form.kinds) for kind in _KINDS}
    values |= {f"asks.{name}": float(name in form.aggregates) for name in _AGGREGATES}
    relatives = len(_RELATIVE.findall(f" {joined}"))
    names = [m for m in form.names if m.kind in {"value", "entity", "capital"}]
    values |= {
        "form.bare": float(not form.kinds),  # a noun phrase, not a question
        "form.chain": float(bool(_CHAIN.search(joined))),
        "form.relatives": min(relatives, 3) / 3,
        "form.genitives": min(len(_GENITIVE.findall(joined)) + len(_POSSESSIVE.findall(text)), 4) / 4,
        "form.length": min(len(form.content), 10) / 10,
        "form.relations": min(len(_RELATIONS.findall(joined)), 3) / 3,
        "form.rules": float(bool(_RULES.search(joined))),
        "form.period": float(bool(form.dates)),
        "form.threshold": float(bool(form.comparisons) and bool(form.numbers)),
        "form.codes": min(len(form.codes), 2) / 2,
        "form.values": min(sum(m.kind == "value" for m in form.names), 3) / 3,
        "form.columns": min(sum(m.kind == "column" for m in form.names), 3) / 3,
        "form.entities": min(sum(m.kind == "entity" for m in form.names), 3) / 3,
        "form.names": min(len(names), 3) / 3,
    }
    return values


def _near(name: str, cosines: Mapping[Route, float], scale: float) -> dict[str, float]:
    """Each route's cosine against the mean of all routes, in the embedder's own measure."""
    mean = sum(cosines.values()) / len(cosines)
    return {f"{name}.{route}": _cut((cosine - mean) / scale) for route, cosine in cosines.items()}


def _cut(value: float) -> float:
    """Between -2 and 2: no single lead may drown everything else."""
    return max(-2.0, min(2.0, value))


_COUNTS = {"values": 3.0, "columns": 3.0, "entities": 3.0, "hops": 5.0, "codes": 2.0}
_UNBOUNDED = {"rows": 5.0, "lexical_top": 20.0, "fused_top": 6.0, "fused_gap": 2.0, "fused_gap10": 4.0}


def _bounded(name: str, value: float) -> float:
    """Counts and open-ended scores brought into [0, 1]."""
    if name in _COUNTS:
        return min(value, _COUNTS[name]) / _COUNTS[name]
    if name in _UNBOUNDED:
        return 1.0 - math.exp(-max(value, 0.0) / _UNBOUNDED[name])
    return value
