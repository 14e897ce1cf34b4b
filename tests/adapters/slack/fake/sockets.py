"""Socket Mode: several connections, each payload to one of them, acknowledgements matched by envelope."""

import asyncio
import itertools
import json
import time
from dataclasses import dataclass, field

from aiohttp import WSMsgType, web

from tests.adapters.slack.fake.api import method
from tests.adapters.slack.fake.core import Core, Outcome
from tests.adapters.slack.fake.state import APP, Json, Refused

MOST_CONNECTIONS = 10


@dataclass(slots=True)
class Waiting:
    """An envelope on its way."""

    answer: "asyncio.Future[Outcome]"
    connection: web.WebSocketResponse
    began: float


@dataclass(eq=False)
class Sockets:
    """Connections take turns, so that a pair of events about one message never meets in one of them alone."""

    core: Core
    connections: list[web.WebSocketResponse] = field(default_factory=list)
    tickets: set[str] = field(default_factory=set)
    opened: int = 0  # connections made so far
    unknown_acks: list[str] = field(default_factory=list)
    deliveries: list[tuple[int, Json]] = field(default_factory=list)  # (connection number, envelope)
    _waiting: dict[str, Waiting] = field(default_factory=dict)
    _turns: "itertools.count[int]" = field(default_factory=itertools.count)
    _any: asyncio.Event = field(default_factory=asyncio.Event)
    _numbers: dict[int, int] = field(default_factory=dict)

    def ticket(self) -> str:
        if len(self.connections) >= MOST_CONNECTIONS:
            raise Refused("too_many_websockets")
        ticket = f"ticket{self.core.world.number()}"
        self.tickets.add(ticket)
        return f"{self.core.origin.replace('http', 'ws', 1)}/link/?ticket={ticket}&app_id={APP}"

    async def serve(self, request: web.Request) -> web.StreamResponse:
        """One connection from hello to its end; what it has not acknowledged by then is sent again."""
        ticket = request.query.get("ticket", "")
        if ticket not in self.tickets:
            return web.Response(status=408, text="ticket is used or unknown")
        self.tickets.remove(ticket)
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        self.connections.append(socket)
        self.opened += 1
        self._numbers[id(socket)] = self.opened
        try:
            await socket.send_json(self._hello())
            self._any.set()
            async for frame in socket:
                if frame.type is WSMsgType.TEXT:
                    self._acknowledge(frame.data)
        finally:
            self._forget(socket)
        return socket

    def _hello(self) -> Json:
        debug = {"host": "applink", "build_number": 1, "approximate_connection_time": 18060}
        count = len(self.connections)
        return {
            "type": "hello",
            "num_connections": count,
            "connection_info": {"app_id": APP},
            "debug_info": debug,
        }

    def _forget(self, socket: web.WebSocketResponse) -> None:
        if socket in self.connections:
            self.connections.remove(socket)
        if not self.connections:
            self._any.clear()
        for waiting in list(self._waiting.values()):
            if waiting.connection is socket and not waiting.answer.done():
                waiting.answer.set_result(Outcome(False, reason="connection_closed"))

    def _acknowledge(self, text: str) -> None:
        try:
            frame = json.loads(text)
        except ValueError:
            return  # pings of old clients are no JSON
        envelope = str(frame.get("envelope_id"))
        waiting = self._waiting.get(envelope)
        if waiting is None or waiting.answer.done():
            self.unknown_acks.append(envelope)
            return
        took = (time.perf_counter() - waiting.began) * 1000
        waiting.answer.set_result(Outcome(True, frame.get("payload"), milliseconds=took))

    async def send(self, kind: str, payload: Json, attempt: int, reason: str) -> Outcome:
        """Deliver to the next connection and wait for its acknowledgement."""
        try:
            async with asyncio.timeout(self.core.connect_seconds):
                await self._any.wait()
        except TimeoutError:
            return Outcome(False, reason="no_connection")
        socket = self.connections[next(self._turns) % len(self.connections)]
        envelope: Json = {
            "type": kind,
            "envelope_id": f"envelope-{self.core.world.number()}",
            "payload": payload,
        }
        envelope["accepts_response_payload"] = kind != "events_api"
        if kind == "events_api":
            envelope |= {"retry_attempt": attempt, "retry_reason": reason}
        return await self._send(socket, envelope)

    async def _send(self, socket: web.WebSocketResponse, envelope: Json) -> Outcome:
        key = envelope["envelope_id"]
        waiting = Waiting(asyncio.get_running_loop().create_future(), socket, time.perf_counter())
        self._waiting[key] = waiting
        self.deliveries.append((self._numbers[id(socket)], envelope))
        try:
            await socket.send_json(envelope)
            async with asyncio.timeout(self.core.ack_seconds):
                return await waiting.answer
        except TimeoutError:
            return Outcome(False, reason="timeout")
        except ConnectionError:
            return Outcome(False, reason="connection_closed")
        finally:
            del self._waiting[key]

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        """Ask every connection to come again, then close it, as Slack does every few hours."""
        for socket in list(self.connections):
            await socket.send_json(
                {"type": "disconnect", "reason": reason, "debug_info": {"host": "applink"}}
            )
            if reason != "warning":
                self.connections.remove(socket)
                self.core.spawn(self._close(socket))
        if not self.connections:
            self._any.clear()

    async def _close(self, socket: web.WebSocketResponse) -> None:
        await asyncio.sleep(0.05)
        await socket.close()

    def drop(self) -> None:
        """Cut every connection without a word."""
        for socket in list(self.connections):
            self._forget(socket)
            transport = socket._req.transport if socket._req is not None else None
            if transport is not None:
                transport.abort()

    async def close(self) -> None:
        for socket in list(self.connections):
            await socket.close()


@method("apps.connections.open", app_token=True)
async def connections_open(core: Core, arguments: Json) -> Json:
    return {"url": core.sockets.ticket()}
