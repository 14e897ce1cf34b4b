"""Schema linking: which spans of a question name a table, a column or a stored value, and how surely.

Everything here is arithmetic over folded words. One table is linked at a time; a plan over two tables puts both
lists together.
"""

from dataclasses import replace

from core.stores.relational.link.cells import value_mentions
from core.stores.relational.link.index import TableIndex
from core.stores.relational.link.names import column_mentions, name_hits, table_mentions
from core.stores.relational.link.question import Mention, Question
from core.stores.relational.profile import TableProfile


def link_table(question: Question, profile: TableProfile, index: TableIndex, table: int) -> list[Mention]:
    """All mentions of one table, overlapping ones included; `table` is its position in the context."""
    hits = name_hits(question, profile, index)
    mentions = [
        *column_mentions(question, profile, index, hits, table),
        *table_mentions(question, index, hits, table),
        *value_mentions(question, profile, index, table),
    ]
    return [replace(m, weight=_weight(question, m)) for m in mentions]


def _weight(question: Question, mention: Mention) -> float:
    content = len(question.content(mention.start, mention.end)) or 1
    bonus = 1.15 if mention.kind == "value" and not mention.weak else 1.0
    return mention.score * content * bonus
