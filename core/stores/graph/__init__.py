"""The graph store: relations between named things, walked from a question's facts and names to passages."""

from core.stores.graph.store import GraphStore

__all__ = ["GraphStore"]
