"""Questions by the thousand over the wire: how soon the bot shows a sign and answers, and what it loses or doubles.

    python -m tests.adapters.discord.load_run --seconds 60 --rate 50 --channels 200 --json load.json

The bot runs in a process of its own, models replaced by instant stand-ins; the server, which is not what is measured,
in this one. It sets no limit on requests: Discord itself takes 50 a second, and a question costs three.
"""

import argparse
import asyncio
import json
import math
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.discord.wire.bot import Town
from tests.adapters.discord.wire.front import Front, front_on_loopback
from tests.adapters.load_meter import Bots, by_stage

PEOPLE, WARM = 50, 20
RULES = "# Regras da oficina\n\n" + "\n\n".join(
    f"## Bancada {n}\n\nA bancada {n} é da equipe {n % 7} e o acesso se pede com {n % 20 + 2} dias de antecedência."
    for n in range(40)
)
WORDINGS = ("com quantos dias se pede o acesso à bancada {n}?", "de que equipe é a bancada {n}?")


def percentiles(values: Sequence[float]) -> dict[str, float]:
    """p50, p95, p99 by nearest rank, and the largest, in the unit of the values."""
    ordered = sorted(values)
    shares = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
    return (
        {n: round(ordered[math.ceil(s * len(ordered)) - 1], 1) for n, s in shares.items()} if ordered else {}
    )


@dataclass
class Run:
    """Times are read off the events that the server sends: every one of them passes `_heard`."""

    front: Front
    town: Town
    bots: Bots
    channels: list[int] = field(default_factory=list)
    people: list[int] = field(default_factory=list)
    asked: dict[int, float] = field(default_factory=dict)  # message -> when
    sign: dict[int, float] = field(default_factory=dict)
    done: dict[int, list[float]] = field(default_factory=dict)

    async def prepare(self, channels: int) -> None:
        self.people = [self.town.person(f"pessoa{n}") for n in range(PEOPLE)]
        guild = self.town.guild.id
        self.channels = [self.front.backend.create_channel(guild, f"canal{n}").id for n in range(channels)]
        upload = self.town.says(self.people[0], "", {"regras.md": RULES.encode()}, self.channels[0])
        async with asyncio.timeout(120):
            while not self.town.marked(upload, "✅"):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        self.front.backend.subscribers.append(self._heard)

    def ask(self, number: int) -> int:
        text = WORDINGS[number % len(WORDINGS)].format(n=number * 7 % 40)
        channel, person = self.channels[number % len(self.channels)], self.people[number % PEOPLE]
        began = time.perf_counter()
        message = int(self.town.asks(person, text, channel).id)
        self.asked[message] = began
        return message

    async def answered(self, asked: Sequence[int], seconds: float) -> None:
        until = time.perf_counter() + seconds
        waiting = set(asked)
        while waiting - self.done.keys() and time.perf_counter() < until:  # noqa: ASYNC110
            await asyncio.sleep(0.01)

    async def one_by_one(self, numbers: Sequence[int]) -> list[int]:
        found = []
        for number in numbers:
            found.append(self.ask(number))
            await self.answered(found[-1:], 30)
        return found

    async def at_rate(self, rate: float, seconds: float) -> list[int]:
        found, began = [], time.perf_counter()
        for number in range(int(rate * seconds)):
            await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
            found.append(self.ask(number))
        await self.answered(found, 60 + seconds)
        await asyncio.sleep(2)  # a second answer would be here by then
        return found

    def report(self, asked: Sequence[int], engine: Mapping[str, float]) -> dict[str, Any]:
        """Milliseconds from the message to the first sign (the placeholder in its thread) and to the answer.

        Args: engine: message -> milliseconds that the engine's walk took; the rest of the time is the turn's overhead, the
            way through the server and back with it.
        """
        ended = [self.done.get(one, []) for one in asked]
        return {
            "questions": len(asked),
            "lost": sum(not times for times in ended),
            "doubled": sum(len(times) > 1 for times in ended),
            "first_sign_ms": percentiles(
                [1e3 * (self.sign[m] - self.asked[m]) for m in asked if m in self.sign]
            ),
            "answered_ms": percentiles(
                [1e3 * (t[0] - self.asked[m]) for m, t in zip(asked, ended, strict=True) if t]
            ),
            "overhead_ms": percentiles(
                [
                    1e3 * (t[0] - self.asked[m]) - engine[str(m)]
                    for m, t in zip(asked, ended, strict=True)
                    if t and str(m) in engine
                ]
            ),
        }

    def _heard(self, event: str, payload: Mapping[str, Any]) -> None:
        """The thread of a question has its message's id; a finished answer has components."""
        if event not in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
            return
        thread, own = (
            int(payload["channel_id"]),
            int(payload["author"]["id"]) == self.front.backend.bot_user.id,
        )
        if own and thread in self.asked:
            now = time.perf_counter()
            self.sign.setdefault(thread, now)
            if payload.get("components"):
                self.done.setdefault(thread, []).append(now)


