"""Why an answer is what it is, in words, bars and sums. The same inputs give the same bytes: no clock, no trace id."""

from collections.abc import Sequence

from core.answer.abstain import as_typed
from core.evidence import Evidence, Signal
from core.harmless import harmless
from core.types import Answer, CacheVerdict, Clause, Language, RouteScore

WIDTH = 10  # characters of a bar
_FULL, _EMPTY = "█", "░"

_WORDS: dict[str, tuple[str, str]] = {  # (Portuguese, English)
    "relational": ("nas tabelas", "the tables"),
    "text": ("nos textos", "the texts"),
    "graph": ("nas relações entre documentos", "the relations between documents"),
    "searched": ("Procurei {stores}", "I searched {stores}"),
    "and": ("e", "and"),
    "answered": ("e respondi com {n} fonte(s)", "and answered from {n} source(s)"),
    "abstained": ("e não encontrei evidência suficiente para responder", "and found too little evidence to answer"),
    "by_model": ("em texto escrito pelo modelo e conferido", "in words written by the model and checked"),
    "by_arithmetic": ("sem modelo de linguagem", "without a language model"),
    "no_clauses": ("Respondido sem busca.", "Answered without a search."),
    "understood": ("Entendido como: “{text}”", "Understood as: “{text}”"),
    "clauses": ("Perguntas na mensagem: {n}", "Questions in the message: {n}"),
    "clause": ("Pergunta {n}: “{text}”", "Question {n}: “{text}”"),
    "stage": ("Etapa: {stage}. Motivo: {reason}", "Stage: {stage}. Reason: {reason}"),
    "heuristic": ("forma do texto", "shape of the text"),
    "cosine": ("semelhança com exemplos", "similarity to examples"),
    "evidence": ("evidência de cada acervo", "evidence of each store"),
    "fallback": ("padrão", "fallback"),
    "margin": ("Margem: {margin:.2f}", "Margin: {margin:.2f}"),
    "limits": ("limites: {limits}", "thresholds: {limits}"),
    "points": ("Evidência: {score:.2f} de {threshold:.2f} necessários", "Evidence: {score:.2f} of {threshold:.2f} needed"),
    "enough": ("suficiente", "enough"),
    "weak": ("insuficiente", "not enough"),
    "rows": ("Evidência: linhas de uma consulta confiável", "Evidence: rows of a confident query"),
    "missing": ("Sem menção: {words}", "Not mentioned: {words}"),
    "found": ("Encontrado: {counts}", "Found: {counts}"),
    "failed": ("falhou", "failed"),
    "cache": ("Cache: {verdict}", "Cache: {verdict}"),
    "exact": ("resposta repetida da mesma pergunta", "repeated from the same question"),
    "paraphrase": ("resposta repetida de uma pergunta equivalente", "repeated from an equivalent question"),
    "miss": ("nada guardado serve", "nothing kept fits"),
    "bypass": ("não consultado", "not consulted"),
    "degraded": ("Atenção: {text}", "Degraded: {text}"),
    "note": ("Nota: {text}", "Note: {text}"),
    "timings": ("Tempos (ms): {laps}", "Timings (ms): {laps}"),
    "trace": ("Rastro: {id}", "Trace: {id}"),
    "kin": ("Palavras de sentido próximo: {pairs}", "Words near in meaning: {pairs}"),
    # --- points of the evidence ---
    "near": ("proximidade", "nearness"),
    "lead": ("destaque", "lead"),
    "cover": ("cobertura do assunto", "topic covered"),
    "together": ("dito numa só frase", "said in one sentence"),
    "other": ("outra coisa em seu lugar", "something else in its place"),
    "absent": ("assunto ausente", "topic missing"),
    "focus": ("o que se pergunta não aparece", "what is asked about does not occur"),
    "kind": ("valor pedido longe do assunto", "asked value far from topic"),
    "code": ("código desconhecido", "unknown code"),
    "plan": ("plano", "plan"),
}  # fmt: skip
_POINT_NAMES = {"missing": "absent", "exact": "code"}


def _say(name: str, language: Language, **facts: object) -> str:
    return _WORDS[name][0 if language == "pt" else 1].format(**facts)


def explain(answer: Answer, evidence: Sequence[Evidence], *, language: Language) -> str:
    """The explanation behind the fold: one plain sentence, then every step with its numbers.

    Args:
        answer: finished but for its explanation; its timings and trace id are not looked at.
        evidence: one per clause, in order.
        language: of the reader.
    """
    lines = [_sentence(answer, language)]
    if answer.understood_as:
        lines.append(_say("understood", language, text=answer.understood_as))
    if len(answer.clauses) > 1:
        lines.append(_say("clauses", language, n=len(answer.clauses)))
    for number, clause in enumerate(answer.clauses, start=1):
        if len(answer.clauses) > 1:
            lines.append(_say("clause", language, n=number, text=clause.text))
        lines += _routing(clause, language)
        lines += [line for one in evidence if one.number == number - 1 for line in _weighing(one, language)]
    lines.append(cache_line(answer.cache, language))
    lines += [_say("degraded", language, text=reason) for reason in answer.degraded]
    lines += [_say("note", language, text=note) for note in answer.notes]
    return harmless("\n".join(lines))


