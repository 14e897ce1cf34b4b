"""Real processes throughout: the stand-in server is started, watched, killed and ended like the real one."""

import os
import signal
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx
import psutil
import pytest

from bot.models.faults import FileMissing, PortTaken, ServerFailed, ServerStopped
from core.errors import BadSetting, ModelUnavailable
from tests.bot.models.conftest import Bench, wait_until

CHILD = """
import sys, time
from pathlib import Path
from bot.models.servers import ServerManager
from core.settings import Settings
settings = Settings.model_validate_json(Path(sys.argv[1]).read_text())
manager = ServerManager(settings, Path(sys.argv[2]), cache=Path(sys.argv[3]))
print("begin", flush=True)
manager.start("embed")
print("ready", flush=True)
time.sleep(120)
"""


def child_with_a_server(bench: Bench, tmp_path: Path, **behaviour: object) -> "subprocess.Popen[str]":
    """Another process that owns a server on the bench's home."""
    written = tmp_path / "settings.json"
    written.write_text(bench.settings(embed=behaviour).model_dump_json())
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(written), str(bench.home), str(bench.cache)],
        stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[3], start_new_session=True,
    )  # fmt: skip


def said(child: "subprocess.Popen[str]") -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def test_server_starts_answers_and_ends_with_its_manager(bench: Bench) -> None:
    with bench.manager(bench.settings(embed={})) as manager:
        endpoint = manager.endpoint("embed")
        answer = httpx.get(f"{endpoint.root}/props", headers={"Authorization": f"Bearer {endpoint.key}"})
        assert answer.json()["model_alias"] == "embed"
        assert manager.status_of("embed").state == "running"
        assert manager.status_of("embed").context == 16

    assert bench.processes() == []


def test_the_key_stands_in_an_owner_only_file_and_not_on_the_command_line(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={}))
    key = manager.endpoint("embed").key

    assert len(key) >= 32
    assert all(key not in part for process in bench.processes() for part in process.cmdline())
    assert key not in repr(manager.endpoint("embed"))
    for name in ("embed.key", "servers.json"):
        assert stat.S_IMODE((bench.home / "run" / name).stat().st_mode) == 0o600
    assert key not in (bench.home / "run" / "servers.json").read_text()


def test_server_does_not_see_the_tokens_of_chat_platforms(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "x")
    monkeypatch.setenv("DATABASE_URL", "x")
    monkeypatch.setenv("GGML_VK_VISIBLE_DEVICES", "0")

    bench.manager(bench.settings(embed={})).start("embed")

    seen = bench.requests("embed")[0]["environment"]
    assert "SLACK_BOT_TOKEN" not in seen
    assert "DATABASE_URL" not in seen
    assert "GGML_VK_VISIBLE_DEVICES" in seen


def test_embed_server_takes_one_text_at_a_time_whole(bench: Bench) -> None:
    bench.manager(bench.settings(embed={"parallel": 4})).start("embed")

    arguments = " ".join(bench.requests("embed")[0]["arguments"])
    assert "--embeddings --ctx-size 16 --batch-size 16 --ubatch-size 16 --parallel 1" in arguments
    assert "--host 127.0.0.1" in arguments


def test_second_process_uses_the_server_that_runs(bench: Bench) -> None:
    settings = bench.settings(embed={})
    first, second = bench.manager(settings), bench.manager(settings)

    assert first.endpoint("embed") == second.endpoint("embed")
    second.close()
    assert first.endpoint("embed", suspect=True).base_url == first.endpoint("embed").base_url
    assert sum(request["path"] == "start" for request in bench.requests("embed")) == 1


