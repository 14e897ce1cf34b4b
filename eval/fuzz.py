"""`polyrag eval fuzz`: broken files by the thousand. Whatever the bytes, a file is read or refused; nothing else may happen.

Mutation number n of a seed is the same in every run, so a finding is repeated by its number. The files are read in
a child process: one that crashes it or holds it up is written down, and the next child goes on behind it.
"""

import io
import random
import resource
import subprocess
import sys
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import psutil

from core.errors import FileRejected
from core.ingest.chunk import build_chunks
from core.ingest.load import BUILTIN_PARSERS, read_file
from core.ingest.load.ocr import open_picture
from core.ingest.tables import build_tables
from core.ports import OcrLine, ReadLimits
from core.types import Loaded
from eval.samples import samples, zipped

SECONDS = 20.0  # of the processor, for one small file
MEMORY = 4 * 1024**3  # address space of the child
_LARGEST = 400_000  # bytes of a sample
_LIMITS = ReadLimits(max_bytes=5_000_000, max_pages=200, max_cells=2_000_000)
_PATIENCE = 10  # times the limit that a child may wait for the processor, and for what else it waits
_GOOD = ("loaded", "refused")


class PlainOcr:
    """Opens every picture as the embedded OCR does, and always reads the same line."""

    name = "plain"

    def read(self, image: bytes) -> tuple[OcrLine, ...]:
        picture = open_picture(image)
        return (OcrLine("uma linha de texto clara", 0.9, (5.0, 5.0, picture.width - 5.0, 30.0)),)


