"""What people do in the workspace; each action sends the app the events that Slack would send."""

from collections.abc import Mapping, Sequence

from tests.adapters.slack.fake.core import Core
from tests.adapters.slack.fake.files import emit_shared
from tests.adapters.slack.fake.places import emit_reaction
from tests.adapters.slack.fake.shapes import escaped, message_shape, rich_text
from tests.adapters.slack.fake.state import BOT_USER, Channel, File, Json, Message, User

MENTION = f"<@{BOT_USER}>"


class People(Core):
    """Users, channels and messages are named by their ids; nothing here waits for the app."""

    async def add_user(
        self,
        name: str,
        *,
        guest: bool = False,
        admin: bool = False,
        locale: str = "pt-BR",
        foreign: bool = False,
    ) -> str:
        user = User(self.world.new_id("U"), name, locale, guest, admin, foreign)
        self.world.users[user.id] = user
        return user.id

    async def add_bot(self, name: str) -> str:
        """Another app's bot; its messages carry a bot_id."""
        user = User(self.world.new_id("U"), name, bot_id=self.world.new_id("B"))
        self.world.users[user.id] = user
        return user.id

    async def add_channel(
        self,
        name: str,
        *,
        private: bool = False,
        members: Sequence[str] = (),
        connect: bool = False,
        bot: bool = True,
    ) -> str:
        everyone = [*dict.fromkeys(members), *([BOT_USER] if bot else [])]
        channel = Channel(self.world.new_id("C"), name, "channel", private, connect, members=everyone)
        self.world.channels[channel.id] = channel
        return channel.id

    async def open_dm(self, user: str) -> str:
        return self.world.dm_of(user).id

    async def open_group_dm(self, *users: str, bot: bool = True) -> str:
        everyone = [*users, *([BOT_USER] if bot else [])]
        name = "mpdm-" + "--".join(self.world.users[user].name for user in everyone) + "-1"
        channel = Channel(self.world.new_id("C"), name, "mpim", private=True, members=everyone)
        self.world.channels[channel.id] = channel
        return channel.id

    async def post(
        self,
        user: str,
        channel: str,
        text: str = "",
        *,
        thread_ts: str = "",
        files: Mapping[str, bytes] | Sequence[str] = (),
        mention: bool = False,
        subtype: str = "",
    ) -> str:
        """A message as a person types it; `files` are names with bytes, or ids of files to share again.

        Returns: its ts. Raises: LookupError when the person cannot write there.
        """
        place = self._writable(user, channel)
        typed = escaped(f"{MENTION} {text}".strip() if mention else text)
        shared = self._share(user, place, files)
        message = Message(self.world.new_ts(), channel, user, typed, thread_ts=thread_ts)
        message.bot_id = self.world.users[user].bot_id
        message.subtype = subtype or ("file_share" if shared else "")
        message.files = [file.id for file in shared]
        message.blocks = rich_text(typed, f"b{message.ts[-4:]}")
        self.world.add(message)
        first = self.world.number() % 2  # file_shared may come before or after its message
        for file in shared if first else ():
            emit_shared(self, "file_shared", file, channel)
        self.emit_message(message, mention=MENTION in typed)
        for file in () if first else shared:
            emit_shared(self, "file_shared", file, channel)
        return message.ts

    def _writable(self, user: str, channel: str) -> Channel:
        place = self.world.channels[channel]
        if place.archived or not self.world.reads(user, place):
            raise LookupError(f"{user} cannot write in {channel}")
        if user not in place.members:
            place.members.append(user)  # whoever writes in a public channel has joined it
        return place

    def _share(self, user: str, channel: Channel, files: Mapping[str, bytes] | Sequence[str]) -> list[File]:
        if isinstance(files, Mapping):
            shared = [
                File(self.world.new_id("F"), name, data, user, check_info=channel.connect)
                for name, data in files.items()
            ]
        else:
            shared = [self.world.files[file] for file in files]
        for file in shared:
            self.world.files[file.id] = file
            file.channels += [] if channel.id in file.channels else [channel.id]
        return shared

    async def share_external(self, user: str, channel: str, name: str, text: str = "") -> str:
        """A message with a file that lives elsewhere (a drive); returns its ts."""
        file = File(self.world.new_id("F"), name, b"", user, external_url=f"{self.origin}/elsewhere/{name}")
        self.world.files[file.id] = file
        return await self.post(user, channel, text, files=(file.id,))

    async def edit(self, user: str, channel: str, ts: str, text: str, *, mention: bool = False) -> None:
        """message_changed; and app_mention once more when the edit adds the mention."""
        message = self._own(user, channel, ts)
        before, had = message_shape(self.world, message, self.origin), MENTION in message.text
        typed = escaped(f"{MENTION} {text}".strip() if mention else text)
        message.edited = self.world.new_ts()
        self.world.change(message, text=typed, blocks=rich_text(typed, f"b{message.edited[-4:]}"))
        self.emit_change(message, before)
        if MENTION in typed and not had:
            self.emit_message(message, mention=True, edited=True)

    async def unfurl(self, channel: str, ts: str) -> None:
        """Slack adds a link preview: message_changed although nobody edited."""
        message = self.world.find(channel, ts)
        self.emit_change(message, message_shape(self.world, message, self.origin))

    async def delete(self, user: str, channel: str, ts: str) -> None:
        """message_deleted; files that stand in no other message are deleted with it."""
        message = self._own(user, channel, ts)
        before = message_shape(self.world, message, self.origin)
        message.deleted = True
        self.emit_change(message, before, removed=True)
        for file in map(self.world.files.__getitem__, message.files):
            if not any(file.id in other.files for other in self.world.listed(channel)):
                file.channels.remove(channel)
            if not file.channels and not file.deleted:
                await self.delete_file(user, file.id, was_in=(channel,))

    def _own(self, user: str, channel: str, ts: str) -> Message:
        message = self.world.find(channel, ts)
        if message.user != user and not self.world.users[user].admin:
            raise LookupError(f"{ts} is not a message of {user}")
        return message

    async def delete_file(
        self, user: str, file: str, *, was_in: Sequence[str] = (), silent: bool = False
    ) -> None:
        """`silent`: removed by a retention rule, which Slack does not announce."""
        gone = self.world.files[file]
        channels = list(was_in) or list(gone.channels)
        gone.deleted = True
        member = any(self.world.is_member(self.world.channels[channel]) for channel in channels)
        if member and not silent:
            event: Json = {"type": "file_deleted", "file_id": file, "channel_ids": channels}
            self.emit(event | {"event_ts": self.world.new_ts()})

    async def unshare_file(self, user: str, file: str, channel: str) -> None:
        gone = self.world.files[file]
        gone.channels.remove(channel)
        emit_shared(self, "file_unshared", gone, channel)

    async def react(self, user: str, channel: str, ts: str, name: str) -> None:
        message = self.world.find(channel, ts)
        message.reactions.setdefault(name, []).append(user)
        emit_reaction(self, message, "reaction_added", name, user)

    async def join(self, user: str, channel: str, *, inviter: str = "") -> None:
        place = self.world.channels[channel]
        if user in place.members:
            return
        place.members.append(user)
        event: Json = {
            "type": "member_joined_channel",
            "user": user,
            "channel": channel,
            "team": self.world.users[user].team,
        }
        event["channel_type"] = "G" if place.private else "C"
        self._tell(place, event | ({"inviter": inviter} if inviter else {}))
        self._system_message(place, user, "channel_join", f"<@{user}> has joined the channel")

    async def leave(self, user: str, channel: str) -> None:
        """A person leaves; the bot is removed with channel_left (group_left) as its last event of that place."""
        place = self.world.channels[channel]
        place.members.remove(user)
        if user == BOT_USER:
            kind = "group_left" if place.private else "channel_left"
            self.emit(
                {"type": kind, "channel": channel, "actor_id": "", "event_ts": self.world.new_ts()}, place
            )
            return
        event: Json = {
            "type": "member_left_channel",
            "user": user,
            "channel": channel,
            "team": self.world.users[user].team,
        }
        self._tell(place, event | {"channel_type": "G" if place.private else "C"})
        self._system_message(place, user, "channel_leave", f"<@{user}> has left the channel")

    async def archive(self, user: str, channel: str) -> None:
        place = self.world.channels[channel]
        place.archived = True
        kind = "group_archive" if place.private else "channel_archive"
        self._tell(place, {"type": kind, "channel": channel, "user": user})

    async def unarchive(self, user: str, channel: str) -> None:
        place = self.world.channels[channel]
        place.archived = False
        kind = "group_unarchive" if place.private else "channel_unarchive"
        self._tell(place, {"type": kind, "channel": channel, "user": user})

    async def delete_channel(self, user: str, channel: str) -> None:
        place = self.world.channels[channel]
        kind = "group_deleted" if place.private else "channel_deleted"
        self._tell(place, {"type": kind, "channel": channel, "actor_id": user})
        place.deleted = True
        for file in self.world.files.values():
            file.channels = [other for other in file.channels if other != channel]

    async def convert_to_private(self, user: str, channel: str) -> None:
        """The id stays; Slack announces it as a message in the channel."""
        place = self.world.channels[channel]
        place.private = True
        self._system_message(place, user, "channel_convert_to_private", "made this channel *private*.")

    async def rename_channel(self, user: str, channel: str, name: str) -> None:
        place = self.world.channels[channel]
        place.name = name
        kind = "group_rename" if place.private else "channel_rename"
        self._tell(place, {"type": kind, "channel": {"id": channel, "name": name, "created": 0}})

    async def connect_channel(self, user: str, channel: str) -> None:
        """Another organisation is invited: the channel is shared from now on."""
        place = self.world.channels[channel]
        place.connect = True
        self._tell(place, {"type": "channel_shared", "connected_team_id": "T0ABROAD", "channel": channel})

    def _tell(self, place: Channel, event: Json) -> None:
        if self.world.is_member(place):
            self.emit(event | {"event_ts": self.world.new_ts()}, place)

    def _system_message(self, place: Channel, user: str, subtype: str, text: str) -> None:
        message = Message(self.world.new_ts(), place.id, user, text, subtype=subtype)
        self.emit_message(self.world.add(message))
