"""Citation marks: numbered once for the whole answer, renumbered in order of use, dropped where they point nowhere."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.types import Passage

_GROUP = re.compile(
    r"[\[(【](?:(?:trechos?|fontes?|passages?|sources?|excerpts?|documentos?|docs?)\s*)?\^?(\d{1,3}(?:\s*[,;e&]\s*(?:and\s*)?\d{1,3})*)[\])】]",
    re.IGNORECASE,
)
_BARE = re.compile(r"(?<![\w(\[])(?:trecho|fonte|passage|source|excerpt)\s+(\d{1,2})(?!\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer text whose mark [n] stands for `used[n-1]`."""

    text: str
    used: tuple[Passage, ...] = ()


def cited(text: str, passages: Sequence[Passage]) -> Draft:
    """Keep only passages that the text cites.

    Marks are renumbered in the order of first use; a mark without a passage is removed.

    Args:
        text: with marks such as [2], [1, 3] or (trecho 2).
        passages: mark n is `passages[n-1]`.
    """
    order: list[int] = []

    def renumber(match: re.Match[str]) -> str:
        bracketed = match.group(0)[0] in "[【" or not match.group(0)[1].isdigit()
        if not bracketed:
            return match.group(0)  # "(2)" alone is an item or a number, not a citation
        found = [int(n) - 1 for n in re.findall(r"\d+", match.group(1))]
        kept = [n for n in found if 0 <= n < len(passages)]
        order.extend(n for n in kept if n not in order)
        return "".join(f"[{order.index(n) + 1}]" for n in dict.fromkeys(kept))

    text = _GROUP.sub(renumber, _BARE.sub(r"[\1]", text))
    text = re.sub(r"[ \t]+([.,;:!?])", r"\1", text)  # a removed mark leaves a gap before the full stop
    return Draft(re.sub(r"[ \t]{2,}", " ", text).strip(), tuple(passages[n] for n in order))


def joined(drafts: Sequence[Draft], separator: str = "\n\n") -> Draft:
    """Several drafts as one; marks are renumbered over all, the same passage keeps one number."""
    used: list[Passage] = []
    texts = []
    for draft in drafts:
        numbers: dict[int, int] = {}
        for at, passage in enumerate(draft.used, start=1):
            keys = [(p.store, p.chunk_id) for p in used]
            key = (passage.store, passage.chunk_id)
            if key not in keys:
                used.append(passage)
                keys.append(key)
            numbers[at] = keys.index(key) + 1
        texts.append(_shifted(draft.text, numbers))
    return Draft(separator.join(texts), tuple(used))


def _shifted(text: str, numbers: Mapping[int, int]) -> str:
    return re.sub(
        r"\[(\d{1,3})\]",
        lambda m: f"[{numbers[int(m[1])]}]" if int(m[1]) in numbers else m[0],
        text,
    )
