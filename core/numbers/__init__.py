"""Numbers, dates and codes in Portuguese and English text: found with their places, compared by value."""

from core.numbers.dates import covers_date
from core.numbers.find import Quantity, quantities
from core.numbers.match import holds, mentions, same_quantity, same_value

__all__ = ["Quantity", "covers_date", "holds", "mentions", "quantities", "same_quantity", "same_value"]
