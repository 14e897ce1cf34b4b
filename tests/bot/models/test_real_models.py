"""The real llama-server with the real demo models: what the stand-in cannot show."""

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import numpy as np
import pytest
from psutil import process_iter

from bot.config import load_settings
from bot.models.clients import OpenAIEmbedder, OpenAIGenerator
from bot.models.servers import ServerManager
from core.errors import ModelUnavailable
from core.ports import Message
from core.vectors import row_dots
from tests.bot.models.conftest import wait_until

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def manager(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerManager]:
    settings = load_settings()
    with ServerManager(settings, tmp_path_factory.mktemp("home")) as made:
        yield made


@pytest.fixture
async def embedder(manager: ServerManager) -> AsyncIterator[OpenAIEmbedder]:
    settings = load_settings()
    name = settings.servers.embed.model
    made = OpenAIEmbedder(
        name, settings.models[name], lambda suspect: manager.endpoint("embed", suspect), batch=8, seconds=60
    )
    yield made
    await made.close()


async def test_same_meaning_in_two_languages_is_nearer_than_another_topic(embedder: OpenAIEmbedder) -> None:
    passages = await embedder.embed_passages(
        [
            "O reembolso de viagens é pago em até dez dias úteis após a entrega dos recibos.",
            "A bomba da linha dois deve ser lubrificada a cada duzentas horas de uso.",
        ]
    )
    question = (await embedder.embed_queries(["When are travel expenses paid back?"]))[0]

    near, far = row_dots(passages, question)
    assert near > far + 0.02


async def test_vector_is_the_same_alone_and_among_others(embedder: OpenAIEmbedder) -> None:
    texts = [f"O setor {n} produziu {n * 137} litros de leite em março, segundo o boletim." for n in range(9)]

    among = await embedder.embed_passages(texts)
    alone = await embedder.embed_passages([texts[6]])

    np.testing.assert_array_equal(among[6], alone[0])


async def test_text_longer_than_the_model_reads_still_has_its_meaning(embedder: OpenAIEmbedder) -> None:
    long = "O reembolso de viagens é pago em até dez dias úteis após a entrega dos recibos. " * 60
    other = "A bomba da linha dois deve ser lubrificada a cada duzentas horas de uso. " * 60
    rows = await embedder.embed_passages([long, other])
    question = (await embedder.embed_queries(["Quando o reembolso de viagem é pago?"]))[0]

    assert np.linalg.norm(rows, axis=1) == pytest.approx(np.ones(2), abs=1e-6)
    near, far = row_dots(rows, question)
    assert near > far


async def test_embedder_goes_on_after_its_server_was_killed(
    manager: ServerManager, embedder: OpenAIEmbedder
) -> None:
    before = await embedder.embed_queries(["quanto custa o frete"])
    os.kill(manager.status_of("embed").pid, signal.SIGKILL)

    np.testing.assert_array_equal(await embedder.embed_queries(["quanto custa o frete"]), before)


@pytest.mark.slow
async def test_chat_model_answers_from_evidence_keeps_to_a_grammar_and_survives_a_kill(
    manager: ServerManager,
) -> None:
    generator = OpenAIGenerator("chat", lambda suspect: manager.endpoint("chat", suspect), seconds=120)
    evidence = "Evidence: the workshop opens at 7:30 and closes at 16:45.\nQuestion: when does it close?"
    question = [Message("user", evidence)]

    assert "16:45" in await generator.complete(question, max_tokens=40)
    verdict = await generator.complete(
        [Message("user", "Is 16:45 later than 7:30? yes or no")],
        max_tokens=5,
        grammar='root ::= "yes" | "no"',
    )
    assert verdict in ("yes", "no")
    assert await generator.context_tokens() == load_settings().models[manager.role("chat").model].context
    assert 3 <= await generator.count_tokens("quanto custa o frete") <= 10

    pieces = 0

    async def read() -> None:
        nonlocal pieces
        async for _ in generator.stream([Message("user", "Write a long story about a cow.")], max_tokens=200):
            pieces += 1
            if pieces == 3:
                os.kill(manager.status_of("chat").pid, signal.SIGKILL)

    with pytest.raises(ModelUnavailable):
        await read()
    assert "16:45" in await generator.complete(question, max_tokens=40)
    await generator.close()


def test_ctrl_c_while_a_real_server_starts_leaves_nothing(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from bot.config import load_settings; "
        "from bot.models.servers import ServerManager; "
        "ServerManager(load_settings(), Path(sys.argv[1])).start('embed')"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)],
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[3],
    )
    wait_until(lambda: child.poll() is not None or (tmp_path / "run" / "embed.log").exists())
    child.send_signal(signal.SIGINT)
    child.wait(60)

    def left() -> bool:
        words = (word for process in process_iter(["cmdline"]) for word in process.info["cmdline"] or ())
        return any(str(tmp_path) in word for word in words)

    wait_until(lambda: not left())
