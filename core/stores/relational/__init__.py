"""The relational store: typed tables, questions turned into SQL by arithmetic, and a guard in front of every query."""

from core.stores.relational.store import RelationalStore

__all__ = ["RelationalStore"]
