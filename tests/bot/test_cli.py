"""The command line is a contract: names, JSON keys, exit codes, and one line for every error."""

import json
import os
import signal
import stat
import subprocess
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.bot.conftest import Done, Program

CLAUSE = {"text", "routes", "stage", "scores", "margin", "reason"}
SOURCE = {"label", "document", "locator", "channel", "text", "chunk_id", "score", "rank", "clause"}
ANSWER = {
    "answer", "language", "abstained", "degraded", "cache", "understood_as", "routes", "clauses", "sources",
    "retrieved", "explanation", "trace_id", "timings_ms",
}  # fmt: skip
REPORT = {"file", "document", "status", "reason", "chunks", "tables", "assumptions"}
QUESTION = "com quantos dias de antecedência é pedida a viagem internacional?"


def the_json(done: Done) -> Any:
    """All of stdout is one JSON document."""
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def one_line(done: Done) -> str:
    """The error: one line on stderr, nothing on stdout, no traceback."""
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stderr.startswith("polyrag: ")
    return done.stderr


# --- ingest ----------------------------------------------------------------------------------------


def test_ingest_reports_every_file_in_the_contracts_keys(fresh_program: Program) -> None:
    done = fresh_program.run("ingest", "docs", "ruins", "--channel", "geral", "--json")

    found = the_json(done)
    assert done.returncode == 1  # one was rejected
    assert set(found) == {"files"}
    assert [(f["file"], f["status"]) for f in found["files"]] == [
        ("vendas.csv", "new"), ("viagens.md", "new"), ("bom.md", "new"), ("vazio.txt", "rejected"),
    ]  # fmt: skip
    for report in found["files"]:
        assert set(report) == REPORT
        assert set(report["chunks"]) == {"text", "graph", "relational"}
    (table,) = found["files"][0]["tables"]
    assert set(table) == {"name", "rows", "rejected"}
    assert table["rows"] == 3
    assert "vazio" in found["files"][3]["reason"]


def test_ingesting_again_changes_nothing_and_says_so(program: Program) -> None:
    found = the_json(program.run("ingest", "docs", "--channel", "geral", "--user", "ana", "--json"))

    assert [report["status"] for report in found["files"]] == ["same", "same"]


def test_a_file_that_is_not_there_is_rejected_like_one_that_cannot_be_read(program: Program) -> None:
    done = program.run("ingest", "nada.md", "--channel", "geral", "--json")

    assert done.returncode == 1
    assert the_json(done)["files"][0]["status"] == "rejected"


def test_ingest_without_a_declared_channel_says_how_to_declare_it(program: Program) -> None:
    text = one_line(program.run("ingest", "docs", "--channel", "novo"))

    assert "`novo: {visibility: public, members: []}`" in text
    assert "rh" not in text


def test_only_members_ingest_into_a_private_channel(program: Program) -> None:
    assert "não pode" in one_line(program.run("ingest", "docs", "--channel", "rh", "--user", "bia"))


def test_ingest_in_a_pipe_prints_a_line_per_file_and_no_bars(program: Program) -> None:
    done = program.run("ingest", "docs", "--channel", "geral", "--user", "ana")

    assert done.stdout.splitlines() == [
        "`vendas.csv`: já estava aqui, nada mudou.",
        "`viagens.md`: já estava aqui, nada mudou.",
    ]
    assert done.stderr == ""


# --- ask, route, sources, forget -------------------------------------------------------------------


def test_ask_prints_exactly_the_contracts_keys(program: Program) -> None:
    found = the_json(program.run("ask", QUESTION, "--channel", "geral", "--user", "bia", "--json"))

    assert set(found) == ANSWER
    assert "30" in found["answer"]
    assert not found["abstained"]
    assert found["cache"] in ("miss", "exact")
    for clause in found["clauses"]:
        assert set(clause) == CLAUSE
    for source in (*found["sources"], *found["retrieved"]):
        assert set(source) - {"sql", "rows"} == SOURCE
        assert source["label"] in ("SQL", "TEXT", "GRAPH")
    assert all(isinstance(ms, float | int) for ms in found["timings_ms"].values())


