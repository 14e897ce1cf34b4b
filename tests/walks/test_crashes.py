"""Killed at any instant, an ingest leaves nothing lost, doubled or half visible; running it again repairs."""

import random
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest
import sqlalchemy as sa

from core.stores import schema as rows
from core.stores.graph import GraphStore
from core.stores.ledger import Ledger
from core.stores.relational.store import RelationalStore
from core.stores.text.store import TextStore
from core.types import Scope
from tests.fakes import HashEmbedder, a_query
from tests.walks.bench import THRESHOLDS, settings_for_tests

# Reading is not what is killed here, and a process for it would only cost each of the many runs a second.
CONFIG = "channels:\n  geral: {visibility: public, members: [ana]}\ningest: {readers: 0}\n"
FILES = {
    "1_ferias.md": "# Férias\n\nA Diretoria aprova férias acima de 30 dias.\n\nO pedido é feito com 40 dias.\n",
    "2_vendas.csv": "cidade;receita\nAroeira;10,50\nBuriti;20,25\n",
    "3_linhas.md": "# Linhas\n\nA linha L1 depende da bomba B-7.\n\nA bomba B-7 é mantida pela Oficina Norte.\n",
}
NEWER = {"1_ferias.md": "# Férias\n\nA Gerência aprova férias acima de 20 dias.\n"}
ROOT = Path(__file__).parent.parent.parent
SECONDS = 120
AT_ONCE = 2  # runs, each in a process and a home of its own


def run(tmp_path: Path, home: Path, *kill: str, folder: str = "in") -> subprocess.CompletedProcess[str]:
    words = [
        sys.executable,
        "-m",
        "tests.walks.crash_run",
        str(home),
        str(tmp_path / "c.yaml"),
        str(tmp_path / folder),
    ]
    return subprocess.run([*words, *kill], cwd=ROOT, capture_output=True, text=True, timeout=SECONDS)


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    (tmp_path / "c.yaml").write_text(CONFIG)
    for folder, files in (("in", FILES), ("newer", FILES | NEWER)):
        (tmp_path / folder).mkdir()
        for name, text in files.items():
            (tmp_path / folder / name).write_text(text)
    return tmp_path


def contents(home: Path) -> object:
    """Everything a home holds, but for the times of its uploads."""
    settings = settings_for_tests()
    (stores,) = (home / "stores").iterdir()
    ledger = Ledger(f"sqlite:///{home / 'polyrag.db'}")
    graph = GraphStore(stores / "graph" / "graph.db", settings.retrieval, THRESHOLDS)
    relational = RelationalStore(f"sqlite:///{stores / 'relational' / 'tables.db'}", rows=200, seconds=10)
    text = TextStore.open(
        stores / "text",
        settings.stores.text,
        settings.retrieval,
        256,
        fingerprint=HashEmbedder().fingerprint,
    )
    view = ledger.view(Scope(frozenset({"console:local/geral"})))
    with ledger.engine.connect() as connection:
        chunks = connection.execute(sa.select(rows.chunks).order_by(rows.chunks.c.id)).all()
        documents = connection.execute(sa.select(rows.documents).order_by(rows.documents.c.id)).all()
    found = {
        "placements": [(p.tag, p.name, p.document, p.version) for p in view.placements],
        "documents": [tuple(row) for row in documents],
        "chunks": [tuple(row) for row in chunks],
        "unfinished": ledger.unfinished(),
        "held": [sorted(graph.held()), sorted(relational.held()), sorted(text.held())],
        "graph": [
            (p.chunk_id, p.score) for p in graph.search(a_query("quem mantém a bomba B-7?"), view, 9).passages
        ],
        "rows": [
            p.result.rows for p in relational.search(a_query("receita total"), view, 9).passages if p.result
        ],
        "text": [
            (p.chunk_id, p.score) for p in text.search(a_query("aprova férias acima"), view, 9).passages
        ],
    }
    text.close()
    graph.close()
    relational.close()
    ledger.close()
    return found


@dataclass(frozen=True)
class Clean:
    """Two undisturbed runs, the second with a newer version of a file: the home after each, and their transitions."""

    first: Path
    first_steps: int
    steps: int
    contents: object


@pytest.fixture
def clean(inbox: Path) -> Clean:
    home = inbox / "clean"
    first_steps = finished(inbox, home)
    shutil.copytree(home, inbox / "first")
    second_steps = finished(inbox, home, "newer")
    return Clean(inbox / "first", first_steps, first_steps + second_steps, contents(home))


def finished(inbox: Path, home: Path, folder: str = "in") -> int:
    """Run to the end; the number of transitions."""
    done = run(inbox, home, folder=folder)
    assert done.returncode == 0, done.stderr
    return int(re.findall(r"transitions (\d+)", done.stdout)[0])


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_killed_at_every_state_transition_and_run_again_the_stores_are_those_of_a_clean_run(
    inbox: Path, clean: Clean
) -> None:
    cases = [(at, moment) for at in range(1, clean.steps + 1) for moment in ("before", "after")]
    assert len(cases) > 20
    with ThreadPoolExecutor(AT_ONCE) as pool:
        homes = pool.map(lambda case: killed_and_run_again(inbox, clean, *case), cases)
        for (at, moment), home in zip(cases, homes, strict=True):
            assert contents(home) == clean.contents, f"transition {at}, {moment}"


def killed_and_run_again(inbox: Path, clean: Clean, at: int, moment: str) -> Path:
    """A home of its own that was killed at one transition of the first or the second run, and then finished."""
    home = inbox / f"kill{at}{moment}"
    in_first = at <= clean.first_steps
    if not in_first:
        shutil.copytree(clean.first, home)
    step = at if in_first else at - clean.first_steps
    done = run(inbox, home, str(step), moment, folder="in" if in_first else "newer")
    assert done.returncode == -9, done.stderr
    if in_first:
        finished(inbox, home)
    finished(inbox, home, "newer")
    return home


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_killed_at_twenty_random_moments_and_run_again_the_stores_are_those_of_a_clean_run(
    inbox: Path, clean: Clean
) -> None:
    moments = random.Random(20)
    words = [
        sys.executable,
        "-m",
        "tests.walks.crash_run",
        str(inbox / "home"),
        str(inbox / "c.yaml"),
        str(inbox / "in"),
    ]
    for _ in range(20):
        with subprocess.Popen(
            words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(moments.uniform(0.5, 4.0))
            process.kill()
    finished(inbox, inbox / "home")
    finished(inbox, inbox / "home", "newer")
    assert contents(inbox / "home") == clean.contents
