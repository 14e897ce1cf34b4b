"""The `polyrag` command. It loads the program late: an interruption must be quiet even while that still loads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from core.ports import Embedder

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None, *, embedder: Embedder | None = None) -> int:
    """Run one command and return its exit code: 0 done, 1 failed with a message, 2 usage, 130 interrupted.

    Args:
        arguments: without the program's name; default: those of the process.
        embedder: stands in for the configured one, in tests.
    Raises: SystemExit on wrong usage, `--help` and `--version`.
    """
    try:
        from bot.program import run_program

        return run_program(sys.argv[1:] if arguments is None else arguments, embedder)
    except KeyboardInterrupt:
        return INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