def test_two_that_start_at_once_start_one_server(bench: Bench) -> None:
    settings = bench.settings(embed={"load_seconds": 0.3})
    managers = [bench.manager(settings) for _ in range(3)]
    threads = [threading.Thread(target=manager.endpoint, args=("embed",)) for manager in managers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({manager.endpoint("embed").base_url for manager in managers}) == 1
    assert sum(request["path"] == "start" for request in bench.requests("embed")) == 1


def test_who_shared_a_server_starts_its_own_when_the_owner_has_gone(bench: Bench) -> None:
    settings = bench.settings(embed={})
    owner, guest = bench.manager(settings), bench.manager(settings)
    shared = owner.endpoint("embed")
    assert guest.endpoint("embed") == shared

    owner.close()

    assert guest.endpoint("embed").key != shared.key
    assert guest.status_of("embed").mode == "owned"


def test_another_configuration_is_not_served_by_a_living_owners_server(bench: Bench, tmp_path: Path) -> None:
    child = child_with_a_server(bench, tmp_path)
    assert (said(child), said(child)) == ("begin", "ready")
    other = bench.manager(bench.settings(embed={"threads": 7}))

    with pytest.raises(ServerFailed, match="another process"):
        other.endpoint("embed")
    child.kill()
    child.wait()


def test_killed_server_comes_back_by_itself(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={}))
    before = manager.start("embed").pid

    os.kill(before, signal.SIGKILL)

    wait_until(
        lambda: manager.status_of("embed").state == "running" and manager.status_of("embed").pid != before
    )
    assert "killed" in manager.status_of("embed").why["en"]


def test_server_that_keeps_dying_is_left_alone_and_says_why(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={"refuse_load": 1, "say": "error loading model"}))
    os.kill(manager.start("embed").pid, signal.SIGKILL)

    wait_until(lambda: "4 times" in manager.status_of("embed").why.get("en", ""))
    assert manager.status_of("embed").state == "failed"
    tried = len(bench.requests("embed"))
    with pytest.raises(ServerFailed, match="failed 4 times") as caught:
        manager.endpoint("embed")
    assert "cannot load the model file" in caught.value.say("en")
    assert "restart" in caught.value.say("pt")
    time.sleep(0.3)
    assert len(bench.requests("embed")) == tried


def test_explicit_start_forgets_earlier_failures(bench: Bench) -> None:
    settings = bench.settings(embed={"exit": 3})
    manager = bench.manager(settings, back_off=())
    with pytest.raises(ServerFailed, match="exit code 3"):
        manager.endpoint("embed")
    with pytest.raises(ServerFailed, match="left alone"):
        manager.endpoint("embed")
    with pytest.raises(ServerFailed, match="exit code 3"):
        manager.start("embed")


def test_server_that_hangs_is_replaced_by_itself(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={}), hang_seconds=0.2)
    before = manager.start("embed").pid
    os.kill(before, signal.SIGSTOP)

    wait_until(
        lambda: manager.status_of("embed").state == "running" and manager.status_of("embed").pid != before
    )
    assert manager.status_of("embed").why["pt"] == "parou de responder"


def test_server_that_hangs_is_replaced_when_someone_had_trouble_with_it(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={}))
    before = manager.start("embed").pid
    os.kill(before, signal.SIGSTOP)

    manager.endpoint("embed", suspect=True)

    assert manager.status_of("embed").pid != before
    assert not psutil.pid_exists(before)


@pytest.mark.parametrize(("number", "waits"), [(signal.SIGKILL, "ready"), (signal.SIGTERM, "ready"), (signal.SIGINT, "ready"), (signal.SIGINT, "begin"), (signal.SIGKILL, "begin")])  # fmt: skip
def test_no_server_is_left_when_its_owner_dies(
    bench: Bench, tmp_path: Path, number: signal.Signals, waits: str
) -> None:
    behaviour = {"load_seconds": 60.0} if waits == "begin" else {}
    child = child_with_a_server(bench, tmp_path, **behaviour)
    while said(child) != waits:
        pass
    wait_until(lambda: any("--port" in " ".join(process.cmdline()) for process in bench.processes()))

    child.send_signal(number)
    child.wait(20)

    wait_until(lambda: bench.processes() == [])


def test_server_ends_when_its_watchdog_is_killed(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={}), watch_seconds=60.0)
    server = psutil.Process(manager.start("embed").pid)
    watchdog = server.parent()
    assert watchdog is not None

    watchdog.kill()

    wait_until(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE)


