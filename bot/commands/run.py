"""Find a command, check who may run it, run it."""

from __future__ import annotations

from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from core.harmless import shown_name
from core.normalize import fold

if TYPE_CHECKING:
    from bot.app import App
    from bot.plugins.spec import CommandSpec
    from core.types import Language


async def run_command(app: App, inbound: Inbound) -> Reply:
    """Run the command that the message names. Raises: PolyragError."""
    language = reader_language("", inbound.locale, app.settings)  # arguments are names, not sentences
    wanted = fold(inbound.command)
    names = {fold(n): spec for spec in app.commands.values() for n in (spec.name, *spec.aliases)}
    spec = names.get(wanted)
    if spec is None or spec.run is None:
        runnable = [n for n, s in names.items() if s.run and may_run(app, s, inbound)]
        near = get_close_matches(wanted, runnable, n=1)
        if near:
            return Reply(
                say("nearest_command", language, name=shown_name(inbound.command), nearest=near[0]), language
            )
        return Reply(say("unknown_command", language, name=shown_name(inbound.command)), language)
    if not may_run(app, spec, inbound):
        if app.is_admin(inbound):
            return configured_only(language)
        return Reply(say("admins_only", language), language)
    reply = await spec.run(app, inbound, inbound.text)
    assert isinstance(reply, Reply)
    return reply


def may_run(app: App, spec: CommandSpec, inbound: Inbound) -> bool:
    """Whether this person may run a command; membership is checked by what the command reads."""
    if spec.who == "bot admins":
        return configured_admin(app, inbound)
    return spec.who != "admins" or app.is_admin(inbound)


def configured_admin(app: App, inbound: Inbound) -> bool:
    """Listed in the configuration. What concerns the whole bot is for them: the platform's word makes somebody an
    admin of one workspace only.
    """
    return app.is_admin(replace(inbound, admin=False))


def acts_on(app: App, inbound: Inbound, workspace: str) -> bool:
    """Whether this admin has a say in a workspace ("platform:workspace"): their own, or any if configured."""
    return workspace == f"{inbound.platform}:{inbound.workspace}" or configured_admin(app, inbound)


def configured_only(language: Language) -> Reply:
    """The refusal of what concerns the whole bot."""
    return Reply(say("configured_admins_only", language), language, ephemeral=True)
