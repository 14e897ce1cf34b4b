"""Slash commands and context menus, made from the app's own commands: nothing is declared twice.

Every command has its short form with typed options, read from its usage line, and `/polyrag name arguments`, which
also takes commands whose name or arguments Discord's forms do not fit.
"""

import inspect
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import discord
from discord import app_commands

from bot.phrases import TEXTS
from bot.plain import shortened
from bot.plugins.spec import CommandSpec
from core.normalize import fold

log = logging.getLogger("polyrag.discord")
GENERAL = "polyrag"
REMEMBER = "remember"
DESCRIPTION = 100  # characters
CHOICES = 25
_NAME = re.compile(r"[-_a-z0-9]{1,32}")
_TOKEN = re.compile(r"\[[^\]]*\]|\S+")
_LITERALS = frozenset({"no"})  # words of a usage line that are typed as they stand
REMEMBER_THIS = ("Guardar isto", "Remember this")
WHY_THIS = ("Por que esta resposta?", "Why this answer?")
AnyChannel = app_commands.AppCommandChannel | app_commands.AppCommandThread
Interaction = discord.Interaction[Any]


class Handler(Protocol):
    """What the commands call; adapters.discord.interactions has it."""

    async def slash(self, interaction: Interaction, name: str, arguments: str) -> None: ...

    async def remember_this(self, interaction: Interaction, message: discord.Message) -> None: ...

    async def why_this(self, interaction: Interaction, message: discord.Message) -> None: ...

    async def runnable(self, interaction: Interaction) -> Sequence[CommandSpec]: ...

    async def files_here(self, interaction: Interaction) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a short form."""

    name: str
    kind: Literal["text", "channel", "choice"]
    required: bool
    choices: tuple[str, ...] = ()


class PortugueseNames(app_commands.Translator):
    """Texts carry their Portuguese form with them; other locales see the English one."""

    async def translate(
        self,
        string: app_commands.locale_str,
        locale: discord.Locale,
        context: app_commands.TranslationContextTypes,
    ) -> str | None:
        return string.extras.get("pt") if locale is discord.Locale.brazil_portuguese else None


def add_commands(tree: app_commands.CommandTree[Any], specs: Iterable[CommandSpec], handler: Handler) -> None:
    """Register everything; a plugin's command whose name Discord refuses stays reachable as `/polyrag name`."""
    chosen = [spec for spec in specs if spec.run is not None]
    for spec in sorted(chosen, key=lambda s: s.name):
        if not _NAME.fullmatch(spec.name) or spec.name == GENERAL:
            log.warning("no short form", extra={"command": spec.name})
            continue
        tree.add_command(short_form(spec, handler))
    tree.add_command(general_form(handler))
    for (portuguese, english), act in ((REMEMBER_THIS, handler.remember_this), (WHY_THIS, handler.why_this)):
        name = app_commands.locale_str(english, pt=portuguese)
        tree.add_command(app_commands.ContextMenu(name=name, callback=_on_message(act)))


def options_of(spec: CommandSpec) -> tuple[Option, ...]:
    """The options that a usage line names, in its order: `[id]` may be left out, `on|off` is a choice, `#` a channel."""
    if spec.name == REMEMBER:
        return ()  # a form asks for its files or text
    found: list[Option] = []
    for token in _TOKEN.findall(spec.usage):
        bare, required = token.strip("[]"), not token.startswith("[")
        if "|" in bare or bare in _LITERALS:
            name = "action" if not any(option.kind == "choice" for option in found) else "role"
            found.append(Option(name, "choice", required, tuple(bare.split("|"))))
        elif bare.startswith("#"):
            found.append(Option("channel", "channel", required))
        elif _NAME.fullmatch(bare):
            found.append(Option(bare, "text", required))
        else:
            return (Option("arguments", "text", required=False),)
    return tuple(found)


def arguments_of(options: Sequence[Option], values: Mapping[str, Any]) -> str:
    """What was filled in, as it would have been typed."""
    words = []
    for option in options:
        value = values.get(option.name)
        if value is None or value == "":
            continue
        words.append(f"<#{value.id}>" if option.kind == "channel" else str(value))
    return " ".join(words)