def test_detached_server_outlives_its_manager_and_stop_ends_it(bench: Bench) -> None:
    settings = bench.settings(embed={})
    starter = bench.manager(settings, detached=True)
    started = starter.start("embed")
    starter.close()

    other = bench.manager(settings)
    assert other.status_of("embed").pid == started.pid
    assert other.status_of("embed").mode == "detached"
    assert other.stop_all() == ("embed",)
    assert bench.processes() == []
    assert other.status_of("embed").state == "stopped"


def test_role_stopped_by_name_stays_stopped_until_it_is_started(bench: Bench) -> None:
    settings = bench.settings(embed={}, chat={})
    bot, admin = bench.manager(settings), bench.manager(settings)
    assert bot.start_all() == {}

    assert admin.stop("chat")
    time.sleep(0.3)  # the bot's watcher has looked several times
    with pytest.raises(ServerStopped) as caught:
        bot.endpoint("chat")
    assert "polyrag servers start chat" in caught.value.say("pt")
    assert bot.status_of("embed").state == "running"

    admin.start("chat")
    assert bot.endpoint("chat") == admin.endpoint("chat")


def test_stopping_all_servers_of_a_running_bot_keeps_them_stopped(bench: Bench) -> None:
    bot = bench.manager(bench.settings(embed={}))
    bot.start("embed")

    assert bot.stop_all() == ("embed",)
    with pytest.raises(ServerStopped):
        bot.endpoint("embed")


def test_restart_gives_a_new_server_with_a_new_key(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={}))
    before = manager.endpoint("embed")

    manager.restart("embed")

    assert manager.endpoint("embed").key != before.key


# --- what goes wrong at a start ----------------------------------------------------------------------


def test_missing_model_file_names_the_command_that_fetches_it(bench: Bench) -> None:
    settings = bench.settings(embed={})
    (bench.cache / "models" / "embed.gguf").unlink()

    with pytest.raises(FileMissing) as caught:
        bench.manager(settings).start("embed")

    assert "polyrag models fetch embed" in caught.value.say("en")
    assert str(bench.cache) not in caught.value.say("en")


def test_port_in_use_is_named_with_the_remedy(bench: Bench) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(PortTaken) as caught:
            bench.manager(bench.settings(embed={"port": port})).start("embed")

    for language in ("en", "pt"):
        assert str(port) in caught.value.say(language)
        assert "`port`" in caught.value.say(language)
    assert bench.processes() == []


def test_configured_port_is_used_again_after_a_restart(bench: Bench) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    manager = bench.manager(bench.settings(embed={"port": port}))
    assert manager.start("embed").port == port

    assert manager.restart("embed").port == port


@pytest.mark.parametrize(
    ("behaviour", "words"),
    [
        ({"abort": True, "say": "free(): invalid pointer"}, "tokenizer"),
        ({"exit": 1, "say": "E common_init: failed to load model 'x'"}, "cannot load the model file"),
        ({"exit": 1, "say": "E get_repo_commit: error: HTTPS is not supported."}, "polyrag models fetch"),
        ({"exit": 1, "say": "error: invalid argument: --pooling"}, "does not know one of the model's flags"),
        ({"exit": 1, "say": "ggml_vulkan: ErrorOutOfDeviceMemory"}, "not enough memory"),
        ({"abort": True}, "aborted"),
        ({"exit": 3}, "exit code 3"),
        ({"dimension": 5}, "length 5"),
        ({"nan": True}, "not finite"),
        ({"error_200": True}, "answered with an error"),
    ],
)
def test_start_that_fails_says_why_and_leaves_nothing(
    bench: Bench, behaviour: dict[str, object], words: str
) -> None:
    manager = bench.manager(bench.settings(embed=behaviour))

    with pytest.raises(ServerFailed, match=words) as caught:
        manager.start("embed")

    assert "embed" in caught.value.say("pt")
    assert bench.processes() == []
    assert manager.status_of("embed").state == "stopped"


def test_start_that_takes_too_long_is_given_up(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={"load_seconds": 60.0, "start_seconds": 0.7}))

    with pytest.raises(ServerFailed, match="start_seconds"):
        manager.start("embed")

    assert bench.processes() == []


def test_chat_model_without_a_word_is_not_ready(bench: Bench) -> None:
    with pytest.raises(ServerFailed, match="answers with nothing"):
        bench.manager(bench.settings(chat={"answer": "  "})).start("chat")


