"""`polyrag eval` as a measurer runs it: sets, files, public folders and calibration print figures of their own inputs."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bot.conftest import Program, make_program

SET = {
    "name": "small",
    "channels": {"geral": {"visibility": "public", "members": ["ana"]}},
    "corpus": [{"file": "docs/viagens.md", "channel": "geral"}, {"file": "docs/sub/vendas.csv", "channel": "geral"}],
    "questions": [
        {
            "id": "q1",
            "text": "com quantos dias de antecedência se pede a viagem internacional?",
            "lang": "pt",
            "channel": "geral",
            "user": "ana",
            "routes": ["text"],
            "evidence": ["30 dias de antecedência"],
            "facts": [["30"]],
        },
        {
            "id": "q2",
            "text": "qual a receita total?",
            "lang": "pt",
            "channel": "geral",
            "user": "ana",
            "routes": ["relational"],
            "facts": [["2234,10", "2.234,10"]],
            "rows": [[2234.10]],
        },
    ],
    "cache_pairs": [
        {"a": "qual a receita no Sul?", "b": "qual a receita no Norte?", "same": False, "why": "other region"}
    ],
}  # fmt: skip


@pytest.fixture
def program(tmp_path: Path) -> Program:
    return make_program(tmp_path)


def report_of(program: Program, *arguments: str) -> dict[str, Any]:
    done = program.run("eval", *arguments, "--json", "out.json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads((program.folder / "out.json").read_text(encoding="utf-8"))
    return found


def test_a_set_is_scored_by_what_it_expects(program: Program) -> None:
    (program.folder / "set.yaml").write_text(yaml.safe_dump(SET, allow_unicode=True), encoding="utf-8")

    report = report_of(program, "set.yaml", "--mode", "full")

    assert report["n"] == 2
    assert report["overall"]["sql_exact"] == 1.0
    assert report["overall"]["facts"] == 1.0
    assert report["overall"]["recall_at_1"] == 1.0
    assert (report["cache"]["pairs"], report["cache"]["true_hits"], report["cache"]["false_hits"]) == (
        1,
        0,
        0,
    )


def test_files_are_right_only_when_everything_expected_is_found(program: Program) -> None:
    lines = [
        {"file": "docs/viagens.md", "must_contain": ["30 dias"]},
        {"file": "docs/viagens.md", "must_contain": ["31 dias"]},
        {"file": "docs/sub/vendas.csv", "must_contain": ["1234.50"], "facts": {"rows": 3, "columns": 3}},
    ]
    (program.folder / "expected.jsonl").write_text(
        "\n".join(json.dumps(line) for line in lines), encoding="utf-8"
    )

    report = report_of(program, "files", "expected.jsonl")

    assert [file["right"] for file in report["files"]] == [True, False, True]
    assert report["files"][1]["missing"] == ["31 dias"]
    assert report["overall"] == {"right": pytest.approx(2 / 3, abs=1e-4), "n": 3}


def test_each_public_folder_gets_a_block_by_its_shape(program: Program) -> None:
    base = program.folder / "public"
    retrieval, sql, pairs, other = (base / name for name in ("passages", "sql", "pairs", "other"))
    for folder in (retrieval, sql / "databases", pairs, other):
        folder.mkdir(parents=True)
    texts = {
        "d1": "O fio azul custa dez reais.",
        "d2": "A copa fecha às dezoito horas.",
        "d3": "O gato dorme.",
    }
    (retrieval / "corpus.jsonl").write_text(
        "\n".join(json.dumps({"_id": k, "text": t}) for k, t in texts.items())
    )
    (retrieval / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "quando fecha a copa?"}))
    (retrieval / "qrels.tsv").write_text("query-id\tcorpus-id\tscore\nq1\td2\t1\n")
    with sqlite3.connect(sql / "databases" / "shop.sqlite") as connection:
        connection.execute("CREATE TABLE sales (product TEXT, amount INTEGER)")
        connection.executemany("INSERT INTO sales VALUES (?, ?)", [("thread", 3), ("lace", 4), ("yarn", 5)])
    question = {"db_id": "shop", "question_en": "what is the total amount of sales?", "gold_rows": [[12]]}
    (sql / "questions.jsonl").write_text(json.dumps(question))
    pair = {
        "a": "how many in the South?",
        "b": "how many in the North?",
        "label": "different",
        "sql_a": "1",
        "sql_b": "2",
    }
    (pairs / "pairs.jsonl").write_text(json.dumps(pair))

    report = report_of(program, "public", "public")

    assert report["passages"]["full"]["recall_at_1"] == 1.0
    assert report["passages"]["n"] == 1
    assert report["sql"]["en"]["right"] == 1.0
    assert report["pairs"]["different"] == 1
    assert report["pairs"]["false_hits"] == 0
    assert "problem" in report["other"]


def test_calibration_prints_marks_that_the_configuration_takes(program: Program) -> None:
    (program.folder / "set.yaml").write_text(yaml.safe_dump(SET, allow_unicode=True), encoding="utf-8")

    report = report_of(program, "calibrate", "set.yaml")

    from core.settings import Thresholds

    assert report["questions"] == 2
    assert Thresholds(**report["thresholds"])
    assert report["thresholds"]["route_low"] <= report["thresholds"]["route_high"]


def test_a_folder_that_is_missing_is_a_clear_error(program: Program) -> None:
    done = program.run("eval", "public", "nowhere")

    assert done.returncode == 1
    assert "nowhere" in done.stderr
