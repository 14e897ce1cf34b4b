"""servers: look at and control the model servers of this home."""

from __future__ import annotations

import asyncio
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from bot.commandline import CommandLine, add_json, print_json
from bot.commands.run import configured_admin, configured_only
from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from bot.plain import fenced
from bot.plugins.spec import CommandSpec

if TYPE_CHECKING:
    from bot.app import App
    from bot.models.servers import ServerManager, ServerStatus
    from core.types import Language

ROLES = ("embed", "chat", "ocr")
ACTIONS = ("status", "start", "stop", "restart", "logs")
LOG_LINES = 20
_FOLDERS = re.compile(r"(?:/[^\s/'\",;:]+)+/")


async def servers(app: App, inbound: Inbound, arguments: str) -> Reply:
    """Looking is for administrators, the rest for configured ones. No folders are named, and only the asker reads it."""
    language = reader_language("", inbound.locale, app.settings)
    words = arguments.split() or ["status"]
    action, roles = words[0], words[1:] or list(ROLES)
    if action not in ACTIONS or len(words) > 2 or not set(roles) <= set(ROLES):
        return Reply(say("usage", language, usage=f"servers {SERVERS.usage}"), language)
    if action != "status" and not configured_admin(app, inbound):
        return configured_only(language)
    if app.servers is None:
        return Reply(say("no_servers_here", language), language, ephemeral=True)
    if action != "status" and action != "logs":
        app.audit(inbound, f"servers {action}", {"roles": roles})
    text = await asyncio.to_thread(act, app.servers, action, roles, language)
    return Reply(_FOLDERS.sub("…/", text), language, ephemeral=True)


def act(manager: ServerManager, action: str, roles: Iterable[str], language: Language) -> str:
    """Do one action for these roles and say how things stand. Raises: PolyragError."""
    chosen = list(roles)
    if action == "logs":
        tails = {role: manager.log_tail(role, LOG_LINES) or say("no_log", language) for role in chosen}
        return "\n".join(f"{role}:\n{fenced(tail)}" for role, tail in tails.items())
    running = [role for role in chosen if manager.role(role).provider != "off"]
    if action == "stop" and set(chosen) == set(ROLES):
        manager.stop_all()
    elif action != "status":
        change = {"start": manager.start, "stop": manager.stop, "restart": manager.restart}[action]
        for role in running:
            change(role)
    lines = [status_line(manager.status_of(role), language) for role in chosen]
    return fenced("\n".join(lines))


def status_line(status: ServerStatus, language: Language) -> str:
    """`embed   running   multilingual-e5-small   CPU   120 MiB`."""
    facts = [f"{status.role:<6} {say('server_' + status.state, language):<10}", status.model]
    if status.pid:
        device = "CPU" if status.device in ("", "none") else status.device
        facts += [device, f"{status.memory_mib:.0f} MiB", f"127.0.0.1:{status.port}", f"pid {status.pid}"]
    return "  ".join(fact for fact in [*facts, status.why.get(language, "")] if fact)


# --- command line ----------------------------------------------------------------------------------


def configure(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("role", nargs="?", choices=ROLES, help="default: every role")
    add_json(parser)


def main(args: Namespace, line: CommandLine) -> int:
    """Servers started here outlive the command; `polyrag servers stop` ends them."""
    from bot.models.servers import ServerManager

    language = line.settings.language
    roles = [args.role] if args.role else list(ROLES)
    with ServerManager(line.settings, line.home, detached=True) as manager:
        text = act(manager, args.action, roles, language)
        if args.json:
            print_json({"servers": [asdict(manager.status_of(role)) for role in roles]})
        else:
            print(text.replace("```\n", "").replace("\n```", ""))
    return 0


SERVERS = CommandSpec(
    "servers",
    "admins",
    {"pt": "vê e controla os servidores de modelos", "en": "looks at and controls the model servers"},
    servers,
    "[status|start|stop|restart|logs] [embed|chat|ocr]",
    ("servidores",),
    configure,
    main,
)
COMMANDS = (SERVERS,)
