"""Clients of model servers: texts to vectors, messages to answers, pictures to lines. The only user of `openai`.

Every call gets a live endpoint first, and once more if the server turns out to be gone: that restarts it.
"""

import asyncio
import base64
import json
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, TypeVar

import numpy as np
import openai
from openai.types.chat import ChatCompletionChunk

from bot.models.endpoint import Endpoint, Resolve
from bot.models.pieces import join, split, surely_fits
from core.errors import BadVector, ModelUnavailable, TooSlow
from core.normalize import squeeze
from core.ports import Message, OcrLine
from core.settings import ModelEntry
from core.types import FloatArray
from core.vectors import unit_rows

T = TypeVar("T")

_SEED = 0
_UNKNOWN_LIMIT = 512  # tokens, for a server that tells no limit and an entry that names none
_CHARACTERS_A_TOKEN = 2  # a cautious guess where the server has no tokenizer to ask
_BROKEN = (openai.APIConnectionError, openai.InternalServerError, openai.AuthenticationError)


class _Refused(Exception):
    """The server answered with an error body under HTTP 200, or with something unusable."""


class _Session:
    """One endpoint's client in one event loop, with what the server said of its limits."""

    def __init__(self, endpoint: Endpoint, seconds: float) -> None:
        self.endpoint = endpoint
        # A proxy of the environment must not see what goes to a server on this machine.
        transport = openai.DefaultAsyncHttpxClient(trust_env=not endpoint.managed)
        self.client = openai.AsyncOpenAI(
            base_url=endpoint.base_url, api_key=endpoint.key or "none", max_retries=0, timeout=seconds,
            http_client=transport,
        )  # fmt: skip
        self._props: dict[str, Any] | None = None

    async def props(self) -> dict[str, Any]:
        """What /props says; empty for a server that is no llama-server."""
        if self._props is None:
            try:
                self._props = _checked(await self.client.get(f"{self.endpoint.root}/props", cast_to=object))
            except (openai.APIStatusError, _Refused):
                if self.endpoint.managed:
                    raise
                self._props = {}
        return self._props

    async def context(self) -> int:
        """Tokens one request may hold; 0 if the server does not say."""
        props = await self.props()
        return int((props.get("default_generation_settings") or {}).get("n_ctx") or 0)

    async def count(self, text: str, special: bool) -> int:
        """Tokens of a text by the server's own tokenizer, guessed where it has none."""
        if not await self.props():
            return -(-len(text) // _CHARACTERS_A_TOKEN)
        body = {"content": text, "add_special": special}
        answer = await self.client.post(f"{self.endpoint.root}/tokenize", body=body, cast_to=object)
        return len(_checked(answer).get("tokens") or ())


class _Line:
    """Calls a role's server, wherever it is now."""

    def __init__(self, resolve: Resolve, seconds: float) -> None:
        self._resolve, self._seconds = resolve, seconds
        self._sessions: dict[asyncio.AbstractEventLoop, _Session] = {}

    async def session(self, suspect: bool) -> _Session:
        """The session of the live endpoint; connections belong to the event loop they were made in."""
        endpoint = await asyncio.to_thread(self._resolve, suspect)
        loop = asyncio.get_running_loop()
        self._sessions = {known: kept for known, kept in self._sessions.items() if not known.is_closed()}
        kept = self._sessions.get(loop)
        if kept is None or kept.endpoint != endpoint:
            if kept is not None:
                await kept.client.close()
            kept = self._sessions[loop] = _Session(endpoint, self._seconds)
        return kept

    async def call(self, work: Callable[[_Session], Awaitable[T]]) -> T:
        """Do the work, and once more after a look at the server if it broke down.

        Raises: ModelUnavailable; TooSlow when the server lives and does not answer in time.
        """
        problem = ""
        for suspect in (False, True):
            session = await self.session(suspect)
            try:
                return await work(session)
            except openai.APITimeoutError as err:
                raise TooSlow(f"{session.endpoint.role}: no answer within {self._seconds:.0f} s") from err
            except (*_BROKEN, _Refused) as err:
                problem = f"{session.endpoint.role}: {type(err).__name__}: {err}"
            except openai.OpenAIError as err:
                raise ModelUnavailable(f"{session.endpoint.role}: {type(err).__name__}: {err}") from err
        raise ModelUnavailable(problem)

    async def close(self) -> None:
        """Close this event loop's connections."""
        kept = self._sessions.pop(asyncio.get_running_loop(), None)
        if kept is not None:
            await kept.client.close()


def _checked(answer: object) -> dict[str, Any]:
    """A JSON object that is no error message.

    Raises: _Refused.
    """
    if not isinstance(answer, dict):
        raise _Refused("the answer is not a JSON object")
    if "error" in answer:
        raise _Refused(json.dumps(answer["error"], ensure_ascii=False)[:300])
    return answer


# --- texts to vectors ------------------------------------------------------------------------------


class OpenAIEmbedder:
    """core.ports.Embedder over /v1/embeddings.

    Texts are NFKC-normalised with single spaces and get the model's prefix. A text longer than the model reads is
    cut at spaces by the server's own tokenizer; its vector is the mean of its pieces' unit vectors weighted by
    their tokens, scaled to length 1 again.
    """

    def __init__(self, name: str, entry: ModelEntry, resolve: Resolve, *, batch: int, seconds: float) -> None:
        """
        Args:
            name: key of `models`.
            resolve: gives the live endpoint.
            batch: texts a request at most.
            seconds: deadline of one request.
        """
        self.name, self.dimension = name, entry.dimension
        self._entry, self._batch = entry, batch
        self._line = _Line(resolve, seconds)
        identity = entry.sha256 or entry.hub or name
        parts = (
            identity,
            entry.query_prefix,
            entry.passage_prefix,
            str(entry.dimension),
            str(entry.max_tokens),
        )
        self.fingerprint = sha256("\n".join(parts).encode()).hexdigest()[:16]

    async def embed_passages(self, texts: Sequence[str]) -> FloatArray:
        """Shape (n, dimension), unit rows. Raises: ModelUnavailable; BadVector for a text without content."""
        return await self._embed(texts, self._entry.passage_prefix)

    async def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Shape (n, dimension), unit rows. Raises: ModelUnavailable; BadVector for a text without content."""
        return await self._embed(texts, self._entry.query_prefix)

    async def close(self) -> None:
        await self._line.close()

    async def _embed(self, texts: Sequence[str], prefix: str) -> FloatArray:
        clean = [squeeze(text) for text in texts]
        if not all(clean):
            raise BadVector("a text without content has no direction")
        rows = np.zeros((len(clean), self.dimension), np.float32)
        try:
            for start in range(0, len(clean), self._batch):
                part = await self._embed_some(clean[start : start + self._batch], prefix)
                rows[start : start + self._batch] = part
        except TooSlow as err:
            raise ModelUnavailable(str(err)) from err
        return rows

    async def _embed_some(self, texts: Sequence[str], prefix: str) -> FloatArray:
        """Cut, send in requests of at most `batch` pieces, and join what belongs together."""
        cut = await self._line.call(partial(self._cut, texts, prefix))
        pieces = [prefix + piece for parts in cut for piece, _ in parts]
        batches = [pieces[start : start + self._batch] for start in range(0, len(pieces), self._batch)]
        vectors = [await self._line.call(partial(self._request, batch)) for batch in batches]
        units, rows, at = unit_rows(np.concatenate(vectors)), [], 0
        for parts in cut:
            rows.append(join(units[at : at + len(parts)], [tokens for _, tokens in parts]))
            at += len(parts)
        return np.stack(rows)

    async def _cut(
        self, texts: Sequence[str], prefix: str, session: _Session
    ) -> list[tuple[tuple[str, int], ...]]:
        """Each text's pieces with their tokens; texts too short to need counting get the token count 1."""
        told = [limit for limit in (self._entry.max_tokens, await session.context()) if limit]
        limit = min(told) if told else _UNKNOWN_LIMIT

        async def count(piece: str) -> int:
            return await session.count(prefix + piece, special=True)

        return [
            ((text, 1),) if surely_fits(prefix + text, limit) else await split(text, limit, count)
            for text in texts
        ]

    async def _request(self, batch: Sequence[str], session: _Session) -> FloatArray:
        """One request, distrusted: right count, right length, finite.

        Raises: _Refused.
        """
        raw = await session.client.embeddings.with_raw_response.create(
            model=session.endpoint.model, input=list(batch), encoding_format="float"
        )
        data = _checked(json.loads(raw.text)).get("data")
        if not isinstance(data, list) or len(data) != len(batch):
            raise _Refused(
                f"asked for {len(batch)} vectors and got {len(data) if isinstance(data, list) else 'none'}"
            )
        ordered = sorted(data, key=lambda item: int(item.get("index", 0)))
        lengths = {len(item.get("embedding") or ()) for item in ordered}
        if lengths != {self.dimension}:
            raise _Refused(f"vectors of length {sorted(lengths)} instead of {self.dimension}")
        vectors = np.asarray([item["embedding"] for item in ordered], np.float32)
        if not np.isfinite(vectors).all():
            raise _Refused("a vector is not finite")
        return vectors


# --- messages to answers ---------------------------------------------------------------------------


class OpenAIGenerator:
    """core.ports.Generator over /v1/chat/completions; greedy and with a fixed seed."""

    def __init__(self, name: str, resolve: Resolve, *, seconds: float) -> None:
        """
        Args:
            name: key of `models`.
            resolve: gives the live endpoint.
            seconds: deadline of one whole answer.
        """
        self.name = name
        self._seconds = seconds
        self._line = _Line(resolve, seconds)

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        grammar: str | None = None,
        schema: Mapping[str, Any] | None = None,
    ) -> str:
        """The whole answer. `grammar` is GBNF (llama-server only), `schema` a JSON schema.

        Raises: ModelUnavailable, TooSlow.
        """
        request = _chat_request(messages, max_tokens)
        if grammar is not None:
            request["extra_body"] = {"grammar": grammar}
        if schema is not None:
            form = {"name": "answer", "strict": True, "schema": dict(schema)}
            request["response_format"] = {"type": "json_schema", "json_schema": form}

        async def work(session: _Session) -> str:
            create = session.client.chat.completions.with_raw_response.create
            raw = await create(model=session.endpoint.model, **request)
            return _content(_checked(json.loads(raw.text)))

        try:
            async with asyncio.timeout(self._seconds):
                return await self._line.call(work)
        except TimeoutError as err:
            raise TooSlow(f"chat: no answer within {self._seconds:.0f} s") from err

    async def stream(self, messages: Sequence[Message], *, max_tokens: int) -> AsyncIterator[str]:
        """Text pieces as they come. Leaving early ends the generation on the server too.

        Raises: ModelUnavailable, also when the server dies in the middle; TooSlow.
        """
        request = _chat_request(messages, max_tokens)

        async def begin(session: _Session) -> openai.AsyncStream[ChatCompletionChunk]:
            create = session.client.chat.completions.create
            stream: openai.AsyncStream[ChatCompletionChunk] = await create(
                model=session.endpoint.model, stream=True, **request
            )
            return stream

        deadline = asyncio.get_running_loop().time() + self._seconds
        events = await self._line.call(begin)
        try:
            async for piece in _pieces(events, deadline):
                yield piece
        finally:
            await events.close()

    async def context_tokens(self) -> int:
        """Tokens that prompt and answer may have together; 0 if the server does not say."""
        return await self._line.call(lambda session: session.context())

    async def count_tokens(self, text: str) -> int:
        """Tokens of a text by the server's own tokenizer; guessed (high) where it has none."""
        return await self._line.call(lambda session: session.count(text, special=False))

    async def close(self) -> None:
        await self._line.close()


