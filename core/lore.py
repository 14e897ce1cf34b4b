"""What is known of a view as a whole: its vocabulary and its headings with their vectors. Kept for the last views."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import RLock

from core.ports import Store
from core.router import HeadingIndex
from core.stores.ledger import Ledger
from core.types import View
from core.vocabulary import Vocabulary

KEPT = 32  # views; a scope is usually asked again


@dataclass(frozen=True, slots=True)
class Lore:
    """Names and headings of one view."""

    vocabulary: Vocabulary
    headings: HeadingIndex


class LoreKeeper:
    """Builds the lore of a view once. The key is the view's fingerprint, so a change of documents builds it anew."""

    def __init__(self, ledger: Ledger, stores: Mapping[str, Store]) -> None:
        self._ledger = ledger
        self._stores = stores
        self._kept: OrderedDict[str, Lore] = OrderedDict()
        self._lock = RLock()

    def kept(self, view: View) -> Lore | None:
        """The lore of this view if it was built before: nothing to wait for."""
        return self._kept.get(view.fingerprint)

    def of(self, view: View) -> Lore:
        """The lore of this view; safe to call from several threads."""
        with self._lock:
            if view.fingerprint not in self._kept:
                found = [h for name in sorted(self._stores) for h in self._stores[name].headings(view)]
                headings, vectors = self._ledger.headings(view)
                self._kept[view.fingerprint] = Lore(
                    Vocabulary.build(found), HeadingIndex.build(headings, vectors)
                )
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(view.fingerprint)
            return self._kept[view.fingerprint]
