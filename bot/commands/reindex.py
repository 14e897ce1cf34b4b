"""reindex: make every document anew after the embedding model or the passage length changed, while the old index serves."""

from __future__ import annotations

import asyncio
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bot.audience import CONSOLE
from bot.commandline import CommandLine, add_json, print_json, progress_of, system_user
from bot.phrases import say
from bot.plugins.spec import CommandSpec

if TYPE_CHECKING:
    from bot.app import App


def configure_reindex(parser: ArgumentParser) -> None:
    add_json(parser)


def main_reindex(args: Namespace, line: CommandLine) -> int:
    """Resumable: what an interrupted run made ready stays ready. Switches at once where no bot is running."""
    from bot.wiring import drop_other_indexes

    language = line.settings.language

    async def work(app: App) -> int:
        with progress_of("reindex") as progress:
            ready = await app.reindex(f"{CONSOLE}:{system_user()}", progress)
        switched = app.is_alone()
        if switched:
            await app.refresh()
            await asyncio.to_thread(drop_other_indexes, app)
        if args.json:
            print_json({"documents": ready, "switched": switched})
        else:
            print(say("reindexed" if switched else "reindex_waits", language, n=ready))
        return 0

    return line.run(work, chat=False, catch_up=False)


REINDEX = CommandSpec(
    "reindex",
    "admins",
    {
        "pt": "refaz o índice para a configuração atual, enquanto o antigo responde",
        "en": "make the index anew for this configuration, while the old one answers",
    },
    configure=configure_reindex,
    main=main_reindex,
)
COMMANDS = (REINDEX,)