def _chat_request(messages: Sequence[Message], max_tokens: int) -> dict[str, Any]:
    return {
        "messages": [{"role": message.role, "content": message.content} for message in messages],
        "max_tokens": max_tokens,
        "temperature": 0,
        "seed": _SEED,
    }


def _content(answer: Mapping[str, Any]) -> str:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        raise _Refused("the answer has no choices")
    return str((choices[0].get("message") or {}).get("content") or "")


async def _pieces(events: openai.AsyncStream[ChatCompletionChunk], deadline: float) -> AsyncIterator[str]:
    """The texts of a stream up to its end mark.

    Raises: TooSlow past the deadline (loop time); ModelUnavailable if the stream breaks off.
    """
    source, finished, now = aiter(events), False, asyncio.get_running_loop().time
    while True:
        try:
            event = await asyncio.wait_for(anext(source), max(0.0, deadline - now()))
        except StopAsyncIteration:
            break
        except TimeoutError as err:
            raise TooSlow("chat: the answer took too long") from err
        except openai.OpenAIError as err:
            raise ModelUnavailable(f"chat: the answer broke off ({type(err).__name__}: {err})") from err
        for choice in event.choices or ():
            finished = finished or choice.finish_reason is not None
            if choice.delta.content:
                yield choice.delta.content
    if not finished:
        raise ModelUnavailable("chat: the answer broke off")


