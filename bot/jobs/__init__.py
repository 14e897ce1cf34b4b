"""Durable jobs: uploads, deletions and re-indexing that a killed process does not lose and no process does twice."""
