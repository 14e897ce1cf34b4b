"""Files of Slack on their way in: fetched with the bot's token, from Slack's own hosts only, never more than allowed."""

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urljoin, urlsplit

import aiohttp
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import BROKEN, PAUSES, error_of, is_passing, told
from adapters.slack.meaning import (
    FileRef,
)
from adapters.slack.read import file_ref
from bot.messages import Attachment
from core.errors import FileRejected, OversizedFile, WebPageInstead

log = logging.getLogger("polyrag.slack")
REDIRECTS = 3
LONGEST = (
    60.0  # seconds of a Retry-After that are waited; who is told to come later than that tells the uploader
)
PIECE = 1 << 16
_HTML = re.compile(
    rb"\s*(?:\xef\xbb\xbf)?\s*(?:<!--.{0,500}?-->\s*)?<(?:!doctype\s+html|html|head)\b", re.I | re.S
)
_GONE = ("file_not_found", "file_deleted")


class OutsideFile(FileRejected):
    messages = {
        "en": "The file is kept outside Slack ({host}), where I have no access. Upload the file itself.",
        "pt": "O arquivo fica fora do Slack ({host}), onde não tenho acesso. Envie o próprio arquivo.",
    }


class CanvasFile(FileRejected):
    messages = {
        "en": "This is a Slack canvas or post. Export it (PDF or DOCX) and send the file.",
        "pt": "Isto é um canvas ou post do Slack. Exporte (PDF ou DOCX) e envie o arquivo.",
    }


class NoAccess(FileRejected):
    messages = {
        "en": "Slack does not let me open this file ({reason}).",
        "pt": "O Slack não me deixa abrir este arquivo ({reason}).",
    }


class VanishedFile(FileRejected):
    messages = {
        "en": "The file is no longer in Slack.",
        "pt": "O arquivo não está mais no Slack.",
    }


class NotDelivered(FileRejected):
    messages = {
        "en": "Slack did not deliver the file ({status}). Send it again in a while.",
        "pt": "O Slack não entregou o arquivo ({status}). Envie de novo daqui a pouco.",
    }


class _Passing(Exception):
    """A download that may succeed a little later."""

    def __init__(self, status: str, wait: float = 0.0) -> None:
        super().__init__(status)
        self.status = status
        self.wait = wait  # seconds that Slack asks for


class MissingScope(FileRejected):
    messages = {
        "en": "The bot lacks the permission `{scope}`. An admin can add it under OAuth & Permissions and reinstall the app.",
        "pt": "Falta ao bot a permissão `{scope}`. Um administrador pode incluí-la em OAuth & Permissions e reinstalar o app.",
    }


