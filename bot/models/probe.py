"""Ask a running server how it is, and try it once."""

import math
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import httpx

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


class Unusable(Exception):
    """The server gave no answer, or one that a working model does not give; the reason in both languages."""

    def __init__(self, english: str, portuguese: str) -> None:
        super().__init__(english)
        self.why = {"en": english, "pt": portuguese}


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
    except Unusable:
        return False


def read_props(url: str, key: str, seconds: float = 10.0) -> Props:
    """What the server says of itself; also proves that it takes the key.

    Raises: Unusable.
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

    Raises: Unusable.
    """
    if role == "embed":
        _smoke_embed(url, key, entry, seconds)
    else:
        _smoke_chat(url, key, seconds)
    if role == "ocr" and not read_props(url, key).vision:
        raise Unusable(
            "the ocr model cannot read pictures: its mmproj part is missing",
            "o modelo de ocr não lê imagens: falta a parte mmproj",
        )


def _smoke_embed(url: str, key: str, entry: ModelEntry, seconds: float) -> None:
    body = {"input": [entry.query_prefix + _SMOKE_TEXT], "encoding_format": "float"}
    answer = _request("POST", f"{url}/v1/embeddings", key, seconds, body)
    vector = ((answer.get("data") or [{}])[0]).get("embedding") or []
    if len(vector) != entry.dimension:
        raise Unusable(
            f"its vectors have length {len(vector)}, the model's entry says {entry.dimension}",
            f"os vetores têm comprimento {len(vector)}; a configuração do modelo diz {entry.dimension}",
        )
    if not all(math.isfinite(value) for value in vector) or not any(vector):
        raise Unusable(
            "its vectors are zero or not finite; the file or the device is broken",
            "os vetores são nulos ou inválidos; o arquivo ou o dispositivo tem defeito",
        )


def _smoke_chat(url: str, key: str, seconds: float) -> None:
    body = {"messages": [{"role": "user", "content": "Say: ready"}], "max_tokens": 4, "temperature": 0}
    answer = _request("POST", f"{url}/v1/chat/completions", key, seconds, body)
    message = ((answer.get("choices") or [{}])[0]).get("message") or {}
    if not str(message.get("content") or message.get("reasoning_content") or "").strip():
        raise Unusable(
            "it answers with nothing; file or device is broken",
            "responde com nada; o arquivo ou o dispositivo tem defeito",
        )


def _request(method: str, url: str, key: str, seconds: float, body: dict[str, Any] | None) -> dict[str, Any]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        answer = _client().request(method, url, json=body, headers=headers, timeout=seconds)
        answer.raise_for_status()
        value = answer.json()
    except httpx.TimeoutException as err:
        raise Unusable(f"no answer within {seconds:.0f} s", f"sem resposta em {seconds:.0f} s") from err
    except (httpx.HTTPError, ValueError) as err:
        raise Unusable(
            f"no usable answer ({type(err).__name__})", f"sem resposta útil ({type(err).__name__})"
        ) from err
    if not isinstance(value, dict) or "error" in value:
        raise Unusable("it answered with an error", "respondeu com um erro")
    return value


def read_tail(log: Path, size: int = _LAST_BYTES) -> str:
    """The end of a log; empty when there is none."""
    if not log.is_file():
        return ""
    with log.open("rb") as source:
        source.seek(max(0, log.stat().st_size - size))
        return source.read().decode(errors="replace")
