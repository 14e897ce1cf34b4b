"""From linked words to one query plan, its confidence, its SQL and its words."""
