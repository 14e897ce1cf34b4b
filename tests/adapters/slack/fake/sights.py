"""What tests look at: messages as people see them now, reactions, the Home tab, calls."""

from tests.adapters.slack.fake.checks import texts
from tests.adapters.slack.fake.interactions import Interactions
from tests.adapters.slack.fake.state import BOT_USER, Call, Json, Message, Ping


class Sights(Interactions):
    @property
    def log(self) -> list[Call]:
        return self.world.log

    @property
    def pings(self) -> list[Ping]:
        return self.world.pings

    @property
    def warnings(self) -> list[str]:
        return self.world.warnings

    def calls(self, method: str) -> list[Call]:
        return [call for call in self.world.log if call.method == method]

    def message(self, channel: str, ts: str) -> Message:
        return self.world.find(channel, ts)

    def messages(self, channel: str, thread: str = "") -> list[Message]:
        """Replies of a thread, or what stands at top level; oldest first, without ephemeral and deleted ones."""
        shown = self.world.listed(channel)
        if thread:
            return [message for message in shown if message.thread_ts == thread and message.ts != thread]
        return [message for message in shown if not message.thread_ts or message.thread_ts == message.ts]

    def visible_to(self, user: str, channel: str = "", thread: str = "") -> list[Message]:
        """Every message that the person can open now, ephemeral ones for them included; oldest first."""
        found = []
        for place in self.world.channels.values():
            if (channel and place.id != channel) or not self.world.reads(user, place):
                continue
            found += [
                m
                for m in self.world.messages.get(place.id, {}).values()
                if not m.deleted and m.only_for in ("", user)
            ]
        chosen = [m for m in found if not thread or thread in (m.ts, m.thread_ts)]
        return sorted(chosen, key=lambda message: (message.ts, message.channel))

    def bot_messages(self, channel: str = "", thread: str = "") -> list[Message]:
        """Messages of the bot, ephemeral ones too, oldest first."""
        places = [channel] if channel else list(self.world.channels)
        found = [
            m
            for place in places
            for m in self.world.messages.get(place, {}).values()
            if m.mine and not m.deleted
        ]
        chosen = [m for m in found if not thread or m.thread_ts == thread]
        return sorted(chosen, key=lambda message: (message.ts, message.channel))

    def text_of(self, message: Message) -> str:
        """Everything a reader can see or expand: text, all blocks, file names."""
        names = [self.world.files[file].name for file in message.files]
        return "\n".join([message.text, *texts(message.blocks), *names])

    def history_of(self, message: Message) -> list[str]:
        """Every version that was ever shown; a leak that is edited away is still a leak."""
        return ["\n".join([text, *texts(blocks)]) for text, blocks in message.versions]

    def reactions(self, channel: str, ts: str) -> frozenset[str]:
        """Reactions of the bot on a message now."""
        message = self.world.messages[channel][ts]
        return frozenset(name for name, users in message.reactions.items() if BOT_USER in users)

    def status(self, channel: str, thread: str) -> str:
        """The assistant status that stands under a thread now."""
        found = [status for place, ts, status in self.world.statuses if (place, ts) == (channel, thread)]
        return found[-1] if found else ""

    def home(self, user: str) -> Json | None:
        return self.world.views.get(user)

    def home_text(self, user: str) -> str:
        return "\n".join(texts(self.world.views.get(user, {}).get("blocks", [])))

    def modal(self, user: str) -> Json | None:
        return self.world.modals.get(user)

    def file_bytes(self, file: str) -> bytes:
        return self.world.files[file].data
