"""Turns are bounded, fair between workspaces, and in order where two jobs touch the same thing."""

import asyncio

from bot.jobs.gate import Gate
from bot.jobs.job import Job, Kind


def job(name: str, workspace: str = "s:T1", tag: str = "s:T1/C1", kind: Kind = "upload", *docs: str) -> Job:
    return Job(f"{workspace} {name}", kind, workspace, tag, name, "s:U1", "2025-01-01", docs)


async def order_of(jobs: list[Job], parallel: int) -> tuple[list[str], int]:
    """Names in the order in which their turns began, and the most that were at work at once."""
    gate, begun, at_work, most = Gate(parallel), [], 0, 0
    tickets = [gate.enter(one) for one in jobs]

    async def run(one: Job, ticket: object) -> None:
        nonlocal at_work, most
        async with gate.turn(ticket):  # type: ignore[arg-type]
            begun.append(one.name)
            at_work += 1
            most = max(most, at_work)
            await asyncio.sleep(0.001)
            at_work -= 1

    await asyncio.gather(*(run(one, ticket) for one, ticket in zip(jobs, tickets, strict=True)))
    return begun, most


async def test_no_more_jobs_are_at_work_than_allowed() -> None:
    jobs = [job(f"f{n}") for n in range(7)]

    begun, most = await order_of(jobs, 3)

    assert most == 3
    assert begun == [one.name for one in jobs]


async def test_a_workspace_with_many_files_does_not_keep_another_one_waiting() -> None:
    many = [job(f"a{n}") for n in range(20)]
    other = [job(f"b{n}", "s:T2", "s:T2/C1") for n in range(3)]

    begun, _ = await order_of([*many, *other], 2)

    assert max(begun.index(f"b{n}") for n in range(3)) <= 7


async def test_two_versions_of_a_file_are_taken_in_the_order_in_which_they_came() -> None:
    versions = [job("plan", "s:T1", "s:T1/C1", "upload", f"hash{n}") for n in range(5)]
    gate = Gate(4)
    tickets = [gate.enter(one) for one in versions]
    ended: list[int] = []

    async def run(number: int) -> None:
        async with gate.turn(tickets[number]):
            assert len(ended) == number, "an earlier version is still at work"
            await asyncio.sleep(0.002 * (5 - number))
            ended.append(number)

    await asyncio.gather(*(run(number) for number in reversed(range(5))))
    assert ended == [0, 1, 2, 3, 4]


async def test_the_same_bytes_in_two_channels_are_not_taken_in_at_the_same_time() -> None:
    jobs = [job("a", "s:T1", f"s:T1/C{n}", "upload", "hash") for n in range(3)]

    _, most = await order_of(jobs, 3)

    assert most == 1


async def test_deleting_a_channel_waits_for_its_uploads_and_holds_up_later_ones() -> None:
    jobs = [
        job("one"),
        job("elsewhere", tag="s:T1/C2"),
        job("", kind="forget_channel"),
        job("later"),
        job("there", tag="s:T1/C2"),
    ]

    begun, most = await order_of(jobs, 5)

    assert begun == ["one", "elsewhere", "there", "", "later"]
    assert most == 3


async def test_a_job_that_gives_up_waiting_makes_way() -> None:
    gate = Gate(1)
    first, second, third = (gate.enter(job(name)) for name in ("a", "b", "c"))

    async def wait() -> None:
        async with gate.turn(second):
            pass

    waiting = asyncio.create_task(wait())
    async with gate.turn(first):
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    async with asyncio.timeout(1), gate.turn(third):
        pass
