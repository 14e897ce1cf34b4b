"""One home in one file, taken while the bot runs, and back again.

What counts is in the ledger's database (texts, cells, vectors, decisions, turns, traces, cached answers, audit) and in
the bytes of jobs that have not ended. The stores are made from the ledger, so they are left out and made anew.
"""

import io
import json
import os
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bot.wiring import LEDGER
from core.errors import PolyragError

FORMAT = 1
MANIFEST = "manifest.json"
_TRIES = 5  # snapshots, until one fits the bytes of its open jobs
_OPEN = "select id from jobs where state in ('waiting', 'running', 'retrying', 'failed') and kind = 'upload'"


class NoHome(PolyragError):
    messages = {"en": "There is no bot in this home yet.", "pt": "Ainda não há um bot nesta pasta."}


class NotHere(PolyragError):
    messages = {
        "en": "The ledger is in a database of its own (stores.database); back it up with that database's tools.",
        "pt": "O livro-razão está em um banco de dados próprio (stores.database); use as ferramentas desse banco.",
    }


class NoFolder(PolyragError):
    messages = {"en": "There is no folder {folder}.", "pt": "Não existe a pasta {folder}."}


class FileThere(PolyragError):
    messages = {
        "en": "{file} is there already. Name another file, or overwrite it with --force.",
        "pt": "{file} já existe. Escolha outro arquivo, ou substitua-o com --force.",
    }


class HomeNotEmpty(PolyragError):
    messages = {
        "en": "This home has a bot already; import into an empty one (--home DIR).",
        "pt": "Esta pasta já tem um bot; importe em uma pasta vazia (--home DIR).",
    }


class BadBackup(PolyragError):
    messages = {
        "en": "This file is not a backup made by `polyrag export`, or it is damaged.",
        "pt": "Este arquivo não é uma cópia feita por `polyrag export`, ou está danificado.",
    }


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds."""

    documents: int
    jobs: int  # uploads whose bytes are in it
    size: int  # bytes of the file


def export_home(home: Path, target: Path, at: datetime) -> Backup:
    """Write a consistent snapshot of a home to `target`, whole or not at all; a bot may be running on it.

    Raises: NoHome, NoFolder; OSError.
    """
    if not (home / LEDGER).is_file():
        raise NoHome(str(home))
    if not target.resolve().parent.is_dir():
        raise NoFolder(str(target), folder=str(target.parent))
    with TemporaryDirectory(prefix=".polyrag-export-", dir=target.resolve().parent) as folder:
        place = Path(folder)
        jobs = _snapshot(home, place)
        documents = _count(place / LEDGER, "documents")
        manifest = {"format": FORMAT, "made": at.isoformat(timespec="seconds"), "documents": documents}
        partial = place / "backup"
        with tarfile.open(partial, "w:gz", compresslevel=3) as archive:
            _add_bytes(archive, MANIFEST, json.dumps(manifest, indent=2).encode(), at)
            archive.add(place / LEDGER, LEDGER, filter=_plain)
            for path in sorted((place / "jobs").iterdir()):
                archive.add(path, f"jobs/{path.name}", filter=_plain)
        partial.chmod(0o600)
        partial.replace(target)
    return Backup(documents, jobs, target.stat().st_size)


def import_home(source: Path, home: Path) -> Backup:
    """Make a home from a backup; the stores follow when the bot is next started.

    Raises: HomeNotEmpty, BadBackup; OSError.
    """
    if (home / LEDGER).exists():
        raise HomeNotEmpty(str(home))
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    with TemporaryDirectory(prefix=".import-", dir=home) as folder:
        place = Path(folder)
        manifest = _unpack(source, place)
        _check(place / LEDGER)
        jobs = place / "jobs"
        if jobs.is_dir():
            (home / "jobs").mkdir(exist_ok=True, mode=0o700)
            for path in sorted(jobs.iterdir()):
                path.replace(home / "jobs" / path.name)
        (place / LEDGER).replace(home / LEDGER)  # last: it makes the home
    held = len(list((home / "jobs").glob("*.bin")))
    return Backup(int(manifest["documents"]), held, source.stat().st_size)


# --- steps -----------------------------------------------------------------------------------------


def _snapshot(home: Path, place: Path) -> int:
    """The ledger as it stands at one moment, with the bytes of the jobs that were open at that moment."""
    for last in [False] * (_TRIES - 1) + [True]:
        (place / LEDGER).unlink(missing_ok=True)
        shutil.rmtree(place / "jobs", ignore_errors=True)
        (place / "jobs").mkdir()
        _copy_database(home / LEDGER, place / LEDGER)
        copied = [_copied(home / "jobs" / f"{job}.bin", place / "jobs") for job in _open_jobs(place / LEDGER)]
        if all(copied) or last:  # a job that ended in between is in the next snapshot as ended
            break
    if (home / "jobs" / "home").is_file():
        shutil.copy(home / "jobs" / "home", place / "jobs" / "home")  # jobs know their home by this name
    return sum(copied)


def _copied(source: Path, folder: Path) -> bool:
    try:
        shutil.copy(source, folder / source.name)
    except FileNotFoundError:
        return False
    return True


def _copy_database(source: Path, target: Path) -> None:
    """SQLite's own online backup: consistent while others write."""
    with _opened(f"file:{source}?mode=ro") as reading, _opened(f"file:{target}") as writing:
        reading.backup(writing)
        writing.execute("PRAGMA journal_mode=DELETE")  # one file, no companions


