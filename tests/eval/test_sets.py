from pathlib import Path

import pytest

from core.errors import BadSetting
from eval.sets import load_set

SET = """
name: tiny
extra: kept
channels:
  geral: {visibility: public, members: [ana, bia]}
  rh: {visibility: private, members: [ana]}
corpus:
  - {file: a.md, channel: geral}
  - {file: missing.md, channel: geral}
  - {file: a.md, channel: nowhere}
questions:
  - {id: q1, text: "quanto?", user: bia, channel: geral, routes: [text], facts: [["1", "um"]], extra: 1}
  - {id: q2, user: bia}
  - {id: q1, text: "de novo?", user: bia}
cache_pairs:
  - {a: "x?", b: "y?", same: false}
followups:
  - {id: f1, channel: geral, user: bia, turns: []}
"""


def load(tmp_path: Path, text: str = SET):  # type: ignore[no-untyped-def]
    (tmp_path / "a.md").write_text("# A")
    path = tmp_path / "set.yaml"
    path.write_text(text)
    return load_set(path)


def test_what_is_wrong_in_a_set_is_reported_and_the_rest_is_used(tmp_path: Path) -> None:
    found = load(tmp_path)

    assert [q.id for q in found.questions] == ["q1"]
    assert len(found.corpus) == 1
    assert [p.where for p in found.problems] == [
        "corpus[2]", "corpus[3]", "questions[2]", "questions[3]", "followups[1]",
    ]  # fmt: skip


def test_a_cache_pair_is_asked_by_a_member_of_everything(tmp_path: Path) -> None:
    assert load(tmp_path).cache_pairs[0].user == "ana"


@pytest.mark.parametrize("text", ["- a list", "a: [unclosed", ""])
def test_a_file_that_is_no_set_is_refused_with_its_name(tmp_path: Path, text: str) -> None:
    with pytest.raises(BadSetting) as refused:
        load(tmp_path, text)

    assert "set.yaml" in refused.value.say("en")
