"""Files of this machine on their way in: the console's uploads and `polyrag ingest`."""

import asyncio
from pathlib import Path

from bot.messages import Attachment
from core.errors import FileRejected


class CannotOpen(FileRejected):
    messages = {
        "en": "The file cannot be opened: {why}.",
        "pt": "O arquivo não pode ser aberto: {why}.",
    }


def from_path(path: Path) -> Attachment:
    """An attachment that is read when it is needed. Its fetch raises: CannotOpen."""

    async def fetch() -> bytes:
        try:
            return await asyncio.to_thread(path.read_bytes)
        except OSError as err:
            raise CannotOpen(f"{path}: {err}", why=err.strerror or type(err).__name__) from err

    try:
        size = path.stat().st_size
    except OSError:
        size = 0  # fetch says why
    return Attachment(path.name, fetch, size)
