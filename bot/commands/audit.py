"""audit: who did what; and routing decisions computed again from what was recorded of them."""

from __future__ import annotations

import asyncio
import json
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bot.commandline import CommandLine, add_json, print_json
from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from bot.plain import fenced
from bot.plugins.spec import CommandSpec
from core.errors import NotFound

if TYPE_CHECKING:
    from bot.app import App
    from bot.records import Trace
    from core.router import Anchors

ROWS = 20


async def audit(app: App, inbound: Inbound, arguments: str) -> Reply:
    """The latest acts in the channels that the readers of this reply may read."""
    language = reader_language("", inbound.locale, app.settings)
    scope = await app.scope(inbound)
    actor = f"{inbound.platform}:{inbound.user}"
    rows = app.records.audit_tail(ROWS, scope.tags)
    lines = [audit_line(_shown_to(actor, row)) for row in rows] or [say("audit_empty", language)]
    return Reply(fenced("\n".join(lines)), language, ephemeral=True)


def _shown_to(actor: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """That somebody asked privately is an act; what the answer was made from is between them and the bot."""
    if row["action"] != "ask" or row["actor"] == actor or not row["detail"].get("private", True):
        return row
    return {**row, "detail": {"private": True}}


def audit_line(row: Mapping[str, Any]) -> str:
    detail = json.dumps(row["detail"], ensure_ascii=False, sort_keys=True)
    return f"{row['at']}  {row['actor']}  {row['action']}  {row['tag']}  {detail}"


# --- command line ----------------------------------------------------------------------------------


def _count(text: str) -> int:
    """Raises: ValueError for what is no number of rows."""
    if int(text) < 1:
        raise ValueError(text)
    return int(text)


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=("tail", "replay"))
    parser.add_argument(
        "id", metavar="ID", nargs="?", help="for replay: one trace (default: all that are kept)"
    )
    parser.add_argument(
        "-n", "--rows", metavar="N", type=_count, default=ROWS, help="for tail (default: %(default)s)"
    )
    add_json(parser)


def main(args: Namespace, line: CommandLine) -> int:
    """Raises: NotFound."""
    with line.records() as records:
        if args.action == "tail":
            return _tail(args, records.audit_tail(args.rows) if records else ())
        wanted = [records.trace(args.id)] if records and args.id else []
        traces = (
            [trace for trace in wanted if trace] if args.id else list(records.all_traces() if records else ())
        )
    if args.id and not traces:
        raise NotFound(f"no trace {args.id!r}")
    return _replay(args, line, traces)


def _replay(args: Namespace, line: CommandLine, traces: Sequence[Trace]) -> int:
    """1 when a decision comes out differently than it was recorded."""
    from bot.traces import replay_trace
    from core.router import weights_of

    anchors = asyncio.run(_anchors(line)) if traces else None
    weights = weights_of(line.settings.router.weights)
    stores = {spec.name: spec.store for spec in line.plugins.gather("register_routes")}
    found = [
        done
        for trace in traces
        if anchors is not None
        for done in replay_trace(
            trace.id, trace.body, anchors, weights, lambda route: stores.get(route, route)
        )
    ]
    counts = Counter(done.verdict for done in found)
    totals = {verdict: counts[verdict] for verdict in ("equal", "different", "unreplayable")}
    if args.json:
        print_json({**totals, "decisions": [asdict(done) for done in found]})
    else:
        for done in found:
            if done.verdict != "equal" or args.id:
                clause = f"#{done.clause} " if done.clause else ""
                print(f"{done.verdict}  {done.trace} {clause}{', '.join(done.routes)}  {done.note}".rstrip())
        print(", ".join(f"{verdict}: {count}" for verdict, count in totals.items()))
    return 1 if counts["different"] else 0


async def _anchors(line: CommandLine) -> Anchors:
    """The example phrases' vectors as the home keeps them; no model runs unless they were never made."""
    from bot.models.servers import ServerManager
    from bot.wiring import load_anchors, open_embedder, routes_of

    with ServerManager(line.settings, line.home) as servers:
        embedder = line.embedder or open_embedder(line.settings, servers, line.plugins)
        return await load_anchors(line.settings, routes_of(line.plugins), embedder, line.home)


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