class SlackFiles:
    """Makes attachments that download when they are needed."""

    def __init__(
        self, client: AsyncWebClient, *, most: int, seconds: float = 120.0, pauses: Sequence[float] = PAUSES
    ) -> None:
        """Args: most: bytes of one file; seconds: for one download; pauses: before each further try."""
        self._client = client
        self._most = most
        self._pauses = pauses
        self._timeout = aiohttp.ClientTimeout(total=seconds)

    def attachment(self, ref: FileRef) -> Attachment:
        """Its fetch raises FileRejected kin, and ModelUnavailable never: whatever goes wrong is said to the uploader."""

        async def fetch() -> bytes:
            return await self.download(await self._whole(ref))

        return Attachment(ref.name or ref.id, fetch, ref.size, ref.link, ref.id)

    async def look_up(self, file: str) -> Mapping[str, Any]:
        """A file object. Raises: VanishedFile, MissingScope, NoAccess, NotDelivered."""
        try:
            answer = await told(self._client.files_info, file=file)
        except SlackApiError as err:
            raise _refusal(err) from err
        found: Mapping[str, Any] = answer["file"]
        return found

    async def download(self, ref: FileRef) -> bytes:
        """The bytes. Raises: FileRejected kin."""
        _check_kind(ref)
        if not self._is_slack(ref.url):
            raise OutsideFile(f"not a host of Slack: {ref.url}", host=urlsplit(ref.url).hostname or "?")
        data = await self._in_time(ref)
        if _HTML.match(data) and not (ref.media == "text/html" and len(data) == ref.size):
            raise WebPageInstead(f"HTML instead of {ref.media or 'a file'}")
        return data

    async def _in_time(self, ref: FileRef) -> bytes:
        """Tried again when Slack is busy or the connection breaks. Raises: FileRejected kin."""
        for pause in (*self._pauses, -1.0):
            try:
                return await self._try(ref)
            except _Passing as err:
                failed = err
            if pause < 0 or failed.wait > LONGEST:
                break
            log.warning("download tried again", extra={"file": ref.id, "error": failed.status})
            await asyncio.sleep(max(pause, failed.wait))
        log.error("file not delivered", extra={"file": ref.id, "error": failed.status})
        raise NotDelivered(failed.status, status=failed.status) from failed

    async def _try(self, ref: FileRef) -> bytes:
        """Raises: _Passing, FileRejected kin."""
        try:
            async with aiohttp.ClientSession(timeout=self._timeout) as session:
                return await self._get(session, ref)
        except BROKEN as err:
            raise _Passing(type(err).__name__) from err

    async def _whole(self, ref: FileRef) -> FileRef:
        """What events of shared channels leave out is asked for. Raises: as `look_up`."""
        if ref.url and not ref.check:
            return ref
        item = await self.look_up(ref.id)
        access = str(item.get("file_access") or "visible")
        if access == "access_denied":
            raise NoAccess(access, reason=access)
        return file_ref({**item, "file_access": "visible"})

    async def _get(self, session: aiohttp.ClientSession, ref: FileRef) -> bytes:
        """Follow redirects by hand: the token goes to no host but Slack's."""
        url = ref.url
        for _ in range(REDIRECTS + 1):
            async with session.get(
                url, headers={"Authorization": f"Bearer {self._client.token}"}, allow_redirects=False
            ) as answer:
                if answer.status in (301, 302, 303, 307, 308):
                    url = urljoin(url, answer.headers.get("Location", ""))
                    if not self._is_slack(url):
                        raise OutsideFile(f"redirected to {url}", host=urlsplit(url).hostname or "?")
                    continue
                if answer.status == 404:
                    raise VanishedFile(url)
                if answer.status == 429 or answer.status >= 500:
                    raise _Passing(f"HTTP {answer.status}", asked_wait(answer.headers.get("Retry-After", "")))
                if answer.status != 200:
                    raise NotDelivered(f"HTTP {answer.status}", status=f"HTTP {answer.status}")
                return await self._bounded(answer)
        raise WebPageInstead(f"more than {REDIRECTS} redirects: a login page")

    async def _bounded(self, answer: aiohttp.ClientResponse) -> bytes:
        pieces: list[bytes] = []
        size = 0
        async for piece in answer.content.iter_chunked(PIECE):
            size += len(piece)
            if size > self._most:
                raise OversizedFile(
                    f"more than {self._most} bytes", size=f"> {self._most / 1e6:.1f} MB", limit=f"{self._most / 1e6:.1f} MB"
                )  # fmt: skip
            pieces.append(piece)
        return b"".join(pieces)

    def _is_slack(self, url: str) -> bool:
        """Slack's hosts over HTTPS; or the very host that the API is configured at (a proxy, a test)."""
        parts, api = urlsplit(url), urlsplit(self._client.base_url)
        if (parts.scheme, parts.netloc) == (api.scheme, api.netloc):
            return True
        host = parts.hostname or ""
        return parts.scheme == "https" and host.endswith(
            (".slack.com", ".slack-edge.com", ".slack-files.com")
        )


def asked_wait(header: str) -> float:
    """Seconds of a Retry-After; a date, which Slack does not send, counts as none."""
    return float(header) if header.strip().isdecimal() else 0.0


def _check_kind(ref: FileRef) -> None:
    if ref.external:
        raise OutsideFile(f"external file {ref.id}", host=urlsplit(ref.url).hostname or "?")
    if ref.media == "application/vnd.slack-docs":
        raise CanvasFile(ref.id)


def _refusal(err: SlackApiError) -> FileRejected:
    """Why files.info was refused, for the uploader."""
    error = error_of(err)
    if is_passing(err):
        return NotDelivered(error, status=error)
    if error in _GONE:
        return VanishedFile(error)
    if error == "missing_scope":
        return MissingScope(error, scope=str(err.response.get("needed") or "files:read"))
    return NoAccess(error, reason=error)
