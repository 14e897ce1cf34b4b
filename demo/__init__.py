"""A fictional organisation's files, and a script of questions that shows what the bot does with them."""
