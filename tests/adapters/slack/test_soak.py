"""A random week in one workspace: whatever people do and whatever breaks, nothing leaks, pings, or is answered twice."""

import random
from collections import Counter
from collections.abc import Awaitable, Callable

import pytest

from tests.adapters.slack.fake import BOT_USER, Message
from tests.adapters.slack.world import SlackWorld

# private channel → the secret of its file; no hexadecimal number, such as a trace's id, can hold one by chance
PLACES = {"cobre": "TX7310", "prata": "KV8426", "ouro": "RS9557"}
PEOPLE = ("ana", "bia", "caio", "davi")
QUESTION = "qual é o código do cofre {place}?"
BREAKS = (
    {"method": "conversations.members", "status": 500},
    {"method": "conversations.list", "retry_after": 1},
    {"method": "users.info", "drop": True},
    {"method": "chat.postMessage", "retry_after": 1},
    {"method": "chat.postMessage", "status": 500},
    {"method": "chat.update", "error": "invalid_blocks"},
    {"method": "assistant.threads.setStatus", "error": "channel_type_not_supported"},
    {"method": "files.download", "status": 500},
)
STEPS = 60


class Soak:
    """One seeded run. Every check follows the step that could have broken it, while memberships are as they were."""

    def __init__(self, world: SlackWorld, seed: int) -> None:
        self.world, self.slack, self.dice = world, world.slack, random.Random(seed)
        self.asked: list[tuple[str, str]] = []
        self.checked: dict[tuple[str, str], int] = {}  # bot message → versions looked at
        self.told = 0  # answers that gave a secret
        self.again: Counter[tuple[str, str]] = Counter()  # thread → times that a fresh answer was asked for

    async def prepare(self) -> None:
        for person in PEOPLE:
            await self.world.user(person)
        await self.world.channel("geral", members=PEOPLE)
        for number, place in enumerate(PLACES):
            await self.world.channel(place, private=True, members=PEOPLE[number : number + 2])
            await self.upload(place)

    async def upload(self, place: str) -> None:
        text = f"# Cofre {place}\n\nO código do cofre {place} é {PLACES[place]}.\n"
        channel = self.world.channels[place]
        members = [user for user in self.slack.world.channels[channel].members if user != BOT_USER]
        if members:
            await self.slack.post(members[0], channel, files={f"{place}.md": text.encode()})
            await self.world.settle()

    def person(self) -> str:
        return self.world.users[self.dice.choice(PEOPLE)]

    async def ask_in_channel(self) -> None:
        person, place = self.person(), self.dice.choice([*PLACES, "geral"])
        channel = self.world.channels[place]
        if self.slack.world.reads(person, self.slack.world.channels[channel]):
            text = QUESTION.format(place=self.dice.choice(list(PLACES)))
            self.asked.append((channel, await self.slack.post(person, channel, text, mention=True)))

    async def ask_directly(self) -> None:
        person = self.person()
        text = QUESTION.format(place=self.dice.choice(list(PLACES)))
        await self.slack.post(person, await self.slack.open_dm(person), text)

    async def ask_privately(self) -> None:
        text = QUESTION.format(place=self.dice.choice(list(PLACES)))
        await self.slack.slash(self.person(), self.world.channels["geral"], "/ask", text)

    async def come_or_go(self) -> None:
        person, channel = self.person(), self.world.channels[self.dice.choice(list(PLACES))]
        inside = person in self.slack.world.channels[channel].members
        await (self.slack.leave(person, channel) if inside else self.slack.join(person, channel))

    async def upload_again(self) -> None:
        await self.upload(self.dice.choice(list(PLACES)))

    async def press(self) -> None:
        person = self.person()
        shown = [m for m in self.slack.visible_to(person) if m.mine and "polyrag_fresh" in str(m.blocks)]
        if shown:
            message = self.dice.choice(shown)
            self.again[message.channel, message.thread_ts] += 1
            await self.slack.press(person, message, "polyrag_fresh")

    async def deliver_again(self) -> None:
        self.slack.redeliver(last=self.dice.randint(1, 30))

    async def cut(self) -> None:
        if self.world.transport == "socket":
            self.slack.drop_sockets()

    async def restart(self) -> None:
        await self.world.restart()

    async def look_around(self) -> None:
        await self.slack.open_home(self.person())

    async def something_breaks(self) -> None:
        how = dict(self.dice.choice(BREAKS))
        self.slack.fail(str(how.pop("method")), **how)

    async def step(self) -> None:
        acts: list[tuple[Callable[[], Awaitable[None]], int]] = [
            (self.ask_in_channel, 5), (self.ask_directly, 4), (self.ask_privately, 3), (self.come_or_go, 4),
            (self.press, 2), (self.upload_again, 1), (self.deliver_again, 2), (self.cut, 1), (self.restart, 1),
            (self.look_around, 1), (self.something_breaks, 3),
        ]  # fmt: skip
        [act] = self.dice.choices([act for act, _ in acts], [weight for _, weight in acts])
        await act()
        await self.world.settle()
        self.check(act.__name__)

    def check(self, step: str) -> None:
        for message in self.slack.bot_messages():
            key, texts = (message.channel, message.ts), self.slack.history_of(message)
            for text in texts[self.checked.get(key, 0) :]:
                self.check_text(text, message, step)
            self.checked[key] = len(texts)
        for user in self.world.users.values():
            shown = self.slack.home_text(user)
            assert not any(secret in shown for secret in PLACES.values()), (step, shown)

    def check_text(self, text: str, message: Message, step: str) -> None:
        for place, secret in PLACES.items():
            if secret in text:
                home = self.slack.world.channels[self.world.channels[place]]
                readers = self.readers(message)
                assert set(readers) <= set(home.members), (step, place, message.channel, readers, text)
                self.told += 1

    def readers(self, message: Message) -> list[str]:
        if message.only_for:
            return [message.only_for]
        channel = self.slack.world.channels[message.channel]
        return [user for user in self.world.users.values() if self.slack.world.reads(user, channel)]


@pytest.mark.slow
@pytest.mark.parametrize("transport", ["socket", "http"])
@pytest.mark.parametrize("seed", [1, 2, 3])
async def test_a_week_of_questions_comings_goings_and_failures_leaks_nothing(
    transport: str, seed: int
) -> None:
    async with SlackWorld(transport) as world:  # type: ignore[arg-type]
        soak = Soak(world, seed)
        await soak.prepare()
        for _ in range(STEPS):
            await soak.step()
        world.slack.faults.clear()
        await world.settle()

        assert soak.told > 5
        for channel, thread in soak.asked:
            answers = [m for m in world.slack.bot_messages(channel, thread) if "polyrag_" in str(m.blocks)]
            assert 1 <= len(answers) <= 1 + soak.again[channel, thread]
        assert (world.slack.pings, world.slack.lost, world.slack.user_errors) == ([], [], [])
