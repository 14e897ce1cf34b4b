"""`polyrag demo`, through the plugin door."""

import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from bot.blocks import answer_reply, report_line
from bot.commandline import CommandLine, progress_of
from bot.plugins.spec import CommandSpec, hookimpl
from core.types import Language


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("--no-script", action="store_true", help="skip the questions, open the chat at once")


def _main(args: Namespace, line: CommandLine) -> int:
    """Exit code 0 only if every answer of the script is what it must be."""
    from bot.models.catalog import fetch_models  # late: `polyrag --help` needs no engine
    from bot.models.progress import shown_progress
    from demo.play import demo_channels

    settings = line.settings.model_copy(update={"channels": demo_channels()})
    if line.embedder is None:
        with shown_progress(sys.stderr) as fetching:
            fetch_models(settings, (), fetching)
    with _home(line) as home:
        demo = replace(line, settings=settings, home=home)
        return demo.run(lambda app: _play(args, app))


async def _play(args: Namespace, app: Any) -> int:
    from adapters.console.read import Seat
    from adapters.console.screen import Screen
    from adapters.console.serve import chat, new_thread
    from demo.play import UPLOADER, upload_all

    screen = Screen()
    language: Language = app.settings.language
    with progress_of("demo") as bar:
        reports = await upload_all(app, bar)
    for report in reports:
        print(report_line(report, language))
    wrong = sum(1 for report in reports if report.status == "rejected")
    if not args.no_script:
        wrong += await _ask_all(app, screen)
    if sys.stdin.isatty() or args.no_script:  # without the script, what is piped in is what is asked
        await chat(app, Seat(UPLOADER, "geral", new_thread()), screen=screen)
        return 0
    return 1 if wrong else 0


async def _ask_all(app: Any, screen: Any) -> int:
    """Ask the script's questions one after the other; returns how many answers fell short."""
    from adapters.console.write import reply_shown
    from demo.play import inbound_of, script, shortcomings

    questions, wrong = script(), 0
    for number, question in enumerate(questions, start=1):
        print(
            f"\n[{number}/{len(questions)} · {question.kind}] {question.user} in {question.channel}: {question.text}"
        )
        answer = await app.ask(inbound_of(question, number))
        screen.show(reply_shown(answer_reply(answer)))
        lacking = shortcomings(question, answer)
        print("=> as it must be" if not lacking else f"=> WRONG: {'; '.join(lacking)}", flush=True)
        wrong += bool(lacking)
    print(f"\n{len(questions) - wrong} of {len(questions)} answers are as they must be", flush=True)
    return wrong


@contextmanager
def _home(line: CommandLine) -> Iterator[Path]:
    """The given home; for a person the demo's own, kept; for a script one that is gone afterwards."""
    if line.home_given:
        yield line.home
    elif sys.stdin.isatty():
        yield line.home / "demo"
    else:
        with tempfile.TemporaryDirectory(prefix="polyrag-demo-") as folder:
            yield Path(folder)


@hookimpl
def register_commands(settings: Any) -> tuple[CommandSpec, ...]:
    summary = {
        "pt": "organização de demonstração: arquivos, doze perguntas, conversa",
        "en": "demo organisation: files, twelve questions, a chat",
    }
    return (CommandSpec("demo", "all", summary, configure=_configure, main=_main),)
