"""Questions by the thousand through the fake Slack: how soon the bot acknowledges, shows a sign and answers, and what it loses.

    python -m tests.adapters.slack.load_run --seconds 60 --rate 50 --channels 200 --json load.json

The bot runs in a process of its own, models replaced by instant stand-ins; the fake, which is not what is measured, here.
"""

import argparse
import asyncio
import json
import math
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adapters.slack.manifest import manifest
from tests.adapters.load_meter import Bots, by_stage
from tests.adapters.slack.fake import FakeSlack, Message

PEOPLE, WARM, REDELIVERED = 50, 10, 1_000
SILENCE = 30.0  # seconds without any answer after which the rest counts as lost
BENCHES, PARTS = 200, 400
RULES = "# Regras da oficina\n\n" + "\n\n".join(
    f"## Bancada {n}\n\nA bancada {n} é da equipe {n % 7} e o acesso se pede com {n % 20 + 2} dias de antecedência."
    for n in range(BENCHES)
)
STOCK = "peça;unidades\n" + "\n".join(f"peça{n};{n * 3 + 1}" for n in range(PARTS)) + "\n"
DISTINCT = [f"com quantos dias se pede o acesso à bancada {n}?" for n in range(BENCHES)]
DISTINCT += [f"quantas unidades de peça{n} há?" for n in range(PARTS)]


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """p50, p95, p99 by nearest rank, and the largest, in the unit of the values."""
    ordered = sorted(values)
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return (
        {name: round(ordered[math.ceil(share * len(ordered)) - 1], 1) for name, share in shares.items()}
        if ordered
        else {}
    )


@dataclass(slots=True)
class Asked:
    """One question: where and when; the rest is read from the fake afterwards."""

    channel: str
    ts: str
    at: float


@dataclass
class Run:
    slack: FakeSlack
    bots: Bots
    channels: list[str] = field(default_factory=list)
    people: list[str] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)

    async def prepare(self, channels: int) -> None:
        """People, channels, and two files in the first channel; everything is public, so all channels answer from them."""
        self.people = [await self.slack.add_user(f"pessoa{n}") for n in range(PEOPLE)]
        self.channels = [
            await self.slack.add_channel(f"canal{n}", members=self.people) for n in range(channels)
        ]
        files = {"regras.md": RULES.encode(), "estoque.csv": STOCK.encode()}
        ts = await self.slack.post(self.people[0], self.channels[0], files=files)
        async with asyncio.timeout(120):
            while not self.slack.reactions(self.channels[0], ts) & {"white_check_mark", "warning"}:  # noqa: ASYNC110
                await asyncio.sleep(0.05)

    async def ask(self, number: int) -> Asked:
        text = DISTINCT[
            number * 7 % len(DISTINCT)
        ]  # one from each file in turn; the same again after all of them
        channel, person = self.channels[number % len(self.channels)], self.people[number % PEOPLE]
        at = time.perf_counter()
        asked = Asked(channel, await self.slack.post(person, channel, text, mention=True), at)
        self.asked.append(asked)
        return asked

    def answers(self, asked: Asked) -> list[Message]:
        """Messages of the bot in the question's thread that are finished: they carry buttons."""
        known = self.slack.world.messages[asked.channel].values()
        return [
            m
            for m in known
            if m.mine and m.thread_ts == asked.ts and not m.deleted and any("elements" in b for b in m.blocks)
        ]

    async def answered(self, asked: Sequence[Asked], every: float) -> None:
        """Wait for all of them, however long the queue is; give up when nothing comes any more.

        Args: every: seconds between two looks; with many questions looking takes time from the bot.
        """
        waiting, came = list(asked), time.perf_counter()
        while waiting and time.perf_counter() - came < SILENCE:
            await asyncio.sleep(every)
            left = [one for one in waiting if not self.answers(one)]
            if len(left) < len(waiting):
                waiting, came = left, time.perf_counter()

    async def one_by_one(self, numbers: Iterable[int]) -> list[Asked]:
        """Nothing else to do for the bot: what is left of the time is its own overhead."""
        found = []
        for number in numbers:
            found.append(await self.ask(number))
            await self.answered(found[-1:], 0.005)
        return found

    async def at_rate(self, rate: float, seconds: float) -> tuple[list[Asked], list[float], float]:
        """So many questions a second. Returns also the memory at three moments, and the answers a second that came."""
        found, memory, began = [], [self.bots.memory()], time.perf_counter()
        total = int(rate * seconds)
        for number in range(total):
            await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
            found.append(await self.ask(number))
            if number == total // 2:
                memory.append(self.bots.memory())
        await self.answered(found, 0.5)
        return found, [*memory, self.bots.memory()], total / (time.perf_counter() - began)

    def times(self, asked: Sequence[Asked], engine: Mapping[str, float]) -> dict[str, dict[str, float]]:
        """Milliseconds from the message to the first visible sign and to the finished answer.

        Args: engine: message -> milliseconds that the engine's walk took; the rest of the time is the turn's overhead, the
            way through the fake and back with it.
        """
        threads = {one.ts: one.at for one in asked}
        sign: dict[str, float] = {}
        done: dict[str, float] = {}
        for call in self.slack.log:
            thread = self._thread(call.arguments, call.answer)
            if (
                thread not in threads
                or not call.answer.get("ok")
                or not call.method.startswith(("chat.", "assistant."))
            ):
                continue
            took = (call.at - threads[thread]) * 1000
            sign.setdefault(thread, took)
            if "blocks" in call.arguments:
                done[thread] = took
        return {
            "first_sign_ms": percentiles(list(sign.values())),
            "answered_ms": percentiles(list(done.values())),
            "overhead_ms": percentiles([ms - engine[ts] for ts, ms in done.items() if ts in engine]),
        }

    def _thread(self, arguments: dict[str, Any], answer: dict[str, Any]) -> str:
        ts = str(arguments.get("thread_ts") or "")
        if ts:
            return ts
        message = self.slack.world.messages.get(str(arguments.get("channel")), {}).get(
            str(arguments.get("ts"))
        )
        return message.thread_ts if message else ""

    def counted(self, asked: Sequence[Asked]) -> dict[str, int]:
        found = [len(self.answers(one)) for one in asked]
        return {"questions": len(found), "lost": found.count(0), "doubled": sum(n > 1 for n in found)}


