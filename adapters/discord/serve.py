"""Discord's loop: events in, the desk decides, the outlet replies; what Discord takes away goes from the bot too."""

import asyncio
import logging
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import discord
from discord import app_commands
from discord.utils import utcnow

from adapters.discord.advice import Adviser
from adapters.discord.directory import DiscordDirectory
from adapters.discord.forms import AnswerButton, RememberForm
from adapters.discord.outlet import DiscordOutlet, Held, InteractionDraft, token_expired
from adapters.discord.plugin import TOKEN
from adapters.discord.read import (
    DIRECT,
    PLATFORM,
    Me,
    at_message,
    attachment_of,
    linked,
    message_keys,
    place_of,
    read_edit,
    read_interaction,
    read_message,
    read_target,
    restored,
    stored,
)
from adapters.discord.reconcile import RECONCILE_EVERY, catch_up, reconcile
from adapters.discord.slash import REMEMBER, PortugueseNames, add_commands
from adapters.discord.write import files_of, fold_toggled, is_unfolded, pages_of, view_of
from bot.commands.files import readable
from bot.commands.run import may_run
from bot.config import secret
from bot.desk import Desk
from bot.messages import Inbound, Reply
from bot.phrases import reader_language, say
from bot.plugins.spec import CommandSpec
from core.errors import BadSetting, PolyragError
from core.normalize import fold
from core.settings import Settings

if TYPE_CHECKING:
    from bot.app import App

log = logging.getLogger("polyrag.discord")
OPTIONS: dict[str, float] = {
    "parallel": 8,  # events that are worked on at once
    "drain_seconds": 10,  # how long a stop waits for replies
    "catch_up_minutes": 60,  # how far back a start looks for what was written meanwhile; 0 = not at all
}
NO_TRACE = "000000"  # an id that no answer has
Interaction = discord.Interaction[Any]
# What changes a channel is announced to that channel; everything else is for the eyes of who ran it.
FOR_ALL = frozenset({REMEMBER, "forget", "link", "unlink", "approve", "listen"})


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
    wanted = discord.Intents.none()
    wanted.guilds = wanted.members = wanted.guild_messages = wanted.dm_messages = wanted.message_content = (
        True
    )
    return wanted


