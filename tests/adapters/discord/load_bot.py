"""The bot of a load run, in a process of its own: the real adapter, engine and client library, no model.

Prints a line when it is ready, answers lines on its input with the figures of its meter, and ends when its input closes.
"""

import argparse
import asyncio
from pathlib import Path

import discord.gateway
import discord.http
import yarl

from adapters.discord.drafts import MessageDraft
from adapters.discord.outlet import DiscordOutlet
from adapters.discord.serve import PolyragClient
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.testkit import StandInEmbedder, stand_in_settings
from bot.wiring import open_app
from tests.adapters.load_meter import READ, WRITE, Meter


async def run(address: yarl.URL, token: str, home: Path, *, stages: bool) -> None:
    discord.http.Route.BASE = str(address / "api" / "v10")
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = address.with_scheme("ws") / "gateway"
    settings = stand_in_settings({}, {"language": "pt"}, ())
    plugins = PluginManager(settings, BUILTINS)
    async with open_app(settings, home, plugins, chat=False, embedder=StandInEmbedder()) as app:
        meter = Meter(stages=stages)
        meter.put_on(app)
        meter.watch(READ, PolyragClient, ["on_message", "_take"])
        meter.watch(WRITE, DiscordOutlet, ["begin"])
        meter.watch(WRITE, MessageDraft, ["finish", "show"])
        client = PolyragClient(app)
        task = asyncio.create_task(client.start(token))
        await asyncio.sleep(0)
        while not client.is_ready() and not task.done():  # noqa: ASYNC110  a refused start ends the wait too
            await asyncio.sleep(0.05)
        print("ready", flush=True)
        await meter.serve()
        await client.stop()
        await asyncio.gather(task, return_exceptions=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("address", type=yarl.URL)
    parser.add_argument("token")
    parser.add_argument("home", type=Path)
    parser.add_argument("--plain", action="store_true")
    args = parser.parse_args()
    asyncio.run(run(args.address, args.token, args.home, stages=not args.plain))


if __name__ == "__main__":
    main()