def _sentence(answer: Answer, language: Language) -> str:
    """What was done, in one sentence."""
    if not answer.clauses:
        return _say("no_clauses", language)
    routes = dict.fromkeys(route for clause in answer.clauses for route in clause.decision.routes)
    stores = [_say(route, language) if route in _WORDS else route for route in routes]
    joined = f" {_say('and', language)} ".join(
        [", ".join(stores[:-1]), stores[-1]] if len(stores) > 1 else stores
    )
    searched = _say("searched", language, stores=joined)
    if answer.abstained:
        return f"{searched} {_say('abstained', language)}."
    how = _say("by_model" if answer.by_model else "by_arithmetic", language)
    return f"{searched} {_say('answered', language, n=len(answer.sources))}, {how}."


def _routing(clause: Clause, language: Language) -> list[str]:
    decision = clause.decision
    width = max((len(score.route) for score in decision.scores), default=0)
    stage = _say("stage", language, stage=_say(decision.stage, language), reason=decision.reason)
    lines = [
        stage,
        *(score_line(score, width, chosen=score.route in decision.routes) for score in decision.scores),
    ]
    margin = _say("margin", language, margin=decision.margin)
    limits = ", ".join(f"{name} {value:.2f}" for name, value in decision.thresholds)
    lines.append(f"{margin} ({_say('limits', language, limits=limits)})" if limits else margin)
    counts = [
        f"{name} {_say('failed', language) if found.failed else len(found.passages)}"
        + (f" ({found.note})" if found.note else "")
        for name, found in sorted(clause.found.items())
    ]
    return [*lines, *([_say("found", language, counts=", ".join(counts))] if counts else [])]


def score_line(score: RouteScore, width: int, *, chosen: bool) -> str:
    """One route with its bar: `relational ████████░░ 0.82`; the chosen ones are marked."""
    mark = " ←" if chosen else ""
    best = f"  {score.best}" if score.best else ""
    return f"{score.route.ljust(width)} {bar(score.score)} {score.score:.2f}{mark}{best}"


def bar(value: float) -> str:
    """A value in [0, 1] as ten characters; what lies outside is cut."""
    full = min(WIDTH, max(0, round(value * WIDTH)))
    return _FULL * full + _EMPTY * (WIDTH - full)


def _weighing(evidence: Evidence, language: Language) -> list[str]:
    verdict = evidence.verdict
    points = "; ".join(_point(signal, language) for signal in verdict.signals if signal.points)
    if verdict.reason == "rows":
        return [f"{_say('rows', language)} ({points})." if points else f"{_say('rows', language)}."]
    state = _say("weak" if verdict.weak else "enough", language)
    sums = _say("points", language, score=verdict.score, threshold=verdict.threshold)
    lines = [f"{sums}: {state}" + (f" ({points})" if points else "")]
    if evidence.kin.of:
        pairs = (
            f"“{word}” ~ “{near[0].word}” {near[0].degree:.2f}"
            for word, near in sorted(evidence.kin.of.items())
        )
        lines.append(_say("kin", language, pairs=", ".join(pairs)))
    if verdict.missing:
        words = dict.fromkeys(as_typed(evidence.clause.text, word) for word in verdict.missing)
        lines.append(_say("missing", language, words=", ".join(words)))
    return lines


def _point(signal: Signal, language: Language) -> str:
    name = _POINT_NAMES.get(signal.name, signal.name)
    word = _say(name, language) if name in _WORDS else name
    return f"{word} {signal.value:.2f} → {signal.points:+.2f}"


def cache_line(verdict: CacheVerdict, language: Language) -> str:
    """What the answer cache had to do with it."""
    return _say("cache", language, verdict=_say(verdict, language))


def with_cache(explanation: str, verdict: CacheVerdict, language: Language) -> str:
    """The explanation of a kept answer, with the line on the cache saying how it was served this time."""
    start = _say("cache", language, verdict="")
    lines = [
        cache_line(verdict, language) if line.startswith(start) else line for line in explanation.split("\n")
    ]
    return "\n".join(lines)


def run_lines(answer: Answer, language: Language) -> str:
    """What differs from run to run, kept apart from the explanation: timings and the trace id."""
    laps = ", ".join(f"{name} {ms:.0f}" for name, ms in answer.timings_ms)
    timed = [_say("timings", language, laps=laps)] if laps else []
    return "\n".join([*timed, _say("trace", language, id=answer.trace_id)])
