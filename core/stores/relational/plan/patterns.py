""" "Contém", "starts with", "with the letter": filters by a part of a text."""

from core.stores.relational.plan.draft import Draft, flip, negated
from core.stores.relational.plan.model import Condition, Ref
from core.stores.relational.wording.words import word_set


def read_patterns(draft: Draft) -> None:
    """ "contém 'x'", "with the letter w", "starts with A": LIKE on the column named nearest."""
    for position, item in enumerate(draft.items):
        if item.is_op != "like" or not draft.free(position) or item.op is None:
            continue
        word = _pattern_word(draft, position)
        ref = _pattern_column(draft, position)
        if word is None or ref is None:
            continue
        pattern = {"has": f"%{word}%", "starts": f"{word}%", "ends": f"%{word}"}[item.op.argument]
        condition = Condition(ref, "like", (pattern,))
        draft.where.append((flip(condition) if negated(draft, position) else condition,))
        draft.role[position] = "pattern"


def _pattern_word(draft: Draft, position: int) -> str | None:
    """The quoted or next word after the phrase; before it when it stands at the end ("'Hey' in its name")."""
    item, tokens = draft.items[position], draft.question.tokens
    spans = [
        *range(item.end, min(len(tokens), item.end + 3)),
        *range(item.start - 1, max(-1, item.start - 4), -1),
    ]
    quoted = next((i for i in spans if tokens[i].kind == "quoted"), None)
    after = item.end if item.end < len(tokens) and item.op is not None else None
    chosen = quoted if quoted is not None else after
    if chosen is None or (quoted is None and item.op is not None and "in its" in tokens[item.start].text):
        return None
    for other, candidate in enumerate(draft.items):
        if candidate.start <= chosen < candidate.end and candidate.kind in (
            "value",
            "amount",
            "column",
            "op",
        ):
            draft.role[other] = "pattern"
    draft.role[-1 - chosen] = "pattern"  # an unlinked word that is explained after all
    return tokens[chosen].raw.strip("'\"“”‘’«»` ")


_INSIDE = word_set("in em na no nas nos within dentro")


def _pattern_column(draft: Draft, position: int) -> Ref | None:
    tokens = draft.question.tokens
    for other in range(position + 1, min(position + 3, len(draft.items))):
        ref, start = draft.ref(other), draft.items[other].start
        leads = {token.text for token in tokens[max(0, start - 2) : start]}
        if ref is not None and draft.context.column(ref).type == "text" and leads & _INSIDE:
            draft.role[other] = "label"
            return ref
    for other in (*range(position - 1, -1, -1), *range(position + 1, len(draft.items))):
        ref = draft.ref(other)
        if ref is not None and draft.context.column(ref).type == "text" and draft.free(other):
            near = abs(other - position) <= 2
            if near or position - other > 0:
                used_once = sum(draft.ref(i) == ref for i in range(len(draft.items))) == 1
                if used_once and _selected_elsewhere(draft, other):
                    draft.role[other] = "label"
                return ref
    return None


def _selected_elsewhere(draft: Draft, position: int) -> bool:
    """Another free column is left to be shown, so this one only labels the filter."""
    return any(draft.ref(i) is not None and i != position and draft.free(i) for i in range(len(draft.items)))
