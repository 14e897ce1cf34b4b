"""ingest, sources, forget and remember: what a channel knows."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from bot.attachments import from_path
from bot.blocks import report_line
from bot.commandline import CommandLine, add_json, add_place, inbound_of, print_json, progress_of
from bot.contract import ingest_json
from bot.messages import Attachment, Inbound, Reply
from bot.phrases import reader_language, say
from bot.plugins.spec import CommandSpec
from core.harmless import shown_name, unlinked
from core.normalize import fold
from core.types import IngestReport, Language, Placement

if TYPE_CHECKING:
    from bot.app import App

LISTED = 50  # files named in one reply; the rest is a count


@dataclass(frozen=True, slots=True)
class Removed:
    """What a channel lost with a file: counted before, and the same whoever else holds the same bytes."""

    name: str
    documents: tuple[str, ...]
    passages: int
    tables: int
    relations: int


async def sources(app: App, inbound: Inbound, arguments: str) -> Reply:
    """The files that the readers of the reply may read, this channel's first."""
    language = reader_language("", inbound.locale, app.settings)
    found = await readable(app, inbound)
    return Reply("\n".join(source_lines(found, inbound.tag, language)), language)


async def readable(app: App, inbound: Inbound) -> tuple[Placement, ...]:
    """The placements in scope: this channel's first, then by channel and name."""
    scope = await app.checked_scope(inbound)
    placements = app.ingest_ports.ledger.view(scope).placements
    return tuple(sorted(placements, key=lambda p: (p.tag != inbound.tag, p.tag, p.name)))


def source_lines(found: Sequence[Placement], here: str, language: Language) -> Iterator[str]:
    if not found:
        yield say("no_sources", language)
        return
    for tag, group in groupby(found[:LISTED], key=lambda p: p.tag):
        yield f"**{say('this_channel', language) if tag == here else channel_name(tag)}**"
        for item in group:
            version = say("version", language, n=item.version) if item.version > 1 else ""
            facts = ", ".join(part for part in (version, unlinked(item.uploader), item.received[:10]) if part)
            yield f"- `{shown_name(item.name)}` ({facts})"
    if len(found) > LISTED:
        yield say("more_files", language, n=len(found) - LISTED)


def channel_name(tag: str) -> str:
    """`#geral` of `console:local/geral`."""
    return "#" + shown_name(tag.rsplit("/", 1)[-1])


async def forget(app: App, inbound: Inbound, arguments: str) -> Reply:
    """Take a file away from this channel, with the counts of what went."""
    language = reader_language("", inbound.locale, app.settings)
    name = arguments.strip().strip("`\"'")
    if not name:
        return Reply(say("usage", language, usage="forget file"), language)
    return Reply(_receipt(await remove(app, inbound, name), language), language)


async def remove(app: App, inbound: Inbound, name: str) -> Removed:
    """Raises: NotAllowed, NotFound."""
    scope = await app.checked_scope(inbound)
    here = [p for p in app.ingest_ports.ledger.view(scope).placements if p.tag == inbound.tag]
    exact = [p for p in here if p.name == name] or [p for p in here if fold(p.name) == fold(name)]
    parcels = [app.ingest_ports.ledger.parcel(p.document) for p in exact]
    receipt = await app.forget(inbound, exact[0].name if exact else name)
    return Removed(
        receipt.name,
        receipt.documents,
        sum(len(parcel.chunks) for parcel in parcels),
        sum(len(parcel.tables) for parcel in parcels),
        sum(len(parcel.triples) for parcel in parcels),
    )


def _receipt(gone: Removed, language: Language) -> str:
    return say(
        "forgotten",
        language,
        file=shown_name(gone.name),
        passages=gone.passages,
        tables=gone.tables,
        relations=gone.relations,
    )


async def remember(app: App, inbound: Inbound, arguments: str) -> Reply:
    """Keep a message: its files, or its text as a note of this channel."""
    language = reader_language(arguments, inbound.locale, app.settings)
    if inbound.attachments:
        return await app.handle(replace(inbound, text="", command=""))
    text = arguments.strip()
    if not text:
        return Reply(say("usage", language, usage="remember text"), language)
    line, _ = await app.take(inbound, note(text, language, inbound.link))
    return Reply(line, language)


