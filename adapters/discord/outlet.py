"""Where replies go: threads, direct messages, interactions. Placeholders first, throttled edits, then the final pages."""

import logging
from collections.abc import Mapping, MutableMapping
from dataclasses import replace
from typing import Any

import discord

from adapters.discord.advice import Adviser
from adapters.discord.drafts import Held, InteractionDraft, MessageDraft, ignored
from adapters.discord.permissions import Need, has
from adapters.discord.read import INTERACTION, PLATFORM
from adapters.discord.write import Page, without_files
from bot.desk import Draft, Sign
from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from bot.plain import shortened
from core.errors import NotAllowed
from core.harmless import harmless
from core.settings import Settings

log = logging.getLogger("polyrag.discord")
SIGNS: Mapping[Sign, str] = {"seen": "👀", "done": "✅", "failed": "⚠️"}
SIGNS_KEPT = 5_000  # messages whose latest mark is remembered
THREAD_NAME = 80  # characters
THREAD_EXISTS = 160004
Opens = discord.TextChannel  # only text and announcement channels have threads that a message opens


class CannotReply(NotAllowed):
    """The bot may not write where it was asked; the person was told so directly."""


class DiscordOutlet:
    """Discord's side of the desk."""

    platform = PLATFORM

    def __init__(self, client: discord.Client, settings: Settings, adviser: Adviser) -> None:
        self._client = client
        self._settings = settings
        self._adviser = adviser
        self._held: MutableMapping[str, Held] = {}
        self._signs: dict[str, Sign] = {}  # by message, the latest ones

    # --- interactions ---

    def hold(self, held: Held) -> None:
        """Replies to this interaction go through it until it is released."""
        self._held[f"{INTERACTION}{held.interaction.id}"] = held

    def release(self, interaction: discord.Interaction[Any]) -> None:
        self._held.pop(f"{INTERACTION}{interaction.id}", None)

    # --- the desk's outlet ---

    async def begin(self, inbound: Inbound, *, quiet: bool = False) -> Draft:
        """Raises: CannotReply; discord.HTTPException when Discord itself is in trouble."""
        held = self._held.get(inbound.place)
        if held is not None:
            return InteractionDraft(inbound, self, held)
        draft: MessageDraft | None = None
        try:
            draft = await self._message_draft(inbound, quiet)
            if not (quiet or inbound.ephemeral or draft.id):  # what is private has no placeholder in public
                await draft.post(say("discord_working", self._language(inbound)))
        except discord.Forbidden as err:
            await self._no_reply(draft.inbound if draft else inbound)
            raise CannotReply(f"no reply in {inbound.tag}: {err}") from err
        return draft

    async def sign(self, inbound: Inbound, sign: Sign) -> None:
        """A reaction on the message. What is not a message (a form) or is gone has none."""
        if not inbound.id.isdigit():
            return
        message = (await self.channel_of(inbound)).get_partial_message(int(inbound.id))
        try:
            await message.add_reaction(SIGNS[sign])
        except discord.Forbidden:
            guild = self._client.get_guild(int(inbound.workspace)) if not inbound.direct else None
            if guild:
                await self._adviser.missing(guild, Need.add_reactions, message.channel.id)
            return
        except discord.NotFound:
            return
        former = self._signs.pop(inbound.id, "seen")  # an earlier process can only have left "seen"
        self._signs[inbound.id] = sign
        if len(self._signs) > SIGNS_KEPT:
            del self._signs[next(iter(self._signs))]
        if former != sign and sign != "seen" and self._client.user is not None:
            await ignored(message.remove_reaction(SIGNS[former], self._client.user))

    # --- places ---

    async def channel_of(self, inbound: Inbound) -> Any:
        """What a message's reply is sent to. Raises: discord.HTTPException."""
        held = self._held.get(inbound.place)
        if held is not None and held.interaction.channel is not None:
            return held.interaction.channel
        place = inbound.place if inbound.place.isdigit() else inbound.thread or inbound.channel
        if not place:
            return await (await self._person(inbound.user)).create_dm()
        known = self._client.get_channel(int(place))
        return known if known is not None else await self._client.fetch_channel(int(place))

    async def whisper(self, inbound: Inbound, reply: Reply) -> str:
        """A private reply where no ephemeral one can be had: a direct message, without its buttons."""
        person = await self._person(inbound.user)
        draft = MessageDraft(replace(inbound, direct=True, draft=""), self, await person.create_dm())
        await draft.finish(replace(reply, buttons=()))
        return ""

    def file_bytes(self, target: Any) -> int:
        """The largest file that a server takes: its boosts raise the limit."""
        guild = getattr(target, "guild", None)
        limit = getattr(guild, "filesize_limit", None)
        return int(limit or discord.utils.DEFAULT_FILE_SIZE_LIMIT_BYTES)

    async def sendable(self, page: Page, target: Any) -> Page:
        """A page as the bot may send it there: without the permission for files, it says so in their place."""
        guild = getattr(target, "guild", None)
        if not page.files or guild is None or has(target.permissions_for(guild.me), Need.attach_files):
            return page
        await self._adviser.missing(guild, Need.attach_files, target.id)
        return without_files(page)

    async def _person(self, user: str) -> discord.User:
        return self._client.get_user(int(user)) or await self._client.fetch_user(int(user))

    async def _message_draft(self, inbound: Inbound, quiet: bool) -> MessageDraft:
        channel = await self.channel_of(inbound)
        if inbound.direct or inbound.thread:
            inbound = replace(inbound, thread=inbound.thread or str(channel.id))
            return MessageDraft(inbound, self, channel)
        if not inbound.id.isdigit() or inbound.place:
            return MessageDraft(inbound, self, channel)
        question = channel.get_partial_message(int(inbound.id))
        if not quiet:
            thread = await self._thread_for(inbound, channel, question)
            if thread is not None:
                own = str(thread.id)
                return MessageDraft(replace(inbound, thread=own, place=own), self, thread)
        reference = question.to_reference(fail_if_not_exists=False)
        # A thread that a message opens has the message's id: what is said about it here belongs to the same thread.
        return MessageDraft(replace(inbound, thread=inbound.id), self, channel, reference)

    async def _thread_for(self, inbound: Inbound, channel: Any, question: Any) -> discord.Thread | None:
        """The thread of a question; None where there can be none, or the bot may not open one."""
        existing = self._client.get_channel(question.id)
        if isinstance(existing, discord.Thread):
            return existing
        if not isinstance(channel, Opens):
            return None
        granted = channel.permissions_for(channel.guild.me)
        for need in (Need.create_public_threads, Need.send_messages_in_threads):
            if not has(granted, need):
                await self._adviser.missing(channel.guild, need, channel.id)
                return None
        name = shortened(" ".join(harmless(inbound.text).split()), THREAD_NAME) or self._settings.answer.name
        try:
            opened: discord.Thread = await question.create_thread(name=name)
        except discord.HTTPException as err:
            if err.code == THREAD_EXISTS:
                found = await self._client.fetch_channel(question.id)
                return found if isinstance(found, discord.Thread) else None
            log.warning("no thread", extra={"tag": inbound.tag, "error": repr(err)})
            return None
        return opened

    async def _no_reply(self, inbound: Inbound) -> None:
        """The bot may not write here: tell the admins the switch, and the person why there is silence."""
        guild = None if inbound.direct else self._client.get_guild(int(inbound.workspace))
        if guild is None:
            return
        need = Need.send_messages_in_threads if inbound.thread else Need.send_messages
        channel = int(inbound.thread or inbound.channel)
        await self._adviser.missing(guild, need, channel)
        if not inbound.from_bot:
            text = say("discord_no_reply", self._language(inbound), channel=f"<#{channel}>", name=need.value)
            await self._adviser.tell(int(inbound.user), text)

    def _language(self, inbound: Inbound) -> Any:
        return reader_language(inbound.text, inbound.locale, self._settings)