def short_form(spec: CommandSpec, handler: Handler) -> app_commands.Command[Any, ..., None]:
    """`/ask question`, `/link channel`: its options typed, its texts in both languages."""
    options = options_of(spec)

    async def run(interaction: Interaction, **values: Any) -> None:
        await handler.slash(interaction, spec.name, arguments_of(options, values))

    _declare(run, options)
    command: app_commands.Command[Any, ..., None] = app_commands.Command(
        name=_localised_name(spec), description=_described(spec.summary), callback=run
    )
    if spec.who in ("admins", "bot admins"):
        command.default_permissions = discord.Permissions(manage_guild=True)
    if any(option.name == "file" for option in options):
        command.autocomplete("file")(_completing(handler.files_here))
    return command


def general_form(handler: Handler) -> app_commands.Command[Any, ..., None]:
    """`/polyrag name arguments`: every command, and an answer for names that do not exist."""

    async def run(interaction: Interaction, name: str, arguments: str = "") -> None:
        await handler.slash(interaction, name.strip().lstrip("/!"), arguments)

    async def names(interaction: Interaction) -> list[str]:
        return [spec.name for spec in await handler.runnable(interaction)]

    texts = {"name": _text("discord_command_name"), "arguments": _text("discord_arguments")}
    app_commands.describe(**texts)(run)
    command: app_commands.Command[Any, ..., None] = app_commands.Command(
        name=GENERAL, description=_text("discord_general"), callback=run
    )
    command.autocomplete("name")(_completing(names))
    return command


def _declare(run: Callable[..., Any], options: Sequence[Option]) -> None:
    """Give a callback the signature from which discord.py reads options. Discord wants the required ones first."""
    kinds: dict[str, Any] = {"text": str, "choice": str, "channel": AnyChannel}
    parameters = [
        inspect.Parameter("interaction", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=Interaction)
    ]
    for option in sorted(options, key=lambda o: not o.required):
        kind = kinds[option.kind]
        parameters.append(
            inspect.Parameter(
                option.name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                annotation=kind if option.required else kind | None,
                default=inspect.Parameter.empty if option.required else None,
            )
        )
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    if options:
        app_commands.describe(**{option.name: _text("discord_arguments") for option in options})(run)
    for option in options:
        if option.choices:
            listed = [app_commands.Choice(name=choice, value=choice) for choice in option.choices]
            app_commands.choices(**{option.name: listed})(run)


def _completing(
    known: Callable[[Interaction], Awaitable[Sequence[str]]],
) -> Callable[[Interaction, str], Coroutine[Any, Any, list[app_commands.Choice[str]]]]:
    """Suggestions that hold what was typed so far, as people type it: without accents and capitals."""

    async def complete(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        names = [
            name for name in await known(interaction) if fold(current) in fold(name) and len(name) <= 100
        ]
        return [app_commands.Choice(name=name, value=name) for name in names[:CHOICES]]

    return complete


def _on_message(
    act: Callable[[Interaction, discord.Message], Awaitable[None]],
) -> Callable[[Interaction, discord.Message], Any]:
    async def run(interaction: Interaction, message: discord.Message) -> None:
        await act(interaction, message)

    return run


def _localised_name(spec: CommandSpec) -> app_commands.locale_str:
    """The first alias is the command's Portuguese name."""
    alias = next((name for name in spec.aliases if _NAME.fullmatch(name)), spec.name)
    return app_commands.locale_str(spec.name, pt=alias)


def _described(summary: Mapping[str, str]) -> app_commands.locale_str:
    english = summary.get("en") or next(iter(summary.values()), "") or "—"
    portuguese = summary.get("pt") or english
    return app_commands.locale_str(shortened(english, DESCRIPTION), pt=shortened(portuguese, DESCRIPTION))


def _text(key: str) -> app_commands.locale_str:
    portuguese, english = TEXTS[key]
    return app_commands.locale_str(shortened(english, DESCRIPTION), pt=shortened(portuguese, DESCRIPTION))
