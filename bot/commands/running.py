"""run, doctor and models: start the bot, say what is missing, fetch what is missing."""

from __future__ import annotations

import asyncio
import logging
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING

from bot.commandline import CommandLine, add_json, print_json
from bot.commands.status import down_text
from bot.config import missing_variables
from bot.config_errors import nearest
from bot.phrases import say
from bot.plugins.spec import AdapterSpec, CommandSpec
from core.errors import PolyragError

if TYPE_CHECKING:
    from bot.app import App

log = logging.getLogger("polyrag.run")
PAUSES = (10.0, 30.0, 60.0, 300.0)  # seconds before a platform that failed is tried again
STANDS = 20.0  # seconds after which a new try has worked


class UnknownAdapter(PolyragError):
    messages = {
        "en": "There is no adapter {name!r} ({hint}).",
        "pt": "Não existe o adaptador {name!r} ({hint}).",
    }


class NoAdapter(PolyragError):
    messages = {
        "en": "No platform is enabled. Set `adapters: {{slack: {{enabled: true}}}}` in the configuration, or name one "
        "with --adapter (known: {known}).",
        "pt": "Nenhuma plataforma está ligada. Ponha `adapters: {{slack: {{enabled: true}}}}` na configuração ou indique "
        "uma com --adapter (conhecidas: {known}).",
    }


class MissingVariables(PolyragError):
    messages = {
        "en": "{adapter} needs these environment variables, which are not set: {names}. {where}",
        "pt": "{adapter} precisa destas variáveis de ambiente, que não estão definidas: {names}. {where}",
    }


def configure_run(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--adapter", metavar="NAME", action="append", default=[], help="a platform (default: those enabled)"
    )


def main_run(args: Namespace, line: CommandLine) -> int:
    """Serve until interrupted. Raises: UnknownAdapter, NoAdapter, MissingVariables."""
    chosen = chosen_adapters(args.adapter, line)
    for adapter in chosen:
        missing = missing_variables(adapter.needs)
        if missing:
            names = ", ".join(missing)
            raise MissingVariables(adapter=adapter.name, names=names, where=adapter.where)

    from bot.reading import warm
    from bot.watch import watching

    async def work(app: App) -> int:
        print(
            say("serving", line.settings.language, names=", ".join(a.name for a in chosen)), file=sys.stderr
        )
        app.jobs.open()  # what an earlier process left unfinished goes on beside the new
        if line.settings.ingest.readers:
            await asyncio.to_thread(warm, line.settings.ingest.readers)
        async with watching(app):
            await serve_all(chosen, app)
        return 0

    return line.run(work)


def chosen_adapters(names: Sequence[str], line: CommandLine) -> tuple[AdapterSpec, ...]:
    """The adapters named, else those the configuration enables. Raises: UnknownAdapter, NoAdapter."""
    known: dict[str, AdapterSpec] = {spec.name: spec for spec in line.plugins.gather("register_adapters")}
    enabled = [name for name, entry in line.settings.adapters.items() if entry.enabled]
    wanted = list(dict.fromkeys(names or enabled))
    if not wanted:
        raise NoAdapter(known=", ".join(sorted(known)))
    for name in wanted:
        if name not in known:
            raise UnknownAdapter(name=name, hint=nearest(name, known).fact)
    return tuple(known[name] for name in wanted)


async def serve_all(adapters: Sequence[AdapterSpec], app: App, pauses: Sequence[float] = PAUSES) -> None:
    """All at once. One that fails is told to the admin and tried again while the others go on.

    Args:
        pauses: seconds before each new try; the last one repeats.

    Raises: the latest failure, when none is left serving.
    """
    try:
        async with asyncio.TaskGroup() as group:
            for adapter in adapters:
                group.create_task(_keep_serving(adapter, app, len(adapters), pauses))
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None


async def _keep_serving(adapter: AdapterSpec, app: App, together: int, pauses: Sequence[float]) -> None:
    """Until it ends by itself. Raises: its failure, when all the others are down too."""
    for pause in chain(pauses, repeat(pauses[-1])):
        try:
            return await _serve(adapter, app)
        except Exception as err:
            app.down[adapter.name] = err
            if len(app.down) == together:
                raise
            log.exception("platform down", extra={"adapter": adapter.name, "again_in_s": pause})
            print(f"polyrag: {down_text(adapter.name, err, app.settings.language)}", file=sys.stderr)
        await asyncio.sleep(pause)


async def _serve(adapter: AdapterSpec, app: App) -> None:
    """Once it has stood for a while it counts as up again."""
    up = asyncio.get_running_loop().call_later(STANDS, app.down.pop, adapter.name, None)
    try:
        await adapter.serve(app)
    finally:
        up.cancel()


# --- doctor ----------------------------------------------------------------------------------------


def configure_doctor(parser: ArgumentParser) -> None:
    add_json(parser)


def main_doctor(args: Namespace, line: CommandLine) -> int:
    """Run every check; 1 when any is not in order."""
    rows = [(check.name, *check.run(line.home)) for check in line.plugins.gather("register_checks")]
    if args.json:
        keys = ("name", "ok", "found", "fix")
        print_json({"checks": [dict(zip(keys, row, strict=True)) for row in rows]})
    else:
        for name, ok, found, fix in rows:
            print(f"{'✓' if ok else '✗'} {name}: {found}")
            if fix and not ok:
                print(f"    → {fix}")
    return 0 if all(row[1] for row in rows) else 1


# --- models ----------------------------------------------------------------------------------------


def configure_models(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "fetch"))
    parser.add_argument("models", nargs="*", metavar="MODEL", help="default: those of the chosen profile")
    add_json(parser)


def main_models(args: Namespace, line: CommandLine) -> int:
    """Raises: FetchFailed."""
    from bot.models.catalog import fetch_models, needed, presence
    from bot.models.progress import shown_progress

    if args.action == "fetch":
        with shown_progress(sys.stderr) as progress:
            paths = [str(path) for path in fetch_models(line.settings, args.models, progress)]
        if args.json:
            print_json({"files": paths})
        for path in () if args.json else paths:
            print(path)
        return 0
    wanted = needed(line.settings)
    rows = []
    for name, entry in line.settings.models.items():
        if args.models and name not in args.models:
            continue
        found = presence(entry)
        rows.append({"name": name, "kind": entry.kind, "needed": name in wanted, "state": found.state})
    if args.json:
        print_json({"models": rows})
    for row in () if args.json else rows:
        print(f"{'*' if row['needed'] else ' '} {row['name']:<28} {row['kind']:<6} {row['state']}")
    return 0


RUN = CommandSpec(
    "run",
    "admins",
    {"pt": "liga o bot às plataformas", "en": "run the bot on its platforms"},
    configure=configure_run,
    main=main_run,
)
DOCTOR = CommandSpec(
    "doctor",
    "admins",
    {"pt": "o que há, o que falta e como resolver", "en": "what is there, what is missing and how to fix it"},
    configure=configure_doctor,
    main=main_doctor,
)
MODELS = CommandSpec(
    "models",
    "admins",
    {"pt": "lista e baixa modelos", "en": "list and fetch models"},
    configure=configure_models,
    main=main_models,
)
COMMANDS = (RUN, DOCTOR, MODELS)
