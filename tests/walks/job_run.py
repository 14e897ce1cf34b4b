"""A bot that takes files in, several at a time, to be killed at any moment.

Run as: python -m tests.walks.job_run HOME CONFIG FOLDER NAME... . First it finishes what an earlier process left; then
it uploads these files and forgets those whose name begins with "-". Prints a line when a job is on the disk, and
"ended" at the end.
"""

import asyncio
import sys
from pathlib import Path

from bot.attachments import from_path
from bot.audience import CONSOLE, WORKSPACE, ConfiguredChannels
from bot.config import load_settings
from bot.jobs.payload import Payloads
from bot.messages import Inbound
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.wiring import open_app
from core.errors import NotFound
from tests.fakes import HashEmbedder

keep = Payloads.keep


def telling(self: Payloads, job: str, data: bytes) -> None:
    keep(self, job, data)
    print(f"accepted {data[:40].decode(errors='replace').splitlines()[0]}", flush=True)


async def main(home: Path, config: Path, folder: Path, names: list[str]) -> None:
    settings = load_settings(config)
    manager = PluginManager(settings, BUILTINS)
    async with open_app(settings, home, manager, chat=False, embedder=HashEmbedder()) as app:
        app.directories[CONSOLE] = ConfiguredChannels(settings.channels)
        app.jobs.open()
        inbound = Inbound(CONSOLE, WORKSPACE, "geral", "ana", "", "m1")

        async def one(name: str) -> None:
            if name.startswith("-"):
                try:
                    await app.forget(inbound, name[1:])
                except NotFound:
                    print(f"unknown {name[1:]}", flush=True)
            else:
                await app.upload(inbound, from_path(folder / name))

        await asyncio.gather(*(one(name) for name in names))
        await app.jobs.settle()
        open_jobs = [row for row in app.jobs.rows.listed() if row.state != "done"]
        print(f"ended {len(open_jobs)}", flush=True)


if __name__ == "__main__":
    Payloads.keep = telling  # type: ignore[method-assign]
    asyncio.run(main(*(Path(word) for word in sys.argv[1:4]), sys.argv[4:]))
