"""Show how far a download is: a bar on a terminal, a line per tenth in a pipe."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from core.ports import Progress as Report


@contextmanager
def shown_progress(stream: TextIO) -> Iterator[Report]:
    """A progress function that draws on `stream`: told (step, bytes done, bytes in all or 0)."""
    if not stream.isatty():
        yield _lines(stream)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Progress(*columns, console=Console(file=stream), transient=True) as bars:
        task = bars.add_task("", total=None)
        yield lambda step, done, total: bars.update(
            task, description=step, completed=done, total=total or None
        )


def _lines(stream: TextIO) -> Report:
    last: list[tuple[str, int]] = []

    def report(step: str, done: int, total: int) -> None:
        tenth = 10 * done // total if total else 0
        mark = (step.partition(":")[0], tenth)
        if last and last[0] == mark and total:
            return
        last[:] = [mark]
        share = f" {100 * done // total}%" if total else ""
        print(f"{step}{share}", file=stream, flush=True)

    return report
