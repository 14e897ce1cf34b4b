"""`polyrag ingest` in a process that kills itself (SIGKILL) at the n-th state transition of the ledger.

Run as: python -m tests.walks.crash_run HOME CONFIG FOLDER [N before|after]. Prints the number of transitions.
"""

import os
import signal
import sys
from collections.abc import Callable
from typing import Any

from bot.cli import main
from core.stores.ledger import Ledger
from tests.fakes import HashEmbedder

steps = 0


def killing(original: Callable[..., Any], at: int, moment: str) -> Callable[..., Any]:
    """The transition, counted; the process dies right before or right after the n-th one."""

    def step(self: Ledger, state: str, work: Callable[..., Any]) -> Any:
        global steps
        steps += 1
        if steps == at and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(self, state, work)
        if steps == at and moment == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    return step


if __name__ == "__main__":
    home, config, folder = sys.argv[1:4]
    at, moment = (int(sys.argv[4]), sys.argv[5]) if len(sys.argv) > 4 else (0, "")
    Ledger._step = killing(Ledger._step, at, moment)  # type: ignore[method-assign]
    words = ["--home", home, "--config", config, "ingest", folder, "--channel", "geral", "--user", "ana"]
    code = main(words, embedder=HashEmbedder())
    print(f"transitions {steps}", flush=True)
    sys.exit(code)
