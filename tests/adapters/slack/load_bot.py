"""The bot of a load run, in a process of its own: the real adapter and engine, an embedder that answers at once, no model.

Prints one line of JSON when it is ready (the port it listens on, 0 in Socket Mode), answers lines on its input with the
figures of its meter, and ends when its input closes.
"""

import argparse
import asyncio
import json
from pathlib import Path
from typing import Any

from adapters.slack.drafts import SlackDraft
from adapters.slack.options import Secrets, SlackOptions
from adapters.slack.outlet import SlackOutlet
from adapters.slack.serve import SlackBot
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.testkit import StandInEmbedder, stand_in_settings
from bot.wiring import open_app
from tests.adapters.load_meter import READ, WRITE, Meter


async def run(api_url: str, home: Path, mode: str, keys: Secrets, *, stages: bool) -> None:
    settings = stand_in_settings({}, {}, [])
    opening = open_app(
        settings, home, PluginManager(settings, BUILTINS), chat=False, embedder=StandInEmbedder()
    )
    async with opening as app:
        meter = Meter(stages=stages)
        meter.put_on(app)
        meter.watch(READ, SlackBot, ["_note", "_accepted"])
        meter.watch(WRITE, SlackOutlet, ["begin", "status"])
        meter.watch(WRITE, SlackDraft, ["finish", "show"])
        alone: dict[str, Any] = {"reconcile_minutes": 0.0, "catch_up_minutes": 0.0}
        options = SlackOptions(mode=mode, host="127.0.0.1", port=0, api_url=api_url, **alone)  # type: ignore[arg-type]
        bot = SlackBot(app, options, keys)
        await bot.start()
        print(json.dumps({"port": bot.port, "path": options.path}), flush=True)
        await meter.serve()
        await bot.stop(5)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("api_url")
    parser.add_argument("home", type=Path)
    parser.add_argument("mode", choices=["socket", "http"])
    parser.add_argument("tokens", nargs=3)
    parser.add_argument("--plain", action="store_true")
    args = parser.parse_args()
    asyncio.run(run(args.api_url, args.home, args.mode, Secrets(*args.tokens), stages=not args.plain))


if __name__ == "__main__":
    main()
