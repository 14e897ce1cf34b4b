"""Replies on their way: as messages with a placeholder, or through an interaction that was deferred."""

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import discord

from adapters.discord.write import Page, draft_text, files_of, pages_of, plain_pages, view_of
from bot.messages import Inbound, Reply

if TYPE_CHECKING:
    from adapters.discord.outlet import DiscordOutlet

log = logging.getLogger("polyrag.discord")
SHOW_EVERY = 1.2  # seconds between two edits of one message; Discord takes five in five seconds a channel
NO_MESSAGE = 10008


@dataclass(slots=True)
class Held:
    """An interaction that is answered, until its reply is finished."""

    interaction: discord.Interaction[Any]
    deferred: bool  # False: Discord did not take the deferral any more
    ephemeral: bool


class MessageDraft:
    """A reply as messages of a channel, a thread or a direct message."""

    def __init__(self, inbound: Inbound, outlet: "DiscordOutlet", target: Any, reference: Any = None) -> None:
        self.inbound = inbound
        self.id = inbound.draft
        self._outlet = outlet
        self._target = target
        self._reference = reference
        self._shown = 0.0

    async def post(self, text: str) -> None:
        """The placeholder. Raises: discord.HTTPException."""
        sent = await self._send(content=text)
        self.id = str(sent.id)

    async def show(self, text: str) -> None:
        """The text so far; what is for one person's eyes is shown to nobody before it can be whispered to them."""
        if self.inbound.ephemeral and not self.inbound.direct:
            return
        now = asyncio.get_running_loop().time()
        if now - self._shown < SHOW_EVERY:
            return
        self._shown = now
        if not self.id:
            await self.post(draft_text(text))
        else:
            await self._placeholder().edit(content=draft_text(text))

    async def finish(self, reply: Reply) -> str:
        if reply.ephemeral and not self.inbound.direct:
            return await self._outlet.whisper(self.inbound, reply)
        pages = pages_of(reply, file_bytes=self._outlet.file_bytes(self._target))
        buttons = ""
        try:
            for number, page in enumerate(pages):
                sent = await self._put(await self._outlet.sendable(page, self._target), first=number == 0)
                buttons = sent if page.buttons else buttons
        except discord.HTTPException as err:
            if not refused(err):
                raise
            log.warning("rich message refused", extra={"error": str(err), "trace": reply.trace_id})
            buttons = await self._plainly(reply)
        return buttons

    async def _put(self, page: Page, *, first: bool) -> str:
        """One page; the first one takes the placeholder's place, if that is still there."""
        if first and self.id:
            try:
                await self._placeholder().edit(**in_place(page))
            except discord.NotFound as err:
                if err.code != NO_MESSAGE:
                    raise
            else:
                return self.id
        sent = await self._send(files=files_of(page), view=view_of(page))
        if first:
            self.id = str(sent.id)
        return str(sent.id)

    async def _plainly(self, reply: Reply) -> str:
        """The same reply without components: in a new message, since one that has components keeps them."""
        if self.id:
            await ignored(self._placeholder().delete())
            self.id = ""
        sent = [await self._send(content=text) for text in plain_pages(reply)]
        self.id = str(sent[-1].id)
        return self.id

    async def _send(self, **what: Any) -> discord.Message:
        reference, self._reference = self._reference, None  # only the first message points at the question
        if reference is not None:
            what |= {"reference": reference, "mention_author": False}
        sent: discord.Message = await self._target.send(**what)
        return sent

    def _placeholder(self) -> Any:
        return self._target.get_partial_message(int(self.id))


class InteractionDraft:
    """A reply to a slash command, a form or a button that was deferred before any work."""

    def __init__(self, inbound: Inbound, outlet: "DiscordOutlet", held: Held) -> None:
        self.inbound = inbound
        self.id = ""  # after a restart the deferral itself is taken over, see `stored`
        self._outlet = outlet
        self._held = held
        self._shown = 0.0

    async def show(self, text: str) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._shown < SHOW_EVERY or not self._usable():
            return
        self._shown = now
        await self._held.interaction.edit_original_response(content=draft_text(text))

    async def finish(self, reply: Reply) -> str:
        """Follow-ups while the token lives; a message of the channel, or a direct one where it is private, after."""
        hidden = self._held.ephemeral or reply.ephemeral
        if not self._usable():
            return await self._late(reply, hidden)
        try:
            message = await self._follow(reply, hidden)
        except discord.HTTPException as err:
            if token_expired(err):
                return await self._late(reply, hidden)
            if not refused(err):
                raise
            log.warning("rich message refused", extra={"error": str(err), "trace": reply.trace_id})
            await self._plainly(reply, hidden)
            return ""
        return "" if hidden else message

    async def _follow(self, reply: Reply, hidden: bool) -> str:
        interaction = self._held.interaction
        pages = pages_of(reply, file_bytes=self._outlet.file_bytes(interaction.channel))
        revealed = hidden and not self._held.ephemeral  # deferred for everybody, but not for everybody's eyes
        if revealed:
            await ignored(interaction.delete_original_response())
        buttons = ""
        for number, whole in enumerate(pages):
            page = await self._outlet.sendable(whole, interaction.channel)
            if number == 0 and not revealed:
                sent: Any = await interaction.edit_original_response(**in_place(page))
            else:
                sent = await interaction.followup.send(
                    files=files_of(page), view=view_of(page), ephemeral=hidden, wait=True
                )
            buttons = str(sent.id) if page.buttons else buttons
        return buttons

    async def _plainly(self, reply: Reply, hidden: bool) -> None:
        interaction = self._held.interaction
        await ignored(interaction.delete_original_response())
        for text in plain_pages(reply):
            await interaction.followup.send(text, ephemeral=hidden, wait=True)

    async def _late(self, reply: Reply, hidden: bool) -> str:
        if hidden:
            return await self._outlet.whisper(self.inbound, reply)
        draft = MessageDraft(self.inbound, self._outlet, await self._outlet.channel_of(self.inbound))
        return await draft.finish(replace(reply, ephemeral=False))

    def _usable(self) -> bool:
        return self._held.deferred and not self._held.interaction.is_expired()


def in_place(page: Page) -> dict[str, Any]:
    """A page in place of a draft. Text, and the previews that Discord made of its links, cannot stay beside components."""
    return {"content": None, "embeds": [], "attachments": files_of(page), "view": view_of(page)}


def refused(err: discord.HTTPException) -> bool:
    """Discord did not like the message's form, so a plainer one may pass."""
    return err.status == 400 and not token_expired(err)


def token_expired(err: discord.HTTPException) -> bool:
    """An interaction can be answered for fifteen minutes, and its first response for three seconds."""
    return err.code in (10015, 10062, 50027)


async def ignored(request: Any) -> None:
    """A request whose object may be gone by now, or never was there."""
    try:
        await request
    except (discord.NotFound, discord.Forbidden) as err:
        log.debug("nothing to take away", extra={"error": repr(err)})
