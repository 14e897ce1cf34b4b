"""Discord on loopback: its HTTP API, its gateway and its file server, in front of a server kept in memory.

discord.py runs against it as it is; only the two addresses that it has in its own code are pointed here. Stricter than
a plain echo: privileged intents can be switched off, what the bot may not view is not sent to it, interactions expire,
requests can be refused with 429, file links can expire, and a resumed session gets everything again that it may have
missed, and more.
"""

import asyncio
import copy
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import BytesIO
from typing import Any

import discord
import discord.gateway
import discord.http
import yarl
from aiohttp import WSMsgType, web
from simcord.backend import Backend, serializers
from simcord.backend.access import channel_accessible
from simcord.backend.errors import BackendError
from simcord.enums import InteractionType
from simcord.http import router
from simcord.intents import prune_guild_create, required_intent
from simcord.interactions import base_payload

CDN = "https://cdn.simcord.invalid"
DISALLOWED_INTENTS = 4014
REPLAYED = 12  # events before the last one seen that a resumed session gets once more


class RealClock:
    """The server's time is the machine's: ids and deadlines are of now."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    @property
    def elapsed(self) -> float:
        return 0.0


@dataclass(slots=True)
class Session:
    """One identified connection."""

    intents: discord.Intents
    events: list[dict[str, Any]] = field(default_factory=list)
    sockets: list[web.WebSocketResponse] = field(default_factory=list)


class Front:
    """`async with front_on_loopback(monkeypatch) as front`."""

    def __init__(self) -> None:
        self.backend = Backend(clock=RealClock())  # type: ignore[arg-type]
        self.backend.subscribers.append(self._emitted)
        self.sessions: dict[str, Session] = {}
        self.approved = True  # the privileged intents in the Developer Portal
        self.token = "wire.fake.token"
        self.limited: list[
            tuple[str, float]
        ] = []  # (what a path ends in, seconds) of requests to refuse, in turn
        self.refused = 0
        self.resumed = 0
        self.repeated = 0  # events that a resumed session had seen before
        self.requests: list[tuple[str, str, bool]] = []  # method, path, whether it was multipart
        self._writers: set[asyncio.Task[None]] = set()

    # --- what people do ---

    def interact(
        self, user: int, channel: int, data: Mapping[str, Any], kind: InteractionType, **more: Any
    ) -> Any:
        """A command or a pressed button; returns the server's record of it."""
        guild = self.backend.get_channel(channel).guild_id
        record, payload = base_payload(
            self.backend, type=kind, channel_id=channel, guild_id=guild, user_id=user, data=dict(data)
        )
        self.backend.emit("INTERACTION_CREATE", {**payload, **more, "locale": "pt-BR"})
        return record

    def slash(self, user: int, channel: int, name: str, **options: str) -> Any:
        command = next(c for c in self.backend.commands[None].values() if c["name"] == name)
        filled = [{"name": key, "type": 3, "value": value} for key, value in options.items()]
        data = {"id": command["id"], "name": name, "type": 1, "options": filled}
        return self.interact(user, channel, data, InteractionType.APPLICATION_COMMAND)

    def click(self, user: int, message: Any, custom_id: str) -> Any:
        shown = dict(serializers.message_payload(self.backend, message))
        data = {"custom_id": custom_id, "component_type": 2}
        record = self.interact(
            user, message.channel_id, data, InteractionType.MESSAGE_COMPONENT, message=shown
        )
        record.source_message_id = message.id
        return record

    async def drop(self, code: int = 4000) -> None:
        """The connection breaks."""
        for session in self.sessions.values():
            for socket in list(session.sockets):
                await socket.close(code=code)

    # --- HTTP ---

    async def api(self, request: web.Request) -> web.Response:
        path = "/" + request.match_info["path"]
        multipart = request.content_type == "multipart/form-data"
        self.requests.append((request.method, path, multipart))
        if request.headers.get("Authorization") != f"Bot {self.token}" and not path.startswith(
            ("/webhooks", "/interactions")
        ):
            return _json({"message": "401: Unauthorized", "code": 0}, 401)
        if self.limited and path.endswith(self.limited[0][0]):
            _, seconds = self.limited.pop(0)
            self.refused += 1
            body = {"message": "You are being rate limited.", "retry_after": seconds, "global": False}
            return _json(body, 429, {"Retry-After": str(seconds), "Via": "1.1 front"})
        body, files = await _body(request, multipart)
        try:
            found = router.dispatch(
                self.backend, request.method, path, json=body, params=dict(request.query), files=files
            )
        except BackendError as err:
            return _json(err.to_json(), err.status)
        return web.Response(status=204) if found is None else _json(self._here(found))

    async def file(self, request: web.Request) -> web.Response:
        path = "/" + request.match_info["path"]
        data = self.backend.cdn.get(f"{CDN}{path}")
        if data is None:
            return web.Response(status=404)
        return web.Response(body=data)

    # --- gateway ---

    async def gateway(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        await socket.send_json({"op": 10, "d": {"heartbeat_interval": 20_000}, "s": None, "t": None})
        async for frame in socket:
            if frame.type is not WSMsgType.TEXT:
                break
            message = json.loads(frame.data)
            match message["op"]:
                case 1:
                    await socket.send_json({"op": 11, "d": None, "s": None, "t": None})
                case 2:
                    await self._identify(socket, message["d"])
                case 6:
                    await self._resume(socket, message["d"])
                case 8:
                    self._members(message["d"])
        for session in self.sessions.values():
            if socket in session.sockets:
                session.sockets.remove(socket)
        return socket

    async def _identify(self, socket: web.WebSocketResponse, data: Mapping[str, Any]) -> None:
        intents = discord.Intents._from_value(int(data["intents"]))
        if not self.approved and (intents.members or intents.message_content):
            await socket.close(code=DISALLOWED_INTENTS)
            return
        name = f"session-{len(self.sessions) + 1}"
        session = self.sessions[name] = Session(intents, sockets=[socket])
        ready = {
            "v": 10,
            "user": dict(serializers.user_payload(self.backend.bot_user)),
            "guilds": [{"id": str(guild), "unavailable": True} for guild in self.backend.guilds],
            "session_id": name,
            "resume_gateway_url": str(self.address.with_scheme("ws") / "gateway"),
            "application": {"id": str(self.backend.application_id), "flags": 0},
        }
        self._send(session, "READY", ready)
        for guild in list(self.backend.guilds.values()):
            self._send(session, "GUILD_CREATE", dict(serializers.guild_create_payload(self.backend, guild)))

    async def _resume(self, socket: web.WebSocketResponse, data: Mapping[str, Any]) -> None:
        """Everything since the last event that was seen, and a few before it: Discord promises no less, but more."""
        session = self.sessions[str(data["session_id"])]
        session.sockets[:] = [socket]
        self.resumed += 1
        seen = int(data["seq"])
        for event in session.events[max(0, seen - REPLAYED) :]:
            if event["t"] not in ("READY", "GUILD_CREATE"):
                self.repeated += event["t"] == "MESSAGE_CREATE" and event["s"] <= seen
                self._write(socket, event)
        self._send(session, "RESUMED", {})

    def _members(self, data: Mapping[str, Any]) -> None:
        guild = self.backend.guilds[int(data["guild_id"])]
        members = [serializers.member_payload(self.backend, guild, m) for m in guild.members.values()]
        chunk = {
            "guild_id": str(guild.id),
            "members": members,
            "chunk_index": 0,
            "chunk_count": 1,
            "nonce": data.get("nonce"),
        }
        for session in self.sessions.values():
            self._send(session, "GUILD_MEMBERS_CHUNK", chunk)

    def _emitted(self, event: str, payload: Mapping[str, Any]) -> None:
        """What happens on the server, to each session that may know of it."""
        if event.startswith("MESSAGE_") and not channel_accessible(
            self.backend, int(payload["channel_id"]), self.backend.bot_user.id
        ):
            return
        needed = required_intent(event, payload)
        for session in self.sessions.values():
            if needed is None or getattr(session.intents, needed):
                self._send(session, event, dict(payload))

    def _send(self, session: Session, event: str, payload: dict[str, Any]) -> None:
        shaped = copy.deepcopy(payload)
        if event == "GUILD_CREATE":
            prune_guild_create(shaped, session.intents, self.backend.bot_user.id)
        frame = {"op": 0, "t": event, "s": len(session.events) + 1, "d": self._here(shaped)}
        session.events.append(frame)
        for socket in session.sockets:
            self._write(socket, frame)

    def _write(self, socket: web.WebSocketResponse, frame: Mapping[str, Any]) -> None:
        if socket.closed:
            return
        previous = self._last.get(id(socket))

        async def write() -> None:
            if previous is not None:
                await asyncio.wait([previous])  # frames keep their order
            if not socket.closed:
                await socket.send_str(json.dumps(frame))

        task = asyncio.ensure_future(write())
        self._last[id(socket)] = task
        self._writers.add(task)
        task.add_done_callback(self._writers.discard)

    def _here(self, payload: Any) -> Any:
        """File links point at this server."""
        return json.loads(json.dumps(payload).replace(CDN, str(self.address / "cdn")))

    address: yarl.URL
    _last: dict[int, "asyncio.Task[None]"]


@asynccontextmanager
async def front_on_loopback(monkeypatch: Any) -> AsyncIterator[Front]:
    """A server on a free port, and discord.py pointed at it."""
    front = Front()
    front._last = {}
    app = web.Application(client_max_size=64 * 2**20)
    app.router.add_route("*", "/api/v10/{path:.*}", front.api)
    app.router.add_get("/cdn/{path:.*}", front.file)
    app.router.add_get("/gateway", front.gateway)
    app.router.add_get("/gateway/", front.gateway)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    front.address = yarl.URL(f"http://127.0.0.1:{runner.addresses[0][1]}")
    monkeypatch.setattr(discord.http.Route, "BASE", str(front.address / "api" / "v10"))
    gateway = front.address.with_scheme("ws") / "gateway"
    monkeypatch.setattr(discord.gateway.DiscordWebSocket, "DEFAULT_GATEWAY", gateway)
    try:
        yield front
    finally:
        await front.drop(1001)
        await asyncio.gather(*front._writers, return_exceptions=True)
        await runner.cleanup()


async def _body(request: web.Request, multipart: bool) -> tuple[Any, list[discord.File]]:
    if not multipart:
        return (await request.json() if request.can_read_body else None), []
    form = await request.post()
    files = [
        discord.File(BytesIO(part.file.read()), filename=part.filename)
        for part in form.values()
        if isinstance(part, web.FileField)
    ]
    payload = form.get("payload_json")
    return (json.loads(payload) if isinstance(payload, str) else None), files


def _json(found: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> web.Response:
    """Exactly this content type: with a character set behind it, discord.py would take the body for text."""
    body = json.dumps(found).encode()
    return web.Response(
        body=body, status=status, headers={**(headers or {}), "Content-Type": "application/json"}
    )
