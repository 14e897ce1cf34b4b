import asyncio
from pathlib import Path

import pytest

from core.errors import BadSetting
from core.types import Triple
from eval.triples import Gold, load_marked, triples_report

SET = """
passages:
  - {id: a, lang: pt, title: Guia, headings: [], text: "A pintura é feita por Zeca Brum. O portão fica na Rua Sul.",
     relations: ["pintura; feita; zeca brum", "lua; fica; marte"], welcome: ["portao; fica; rua sul"]}
"""


def test_the_shipped_set_is_sound_and_in_both_languages() -> None:
    marked = load_marked()

    assert sum(len(item.missed) for item in marked) >= 70
    assert {item.chunk.language for item in marked} == {"pt", "en"}


def test_rules_are_scored_without_a_model_and_welcome_relations_count_neither_way(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_text(SET, encoding="utf-8")
    report = asyncio.run(triples_report(load_marked(path), None, lambda step, done, total: None))

    assert report["relations"] == 2
    assert "model" not in report
    assert report["rules"]["recall"] == 0.5
    assert report["rules"]["precision"] == 1.0
    assert report["rules"]["missing"] == ["lua; fica; marte"]


def test_a_pair_counts_in_either_direction_and_a_relation_in_one() -> None:
    gold = Gold(frozenset(["a"]), ("depende",), frozenset(["b"]), "a; depende; b")

    assert gold.is_same(Triple("a", "depende de", "b", "c"))
    assert not gold.is_same(Triple("b", "depende de", "a", "c"))
    assert gold.is_pair(Triple("b", "sustenta", "a", "c"))


def test_a_file_that_is_no_set_is_a_bad_setting(tmp_path: Path) -> None:
    path = tmp_path / "set.yaml"
    path.write_text("passages: 3", encoding="utf-8")

    with pytest.raises(BadSetting):
        load_marked(path)
