"""Question sets, metrics, the runner and the seed baseline."""
