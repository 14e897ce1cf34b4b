"""What a result column is called and measured in: from what the query reads, never from the query's own aliases."""

from dataclasses import dataclass

from sqlglot import exp

from core.stores.relational.catalog import NamedTable
from core.stores.relational.profile import ColumnProfile
from core.types import Language

_WORDS = {
    "pt": {
        "Sum": "soma de",
        "Avg": "média de",
        "Min": "mínimo de",
        "Max": "máximo de",
        "Count": "contagem",
        "Median": "mediana de",
    },
    "en": {
        "Sum": "sum of",
        "Avg": "average of",
        "Min": "minimum of",
        "Max": "maximum of",
        "Count": "count",
        "Median": "median of",
    },
}
_DISTINCT = {"pt": "distintos", "en": "distinct"}
_KEEPS_UNIT = (exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Abs, exp.Round, exp.Paren, exp.Neg, exp.Add, exp.Sub)


@dataclass(frozen=True, slots=True)
class Label:
    """The heading of a result column, its unit, and whether its cells are 0/1 booleans."""

    text: str
    unit: str = ""
    boolean: bool = False


def labels_of(
    outputs: tuple[exp.Expr, ...], tables: tuple[NamedTable, ...], language: Language
) -> tuple[Label, ...]:
    """One label an output; equal ones are numbered, so that a reader can tell them apart."""
    found = [_label(output, tables, language) for output in outputs]
    seen: dict[str, int] = {}
    unique: list[Label] = []
    for label in found:
        seen[label.text] = seen.get(label.text, 0) + 1
        number = seen[label.text]
        unique.append(label if number == 1 else Label(f"{label.text} ({number})", label.unit, label.boolean))
    return tuple(unique)


def _label(output: exp.Expr, tables: tuple[NamedTable, ...], language: Language) -> Label:
    if isinstance(output, exp.Column):
        column = _stored_column(output, tables)
        if column is not None:
            return Label(column.name or column.key, column.unit, column.type == "boolean")
        inner = _inner(output)
        return _label(inner, tables, language) if inner is not None else Label(output.name)
    return Label(_phrase(output, tables, language), _unit(output, tables))


def _phrase(output: exp.Expr, tables: tuple[NamedTable, ...], language: Language) -> str:
    words = _WORDS["pt" if language == "pt" else "en"]
    name = "Median" if _is_median(output) else type(output).__name__
    if isinstance(output, exp.Count):
        distinct = isinstance(output.this, exp.Distinct)
        inner = _names(output, tables)
        mark = f" {_DISTINCT['pt' if language == 'pt' else 'en']}" if distinct else ""
        return f"{words['Count']}{mark}{f' ({inner})' if inner else ''}"
    if name in words and isinstance(output.this, exp.Column):
        return f"{words[name]} {_label(output.this, tables, language).text}"
    if isinstance(output, exp.Paren | exp.Round | exp.Abs):
        return (
            _phrase(output.this, tables, language)
            if not isinstance(output.this, exp.Column)
            else _names(output, tables)
        )
    percent = any(literal.name in ("100", "100.0") for literal in output.find_all(exp.Literal))
    if percent and output.find(exp.Div):
        return "%"
    inner = _names(output, tables)
    symbol = {"Sub": "−", "Add": "+", "Div": "÷", "Mul": "×"}.get(name, "")
    if symbol and isinstance(output, exp.Binary):
        left, right = (
            _phrase_or_name(output.left, tables, language),
            _phrase_or_name(output.right, tables, language),
        )
        return f"{left} {symbol} {right}"
    return f"{words[name]} {inner}" if name in words else inner or name


def _is_median(output: exp.Expr) -> bool:
    """An average over the middle rows of a numbered SELECT."""
    if not isinstance(output, exp.Avg) or not isinstance(output.this, exp.Column):
        return False
    source = _source_of(output.this)
    return isinstance(source, exp.Subquery) and source.find(exp.RowNumber) is not None


def _phrase_or_name(node: exp.Expr, tables: tuple[NamedTable, ...], language: Language) -> str:
    return _label(node.unnest(), tables, language).text


def _names(output: exp.Expr, tables: tuple[NamedTable, ...]) -> str:
    names = []
    for column in output.find_all(exp.Column):
        stored = _stored_column(column, tables)
        names.append(stored.name if stored is not None else column.name)
    return ", ".join(dict.fromkeys(names))


def _unit(output: exp.Expr, tables: tuple[NamedTable, ...]) -> str:
    """The unit of the columns read, where the expression keeps it: a sum of money is money, a ratio is not."""
    if isinstance(output, exp.Column):
        return _label(output, tables, "und").unit
    if isinstance(output, _KEEPS_UNIT):
        parts = [output.left, output.right] if isinstance(output, exp.Binary) else [output.this]
        units = {_unit(part, tables) for part in parts}
        return units.pop() if len(units) == 1 else ""
    if isinstance(output, exp.Case):
        units = {_unit(branch.args["true"], tables) for branch in output.args.get("ifs") or []}
        return units.pop() if len(units) == 1 else ""
    if _label_is_percent(output):
        return "%"
    return ""


def _label_is_percent(output: exp.Expr) -> bool:
    return output.find(exp.Div) is not None and any(
        literal.name in ("100", "100.0") for literal in output.find_all(exp.Literal)
    )


def _stored_column(column: exp.Column, tables: tuple[NamedTable, ...]) -> ColumnProfile | None:
    source = _source_of(column)
    if isinstance(source, exp.Table):
        for table in tables:
            if table.name == source.name:
                return next((c for c in table.profile.columns if c.key.lower() == column.name), None)
    return None


def _source_of(column: exp.Column) -> exp.Expr | None:
    """The FROM or JOIN entry that a qualified column points to; a WITH name is followed to its SELECT."""
    select = column.find_ancestor(exp.Select)
    while select is not None:
        from_ = select.args.get("from") or select.args.get("from_")
        entries = [from_.this] if from_ is not None else []
        entries += [join.this for join in select.args.get("joins") or []]
        for entry in entries:
            if entry.alias_or_name == column.table:
                return _followed(entry)
        select = select.find_ancestor(exp.Select)
    return None


def _followed(entry: exp.Expr) -> exp.Expr:
    if isinstance(entry, exp.Table):
        for cte in entry.root().find_all(exp.CTE):
            if cte.alias == entry.name:
                found: exp.Expr = cte.this
                return found
    return entry


def _inner(column: exp.Column) -> exp.Expr | None:
    source = _source_of(column)
    query = source.this if isinstance(source, exp.Subquery) else source
    if isinstance(query, exp.Query) and not isinstance(query, exp.Table):
        for projection in query.selects:
            if projection.alias_or_name == column.name:
                return projection.unalias()
    return None
