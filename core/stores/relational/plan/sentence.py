"""A plan in words, in the question's language, and what had to be assumed to make it."""

from collections.abc import Iterable, Sequence

from core.format import format_value
from core.stores.relational.plan.model import Condition, Context, Grain, Having, Output, Plan, Ref
from core.types import Language, Value

_PT = {
    "sum": "soma de {}", "avg": "média de {}", "min": "menor {}", "max": "maior {}", "distinct": "número de {} diferentes",
    "rows": "número de linhas", "where": "onde", "and": "e", "or": "ou", "by": "por", "with": "com",
    "asc": "do menor para o maior {}", "desc": "do maior para o menor {}", "first": "os {} primeiros", "one": "o primeiro",
    "share": "percentual de {}", "difference": "diferença de {}", "without": "sem linhas em {}", "average": "a média de {}",
    "null": "vazio", "not null": "preenchido", "in": "em", "between": "entre", "every": "todos de", "like": "contém",
    "not like": "não contém", "not in": "fora de", "not between": "fora de", "top": "com {} {}", "each": "valores diferentes de",
    "day": "dia de {}", "month": "mês de {}", "year": "ano de {}", "from": "em {}",
}  # fmt: skip
_EN = {
    "sum": "sum of {}", "avg": "average of {}", "min": "lowest {}", "max": "highest {}", "distinct": "number of different {}",
    "rows": "number of rows", "where": "where", "and": "and", "or": "or", "by": "by", "with": "with",
    "asc": "lowest {} first", "desc": "highest {} first", "first": "first {}", "one": "the first one",
    "share": "percentage of {}", "difference": "difference of {}", "without": "without rows in {}", "average": "the average {}",
    "null": "empty", "not null": "filled", "in": "in", "between": "between", "every": "all of", "like": "contains",
    "not like": "does not contain", "not in": "not in", "not between": "not between", "top": "with {} {}",
    "each": "different values of", "day": "day of {}", "month": "month of {}", "year": "year of {}", "from": "in {}",
}  # fmt: skip
_ASSUMED = {
    "amounts added up": "os valores foram somados",
    "added up by group": "os valores foram somados por grupo",
    "averaged by group": "foi tirada a média por grupo",
    "count read as a sum": "a contagem foi lida como soma",
    "the table's main amount": "usei a única coluna de valor da tabela",
    "ranked by the table's main amount": "classifiquei pela coluna de valor da tabela",
    "ranked by a count of rows": "classifiquei pelo número de linhas",
    "ranked by a count": "classifiquei por uma contagem",
    "how many rows is not said": "mostro os cinco primeiros",
    "several date columns": "há mais de uma coluna de data; usei a primeira",
    "value occurs in several columns": "o valor aparece em mais de uma coluna",
    "several values hold these words": "mais de um valor contém essas palavras",
    "comparison without a column": "comparei com a única coluna de valor",
    "the first column in money": "usei a primeira coluna em dinheiro",
    "share of the rows": "percentual do número de linhas",
    "different values counted": "contei valores diferentes",
    "compared with the other amount in the same unit": "comparei com a outra coluna na mesma unidade",
    "difference of sums": "diferença entre as somas",
}


def plan_sentence(plan: Plan, context: Context, language: Language) -> str:
    """ "soma de Receita (R$) onde Região = Sudeste e Data: abril de 2026, por Produto"."""
    return _Speaker(context, language).say(plan)


def assumptions(guesses: Sequence[str], language: Language) -> str:
    """What was assumed, for the explanation; guesses that only lower the confidence are not worth a reader's time."""
    told = [guess for guess in dict.fromkeys(guesses) if guess in _ASSUMED]
    return "; ".join(_ASSUMED[guess] if language == "pt" else guess for guess in told)


