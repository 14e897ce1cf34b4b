"""What is done about each thing that Slack delivered, once it is accepted."""

import asyncio
import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from slack_sdk.errors import SlackApiError

from adapters.slack.calls import error_of, told
from adapters.slack.directory import SlackDirectory
from adapters.slack.files import SlackFiles, VanishedFile
from adapters.slack.home import home_view, view
from adapters.slack.meaning import (
    EXPLAIN,
    SLACK,
    Asked,
    AssistantOpened,
    ChannelGone,
    FileGone,
    HomeOpened,
    Me,
    Meaning,
    MessageGone,
    Pressed,
    Said,
    Shared,
)
from adapters.slack.outlet import Names, Origin, SlackOutlet
from adapters.slack.people import People
from adapters.slack.read import file_ref
from adapters.slack.write import is_open, text_blocks, toggled
from bot.commands.files import REMEMBER
from bot.desk import Desk
from bot.messages import Attachment, Inbound, Reply
from bot.phrases import say
from core.errors import FileRejected
from core.normalize import fold
from core.types import Language

if TYPE_CHECKING:
    from bot.app import App

log = logging.getLogger("polyrag.slack")
_PERMALINK = re.compile(r"/archives/([A-Z0-9]+)/p(\d{10})(\d{6})")
REMEMBERING = frozenset(map(fold, (REMEMBER.name, *REMEMBER.aliases)))
PROMPTS = ("slack_try_files", "slack_try_total", "slack_try_rules")
RECONCILE_PAUSE = 0.7  # seconds between two files.info calls: Slack allows 100 a minute