def fuzz(
    count: int,
    seed: int,
    tell: Callable[[str, int, int], None],
    *,
    folder: Path | None = None,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Read `count` mutated files. Args: folder: sample files; without one they are made here.

    Returns: outcomes by name, and every file that was neither read nor refused with its number and what happened.
    """
    outcomes: Counter[str] = Counter()
    findings: list[dict[str, Any]] = []
    at = 0
    while at < count:
        for number, outcome in _child(seed, at, count, folder, seconds):
            outcomes[outcome.split(" ", 1)[0].split(":", 1)[0]] += 1
            if not outcome.startswith(_GOOD):
                findings.append({"number": number, "outcome": outcome})
            at = number + 1
            tell("fuzz", at, count)
    return {"files": count, "seed": seed, "outcomes": dict(sorted(outcomes.items())), "findings": findings}


def _child(
    seed: int, start: int, count: int, folder: Path | None, seconds: float
) -> Iterator[tuple[int, str]]:
    """Outcomes of one child until it is done, dies or hangs."""
    command = [sys.executable, "-m", "eval.fuzz", str(seed), str(start), str(count), str(folder or "")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
        lines: Queue[str | None] = Queue()
        threading.Thread(target=_pump, args=(child, lines), daemon=True).start()
        for number in range(start, count):
            line, hung = _next(lines, child.pid, seconds)
            if hung:
                child.kill()
                yield number, f"hang: over {seconds:g} s"
                return
            yield number, f"crash: exit code {child.wait()}" if line is None else line.strip()
            if line is None:
                return


def _next(lines: "Queue[str | None]", pid: int, seconds: float) -> tuple[str | None, bool]:
    """The child's next line, and whether it hangs: by its own time where the machine is busy with others."""
    before = _cpu(pid)
    for _ in range(_PATIENCE):
        try:
            return lines.get(timeout=seconds), False
        except Empty:
            if _cpu(pid) - before > seconds:
                return None, True
    return None, True


def _cpu(pid: int) -> float:
    """Processor seconds of a process; none of one that is gone."""
    try:
        spent = psutil.Process(pid).cpu_times()
    except psutil.NoSuchProcess:
        return 0.0
    return float(spent.user + spent.system)


def _pump(child: "subprocess.Popen[str]", lines: "Queue[str | None]") -> None:
    assert child.stdout is not None  # it was asked for
    for line in child.stdout:
        lines.put(line)
    lines.put(None)


# --- inside the child -------------------------------------------------------------------------------


def outcome_of(data: bytes, name: str) -> str:
    """ "loaded kind", "refused Error", or what else happened."""
    try:
        loaded = read_file(data, name, BUILTIN_PARSERS, _LIMITS, PlainOcr())
    except FileRejected as refusal:
        for language in ("pt", "en"):
            refusal.say(language)
        return f"refused {type(refusal).__name__}"
    except BaseException as err:
        return f"error: {type(err).__name__}: {err}".replace("\n", " ")[:300]
    return _kept(loaded)


def _kept(loaded: Loaded) -> str:
    """Typing and cutting must hold for whatever a reader lets through."""
    try:
        tables = build_tables(loaded, "fuzz")
        chunks = build_chunks(loaded, tables, "fuzz", characters=900)
    except BaseException as err:
        return f"error: {type(err).__name__}: {err}".replace("\n", " ")[:300]
    places = [item.locator.ordinal for item in loaded.items]
    if not loaded.items or not (tables or chunks):
        return "error: a document without content"
    if len(set(places)) != len(places) or any(len(chunk.text) > 1_500 for chunk in chunks):
        return "error: places or passages out of bounds"
    return f"loaded {loaded.media}"


def mutated(number: int, seed: int, files: Mapping[str, bytes]) -> tuple[str, bytes]:
    """Mutation `number`: a name and bytes."""
    dice = random.Random(f"{seed}/{number}")
    names = sorted(files)
    name, other = names[number % len(names)], dice.choice(names)
    data = files[name]
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        data = dice.choice(_MUTATIONS)(data, files[other], dice)
    if files[name].startswith(b"PK") and dice.random() < 0.5:
        data = _inside(files[name], files[other], dice)
    return (name if dice.random() < 0.85 else other), data


def _flips(data: bytes, other: bytes, dice: random.Random) -> bytes:
    raw = bytearray(data)
    for _ in range(dice.randint(1, 24) if raw else 0):
        raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
    return bytes(raw)


def _cut(data: bytes, other: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


def _spliced(data: bytes, other: bytes, dice: random.Random) -> bytes:
    return data[: dice.randrange(len(data) + 1)] + other[dice.randrange(len(other) + 1) :]


def _inserted(data: bytes, other: bytes, dice: random.Random) -> bytes:
    at, start = dice.randrange(len(data) + 1), dice.randrange(len(other) + 1)
    return data[:at] + other[start : start + dice.randint(1, 400)] + data[at:]


def _headed(data: bytes, other: bytes, dice: random.Random) -> bytes:
    length = dice.choice((4, 8, 16, 64, 512))
    return other[:length] + data[length:]


def _repeated(data: bytes, other: bytes, dice: random.Random) -> bytes:
    at = dice.randrange(len(data) + 1)
    piece = data[at : at + dice.randint(1, 200)]
    return data[:at] + piece * dice.randint(2, 300) + data[at:]


def _blanked(data: bytes, other: bytes, dice: random.Random) -> bytes:
    at, length = dice.randrange(len(data) + 1), dice.randint(1, 200)
    filler = dice.choice((b"\0", b"\xff", b"9", b"<", b"{", b'"', b"\n"))
    return data[:at] + filler * length + data[at + length :]


def _renumbered(data: bytes, other: bytes, dice: random.Random) -> bytes:
    """Digits become other digits: counts, offsets and sizes that no longer fit."""
    raw = bytearray(data)
    places = [at for at, byte in enumerate(raw[:50_000]) if 48 <= byte <= 57]
    for at in dice.sample(places, min(len(places), dice.randint(1, 12))):
        raw[at] = 48 + dice.randrange(10)
    return bytes(raw)


_MUTATIONS = (_flips, _cut, _spliced, _inserted, _headed, _repeated, _blanked, _renumbered)


def _inside(data: bytes, other: bytes, dice: random.Random) -> bytes:
    """One member of an archive mutated and packed again: the damage gets past the checksum."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    name = dice.choice(sorted(members))
    if dice.random() < 0.1:
        del members[name]
    else:
        members[name] = dice.choice(_MUTATIONS)(members[name], other, dice)
    return zipped(members)


def _files(folder: str) -> dict[str, bytes]:
    if not folder:
        return samples()
    paths = sorted(path for path in Path(folder).rglob("*") if path.is_file())
    return {path.name: path.read_bytes() for path in paths if 0 < path.stat().st_size <= _LARGEST}


def _main(seed: int, start: int, count: int, folder: str) -> None:
    files = _files(folder)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    for number in range(start, count):
        name, data = mutated(number, seed, files)
        print(f"{outcome_of(data, name)}", flush=True)


if __name__ == "__main__":
    _main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "")
