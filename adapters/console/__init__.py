"""The terminal as a chat platform: channels, people and threads of the configuration, one line a message."""
