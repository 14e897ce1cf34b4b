"""The clients against a real process that speaks the real routes."""

import asyncio
import base64
import math
import os
import signal
from collections.abc import AsyncIterator

import numpy as np
import pytest

from bot.models.clients import OpenAIEmbedder, OpenAIGenerator, OpenAIVision
from bot.models.endpoint import Endpoint
from bot.models.servers import ServerManager
from core.errors import BadVector, ModelUnavailable, TooSlow
from core.ports import Embedder, Generator, Message, Ocr
from core.vectors import unit_rows
from tests.bot.models.conftest import DIMENSION, Bench, wait_until
from tests.bot.models.fake_llama import vector_of

QUESTION = [Message("system", "Answer from the evidence."), Message("user", "Quanto custa o frete?")]


def an_embedder(bench: Bench, manager: ServerManager, batch: int = 4) -> OpenAIEmbedder:
    entry = manager._settings.models["embed"]
    return OpenAIEmbedder(
        "embed", entry, lambda suspect: manager.endpoint("embed", suspect), batch=batch, seconds=10
    )


def a_generator(manager: ServerManager, seconds: float = 10.0) -> OpenAIGenerator:
    return OpenAIGenerator("chat", lambda suspect: manager.endpoint("chat", suspect), seconds=seconds)


def asked(bench: Bench, role: str, path: str) -> list[dict]:  # type: ignore[type-arg]
    """Bodies of the requests to a path, without the one that tried the server at its start."""
    return [request["body"] for request in bench.requests(role) if request["path"] == path][1:]


def test_clients_are_what_the_engine_asks_for(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={}, chat={}))
    embedder: Embedder = an_embedder(bench, manager)
    generator: Generator = a_generator(manager)
    ocr: Ocr = OpenAIVision("ocr", lambda suspect: manager.endpoint("ocr", suspect), seconds=1)

    assert (embedder.name, embedder.dimension, generator.name, ocr.name) == (
        "embed",
        DIMENSION,
        "chat",
        "ocr",
    )


# --- vectors -----------------------------------------------------------------------------------------


async def test_texts_get_their_prefix_and_normal_form_and_come_back_as_unit_rows(bench: Bench) -> None:
    embedder = an_embedder(bench, bench.manager(bench.settings(embed={})))

    passages = await embedder.embed_passages(["ﬁcha  técnica\n n\u0303"])
    queries = await embedder.embed_queries(["preço?"])

    assert [body["input"] for body in asked(bench, "embed", "/v1/embeddings")] == [
        ["passage: ficha técnica ñ"],
        ["query: preço?"],
    ]
    assert passages.dtype == np.float32
    np.testing.assert_array_equal(passages, unit_rows([vector_of("passage: ficha técnica ñ", DIMENSION)]))
    assert np.linalg.norm(queries[0]) == pytest.approx(1, abs=1e-6)


async def test_vectors_keep_the_order_of_the_texts_over_several_requests(bench: Bench) -> None:
    embedder = an_embedder(bench, bench.manager(bench.settings(embed={})), batch=4)
    texts = [f"texto {number}" for number in range(10)]

    rows = await embedder.embed_passages(texts)

    assert [len(body["input"]) for body in asked(bench, "embed", "/v1/embeddings")] == [4, 4, 2]
    expected = unit_rows([vector_of(f"passage: {text}", DIMENSION) for text in texts])
    np.testing.assert_array_equal(rows, expected)


async def test_no_texts_give_no_rows_and_no_request(bench: Bench) -> None:
    embedder = an_embedder(bench, bench.manager(bench.settings(embed={})))

    assert (await embedder.embed_queries([])).shape == (0, DIMENSION)
    assert bench.requests("embed") == []


