"""A fake chat platform for plugin authors: "user U says T with files F in channel C, read the reply".

No network, no model, no clock: texts are embedded by a stand-in, answers are quotations, and everything lives in a
temporary folder.

    with FakePlatform(channels={"general": {}}, plugins={"mine": my_plugin}) as chat:
        chat.says("ana", files={"trips.md": "# Trips\\nA trip is requested ten days ahead."})
        reply = chat.says("ana", "how long before is a trip requested?")
        assert "ten days" in reply.text
"""

import asyncio
import json
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bot.app import App
from bot.audience import CONSOLE, WORKSPACE, ConfiguredChannels, console_channel
from bot.config import load_settings, merged
from bot.messages import Attachment, Inbound, Reply
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.wiring import open_app
from core.normalize import words
from core.settings import Settings
from core.types import FloatArray
from core.vectors import unit_rows

STARTED = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)


class StandInEmbedder:
    """Texts that share words are near: a hashed bag of word beginnings. No model, the same on every machine."""

    name = "stand-in"
    # Its cosines: about 0.1 without a shared word, 0.3 and more with several.
    thresholds: Mapping[str, float] = {
        "route_high": 0.45,
        "route_low": 0.15,
        "route_margin": 0.05,
        "abstain_dense": 0.10,
        "answer_dense": 0.45,
    }

    def __init__(self, dimension: int = 256) -> None:
        self.dimension = dimension
        self.fingerprint = f"stand-in-{dimension}"

    async def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Shape (n, dimension), unit rows."""
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        return np.stack([self._vector(text) for text in texts])

    async def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Shape (n, dimension), unit rows."""
        return await self.embed_passages(texts)

    def _vector(self, text: str) -> FloatArray:
        vector = np.zeros(self.dimension, np.float64)
        vector[0] = 0.1  # never a zero row
        for word in words(text):
            digest = int.from_bytes(blake2b(word[:5].encode(), digest_size=8).digest(), "big")
            vector[1 + digest % (self.dimension - 1)] += 1.0 if digest >> 63 else -1.0
        row: FloatArray = unit_rows(vector[None, :])[0]
        return row


class FakePlatform:
    """A whole bot behind a chat of its own. Use as a context manager; not inside a running event loop."""

    def __init__(
        self,
        *,
        channels: Mapping[str, Mapping[str, Any]] | None = None,
        plugins: Mapping[str, object] | None = None,
        settings: Mapping[str, Any] | None = None,
        admins: Sequence[str] = (),
        home: Path | None = None,
    ) -> None:
        """
        Args:
            channels: name -> visibility and members, as in the configuration; default: one public `general`.
            plugins: name -> plugin module or object, registered as an allowed foreign plugin would be.
            settings: further keys of the configuration, laid over the defaults.
            admins: people who may run administrators' commands.
            home: keep the bot's state here; default: a folder that goes with this object.
        """
        self.settings = stand_in_settings(channels or {"general": {}}, settings or {}, admins)
        self.plugins = PluginManager(self.settings, BUILTINS)
        for name, plugin in sorted((plugins or {}).items()):
            self.plugins.register(name, plugin, "test")
        self._home = home
        self._count = 0
        self._runner = asyncio.Runner()
        self._open = AsyncExitStack()
        self.app: App

    def __enter__(self) -> "FakePlatform":
        if self._home is None:
            self._home = Path(self._open.enter_context(TemporaryDirectory(prefix="polyrag-test-")))
        opening = open_app(self.settings, self._home, self.plugins, chat=False, embedder=StandInEmbedder())
        self.app = self._runner.run(self._open.enter_async_context(opening))
        self.app.directories[CONSOLE] = ConfiguredChannels(self.settings.channels)
        self.app.now = self._now
        self.app.make_id = self._id
        return self

    def __exit__(self, *_: object) -> None:
        self._runner.run(self._open.aclose())
        self._runner.close()

    def says(
        self,
        user: str,
        text: str = "",
        *,
        files: Mapping[str, str | bytes] | None = None,
        channel: str = "",
        thread: str = "",
        fresh: bool = False,
    ) -> Reply:
        """A person writes in a channel (default: the first; "dm": directly to the bot) and the bot replies.

        A text that starts with "/" or "!" is a command.
        """
        place = console_channel(channel or next(iter(self.settings.channels)), user, self.settings.channels)
        attachments = tuple(_attachment(name, data) for name, data in (files or {}).items())
        command, rest = "", text
        if text[:1] in ("/", "!"):
            command, _, rest = text[1:].partition(" ")
        inbound = Inbound(
            CONSOLE, WORKSPACE, place, user, rest, self._id(), thread, direct=not place,
            attachments=attachments, command=command,
        )  # fmt: skip
        return self._runner.run(self.app.handle(inbound, fresh=fresh))

    def presses(self, user: str, button: str, reply: Reply, *, channel: str = "") -> bool:
        """A person judges a reply: `button` is "up" or "down". False when they may not see that answer."""
        place = console_channel(channel or next(iter(self.settings.channels)), user, self.settings.channels)
        inbound = Inbound(CONSOLE, WORKSPACE, place, user, "", self._id(), direct=not place)
        return self._runner.run(self.app.judge(inbound, reply.trace_id, button == "up"))

    def _id(self) -> str:
        self._count += 1
        return f"{self._count:032x}"

    def _now(self) -> datetime:
        return STARTED + timedelta(seconds=self._count)


def _attachment(name: str, data: str | bytes) -> Attachment:
    content = data.encode() if isinstance(data, str) else data

    async def fetch() -> bytes:
        return content

    return Attachment(name, fetch, len(content))


def stand_in_settings(
    channels: Mapping[str, Mapping[str, Any]], more: Mapping[str, Any], admins: Sequence[str]
) -> Settings:
    """The packaged defaults, fit for the stand-in embedder, with these keys laid over them.

    Raises: pydantic.ValidationError on a wrong one.
    """
    values = load_settings().model_dump(mode="json")
    own = merged(
        {
            "language": "en",
            "channels": {name: dict(entry) for name, entry in channels.items()},
            "permissions": {"admins": list(admins)},
            "answer": {"mode": "extractive"},
            "router": {"thresholds": StandInEmbedder.thresholds},
        },
        more,
    )
    return Settings.model_validate_json(json.dumps(merged(values, own)), strict=True)