def test_ocr_model_without_eyes_is_not_ready(bench: Bench) -> None:
    with pytest.raises(ServerFailed, match="mmproj"):
        bench.manager(bench.settings(ocr={})).start("ocr")


def test_one_failing_role_does_not_keep_the_others_down(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={}, chat={"exit": 1}))

    failures = manager.start_all()

    assert list(failures) == ["chat"]
    assert manager.status_of("embed").state == "running"


def test_closing_interrupts_a_start_that_is_under_way(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={"load_seconds": 60.0}))
    outcome: list[BaseException] = []

    def start() -> None:
        try:
            manager.start("embed")
        except ModelUnavailable as err:
            outcome.append(err)

    thread = threading.Thread(target=start)
    thread.start()
    wait_until(lambda: bool(bench.requests("embed")))
    manager.close()
    thread.join(20)

    assert len(outcome) == 1
    assert bench.processes() == []


# --- devices, remote roles, logs ---------------------------------------------------------------------


def test_first_real_gpu_is_chosen_and_a_software_one_is_not(bench: Bench) -> None:
    (bench.binary.parent / "devices.txt").write_text(
        "  Vulkan0: llvmpipe (LLVM 15.0.6, 256 bits) (2048 MiB, 2048 MiB free)\n"
        "  Vulkan1: AMD Radeon Graphics (RADV) (8192 MiB, 8000 MiB free)\n"
    )
    assert bench.manager(bench.settings(embed={})).start("embed").device == "Vulkan1"

    arguments = " ".join(bench.requests("embed")[0]["arguments"])
    assert "--device Vulkan1 --n-gpu-layers 999" in arguments


def test_cpu_is_used_where_there_is_no_gpu_or_it_is_asked_for(bench: Bench) -> None:
    bench.manager(bench.settings(embed={"gpu_layers": 5})).start("embed")
    assert "--device none --n-gpu-layers 0" in " ".join(bench.requests("embed")[0]["arguments"])


def test_device_that_is_not_there_is_refused_with_those_that_are(bench: Bench) -> None:
    (bench.binary.parent / "devices.txt").write_text("  Vulkan0: Intel Arc (8192 MiB, 8000 MiB free)\n")

    with pytest.raises(BadSetting, match="Vulkan0"):
        bench.manager(bench.settings(embed={"device": "Vulkan3"})).start("embed")


def test_flags_a_build_does_not_know_are_left_out(bench: Bench) -> None:
    bench.manager(bench.settings(embed={"idle_seconds": 60})).start("embed")

    arguments = bench.requests("embed")[0]["arguments"]
    assert "--sleep-idle-seconds" in arguments
    assert "--cors-origins" not in arguments  # the stand-in does not list it


def test_remote_role_needs_no_process_and_takes_its_key_from_the_environment(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = {"provider": "url", "url": "http://gpu.example:8080/v1/", "api_key_env": "GPU_KEY"}
    manager = bench.manager(bench.settings(chat=remote))
    with pytest.raises(BadSetting, match="GPU_KEY"):
        manager.endpoint("chat")
    monkeypatch.setenv("GPU_KEY", "s3cret")

    endpoint = manager.endpoint("chat")

    assert (endpoint.base_url, endpoint.key, endpoint.managed) == (
        "http://gpu.example:8080/v1",
        "s3cret",
        False,
    )
    assert manager.status_of("chat").state == "remote"
    assert bench.processes() == []


def test_role_that_is_off_has_no_endpoint(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={}))

    with pytest.raises(ModelUnavailable, match="chat"):
        manager.endpoint("chat")
    assert [status.state for status in manager.status()] == ["stopped", "off", "off"]


def test_log_holds_what_the_server_said(bench: Bench) -> None:
    manager = bench.manager(bench.settings(embed={"say": "loading weights"}))
    manager.start("embed")

    assert "loading weights" in manager.log_tail("embed")
    assert manager.log_tail("chat") == ""


def test_memory_and_device_are_shown(bench: Bench) -> None:
    status = bench.manager(bench.settings(embed={})).start("embed")

    assert status.memory_mib > 1
    assert status.device == "none"
