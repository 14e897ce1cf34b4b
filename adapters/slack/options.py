"""`adapters.slack.options` of the configuration, and the tokens of the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Literal

from adapters.slack.meaning import (
    SLACK,
)
from bot.config_errors import Said, nearest
from core.errors import BadSetting
from core.settings import Settings

BOT_TOKEN, APP_TOKEN, SIGNING_SECRET = "SLACK_BOT_TOKEN", "SLACK_APP_TOKEN", "SLACK_SIGNING_SECRET"
WHERE = {
    "en": "Create the app at api.slack.com/apps from the manifest that `polyrag slack manifest` prints; the bot token "
    "(xoxb-…) is under OAuth & Permissions after installing it, {second}.",
    "pt": "Crie o app em api.slack.com/apps com o manifesto que `polyrag slack manifest` imprime; o token do bot "
    "(xoxb-…) fica em OAuth & Permissions depois de instalá-lo, {second}.",
}
SECOND = {
    "socket": {
        "en": "the app token (xapp-…, scope connections:write) under Basic Information, App-Level Tokens",
        "pt": "e o token do app (xapp-…, escopo connections:write) em Basic Information, App-Level Tokens",
    },
    "http": {
        "en": "the signing secret under Basic Information, App Credentials",
        "pt": "e o segredo de assinatura em Basic Information, App Credentials",
    },
}


_UNKNOWN = Said("não existe; {near}", "is unknown; {near}")
KINDS = {
    str: Said("precisa ser texto", "must be text"),
    int: Said("precisa ser um número inteiro", "must be a whole number"),
    float: Said("precisa ser um número", "must be a number"),
    bool: Said("precisa ser true ou false", "must be true or false"),
}


@dataclass(frozen=True, slots=True)
class SlackOptions:
    """How the adapter runs."""

    mode: Literal["socket", "http"] = "socket"
    host: str = "0.0.0.0"  # noqa: S104  Slack comes from outside; a proxy in front ends TLS
    port: int = 3000
    path: str = "/slack/events"
    api_url: str = "https://slack.com/api/"
    stream: bool = True  # statuses and streams where they work; else edited placeholders
    lookup_seconds: float = 60.0  # how long channels, members and people count as known
    file_grace: float = 2.0  # seconds that a file waits for the message it came with
    catch_up_minutes: float = (
        60.0  # how far back a start looks for what was written meanwhile; 0 = not at all
    )
    reconcile_minutes: float = 60.0  # between two comparisons of kept files with Slack; 0 = never
    drain_seconds: float = 20.0  # that replies under way get at the end
    parallel: int = 8  # events dealt with at a time


@dataclass(frozen=True, slots=True)
class Secrets:
    bot_token: str
    app_token: str = ""
    signing_secret: str = ""


def slack_options(settings: Settings) -> SlackOptions:
    """Raises: BadSetting for an unknown option, or a value of the wrong kind."""
    entry = settings.adapters.get(SLACK)
    given: Mapping[str, str | int | float | bool] = entry.options if entry else {}
    known: dict[str, type] = {
        field.name: type(getattr(SlackOptions(), field.name)) for field in fields(SlackOptions)
    }
    values: dict[str, object] = {}
    for name, value in given.items():
        if name not in known:
            raise _wrong(name, _UNKNOWN.filled(near=nearest(name, known)))
        wanted = known[name]
        fits = isinstance(value, wanted) or (wanted is float and isinstance(value, int))
        if not fits or (isinstance(value, bool) and wanted is not bool):
            raise _wrong(name, KINDS[wanted])
        values[name] = wanted(value)
    if values.get("mode", "socket") not in ("socket", "http"):
        raise _wrong("mode", Said("precisa ser socket ou http", "must be socket or http"))
    return SlackOptions(**values)  # type: ignore[arg-type]


def needed(options: SlackOptions) -> tuple[str, str]:
    """The two environment variables of a mode."""
    return BOT_TOKEN, APP_TOKEN if options.mode == "socket" else SIGNING_SECRET


def secrets() -> Secrets:
    """From the environment; `polyrag run` has checked that those needed are there."""
    names = (BOT_TOKEN, APP_TOKEN, SIGNING_SECRET)
    return Secrets(*(os.environ.get(name, "").strip() for name in names))


def where(options: SlackOptions) -> dict[str, str]:
    """Where the tokens of a mode are to be had, by language."""
    return {lang: text.format(second=SECOND[options.mode][lang]) for lang, text in WHERE.items()}


def _wrong(name: str, problem: Said) -> BadSetting:
    key = f"adapters.slack.options.{name}"
    told = Said("{key} {what}", "{key} {what}").filled(key=key, what=problem)
    return BadSetting(f"{key}: {problem.en}", problem=told.fact)
