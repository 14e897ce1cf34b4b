"""Slash commands, forms, context menus and buttons: deferred before any work, then handed to the desk."""

import logging
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import discord

from adapters.discord.drafts import Held, InteractionDraft, token_expired
from adapters.discord.forms import RememberForm
from adapters.discord.outlet import DiscordOutlet
from adapters.discord.read import (
    at_message,
    attachment_of,
    linked,
    read_interaction,
    read_target,
    stored,
)
from adapters.discord.slash import REMEMBER
from adapters.discord.write import files_of, fold_toggled, is_unfolded, pages_of, view_of
from bot.audience import AccessUnchecked
from bot.commands.files import readable
from bot.commands.run import may_run
from bot.desk import Desk
from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from bot.plugins.spec import CommandSpec
from core.normalize import fold

if TYPE_CHECKING:
    from bot.app import App

log = logging.getLogger("polyrag.discord")
NO_TRACE = "000000"  # an id that no answer has
Interaction = discord.Interaction[Any]
# What changes a channel is announced to that channel; everything else is for the eyes of who ran it.
FOR_ALL = frozenset({REMEMBER, "forget", "link", "unlink", "approve", "listen"})


class Interactions:
    """What people run and press."""

    def __init__(self, app: "App", desk: Desk, outlet: DiscordOutlet) -> None:
        self._app = app
        self._desk = desk
        self._outlet = outlet

    async def slash(self, interaction: Interaction, name: str, arguments: str) -> None:
        """Any slash command: deferred before any work, except the one that has to open a form."""
        if self._names(name) == REMEMBER and not arguments.strip():
            language = reader_language(
                "", read_interaction(interaction, ephemeral=True).locale, self._app.settings
            )
            await interaction.response.send_modal(RememberForm(language))
            return
        hidden = interaction.guild_id is not None and self._names(name) not in FOR_ALL
        inbound = read_interaction(
            interaction, name, self._resolved(name, interaction, arguments), ephemeral=hidden
        )
        await self._run(interaction, inbound, hidden)

    async def form_filled(self, interaction: Interaction, text: str, files: list[discord.Attachment]) -> None:
        attachments = tuple(attachment_of(item) for item in files)
        inbound = read_interaction(
            interaction, REMEMBER, text.strip(), ephemeral=False, attachments=attachments
        )
        if not attachments and not inbound.text:
            language = reader_language("", inbound.locale, self._app.settings)
            await interaction.response.send_message(say("discord_form_empty", language), ephemeral=True)
            return
        link = str(getattr(interaction.channel, "jump_url", ""))
        await self._run(interaction, replace(inbound, link=link), hidden=False)

    async def remember_this(self, interaction: Interaction, message: discord.Message) -> None:
        await self._run(interaction, read_target(interaction, message), hidden=False)

    async def why_this(self, interaction: Interaction, message: discord.Message) -> None:
        """Why one of the bot's answers came out as it did; other messages have no such answer."""
        inbound = read_interaction(interaction, "why", ephemeral=True)
        trace = self._trace_at(inbound, str(message.id)) or NO_TRACE
        await self._run(interaction, replace(inbound, text=trace), hidden=interaction.guild_id is not None)

    async def runnable(self, interaction: Interaction) -> Sequence[CommandSpec]:
        inbound = read_interaction(interaction, ephemeral=True)
        found = [
            spec for spec in self._app.commands.values() if spec.run and may_run(self._app, spec, inbound)
        ]
        return sorted(found, key=lambda spec: spec.name)

    async def files_here(self, interaction: Interaction) -> Sequence[str]:
        """What this person may read of this channel."""
        inbound = read_interaction(interaction, ephemeral=False)
        try:
            return [item.name for item in await readable(self._app, inbound) if item.tag == inbound.tag]
        except AccessUnchecked:  # suggestions are not the place to say so: the command itself will
            return []

    async def _run(self, interaction: Interaction, inbound: Inbound, hidden: bool) -> None:
        keys = (f"interaction:{interaction.id}",)
        event = {"kind": "command", "inbound": stored(inbound), "files": len(inbound.attachments)}
        if not self._desk.accept(keys, event):
            return
        held = Held(interaction, await self._deferred(interaction, hidden), hidden)
        self._desk.spawn(keys[0], self._held(held, self._desk.command(inbound)))

    def _resolved(self, name: str, interaction: Interaction, arguments: str) -> str:
        """`/why` also takes a link to the bot's message."""
        _, message = linked(arguments)
        if not message or self._names(name) != "why":
            return arguments
        return self._trace_at(read_interaction(interaction, ephemeral=True), message) or NO_TRACE

    def _trace_at(self, inbound: Inbound, message: str) -> str:
        """The answer that a message of this place is; a direct message has its person's own tag."""
        place = inbound.channel or f"@{inbound.user}"
        return self._desk.trace_of(inbound.workspace, place, message)

    def _names(self, name: str) -> str:
        """The command that a name or one of its aliases means."""
        for spec in self._app.commands.values():
            if fold(name) in {fold(known) for known in (spec.name, *spec.aliases)}:
                return spec.name
        return ""

    # --- buttons ---

    async def pressed(self, interaction: Interaction, action: str, trace: str) -> None:
        """A button under an answer. What it posts for everybody goes where the answer stands."""
        message = interaction.message
        private = bool(message and message.flags.ephemeral)
        inbound = read_interaction(interaction, ephemeral=private)
        keys = (f"interaction:{interaction.id}",)
        event = {
            "kind": "press",
            "inbound": stored(at_message(inbound, interaction)),
            "action": action,
            "trace": trace,
        }
        if not self._desk.accept(keys, event):
            return
        posts = action == "share" or (action == "fresh" and not private)
        silent = posts or action == "why"
        deferred = await self._deferred(interaction, hidden=True, silent=silent)
        held = Held(interaction, deferred, ephemeral=True)
        if posts:
            work = self._posting(at_message(inbound, interaction), action, trace, held)
        elif action == "why":
            work = self._folding(inbound, trace, held)
        else:
            work = self._telling(inbound, action, trace, held)
        self._desk.spawn(keys[0], self._held(held, work))

    async def _posting(self, inbound: Inbound, action: str, trace: str, held: Held) -> None:
        """A new answer for everybody; only when there is none is the person told."""
        told = await self._desk.press(inbound, action, trace)
        if told is not None:
            await self._whispered(held, told)

    async def _telling(self, inbound: Inbound, action: str, trace: str, held: Held) -> None:
        told = await self._desk.press(inbound, action, trace)
        if told is not None:
            await InteractionDraft(inbound, self._outlet, held).finish(replace(told, ephemeral=True))

    async def _folding(self, inbound: Inbound, trace: str, held: Held) -> None:
        """Unfold or fold the explanation in the message itself; where it does not fit, the person alone gets it."""
        message = held.interaction.message
        if message is None:
            return
        view = discord.ui.LayoutView.from_message(message, timeout=None)
        told = Reply("") if is_unfolded(view) else await self._desk.press(inbound, "why", trace)
        if told is None:
            return
        fits = (told.trace_id and (not told.ephemeral or inbound.ephemeral)) or not told.text
        toggled = fold_toggled(view, told.text) if fits else None
        if toggled is None or not held.deferred:
            await self._whispered(held, told)
            return
        await held.interaction.edit_original_response(view=toggled)

    async def _whispered(self, held: Held, reply: Reply) -> None:
        """A message for the presser alone, beside the one whose button was pressed."""
        if not held.deferred or held.interaction.is_expired():
            inbound = read_interaction(held.interaction, ephemeral=True)
            await self._outlet.whisper(inbound, reply)
            return
        for page in pages_of(reply):
            await held.interaction.followup.send(
                view=view_of(page), files=files_of(page), ephemeral=True, wait=True
            )

    # --- steps ---

    async def _deferred(self, interaction: Interaction, hidden: bool, *, silent: bool = False) -> bool:
        """Tell Discord that a reply is coming; False when it was told too late. Three seconds is all it waits."""
        try:
            if silent:
                await interaction.response.defer()
            else:
                await interaction.response.defer(ephemeral=hidden, thinking=True)
        except discord.HTTPException as err:
            if not token_expired(err):
                raise
            log.warning("deferred too late", extra={"interaction": interaction.id})
            return False
        return True

    async def _held(self, held: Held, work: Coroutine[Any, Any, None]) -> None:
        self._outlet.hold(held)
        try:
            await work
        finally:
            self._outlet.release(held.interaction)
