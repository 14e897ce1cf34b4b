"""The three stores and the ledger that decides what of them is visible."""
