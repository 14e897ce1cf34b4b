"""The bot of a load run, in a process of its own: the real adapter, engine and client library, no model.

Prints a line when it is ready, and ends when its input closes.
"""

import argparse
import asyncio
import sys
from pathlib import Path

import discord.gateway
import discord.http
import yarl

from adapters.discord.serve import PolyragClient
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.testkit import StandInEmbedder, stand_in_settings
from bot.wiring import open_app


async def run(address: yarl.URL, token: str, home: Path) -> None:
    discord.http.Route.BASE = str(address / "api" / "v10")
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = address.with_scheme("ws") / "gateway"
    settings = stand_in_settings({}, {"language": "pt"}, ())
    plugins = PluginManager(settings, BUILTINS)
    async with open_app(settings, home, plugins, chat=False, embedder=StandInEmbedder()) as app:
        client = PolyragClient(app)
        task = asyncio.create_task(client.start(token))
        await asyncio.sleep(0)
        while not client.is_ready() and not task.done():  # noqa: ASYNC110  a refused start ends the wait too
            await asyncio.sleep(0.05)
        print("ready", flush=True)
        await asyncio.to_thread(sys.stdin.read)
        await client.stop()
        await asyncio.gather(task, return_exceptions=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("address", type=yarl.URL)
    parser.add_argument("token")
    parser.add_argument("home", type=Path)
    args = parser.parse_args()
    asyncio.run(run(args.address, args.token, args.home))


if __name__ == "__main__":
    main()
