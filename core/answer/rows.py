"""A query result in words: one figure as a sentence, a few rows as a list, many as the first ones and a count."""

from core.answer.phrases import say
from core.format import format_value
from core.types import Language, SqlResult, Value

SHOWN = 10
_WIDE = 6  # columns shown in a list item


def rows_in_words(result: SqlResult, language: Language, mark: str) -> str:
    """The answer that a query result is.

    Args:
        result: at least one row.
        mark: the citation, such as "[1]".
    """
    label = _label(result, language)
    if len(result.rows) == 1 and len(result.columns) == 1:
        return f"{label}: **{_cell(result, 0, result.rows[0][0], language)}** {mark}."
    if len(result.rows) == 1:
        return f"{label}: {_pairs(result, result.rows[0], language)} {mark}."
    head = say(
        "rows", language, label=label, n=f"{len(result.rows)}{'+' if result.truncated else ''}", mark=mark
    )
    items = [f"- {_item(result, row, language)}" for row in result.rows[:SHOWN]]
    return "\n".join([head, *items, *_rest(result, language)])


def rows_as_text(result: SqlResult, language: Language, limit: int) -> str:
    """Rows for a prompt, one a line, values as the reader would write them."""
    lines = [_pairs(result, row, language, bold=False) for row in result.rows[:limit]]
    return "\n".join([*lines, *(_rest(result, language, limit))])


def _label(result: SqlResult, language: Language) -> str:
    """The plan in words; where the row itself names its columns, only what it was filtered by."""
    sentence = result.sentence.strip().rstrip(".:")
    if len(result.rows) == 1 and len(result.columns) > 1:
        sentence = sentence.removeprefix(", ".join(result.columns)).strip()
    if not sentence:
        sentence = result.columns[0] if len(result.columns) == 1 else say("result", language)
    return sentence[:1].upper() + sentence[1:]


def _rest(result: SqlResult, language: Language, shown: int = SHOWN) -> list[str]:
    if result.truncated:
        return [say("cut_rows", language)]
    hidden = len(result.rows) - shown
    return [say("more_rows", language, n=hidden)] if hidden > 0 else []


def _cell(result: SqlResult, at: int, value: Value, language: Language) -> str:
    unit = result.units[at] if at < len(result.units) else ""
    return format_value(value, unit, language)


def _pairs(result: SqlResult, row: tuple[Value, ...], language: Language, *, bold: bool = True) -> str:
    mark = "**" if bold else ""
    cells = [_cell(result, at, value, language) for at, value in enumerate(row)]
    return "; ".join(f"{name}: {mark}{cell}{mark}" for name, cell in zip(result.columns, cells, strict=True))


def _item(result: SqlResult, row: tuple[Value, ...], language: Language) -> str:
    cells = [_cell(result, at, value, language) for at, value in enumerate(row)]
    if len(cells) == 1:
        return cells[0]
    if len(cells) == 2:
        return f"**{cells[0]}**: {cells[1]}"
    named = zip(result.columns[1:_WIDE], cells[1:_WIDE], strict=True)
    return f"**{cells[0]}** ({'; '.join(f'{name}: {cell}' for name, cell in named)})"