class _Speaker:
    """The words of one language over one context."""

    def __init__(self, context: Context, language: Language) -> None:
        self.context = context
        self.language: Language = language
        self.words = _PT if language == "pt" else _EN

    def say(self, plan: Plan) -> str:
        parts = [self._head(plan), self._conditions(plan), self._tail(plan)]
        return " ".join(part for part in parts if part)

    def _head(self, plan: Plan) -> str:
        shown = plan.outputs
        if plan.special == "share":
            return self.words["share"].format(self.output(plan.outputs[-1]))
        if plan.special == "difference":
            return self.words["difference"].format(self._list(self.output(output) for output in shown))
        named = [output for output in shown if output not in plan.group] or list(shown)
        listed = self._list(self.output(output) for output in named)
        return f"{self.words['each']} {listed}" if plan.distinct else listed

    def output(self, output: Output) -> str:
        if output.ref is None:
            return self.words["rows"]
        name = self._name(output.ref)
        if output.grain:
            return self.words[output.grain].format(name)
        return self.words[output.aggregate].format(name) if output.aggregate in self.words else name

    def _name(self, ref: Ref) -> str:
        column = self.context.column(ref)
        return column.name or column.key

    def _conditions(self, plan: Plan) -> str:
        clauses = [self._clause(clause) for clause in plan.where]
        joint = f" {self.words['or' if plan.special == 'difference' else 'and']} "
        said = f"{self.words['where']} {joint.join(clauses)}" if clauses else ""
        if plan.without is not None:
            inner = f" {self.words['and']} ".join(self._clause(clause) for clause in plan.without)
            gone = self.words["without"].format(self.context.tables[0].name)
            said = " ".join(
                part for part in (said, gone, f"{self.words['where']} {inner}" if inner else "") if part
            )
        return said

    def _clause(self, clause: Sequence[Condition]) -> str:
        return f" {self.words['or']} ".join(self._condition(condition) for condition in clause)

    def _condition(self, condition: Condition) -> str:
        name = self._name(condition.ref)
        if condition.words:
            return f"{name}: {condition.words}"
        if condition.average:
            return f"{name} {condition.op} {self.words['average'].format(name)}"
        if condition.other is not None:
            return f"{name} {condition.op} {self._name(condition.other)}"
        if condition.top is not None:
            ref, descending, _ = condition.top
            return (
                self.words["top"]
                .format(self.words["max" if descending else "min"].format(self._name(ref)), "")
                .strip()
            )
        if condition.op in ("null", "not null"):
            return f"{name} {self.words[condition.op]}"
        return f"{name} {self._comparison(condition.op, condition.values, condition.ref)}"

    def _comparison(self, op: str, values: Sequence[Value], ref: Ref | None) -> str:
        unit = self.context.column(ref).unit if ref is not None else ""
        shown = [
            format_value(value, unit, self.language).strip("%" if op.endswith("like") else "")
            for value in values
        ]
        if op in ("between", "not between") and len(shown) == 2:
            return f"{self.words[op]} {shown[0]} {self.words['and']} {shown[1]}"
        word = self.words.get(op, op)
        return f"{word} {', '.join(shown)}"

    def _tail(self, plan: Plan) -> str:
        said = []
        groups = [output for output in plan.group if output in plan.outputs]
        if groups:
            said.append(f"{self.words['by']} {self._list(self.output(output) for output in groups)}")
        if plan.having:
            said.append(f"{self.words['with']} {self._list(self._having(having) for having in plan.having)}")
        for output, descending in plan.order[:1]:
            said.append(self.words["desc" if descending else "asc"].format(self.output(output)))
        if plan.limit is not None:
            said.append(self.words["one"] if plan.limit == 1 else self.words["first"].format(plan.limit))
        return ", ".join(said)

    def _having(self, having: Having) -> str:
        return f"{self.output(having.output)} {self._comparison(having.op, having.values, having.output.ref)}"

    def _list(self, parts: Iterable[str]) -> str:
        return ", ".join(parts)


__all__ = ["Grain", "assumptions", "plan_sentence"]
