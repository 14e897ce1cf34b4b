"""The log of one home: a line of JSON per event, in `<home>/run/polyrag.log`, readable by its owner only.

Events carry ids and numbers; never the text of a message, a token or a file's content.
"""

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

_BYTES, _KEPT = 5_000_000, 3
_PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}


def log_path(home: Path) -> Path:
    """Where a home's log stands."""
    return home / "run" / "polyrag.log"


@contextmanager
def quiet_logging() -> Iterator[None]:
    """Without a handler of its own, Python prints warnings of any library to stderr: keep the terminal for results."""
    root, silent = logging.getLogger(), logging.NullHandler()
    root.addHandler(silent)
    try:
        yield
    finally:
        root.removeHandler(silent)


@contextmanager
def log_to(home: Path, *, verbose: bool = False) -> Iterator[None]:
    """Write the bot's events to the home's log (made with the first event), and to stderr on request."""
    handlers: list[logging.Handler] = [_OwnerOnlyFile(log_path(home))]
    if verbose:
        handlers.append(logging.StreamHandler(sys.stderr))
    logger = logging.getLogger()
    before, own = logger.level, logging.getLogger("polyrag")
    own.setLevel(logging.INFO)
    logger.setLevel(logging.WARNING)  # libraries: what went wrong, not what they do
    for handler in handlers:
        handler.setFormatter(_JsonLine())
        logger.addHandler(handler)
    try:
        yield
    finally:
        logger.setLevel(before)
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()


class _JsonLine(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        line = {
            "at": at,
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        line |= {key: value for key, value in vars(record).items() if key not in _PLAIN}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False, default=str)


class _OwnerOnlyFile(RotatingFileHandler):
    """Makes its folder and file with the first event; a log that cannot be written never stops the bot."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, maxBytes=_BYTES, backupCount=_KEPT, encoding="utf-8", delay=True)

    def _open(self) -> TextIOWrapper:
        path = Path(self.baseFilename)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return open(descriptor, "a", encoding="utf-8")

    def handleError(self, record: logging.LogRecord) -> None:
        self.setLevel(logging.CRITICAL + 1)