# --- pictures to lines -----------------------------------------------------------------------------

_OCR_PROMPT = "Text Recognition:"
_OCR_TOKENS = 4096
_UNKNOWN_CONFIDENCE = 0.5  # of a server that gives no token probabilities
_LINE_HEIGHT, _LINE_GAP, _GLYPH_WIDTH = 16.0, 4.0, 10.0


class OpenAIVision:
    """core.ports.Ocr over a vision model. Sync, as the port is.

    A language model tells no positions: boxes only carry the reading order. A line's confidence is the geometric
    mean of its tokens' probabilities.
    """

    def __init__(self, name: str, resolve: Resolve, *, seconds: float) -> None:
        self.name = name
        self._resolve, self._seconds = resolve, seconds

    def read(self, image: bytes) -> tuple[OcrLine, ...]:
        """The lines of a PNG or JPEG picture, top to bottom.

        Raises: ModelUnavailable, TooSlow.
        """
        problem = ""
        for suspect in (False, True):
            endpoint = self._resolve(suspect)
            try:
                return _lines(self._ask(endpoint, image))
            except openai.APITimeoutError as err:
                raise TooSlow(f"ocr: no answer within {self._seconds:.0f} s") from err
            except (*_BROKEN, _Refused) as err:
                problem = f"ocr: {type(err).__name__}: {err}"
            except openai.OpenAIError as err:
                raise ModelUnavailable(f"ocr: {type(err).__name__}: {err}") from err
        raise ModelUnavailable(problem)

    def _ask(self, endpoint: Endpoint, image: bytes) -> dict[str, Any]:
        media = "image/png" if image.startswith(b"\x89PNG") else "image/jpeg"
        picture = f"data:{media};base64,{base64.b64encode(image).decode()}"
        transport = openai.DefaultHttpxClient(trust_env=not endpoint.managed)
        with openai.OpenAI(
            base_url=endpoint.base_url, api_key=endpoint.key or "none", max_retries=0, timeout=self._seconds,
            http_client=transport,
        ) as client:  # fmt: skip
            raw = client.chat.completions.with_raw_response.create(
                model=endpoint.model, max_tokens=_OCR_TOKENS, temperature=0, seed=_SEED, logprobs=True,
                messages=[{"role": "user", "content": [
                    {"type": "image_url", "image_url": {"url": picture}},
                    {"type": "text", "text": _OCR_PROMPT},
                ]}],
            )  # fmt: skip
            return _checked(json.loads(raw.text))


def _lines(answer: Mapping[str, Any]) -> tuple[OcrLine, ...]:
    texts = _content(answer).split("\n")
    confidences = _confidences(answer["choices"][0].get("logprobs"), len(texts))
    kept = [(text.strip(), sure) for text, sure in zip(texts, confidences, strict=True) if text.strip()]
    return tuple(OcrLine(text, sure, _box(position, text)) for position, (text, sure) in enumerate(kept))


def _confidences(logprobs: object, lines: int) -> list[float]:
    """One value a line, from the log-probabilities of the tokens between its line ends."""
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    sums, counts, line = [0.0] * lines, [0] * lines, 0
    for token in tokens or ():
        place = min(line, lines - 1)
        sums[place] += float(token["logprob"])
        counts[place] += 1
        line += str(token["token"]).count("\n")
    return [math.exp(total / n) if n else _UNKNOWN_CONFIDENCE for total, n in zip(sums, counts, strict=True)]


def _box(position: int, text: str) -> tuple[float, float, float, float]:
    top = position * (_LINE_HEIGHT + _LINE_GAP)
    return (0.0, top, _GLYPH_WIDTH * len(text), top + _LINE_HEIGHT)
