"""What the script and the question sets claim is recomputed here from the files themselves."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.normalize import fold

from .conftest import ROOT, Passages, frames

STORES = {"relational", "text", "graph"}
KINDS = {
    "figure", "narrative", "chain", "compound", "cross-language", "exact-code", "unanswerable", "out-of-scope",
    "repeated", "follow-up",
}  # fmt: skip
Numbered = tuple[Path, dict[str, Any]]


def value(text: str) -> float | None:
    """The number that an alternative spells, in Brazilian or in plain notation."""
    if re.fullmatch(r"-?\d{1,3}(\.\d{3})*(,\d+)?", text):
        return float(text.replace(".", "").replace(",", "."))
    return float(text) if re.fullmatch(r"-?\d+(\.\d+)?", text) else None


def spells(alternatives: list[str], cell: object) -> bool:
    """Does one alternative say what the cell holds: by value (two decimals), or as folded text?"""
    if isinstance(cell, str):
        return any(fold(text) == fold(cell) for text in alternatives)
    assert isinstance(cell, int | float)
    return any(number is not None and abs(number - cell) < 0.0051 for number in map(value, alternatives))


def asked(question: dict[str, Any]) -> list[str]:
    queries = question.get("gold_sql", [])
    return [queries] if isinstance(queries, str) else list(queries)


def holders(quote: str, passages: Passages) -> list[str]:
    """The paragraphs that hold a quote."""
    wanted = fold(quote)
    return [text for texts in passages.values() for text in texts if wanted in text]


def everything(question_set: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Questions, and follow-up turns, which carry facts and gold queries in the same way."""
    yield from question_set.get("questions", [])
    for talk in question_set.get("followups", []):
        yield from talk["turns"]


def check_figures(question: dict[str, Any], gold: sqlite3.Connection) -> None:
    facts = question.get("facts", [])
    for query in asked(question):
        rows = gold.execute(query).fetchall()
        assert rows, query
        if "rows" in question:
            rounded = [[round(cell, 2) if isinstance(cell, float) else cell for cell in row] for row in rows]
            assert question["rows"] == rounded, question["text"]
        said = [cell for row in rows for cell in row if any(spells(group, cell) for group in facts)]
        assert said, question["text"]
        if len(facts) >= sum(len(row) for row in rows):
            assert len(said) == sum(len(row) for row in rows), question["text"]


def check_evidence(question: dict[str, Any], passages: Passages) -> None:
    around = ""
    for quote in question.get("evidence", []):
        found = holders(quote, passages)
        assert found, quote
        assert all(len(text) <= 1500 for text in found), quote
        around += " ".join(found)
    if question.get("evidence") and not asked(question):
        for group in question["facts"]:
            assert any(fold(text) in around for text in group), (question["text"], group)


def test_sets_use_the_channels_and_the_upload_order_of_the_demo(
    question_set: Numbered, channels: dict[str, Any]
) -> None:
    path, loaded = question_set

    assert loaded["name"] == path.stem
    assert loaded["channels"] == channels["channels"]
    assert [((path.parent / entry["file"]).resolve(), entry["channel"]) for entry in loaded["corpus"]] == [
        ((ROOT / "demo" / entry["file"]).resolve(), entry["channel"]) for entry in channels["corpus"]
    ]


def test_questions_are_well_formed(question_set: Numbered) -> None:
    _, loaded = question_set
    questions = loaded["questions"]

    assert len({question["id"] for question in questions}) == len(questions)
    assert len({(question["text"], question["channel"]) for question in questions}) == len(questions)
    for question in questions:
        room = loaded["channels"].get(question["channel"], {"visibility": "dm"})
        assert set(question["routes"]) <= STORES
        assert question["lang"] in {"pt", "en"}
        assert question["answerable"] == bool(question.get("facts"))
        assert question["answerable"] == bool(question["routes"])
        assert question["channel"] in {*loaded["channels"], "dm"}
        assert room["visibility"] != "private" or question["user"] in room["members"]
        single = not {"compound", "comparison"} & set(question.get("tags", []))
        if question["answerable"] and single:
            assert len(question["routes"]) == 1
            assert question.get("rows" if question["routes"] == ["relational"] else "evidence")