def test_a_question_is_answered_from_the_cache_the_second_time_and_anew_when_asked_fresh(
    program: Program,
) -> None:
    asked = [
        "ask",
        "a viagem internacional é pedida com quantos dias?",
        "--channel",
        "geral",
        "--user",
        "bia",
        "--json",
    ]
    verdicts = [the_json(program.run(*asked, *more))["cache"] for more in ([], [], ["--fresh"])]

    assert verdicts == ["miss", "exact", "bypass"]


def test_a_private_file_answers_its_members_and_nobody_else(program: Program) -> None:
    question = "qual o salário base do gerente?"
    member = the_json(program.run("ask", question, "--channel", "rh", "--user", "ana", "--json"))
    stranger = program.run("ask", question, "--channel", "rh", "--user", "bia", "--json")
    public = program.run("ask", question, "--channel", "geral", "--user", "ana", "--json")

    assert "18.400" in member["answer"]
    for done in (stranger, public):
        assert the_json(done)["abstained"]
        assert "18.400" not in done.stdout
        assert "salarios.md" not in done.stdout


def test_ask_without_json_prints_the_answer_and_its_sources(program: Program) -> None:
    done = program.run("ask", QUESTION, "--channel", "dm", "--user", "bia")

    assert done.returncode == 0
    assert "30" in done.stdout
    assert "viagens.md" in done.stdout
    assert done.stderr == ""


def test_a_thread_keeps_its_turns(program: Program) -> None:
    place = ["--channel", "geral", "--user", "bia", "--thread", "t1", "--json"]
    first = the_json(program.run("ask", "qual a receita total no Sul?", *place))
    then = the_json(program.run("ask", "e no Norte?", *place))

    assert first["understood_as"] == ""
    assert "Norte" in then["understood_as"]


def test_route_prints_where_a_text_would_go(program: Program) -> None:
    found = the_json(program.run("route", QUESTION, "--channel", "geral", "--user", "bia", "--json"))

    assert set(found) == {"text", "scope_tags", "clauses"}
    assert found["text"] == QUESTION
    assert found["scope_tags"] == ["console:local/geral"]
    assert [set(clause) for clause in found["clauses"]] == [CLAUSE]


def test_route_needs_neither_channel_nor_user(program: Program) -> None:
    found = the_json(program.run("route", QUESTION, "--json"))

    assert found["clauses"]


def test_sources_lists_what_its_asker_may_read(program: Program) -> None:
    names = {
        user: {s["document"] for s in the_json(program.run("sources", "--user", user, "--json"))["sources"]}
        for user in ("ana", "bia")
    }

    assert names == {"ana": {"viagens.md", "vendas.csv", "salarios.md"}, "bia": {"viagens.md", "vendas.csv"}}


def test_forget_prints_what_went(fresh_program: Program) -> None:
    fresh_program.run("ingest", "docs", "--channel", "geral", "--user", "ana")
    found = the_json(
        fresh_program.run("forget", "vendas.csv", "--channel", "geral", "--user", "ana", "--json")
    )

    assert found["file"] == "vendas.csv"
    assert found["removed"]["tables"] == 1
    left = the_json(fresh_program.run("sources", "--user", "ana", "--json"))["sources"]
    assert [source["document"] for source in left] == ["viagens.md"]
    assert "nome" in one_line(
        fresh_program.run("forget", "vendas.csv", "--channel", "geral", "--user", "ana")
    )


# --- audit and trace -------------------------------------------------------------------------------


def test_a_trace_shows_its_steps_as_a_waterfall(program: Program) -> None:
    asked = the_json(program.run("ask", QUESTION, "--channel", "geral", "--user", "bia", "--fresh", "--json"))
    shown = program.run("trace", asked["trace_id"][:12])
    found = the_json(program.run("trace", asked["trace_id"], "--json"))

    assert found["timings_ms"] == asked["timings_ms"]
    for step in asked["timings_ms"]:
        assert step == "total" or f"  {step}" in shown.stdout
    assert "█" in shown.stdout


