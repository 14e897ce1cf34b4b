"""Response URLs and trigger ids: what an interaction opens for a while."""

from dataclasses import dataclass, field

from tests.adapters.slack.fake.state import TEAM, Message, Refused, World

USES, RESPONSE_SECONDS, TRIGGER_SECONDS = 5, 30 * 60, 3


@dataclass(slots=True)
class ResponseUrl:
    """Where an interaction may be answered: five times, for thirty minutes."""

    channel: str
    user: str
    expires: float
    message: Message | None = None  # the message whose button was pressed
    thread: str = ""
    uses: int = 0


@dataclass(slots=True)
class Doors:
    """Open response URLs and trigger ids of one workspace."""

    world: World
    urls: dict[str, ResponseUrl] = field(default_factory=dict)
    triggers: dict[str, tuple[str, float]] = field(default_factory=dict)  # id → (user, until)

    def new_url(self, channel: str, user: str, message: Message | None = None) -> str:
        key = f"R{self.world.number():06d}"
        expires = self.world.now() + RESPONSE_SECONDS
        self.urls[key] = ResponseUrl(channel, user, expires, message, message.thread_ts if message else "")
        return f"/response/{key}"

    def use_url(self, key: str) -> ResponseUrl:
        """Raises: Refused with no_such_url, used_url or expired_url."""
        if key not in self.urls:
            raise Refused("no_such_url")
        url = self.urls[key]
        if self.world.now() > url.expires:
            raise Refused("expired_url")
        if url.uses >= USES:
            raise Refused("used_url")
        url.uses += 1
        return url

    def new_trigger(self, user: str) -> str:
        key = f"{self.world.number()}.{TEAM}.trigger"
        self.triggers[key] = (user, self.world.now() + TRIGGER_SECONDS)
        return key

    def use_trigger(self, key: str) -> str:
        """The user it belongs to; good once, for three seconds. Raises: Refused."""
        if key not in self.triggers:
            raise Refused("invalid_trigger_id")
        user, until = self.triggers[key]
        if not user:
            raise Refused("exchanged_trigger_id")
        if self.world.now() > until:
            raise Refused("expired_trigger_id")
        self.triggers[key] = ("", until)
        return user
