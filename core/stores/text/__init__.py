"""The text store: dense and lexical vectors side by side, in an embedded Qdrant shard or on a Qdrant server."""

from core.stores.text.store import TextStore

__all__ = ["TextStore"]
