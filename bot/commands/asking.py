"""ask, why, route and trace: questions, and why they were answered as they were."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.blocks import answer_reply
from bot.commandline import CommandLine, add_json, add_place, inbound_of, print_json
from bot.contract import answer_json, route_json
from bot.messages import Button, Inbound, Reply
from bot.phrases import reader_language, say
from bot.plain import BAR, fenced, reply_lines, route_lines
from bot.plugins.spec import CommandSpec
from bot.traces import is_private
from core.errors import NotFound

if TYPE_CHECKING:
    from bot.app import App
    from bot.records import Trace

_TRACE_ID = re.compile(r"\b[0-9a-f]{6,32}\b")


async def ask_privately(app: App, inbound: Inbound, arguments: str) -> Reply:
    """An answer for the asker's eyes only, so with the asker's own scope; a button shares it in the channel."""
    if not arguments.strip():
        return _usage(app, inbound, ASK)
    answer = await app.ask(replace(inbound, text=arguments, command="", ephemeral=True))
    reply = answer_reply(answer)
    if inbound.direct:
        return reply
    return replace(reply, ephemeral=True, buttons=(*reply.buttons, Button("share", answer.trace_id)))


async def why(app: App, inbound: Inbound, arguments: str) -> Reply:
    """The routing explanation of the last answer here, or of the one that an id or link names."""
    language = reader_language("", inbound.locale, app.settings)
    named = _TRACE_ID.search(arguments)
    if arguments.strip() and named is None:
        return _usage(app, inbound, WHY)
    trace = await _opened(app, inbound, named.group() if named else "")
    if trace is None:
        return Reply(say("trace_unknown", language), language)
    text = f"{trace.body['explanation']}\n{trace.body['run']}"
    whispered = is_private(trace) and not inbound.direct
    return Reply(fenced(text), language, trace_id=trace.id, ephemeral=whispered)


async def _opened(app: App, inbound: Inbound, trace_id: str) -> Trace | None:
    """An answer that may be shown here, or one that the person asked privately: that is shown to them alone."""
    trace = await app.trace_for(inbound, trace_id)
    if trace is not None or inbound.direct or inbound.ephemeral:
        return trace
    own = await app.trace_for(replace(inbound, ephemeral=True), trace_id)
    return own if own is not None and is_private(own) else None


async def dry_run(app: App, inbound: Inbound, arguments: str) -> Reply:
    """Where a question would go, and why."""
    if not arguments.strip():
        return _usage(app, inbound, ROUTE)
    language = reader_language(arguments, inbound.locale, app.settings)
    _, clauses = await app.route(replace(inbound, text=arguments, command=""))
    lines = "\n".join(line.text for line in route_lines(clauses, language))
    return Reply(fenced(lines) if lines else say("nothing_to_route", language), language)


def _usage(app: App, inbound: Inbound, spec: CommandSpec) -> Reply:
    language = reader_language("", inbound.locale, app.settings)
    return Reply(say("usage", language, usage=f"{spec.name} {spec.usage}".strip()), language)


# --- command line ----------------------------------------------------------------------------------


def configure_ask(parser: ArgumentParser) -> None:
    parser.add_argument("question")
    add_place(parser)
    parser.add_argument("--thread", metavar="ID", default="", help="keeps the turns of a conversation")
    parser.add_argument("--fresh", action="store_true", help="do not take the answer from the cache")
    add_json(parser)


def main_ask(args: Namespace, line: CommandLine) -> int:
    inbound = inbound_of(args, line.settings, args.question)

    async def work(app: App) -> int:
        answer = await app.ask(inbound, fresh=args.fresh)
        if args.json:
            print_json(answer_json(answer))
            return 0
        for shown in reply_lines(answer_reply(answer)):
            print(shown.text)
        print(say("trace_line", line.settings.language, id=answer.trace_id))
        return 0

    return line.run(work)


def configure_route(parser: ArgumentParser) -> None:
    parser.add_argument("text")
    add_place(parser)
    add_json(parser)


def main_route(args: Namespace, line: CommandLine) -> int:
    inbound = inbound_of(args, line.settings, args.text)

    async def work(app: App) -> int:
        scope, clauses = await app.route(inbound)
        if args.json:
            print_json(route_json(args.text, scope, clauses))
            return 0
        language = reader_language(args.text, "und", line.settings)
        for shown in route_lines(clauses, language):
            print(shown.text)
        if not clauses:
            print(say("nothing_to_route", language))
        return 0

    return line.run(work, chat=False)


def configure_trace(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the trace id of an answer, or the beginning of one")
    add_json(parser)


def main_trace(args: Namespace, line: CommandLine) -> int:
    """Raises: NotFound."""
    with line.records() as records:
        trace = records.trace(args.id) if records else None
    if trace is None or "timings_ms" not in trace.body:
        raise NotFound(f"no trace {args.id!r}")
    timings = {str(step): float(ms) for step, ms in trace.body["timings_ms"].items()}
    if args.json:
        print_json({"trace_id": trace.id, "at": trace.at, "tag": trace.tag, "timings_ms": timings})
        return 0
    for text in waterfall(trace, timings):
        print(text)
    return 0


def waterfall(trace: Trace, timings: dict[str, float]) -> list[str]:
    """One line a step, in the order in which they ran: where it started, how long it took."""
    steps = {step: ms for step, ms in timings.items() if step != "total"}
    total = timings.get("total") or sum(steps.values())
    lines = [f"{trace.id}  {trace.at}  {trace.tag}  {total:.1f} ms"]
    width = max(map(len, steps), default=0)
    started = 0.0
    for step, ms in steps.items():
        offset = round(BAR * started / total) if total else 0
        length = max(1, round(BAR * ms / total)) if total else 1
        drawn = (" " * min(offset, BAR - 1) + "█" * length)[:BAR]
        lines.append(f"  {step:<{width}} │{drawn:<{BAR}}│ {ms:9.1f} ms")
        started += ms
    return lines


ASK = CommandSpec(
    "ask",
    "all",
    {
        "pt": "responde a uma pergunta com tudo o que você pode ler; no chat, só para você",
        "en": "answers a question from all that you may read; in chat, for you alone",
    },
    ask_privately,
    "question",
    ("perguntar",),
    configure_ask,
    main_ask,
)
WHY = CommandSpec(
    "why",
    "all",
    {
        "pt": "por que a última resposta saiu assim (ou a de um id)",
        "en": "why the last answer (or the one of an id) came out as it did",
    },
    why,
    "[id]",
    ("porque", "por-que"),
)
ROUTE = CommandSpec(
    "route",
    "all",
    {
        "pt": "mostra para onde uma pergunta iria, sem responder",
        "en": "shows where a question would go, without answering it",
    },
    dry_run,
    "text",
    ("rota",),
    configure_route,
    main_route,
)
TRACE = CommandSpec(
    "trace",
    "admins",
    {
        "pt": "as etapas de uma resposta e quanto demoraram",
        "en": "the steps of an answer and how long they took",
    },
    configure=configure_trace,
    main=main_trace,
)
COMMANDS = (ASK, WHY, ROUTE, TRACE)
