"""How replies reach Slack: what all drafts share, signs on messages, files, and which forms are still worth trying."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import PAUSES, UNDELIVERED, Lightly, Pace, error_of, is_passing
from adapters.slack.drafts import SlackDraft
from adapters.slack.meaning import (
    SLACK,
)
from adapters.slack.mrkdwn import ids_in
from adapters.slack.people import People
from adapters.slack.posting import Posting
from adapters.slack.private import PrivateDraft, is_about_form, is_message
from adapters.slack.write import FORMS, Form
from bot.desk import Draft, Sign
from bot.messages import Inbound, OutFile, Reply
from bot.phrases import reader_language, say
from core.settings import Settings
from core.types import Language

log = logging.getLogger("polyrag.slack")
REACTIONS: Mapping[Sign, str] = {"seen": "eyes", "done": "white_check_mark", "failed": "warning"}
STUBBORN = 3  # refusals in a row after which a form is no longer tried
ORIGINS = 10_000
Names = Callable[[Inbound, frozenset[str]], Awaitable[Mapping[str, str]]]


@dataclass(frozen=True, slots=True)
class Origin:
    """Where an inbound came from, beyond what a platform-free message holds."""

    key: str = ""  # of its event
    respond: str = ""  # response address of a command or a button


class SlackOutlet:
    """A bot.desk.Outlet over the Web API."""

    platform = SLACK

    def __init__(
        self,
        client: AsyncWebClient,
        light: AsyncWebClient,
        people: People,
        settings: Settings,
        *,
        names: Names,
        drafted: Callable[[str, str], Awaitable[None]],
        pace: Pace | None = None,
        pauses: Sequence[float] = PAUSES,
        stream: bool = True,
    ) -> None:
        """
        Args:
            client: waits for limits; light: tries once.
            names: gives names for those ids, of channels and people, that every reader of a reply may know.
            drafted: notes that an event (key) has a message (id) under way, for a later process.
            stream: whether Slack's statuses and streams are used where they work.
        """
        self.client = client
        self.light = light
        self.people = people
        self.settings = settings
        self.names = names
        self.drafted = drafted
        self.pace = pace or Pace()
        self.lightly = Lightly()
        self.posting = Posting(client, pauses=pauses)
        self.native = stream
        self.refusals: dict[Form, int] = {}
        self._hurried: dict[tuple[str, str], asyncio.Task[bool]] = {}
        self._origins: OrderedDict[tuple[str, str], Origin] = OrderedDict()

    def note(self, inbound: Inbound, origin: Origin) -> None:
        """Remember where a message came from until it is answered."""
        self._origins[inbound.place, inbound.id] = origin
        while len(self._origins) > ORIGINS:
            self._origins.popitem(last=False)

    def origin(self, inbound: Inbound) -> Origin:
        return self._origins.get((inbound.place, inbound.id), Origin())

    def language(self, inbound: Inbound) -> Language:
        return reader_language(inbound.text, inbound.locale, self.settings)

    def hurry(self, inbound: Inbound) -> None:
        """Show the status of a message that will be answered for sure, before its turn comes."""
        thread = inbound.thread or ("" if inbound.direct else inbound.id)
        if self.native and thread:
            work = self.status(inbound, thread, say("slack_status", self.language(inbound)))
            self._hurried[inbound.place, inbound.id] = asyncio.create_task(work)
            while len(self._hurried) > ORIGINS:
                del self._hurried[next(iter(self._hurried))]

    async def status(self, inbound: Inbound, thread: str, text: str) -> bool:
        """Put a status under a thread; an empty one takes it away. False where Slack takes none."""
        call = self.light.assistant_threads_setStatus
        done = await self.lightly(call, channel_id=inbound.place, thread_ts=thread, status=text)
        return done is not None

    async def first_status(self, inbound: Inbound, thread: str) -> bool:
        """The status at the beginning of a reply, unless it stands already."""
        hurried = self._hurried.pop((inbound.place, inbound.id), None)
        if hurried is not None:
            return await hurried
        return await self.status(inbound, thread, say("slack_status", self.language(inbound)))

    async def begin(self, inbound: Inbound, *, quiet: bool = False) -> Draft:
        if inbound.ephemeral:
            return PrivateDraft(self, inbound)
        thread = inbound.thread or (inbound.id if is_message(inbound.id) and not inbound.direct else "")
        draft = SlackDraft(self, inbound, thread)
        if not quiet and not inbound.draft:
            await draft.open()
        return draft

    async def sign(self, inbound: Inbound, sign: Sign) -> None:
        """A reaction on the message; commands have no message to react to."""
        if not is_message(inbound.id):
            return
        where = {"channel": inbound.place, "timestamp": inbound.id}
        await self.lightly(self.light.reactions_add, name=REACTIONS[sign], **where)
        if sign != "seen":
            await self.lightly(self.light.reactions_remove, name=REACTIONS["seen"], **where)

    async def tell(self, inbound: Inbound, reply: Reply) -> None:
        """Say something to one person alone."""
        await PrivateDraft(self, inbound).finish(reply)

    def forms(self) -> tuple[Form, ...]:
        """The forms worth trying, richest first."""
        return tuple(f for f in FORMS if f == "plain" or self.refusals.get(f, 0) < STUBBORN)

    async def formed(self, send: Callable[[Form], Awaitable[None]]) -> None:
        """Send something in the richest form that Slack takes. Raises: SlackApiError when it takes none."""
        forms = self.forms()
        while True:
            form, *rest = forms
            try:
                await send(form)
            except SlackApiError as err:
                forms = self._simpler(form, rest, err)
                continue
            self.refusals.pop(form, None)
            return

    def _simpler(self, form: Form, rest: Sequence[Form], err: SlackApiError) -> tuple[Form, ...]:
        """The forms left to try. Raises: the error, when it is not about the form, or was the plainest.

        Slack also answers a form that it cannot digest with `internal_error`: then the plainest one is tried.
        """
        passing = is_passing(err) and error_of(err) != UNDELIVERED
        if not rest or not (passing or is_about_form(err)):
            raise err
        details = (err.response.get("response_metadata") or {}).get("messages", ())
        log.warning("form refused", extra={"form": form, "error": error_of(err), "details": list(details)})
        if passing:
            return ("plain",)
        self.refusals[form] = self.refusals.get(form, 0) + 1
        return tuple(rest)

    async def upload(self, files: Sequence[OutFile], channel: str, thread: str = "") -> None:
        uploads = [{"file": file.data, "filename": file.name, "title": file.name} for file in files]
        await self.client.files_upload_v2(file_uploads=uploads, channel=channel, thread_ts=thread or None)

    async def names_in(self, inbound: Inbound, reply: Reply) -> Mapping[str, str]:
        ids = ids_in("\n".join([reply.text, *reply.notes]))
        return await self.names(inbound, ids) if ids else {}
