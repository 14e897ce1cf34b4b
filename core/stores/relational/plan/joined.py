"""Roles that items play only where two tables are joined."""

from core.stores.relational.plan.draft import Draft
from core.stores.relational.wording.words import light_stem, word_set


def read_links(draft: Draft) -> None:
    """The column that joins two tables is no answer unless its id is asked for: "museum" means the museum itself."""
    if draft.context.join is None:
        return
    for position, item in enumerate(draft.items):
        ref = draft.ref(position)
        if ref is None or ref not in draft.context.referring() or item.mention is None:
            continue
        words = {light_stem(draft.question.tokens[i].text) for i in range(item.start, item.end)}
        if not words & _ID_WORDS and item.mention.score < 0.9:
            draft.role[position] = "link"


_ID_WORDS = frozenset(
    light_stem(word)
    for word in sorted(
        word_set("id ids codigo code codes identificacao identificador numero number matricula")
    )
)


def read_absence(draft: Draft) -> None:
    """ "without concerts", "not used by any document": the negated table is the one that refers to the other."""
    if draft.context.join is None or draft.context.hop is not None:
        return
    for position, item in enumerate(draft.items):
        if item.is_op not in ("not", "without"):
            continue
        step = draft.skip(position, 1, ("without", "not", "and", "count"))
        other = draft.at(step)
        if other is None or other.mention is None or other.kind != "table" or other.mention.table != 0:
            continue
        if draft.close(position, step, 2) and draft.free(step):
            for between in range(position, step):
                draft.role[between] = "absent"
            draft.role[step] = "absent"