def options_of(settings: Settings) -> dict[str, float]:
    """`adapters.discord.options` over the defaults. Raises: BadSetting."""
    entry = settings.adapters.get(PLATFORM)
    chosen = dict(entry.options) if entry else {}
    for name, value in chosen.items():
        if name not in OPTIONS:
            known = ", ".join(sorted(OPTIONS))
            raise BadSetting(problem=f"adapters.discord.options.{name} ({known})")
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise BadSetting(problem=f"adapters.discord.options.{name}: {value!r} (a number, 0 or more)")
    given = {name: float(value) for name, value in chosen.items()}
    return {**OPTIONS, **given, "parallel": max(1.0, given.get("parallel", OPTIONS["parallel"]))}


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
        self._side: set[asyncio.Task[None]] = set()
        self._recovered = False

    # --- start and end ---

    async def setup_hook(self) -> None:
        await self.tree.set_translator(PortugueseNames())
        add_commands(self.tree, self.app.commands.values(), self)
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
            await self._recover()
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
            self._take(inbound, message)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        inbound = read_edit(payload.message, payload.cached_message, self.me)
        if inbound is None:
            return
        if "attachments" in payload.data:
            self._aside(self._attachments_left(inbound, payload.message))
        if inbound.mentioned:
            self._take(inbound, payload.message)

    def _take(self, inbound: Inbound, message: discord.Message) -> None:
        keys = message_keys(inbound)
        event = {
            "kind": "message",
            "channel": message.channel.id,
            "message": message.id,
            "edited": inbound.edited,
        }
        if self.desk.accept(keys, event):
            self.desk.spawn(keys[0], self.desk.message(inbound))

    async def _attachments_left(self, inbound: Inbound, message: discord.Message) -> None:
        """Files that an edit took out of a message."""
        place = inbound.place if inbound.direct else inbound.channel
        left = {item.id for item in inbound.attachments}
        kept = self.app.book.kept_of_message(PLATFORM, inbound.workspace, place, str(message.id))
        for item in kept:
            if item.file and item.file not in left:
                await self.desk.file_removed(inbound.workspace, item.file, place)

    # --- what Discord takes away ---

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        await self._messages_gone(payload.guild_id, payload.channel_id, [payload.message_id])

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        await self._messages_gone(payload.guild_id, payload.channel_id, sorted(payload.message_ids))

    async def _messages_gone(self, guild: int | None, channel: int, messages: Sequence[int]) -> None:
        """Message ids are unique on Discord; that of an unknown (archived) thread is looked up in what is kept."""
        known = self.get_channel(channel)
        for message in messages:
            if guild is None:
                await self.desk.message_removed(DIRECT, str(channel), str(message))
            elif known is not None:
                where = place_of(known, guild, channel)
                await self.desk.message_removed(where.workspace, where.channel, str(message))
            else:
                for item in self.desk.kept_files():
                    if item.message == str(message):
                        await self.desk.message_removed(item.workspace, item.channel, item.message)

    async def on_raw_thread_delete(self, payload: discord.RawThreadDeleteEvent) -> None:
        self.directory.forget_thread(payload.thread_id)
        if payload.thread_type is discord.ChannelType.private_thread:
            await self.desk.channel_removed(str(payload.guild_id), str(payload.thread_id))
            return
        for item in self.desk.kept_files():
            if item.workspace == str(payload.guild_id) and self.posted_in(item) == str(payload.thread_id):
                await self.desk.message_removed(item.workspace, item.channel, item.message)

    async def on_guild_channel_delete(self, channel: discord.abc.GuildChannel) -> None:
        await self.desk.channel_removed(str(channel.guild.id), str(channel.id))
        for thread in getattr(channel, "threads", ()):
            await self.desk.channel_removed(str(channel.guild.id), str(thread.id))

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot was removed from a server: what it knew of it goes, and the admins are told."""
        await self.guild_left(str(guild.id))
        await self.adviser.removed(guild)

    async def guild_left(self, guild: str) -> None:
        for place in sorted({item.channel for item in self.desk.kept_files() if item.workspace == guild}):
            await self.desk.channel_removed(guild, place)

    def posted_in(self, item: Any) -> str:
        """The channel or thread of the message that brought a file, from the link that was kept with it."""
        for placement in self.app.ingest_ports.ledger.placements([item.tag]):
            if placement.name == item.name and placement.document == item.document:
                return linked(placement.link)[0]
        return ""

    # --- who may read a private thread ---

    async def on_thread_member_join(self, member: discord.ThreadMember) -> None:
        self.directory.forget_thread(member.thread_id)

    async def on_raw_thread_member_remove(self, payload: discord.RawThreadMembersUpdate) -> None:
        self.directory.forget_thread(payload.thread_id)

    async def on_raw_thread_update(self, payload: discord.RawThreadUpdateEvent) -> None:
        self.directory.forget_thread(payload.thread_id)

    async def on_thread_remove(self, thread: discord.Thread) -> None:
        self.directory.forget_thread(thread.id)

    # --- commands ---

    async def slash(self, interaction: Interaction, name: str, arguments: str) -> None:
        """Any slash command: deferred before any work, except the one that has to open a form."""
        if self._names(name) == REMEMBER and not arguments.strip():
            language = reader_language(
                "", read_interaction(interaction, ephemeral=True).locale, self.app.settings
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
            language = reader_language("", inbound.locale, self.app.settings)
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
        found = [spec for spec in self.app.commands.values() if spec.run and may_run(self.app, spec, inbound)]
        return sorted(found, key=lambda spec: spec.name)

    async def files_here(self, interaction: Interaction) -> Sequence[str]:
        """What this person may read of this channel."""
        inbound = read_interaction(interaction, ephemeral=False)
        return [item.name for item in await readable(self.app, inbound) if item.tag == inbound.tag]

    async def _run(self, interaction: Interaction, inbound: Inbound, hidden: bool) -> None:
        keys = (f"interaction:{interaction.id}",)
        event = {"kind": "command", "inbound": stored(inbound), "files": len(inbound.attachments)}
        if not self.desk.accept(keys, event):
            return
        held = Held(interaction, await self._deferred(interaction, hidden), hidden)
        self.desk.spawn(keys[0], self._held(held, self.desk.command(inbound)))

    def _resolved(self, name: str, interaction: Interaction, arguments: str) -> str:
        """`/why` also takes a link to the bot's message."""
        _, message = linked(arguments)
        if not message or self._names(name) != "why":
            return arguments
        return self._trace_at(read_interaction(interaction, ephemeral=True), message) or NO_TRACE

    def _trace_at(self, inbound: Inbound, message: str) -> str:
        """The answer that a message of this place is; a direct message has its person's own tag."""
        place = inbound.channel or f"@{inbound.user}"
        return self.desk.trace_of(inbound.workspace, place, message)

    def _names(self, name: str) -> str:
        """The command that a name or one of its aliases means."""
        for spec in self.app.commands.values():
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
        if not self.desk.accept(keys, event):
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
        self.desk.spawn(keys[0], self._held(held, work))

    async def _posting(self, inbound: Inbound, action: str, trace: str, held: Held) -> None:
        """A new answer for everybody; only when there is none is the person told."""
        told = await self.desk.press(inbound, action, trace)
        if told is not None:
            await self._whispered(held, told)

    async def _telling(self, inbound: Inbound, action: str, trace: str, held: Held) -> None:
        told = await self.desk.press(inbound, action, trace)
        if told is not None:
            await InteractionDraft(inbound, self.outlet, held).finish(replace(told, ephemeral=True))

    async def _folding(self, inbound: Inbound, trace: str, held: Held) -> None:
        """Unfold or fold the explanation in the message itself; where it does not fit, the person alone gets it."""
        message = held.interaction.message
        if message is None:
            return
        view = discord.ui.LayoutView.from_message(message, timeout=None)
        told = Reply("") if is_unfolded(view) else await self.desk.press(inbound, "why", trace)
        if told is None:
            return
        toggled = fold_toggled(view, told.text) if told.trace_id or not told.text else None
        if toggled is None or not held.deferred:
            await self._whispered(held, told)
            return
        await held.interaction.edit_original_response(view=toggled)

    async def _whispered(self, held: Held, reply: Reply) -> None:
        """A message for the presser alone, beside the one whose button was pressed."""
        if not held.deferred or held.interaction.is_expired():
            inbound = read_interaction(held.interaction, ephemeral=True)
            await self.outlet.whisper(inbound, reply)
            return
        for page in pages_of(reply):
            await held.interaction.followup.send(
                view=view_of(page), files=files_of(page), ephemeral=True, wait=True
            )

    # --- steps ---

    @property
    def me(self) -> Me:
        own = self.user.id if self.user else 0
        roles = (guild.self_role for guild in self.guilds)
        return Me(own, frozenset(role.id for role in roles if role is not None))

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
        self.outlet.hold(held)
        try:
            await work
        finally:
            self.outlet.release(held.interaction)

    async def _recover(self) -> None:
        """What an earlier process had accepted and not finished."""
        for waiting in self.desk.unfinished():
            try:
                work = await self._again(waiting.event, waiting.draft)
            except discord.NotFound:
                work = _nothing()  # the message is gone, and with it what was asked
            except discord.HTTPException as err:
                log.warning("not recovered yet", extra={"key": waiting.key, "error": repr(err)})
                continue
            except Exception:  # one event that this version cannot read does not hold up the others
                log.exception("not recovered", extra={"key": waiting.key})
                continue
            self.desk.spawn(waiting.key, work)

    async def _again(self, event: dict[str, Any], draft: str) -> Coroutine[Any, Any, None]:
        """Raises: discord.HTTPException."""
        if event["kind"] == "message":
            channel: Any = self.get_channel(event["channel"]) or await self.fetch_channel(event["channel"])
            message = await channel.fetch_message(event["message"])
            inbound = read_message(message, self.me)
            if inbound is None:
                return _nothing()
            if event["edited"]:
                inbound = replace(inbound, edited=True, mentioned=True)
            return self.desk.message(replace(inbound, draft=draft))
        inbound = restored(event["inbound"], draft)
        if event["kind"] == "press":
            return self._pressed_again(inbound, event["action"], event["trace"])
        if event["files"]:
            return self._interrupted(inbound)
        return self.desk.command(inbound)

    async def _pressed_again(self, inbound: Inbound, action: str, trace: str) -> None:
        if action not in ("why", "csv"):  # those showed something to a person who no longer looks
            await self.desk.press(inbound, action, trace)

    async def _interrupted(self, inbound: Inbound) -> None:
        """The files of a form cannot be fetched again."""
        language = reader_language("", inbound.locale, self.app.settings)
        await self.outlet.whisper(inbound, Reply(say("discord_interrupted", language), language))

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


async def _nothing() -> None:
    """An event whose object is gone is dealt with."""