def test_an_unknown_trace_is_an_error(program: Program) -> None:
    one_line(program.run("trace", "0123456789"))


def test_the_audit_trail_holds_acts_and_no_texts(program: Program) -> None:
    program.run("ask", "texto que ninguém anota na auditoria?", "--channel", "geral", "--user", "bia")
    rows = the_json(program.run("audit", "tail", "-n", "1", "--json"))["rows"]

    assert [(row["actor"], row["action"], row["tag"]) for row in rows] == [
        ("console:bia", "ask", "console:local/geral")
    ]
    assert "ninguém" not in json.dumps(rows, ensure_ascii=False)


# --- errors, usage, global options -----------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("nonsense",),
        ("ask",),
        ("ingest", "docs"),
        ("servers", "fly"),
        ("plugins", "new"),
        ("audit",),
        ("ask", "x", "--jso"),
    ],
)
def test_wrong_usage_exits_with_2_and_shows_the_usage(program: Program, arguments: tuple[str, ...]) -> None:
    done = program.run(*arguments)

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("usage: polyrag")


@pytest.mark.parametrize(
    ("typed", "meant"), [("asq", "ask"), ("Sources", "sources"), ("plugin", "plugins"), ("xyzzy", "")]
)
def test_a_mistyped_command_is_told_the_nearest_one(program: Program, typed: str, meant: str) -> None:
    done = program.run(typed)

    assert done.returncode == 2
    assert ("did you mean" in done.stderr) is bool(meant)
    assert f"did you mean {meant!r}?" in done.stderr or not meant


def test_a_mistyped_word_inside_a_command_is_told_the_nearest_one(program: Program) -> None:
    assert "did you mean 'list'?" in program.run("plugins", "lst").stderr
    assert program.run("audit", "tail", "-n", "-3").returncode == 2


def test_who_is_to_be_erased_and_is_not_known_is_a_failure(program: Program) -> None:
    done = program.run("erase", "user", "ninguém`x")

    assert done.returncode == 1
    assert done.stdout == ""
    assert "não havia nada para apagar" in done.stderr


def test_a_channel_that_the_configuration_no_longer_declares_can_still_be_erased(
    fresh_program: Program,
) -> None:
    config = fresh_program.folder / "config.yaml"
    fresh_program.run("ingest", "docs", "--channel", "geral", "--user", "ana")
    config.write_text(config.read_text(encoding="utf-8").replace("  geral:", "  equipe:"), encoding="utf-8")

    assert "viagens.md" not in fresh_program.run("sources", "--user", "ana").stdout
    assert "2 arquivo(s)" in fresh_program.run("erase", "channel", "geral").stdout
    assert fresh_program.run("erase", "channel", "geral").returncode == 1
    assert fresh_program.run("erase", "channel", "dm").returncode == 1
    assert fresh_program.run("erase", "channel", "equipe").returncode == 0
    assert fresh_program.run("erase", "channel", "C1", "--platform", "slack").returncode == 1


def test_a_wrong_configuration_is_told_whole_and_in_its_own_language(program: Program) -> None:
    wrong = program.folder / "errada.yaml"
    wrong.write_text("language: pt\nanswer: {mode: x}\ncache: {enabld: true}\n", encoding="utf-8")
    done = program.run("--config", str(wrong), "sources")

    assert done.returncode == 1
    assert "2 problemas" in done.stderr
    assert "answer.mode" in done.stderr
    assert "quis dizer 'enabled'?" in done.stderr


def test_global_options_stand_before_or_after_the_subcommand(program: Program, tmp_path: Path) -> None:
    before = program.run("--home", str(tmp_path / "a"), "sources", "--json")
    after = program.run("sources", "--home", str(tmp_path / "b"), "--json")

    assert the_json(before) == the_json(after) == {"sources": []}
    assert (tmp_path / "a").is_dir()
    assert (tmp_path / "b").is_dir()


def test_a_home_is_readable_by_its_owner_only(program: Program) -> None:
    assert stat.S_IMODE(program.home.stat().st_mode) == 0o700
    log = program.home / "run" / "polyrag.log"
    assert not log.exists() or stat.S_IMODE(log.stat().st_mode) == 0o600


