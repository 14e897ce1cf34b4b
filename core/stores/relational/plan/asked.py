"""What a question wants of the rows that its conditions leave."""

from dataclasses import dataclass, field

from core.stores.relational.plan.model import Output, Ref
from core.stores.relational.wording.words import word_set

AGGREGATES = ("sum", "avg", "min", "max", "median")
LISTING = word_set(
    "liste listar lista mostre mostrar exiba quais ver list show display which find encontre traga what give"
)  # rows are wanted, not their sum
PEOPLE = word_set("pessoa pessoas gente people person persons")


@dataclass(slots=True)
class Asked:
    """What the question wants of the rows that the conditions leave."""

    aggregates: list[Output] = field(default_factory=list)
    ranks: list[tuple[bool, Output | None, int]] = field(
        default_factory=list
    )  # descending, by what (None: rows), item
    groups: list[Output] = field(default_factory=list)
    orders: list[tuple[Output, bool]] = field(default_factory=list)
    selects: list[Ref] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)  # tables named as what is wanted
    distinct: bool = False
    counted: list[int] = field(default_factory=list)  # tables whose rows are counted
    share: bool = False
    difference: bool = False
    growth: bool = False
    implied: bool = False  # ranked by what the superlative itself says ("most expensive"), row by row
    everything: bool = False
    listing: bool = False
    much: bool = False
    lost: bool = False  # something was asked that no slot can hold
