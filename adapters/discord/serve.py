"""Discord's loop: events in, the desk decides, the outlet replies; what Discord takes away goes from the bot too."""

import asyncio
import logging
from collections.abc import Coroutine
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.utils import utcnow

from adapters.discord.advice import Adviser
from adapters.discord.directory import DiscordDirectory
from adapters.discord.forms import AnswerButton
from adapters.discord.interactions import Interactions
from adapters.discord.options import IntentsMissing, TokenRefused, intents, options_of
from adapters.discord.outlet import DiscordOutlet
from adapters.discord.plugin import TOKEN
from adapters.discord.read import (
    PLATFORM,
    Me,
    message_keys,
    read_edit,
    read_message,
)
from adapters.discord.reconcile import (
    RECONCILE_EVERY,
    attachments_gone,
    messages_gone,
    reconcile,
    server_gone,
    thread_gone,
)
from adapters.discord.recovery import catch_up, recover
from adapters.discord.slash import PortugueseNames, add_commands
from bot.config import secret
from bot.desk import Desk
from bot.messages import Inbound

if TYPE_CHECKING:
    from bot.app import App

log = logging.getLogger("polyrag.discord")


async def serve(app: "App") -> None:
    """Until cancelled. Raises: TokenRefused, IntentsMissing."""
    client = PolyragClient(app)
    try:
        await client.start(secret(TOKEN))
    except discord.LoginFailure as err:
        raise TokenRefused(str(err)) from err
    except discord.PrivilegedIntentsRequired as err:
        raise IntentsMissing(str(err)) from err
    finally:
        await client.stop()


class PolyragClient(discord.Client):
    """The connection, its event handlers, and nothing that decides anything."""

    def __init__(self, app: "App") -> None:
        super().__init__(intents=intents(), allowed_mentions=discord.AllowedMentions.none())
        self.app = app
        self.options = options_of(app.settings)
        self.adviser = Adviser(self, app.settings.permissions.admins, app.settings.language)
        self.outlet = DiscordOutlet(self, app.settings, self.adviser)
        self.desk = Desk(app, self.outlet, parallel=int(self.options["parallel"]))
        self.directory = DiscordDirectory(self)
        app.directories[PLATFORM] = self.directory
        self.tree: app_commands.CommandTree[Any] = app_commands.CommandTree(
            self,
            allowed_contexts=app_commands.AppCommandContext(
                guild=True, dm_channel=True, private_channel=False
            ),
            allowed_installs=app_commands.AppInstallationType(guild=True, user=False),
        )
        self.interactions = Interactions(app, self.desk, self.outlet)
        self._side: set[asyncio.Task[None]] = set()
        self._directs: set[str] = set()
        self._recovered = False

    # --- start and end ---

    async def setup_hook(self) -> None:
        await self.tree.set_translator(PortugueseNames())
        add_commands(self.tree, self.app.commands.values(), self.interactions)
        self.add_dynamic_items(AnswerButton)
        self._aside(self._register())

    async def _register(self) -> None:
        """Beside everything else: Discord limits registrations a day, and messages must not wait for that."""
        try:
            await self.tree.sync()
        except (discord.HTTPException, app_commands.CommandSyncFailure) as err:
            log.error("slash commands not registered; messages still work", extra={"error": repr(err)})

    async def on_ready(self) -> None:
        self.directory.forget_all()
        log.info("connected", extra={"guilds": len(self.guilds)})
        if not self._recovered:
            self._recovered = True
            await recover(self)
            self._aside(self._reconcile_for_ever())
        if self.options["catch_up_minutes"]:
            self._aside(catch_up(self, utcnow() - timedelta(minutes=self.options["catch_up_minutes"])))

    async def on_resumed(self) -> None:
        self.directory.forget_all()

    async def stop(self) -> None:
        """Finish what runs, hand the rest to the next process, and go."""
        for task in list(self._side):
            task.cancel()
        await asyncio.gather(*self._side, return_exceptions=True)
        await self.desk.drain(self.options["drain_seconds"])
        if not self.is_closed():
            await self.close()

    async def idle(self) -> None:
        """Wait until no event is being worked on."""
        while self._busy():
            await asyncio.gather(*self._busy(), return_exceptions=True)
            await self.desk.idle()
        await self.desk.idle()

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        log.exception("event handler failed", extra={"event": event_method})

    # --- messages ---

    async def on_message(self, message: discord.Message) -> None:
        inbound = read_message(message, self.me)
        if inbound is not None:
            await self._take(inbound, message)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        inbound = read_edit(payload.message, payload.cached_message, self.me)
        if inbound is None:
            return
        if "attachments" in payload.data:
            self._aside(attachments_gone(self, inbound))
        if inbound.mentioned:
            await self._take(inbound, payload.message)

    async def _take(self, inbound: Inbound, message: discord.Message) -> None:
        keys = message_keys(inbound)
        event = {
            "kind": "message",
            "channel": message.channel.id,
            "message": message.id,
            "edited": inbound.edited,
        }
        if await self.desk.accepted(keys, event):
            self._know_direct(inbound)
            self.desk.spawn(keys[0], self.desk.message(inbound))

    def _know_direct(self, inbound: Inbound) -> None:
        """No list of direct messages can be had from Discord: a start looks into those that the bot knows."""
        if inbound.direct and inbound.place not in self._directs:
            self._directs.add(inbound.place)
            self.app.book.join(inbound.tag, inbound.place)

    # --- what Discord takes away ---

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        await messages_gone(self, payload.guild_id, payload.channel_id, [payload.message_id])

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        await messages_gone(self, payload.guild_id, payload.channel_id, sorted(payload.message_ids))

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        self.directory.forget_thread(payload.thread_id)
        private = payload.thread_type is discord.ChannelType.private_thread
        await thread_gone(self, payload.guild_id, payload.thread_id, private=private)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.desk.channel_removed(str(channel.guild.id), str(channel.id))
        for thread in getattr(channel, "threads", ()):
            await self.desk.channel_removed(str(channel.guild.id), str(thread.id))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was removed from a server: what it knew of it goes, and the admins are told."""
        await server_gone(self, str(guild.id))
        await self.adviser.removed(guild)

    # --- who may read a private thread ---

    async def on_thread_member_join(self, member: discord.ThreadMember) -> None:
        self.directory.forget_thread(member.thread_id)

    async def on_raw_thread_member_remove(self, payload: discord.RawThreadMembersUpdate) -> None:
        self.directory.forget_thread(payload.thread_id)

    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        self.directory.forget_thread(payload.thread_id)

    async def on_thread_remove(self, thread: discord.Thread) -> None:
        self.directory.forget_thread(thread.id)

    # --- steps ---

    @property
    def me(self) -> Me:
        own = self.user.id if self.user else 0
        roles = (guild.self_role for guild in self.guilds)
        return Me(own, frozenset(role.id for role in roles if role is not None))

    async def _reconcile_for_ever(self) -> None:
        """Deletions that happened while the bot was away, and those that Discord does not announce."""
        while True:
            await reconcile(self)
            await asyncio.sleep(RECONCILE_EVERY)

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._side.add(task)
        task.add_done_callback(self._side.discard)

    def _busy(self) -> list[asyncio.Task[None]]:
        return [task for task in self._side if task.get_coro().__name__ != "_reconcile_for_ever"]  # type: ignore[union-attr]