def test_figures_and_rows_are_what_the_files_give(question_set: Numbered, gold: sqlite3.Connection) -> None:
    for question in everything(question_set[1]):
        check_figures(question, gold)


def test_quotes_stand_in_the_files_and_hold_the_facts(question_set: Numbered, passages: Passages) -> None:
    for question in question_set[1]["questions"]:
        check_evidence(question, passages)


def test_forbidden_strings_are_not_in_what_the_asker_may_read(
    question_set: Numbered, passages: Passages
) -> None:
    public = fold(
        "\n".join(text for file, texts in passages.items() if not file.startswith("rh/") for text in texts)
    )
    tables = frames()
    cells = {
        f"{cell:.2f}" if isinstance(cell, int | float) else str(cell)
        for name in set(tables) - {"cargos", "ferias"}
        for cell in tables[name].to_numpy().ravel()
    }
    for question in question_set[1]["questions"]:
        for text in question.get("forbidden", []):
            assert question["channel"] != "rh"
            assert fold(text) not in public, text
            number = value(text)
            assert number is None or f"{number:.2f}" not in cells, text


def test_sets_are_as_large_and_mixed_as_they_have_to_be() -> None:
    from .conftest import load

    sets = {
        name: load(ROOT / "eval/sets" / f"{name}.yaml")
        for name in ("golden", "compound", "unanswerable", "cache")
    }
    golden = sets["golden"]["questions"]
    several = [{"compound", "comparison"} & set(q.get("tags", [])) for q in sets["compound"]["questions"]]
    answerable = [q["answerable"] for q in sets["unanswerable"]["questions"]]
    same = [pair["same"] for pair in sets["cache"]["cache_pairs"]]

    assert 40 <= len(golden) <= 50
    assert all(sum(store in q["routes"] for q in golden) >= 10 for store in STORES)
    assert sum(q["lang"] == "en" for q in golden) >= 8
    assert len(several) >= 20
    assert sum(map(bool, several)) >= 12
    assert several.count(set()) >= 10
    assert answerable.count(False) >= 20
    assert answerable.count(True) >= 10
    assert len(same) >= 25
    assert same.count(True) >= 8
    assert len(sets["cache"]["followups"]) >= 6


def test_cache_pairs_ask_about_things_in_two_spellings(question_set: Numbered) -> None:
    pairs = question_set[1].get("cache_pairs", [])

    assert all(pair["a"] != pair["b"] and isinstance(pair["same"], bool) and pair["why"] for pair in pairs)
    assert len({(pair["a"], pair["b"]) for pair in pairs}) == len(pairs)


def test_script_plays_one_question_of_each_kind(script: dict[str, Any], channels: dict[str, Any]) -> None:
    questions = script["questions"]

    assert len(questions) == 12
    assert {question["kind"] for question in questions} >= KINDS
    for question in questions:
        room = channels["channels"][question["channel"]]
        assert question["abstain"] == (not question["facts"])
        assert question["cache"] in {"exact", "paraphrase", "miss"}
        assert room["visibility"] == "public" or question["user"] in room["members"]


def test_script_expects_what_the_files_hold(
    script: dict[str, Any], gold: sqlite3.Connection, passages: Passages
) -> None:
    for question in script["questions"]:
        check_figures(question, gold)
        check_evidence(question, passages)


def test_a_cached_answer_is_expected_only_for_a_message_asked_before(script: dict[str, Any]) -> None:
    before: set[tuple[str, str]] = set()
    for question in script["questions"]:
        key = (question["channel"], fold(question["text"]))
        assert (question["cache"] == "exact") == (key in before)
        before.add(key)


@pytest.mark.parametrize(
    ("alternatives", "cell", "agrees"),
    [
        (["2.882.451,90"], 2882451.9, True),
        (["2882451.90"], 2882451.8999999994, True),
        (["1,27"], 1.27, True),
        (["20.911"], 20911, True),
        (["20.911"], 20.911, False),
        (["Ouro"], "ouro", True),
        (["PO-17"], 17, False),
    ],
)
def test_facts_are_compared_by_value(alternatives: list[str], cell: object, agrees: bool) -> None:
    assert spells(alternatives, cell) == agrees
