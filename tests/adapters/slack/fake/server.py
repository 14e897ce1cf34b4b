"""The fake itself: one loopback server for the Web API, sockets, files and response URLs."""

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, Self

import aiohttp
from aiohttp import web

from tests.adapters.slack.fake import chat, places  # noqa: F401  registers their methods
from tests.adapters.slack.fake.api import handle
from tests.adapters.slack.fake.core import Core, frozen
from tests.adapters.slack.fake.files import download, foreign, upload
from tests.adapters.slack.fake.sights import Sights
from tests.adapters.slack.fake.sockets import Sockets
from tests.adapters.slack.fake.state import BOT_USER, TEAM, Json
from tests.adapters.slack.fake.surfaces import respond
from tests.adapters.slack.fake.webhooks import Webhooks

Route = Callable[[Core, web.Request], Awaitable[web.StreamResponse]]
EVERY_SCOPE = (
    "app_mentions:read", "assistant:write", "channels:history", "channels:read", "chat:write", "commands",
"files:read", "files:write", "groups:history", "groups:read", "im:history", "im:read",
    "im:write", "mpim:history", "mpim:read", "reactions:read", "reactions:write", "team:read", "users:read",
    "users:read.email",
)  # fmt: skip


class FakeSlack(Sights):
    """`async with FakeSlack() as slack:` listens on a port that the system chooses.

    `scopes`, `events` and `commands` are what the installed app has; None for events and commands means all of them.
    """

    team = TEAM
    bot_user = BOT_USER

    def __init__(
        self,
        *,
        scopes: Iterable[str] = EVERY_SCOPE,
        events: Iterable[str] | None = None,
        commands: Iterable[str] | None = None,
    ) -> None:
        super().__init__(frozenset(scopes), frozen(events), frozen(commands))
        self.sockets = Sockets(self)
        self.transport = self.sockets
        self.webhooks: Webhooks | None = None
        self._session: aiohttp.ClientSession | None = None
        self._runner: web.AppRunner | None = None

    @classmethod
    def from_manifest(cls, manifest: Json) -> Self:
        """An installation of exactly what a manifest asks for."""
        features, settings = manifest.get("features", {}), manifest["settings"]
        return cls(
            scopes=manifest["oauth_config"]["scopes"]["bot"],
            events=settings.get("event_subscriptions", {}).get("bot_events", ()),
            commands=[command["command"] for command in features.get("slash_commands", ())],
        )

    @property
    def api_url(self) -> str:
        return f"{self.origin}/api/"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/api/{method}", self._bound(handle))
        app.router.add_get("/link/", self.sockets.serve)
        app.router.add_get("/files-pri/{file}/{name:.*}", self._bound(download))
        app.router.add_get("/elsewhere/{name}", self._bound(foreign))
        app.router.add_post("/upload/{file}/{length}", self._bound(upload))
        app.router.add_post("/response/{key}", self._bound(respond))
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1.0)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.origin = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        self._session = aiohttp.ClientSession()
        return self

    def _bound(self, route: Route) -> Callable[[web.Request], Awaitable[web.StreamResponse]]:
        async def answer(request: web.Request) -> web.StreamResponse:
            return await route(self, request)

        return answer

    async def use_http(self, url: str) -> None:
        """Deliver over HTTP from now on, after the handshake. Raises: RuntimeError when the app fails it."""
        if self._session is None:
            raise RuntimeError("not started")
        self.webhooks = Webhooks(self, url, self._session)
        await self.webhooks.verify()
        self.transport = self.webhooks

    async def use_sockets(self) -> None:
        self.transport = self.sockets

    async def disconnect(self, reason: str = "refresh_requested") -> None:
        await self.sockets.disconnect(reason)

    def drop_sockets(self) -> None:
        self.sockets.drop()

    async def __aexit__(self, *_error: Any) -> None:
        for task in list(self._tasks):
            task.cancel()
        await self.sockets.close()
        if self._session is not None:
            await self._session.close()
        if self._runner is not None:
            await self._runner.cleanup()
