"""Files of this machine on their way in: the console's uploads and `polyrag ingest`."""

import asyncio
import errno
from pathlib import Path

from bot.messages import Attachment
from core.errors import FileRejected


class CannotOpen(FileRejected):
    messages = {
        "en": "The file cannot be opened: {why}.",
        "pt": "O arquivo não pode ser aberto: {why}.",
    }


_WORDS = {
    errno.ENOENT: ("não existe", "there is none"),
    errno.EACCES: ("falta permissão", "permission is missing"),
    errno.EPERM: ("falta permissão", "permission is missing"),
    errno.EISDIR: ("é uma pasta", "it is a folder"),
    errno.ENOTDIR: ("o caminho passa por um arquivo", "the path leads through a file"),
    errno.ENOSPC: ("o disco está cheio", "the disk is full"),
}


def system_words(err: OSError) -> dict[str, str]:
    """What the system refused, in both languages; the rare rest in the system's own words."""
    own = err.strerror or type(err).__name__
    portuguese, english = _WORDS.get(err.errno or 0, (own, own))
    return {"pt": portuguese, "en": english}


def from_path(path: Path) -> Attachment:
    """An attachment that is read when it is needed. Its fetch raises: CannotOpen."""

    async def fetch() -> bytes:
        try:
            return await asyncio.to_thread(path.read_bytes)
        except OSError as err:
            raise CannotOpen(f"{path}: {err}", why=system_words(err)) from err

    try:
        size = path.stat().st_size
    except OSError:
        size = 0  # fetch says why
    return Attachment(path.name, fetch, size)
