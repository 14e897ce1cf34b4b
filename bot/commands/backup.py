"""export and import: one home in one file, and back."""

from argparse import ArgumentParser, Namespace
from datetime import UTC, datetime
from pathlib import Path

from bot.commandline import CommandLine, add_json, print_json
from bot.phrases import say
from bot.plugins.spec import CommandSpec


def configure_export(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="the backup to write")
    parser.add_argument("--force", action="store_true", help="overwrite FILE if it is there")
    add_json(parser)


def main_export(args: Namespace, line: CommandLine) -> int:
    """Raises: NoHome, NotHere, FileThere."""
    from bot.backup import FileThere, NotHere, export_home

    if line.settings.stores.database:
        raise NotHere("stores.database is set")
    if args.file.exists() and not args.force:
        raise FileThere(str(args.file), file=str(args.file))
    made = export_home(line.home, args.file, datetime.now(UTC))
    return _told("exported", args, line, made.documents, made.size)


def configure_import(parser: ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="a backup made by `polyrag export`")
    add_json(parser)


def main_import(args: Namespace, line: CommandLine) -> int:
    """Raises: HomeNotEmpty, BadBackup, NotHere."""
    from bot.backup import NotHere, import_home

    if line.settings.stores.database:
        raise NotHere("stores.database is set")
    made = import_home(args.file, line.home)
    return _told("imported", args, line, made.documents, made.size)


def _told(key: str, args: Namespace, line: CommandLine, documents: int, size: int) -> int:
    if args.json:
        print_json({"file": str(args.file), "documents": documents, "bytes": size})
    else:
        text = say(key, line.settings.language, file=args.file, n=documents, size=f"{size / 1e6:.1f} MB")
        print(text)
    return 0


EXPORT = CommandSpec(
    "export",
    "admins",
    {"pt": "guarda este bot inteiro em um arquivo", "en": "save this whole bot to a file"},
    configure=configure_export,
    main=main_export,
)
IMPORT = CommandSpec(
    "import",
    "admins",
    {"pt": "refaz um bot a partir de um arquivo", "en": "make a bot from a saved file"},
    configure=configure_import,
    main=main_import,
)
COMMANDS = (EXPORT, IMPORT)
