"""The command line: global options, subcommands from the plugin door, and one place where every error ends."""

import logging
import os
import re
import sys
from argparse import SUPPRESS, ArgumentParser
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from difflib import get_close_matches
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

from bot.commandline import INTERRUPTED, CommandLine
from bot.config import DISTRIBUTION, given_home, load_settings, own_home, system_language
from bot.logs import log_path, log_to, quiet_logging
from bot.plugins.builtin import BUILTINS
from bot.plugins.manager import PluginManager
from bot.plugins.spec import CommandSpec
from core.errors import BadSetting, ModelMissing, ModelUnavailable, PolyragError, StoreFailed
from core.ports import Embedder

BROKEN_PIPE = 141  # what a shell reports of a program that SIGPIPE ended
log = logging.getLogger("polyrag.cli")


class _Parser(ArgumentParser):
    """Wrong usage with the nearest right word."""

    def error(self, message: str) -> NoReturn:
        found = re.search(r"invalid choice: (['\"])(.*?)\1 \(choose from (.*)\)", message)
        if found:
            near = get_close_matches(found.group(2).lower(), re.findall(r"'([^']+)'", found.group(3)), n=1)
            message += f"; did you mean {near[0]!r}?" if near else ""
        super().error(message)


def run_program(words: Sequence[str], embedder: Embedder | None = None) -> int:
    """Parse, run, and turn every error into a message and an exit code."""
    problem = _Problem()
    with quiet_logging(), ExitStack() as logs:
        try:
            code = _run(words, embedder, problem, logs)
            sys.stdout.flush()
            return code
        except PolyragError as err:
            return problem.foreseen(err)
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:
            _close_stdout()
            return BROKEN_PIPE
        except OSError as err:
            return problem.system(err)
        except Exception as err:
            return problem.unforeseen(err)


def _run(words: Sequence[str], embedder: Embedder | None, problem: "_Problem", logs: ExitStack) -> int:
    """Settings and plugins first: they decide which subcommands there are."""
    chosen, _ = _global_options().parse_known_args(words)
    given = given_home(chosen.home if "home" in chosen else "")
    problem.home = home = given or own_home()
    logs.enter_context(log_to(home, verbose="verbose" in chosen))
    config = Path(chosen.config) if "config" in chosen else None
    settings = load_settings(config)
    problem.language = settings.language
    plugins = PluginManager(settings, BUILTINS)
    plugins.load_entry_points()
    args = build_parser(plugins.gather("register_commands")).parse_args(words)
    line = CommandLine(settings, home, given is not None, config, plugins, embedder)
    return int(args.run_subcommand(args, line))


def build_parser(commands: Sequence[CommandSpec]) -> ArgumentParser:
    """The whole command line. Every subcommand also takes the global options."""
    parser = _Parser(
        prog="polyrag",
        description="Answers questions in chat from the files a team shares.",
        parents=[_global_options()],
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"polyrag {_version()}")
    subcommands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="subcommand", required=True)
    for spec in sorted(commands, key=lambda spec: spec.name):
        if spec.configure is None or spec.main is None or not _is_sound(spec.name, spec.configure):
            continue
        summary = spec.summary.get("en", "")
        single = subcommands.add_parser(
            spec.name,
            help=summary,
            description=summary,
            parents=[_global_options()],
            conflict_handler="resolve",
            allow_abbrev=False,
        )
        spec.configure(single)
        single.set_defaults(run_subcommand=spec.main)
    return parser


def _is_sound(name: str, configure: Callable[[ArgumentParser], None]) -> bool:
    """A plugin whose arguments are wrong loses its own subcommand, and nobody else's."""
    try:
        configure(ArgumentParser(parents=[_global_options()], conflict_handler="resolve"))
    except Exception as err:
        log.warning("subcommand left out", extra={"command": name, "error": repr(err)})
        return False
    return True


def _global_options() -> _Parser:
    """Accepted before and after the subcommand: an option that is not given leaves no trace (SUPPRESS)."""
    parser = _Parser(prog="polyrag", add_help=False, allow_abbrev=False)
    shared = parser.add_argument_group("everywhere")
    shared.add_argument(
        "--home",
        metavar="DIR",
        default=SUPPRESS,
        help="all state of one bot (default: $POLYRAG_HOME, else a folder of your account)",
    )
    shared.add_argument("--config", metavar="FILE", default=SUPPRESS, help="settings laid over the defaults")
    shared.add_argument(
        "--verbose", "-v", action="store_true", default=SUPPRESS, help="log to stderr as well as to the home"
    )
    return parser


def _version() -> str:
    try:
        return version(DISTRIBUTION)
    except PackageNotFoundError:
        return "0"


class _Problem:
    """Says what went wrong in one line on stderr, in the reader's language, and never with a traceback."""

    def __init__(self) -> None:
        self.language: str = system_language()
        self.home = own_home()

    def foreseen(self, err: PolyragError) -> int:
        log.warning("failed", extra={"error": str(err), "kind": type(err).__name__})
        hint = ""
        if isinstance(err, ModelMissing | ModelUnavailable | StoreFailed):
            hint = f" ({log_path(self.home)})"
        language = (err.language if isinstance(err, BadSetting) else "") or self.language
        print(f"polyrag: {err.say(language)}{hint}", file=sys.stderr)
        return 1

    def system(self, err: OSError) -> int:
        """A full disk, a folder that may not be written, a port in use: the system's own words say it best."""
        log.error("system refused", exc_info=err)
        where = f"{err.filename}: " if err.filename else ""
        print(f"polyrag: {where}{err.strerror or err}", file=sys.stderr)
        return 1

    def unforeseen(self, err: Exception) -> int:
        incident = uuid4().hex[:8]
        log.error("crashed", exc_info=err, extra={"incident": incident})
        texts = {
            "pt": f"algo deu errado ({type(err).__name__}); o registro tem o motivo (incidente {incident})",
            "en": f"something went wrong ({type(err).__name__}); the log has the reason (incident {incident})",
        }
        print(f"polyrag: {texts[self.language]}: {log_path(self.home)}", file=sys.stderr)
        return 1


def _close_stdout() -> None:
    """The reader of stdout has gone: keep the interpreter's own flush at exit from complaining."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
