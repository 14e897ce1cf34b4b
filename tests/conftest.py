"""What every test starts from."""

import signal

# A shell that runs tests in the background makes them ignore SIGINT, and their children would inherit that; tests of
# interruptions need processes that can be interrupted.
signal.signal(signal.SIGINT, signal.default_int_handler)
