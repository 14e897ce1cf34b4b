"""What Discord brings through the plugin door: the adapter, and `polyrag discord invite`."""

from __future__ import annotations

import base64
import binascii
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING, Any

from bot.plugins.spec import AdapterSpec, CommandSpec, hookimpl
from core.errors import PolyragError

if TYPE_CHECKING:
    from bot.app import App
    from bot.commandline import CommandLine

TOKEN = "DISCORD_BOT_TOKEN"  # noqa: S105  the name of the variable, not a token
WHERE = {
    "en": "Discord Developer Portal → your application → Bot → Reset Token. On the same page, switch on 'Message Content "
    "Intent' and 'Server Members Intent'. Then: polyrag discord invite",
    "pt": "Discord Developer Portal → sua aplicação → Bot → Reset Token. Na mesma página, ligue 'Message Content Intent' e "
    "'Server Members Intent'. Depois: polyrag discord invite",
}


class NoApplication(PolyragError):
    messages = {
        "en": "Which application? Give its id (Developer Portal → your application → General Information) with "
        "--application, or set DISCORD_BOT_TOKEN.",
        "pt": "Qual aplicação? Indique o id dela (Developer Portal → sua aplicação → General Information) com "
        "--application, ou defina DISCORD_BOT_TOKEN.",
    }


@hookimpl
def register_adapters(settings: Any) -> tuple[AdapterSpec, ...]:
    return (AdapterSpec("discord", _serve, needs=(TOKEN,), where=WHERE),)


@hookimpl
def register_commands(settings: Any) -> tuple[CommandSpec, ...]:
    summary = {
        "pt": "o link que convida o bot para um servidor",
        "en": "the link that invites the bot to a server",
    }
    return (CommandSpec("discord", "all", summary, configure=_configure, main=_main),)


async def _serve(app: App) -> None:
    from adapters.discord.serve import serve  # late: discord.py is loaded only where it is used

    await serve(app)


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("action", choices=("invite",))
    parser.add_argument(
        "--application", metavar="ID", type=int, default=0, help="default: the one of the token"
    )


def _main(args: Namespace, line: CommandLine) -> int:
    """Raises: NoApplication."""
    from adapters.discord.permissions import invite_link

    application = args.application or application_of(_token())
    if not application:
        raise NoApplication()
    print(invite_link(application))
    return 0


def application_of(token: str) -> int:
    """The application's id, which a token carries in front of its secret; 0 when it carries none."""
    head = token.split(".", 1)[0]
    try:
        decoded = base64.b64decode(head + "=" * (-len(head) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return 0
    return int(decoded) if decoded.isdigit() else 0


def _token() -> str:
    from bot.config import missing_variables, secret

    return "" if missing_variables((TOKEN,)) else secret(TOKEN)
