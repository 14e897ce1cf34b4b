"""What the console brings through the plugin door: the adapter, and `polyrag chat`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from bot.plugins.spec import AdapterSpec, CommandSpec, hookimpl

if TYPE_CHECKING:
    from bot.app import App
    from bot.commandline import CommandLine


@hookimpl
def register_adapters(settings: Any) -> tuple[AdapterSpec, ...]:
    return (AdapterSpec("console", _serve),)


@hookimpl
def register_commands(settings: Any) -> tuple[CommandSpec, ...]:
    summary = {"pt": "conversa com o bot no terminal", "en": "talk to the bot in the terminal"}
    return (CommandSpec("chat", "all", summary, configure=_configure, main=_main),)


async def _serve(app: App) -> None:
    from adapters.console.serve import serve  # late: rich and the loop are needed only when someone talks

    await serve(app)


def _configure(parser: ArgumentParser) -> None:
    from bot.commandline import add_place

    add_place(parser)
    parser.add_argument(
        "--thread", metavar="ID", default="", help="go on in this thread (default: a new one)"
    )


def _main(args: Namespace, line: CommandLine) -> int:
    from adapters.console.read import Seat
    from adapters.console.serve import chat, new_thread
    from bot.commandline import inbound_of

    inbound = inbound_of(args, line.settings)

    async def work(app: App) -> int:
        await chat(app, Seat(inbound.user, inbound.channel, inbound.thread or new_thread()))
        return 0

    return line.run(work)
