"""status, help and plugins: how the bot is, and what one may run."""

from __future__ import annotations

import asyncio
import re
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.commandline import CommandLine, add_json, print_json
from bot.commands.run import acts_on, configured_admin, may_run
from bot.commands.servers import ROLES
from bot.jobs.job import OPEN_STATES
from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from bot.plugins.spec import CommandSpec, PluginInfo
from core.errors import PolyragError
from core.harmless import shown_name, unlinked

if TYPE_CHECKING:
    from bot.app import App
    from bot.watch import Watched
    from core.types import Language

REFUSED = 5  # refused files of a folder that are named
_MODULE = re.compile(r"<(?:module|class) '([^']+)'[^>]*>|<[\w.]+ object at [^>]+>")
_FOLDERS = re.compile(r"(?:/[^\s/'\",;:]+)+/")


async def status(app: App, inbound: Inbound, arguments: str) -> Reply:
    """Health at a glance; of files only what the reader may read is counted."""
    language = reader_language("", inbound.locale, app.settings)
    scope = await app.scope(inbound)
    view = app.ingest_ports.ledger.view(scope)
    lines = [
        say("status_files", language, n=len(view.documents), channels=len({p.tag for p in view.placements})),
        say("status_mode", language, mode=app.settings.mode, embedder=app.ask_ports.embedder.name),
        *await _models(app, language),
    ]
    if app.is_admin(inbound):
        lines += _jobs(app, inbound, language)
    if configured_admin(app, inbound):
        lines += [down_text(name, err, language) for name, err in sorted(app.down.items())]
        everywhere = configured_admin(app, inbound)
        troubles = sorted(app.unchecked.items())
        lines += [
            say("status_unchecked", language, what=what)
            for platform, what in troubles
            if everywhere or platform == inbound.platform
        ]
    for item in app.watched:
        if item.tag in scope.tags:
            lines.append(_watched(item, language))
    failed = sum(info.state == "failed" for info in app.plugins.infos())
    if failed:
        lines.append(say("status_plugins", language, n=failed))
    return Reply("\n".join(f"- {line}" for line in lines), language)


def down_text(name: str, err: Exception, language: Language) -> str:
    """One line for the admin; of an error that nobody foresaw only its kind (the log has the rest)."""
    reason = err.say(language) if isinstance(err, PolyragError) else type(err).__name__
    return say("platform_down", language, name=name, reason=reason)


def _jobs(app: App, inbound: Inbound, language: Language) -> list[str]:
    """How many jobs of the admin's workspaces are open or failed; nothing when none is."""
    rows = [row for row in app.jobs.rows.listed() if acts_on(app, inbound, row.job.workspace)]
    waiting, failed = (
        sum(row.state in OPEN_STATES for row in rows),
        sum(row.state == "failed" for row in rows),
    )
    return [say("status_jobs", language, open=waiting, failed=failed)] if waiting or failed else []


def _watched(item: Watched, language: Language) -> str:
    """A hot folder of a channel that the reader may read: how many files, and what was refused."""
    if item.problem:
        reason = item.problem["pt" if language == "pt" else "en"]
        folder = shown_name(item.folder.name)
        return say("status_folder_lost", language, folder=folder, reason=unlinked(reason))
    line = say("status_folder", language, folder=shown_name(item.folder.name), n=len(item.handled))
    refused = [f"`{shown_name(name)}`: {unlinked(reason)}" for name, reason in sorted(item.refused.items())]
    more = [f"+ {len(refused) - REFUSED}"] if len(refused) > REFUSED else []
    return "; ".join([line, *refused[:REFUSED], *more])


async def _models(app: App, language: Language) -> list[str]:
    if app.servers is None:
        generator = app.ask_ports.generator
        return [say("status_answers" if generator else "status_quotes", language)]
    found = [await asyncio.to_thread(app.servers.status_of, role) for role in ROLES]
    lines = [
        f"{s.role}: {say('server_' + s.state, language)}" + (f" ({s.model})" if s.model else "")
        for s in found
    ]
    chat = next(s for s in found if s.role == "chat")
    quotes = chat.state in ("off", "stopped", "failed") or app.ask_ports.generator is None
    return [*lines, say("status_quotes" if quotes else "status_answers", language)]


