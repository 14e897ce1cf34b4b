"""Schema linking: which words of a question name which tables, columns and stored values."""
