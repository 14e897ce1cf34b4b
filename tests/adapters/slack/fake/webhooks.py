"""The Events API over HTTP: signed requests to the app's address, sent again when it does not answer in time."""

import asyncio
import hashlib
import hmac
import json
import time
from dataclasses import dataclass
from urllib.parse import urlencode

import aiohttp

from tests.adapters.slack.fake.core import Core, Outcome
from tests.adapters.slack.fake.state import Json


@dataclass(frozen=True, slots=True)
class Posted:
    status: int
    body: Json | str
    no_retry: bool


@dataclass(slots=True)
class Webhooks:
    core: Core
    url: str
    session: aiohttp.ClientSession

    async def verify(self) -> None:
        """The handshake when an admin enters the address. Raises: RuntimeError when the app does not echo it."""
        body = {
            "token": "verification",
            "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmdALWMmHkvFXO7tYXAYM8P",
            "type": "url_verification",
        }
        got = await self.post(json.dumps(body).encode(), "application/json")
        echoed = got.body.get("challenge") if isinstance(got.body, dict) else got.body
        if got.status != 200 or echoed != body["challenge"]:
            raise RuntimeError(f"the app did not echo the challenge: {got}")

    async def send(self, kind: str, payload: Json, attempt: int, reason: str) -> Outcome:
        headers = {"X-Slack-Retry-Num": str(attempt), "X-Slack-Retry-Reason": reason} if attempt else {}
        if kind == "events_api":
            data, content_type = json.dumps(payload).encode(), "application/json"
        else:
            form = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
            data, content_type = urlencode(form).encode(), "application/x-www-form-urlencoded"
        began = time.perf_counter()
        try:
            async with asyncio.timeout(self.core.ack_seconds):
                got = await self.post(data, content_type, headers)
        except TimeoutError:
            return Outcome(False, reason="http_timeout")
        except aiohttp.ClientError:
            return Outcome(False, reason="connection_failed")
        took = (time.perf_counter() - began) * 1000
        if got.status != 200:
            return Outcome(False, got.body, "http_error", took, again=not got.no_retry)
        return Outcome(True, got.body or None, milliseconds=took)

    async def post(
        self,
        data: bytes,
        content_type: str,
        headers: dict[str, str] | None = None,
        *,
        secret: str = "",
        age: int = 0,
    ) -> Posted:
        """Post raw bytes, signed; `secret` and `age` (seconds) forge or replay."""
        stamp = str(int(time.time()) - age)
        key = (secret or self.core.signing_secret).encode()
        digest = hmac.new(key, b"v0:" + stamp.encode() + b":" + data, hashlib.sha256).hexdigest()
        signed = {
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": f"v0={digest}",
            "Content-Type": content_type,
        }
        async with self.session.post(self.url, data=data, headers=signed | (headers or {})) as response:
            text = await response.text()
            is_json = response.content_type == "application/json" and text
            no_retry = response.headers.get("X-Slack-No-Retry") == "1"
            return Posted(response.status, json.loads(text) if is_json else text, no_retry)