async def test_text_beyond_the_models_limit_is_cut_and_its_pieces_weigh_by_their_tokens(bench: Bench) -> None:
    embedder = an_embedder(bench, bench.manager(bench.settings(embed={})))  # 16 tokens; two are marks
    words = [f"palavra{number}" for number in range(17)]

    long, short = await embedder.embed_passages([" ".join(words), "curto"])

    sent = [text for body in asked(bench, "embed", "/v1/embeddings") for text in body["input"]]
    pieces = [text for text in sent if text != "passage: curto"]
    assert len(pieces) == 2
    assert " ".join(text.removeprefix("passage: ") for text in pieces) == " ".join(words)
    assert all(len(text.split()) + 2 <= 16 for text in pieces)
    weights = np.array([len(text.split()) + 2 for text in pieces], float)
    units = unit_rows([vector_of(text, DIMENSION) for text in pieces]).astype(float)
    np.testing.assert_allclose(long, unit_rows([weights @ units])[0], atol=1e-6)
    np.testing.assert_array_equal(short, unit_rows([vector_of("passage: curto", DIMENSION)])[0])


async def test_a_texts_vector_does_not_depend_on_its_neighbours(bench: Bench) -> None:
    embedder = an_embedder(bench, bench.manager(bench.settings(embed={})))
    text = "relatório de produção " * 12

    alone = await embedder.embed_passages([text])
    among = await embedder.embed_passages(["outro", text, "mais um " * 20])

    np.testing.assert_array_equal(alone[0], among[1])


async def test_text_without_content_is_refused(bench: Bench) -> None:
    embedder = an_embedder(bench, bench.manager(bench.settings(embed={})))

    with pytest.raises(BadVector):
        await embedder.embed_queries(["preço", " \n\t"])


async def test_embedder_survives_the_death_of_its_server(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={}), watch_seconds=60.0)
    embedder = an_embedder(bench, manager)
    before = await embedder.embed_queries(["preço"])
    os.kill(manager.status_of("embed").pid, signal.SIGKILL)

    np.testing.assert_array_equal(await embedder.embed_queries(["preço"]), before)


async def test_embedder_of_a_server_that_cannot_come_back_is_unavailable(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={"refuse_load": 1}), watch_seconds=60.0)
    embedder = an_embedder(bench, manager)
    await embedder.embed_queries(["preço"])
    os.kill(manager.status_of("embed").pid, signal.SIGKILL)

    with pytest.raises(ModelUnavailable):
        await embedder.embed_queries(["preço"])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": {"message": "slot unavailable"}}, "slot unavailable"),
        ({"data": [{"index": 0, "embedding": [1.0] * DIMENSION}]}, "asked for 2 vectors and got 1"),
        ({"data": [{"index": i, "embedding": [1.0] * 3} for i in (0, 1)]}, "length"),
        ({"data": [{"index": i, "embedding": [math.inf] * DIMENSION} for i in (0, 1)]}, "not finite"),
        ({"data": None}, "got none"),
        ([], "not a JSON object"),
    ],
)
async def test_answer_a_working_model_would_not_give_is_distrusted(
    bench: Bench, canned: "Canned", body: object, words: str
) -> None:
    entry = bench.settings(embed={}).models["embed"]
    canned.body = body
    embedder = OpenAIEmbedder("embed", entry, lambda suspect: canned.endpoint, batch=4, seconds=5)

    with pytest.raises(ModelUnavailable, match=words):
        await embedder.embed_queries(["um", "dois"])


async def test_server_without_a_tokenizer_is_sent_cautiously_short_pieces(
    bench: Bench, canned: "Canned"
) -> None:
    entry = bench.settings(embed={}).models["embed"].model_copy(update={"max_tokens": 20})
    embedder = OpenAIEmbedder("embed", entry, lambda suspect: canned.endpoint, batch=9, seconds=5)

    await embedder.embed_queries(["a palavra " * 10])

    assert len(canned.inputs) > 1
    assert all(len(text) <= 2 * 20 for text in canned.inputs)


