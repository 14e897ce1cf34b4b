"""A plugin module that tries to end the bot when it is imported."""

import sys

sys.exit(3)