async def measure(run: Run, *, rate: float, seconds: float, alone: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    await run.one_by_one(range(-WARM, 0))
    for name in ("new", "asked_again"):
        async with figures(run) as phase:
            phase.asked += await run.one_by_one(range(alone))
        found[name] = phase.report
    memory, began = round(run.bots.memory(), 1), time.perf_counter()
    async with figures(run) as phase:
        phase.asked += await run.at_rate(rate, seconds)
    last = max((run.done[m][0] for m in phase.asked if m in run.done), default=began)
    found["at_rate"] = {
        "rate": rate, "answered_rate": round(len(phase.asked) / max(0.001, last - began), 1),
        "seconds": seconds, "channels": len(run.channels),
        "memory_mib": {"before": memory, "after": round(run.bots.memory(), 1)},
    } | phase.report  # fmt: skip
    return found


@dataclass
class Figures:
    asked: list[int] = field(default_factory=list)
    report: dict[str, Any] = field(default_factory=dict)


@asynccontextmanager
async def figures(run: Run) -> AsyncIterator[Figures]:
    """What a phase took; `asked` is filled by the phase, `report` at its end."""
    found, worked, own = Figures(), run.bots.worked(), time.process_time()
    await run.bots.take()
    yield found
    stages, process, engine = await run.bots.take()
    answers = max(1, len(found.asked))
    found.report = run.report(found.asked, engine) | {
        "processor_ms_an_answer": round((run.bots.worked() - worked) / answers, 1),
        "of_the_server_ms_an_answer": round(1000 * (time.process_time() - own) / answers, 1),
        "by_stage_ms": by_stage(stages, process, answers),
    }


@asynccontextmanager
async def running(front: Front, home: Path, processes: int, plain: bool) -> AsyncIterator[Bots]:
    """So many bot processes over one home; every one hears every event, and the first to accept it answers."""
    module, where = "tests.adapters.discord.load_bot", (str(front.address), front.token, str(home))
    bots = Bots()
    try:
        for _ in range(processes):
            await bots.start((sys.executable, "-m", module, *where, *(["--plain"] if plain else [])))
        yield bots
    finally:
        await bots.stop()


async def load(
    *, channels: int, rate: float, seconds: float, alone: int, processes: int = 1, plain: bool = False
) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="polyrag-load-") as folder:
        async with front_on_loopback(patch) as front:
            town = Town(front)
            async with running(front, Path(folder), processes, plain) as bots:
                run = Run(front, town, bots)
                await run.prepare(channels)
                found = await measure(run, rate=rate, seconds=seconds, alone=alone)
                return {"processes": processes} | found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--channels", type=int, default=200)
    parser.add_argument("--rate", type=float, default=50.0, help="questions a second")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--alone", type=int, default=100, help="questions one by one before")
    parser.add_argument("--processes", type=int, default=1, help="bot processes over one home")
    parser.add_argument(
        "--plain", action="store_true", help="no times by stage: what telling them costs is saved"
    )
    parser.add_argument("--json", type=Path)
    args = parser.parse_args()
    report = asyncio.run(
        load(
            channels=args.channels,
            rate=args.rate,
            seconds=args.seconds,
            alone=args.alone,
            processes=args.processes,
            plain=args.plain,
        )
    )
    text = json.dumps(report, indent=2)
    if args.json:
        args.json.write_text(text + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
