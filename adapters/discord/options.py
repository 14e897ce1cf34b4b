"""What the adapter is started with, and what stops it from starting."""

import discord

from adapters.discord.read import PLATFORM
from bot.config_errors import Said, nearest
from core.errors import BadSetting, PolyragError
from core.settings import Settings

OPTIONS: dict[str, float] = {
    "parallel": 8,  # events that are worked on at once
    "drain_seconds": 10,  # how long a stop waits for replies
    "catch_up_minutes": 60,  # how far back a start looks for what was written meanwhile; 0 = not at all
}


class TokenRefused(PolyragError):
    messages = {
        "en": "Discord refuses the token in DISCORD_BOT_TOKEN. Developer Portal → your application → Bot → Reset Token "
        "gives a new one.",
        "pt": "O Discord recusa o token em DISCORD_BOT_TOKEN. Developer Portal → sua aplicação → Bot → Reset Token dá um "
        "novo.",
    }


class IntentsMissing(PolyragError):
    messages = {
        "en": "Discord does not let the bot read messages. Developer Portal → your application → Bot → Privileged Gateway "
        "Intents: switch on 'Message Content Intent' and 'Server Members Intent', save, and start again.",
        "pt": "O Discord não deixa o bot ler mensagens. Developer Portal → sua aplicação → Bot → Privileged Gateway "
        "Intents: ligue 'Message Content Intent' e 'Server Members Intent', salve e inicie de novo.",
    }


def intents() -> discord.Intents:
    """What is asked of the gateway. `message_content` and `members` are switches of the Developer Portal."""
    return discord.Intents(
        guilds=True, members=True, guild_messages=True, dm_messages=True, message_content=True
    )


def options_of(settings: Settings) -> dict[str, float]:
    """`adapters.discord.options` over the defaults. Raises: BadSetting."""
    entry = settings.adapters.get(PLATFORM)
    chosen = dict(entry.options) if entry else {}
    for name, value in chosen.items():
        if name not in OPTIONS:
            raise _wrong(
                name, Said("não existe; {near}", "is unknown; {near}").filled(near=nearest(name, OPTIONS))
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            said = Said(
                "{value!r} não serve: um número, 0 ou mais", "{value!r} does not fit: a number, 0 or more"
            )
            raise _wrong(name, said.filled(value=value))
    given = {name: float(value) for name, value in chosen.items()}
    return {**OPTIONS, **given, "parallel": max(1.0, given.get("parallel", OPTIONS["parallel"]))}


def _wrong(name: str, problem: Said) -> BadSetting:
    told = Said("{key}: {what}", "{key}: {what}").filled(key=f"adapters.discord.options.{name}", what=problem)
    return BadSetting(told.en, problem=told.fact)