def test_a_typo_in_the_configuration_is_one_line_with_the_nearest_name(program: Program) -> None:
    wrong = program.folder / "wrong.yaml"
    wrong.write_text("chanels: {}\n", encoding="utf-8")
    done = program.run("sources", "--config", str(wrong))

    assert "chanels" in one_line(done)
    assert "channels" in done.stderr


def test_an_adapter_without_its_variables_names_them(program: Program, tmp_path: Path) -> None:
    text = one_line(program.run("run", "--adapter", "consol"))

    assert "console" in text


def test_help_needs_no_home(fresh_program: Program) -> None:
    done = fresh_program.run("--help")

    assert done.returncode == 0
    assert not fresh_program.home.exists()
    for name in ("ask", "audit", "chat", "doctor", "forget", "ingest", "models", "plugins", "route", "run", "servers",
                 "sources", "trace"):  # fmt: skip
        assert f"\n    {name} " in done.stdout


# --- pipes and signals -----------------------------------------------------------------------------


def test_a_reader_that_goes_away_is_no_crash(program: Program) -> None:
    process = program.start(["sources", "--user", "ana", "--json"])
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()

    assert process.wait(120) != 0
    assert process.stderr.read() == ""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_chat_ends_quietly_and_leaves_no_process(
    program: Program, number: int, code: int
) -> None:
    process = program.start(["chat", "--channel", "geral", "--user", "bia"], start_new_session=True)
    assert process.stdin is not None
    process.stdin.write("!help\n")
    process.stdin.flush()
    assert process.stdout is not None
    assert process.stdout.readline()  # it answers, so it is up
    os.kill(process.pid, number)

    assert process.wait(60) == code  # its stdin is still open: it is the signal that ends it
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert "Traceback" not in process.stdout.read()
    assert not [p for p in psutil.process_iter() if _group(p.pid) == process.pid]


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


def test_an_interrupted_ingest_ends_with_130_and_the_next_run_is_whole(fresh_program: Program) -> None:
    for number in range(60):
        path = fresh_program.folder / "muitos" / f"nota{number:03d}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# Nota {number}\n\nA sala {number} fica no bloco {number % 7}.\n", encoding="utf-8")
    process = fresh_program.start(["ingest", "muitos", "--channel", "geral"])
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)

    assert process.returncode == 130
    assert err == ""
    again = the_json(fresh_program.run("ingest", "muitos", "--channel", "geral", "--json"))
    statuses = [report["status"] for report in again["files"]]
    assert len(statuses) == 60
    assert set(statuses) == {"same", "new"}


# --- the console in a pipe -------------------------------------------------------------------------


def test_a_conversation_in_a_pipe_is_plain_lines(program: Program) -> None:
    typed = "\n".join(
        [
            "@bot " + QUESTION, "!why", "!up", "!in rh", "!as ana", "!in rh", "qual o salário base do gerente?",
            "!thread vendas", "!upload docs/viagens.md", "!sources", "!in", "!quit", "depois",
        ]
    )  # fmt: skip
    done = program.talk("chat", "--channel", "geral", "--user", "bia", typed=typed)

    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    for part in (
        "30",
        "[TEXT] viagens.md",
        "Não conheço o canal `rh`",
        "18.400",
        "`viagens.md` guardado",
        "Uso: `!in",
    ):
        assert part in done.stdout
    assert done.stdout.index("Não conheço o canal `rh`") < done.stdout.index("18.400")


def test_a_file_that_another_process_stores_is_answered_from_at_once(fresh_program: Program) -> None:
    process = fresh_program.start(["chat", "--channel", "geral", "--user", "bia"])
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write("!sources\n")
    process.stdin.flush()
    assert "Ainda não há arquivos" in process.stdout.readline()  # the chat is open and has looked
    assert fresh_program.run("ingest", "docs", "--channel", "geral", "--user", "ana").returncode == 0
    out, err = process.communicate(QUESTION + "\n!quit\n", timeout=120)

    assert "30 dias" in out
    assert err == ""


