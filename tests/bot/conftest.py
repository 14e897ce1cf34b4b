"""The program as its users run it: a configuration, a home, files, and a stand-in embedder that comes in as a plugin."""

import os
import subprocess
import sys
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from bot.cli import main

ROOT = Path(__file__).resolve().parents[2]
CONFIG = """
language: pt
profile: test
profiles:
  test:
    embed: {provider: stand-in, model: multilingual-e5-small}
plugins: {allow: [stand-in]}
answer: {mode: extractive}
permissions: {admins: [root]}
channels:
  geral: {visibility: public, members: [ana, bia]}
  rh: {visibility: private, members: [ana]}
router:
  thresholds: {route_high: 0.45, route_low: 0.2, route_margin: 0.05, abstain_dense: 0.2, abstain_coverage: 0.3}
"""
PLUGIN = """
from bot.plugins.spec import EmbedderSpec, hookimpl
from bot.testkit import StandInEmbedder


@hookimpl
def register_embedders(settings):
    return (EmbedderSpec("stand-in", lambda context: StandInEmbedder()),)
"""
FILES = {
    "docs/viagens.md": "# Viagens\n\nA viagem internacional é pedida com 30 dias de antecedência.\n",
    "docs/sub/vendas.csv": "produto;regiao;receita\nfio;Sul;1.234,50\nfio;Norte;987,10\nrenda;Sul;12,50\n",
    "docs/.oculto.md": "# Oculto\n\nNão é para ler.\n",
    "ruins/vazio.txt": "",
    "ruins/bom.md": "# Copa\n\nA copa fecha às 18h.\n",
    "secreto/salarios.md": "# Salários\n\nO salário base do gerente é R$ 18.400,00.\n",
}


@dataclass(frozen=True, slots=True)
class Done:
    """How a run ended."""

    returncode: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Program:
    """`polyrag` in a folder of its own."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def command(self) -> list[str]:
        return [sys.executable, "-m", "bot.cli"]

    @property
    def environment(self) -> dict[str, str]:
        own = {
            "PYTHONPATH": os.pathsep.join([str(self.folder / "site"), str(ROOT)]),
            "POLYRAG_HOME": str(self.home),
            "POLYRAG_CACHE": str(self.folder / "cache"),
            "PYTHONUTF8": "1",
        }
        return {**os.environ, **own}

    def start(self, arguments: Sequence[str], **more: object) -> "subprocess.Popen[str]":
        """The program as a process of its own, with the configuration of these tests."""
        return subprocess.Popen(
            [*self.command, "--config", str(self.folder / "config.yaml"), *arguments],
            cwd=self.folder, env=self.environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, **more,
        )  # fmt: skip

    def run(self, *arguments: str) -> Done:
        """Run to the end in this process: the same program without the time that loading it takes."""
        out, err = StringIO(), StringIO()
        words = ["--config", str(self.folder / "config.yaml"), *arguments]
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
            patch.chdir(self.folder)
            patch.syspath_prepend(str(self.folder / "site"))
            for name in ("POLYRAG_HOME", "POLYRAG_CACHE"):
                patch.setenv(name, self.environment[name])
            try:
                code = main(words)
            except SystemExit as leaving:
                code = int(leaving.code or 0)
        return Done(code, out.getvalue(), err.getvalue())

    def talk(self, *arguments: str, typed: str = "") -> Done:
        """Run to the end in a process of its own, with these lines on its stdin."""
        process = self.start(arguments)
        out, err = process.communicate(typed, timeout=120)
        return Done(process.returncode, out, err)


def make_program(folder: Path) -> Program:
    """Write the plugin (as pip would install it), the configuration and the files."""
    installed = folder / "site" / "stand_in-1.0.dist-info"
    installed.mkdir(parents=True)
    (folder / "site" / "stand_in.py").write_text(PLUGIN, encoding="utf-8")
    (installed / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: stand-in\nVersion: 1.0\n", encoding="utf-8"
    )
    (installed / "entry_points.txt").write_text("[polyrag.plugins]\nstand-in = stand_in\n", encoding="utf-8")
    (folder / "config.yaml").write_text(CONFIG, encoding="utf-8")
    (folder / "demo.yaml").write_text("language: pt\nprofile: demo\n", encoding="utf-8")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Program(folder)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Program:
    """A home that already knows the files: two public ones and a private one."""
    made = make_program(tmp_path_factory.mktemp("program"))
    done = made.run("ingest", "docs", "--channel", "geral", "--user", "ana")
    assert done.returncode == 0, done
    assert made.run("ingest", "secreto", "--channel", "rh", "--user", "ana").returncode == 0
    return made


@pytest.fixture
def fresh_program(tmp_path: Path) -> Program:
    """A home that does not exist yet."""
    return make_program(tmp_path)
