"""The output rule of the guard: every figure shown was stored or counted, none was written by the query.

Allowed: stored columns, counts, aggregates and arithmetic of them. A literal may only be a factor from a short
list (percent, thousands, months), a rounding digit, a substring position, or the 1 and 0 of a conditional count.
"""

from sqlglot import exp

from core.errors import SqlRefused

_FACTORS = frozenset([1.0, 12.0, 24.0, 60.0, 100.0, 1000.0])
_DATE_FORMATS = frozenset(["%Y", "%m", "%d", "%Y-%m", "%Y-%m-%d", "%H", "%w"])
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Like, exp.In, exp.Between, exp.Is)
_AGGREGATES = (exp.Sum, exp.Avg, exp.Min, exp.Max)
_WRAPPERS = (exp.Abs, exp.Lower, exp.Upper, exp.Length, exp.Trim, exp.Cast, exp.Neg, exp.Paren)


def check_outputs(tree: exp.Query) -> None:
    """Check every SELECT of the statement, however deep; only `EXISTS (SELECT 1 ...)` may select a one.

    Raises: SqlRefused naming the rule "constant".
    """
    placed = {
        projection.alias_or_name
        for select in tree.find_all(exp.Select)
        for projection in select.selects
        if projection.find(exp.Window) is not None
    }
    for select in tree.find_all(exp.Select):
        if isinstance(select.parent, exp.Exists):
            continue
        if not select.selects:
            raise SqlRefused("constant: nothing selected")
        for projection in select.selects:
            output = projection.unalias()
            if isinstance(output, exp.Window) and isinstance(select.parent, exp.Subquery):
                continue  # a place to cut by
            if any(column.name in placed for column in output.find_all(exp.Column)):
                raise _no("a place")
            _stored(output)
            _one_factor(output)


def _no(what: str) -> SqlRefused:
    return SqlRefused(f"constant: {what}")


def _one_factor(output: exp.Expr) -> None:
    factors = [
        literal
        for literal in output.find_all(exp.Literal)
        if isinstance(literal.parent, exp.Mul | exp.Div)
        and literal.find_ancestor(exp.Select) is _home(output)
    ]
    if len(factors) > 1:
        raise _no("several factors")


def _home(output: exp.Expr) -> exp.Select | None:
    return output.find_ancestor(exp.Select)


def _stored(node: exp.Expr, *, counting: bool = False) -> None:
    """Refuse an expression that is not made of stored columns or counts.

    Args:
        node: an output expression or a part of one.
        counting: inside SUM or AVG, where CASE may give 1 and 0.
    """
    if isinstance(node, exp.Column):
        return
    if isinstance(node, exp.Count):
        _counted(node)
    elif isinstance(node, _AGGREGATES):
        if node.args.get("expressions"):
            raise _no("several arguments")
        _stored(_undistinct(node.this), counting=isinstance(node, exp.Sum | exp.Avg))
    elif isinstance(node, _WRAPPERS):
        if isinstance(node, exp.Trim) and node.args.get("expression"):
            raise _no("trim set")
        _stored(node.this, counting=counting)
    elif isinstance(node, exp.Round):
        _stored(node.this, counting=counting)
        _small(node.args.get("decimals"), 6)
    elif isinstance(node, exp.Substring):
        _stored(node.this)
        _small(node.args.get("start"), 200)
        _small(node.args.get("length"), 200)
    elif isinstance(node, exp.TimeToStr):
        if node.args["format"].name not in _DATE_FORMATS:
            raise _no("date format")
        _stored(node.this)
    elif isinstance(node, exp.TsOrDsToTimestamp):
        _stored(node.this)
    elif isinstance(node, exp.Coalesce):
        _or_zero([node.this, *node.expressions])
    elif isinstance(node, exp.Nullif):
        _or_zero([node.this, node.expression])
    elif isinstance(node, exp.Add | exp.Sub):
        _arithmetic(node)
    elif isinstance(node, exp.Mul | exp.Div):
        _scaled(node)
    elif isinstance(node, exp.Case | exp.If):
        _case(node, counting=counting)
    elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Select):
        return  # a SELECT of its own, checked by itself
    else:
        raise _no(type(node).__name__)


def _undistinct(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Distinct):
        if len(node.expressions) != 1:
            raise _no("DISTINCT list")
        first: exp.Expr = node.expressions[0]
        return first
    return node


def _counted(node: exp.Count) -> None:
    """COUNT(*), COUNT(column), COUNT(DISTINCT column, ...), COUNT(CASE ... THEN 1 END)."""
    inner = node.this
    if isinstance(inner, exp.Star):
        return
    parts = inner.expressions if isinstance(inner, exp.Distinct) else [inner]
    for part in parts:
        _stored(part, counting=True)


def _small(node: exp.Expr | None, largest: int) -> None:
    if node is None:
        return
    bare = node.this if isinstance(node, exp.Neg) else node
    if not (isinstance(bare, exp.Literal) and bare.name.isdigit() and int(bare.name) <= largest):
        raise _no("number argument")


def _or_zero(parts: list[exp.Expr]) -> None:
    for position, part in enumerate(parts):
        zero = isinstance(part, exp.Literal) and not part.is_string and part.name in ("0", "0.0")
        if not (zero and position):
            _stored(part)


def _arithmetic(node: exp.Binary) -> None:
    _stored(node.left)
    _stored(node.right)
    if isinstance(node, exp.Sub) and node.left.unnest() == node.right.unnest():
        raise _no("a value minus itself")


def _scaled(node: exp.Binary) -> None:
    if _factor(node.left) and isinstance(node, exp.Mul):
        _stored(node.right)
    elif _factor(node.right):
        _stored(node.left)
    else:
        _stored(node.left)
        _stored(node.right)
        if isinstance(node, exp.Div) and node.left.unnest() == node.right.unnest():
            raise _no("a value by itself")


def _factor(node: exp.Expr) -> bool:
    bare = node.unnest()
    if not isinstance(bare, exp.Literal) or bare.is_string:
        return False
    if float(bare.name) not in _FACTORS:
        raise _no("number")
    return True


def _case(node: exp.Case | exp.If, *, counting: bool) -> None:
    branches = list(node.args.get("ifs") or []) if isinstance(node, exp.Case) else [node]
    results = [branch.args.get("true") for branch in branches]
    default = node.args.get("default") if isinstance(node, exp.Case) else node.args.get("false")
    for branch in branches:
        if branch.this.find(exp.Column) is None and not (isinstance(node, exp.Case) and node.this):
            raise _no("condition without a column")
    shown = [
        result for result in [*results, default] if result is not None and not isinstance(result, exp.Null)
    ]
    if not shown:
        raise _no("empty CASE")
    for result in shown:
        if not (
            counting
            and isinstance(result, exp.Literal)
            and result.name in ("0", "1")
            and not result.is_string
        ):
            _stored(result, counting=counting)
