"""Slash commands, shortcuts, buttons, modals, the Home tab, the assistant: what a person clicks, and what comes back at once."""

from dataclasses import dataclass
from typing import Any

from tests.adapters.slack.fake.core import Outcome
from tests.adapters.slack.fake.doors import ResponseUrl
from tests.adapters.slack.fake.people import People
from tests.adapters.slack.fake.shapes import message_shape
from tests.adapters.slack.fake.state import APP, BOT_ID, BOT_USER, TEAM, Channel, Json, Message, Refused
from tests.adapters.slack.fake.surfaces import show_response


@dataclass(frozen=True, slots=True)
class Clicked:
    """`error` is what Slack shows the person when the app did not acknowledge in time."""

    acknowledged: bool
    error: str = ""
    body: Any = None


class Interactions(People):
    async def slash(self, user: str, channel: str, command: str, text: str = "") -> Clicked:
        """Returns once the app has acknowledged (or not). Raises: LookupError for a command nobody registered."""
        if self.commands is not None and command not in self.commands:
            raise LookupError(f"{command} is not a valid command")
        place = self._present(user, channel)
        names = {"im": "directmessage", "group": "privategroup", "mpim": place.name}
        path = self.doors.new_url(channel, user)
        outcome = await self.send("slash_commands", {
            "token": "verification", "team_id": TEAM, "team_domain": "acme", "channel_id": channel,
            "channel_name": names.get(place.channel_type, place.name), "user_id": user,
            "user_name": self.world.users[user].name, "command": command, "text": text, "api_app_id": APP,
            "is_enterprise_install": "false", "response_url": self.origin + path,
            "trigger_id": self.doors.new_trigger(user),
        })  # fmt: skip
        return self._answered(outcome, self.doors.urls[path.rpartition("/")[2]])

    def _present(self, user: str, channel: str) -> Channel:
        place = self.world.channels[channel]
        if not self.world.reads(user, place):
            raise LookupError(f"{user} does not see {channel}")
        return place

    def _answered(self, outcome: Outcome, url: ResponseUrl | None = None) -> Clicked:
        """Shows what came with the acknowledgement."""
        if not outcome.ok:
            self.user_errors.append("operation_timeout")
            return Clicked(False, outcome.reason or "operation_timeout")
        body = {"text": outcome.body} if isinstance(outcome.body, str) else outcome.body
        if body and url is not None:
            try:
                show_response(self, url, body)
            except Refused as err:
                self.user_errors.append(err.error)
                return Clicked(True, err.error, body)
        return Clicked(True, body=body)

    def _person(self, user: str) -> Json:
        person = self.world.users[user]
        return {"id": user, "username": person.name, "name": person.name, "team_id": person.team}

    def _interaction(self, kind: str, user: str, **more: Any) -> Json:
        return {
            "type": kind, "team": {"id": TEAM, "domain": "acme"}, "user": self._person(user), "api_app_id": APP,
            "token": "verification", "trigger_id": self.doors.new_trigger(user), "enterprise": None,
            "is_enterprise_install": False,
        } | more  # fmt: skip

    def _place(self, channel: str) -> Json:
        place = self.world.channels[channel]
        return {
            "id": channel,
            "name": {"im": "directmessage", "group": "privategroup"}.get(place.channel_type, place.name),
        }

    async def shortcut(self, user: str, channel: str, ts: str, callback_id: str) -> Clicked:
        """A message shortcut ("Remember this") on somebody's message."""
        self._present(user, channel)
        message = self.world.find(channel, ts)
        payload = self._interaction(
            "message_action", user, callback_id=callback_id, action_ts=self.world.new_ts(), message_ts=ts,
            channel=self._place(channel), message=message_shape(self.world, message, self.origin),
            response_url=self.origin + self.doors.new_url(channel, user),
        )  # fmt: skip
        return self._answered(await self.send("interactive", payload))

    async def global_shortcut(self, user: str, callback_id: str) -> Clicked:
        payload = self._interaction("shortcut", user, callback_id=callback_id, action_ts=self.world.new_ts())
        return self._answered(await self.send("interactive", payload))

    async def press(self, user: str, message: Message, action_id: str, *, value: str = "") -> Clicked:
        """A click on a button of a message that the person sees.

        `value` picks a side of feedback buttons. Raises: LookupError when the button is not there or not shown to them.
        """
        place = self._present(user, message.channel)
        if message.deleted or (message.only_for and message.only_for != user):
            raise LookupError(f"{user} does not see {message.ts}")
        action = find_action(message.blocks, action_id, value) | {"action_ts": self.world.new_ts()}
        container: Json = {
            "type": "message",
            "message_ts": message.ts,
            "channel_id": place.id,
            "is_ephemeral": bool(message.only_for),
        }
        if message.thread_ts:
            container["thread_ts"] = message.thread_ts
        payload = self._interaction(
            "block_actions", user, container=container, channel=self._place(place.id), actions=[action],
            state={"values": {}}, response_url=self.origin + self.doors.new_url(place.id, user, message),
        )  # fmt: skip
        if not message.only_for:  # Slack sends no text of an ephemeral message back
            payload["message"] = message_shape(self.world, message, self.origin)
        return self._answered(await self.send("interactive", payload))

    async def press_home(self, user: str, action_id: str, *, value: str = "") -> Clicked:
        view = self.world.views[user]
        action = find_action(view["blocks"], action_id, value) | {"action_ts": self.world.new_ts()}
        container = {"type": "view", "view_id": view["id"]}
        payload = self._interaction("block_actions", user, container=container, actions=[action], view=view)
        return self._answered(await self.send("interactive", payload))

    async def submit(self, user: str, values: Json) -> Clicked:
        """Submit the modal that the person has open; `values` is block id → action id → state."""
        view = self.world.modals[user] | {"state": {"values": values}}
        clicked = self._answered(
            await self.send(
                "interactive", self._interaction("view_submission", user, view=view, response_urls=[])
            )
        )
        action = (clicked.body or {}).get("response_action") if isinstance(clicked.body, dict) else None
        if clicked.acknowledged and action not in ("errors", "update", "push"):
            del self.world.modals[user]
        return clicked

    async def open_home(self, user: str, *, tab: str = "home") -> None:
        channel = self.world.dm_of(user)
        event: Json = {"type": "app_home_opened", "user": user, "channel": channel.id, "tab": tab}
        if user in self.world.views:
            event["view"] = self.world.views[user]
        self.emit(event | {"event_ts": self.world.new_ts()})

    async def assistant_thread(self, user: str, *, context_channel: str = "") -> tuple[str, str]:
        """Open the assistant's pane: a new thread in the direct message. Returns: channel and thread_ts."""
        channel = self.world.dm_of(user)
        root = Message(
            self.world.new_ts(),
            channel.id,
            BOT_USER,
            "New Assistant Thread",
            bot_id=BOT_ID,
            subtype="assistant_app_thread",
        )
        self.world.add(root)
        context = (
            {"channel_id": context_channel, "team_id": TEAM, "enterprise_id": None} if context_channel else {}
        )
        thread = {"user_id": user, "context": context, "channel_id": channel.id, "thread_ts": root.ts}
        self.emit(
            {"type": "assistant_thread_started", "assistant_thread": thread, "event_ts": self.world.new_ts()},
            channel,
        )
        return channel.id, root.ts

    def redeliver(self, last: int = 1) -> None:
        """Send the latest events again with their own event ids, as Slack does when an acknowledgement got lost."""
        for payload in self.sent[-last:]:
            self.redeliver_payload(payload, 1, "timeout")


def find_action(blocks: Any, action_id: str, value: str = "") -> Json:
    """The element as the payload names it. Raises: LookupError."""
    for block in blocks:
        for element in [*block.get("elements", []), block.get("accessory", {})]:
            if isinstance(element, dict) and element.get("action_id") == action_id:
                return _action(block, element, value)
        if "child_blocks" in block:
            try:
                return find_action(block["child_blocks"], action_id, value)
            except LookupError:
                continue
    raise LookupError(f"no element {action_id}")


def _action(block: Json, element: Json, value: str) -> Json:
    action = {
        "type": element["type"],
        "action_id": element["action_id"],
        "block_id": block.get("block_id", "b0"),
    }
    if element["type"] == "feedback_buttons":
        sides = [element["positive_button"], element["negative_button"]]
        chosen = [side for side in sides if not value or side["value"] == value]
        if not chosen:
            raise LookupError(f"no feedback value {value}")
        return action | {"value": chosen[0]["value"], "text": chosen[0]["text"]}
    if "options" in element:
        chosen = [option for option in element["options"] if not value or option["value"] == value]
        return action | {"selected_option": chosen[0]}
    return action | {name: element[name] for name in ("text", "value", "style") if name in element}
