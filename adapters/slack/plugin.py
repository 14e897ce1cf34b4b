"""What Slack brings through the plugin door: the adapter, and `polyrag slack`."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from adapters.slack.options import SlackOptions, needed, slack_options, where
from bot.config import missing_variables
from bot.phrases import say
from bot.plugins.spec import AdapterSpec, CheckSpec, CommandSpec, hookimpl
from core.errors import BadSetting

if TYPE_CHECKING:
    from bot.app import App
    from bot.commandline import CommandLine


@hookimpl
def register_adapters(settings: Any) -> tuple[AdapterSpec, ...]:
    options = _options(settings)[0]
    return (AdapterSpec("slack", _serve, needed(options), where(options)),)


@hookimpl
def register_checks(settings: Any) -> tuple[CheckSpec, ...]:
    """Whether options and tokens are right, where Slack is enabled."""
    entry, (options, problem) = settings.adapters.get("slack"), _options(settings)
    if entry is None or not entry.enabled:
        return ()
    names = needed(options)

    def tokens(home: Path) -> tuple[bool, str, str]:
        if problem:
            return False, problem, say("slack_no_start", settings.language)
        missing = missing_variables(names)
        key = "slack_tokens_missing" if missing else "slack_tokens_set"
        found = say(key, settings.language, mode=options.mode, names=", ".join(missing))
        return not missing, found, where(options)[settings.language]

    return (CheckSpec("slack", tokens),)


@hookimpl
def register_commands(settings: Any) -> tuple[CommandSpec, ...]:
    summary = {"pt": "manifesto do app do Slack", "en": "the Slack app's manifest"}
    return (CommandSpec("slack", "admins", summary, configure=_configure, main=_main),)


def _options(settings: Any) -> tuple[SlackOptions, str]:
    """The options, or the defaults and what is wrong: a wrong one must not hide the adapter that will say so."""
    try:
        return slack_options(settings), ""
    except BadSetting as err:
        return SlackOptions(), err.say(settings.language)


async def _serve(app: App) -> None:
    from adapters.slack.serve import serve  # late: the client libraries are needed only when the bot runs

    await serve(app)


def _configure(parser: ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", dest="action", required=True)
    printed = actions.add_parser("manifest", help="print the app manifest (JSON), to create the app from")
    printed.add_argument(
        "--url", metavar="URL", default="", help="public address of the bot, for HTTP instead of Socket Mode"
    )
    drawn = actions.add_parser("picture", help="draw a reply as Slack would show it (SVG)")
    drawn.add_argument("file", metavar="FILE", type=Path, help="where to write the picture")


def _main(args: Namespace, line: CommandLine) -> int:
    if args.action == "manifest":
        from adapters.slack.manifest import manifest
        from bot.commandline import print_json

        print_json(manifest(url=args.url))
        return 0
    from adapters.slack.picture import draw_example

    args.file.write_text(draw_example(line.settings.language), encoding="utf-8")
    print(args.file)
    return 0
