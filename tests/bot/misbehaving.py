"""Readers that do to their process what broken files and native libraries do. Only for reader processes."""

import os
import signal
import time

from core.errors import FileRejected
from core.ports import Ocr, ReadLimits
from core.types import Block, Loaded, Locator


class Misbehaving:
    """Does what the first word of the file says."""

    name = "misbehaving"
    kinds: tuple[str, ...] = ("bad",)

    def accepts(self, data: bytes, name: str) -> float:
        return 1.0 if name.endswith(".bad") else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        word, _, rest = data.decode().partition(" ")
        kept = []
        if word == "hang":
            time.sleep(600)
        while word == "spin":
            limits.tell("read", 1, 2)
        while word == "eat":
            kept.append(b"x" * 20_000_000)
        if word == "gulp":
            kept.append(bytearray(200_000_000_000))
        if word == "exit":
            os._exit(3)
        if word == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if word == "refuse":
            raise OwnKind("no", what=rest)
        if word == "forge":
            return Forged()  # type: ignore[return-value]
        if word == "env":
            rest = str(os.environ.get(rest))
        if word == "see":
            assert ocr is not None
            rest = " ".join(line.text for line in ocr.read(rest.encode()))
        for page in (1, 2, 3):
            limits.tell("read", page, 3)
        return Loaded("bad", (Block("paragraph", f"{rest} in {os.getpid()}", Locator()),))


class OwnKind(FileRejected):
    """A plugin's own refusal."""

    messages = {"en": "I do not like {what}.", "pt": "Não gosto de {what}."}


class Forged(Loaded):
    """What a reader process must not be able to hand to the bot: a value that runs code when it is taken in."""

    def __init__(self) -> None:
        Loaded.__init__(self, "bad", (Block("paragraph", "x", Locator()),))

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.system, ("exit 7",)
