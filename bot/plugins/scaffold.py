"""Write the beginning of a plugin: a package that installs, loads, and has a test that passes."""

import re
from collections.abc import Collection
from pathlib import Path
from textwrap import dedent

from bot.plugins.manager import GROUP
from bot.plugins.spec import API_VERSION
from core.errors import PolyragError

_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


class BadPluginName(PolyragError):
    messages = {
        "en": "{name!r} is no name for a plugin: use lower-case letters, digits and single hyphens, a letter first.",
        "pt": "{name!r} não serve de nome para um plugin: use letras minúsculas, dígitos e hífens simples, começando "
        "por letra.",
    }


class NameTaken(PolyragError):
    messages = {
        "en": "The bot already has a command called {name!r}; choose another name.",
        "pt": "O bot já tem um comando chamado {name!r}; escolha outro nome.",
    }


class FolderTaken(PolyragError):
    messages = {
        "en": "{folder} is there already and is left as it is.",
        "pt": "{folder} já existe e fica como está.",
    }


def write_plugin(name: str, into: Path, commands: Collection[str] = ()) -> Path:
    """Write `<into>/polyrag-<name>/` and return it.

    Args:
        commands: names that commands have already; the plugin brings one of its own name.
    Raises: BadPluginName, NameTaken, FolderTaken; before anything is written.
    """
    if not _NAME.fullmatch(name):
        raise BadPluginName(name, name=name)
    if name in commands:
        raise NameTaken(name, name=name)
    folder = into / f"polyrag-{name}"
    if folder.exists():
        raise FolderTaken(str(folder), folder=str(folder))
    for relative, text in plugin_files(name).items():
        path = folder / relative
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def plugin_files(name: str) -> dict[str, str]:
    """Relative path -> content."""
    module = f"polyrag_{name.replace('-', '_')}"
    fill = {"@NAME@": name, "@MODULE@": module, "@GROUP@": GROUP, "@API@": str(API_VERSION)}

    def filled(template: str) -> str:
        text = dedent(template).lstrip("\n")
        for mark, value in fill.items():
            text = text.replace(mark, value)
        return text

    return {
        "pyproject.toml": filled(_PROJECT),
        "README.md": filled(_README),
        f"{module}/__init__.py": filled(_PLUGIN),
        f"tests/test_{module}.py": filled(_TEST),
    }


_PROJECT = """
    [build-system]
    requires = ["setuptools>=77"]
    build-backend = "setuptools.build_meta"

    [project]
    name = "polyrag-@NAME@"
    version = "0.1.0"
    requires-python = ">=3.11"
    dependencies = ["polyrag-bot"]

    [project.entry-points."@GROUP@"]
    @NAME@ = "@MODULE@"

    [tool.setuptools]
    packages = ["@MODULE@"]

    [tool.pytest.ini_options]
    pythonpath = ["."]
    testpaths = ["tests"]
"""

_README = """
    # polyrag-@NAME@

    A plugin for PolyRAG Bot. Install it beside the bot and allow it in the configuration:

        pip install -e .

        plugins:
          allow: [@NAME@]

    Then `polyrag plugins list` shows it, and so does `/plugins` in a chat. Test: `python -m pytest`.

    `@MODULE@/__init__.py` implements two of the hooks; all of them stand in `bot/plugins/spec.py` of PolyRAG Bot. Keep the
    hooks you need and delete the others. A hook that raises, or takes too long, loses its own result and stops nothing
    else; `narrow_scope` is the exception: there, a failure denies.
"""

_PLUGIN = '''
    """A plugin for PolyRAG Bot: the command `@NAME@`, and a count of the answers given since the start."""

    from bot.messages import Inbound, Reply
    from bot.plugins.spec import CommandSpec, hookimpl

    POLYRAG_API = @API@
    answers = 0


    @hookimpl
    def register_commands(settings: object) -> tuple[CommandSpec, ...]:
        summary = {"en": "says how many questions were answered", "pt": "diz quantas perguntas foram respondidas"}
        return (CommandSpec("@NAME@", "all", summary, run),)


    @hookimpl
    def on_answered(inbound: Inbound, answer: object) -> None:
        global answers
        answers += 1


    async def run(app: object, inbound: Inbound, arguments: str) -> Reply:
        """`app` is bot.app.App; `arguments` is what stands behind the command."""
        return Reply(f"answers so far: {answers}")
'''

_TEST = '''
    """The whole bot with this plugin, on a fake platform: no network, no model."""

    import @MODULE@
    from bot.testkit import FakePlatform


    def test_the_command_counts_the_answers() -> None:
        @MODULE@.answers = 0
        with FakePlatform(plugins={"@NAME@": @MODULE@}) as chat:
            chat.says("ana", files={"trips.md": "# Trips\\n\\nA trip is requested ten days ahead."})
            chat.says("ana", "how many days ahead is a trip requested?")

            reply = chat.says("ana", "/@NAME@")

        assert reply.text == "answers so far: 1"


    def test_the_plugin_is_active() -> None:
        with FakePlatform(plugins={"@NAME@": @MODULE@}) as chat:
            states = {info.name: info.state for info in chat.plugins.infos()}

        assert states["@NAME@"] == "active"
'''
