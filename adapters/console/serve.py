"""The console's loop: read a line, let the bot handle it, show the reply; until the input ends or the person leaves."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import uuid4

from adapters.console.read import Leave, Press, Seat, Sit, Speak, Usage, read_line, spoken
from adapters.console.screen import Screen, typed_lines
from adapters.console.write import HELP, prompt, reply_shown
from bot.audience import CONSOLE, DIRECT, ConfiguredChannels, UnknownChannel, console_channel
from bot.commandline import system_user
from bot.messages import Inbound, Reply
from bot.phrases import say
from bot.plain import Line
from core.types import Language

if TYPE_CHECKING:
    from bot.app import App


def new_thread() -> str:
    return uuid4().hex


async def serve(app: "App") -> None:
    """The console as one of a bot's adapters: the seat comes from `adapters.console.options`."""
    entry = app.settings.adapters.get(CONSOLE)
    options = entry.options if entry else {}
    user = str(options.get("user", "")) or system_user()
    channel = console_channel(str(options.get("channel", DIRECT)), user, app.settings.channels)
    await chat(app, Seat(user, channel, new_thread()))


async def chat(
    app: "App",
    seat: Seat,
    *,
    lines: AsyncIterator[str] | None = None,
    screen: Screen | None = None,
) -> None:
    """Talk until the lines end or the person leaves."""
    shown = screen or Screen()
    app.directories.setdefault(CONSOLE, ConfiguredChannels(app.settings.channels))
    language: Language = app.settings.language
    if shown.terminal:
        shown.show([Line(text, "note") for text in HELP[language]])
    shown.ask(prompt(seat))
    async for line in lines or typed_lines():
        action = read_line(line, seat, id=new_thread(), name=app.settings.answer.name)
        match action:
            case Leave():
                break
            case Sit():
                seat = _seated(action, seat, app, shown)
            case Usage(usage):
                shown.show([Line(say("usage", language, usage=usage), "note")])
            case Speak(inbound):
                shown.show(reply_shown(await _handled(app, inbound, shown)))
            case Press(pressed):
                shown.show(reply_shown(await _pressed(app, seat, pressed, shown)))
        shown.ask(prompt(seat))
    shown.end()


def _seated(move: Sit, seat: Seat, app: "App", screen: Screen) -> Seat:
    """The new seat; the old one when there is no such channel for this person."""
    wanted = move.seat
    if not move.checked:
        try:
            channel = console_channel(wanted.channel, wanted.user, app.settings.channels)
        except UnknownChannel as err:
            screen.show([Line(err.say(app.settings.language), "note")])
            return seat
        entry = app.settings.channels.get(channel)
        if entry and entry.visibility == "private" and wanted.user not in entry.members:
            unknown = UnknownChannel(name=wanted.channel, near="")
            screen.show([Line(unknown.say(app.settings.language), "note")])
            return seat
        wanted = replace(wanted, channel=channel)
    return wanted


async def _handled(app: "App", inbound: Inbound, screen: Screen) -> Reply:
    label = inbound.attachments[0].name if inbound.attachments else ""
    if label:
        with screen.progress(label) as progress:
            return await app.handle(inbound, progress=progress)
    with screen.coming_in() as on_text:
        reply = await app.handle(inbound, on_text=on_text)
    if inbound.command in ("help", "ajuda"):
        return replace(reply, text="\n".join([reply.text, "", *HELP[app.settings.language]]))
    return reply


async def _pressed(app: "App", seat: Seat, action: str, screen: Screen) -> Reply:
    """A button of the last reply to this person in this place."""
    inbound = spoken(seat, "", new_thread())
    if action in ("fresh", "share"):
        with screen.coming_in() as on_text:
            return await app.ask_again(inbound, "", fresh=action == "fresh", on_text=on_text)
    language = app.settings.language
    judged = await app.judge(inbound, "", action == "up")
    return Reply(say(f"feedback_{action}" if judged else "trace_unknown", language), language)
