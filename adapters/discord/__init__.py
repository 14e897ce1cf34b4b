"""Discord: threads, direct messages, slash commands, uploads and buttons, on discord.py."""