async def test_proxy_of_the_environment_never_sees_a_local_request(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    embedder = an_embedder(bench, bench.manager(bench.settings(embed={})))

    assert (await embedder.embed_queries(["preço"])).shape == (1, DIMENSION)


def test_one_embedder_works_in_several_event_loops(bench: Bench) -> None:
    embedder = an_embedder(bench, bench.manager(bench.settings(embed={})))

    first = asyncio.run(embedder.embed_queries(["preço"]))
    second = asyncio.run(embedder.embed_queries(["preço"]))

    np.testing.assert_array_equal(first, second)


def test_fingerprint_tells_models_and_prefixes_apart(bench: Bench) -> None:
    entry = bench.settings(embed={}).models["embed"]

    def fingerprint(**changes: object) -> str:
        changed = entry.model_copy(update=changes)
        return OpenAIEmbedder(
            "embed", changed, lambda suspect: Endpoint("embed", "", ""), batch=1, seconds=1
        ).fingerprint

    known = {
        fingerprint(),
        fingerprint(sha256="0" * 64),
        fingerprint(query_prefix=""),
        fingerprint(max_tokens=9),
    }
    assert len(known) == 4
    assert fingerprint() == fingerprint(thresholds=entry.thresholds, context=99)


# --- answers -----------------------------------------------------------------------------------------


async def test_answer_is_asked_for_greedily_with_grammar_or_schema(bench: Bench) -> None:
    generator = a_generator(bench.manager(bench.settings(chat={"answer": "sim"})))
    schema = {"type": "object", "properties": {"a": {"type": "string"}}}

    assert await generator.complete(QUESTION, max_tokens=50, grammar='root ::= "sim" | "nao"') == "sim"
    await generator.complete(QUESTION, max_tokens=50, schema=schema)

    constrained, structured = asked(bench, "chat", "/v1/chat/completions")
    assert constrained["grammar"] == 'root ::= "sim" | "nao"'
    assert (constrained["temperature"], constrained["seed"], constrained["max_tokens"]) == (0, 0, 50)
    assert constrained["messages"][1] == {"role": "user", "content": "Quanto custa o frete?"}
    assert structured["response_format"]["json_schema"]["schema"] == schema
    assert "grammar" not in structured


async def test_stream_gives_the_pieces_in_order(bench: Bench) -> None:
    generator = a_generator(bench.manager(bench.settings(chat={"answer": "um dois tres"})))

    assert [piece async for piece in generator.stream(QUESTION, max_tokens=50)] == ["um", "dois", "tres"]


async def test_server_that_dies_in_the_middle_of_an_answer_is_unavailable_and_then_back(bench: Bench) -> None:
    manager = bench.manager(bench.settings(chat={"answer": "um dois tres quatro", "die_after": 2}))
    generator = a_generator(manager)
    got: list[str] = []

    async def read() -> None:
        async for piece in generator.stream(QUESTION, max_tokens=50):
            got.append(piece)

    with pytest.raises(ModelUnavailable):
        await read()

    assert got == ["um", "dois"]
    assert await generator.complete(QUESTION, max_tokens=50) == "um dois tres quatro"


async def test_answer_that_takes_too_long_is_given_up(bench: Bench) -> None:
    manager = bench.manager(bench.settings(chat={"slow_seconds": 30.0}))
    await asyncio.to_thread(manager.start, "chat")

    with pytest.raises(TooSlow):
        await a_generator(manager, seconds=0.3).complete(QUESTION, max_tokens=50)
    with pytest.raises(TooSlow):
        async for _ in a_generator(manager, seconds=0.3).stream(QUESTION, max_tokens=50):
            pass


async def test_limits_and_token_counts_come_from_the_server(bench: Bench) -> None:
    generator = a_generator(bench.manager(bench.settings(chat={"parallel": 2})))

    assert await generator.context_tokens() == 32  # the context is divided among two answers at a time
    assert await generator.count_tokens("quanto custa o frete") == 4


async def test_leaving_a_stream_early_is_no_error(bench: Bench) -> None:
    generator = a_generator(bench.manager(bench.settings(chat={"answer": "um dois tres"})))
    stream = generator.stream(QUESTION, max_tokens=50)

    assert await anext(stream) == "um"
    await stream.aclose()  # type: ignore[attr-defined]

    assert await generator.complete(QUESTION, max_tokens=50) == "um dois tres"


async def test_wrong_key_is_unavailable_and_not_shown(bench: Bench) -> None:
    manager = bench.manager(bench.settings(chat={}))
    good = await asyncio.to_thread(manager.endpoint, "chat")
    bad = Endpoint("chat", good.base_url, good.model, "wrong-key")

    with pytest.raises(ModelUnavailable) as caught:
        await OpenAIGenerator("chat", lambda suspect: bad, seconds=5).complete(QUESTION, max_tokens=5)
    assert "wrong-key" not in str(caught.value)


# --- pictures ----------------------------------------------------------------------------------------


def test_picture_becomes_lines_in_reading_order_with_confidences(bench: Bench) -> None:
    tokens = [("Ordem", 1.0), (" 41\n", 0.25), ("\n", 1.0), ("Total", 0.5)]
    logprobs = [{"token": text, "logprob": math.log(p)} for text, p in tokens]
    settings = bench.settings(ocr={"answer": "Ordem 41\n\nTotal", "logprobs": logprobs, "vision": True})
    manager = bench.manager(settings)
    ocr = OpenAIVision("ocr", lambda suspect: manager.endpoint("ocr", suspect), seconds=10)

    lines = ocr.read(b"\x89PNG picture")

    assert [line.text for line in lines] == ["Ordem 41", "Total"]
    assert [line.confidence for line in lines] == [pytest.approx(0.5), pytest.approx(0.5)]
    assert lines[0].box[3] < lines[1].box[1]
    image = asked(bench, "ocr", "/v1/chat/completions")[0]["messages"][0]["content"][0]["image_url"]["url"]
    assert image == "data:image/png;base64," + base64.b64encode(b"\x89PNG picture").decode()


def test_vision_server_that_died_is_started_again(bench: Bench) -> None:
    manager = bench.manager(bench.settings(ocr={"answer": "linha", "vision": True}), watch_seconds=60.0)
    ocr = OpenAIVision("ocr", lambda suspect: manager.endpoint("ocr", suspect), seconds=10)
    assert len(ocr.read(b"jpeg")) == 1
    dead = manager.status_of("ocr").pid
    os.kill(dead, signal.SIGKILL)
    wait_until(lambda: manager.status_of("ocr").state != "running")

    assert [line.text for line in ocr.read(b"jpeg")] == ["linha"]


# --- a server that says exactly what a test wants ------------------------------------------------------


class Canned:
    """An OpenAI-compatible server that is no llama-server: it embeds, or gives one fixed body."""

    def __init__(self) -> None:
        self.body: object = None
        self.inputs: list[str] = []
        self.endpoint = Endpoint("embed", "", "m")

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        import json

        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(
            (
                int(line.split(":")[1])
                for line in head.splitlines()
                if line.lower().startswith("content-length")
            ),
            0,
        )
        sent = json.loads(await reader.readexactly(length)) if length else {}
        known = "/embeddings" in head.splitlines()[0]
        answer = self.body
        if known and self.body is None:
            self.inputs += sent["input"]
            answer = {
                "data": [
                    {"index": i, "embedding": vector_of(t, DIMENSION)} for i, t in enumerate(sent["input"])
                ]
            }
        data = json.dumps(answer if known else {"error": "no such route"}).encode()
        status = "200 OK" if known else "404 Not Found"
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nConnection: close\r\n"
            f"Content-Length: {len(data)}\r\n\r\n".encode()
            + data
        )
        await writer.drain()
        writer.close()


@pytest.fixture
async def canned() -> AsyncIterator[Canned]:
    made = Canned()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.endpoint = Endpoint(
        "embed", f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", "m", managed=False
    )
    yield made
    server.close()