async def help_(app: App, inbound: Inbound, arguments: str) -> Reply:
    """Only what this person may run."""
    language = reader_language("", inbound.locale, app.settings)
    lines = [say("help_ask", language)]
    for name in sorted(app.commands):
        spec = app.commands[name]
        if spec.run is not None and may_run(app, spec, inbound):
            lines.append(f"- `{f'{spec.name} {spec.usage}'.strip()}`: {summary_of(spec, language)}")
    return Reply("\n".join(lines), language)


def summary_of(spec: CommandSpec, language: Language) -> str:
    """In the reader's language, else in whichever there is."""
    return spec.summary.get(language) or spec.summary.get("en") or next(iter(spec.summary.values()), "")


async def plugins(app: App, inbound: Inbound, arguments: str) -> Reply:
    """What is loaded, what is not, and why."""
    language = reader_language("", inbound.locale, app.settings)
    lines = [plugin_line(info, language) for info in app.plugins.infos()]
    return Reply("\n".join(f"- {line}" for line in lines), language, ephemeral=True)


def plugin_line(info: PluginInfo, language: Language) -> str:
    """Fit for a channel: names of modules, but no folders and no addresses."""
    said = info.reason_pt if language == "pt" and info.reason_pt else info.reason
    reason = _FOLDERS.sub("…/", _MODULE.sub(lambda match: match.group(1) or "…", said))
    mark = {"active": "✓", "failed": "✗", "refused": "–"}[info.state]
    version = f" {info.version}" if info.version else ""
    what = reason or ", ".join(info.provides)
    return f"{mark} {info.name}{version}: {say('plugin_' + info.state, language)}" + (
        f" ({what})" if what else ""
    )


# --- command line ----------------------------------------------------------------------------------


def configure_plugins(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=("list", "new"))
    parser.add_argument("name", metavar="NAME", nargs="?", help="for new: lower-case letters, digits and -")
    parser.add_argument(
        "--into",
        metavar="DIR",
        type=Path,
        default=Path(),
        help="for new: where its folder goes (default: here)",
    )
    add_json(parser)
    parser.set_defaults(usage_error=parser.error)


def main_plugins(args: Namespace, line: CommandLine) -> int:
    """Raises: BadPluginName, NameTaken, FolderTaken."""
    if args.action == "new":
        if not args.name:
            args.usage_error("new needs a NAME")
        from bot.plugins.scaffold import write_plugin

        commands = {spec.name for spec in line.plugins.gather("register_commands")}
        folder = write_plugin(args.name, args.into, commands)
        print(say("plugin_written", line.settings.language, folder=folder))
        return 0
    gather_all(line)
    infos = line.plugins.infos()
    if args.json:
        print_json({"plugins": [_info_json(info) for info in infos]})
    for text in () if args.json else (plugin_line(info, line.settings.language) for info in infos):
        print(text)
    return 0


def gather_all(line: CommandLine) -> None:
    """Let every plugin register, so that what goes wrong there is known."""
    from bot.plugins.spec import SPEC_OF

    for hook in SPEC_OF:
        line.plugins.gather(hook)


def _info_json(info: PluginInfo) -> dict[str, object]:
    return {
        "name": info.name,
        "version": info.version,
        "state": info.state,
        "reason": info.reason,
        "provides": list(info.provides),
    }


STATUS = CommandSpec(
    "status", "all", {"pt": "como o bot está", "en": "how the bot is"}, status, "", ("estado",)
)
HELP = CommandSpec(
    "help", "all", {"pt": "o que você pode pedir", "en": "what you may run"}, help_, "", ("ajuda",)
)
PLUGINS = CommandSpec(
    "plugins",
    "bot admins",
    {"pt": "plugins e seu estado", "en": "plugins and their state"},
    plugins,
    "",
    (),
    configure_plugins,
    main_plugins,
)
COMMANDS = (STATUS, HELP, PLUGINS)
