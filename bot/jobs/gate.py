"""Whose turn it is: a bounded number of jobs at a time, fair between workspaces, in order where two touch the same thing."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from bot.jobs.job import Job


@dataclass(slots=True, eq=False)
class _Ticket:
    workspace: str
    alone: frozenset[str]
    beside: frozenset[str]
    turn: "asyncio.Future[None]"


class Gate:
    """Lives on one event loop. A workspace that sends a thousand files does not keep another one waiting."""

    def __init__(self, parallel: int) -> None:
        self._parallel = parallel
        self._waiting: list[_Ticket] = []
        self._running: list[_Ticket] = []
        self._served: dict[str, int] = {}  # workspace -> number of its latest turn
        self._turns = 0

    def enter(self, job: Job) -> "_Ticket":
        """Stand in line: order is decided here, before anything is awaited."""
        ticket = _Ticket(job.workspace, job.alone, job.beside, asyncio.get_running_loop().create_future())
        self._waiting.append(ticket)
        self._let_in()
        return ticket

    @asynccontextmanager
    async def turn(self, ticket: "_Ticket") -> AsyncIterator[None]:
        """Wait for the turn, and give it up at the end."""
        try:
            await ticket.turn
            yield
        finally:
            self.leave(ticket)

    def leave(self, ticket: "_Ticket") -> None:
        """Step out, from the line or from the work. Leaving twice is nothing."""
        for line in (self._waiting, self._running):
            if ticket in line:
                line.remove(ticket)
                self._let_in()

    def _let_in(self) -> None:
        while len(self._running) < self._parallel:
            ticket = self._next()
            if ticket is None:
                return
            self._waiting.remove(ticket)
            self._running.append(ticket)
            self._turns += 1
            self._served[ticket.workspace] = self._turns
            if not ticket.turn.done():
                ticket.turn.set_result(None)

    def _next(self) -> "_Ticket | None":
        """Of those that nothing ahead of them blocks: the workspace with least at work, then longest unserved."""
        alone = {thing for ticket in self._running for thing in ticket.alone}
        beside = {thing for ticket in self._running for thing in ticket.beside}
        best: tuple[int, int, int] | None = None
        chosen: _Ticket | None = None
        for place, ticket in enumerate(self._waiting):
            blocked = ticket.alone & alone or ticket.alone & beside or ticket.beside & alone
            if not blocked:
                busy = sum(other.workspace == ticket.workspace for other in self._running)
                rank = (busy, self._served.get(ticket.workspace, 0), place)
                if best is None or rank < best:
                    best, chosen = rank, ticket
            alone |= ticket.alone
            beside |= ticket.beside
        return chosen
