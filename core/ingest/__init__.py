"""The write side: files become blocks and grids, passages, typed tables and relations."""
