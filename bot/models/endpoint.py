"""Where a model role answers."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An OpenAI-compatible server, on this machine or elsewhere."""

    role: str
    base_url: str  # ends in /v1
    model: str  # the name to ask for
    key: str = field(default="", repr=False)
    managed: bool = True  # a llama-server of ours: it also answers /props and /tokenize

    @property
    def root(self) -> str:
        """The address without /v1."""
        return self.base_url.removesuffix("/v1")


Resolve = Callable[[bool], Endpoint]
"""Gives a live endpoint, starting the server if need be; it blocks, so call it off the event loop.

The argument says whether the caller suspects the last one to be broken; then it is checked first.
Raises: ModelUnavailable, ModelMissing.
"""
