"""Ask a running server how it is, try it once, and read from its log why it did not start."""

import math
import re
import signal
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import httpx

from core.errors import ModelUnavailable
from core.settings import ModelEntry

_SMOKE_TEXT = "Quanto custa? How much is it?"
_LAST_BYTES = 64_000


@dataclass(frozen=True, slots=True)
class Props:
    """The real limits of a running server, as /props tells them."""

    context: int  # tokens a slot
    slots: int
    vision: bool
    sleeping: bool
    model: str


class ServerFailed(ModelUnavailable):
    """A server that did not start or does not work. `str(err)` says why and what helps."""


class PortTaken(ServerFailed):
    messages = {
        "en": "Port {port} of the {role} model server is used by another program. An admin can set it to 0.",
        "pt": "A porta {port} do servidor de modelo {role} está em uso por outro programa. Um administrador pode usar 0.",
    }


@lru_cache(maxsize=1)
def _client() -> httpx.Client:
    """For loopback only: no proxy of the environment may see a prompt, and there is no TLS to check."""
    return httpx.Client(trust_env=False, verify=False)  # noqa: S501


def healthy(url: str, seconds: float = 5.0) -> bool:
    """Whether /health answers 200; loading (503), silence and refusal are all no."""
    try:
        return _client().get(f"{url}/health", timeout=seconds).status_code == httpx.codes.OK
    except httpx.HTTPError:
        return False


def usable(url: str, key: str) -> bool:
    """Whether the server is healthy and takes the key."""
    try:
        return healthy(url) and read_props(url, key).slots > 0
    except ServerFailed:
        return False


def read_props(url: str, key: str, seconds: float = 10.0) -> Props:
    """What the server says of itself; also proves that it takes the key.

    Raises: ServerFailed.
    """
    answer = _request("GET", f"{url}/props", key, seconds, None)
    settings = answer.get("default_generation_settings") or {}
    return Props(
        context=int(settings.get("n_ctx") or answer.get("n_ctx") or 0),
        slots=int(answer.get("total_slots") or 1),
        vision=bool((answer.get("modalities") or {}).get("vision")),
        sleeping=bool(answer.get("is_sleeping")),
        model=str(answer.get("model_alias") or ""),
    )


def smoke_test(role: str, url: str, key: str, entry: ModelEntry, seconds: float) -> None:
    """One real request: a vector of the right length and finite, or words that are not empty.

    Raises: ServerFailed.
    """
    if role == "embed":
        _smoke_embed(url, key, entry, seconds)
    else:
        _smoke_chat(url, key, seconds)
    if role == "ocr" and not read_props(url, key).vision:
        raise ServerFailed("the ocr model cannot read pictures: its mmproj part is missing")


def _smoke_embed(url: str, key: str, entry: ModelEntry, seconds: float) -> None:
    body = {"input": [entry.query_prefix + _SMOKE_TEXT], "encoding_format": "float"}
    answer = _request("POST", f"{url}/v1/embeddings", key, seconds, body)
    vector = ((answer.get("data") or [{}])[0]).get("embedding") or []
    if len(vector) != entry.dimension:
        raise ServerFailed(
            f"the model gives vectors of length {len(vector)}, its entry says {entry.dimension}"
        )
    if not all(math.isfinite(value) for value in vector) or not any(vector):
        raise ServerFailed(
            "the model gives vectors that are zero or not finite; the file or the device is broken"
        )


def _smoke_chat(url: str, key: str, seconds: float) -> None:
    body = {"messages": [{"role": "user", "content": "Say: ready"}], "max_tokens": 4, "temperature": 0}
    answer = _request("POST", f"{url}/v1/chat/completions", key, seconds, body)
    message = ((answer.get("choices") or [{}])[0]).get("message") or {}
    if not str(message.get("content") or message.get("reasoning_content") or "").strip():
        raise ServerFailed("the chat model answers with nothing; the file or the device is broken")


def _request(method: str, url: str, key: str, seconds: float, body: dict[str, Any] | None) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answer = _client().request(method, url, json=body, headers=headers, timeout=seconds)
        answer.raise_for_status()
        value = answer.json()
    except httpx.TimeoutException as err:
        raise ServerFailed(f"no answer within {seconds:.0f} s") from err
    except (httpx.HTTPError, ValueError) as err:
        raise ServerFailed(f"no usable answer ({type(err).__name__})") from err
    if not isinstance(value, dict) or "error" in value:
        raise ServerFailed("the server answered with an error")
    return value


# --- why did it not start? -------------------------------------------------------------------------

_CAUSES = (
    (
        r"free\(\): invalid pointer",
        "this llama-server build aborts on this model's tokenizer (free(): invalid pointer); use another build: "
        "put one on PATH or set the profile's `binary`",
    ),
    (r"couldn't bind|address already in use|failed to bind", "its port is used by another program"),
    (r"unknown argument|invalid argument|unknown option", "this llama-server build does not know one of the model's flags"),
    (
        r"HTTPS is not supported",
        "this llama-server build cannot download models (no HTTPS); run `polyrag models fetch`, or use another build",
    ),
    (
        r"error from HF API|failed to download|Could not establish connection|Could not resolve|no usable hf",
        "the model could not be downloaded from the hub; check the connection, or put the file here and set `file`",
    ),
    (
        r"out of memory|ErrorOutOfDeviceMemory|failed to allocate|unable to allocate",
        "there is not enough memory for the model; use a smaller one, less context, or fewer gpu_layers",
    ),
    (
        r"failed to load model|error loading model|unknown model architecture",
        "this llama-server cannot load the model file; fetch it again or use a newer build",
    ),
)  # fmt: skip
_SIGNALS = {
    signal.SIGKILL: "it was killed, most likely for lack of memory",
    signal.SIGILL: "this llama-server build needs another processor; use another build",
    signal.SIGABRT: "it aborted",
    signal.SIGSEGV: "it crashed",
}


def read_tail(log: Path, size: int = _LAST_BYTES) -> str:
    """The end of a log; empty when there is none."""
    if not log.is_file():
        return ""
    with log.open("rb") as source:
        source.seek(max(0, log.stat().st_size - size))
        return source.read().decode(errors="replace")


def cause_of_death(code: int | None, log: str) -> str:
    """Why a server ended, in words, from its log and its exit code (128 + n: signal n)."""
    for pattern, words in _CAUSES:
        if re.search(pattern, log, re.IGNORECASE):
            return words
    number = -code if code is not None and code < 0 else (code or 0) - 128
    if number in _SIGNALS:
        return _SIGNALS[signal.Signals(number)]
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    said = f"; its log ends: {lines[-1][:160]}" if lines else ""
    return f"it ended with exit code {code}{said}"
