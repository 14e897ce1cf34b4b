"""Slack's loop: connect, note every event durably, acknowledge, and only then work; over Socket Mode or HTTP."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.context.async_context import AsyncBoltContext
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import PAUSES, Pace, error_of, light_client, patient_client
from adapters.slack.directory import SlackDirectory
from adapters.slack.files import SlackFiles
from adapters.slack.meaning import (
    SLACK,
    Asked,
    AssistantOpened,
    HomeOpened,
    Me,
    Meaning,
    Mine,
    Nothing,
    Said,
    Shared,
    Stale,
)
from adapters.slack.missed import catch_up
from adapters.slack.options import APP_TOKEN, BOT_TOKEN, Secrets, SlackOptions, secrets, slack_options
from adapters.slack.outlet import SlackOutlet
from adapters.slack.people import People
from adapters.slack.read import keys_of, read_body
from adapters.slack.tables import scopes
from adapters.slack.work import Work
from bot.desk import Desk
from bot.messages import Inbound
from bot.phrases import reader_language, say
from core.errors import PolyragError

if TYPE_CHECKING:
    from bot.app import App

log = logging.getLogger("polyrag.slack")
CLAIM = "polyrag_claim"
NOTED = 20_000  # keys of the latest events that are remembered beside the book
_UNSTORED = frozenset({"token", "authorizations", "authed_users"})
_EVERYTHING = re.compile(r".*", re.DOTALL)


class SlackRefuses(PolyragError):
    messages = {
        "en": "Slack does not accept {variable} ({error}). Copy the token again from the app's pages at api.slack.com/apps.",
        "pt": "O Slack não aceita {variable} ({error}). Copie o token de novo das páginas do app em api.slack.com/apps.",
    }


async def serve(app: "App") -> None:
    """Run until cancelled; then finish what is under way, within reason. Raises: BadSetting, SlackRefuses."""
    bot = SlackBot(app, slack_options(app.settings), secrets())
    try:
        await bot.start()
        await asyncio.Event().wait()
    finally:
        await bot.stop()


class SlackBot:
    """One connected bot. `start`, then `stop`; what is not finished by then stays in the inbox."""

    me: Me
    desk: Desk
    outlet: SlackOutlet
    work: Work

    def __init__(
        self,
        app: "App",
        options: SlackOptions,
        keys: Secrets,
        *,
        pace: Pace | None = None,
        pauses: Sequence[float] = PAUSES,
    ) -> None:
        """Args: pauses: seconds between tries of what failed in passing."""
        self.app = app
        self.options = options
        self.keys = keys
        self.port = 0  # that HTTP mode listens on
        self._pace = pace
        self._pauses = pauses
        self._later: set[asyncio.Task[None]] = set()
        self._watch: asyncio.Task[None] | None = None
        self._noted: dict[str, None] = {}  # keys that are in the book, oldest first
        self._session: aiohttp.ClientSession | None = None
        self._socket: AsyncSocketModeHandler | None = None
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Raises: SlackRefuses when a token is wrong."""
        self._session = aiohttp.ClientSession()
        client = patient_client(self.keys.bot_token, self.options.api_url, self._session, pauses=self._pauses)
        light = light_client(self.keys.bot_token, self.options.api_url, self._session)
        self.me = await self._identity(client)
        self._equip(client, light)
        self._resume()
        bolt = self._bolt(client)
        if self.options.mode == "socket":
            await self._connect(bolt, client)
        else:
            await self._listen(bolt)
        if self.options.catch_up_minutes > 0:
            since = self.app.now().timestamp() - 60 * self.options.catch_up_minutes
            self._in_background(catch_up(client, self.me, since, self._missed))
        if self.options.reconcile_minutes > 0:
            self._watch = asyncio.create_task(self._reconcile())

    async def stop(self, seconds: float | None = None) -> None:
        """Take nothing new, finish what runs, close. Args: seconds: for what runs; default: the option."""
        if self._socket is not None:
            await self._socket.close_async()  # type: ignore[no-untyped-call]
        if self._runner is not None:
            await self._runner.cleanup()
        ending = [*self._later, *([self._watch] if self._watch else [])]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        if hasattr(self, "desk"):
            await self.desk.drain(self.options.drain_seconds if seconds is None else seconds)
        if self._session is not None:
            await self._session.close()

    async def settle(self) -> None:
        """Until nothing that was accepted is in flight."""
        await self.desk.idle()
        while self._later:
            await asyncio.gather(*self._later, return_exceptions=True)
            await self.desk.idle()

    # --- opening ---

    async def _identity(self, client: AsyncWebClient) -> Me:
        try:
            answer = await client.auth_test()
        except SlackApiError as err:
            raise SlackRefuses(error_of(err), variable=BOT_TOKEN, error=error_of(err)) from err
        self._check_scopes(answer.headers)
        url = str(answer.get("url") or "https://slack.com/")
        return Me(str(answer["team_id"]), str(answer["user_id"]), str(answer.get("bot_id") or ""), url)

    def _check_scopes(self, headers: Mapping[str, Any]) -> None:
        """Say at the start which permissions are missing, and not only when something fails."""
        told = {name.casefold(): value for name, value in headers.items()}.get("x-oauth-scopes", "")
        given = {scope.strip() for scope in str(told).split(",") if scope.strip()}
        missing = [scope for scope in scopes() if scope not in given]
        if given and missing:
            log.warning("Slack app lacks scopes; update it from the manifest", extra={"scopes": missing})

    def _equip(self, client: AsyncWebClient, light: AsyncWebClient) -> None:
        """The parts, each with what it needs of the others."""
        seconds, settings = self.options.lookup_seconds, self.app.settings
        self.people = People(client, self.me.team, seconds=seconds)
        self.directory = SlackDirectory(client, self.me, self.people, seconds=seconds)
        self.files = SlackFiles(client, most=settings.ingest.max_bytes, pauses=self._pauses)
        self.outlet = SlackOutlet(
            client,
            light,
            self.people,
            settings,
            names=self._names,
            drafted=self._drafted,
            pace=self._pace,
            pauses=self._pauses,
            stream=self.options.stream,
        )
        self.desk = Desk(self.app, self.outlet, parallel=self.options.parallel)
        self.app.directories[SLACK] = self.directory
        self.work = Work(
            self.app, self.me, self.desk, self.outlet, self.people, self.directory, self.files, self._names
        )

    async def _drafted(self, key: str, ts: str) -> None:
        await self.app.clerk.write(self.app.book.drafting(SLACK, key, ts), relaxed=True)

    async def _names(self, inbound: Inbound, ids: frozenset[str]) -> Mapping[str, str]:
        """Names of those people and channels that every reader of the reply may know of."""
        channels = await self.directory.names() if any(id[0] in "CG" for id in ids) else {}
        people = await self.people.names() if any(id[0] in "UW" for id in ids) else {}
        found = {id: people[id] for id in ids if id in people}
        wanted = [id for id in ids if id in channels]
        tags = (await self.app.scope(inbound)).tags if wanted else frozenset()
        return found | {id: f"#{channels[id]}" for id in wanted if f"{SLACK}:{self.me.team}/{id}" in tags}

    def _resume(self) -> None:
        """What an earlier process accepted and did not finish."""
        for waiting in self.desk.unfinished():
            meaning = read_body(waiting.event, self.me, self.files.attachment)
            self.desk.spawn(waiting.key, self.work.do(meaning, waiting.key, waiting.draft))

    async def _connect(self, bolt: AsyncApp, client: AsyncWebClient) -> None:
        """Socket Mode; the SDK keeps the connection and renews it."""
        try:
            await client.apps_connections_open(app_token=self.keys.app_token)
        except SlackApiError as err:
            raise SlackRefuses(error_of(err), variable=APP_TOKEN, error=error_of(err)) from err
        self._socket = AsyncSocketModeHandler(bolt, self.keys.app_token)
        await self._socket.connect_async()  # type: ignore[no-untyped-call]

    async def _listen(self, bolt: AsyncApp) -> None:
        """HTTP: one address for events, commands and interactions; Bolt checks every signature."""
        self._runner = web.AppRunner(bolt.web_app(path=self.options.path), access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, self.options.host, self.options.port).start()
        self.port = int(self._runner.addresses[0][1])

    # --- events ---

    def _bolt(self, client: AsyncWebClient) -> AsyncApp:
        """Everything that is delivered goes one way: noted, acknowledged, done."""
        http = self.options.mode == "http"
        bolt = AsyncApp(
            client=client,
            signing_secret=self.keys.signing_secret or None,
            request_verification_enabled=http,
            attaching_conversation_kwargs_enabled=False,
            ignoring_self_events_enabled=False,  # the reader knows the bot's own messages, and has a use for them
            logger=log,
        )
        bolt.middleware(self._note)
        bolt.event(_EVERYTHING)(self._event)
        for listen in (bolt.command, bolt.shortcut, bolt.action, bolt.view):
            listen(_EVERYTHING)(self._interaction)
        return bolt

    async def _note(
        self, body: dict[str, Any], context: AsyncBoltContext, next_: Callable[[], Awaitable[None]]
    ) -> None:
        """Before the acknowledgement: an event that cannot be noted is not acknowledged, so Slack sends it again."""
        meaning = read_body(body, self.me, self.files.attachment)
        match meaning:
            case Nothing(why):
                log.debug("left alone", extra={"why": why})
            case Mine(channel, message, thread, text):
                self.outlet.posting.hear(channel, message, thread, text)
            case Stale():
                await self._forget(meaning)
            case HomeOpened() | AssistantOpened():
                context[CLAIM] = (meaning, "")
            case _:
                key = await self._accepted(body)
                if key:
                    context[CLAIM] = (meaning, key)
        await next_()

    async def _accepted(self, body: Mapping[str, Any]) -> str:
        """The event's key in the inbox; "" when it was delivered before."""
        keys = keys_of(body, self.me) or (f"body:{sha256(repr(body).encode()).hexdigest()}",)
        if any(key in self._noted for key in keys):  # the disk need not be asked for what this process knows
            return ""
        stored = {name: value for name, value in body.items() if name not in _UNSTORED}
        fresh = await self.desk.accepted(keys, stored)
        self._noted.update(dict.fromkeys(keys))
        while len(self._noted) > NOTED:
            del self._noted[next(iter(self._noted))]
        return keys[0] if fresh else ""

    async def _event(self, context: AsyncBoltContext) -> None:
        """Bolt has acknowledged it by now."""
        self._begin(context)

    async def _interaction(self, ack: AsyncAck, context: AsyncBoltContext) -> None:
        meaning = self._claimed(context)[0]
        if isinstance(meaning, Asked) and meaning.inbound.command in ("ask", "perguntar"):
            inbound = meaning.inbound
            language = reader_language(inbound.text, inbound.locale, self.app.settings)
            await ack(text=say("slack_working", language), response_type="ephemeral")
        else:
            await ack()
        self._begin(context)

    def _claimed(self, context: AsyncBoltContext) -> tuple[Meaning, str]:
        claimed: tuple[Meaning, str] = context.get(CLAIM) or (Nothing("delivered before"), "")
        return claimed

    def _begin(self, context: AsyncBoltContext) -> None:
        meaning, key = self._claimed(context)
        if isinstance(meaning, Nothing):
            return
        if isinstance(meaning, Said) and is_question(meaning.inbound):
            self.outlet.hurry(meaning.inbound)
        work = self.work.do(meaning, key)
        if not key:
            self._in_background(work)
        elif isinstance(meaning, Shared):
            self._in_background(self._after_its_message(key, work))
        else:
            self.desk.spawn(key, work)

    async def _after_its_message(self, key: str, work: Coroutine[Any, Any, None]) -> None:
        """A file waits a little, so that the message that brought it is answered with it."""
        try:
            await asyncio.sleep(self.options.file_grace)
        except asyncio.CancelledError:
            work.close()
            raise  # it stays in the inbox
        self.desk.spawn(key, work)

    async def _forget(self, stale: Stale) -> None:
        match stale.kind:
            case "members":
                self.directory.drop_members(stale.name)
            case "channels":
                self.directory.drop()
            case "people":
                await self.people.drop(stale.name)

    # --- beside the events ---

    async def _reconcile(self) -> None:
        """At once, for what went while no process was there, and then every so often."""
        while True:
            try:
                await self.work.reconcile()
            except Exception:
                log.exception("files not compared with Slack")
            await asyncio.sleep(60 * self.options.reconcile_minutes)

    async def _missed(self, body: dict[str, Any]) -> None:
        """A message of the time when no process was there, noted and done as if it had just been delivered."""
        meaning = read_body(body, self.me, self.files.attachment)
        if isinstance(meaning, Said):
            key = await self._accepted(body)
            if key:
                self.desk.spawn(key, self.work.do(meaning, key))

    def _in_background(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._later.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._later.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("failed beside the events", exc_info=task.exception())


def is_question(inbound: Inbound) -> bool:
    """Whether a message is answered for sure: somebody, and no bot, addresses the bot and says something."""
    addressed = inbound.mentioned or (inbound.direct and not inbound.edited)
    return addressed and bool(inbound.text.strip()) and not inbound.from_bot
