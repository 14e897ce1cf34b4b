"""A file may hang its reader, eat all memory or kill it: it is refused with a reason, and the next file is read."""

import asyncio
import io
import os
import time
from hashlib import sha256

import pytest
from reportlab.pdfgen.canvas import Canvas

from bot.reading import _IDLE, ReaderPool
from core.errors import (
    FileRejected,
    HeavyFile,
    ModelUnavailable,
    PolyragError,
    ReaderCrashed,
    SlowFile,
)
from core.ingest.load import BUILTIN_PARSERS
from core.ingest.make import Made, ReadOrder, make
from core.ports import Ocr, OcrLine, Parser, ReadLimits, silent
from core.settings import IngestSettings
from core.types import Block
from tests.bot.misbehaving import Misbehaving

SETTINGS = IngestSettings(max_seconds=2.0, max_memory_mib=512, readers=2)
PARSERS: tuple[Parser, ...] = (*BUILTIN_PARSERS, Misbehaving())


def order(text: str, name: str = "a.bad") -> ReadOrder:
    data = text.encode()
    return ReadOrder(name, sha256(data).hexdigest(), 900, ReadLimits(), data)


def read(pool: ReaderPool, text: str, name: str = "a.bad") -> Made:
    return asyncio.run(pool(order(text, name), silent))


def pool(ocr: Ocr | None = None, parsers: tuple[Parser, ...] = PARSERS) -> ReaderPool:
    return ReaderPool(parsers, SETTINGS, ocr)


def process_of(made: Made) -> int:
    (block,) = made.loaded.items
    assert isinstance(block, Block)
    return int(block.text.split()[-1])


@pytest.mark.parametrize(
    ("what", "kind"),
    [
        ("hang", SlowFile),
        ("spin", SlowFile),
        ("eat", HeavyFile),
        ("gulp", HeavyFile),
        ("exit", ReaderCrashed),
        ("kill", ReaderCrashed),
        ("forge", ReaderCrashed),
    ],
)
def test_what_a_file_does_to_its_reader_refuses_that_file_and_the_next_one_is_read(
    what: str, kind: type[FileRejected]
) -> None:
    readers, started = pool(), time.monotonic()

    with pytest.raises(kind) as caught:
        read(readers, what)

    assert time.monotonic() - started < 60
    assert all("{" not in caught.value.say(language) for language in ("pt", "en"))
    assert process_of(read(readers, "fine text")) != os.getpid()


def test_a_reader_process_is_used_again() -> None:
    readers = pool()

    assert process_of(read(readers, "fine one")) == process_of(read(readers, "fine two"))


def test_a_document_made_elsewhere_equals_one_made_here() -> None:
    text = "# Viagens\n\nA Diretoria aprova viagens.\n\n| cidade | custo |\n|---|---|\n| Aroeira | 10,50 |\n| Buriti | 9,00 |\n"
    wanted = make(order(text, "v.md"), PARSERS, None)

    made = read(pool(), text, "v.md")

    assert made == wanted
    assert made.tables
    assert made.pieces
    assert any(made.relations)


def test_a_reader_process_knows_no_token_of_the_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-secret")
    _IDLE.close()

    made = read(pool(), "env SLACK_BOT_TOKEN")

    assert made.pieces[0].text.startswith("None in ")


def test_progress_comes_through_page_by_page() -> None:
    told: list[tuple[str, int, int]] = []

    asyncio.run(pool()(order("fine text"), lambda *step: told.append(step)))

    assert told[0] == ("read", 1, 3)
    assert told[-1] == ("read", 3, 3)


def test_the_pages_of_a_long_pdf_are_told_as_they_are_read() -> None:
    told: list[tuple[str, int, int]] = []
    data = pages(60)
    made = ReadOrder("a.pdf", sha256(data).hexdigest(), 900, ReadLimits(), data)

    asyncio.run(pool()(made, lambda *step: told.append(step)))

    assert told[-1] == ("read", 60, 60)
    assert [done for _, done, _ in told] == sorted({done for _, done, _ in told})
    assert len(told) > 1


def pages(count: int) -> bytes:
    """A PDF with so many pages of a line each."""
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pagesize=(300, 200))
    for number in range(count):
        canvas.drawString(40, 100, f"Page {number} speaks of the pump in hall {number}.")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def test_a_plugins_own_refusal_keeps_its_sentence() -> None:
    with pytest.raises(FileRejected) as caught:
        read(pool(), "refuse mondays")

    assert caught.value.say("en") == "I do not like mondays."
    assert caught.value.say("pt") == "Não gosto de mondays."


class Seeing:
    """A model server that only this process can reach."""

    name = "glm"

    def __init__(self) -> None:
        self.seen: list[int] = []

    def read(self, image: bytes) -> tuple[OcrLine, ...]:
        self.seen.append(os.getpid())
        if image == b"dark":
            raise ModelUnavailable("asleep")
        return (OcrLine(image.decode().upper(), 0.9, (0, 0, 1, 1)),)


def test_pictures_for_a_model_server_are_read_by_the_parent() -> None:
    server = Seeing()

    made = read(pool(server), "see stop")

    assert made.pieces[0].text.startswith("STOP in ")
    assert server.seen == [os.getpid()]


def test_a_model_server_that_is_down_is_not_the_files_fault() -> None:
    with pytest.raises(ModelUnavailable):
        read(pool(Seeing()), "see dark")


def test_a_parser_that_cannot_travel_reads_its_own_files_here_and_no_others() -> None:
    def hidden() -> type[Misbehaving]:
        class Inside(Misbehaving):
            name = "inside"

            def accepts(self, data: bytes, name: str) -> float:
                return 1.0 if name.endswith(".here") else 0.0

        return Inside

    readers = pool(parsers=(*PARSERS, hidden()()))

    assert process_of(read(readers, "fine text", "a.here")) == os.getpid()
    assert process_of(read(readers, "fine text", "a.bad")) != os.getpid()


def test_a_read_that_is_called_off_ends_its_process() -> None:
    readers = ReaderPool(PARSERS, IngestSettings(max_seconds=60.0, readers=1), None)

    async def give_up() -> None:
        task = asyncio.create_task(readers(order("hang"), silent))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(readers(order("fine text"), silent), 20)

    asyncio.run(give_up())


def test_no_more_files_are_read_at_a_time_than_configured() -> None:
    readers = ReaderPool(PARSERS, IngestSettings(max_seconds=20.0, readers=1), None)

    async def two() -> list[Made]:
        return await asyncio.gather(readers(order("fine a"), silent), readers(order("fine b"), silent))

    first, second = asyncio.run(two())
    assert process_of(first) == process_of(second)


@pytest.fixture
def orphan() -> int:
    """A reader process whose parent has been killed."""
    import signal
    import subprocess
    import sys

    code = (
        "import time\nfrom bot.reading import Child\nfrom tests.bot.misbehaving import Misbehaving\n"
        "child = Child()\nprint(child._process.pid, flush=True)\ntime.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
    return child


def test_a_reader_process_does_not_outlive_a_bot_that_was_killed(orphan: int) -> None:
    import psutil

    for _ in range(100):
        if not psutil.pid_exists(orphan) or psutil.Process(orphan).status() == psutil.STATUS_ZOMBIE:
            return
        time.sleep(0.1)
    pytest.fail("the reader process is still there")


def test_errors_carry_no_path_or_exception_text() -> None:
    for kind in (SlowFile, HeavyFile, ReaderCrashed):
        error: PolyragError = kind("ValueError in /tmp/x", seconds=3)
        assert "/tmp" not in error.say("en") + error.say("pt")