def note(text: str, language: Language, link: str = "") -> Attachment:
    """A message's text as a file; its name tells notes of different content apart."""
    data = text.encode()

    async def fetch() -> bytes:
        return data

    return Attachment(f"{say('note', language)}-{sha256(data).hexdigest()[:8]}.md", fetch, len(data), link)


# --- command line ----------------------------------------------------------------------------------


def configure_ingest(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH", help="files, or folders (read in name order)")
    add_place(parser, required=True)
    add_json(parser)


def main_ingest(args: Namespace, line: CommandLine) -> int:
    """One report a file; 1 when any was rejected."""
    inbound = inbound_of(args, line.settings)
    language = line.settings.language

    async def work(app: App) -> int:
        reports: list[IngestReport] = []
        app.jobs.open()  # what an earlier run was killed over comes first
        await app.jobs.settle()
        try:
            for path in files_in(args.paths):
                with progress_of(path.name) as progress:
                    report = await app.upload(inbound, from_path(path), progress)
                reports.append(report)
                if not args.json:
                    print(report_line(report, language), flush=True)
        finally:
            if args.json:
                print_json(ingest_json(reports))
        if not reports and not args.json:
            print(say("no_files", language), file=sys.stderr)
        return 1 if not reports or any(report.status == "rejected" for report in reports) else 0

    return line.run(work, chat=False)


def files_in(paths: Iterable[str]) -> Iterator[Path]:
    """The files that these paths name: folders are walked in name order, hidden files and folders left out."""
    for given in paths:
        path = Path(given)
        if path.is_dir():
            visible = (p for p in sorted(path.rglob("*")) if p.is_file())
            yield from (p for p in visible if not any(s.startswith(".") for s in p.relative_to(path).parts))
        else:
            yield path


def configure_sources(parser: ArgumentParser) -> None:
    add_place(parser)
    add_json(parser)


def main_sources(args: Namespace, line: CommandLine) -> int:
    inbound = inbound_of(args, line.settings)

    async def work(app: App) -> int:
        found = await readable(app, inbound)
        if args.json:
            print_json({"sources": [_placement_json(item) for item in found]})
            return 0
        for text in source_lines(found, inbound.tag, line.settings.language):
            print(text.replace("**", "").replace("`", ""))
        return 0

    return line.run(work, chat=False)


def _placement_json(item: Placement) -> dict[str, object]:
    return {
        "document": item.name,
        "channel": item.tag.rsplit("/", 1)[-1],
        "version": item.version,
        "uploader": item.uploader,
        "received": item.received,
        "sha256": item.document,
    }


def configure_forget(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the name under which the channel knows the file")
    add_place(parser, required=True)
    add_json(parser)


def main_forget(args: Namespace, line: CommandLine) -> int:
    inbound = inbound_of(args, line.settings)

    async def work(app: App) -> int:
        gone = await remove(app, inbound, args.file)
        if args.json:
            counts = {"passages": gone.passages, "tables": gone.tables, "relations": gone.relations}
            print_json({"file": gone.name, "documents": list(gone.documents), "removed": counts})
        else:
            print(_receipt(gone, line.settings.language))
        return 0

    return line.run(work, chat=False)


INGEST = CommandSpec(
    "ingest",
    "members",
    {"pt": "guarda arquivos em um canal", "en": "store files in a channel"},
    configure=configure_ingest,
    main=main_ingest,
)
SOURCES = CommandSpec(
    "sources",
    "members",
    {"pt": "o que este canal sabe", "en": "what this channel knows"},
    sources,
    "",
    ("fontes",),
    configure_sources,
    main_sources,
)
FORGET = CommandSpec(
    "forget",
    "members",
    {
        "pt": "apaga um arquivo deste canal (quem enviou, ou um administrador)",
        "en": "deletes a file from this channel (its uploader, or an admin)",
    },
    forget,
    "file",
    ("esquecer",),
    configure_forget,
    main_forget,
)
REMEMBER = CommandSpec(
    "remember",
    "members",
    {
        "pt": "guarda os arquivos ou o texto de uma mensagem",
        "en": "keeps the files or the text of a message",
    },
    remember,
    "text",
    ("lembrar",),
)
COMMANDS = (INGEST, SOURCES, FORGET, REMEMBER)
