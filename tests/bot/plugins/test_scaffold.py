"""`polyrag plugins new` writes a plugin that loads and whose own test passes, without network or model."""

import os
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from bot.plugins.manager import GROUP, PluginManager
from bot.plugins.scaffold import BadPluginName, FolderTaken, NameTaken, plugin_files, write_plugin
from core.settings import PluginSettings, Settings

ROOT = Path(__file__).resolve().parents[3]


def test_the_written_plugins_own_tests_pass(tmp_path: Path) -> None:
    folder = write_plugin("word-count", tmp_path)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "POLYRAG_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout


def test_the_entry_point_loads_as_an_active_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write_plugin("word-count", tmp_path)
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    ((name, value),) = project["project"]["entry-points"][GROUP].items()
    monkeypatch.syspath_prepend(str(folder))
    plugins = PluginManager(Settings(plugins=PluginSettings(allow=(name,))), ())
    plugins.load_entry_points([EntryPoint(name, value, GROUP)])

    assert [(info.name, info.state) for info in plugins.infos()] == [("word-count", "active")]
    assert [spec.name for spec in plugins.gather("register_commands")] == ["word-count"]


@pytest.mark.parametrize(
    "name", ["", "Word", "2fast", "a_b", "a--b", "a-", "../evil", "ação", "a b", "x" + "/y"]
)
def test_a_name_that_makes_no_package_is_refused_before_anything_is_written(
    tmp_path: Path, name: str
) -> None:
    with pytest.raises(BadPluginName):
        write_plugin(name, tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there_is_left_as_it_is(tmp_path: Path) -> None:
    folder = write_plugin("mine", tmp_path)
    (folder / "README.md").write_text("my own words", encoding="utf-8")

    with pytest.raises(FolderTaken):
        write_plugin("mine", tmp_path)
    assert (folder / "README.md").read_text(encoding="utf-8") == "my own words"


def test_a_command_of_that_name_is_there_already(tmp_path: Path) -> None:
    with pytest.raises(NameTaken):
        write_plugin("ask", tmp_path, {"ask"})


def test_nothing_is_left_to_fill_in() -> None:
    for text in plugin_files("word-count").values():
        assert "@" not in text.replace("@hookimpl", "")
