"""A plugin module that does not come back from its import for a long time."""

import threading

threading.Event().wait(20)
