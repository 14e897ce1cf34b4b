"""Grids become typed tables: what is header, total, title and unit, and what type each column has."""

from core.ingest.tables.build import build_tables

__all__ = ["build_tables"]
