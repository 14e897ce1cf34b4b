"""What a file is called is no markup: receipts, lists and failures show it as one line inside its code span."""

from collections.abc import Iterator

import pytest

from bot.testkit import FakePlatform

LURES = ("x`[free](https://evil.example)`.md", "```.md", "a\n# Title\n`.md", "n" * 3000 + ".md")


@pytest.fixture
def chat() -> Iterator[FakePlatform]:
    with FakePlatform(channels={"geral": {}}, admins=["root"], settings={"language": "en"}) as platform:
        yield platform


def spans_of(line: str) -> list[str]:
    """What stands outside the code spans of a line, at even places, and inside, at odd ones."""
    return line.split("`")


@pytest.mark.parametrize("name", LURES)
@pytest.mark.parametrize("text", ["# A\n\nThe pump is in hall 3.", ""], ids=["stored", "refused"])
def test_a_receipt_keeps_the_name_in_its_code_span(chat: FakePlatform, name: str, text: str) -> None:
    receipt = chat.says("ana", files={name: text}).text

    (first, *rest) = receipt.splitlines()
    outside = "".join(spans_of(first)[::2] + rest)
    assert len(spans_of(first)) == 3
    assert "evil" not in outside
    assert "Title" not in outside
    assert len(receipt) < 400


@pytest.mark.parametrize("name", LURES)
def test_the_list_and_the_receipt_of_forgetting_keep_it_too(chat: FakePlatform, name: str) -> None:
    chat.says("ana", files={name: "# A\n\nThe pump is in hall 3."})

    header, line = chat.says("ana", "/sources").text.splitlines()
    gone = chat.says("ana", f"/forget {name}").text

    assert "**" in header
    assert len(spans_of(line)) == 3
    assert len(gone.splitlines()) == 1
    assert len(line) < 200
    assert "](https" not in "".join(spans_of(line)[::2] + spans_of(gone)[::2])
