"""What all parts of the fake share: the state, its switches, and the way an event takes to the app."""

import asyncio
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tests.adapters.slack.fake.checks import Rules, pings_in
from tests.adapters.slack.fake.doors import Doors
from tests.adapters.slack.fake.limits import Fault, Faults, Limits
from tests.adapters.slack.fake.shapes import message_shape
from tests.adapters.slack.fake.state import (
    APP,
    BOT_USER,
    FIRST_SECOND,
    TEAM,
    Channel,
    Json,
    Message,
    Ping,
    World,
)

if TYPE_CHECKING:
    from tests.adapters.slack.fake.sockets import Sockets

ATTEMPTS = 4  # one delivery and three more
KINDS = {"channel": "channels", "group": "groups", "im": "im", "mpim": "mpim"}
SCOPES_OF_EVENTS = {
    "app_mention": {"app_mentions:read"},
    "message.channels": {"channels:history"},
    "message.groups": {"groups:history"},
    "message.im": {"im:history"},
    "message.mpim": {"mpim:history"},
    "file_shared": {"files:read"}, "file_unshared": {"files:read"}, "file_deleted": {"files:read"},
    "file_change": {"files:read"}, "file_created": {"files:read"}, "file_public": {"files:read"},
    "reaction_added": {"reactions:read"}, "reaction_removed": {"reactions:read"},
    "member_joined_channel": {"channels:read", "groups:read"},
    "member_left_channel": {"channels:read", "groups:read"},
    "channel_archive": {"channels:read"}, "channel_unarchive": {"channels:read"}, "channel_deleted": {"channels:read"},
    "channel_left": {"channels:read"}, "channel_rename": {"channels:read"}, "channel_shared": {"channels:read", "groups:read"},
    "channel_unshared": {"channels:read", "groups:read"},
    "group_archive": {"groups:read"}, "group_unarchive": {"groups:read"}, "group_deleted": {"groups:read"},
    "group_left": {"groups:read"}, "group_rename": {"groups:read"},
    "user_change": {"users:read"}, "team_join": {"users:read"},
    "assistant_thread_started": {"assistant:write"}, "assistant_thread_context_changed": {"assistant:write"},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the app did with one delivery."""

    ok: bool
    body: Any = None  # what came with the acknowledgement
    reason: str = ""  # why it has to be sent again
    milliseconds: float = 0.0
    again: bool = True  # False: the app asked for no retry


class Transport(Protocol):
    async def send(self, kind: str, payload: Json, attempt: int, reason: str) -> Outcome: ...


@dataclass(eq=False)
class Core:
    """Switches are plain attributes; a test sets them before it acts."""

    scopes: frozenset[str]
    events: frozenset[str] | None  # None: everything is subscribed to
    commands: frozenset[str] | None
    world: World = field(default_factory=World)
    rules: Rules = field(default_factory=Rules)
    limits: Limits = field(default_factory=Limits)
    faults: Faults = field(default_factory=Faults)
    bot_token: str = "xoxb-fake-bot"
    app_token: str = "xapp-fake-app"
    signing_secret: str = "fake-signing-secret"
    origin: str = ""  # http://127.0.0.1:port, known once it listens
    ack_seconds: float = 3.0
    retry_delays: tuple[float, float, float] = (0.0, 0.05, 0.1)  # Slack waits nothing, a minute, five minutes
    connect_seconds: float = 30.0  # how long an event waits for a first socket
    refuse_replies: bool = (
        True  # conversations.replies outside direct messages, as its documentation says for bots
    )
    acks: list[float] = field(default_factory=list)  # milliseconds of each acknowledgement
    late: list[str] = field(default_factory=list)  # deliveries that were not acknowledged in time
    lost: list[str] = field(default_factory=list)  # event ids that Slack gave up on
    user_errors: list[str] = field(
        default_factory=list
    )  # what people saw instead of an answer ("operation_timeout")
    leaked_tokens: list[str] = field(
        default_factory=list
    )  # foreign addresses that the bot's token was sent to
    sent: list[Json] = field(default_factory=list)  # event payloads, in order
    transport: Transport | None = None
    sockets: "Sockets" = field(init=False)
    doors: Doors = field(init=False)
    _tasks: set["asyncio.Task[Any]"] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.doors = Doors(self.world)

    def has_scope(self, *any_of: str) -> bool:
        return any(scope in self.scopes for scope in any_of)

    def fail(self, method: str, **how: Any) -> None:
        """Order a failure: see limits.Fault. Besides API methods: "files.download", "response_url", "upload"."""
        self.faults.add(Fault(method, **how))

    def spawn(self, work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def settled(self, seconds: float = 10.0) -> None:
        """Wait until nothing is being delivered. Raises: TimeoutError."""
        async with asyncio.timeout(seconds):
            while self._tasks:
                await asyncio.wait(list(self._tasks))

    def emit(self, event: Json, channel: Channel | None = None, *, subscription: str = "") -> None:
        """Deliver an event when the app subscribed to it, has the scope, and is in the conversation."""
        name = subscription or event["type"]
        if self.events is not None and name not in self.events:
            return
        if (needed := SCOPES_OF_EVENTS.get(name)) and not self.has_scope(*needed):
            return
        self.redeliver_payload(self._payload(event, channel))

    def _payload(self, event: Json, channel: Channel | None) -> Json:
        number = self.world.number()
        payload = {
            "token": "verification", "team_id": TEAM, "context_team_id": TEAM, "context_enterprise_id": None,
            "api_app_id": APP, "event": event, "type": "event_callback", "event_id": f"Ev{number:08d}",
            "event_time": FIRST_SECOND + number, "is_ext_shared_channel": bool(channel and channel.connect),
            "event_context": f"4-{number}",
            "authorizations": [{
                "enterprise_id": None, "team_id": TEAM, "user_id": BOT_USER, "is_bot": True, "is_enterprise_install": False,
            }],
        }  # fmt: skip
        self.sent.append(payload)
        return payload

    def redeliver_payload(self, payload: Json, attempt: int = 0, reason: str = "") -> "asyncio.Task[None]":
        return self.spawn(self._deliver(payload, attempt, reason))

    async def _deliver(self, payload: Json, attempt: int, reason: str) -> None:
        for number in range(attempt, ATTEMPTS):
            outcome = await self.send("events_api", payload, number, reason)
            if outcome.ok:
                return
            if not outcome.again or number == ATTEMPTS - 1:
                break
            reason = outcome.reason
            await asyncio.sleep(self.retry_delays[number])
        self.lost.append(payload["event_id"])

    async def send(self, kind: str, payload: Json, attempt: int = 0, reason: str = "") -> Outcome:
        if self.transport is None:
            raise RuntimeError("the fake has no transport; start it with `async with`")
        outcome = await self.transport.send(kind, payload, attempt, reason)
        if outcome.ok:
            self.acks.append(outcome.milliseconds)
        else:
            self.late.append(str(payload.get("event_id") or payload.get("type") or payload.get("command")))
        return outcome

    def emit_message(self, message: Message, *, mention: bool = False, edited: bool = False) -> None:
        """A new message: as `message`, and as `app_mention` too where it addresses the app."""
        channel = self.world.channels[message.channel]
        if not self.world.is_member(channel) or message.only_for:
            return
        shape = message_shape(self.world, message, self.origin)
        place = {"channel": channel.id, "event_ts": message.edited or message.ts}
        kinds = [] if edited else ["message"]
        if mention and channel.kind != "im":
            kinds.insert(self.world.number() % 2, "app_mention")  # either may come first
        for kind in kinds:
            if kind == "message":
                event = shape | place | {"channel_type": channel.channel_type}
                self.emit(event, channel, subscription=f"message.{KINDS[channel.channel_type]}")
            else:
                self.emit(shape | place | {"type": "app_mention"}, channel)

    def emit_change(self, message: Message, before: Json, *, removed: bool = False) -> None:
        """message_changed or message_deleted, with the message as it was."""
        channel = self.world.channels[message.channel]
        if not self.world.is_member(channel) or message.only_for:
            return
        ts = self.world.new_ts()
        event: Json = {
            "type": "message",
            "channel": channel.id,
            "channel_type": channel.channel_type,
            "hidden": True,
        }
        event |= {"ts": ts, "event_ts": ts, "previous_message": before}
        if removed:
            event |= {"subtype": "message_deleted", "deleted_ts": message.ts}
        else:
            event |= {
                "subtype": "message_changed",
                "message": message_shape(self.world, message, self.origin),
            }
        self.emit(event, channel, subscription=f"message.{KINDS[channel.channel_type]}")

    def note_pings(self, channel: str, text: str, blocks: Any, arguments: Json) -> None:
        for what in pings_in(text, blocks, arguments):
            self.world.pings.append(Ping(channel, what, text))


def frozen(names: Iterable[str] | None) -> frozenset[str] | None:
    return None if names is None else frozenset(names)