class Work:
    """Everything a meaning needs to be dealt with."""

    def __init__(
        self,
        app: "App",
        me: Me,
        desk: Desk,
        outlet: SlackOutlet,
        people: People,
        directory: SlackDirectory,
        files: SlackFiles,
        names: Names,
    ) -> None:
        self.app = app
        self.me = me
        self.desk = desk
        self.outlet = outlet
        self.people = people
        self.directory = directory
        self.files = files
        self.names = names

    async def do(self, meaning: Meaning, key: str, draft: str = "") -> None:
        """Deal with an accepted event.

        Args:
            key: of the event in the inbox.
            draft: id of a message that an earlier process left for it.
        """
        team = self.me.team
        match meaning:
            case Said(inbound):
                await self.desk.message(await self._known(inbound, Origin(key), draft))
            case Asked(inbound, respond, about):
                inbound = await self._known(inbound, Origin(key, respond), draft)
                if fold(inbound.command) in REMEMBERING and (why := await self._kept_from(inbound)):
                    language = self._language(inbound)
                    await self.outlet.tell(inbound, Reply(say(why, language), language))
                    return
                await self.desk.command(self._about(inbound, about))
            case Shared():
                await self._shared(meaning, key, draft)
            case Pressed():
                await self._pressed(meaning, key, draft)
            case MessageGone(channel, message):
                await self.desk.message_removed(team, channel, message)
            case FileGone(file, channels):
                for channel in channels or ("",):
                    await self.desk.file_removed(team, file, channel)
            case ChannelGone(channel):
                self.directory.drop()
                await self.desk.channel_removed(team, channel)
            case HomeOpened(user):
                await self._home(user)
            case AssistantOpened(user, channel, thread):
                await self._assistant(user, channel, thread)
            case _:
                log.info("nothing to do", extra={"key": key})

    async def known(self, inbound: Inbound) -> Inbound:
        """The message with what Slack says of its writer. Who cannot be looked up counts as a guest and no admin."""
        try:
            person = await self.people.person(inbound.user)
        except Exception as err:
            log.warning("person not looked up", extra={"user": inbound.user, "error": repr(err)})
            return replace(inbound, guest=True)
        return replace(inbound, locale=person.locale, guest=person.guest, admin=person.admin)

    async def reconcile(self) -> None:
        """Slack does not announce every removal (retention rules, events that were missed): compare and remove."""
        for item in self.desk.kept_files():
            if not item.file or item.workspace != self.me.team:
                continue
            try:
                found = await self.files.look_up(item.file)
            except VanishedFile:
                await self.desk.file_removed(item.workspace, item.file)
            except Exception as err:
                log.warning("not compared", extra={"file": item.file, "error": repr(err)})
            else:
                if not is_shared_in(found, item.channel):
                    await self.desk.file_removed(item.workspace, item.file, item.channel)
            await asyncio.sleep(RECONCILE_PAUSE)

    # --- steps ---

    async def _known(self, inbound: Inbound, origin: Origin, draft: str) -> Inbound:
        items = await asyncio.gather(*(self._resolved(item) for item in inbound.attachments))
        found = replace(await self.known(inbound), attachments=tuple(items), draft=draft)
        self.outlet.note(found, origin)
        return found

    async def _resolved(self, item: Attachment) -> Attachment:
        """The name of a file of which the event told the id alone; who may not read it learns it at the download."""
        if item.name != item.id:
            return item
        try:
            return self.files.attachment(file_ref(await self.files.look_up(item.id)))
        except FileRejected as refusal:
            return refused(item, refusal)

    async def _kept_from(self, inbound: Inbound) -> str:
        """Why nothing of this place may be kept (a key of TEXTS); "" when it may.

        Slack lets menus and commands be used where the bot is not, but announces deletions only where it is.
        """
        try:
            if inbound.direct:
                mine = await self.outlet.client.conversations_open(users=inbound.user)
                return "" if mine["channel"]["id"] == inbound.place else "slack_not_my_talk"
            return "" if await self.directory.is_in(inbound.channel) else "slack_not_member"
        except Exception as err:
            log.warning("channel not looked up", extra={"channel": inbound.channel, "error": repr(err)})
            return "slack_not_checked"

    def _about(self, inbound: Inbound, about: str) -> Inbound:
        """`why` on a message or with a permalink is about the answer that stands there."""
        if inbound.command != "why":
            return inbound
        linked = _PERMALINK.search(inbound.text)
        channel, message = inbound.place, about
        if linked:
            channel, message = linked.group(1), f"{linked.group(2)}.{linked.group(3)}"
        if not message:
            return inbound
        place = f"@{inbound.user}" if channel.startswith("D") else channel
        trace = self.desk.trace_of(self.me.team, place, message)
        return replace(inbound, text=trace or message.replace(".", ""))

    async def _shared(self, meaning: Shared, key: str, draft: str) -> None:
        """A file whose message never came, or came without it. Its message is known from the file itself."""
        direct = meaning.channel.startswith("D")
        ts, thread = "", ""
        try:
            found = await self.files.look_up(meaning.file)
            ts, thread = share_of(found, meaning.channel)
            item = self.files.attachment(file_ref(found))
        except FileRejected as refusal:
            log.warning("shared file not looked up", extra={"file": meaning.file, "error": str(refusal)})
            return
        inbound = Inbound(
            SLACK,
            self.me.team,
            "" if direct else meaning.channel,
            meaning.user,
            "",
            ts or f"file:{meaning.file}",
            thread,
            direct=direct,
            attachments=(item,),
            link=self.me.permalink(meaning.channel, ts, thread) if ts else item.link,
            place=meaning.channel,
        )
        await self.desk.message(await self._known(inbound, Origin(key), draft))

    async def _pressed(self, meaning: Pressed, key: str, draft: str) -> None:
        origin = Origin(key, meaning.respond)
        inbound = await self._known(meaning.inbound, origin, draft)
        if meaning.action == EXPLAIN:
            await self._toggle(meaning, inbound)
            return
        reply = await self.desk.press(inbound, meaning.action, meaning.trace_id)
        if reply is not None:
            await self.outlet.tell(inbound, reply)

    async def _toggle(self, meaning: Pressed, inbound: Inbound) -> None:
        """Open or close the explanation inside the message; it is that of an answer that all its readers may see.

        Slack does not say what stands in a private message: there it is told in another one.
        """
        explanation = ""
        if not is_open(meaning.blocks):
            reply = await self.desk.press(inbound, "why", meaning.trace_id)
            if reply is None or inbound.ephemeral or reply.ephemeral or reply.trace_id != meaning.trace_id:
                await self.outlet.tell(inbound, reply or Reply(""))
                return
            explanation = reply.text.strip().strip("`").strip()
        blocks = list(toggled(meaning.blocks, explanation))
        await told(
            self.outlet.client.chat_update,
            channel=inbound.place, ts=meaning.message, text=meaning.text or "…", blocks=blocks,
        )  # fmt: skip

    async def _home(self, user: str) -> None:
        inbound = await self.known(Inbound(SLACK, self.me.team, "", user, "", "home", direct=True))
        try:
            made = await home_view(self.app, inbound, self.names)
            await self.outlet.client.views_publish(user_id=user, view=made)
        except SlackApiError as err:
            log.warning("home not published", extra={"error": error_of(err)})
            failed = say("slack_home_failed", self._language(inbound))
            await self.outlet.client.views_publish(user_id=user, view=view(text_blocks(failed, "simple")))

    async def _assistant(self, user: str, channel: str, thread: str) -> None:
        """Suggestions for a conversation that was just opened."""
        inbound = await self.known(Inbound(SLACK, self.me.team, "", user, "", thread, direct=True))
        language = self._language(inbound)
        prompts = [{"title": say(key, language), "message": say(key, language)} for key in PROMPTS]
        await self.outlet.lightly(
            self.outlet.light.assistant_threads_setSuggestedPrompts,
            channel_id=channel, thread_ts=thread, title=say("slack_title", language), prompts=prompts,
        )  # fmt: skip

    def _language(self, inbound: Inbound) -> Language:
        return inbound.locale if inbound.locale != "und" else self.app.settings.language


def share_of(item: Mapping[str, Any], channel: str) -> tuple[str, str]:
    """The message and thread by which a file came into a channel, from a file object; ("", "") when it does not say."""
    for kind in ("public", "private"):
        for share in ((item.get("shares") or {}).get(kind) or {}).get(channel) or ():
            ts, thread = str(share.get("ts") or ""), str(share.get("thread_ts") or "")
            return ts, "" if thread == ts else thread
    return "", ""


def is_shared_in(item: Mapping[str, Any], channel: str) -> bool:
    """Whether a file object says that it is still in a channel; one that lists no places at all says nothing."""
    lists = [item[key] for key in ("channels", "groups", "ims") if isinstance(item.get(key), list)]
    return not lists or any(channel in found for found in lists)


def refused(item: Attachment, refusal: FileRejected) -> Attachment:
    """An attachment that cannot be had; whoever fetches it is told why."""

    async def fetch() -> bytes:
        raise refusal

    return replace(item, fetch=fetch)
