"""erase: take a whole channel, or everything of a person, away; with a receipt."""

from __future__ import annotations

import re
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from bot.audience import CONSOLE, WORKSPACE, UnknownChannel, channel_tag, console_channel
from bot.commandline import CommandLine, add_json, print_json, system_user
from bot.commands.files import channel_name
from bot.commands.listening import whole_place
from bot.commands.run import configured_admin, configured_only
from bot.erasing import Removed, removed_json
from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from bot.plugins.spec import CommandSpec
from core.errors import NotAllowed
from core.harmless import shown_name, unlinked

if TYPE_CHECKING:
    from bot.app import App
    from core.types import Language

_CODE = 6  # hex digits that confirm an erasure
_MENTION = re.compile(r"^(?:<@!?([^>|]+)(?:\|[^>]*)?>|@?(\S+))$")  # <@U1>, <@!1>, <@U1|ana>, @ana, ana


async def erase(app: App, inbound: Inbound, arguments: str) -> Reply:
    """`erase user @ana` (or `erase @ana`), or `erase channel`: the one in which it is said, once it is confirmed."""
    language = reader_language("", inbound.locale, app.settings)
    actor = f"{inbound.platform}:{inbound.user}"
    words = arguments.split()
    if words[:1] == ["channel"] and len(words) <= 2 and inbound.channel:
        return await _erase_channel(app, inbound, words[1:], language)
    found = _MENTION.match(words[-1]) if words and words[:-1] in ([], ["user"]) else None
    if found is None or words == ["channel"]:
        return Reply(
            say("usage", language, usage="erase user @name | erase channel"), language, ephemeral=True
        )
    if not configured_admin(app, inbound):  # a person's direct messages may belong to no workspace
        return configured_only(language)
    user = found.group(1) or found.group(2)
    removed = await app.erase_user(inbound.platform, inbound.workspace, user, actor)
    what = say("erased_user", language, user=unlinked(user))
    return Reply(receipt_line(what, removed, language), language, ephemeral=True)


async def _erase_channel(app: App, inbound: Inbound, given: Sequence[str], language: Language) -> Reply:
    """Names the channel first: the code that confirms it holds for that one alone. Raises: NotAllowed."""
    if inbound.tag not in (await app.scope(inbound)).tags:
        raise NotAllowed(f"{inbound.user} may not erase {inbound.tag}")
    code = sha256(inbound.tag.encode()).hexdigest()[:_CODE]
    if list(given) != [code]:
        names = {p.name for p in app.ingest_ports.ledger.placements([inbound.tag])}
        facts = {"where": whole_place(inbound, language), "n": len(names), "code": code}
        return Reply(say("erase_asked", language, **facts), language, ephemeral=True)
    removed = await app.forget_channel(inbound.tag, f"{inbound.platform}:{inbound.user}")
    what = say("erased_channel", language, channel=channel_name(inbound.tag))
    return Reply(receipt_line(what, removed, language), language)


def receipt_line(what: str, removed: Removed, language: Language) -> str:
    """How much of each kind went; kinds of which nothing went are left out."""
    counts = [
        say(f"erased_{name}", language, n=n)
        for name, n in removed_json(removed).items()
        if name != "stores" and isinstance(n, int) and n
    ]
    counts += [say("erased_store", language, store=store, n=n) for store, n in removed.stores if n]
    return f"{what} {', '.join(counts) or say('erased_nothing', language)}."


# --- command line ----------------------------------------------------------------------------------


def configure_erase(parser: ArgumentParser) -> None:
    parser.add_argument("kind", choices=("user", "channel"))
    parser.add_argument("name", metavar="NAME", help="the platform's id of the person or the channel")
    parser.add_argument("--platform", metavar="P", default=CONSOLE, help="default: %(default)s")
    parser.add_argument("--workspace", metavar="W", default=WORKSPACE, help="default: %(default)s")
    add_json(parser)


def main_erase(args: Namespace, line: CommandLine) -> int:
    """Raises: UnknownChannel."""
    language = line.settings.language
    actor = f"{CONSOLE}:{system_user()}"

    async def work(app: App) -> int:
        if args.kind == "channel":
            name = args.name.lstrip("#")
            if args.platform == CONSOLE:
                name = _channel_of(app, name)
            removed = await app.forget_channel(f"{args.platform}:{args.workspace}/{name}", actor)
            what = say("erased_channel", language, channel=f"#{name}")
        else:
            removed = await app.erase_user(args.platform, args.workspace, args.name, actor)
            what = say("erased_user", language, user=args.name)
        await app.jobs.settle()
        sure = (
            args.kind == "channel" and args.platform == CONSOLE
        )  # an empty one that is declared is no mistake
        unknown = not sure and removed == Removed(stores=removed.stores)
        if args.json:
            print_json({"removed": removed_json(removed)})
        elif unknown:
            place = f"{args.platform}:{args.workspace}"
            said = say("erase_unknown", language, user=shown_name(args.name), place=place)
            print(f"polyrag: {said}", file=sys.stderr)
        else:
            print(receipt_line(what, removed, language))
        return 1 if unknown else 0

    return line.run(work, chat=False)


def _channel_of(app: App, name: str) -> str:
    """A declared channel, or one that still holds files though the configuration has renamed it or dropped it.

    Raises: UnknownChannel.
    """
    if any(p.tag == channel_tag(name) for p in app.ingest_ports.ledger.everything(channel_tag(name))):
        return name
    found = console_channel(name, system_user(), app.settings.channels)
    if not found:
        raise UnknownChannel("a direct message is no channel", name=name, near="")
    return found


ERASE = CommandSpec(
    "erase",
    "admins",
    {
        "pt": "apaga tudo deste canal ou de uma pessoa, com recibo",
        "en": "erases everything of this channel or of a person, with a receipt",
    },
    erase,
    "user @name | channel",
    ("apagar",),
    configure_erase,
    main_erase,
)
COMMANDS = (ERASE,)
