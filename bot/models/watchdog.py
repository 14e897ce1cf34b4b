"""Run one server and end it when whoever started this ends, however that happens.

`python -I -S watchdog.py COMMAND …` prints the server's process id, then waits. Its standard input is a pipe that
only the starter holds open: when the starter is gone, even by SIGKILL, the pipe closes. Standard library only.
"""

import os
import select
import signal
import subprocess
import sys
from types import FrameType

_TICK_SECONDS = 0.2
_GRACE_SECONDS = 8.0
_PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """On Linux the kernel ends the server too if this watchdog is killed."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _ask_to_stop(number: int, frame: FrameType | None) -> None:
    raise SystemExit


def main(command: list[str]) -> int:
    """The server's exit code; 128 + n when it died of signal n, 0 when it was ended on purpose."""
    signal.signal(signal.SIGTERM, _ask_to_stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the starter decides what Ctrl-C means
    starter = os.getppid()
    # One thread only, so running a function between fork and exec is safe.
    server = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=2, stderr=2, preexec_fn=_die_with_parent
    )  # fmt: skip
    try:
        os.write(1, f"{server.pid}\n".encode())
        os.close(1)
        while server.poll() is None:
            readable, _, _ = select.select([0], [], [], _TICK_SECONDS)
            if os.getppid() != starter or (readable and not os.read(0, 64)):
                return 0
        code = server.returncode
        return code if code >= 0 else 128 - code
    except SystemExit:
        return 0
    finally:
        _end(server)


def _end(server: "subprocess.Popen[bytes]") -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if server.poll() is None:
        server.terminate()
        server.send_signal(signal.SIGCONT)  # a suspended process would not notice
        try:
            server.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