@contextmanager
def _opened(uri: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(uri, uri=True, timeout=30)) as connection:
        yield connection


def _open_jobs(database: Path) -> list[str]:
    with _opened(f"file:{database}?mode=ro") as connection:
        known = connection.execute("select 1 from sqlite_master where name = 'jobs'").fetchone()
        return [job for (job,) in connection.execute(_OPEN)] if known else []


def _count(database: Path, table: str) -> int:
    with _opened(f"file:{database}?mode=ro") as connection:
        return int(connection.execute(f'select count(*) from "{table}"').fetchone()[0])  # noqa: S608  our own name


def _add_bytes(archive: tarfile.TarFile, name: str, data: bytes, at: datetime) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.mtime = len(data), 0o600, int(at.timestamp())
    archive.addfile(info, io.BytesIO(data))


def _plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
    """No names of accounts in a backup."""
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    info.mode = 0o600
    return info


def _unpack(source: Path, place: Path) -> dict[str, Any]:
    """Only members that a backup may have, as plain files. Raises: BadBackup."""
    try:
        with tarfile.open(source, "r:gz") as archive:
            for member in archive:
                parts = Path(member.name).parts
                fits = member.name in (MANIFEST, LEDGER) or (len(parts) == 2 and parts[0] == "jobs")
                if not (fits and member.isfile()) or ".." in parts:
                    raise BadBackup(f"member {member.name!r}")
                archive.extract(member, place, filter="data")
        manifest: dict[str, Any] = json.loads((place / MANIFEST).read_text())
        if manifest["format"] != FORMAT:
            raise BadBackup(f"format {manifest['format']!r}")
        for path in (place / LEDGER, *(place / "jobs").glob("*")):
            os.chmod(path, 0o600)
        return manifest
    except (tarfile.TarError, EOFError, ValueError, KeyError, FileNotFoundError) as err:
        if not source.is_file():
            raise
        raise BadBackup(f"{type(err).__name__}: {err}") from err


def _check(database: Path) -> None:
    """Raises: BadBackup for a database that SQLite finds damaged."""
    try:
        with _opened(f"file:{database}?mode=ro") as connection:
            found = connection.execute("PRAGMA integrity_check").fetchone()[0]
    except sqlite3.DatabaseError as err:
        raise BadBackup(str(err)) from err
    if found != "ok":
        raise BadBackup(str(found))
