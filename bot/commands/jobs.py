"""jobs: what is being taken in or deleted, what could not be, and why; try again, or call off."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bot.commandline import CommandLine, add_json, print_json
from bot.commands.run import acts_on
from bot.jobs.job import OPEN_STATES, JobRow
from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from bot.plugins.spec import CommandSpec
from core.errors import NotFound
from core.harmless import shown_name, unlinked

if TYPE_CHECKING:
    from bot.app import App
    from bot.jobs.runner import Jobs
    from core.types import Language

LISTED = 30


async def jobs(app: App, inbound: Inbound, arguments: str) -> Reply:
    """The list, or one job tried again or called off: of the admin's workspace, of all for a configured admin.

    Names stand only where the readers may know them.
    """
    language = reader_language("", inbound.locale, app.settings)
    words = arguments.split()
    rows = [row for row in app.jobs.rows.listed() if acts_on(app, inbound, row.job.workspace)]
    if len(words) == 2 and words[0] in ("retry", "cancel"):
        text = _acted(app.jobs, words[0], _id_of(words[1], rows), language)
        app.audit(inbound, f"job_{words[0]}", {"job": words[1]})
        return Reply(text, language, ephemeral=True)
    if words and words != ["list"]:
        return Reply(say("usage", language, usage="jobs [retry|cancel ID]"), language, ephemeral=True)
    scope = await app.scope(inbound)
    lines = list(job_lines(rows, language, scope.tags))
    return Reply("\n".join(lines), language, ephemeral=True)


def _id_of(begins: str, rows: Sequence[JobRow]) -> str:
    """The whole id of one of these jobs; another workspace's is as unknown as one that never was. Raises: NotFound."""
    found = [
        row.job.id
        for row in rows
        if row.job.id == begins or (len(begins) >= 4 and row.job.id.startswith(begins))
    ]
    if len(found) != 1:
        raise NotFound(f"no job {begins} in this workspace")
    return found[0]


def _acted(found: Jobs, action: str, job: str, language: Language) -> str:
    """Raises: NotFound."""
    if action == "retry":
        found.retry(job)
        return say("job_again", language, id=job)
    row = found.cancel(job)
    return say("job_called_off", language, id=row.job.id[:8])


def job_lines(
    rows: Sequence[JobRow], language: Language, readable: Collection[str] | None = None
) -> Iterator[str]:
    """Open jobs, then failed ones with their reason, then how many were done.

    Args: readable: channels whose file names may be shown; None: all.
    """
    open_rows = [row for row in rows if row.state in OPEN_STATES]
    failed = [row for row in rows if row.state == "failed"]
    for row in (*open_rows, *failed[-LISTED:]):
        shown = readable is None or row.job.tag in readable
        yield f"- {_line(row, language, shown)}"
    if not open_rows and not failed:
        yield say("no_jobs", language)
    done = sum(row.state == "done" for row in rows)
    if done:
        yield say("jobs_done", language, n=done)


def _line(row: JobRow, language: Language, shown: bool) -> str:
    what = f"`{shown_name(row.job.name)}` " if shown and row.job.name else ""
    progress = f", {row.step} {row.done}/{row.total}" if row.total and row.state in OPEN_STATES else ""
    reason = f": {unlinked(row.reason)}" if row.reason else ""
    state = say(f"job_{row.state}", language)
    return f"`{row.job.id[:8]}` {say('job_' + row.job.kind, language)} {what}({state}{progress}){reason}"


# --- command line ----------------------------------------------------------------------------------


def configure_jobs(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "retry", "cancel"), nargs="?", default="list")
    parser.add_argument("id", metavar="ID", nargs="?", default="", help="for retry and cancel")
    add_json(parser)
    parser.set_defaults(usage_error=parser.error)


def main_jobs(args: Namespace, line: CommandLine) -> int:
    """Raises: NotFound."""
    if (args.action == "list") == bool(args.id):
        args.usage_error(f"{args.action} takes {'no' if args.action == 'list' else 'an'} ID")
    language = line.settings.language
    if args.action == "retry":

        async def work(app: App) -> int:
            await app.jobs.retry(args.id)
            return 0

        return line.run(work, chat=False)
    with known_jobs(line) as found:
        if args.action == "cancel":
            print(_acted(found, "cancel", args.id, language))
            return 0
        rows = found.rows.listed()
    if args.json:
        print_json({"jobs": [job_json(row) for row in rows]})
    for text in () if args.json else job_lines(rows, language):
        print(text.replace("`", ""))
    return 0


@contextmanager
def known_jobs(line: CommandLine) -> Iterator[Jobs]:
    """The home's list of jobs alone, without models and stores."""
    from bot.jobs.rows import JobRows
    from bot.jobs.runner import Jobs
    from bot.wiring import LEDGER
    from core.stores.ledger import Ledger

    line.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    ledger = Ledger(line.settings.stores.database or f"sqlite:///{line.home / LEDGER}")
    try:
        yield Jobs(JobRows(ledger.engine), line.home / "jobs", line.settings, {})
    finally:
        ledger.close()


def job_json(row: JobRow) -> dict[str, object]:
    return {
        "id": row.job.id,
        "kind": row.job.kind,
        "state": row.state,
        "file": row.job.name,
        "channel": row.job.tag.rsplit("/", 1)[-1],
        "actor": row.job.actor,
        "received": row.job.received,
        "step": row.step,
        "done": row.done,
        "total": row.total,
        "starts": row.starts,
        "reason": row.reason,
    }


JOBS = CommandSpec(
    "jobs",
    "admins",
    {
        "pt": "o que está sendo guardado ou apagado, e o que falhou",
        "en": "what is being stored or deleted, and what failed",
    },
    jobs,
    "[retry|cancel ID]",
    ("tarefas",),
    configure_jobs,
    main_jobs,
)
COMMANDS = (JOBS,)
