"""Commands: the same in every chat, by name; who may run them is checked in one place."""