async def measure(run: Run, *, rate: float, seconds: float, alone: int) -> dict[str, Any]:
    """Questions one by one, new and asked again; then many at once; then everything delivered a second time."""
    report: dict[str, Any] = {}
    await run.one_by_one(range(-WARM, 0))
    for name in ("new", "asked_again"):
        async with figures(run) as found:
            found.asked += await run.one_by_one(range(alone))
        report[name] = found.report
    async with figures(run) as found:
        asked, memory, kept_up = await run.at_rate(rate, seconds)
        found.asked += asked
    names = ("before", "half_way", "after")
    report["at_rate"] = {
        "rate": rate, "answered_rate": round(kept_up, 1), "seconds": seconds, "channels": len(run.channels),
        "memory_mib": {name: round(size, 1) for name, size in zip(names, memory, strict=True)},
    } | found.report  # fmt: skip
    report["redelivered"] = await redelivered(run)
    return report | {"given_up": len(run.slack.lost), "late": len(run.slack.late)}


@dataclass
class Figures:
    asked: list[Asked] = field(default_factory=list)
    report: dict[str, Any] = field(default_factory=dict)


@asynccontextmanager
async def figures(run: Run) -> AsyncIterator[Figures]:
    """What a phase took; `asked` is filled by the phase, `report` at its end."""
    run.slack.acks.clear()
    found, worked, own = Figures(), run.bots.worked(), time.process_time()
    await run.bots.take()
    yield found
    stages, process, engine = await run.bots.take()
    answers = max(1, len(found.asked))
    cost = {
        "processor_ms_an_answer": round((run.bots.worked() - worked) / answers, 1),
        "of_the_fake_ms_an_answer": round(1000 * (time.process_time() - own) / answers, 1),
        "by_stage_ms": by_stage(stages, process, answers),
    }
    acks = {"acknowledged_ms": percentiles(run.slack.acks)}
    found.report = acks | run.times(found.asked, engine) | cost | run.counted(found.asked)


async def redelivered(run: Run) -> dict[str, int]:
    """The latest events once more: nothing may come of them."""
    before = len(run.slack.bot_messages())
    events = min(REDELIVERED, len(run.slack.sent))
    run.slack.redeliver(last=REDELIVERED)
    await run.slack.settled(120)
    await asyncio.sleep(3)  # an answer that should not come would be here by then
    return {"events": events, "new_messages": len(run.slack.bot_messages()) - before}


@asynccontextmanager
async def running(
    slack: FakeSlack, home: Path, mode: str, processes: int, plain: bool
) -> AsyncIterator[Bots]:
    """So many bot processes over one home; in Socket Mode Slack gives each event to one of them."""
    tokens = (slack.bot_token, slack.app_token, slack.signing_secret)
    command = (sys.executable, "-m", "tests.adapters.slack.load_bot", slack.api_url, str(home), mode, *tokens)
    command += ("--plain",) if plain else ()
    bots = Bots()
    try:
        for _ in range(processes):
            ready = json.loads(await bots.start(command))
            if mode == "http":
                await slack.use_http(f"http://127.0.0.1:{ready['port']}{ready['path']}")
        yield bots
    finally:
        await bots.stop()


async def load(
    mode: str,
    *,
    channels: int,
    rate: float,
    seconds: float,
    alone: int,
    processes: int = 1,
    plain: bool = False,
) -> dict[str, Any]:
    """All figures of one run, with `alone` questions one by one before the many."""
    async with FakeSlack.from_manifest(manifest()) as slack:
        with tempfile.TemporaryDirectory(prefix="polyrag-load-") as folder:
            async with running(slack, Path(folder), mode, processes, plain) as bots:
                run = Run(slack, bots)
                await run.prepare(channels)
                found = await measure(run, rate=rate, seconds=seconds, alone=alone)
                return {"transport": mode, "processes": processes} | found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--transport", choices=["socket", "http"], default="socket")
    parser.add_argument("--channels", type=int, default=200)
    parser.add_argument("--rate", type=float, default=50.0, help="questions a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--alone", type=int, default=100, help="questions one by one")
    parser.add_argument("--processes", type=int, default=1, help="bot processes over one home (Socket Mode)")
    parser.add_argument(
        "--plain", action="store_true", help="no times by stage: what telling them costs is saved"
    )
    parser.add_argument("--json", type=Path, metavar="FILE")
    args = parser.parse_args()
    if args.transport == "http" and args.processes > 1:
        parser.error(
            "several processes need Socket Mode: over HTTP something else would have to share out the events"
        )
    report = asyncio.run(
        load(
            args.transport,
            channels=args.channels,
            rate=args.rate,
            seconds=args.seconds,
            alone=args.alone,
            processes=args.processes,
            plain=args.plain,
        )
    )
    text = json.dumps(report, indent=2)
    print(text)
    if args.json:
        args.json.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