def test_a_routing_decision_is_replayed_from_the_command_line(program: Program) -> None:
    asked = the_json(program.run("ask", QUESTION, "--channel", "geral", "--user", "bia", "--fresh", "--json"))
    found = the_json(program.run("audit", "replay", asked["trace_id"], "--json"))

    assert (found["equal"], found["different"], found["unreplayable"]) == (1, 0, 0)
    assert found["decisions"][0]["routes"] == asked["clauses"][0]["routes"]
    assert program.run("audit", "replay", "0123456789").returncode == 1


def test_a_home_without_records_has_nothing_to_show(fresh_program: Program) -> None:
    assert the_json(fresh_program.run("audit", "tail", "--json")) == {"rows": []}
    assert the_json(fresh_program.run("audit", "replay", "--json"))["decisions"] == []
    assert not fresh_program.home.exists()


def test_servers_that_do_not_run_are_shown_as_such(fresh_program: Program) -> None:
    found = the_json(fresh_program.run("servers", "status", "--json"))

    assert [(server["role"], server["state"]) for server in found["servers"]] == [
        ("embed", "plugin"), ("chat", "off"), ("ocr", "off"),
    ]  # fmt: skip


def test_doctor_exits_with_1_when_something_is_missing(fresh_program: Program) -> None:
    whole = fresh_program.run("doctor", "--json")
    lacking = fresh_program.run("doctor", "--json", "--config", "demo.yaml")

    assert whole.returncode == 0, whole.stdout
    assert {set(check) == {"name", "ok", "found", "fix"} for check in the_json(whole)["checks"]} == {True}
    assert lacking.returncode == 1
    missing = [check for check in the_json(lacking)["checks"] if not check["ok"]]
    assert any("polyrag models fetch" in check["fix"] for check in missing)


def test_models_lists_what_the_profile_needs(fresh_program: Program) -> None:
    found = the_json(fresh_program.run("models", "list", "--config", "demo.yaml", "--json"))["models"]

    assert all(set(model) == {"name", "kind", "needed", "state"} for model in found)
    assert {model["name"] for model in found if model["needed"]} == {
        "multilingual-e5-small",
        "qwen2.5-coder-1.5b",
    }


def test_plugins_lists_what_is_loaded_and_what_is_not_allowed(fresh_program: Program) -> None:
    allowed = the_json(fresh_program.run("plugins", "list", "--json"))["plugins"]
    refused = the_json(fresh_program.run("plugins", "list", "--json", "--config", "demo.yaml"))["plugins"]

    states = [{plugin["name"]: plugin["state"] for plugin in found} for found in (allowed, refused)]
    assert [found["stand-in"] for found in states] == ["active", "refused"]
    assert {found["console"] for found in states} == {"active"}


def test_the_end_of_input_ends_the_chat(program: Program) -> None:
    done = program.talk("chat", "--user", "bia", typed="")

    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_chat_reads_its_lines_from_a_file(program: Program) -> None:
    script = program.folder / "script.txt"
    script.write_text("!sources\n!quit", encoding="utf-8")
    with script.open() as lines:
        done = subprocess.run(
            [*program.command, "--config", "config.yaml", "chat", "--user", "bia"], stdin=lines, text=True,
            cwd=program.folder, env=program.environment, capture_output=True, timeout=120, check=False,
        )  # fmt: skip

    assert done.returncode == 0
    assert "viagens.md" in done.stdout


def test_a_model_of_a_plugin_that_did_not_load_is_refused_with_what_kept_the_plugin_away(
    fresh_program: Program,
) -> None:
    config = fresh_program.folder / "config.yaml"
    text = config.read_text(encoding="utf-8")
    config.write_text(text.replace("plugins: {allow: [stand-in]}", "plugins: {allow: []}"), encoding="utf-8")
    done = fresh_program.run("ask", "oi")

    assert done.returncode == 1
    assert "'stand-in' não é um destes" in done.stderr
    assert "não carregados: stand-in (não está em plugins.allow da configuração)" in done.stderr
