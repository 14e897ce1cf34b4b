"""audit: who did what; and routing decisions computed again from what was recorded of them."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bot.commandline import CommandLine, add_json, print_json
from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from bot.plain import fenced
from bot.plugins.spec import CommandSpec

if TYPE_CHECKING:
    from bot.app import App

ROWS = 20


async def audit(app: App, inbound: Inbound, arguments: str) -> Reply:
    """The latest acts in the channels that the readers of this reply may read."""
    language = reader_language("", inbound.locale, app.settings)
    scope = await app.scope(inbound)
    rows = app.records.audit_tail(ROWS, scope.tags)
    lines = [audit_line(row) for row in rows] or [say("audit_empty", language)]
    return Reply(fenced("\n".join(lines)), language, ephemeral=True)


def audit_line(row: Mapping[str, Any]) -> str:
    detail = json.dumps(row["detail"], ensure_ascii=False, sort_keys=True)
    return f"{row['at']}  {row['actor']}  {row['action']}  {row['tag']}  {detail}"


# --- command line ----------------------------------------------------------------------------------


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=("tail", "replay"))
    parser.add_argument(
        "id", metavar="ID", nargs="?", help="for replay: one trace (default: all that are kept)"
    )
    parser.add_argument(
        "-n", "--rows", metavar="N", type=int, default=ROWS, help="for tail (default: %(default)s)"
    )
    add_json(parser)


def main(args: Namespace, line: CommandLine) -> int:
    with line.records() as records:
        return _tail(args, records.audit_tail(args.rows) if records else ())


def _tail(args: Namespace, rows: Sequence[Mapping[str, Any]]) -> int:
    if args.json:
        print_json({"rows": list(rows)})
    for row in () if args.json else rows:
        print(audit_line(row))
    return 0


AUDIT = CommandSpec(
    "audit",
    "admins",
    {"pt": "quem fez o quê", "en": "who did what"},
    audit,
    "",
    ("auditoria",),
    configure,
    main,
)
COMMANDS = (AUDIT,)
