"""Which amount a word of buying, selling or costing may mean, and which column a word of a header keeps to itself."""

from functools import lru_cache

from core.stores.relational.link.index import SAME, SHORTENED, SYNONYM, NameHit, TableIndex
from core.stores.relational.profile import MONEY, ColumnProfile, TableProfile, is_plain
from core.stores.relational.wording.lexicon import AMOUNT_VERBS, concepts_of
from core.stores.relational.wording.words import word_set

_EARNED = ("revenue", "sales", "earnings", "income", "profit")
_SPENT = ("cost", "expense", "payment", "purchase", "budget", "fee")
_PAID = ("payment", "fee")
_BRINGS_IN = word_set(
    "gerou geraram rendeu renderam arrecadou arrecadacao movimentou generated generates brought"
)
_CHANGES_HANDS = word_set("recebeu receberam recebemos recebe recebem received receive receives")
_WORTH = word_set("valor valores preco precos value price prices amount montante")
OF_ONE = word_set("unitario unitaria unit each medio media average mean por per")
PRICING = word_set("custa custam custar custou custaram custo cost costs")  # say what one thing costs
ASKS_PRICE = word_set("custa custam custar")
MONEY_VERBS = AMOUNT_VERBS | PRICING | _CHANGES_HANDS


def literal(found: list[tuple[int, NameHit]], index: TableIndex) -> list[tuple[int, NameHit]]:
    """A word that stands in a header is that header's own: what it could mean elsewhere counts no more.

    "pratos" is of the column "Pratos vendidos", although it may be another word for recipes.
    """
    own = {
        hit.column
        for _, hit in found
        if hit.column >= 0 and hit.trust >= SAME and _heavy(index, hit) and len(index.words[hit.column]) > 1
    }
    if not own:
        return found
    return [(end, hit) for end, hit in found if hit.column in own or hit.column < 0 or hit.trust > SYNONYM]


def _heavy(index: TableIndex, hit: NameHit) -> bool:
    return all(index.weights[hit.column][word] >= 1.0 for word in hit.words)


def money_hits(word: str, profile: TableProfile, index: TableIndex) -> list[NameHit]:
    """What "gastou", "vendeu" or "custou" may mean where no header says so: money that goes the same way.

    The table's one amount, if its header says no more than that it is a value; else the words of cost, or of
    earnings, in any header. A rent or a penalty is the one amount of many a table, and nobody who asks what was
    sold means it; a price of one piece is not what was spent.
    """
    if word not in MONEY_VERBS:
        return []
    main = profile.amount
    fits = main is not None and (is_money(main) or not _spent(word))
    if main is not None and fits and (main.unit in MONEY or "+" in main.marks) and is_plain(main):
        return [NameHit(main.position, tuple(range(len(index.words[main.position]))), SHORTENED)]
    keys = frozenset(_keys(word))
    wanted = frozenset[str]().union(*(_way(way) for way in (_EARNED, _SPENT) if keys & _way(way)))
    if word in _BRINGS_IN:
        wanted |= _way(_EARNED)
    if word in _CHANGES_HANDS:  # what one side is paid the other one pays
        wanted = _way(_PAID)
    return [
        NameHit(column.position, (at,), SHORTENED)
        for column in profile.columns
        if column.role == "measure" and (word in PRICING or not OF_ONE & set(column.words))
        for at, part in enumerate(index.words[column.position])
        if wanted & set(_keys(part))
    ]


def _spent(word: str) -> bool:
    """Paid, spent, cost: only money is, while goods may be sold by the piece."""
    return word.startswith(("gast", "pag", "cust", "desp", "spen", "paid", "pay", "cost"))


def is_money(column: ColumnProfile) -> bool:
    """Whether a column may hold money: by its unit, by what its header says, or as fractions without a unit."""
    said = frozenset(key for part in column.words for key in _keys(part))
    return (
        column.unit in MONEY
        or bool(_WORTH & set(column.words))
        or bool(said & (_way(_EARNED) | _way(_SPENT)))
        or (not column.unit and column.type == "real")
    )


@lru_cache(maxsize=4)
def _way(words: tuple[str, ...]) -> frozenset[str]:
    return frozenset(key for word in words for key in _keys(word))


@lru_cache(maxsize=16384)
def _keys(word: str) -> tuple[str, ...]:
    return tuple(concept.key for concept in concepts_of((word,)))
