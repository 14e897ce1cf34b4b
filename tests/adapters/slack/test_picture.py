"""The guide's picture is drawn from the blocks that the bot really sends."""

from pathlib import Path
from xml.etree import ElementTree

import pytest

from adapters.slack.picture import draw, draw_example, example
from adapters.slack.write import posts
from bot.cli import main
from tests.adapters.slack.fake.checks import Rules, check_message


def words(svg: str) -> str:
    return " ".join(element.text or "" for element in ElementTree.fromstring(svg).iter() if element.text)


@pytest.mark.parametrize("language", ["pt", "en"])
def test_the_picture_shows_what_the_message_holds(language: str) -> None:
    (post,) = posts(example(language))  # type: ignore[arg-type]
    check_message(post.text, list(post.blocks), Rules())
    shown = words(draw_example(language))  # type: ignore[arg-type]
    for expected in ("15.230,50" if language == "pt" else "15,230.50", "SELECT", "👍", "👎", "▸", "p. 3"):
        assert expected in shown


def test_what_it_cannot_draw_is_named() -> None:
    assert "[video]" in words(draw([{"type": "video"}]))


def test_text_of_blocks_cannot_break_the_picture() -> None:
    block = {"type": "section", "text": {"type": "mrkdwn", "text": "a &amp; &lt;/text&gt;&lt;script&gt;"}}
    assert "</text><script>" in words(draw([block]))


def test_the_command_writes_the_picture_of_the_guide(tmp_path: Path) -> None:
    target = tmp_path / "reply.svg"
    config = tmp_path / "c.yaml"
    config.write_text("language: en", encoding="utf-8")
    assert main(["--home", str(tmp_path), "--config", str(config), "slack", "picture", str(target)]) == 0
    guide = Path(__file__).resolve().parents[3] / "docs" / "slack-reply.svg"
    assert target.read_text(encoding="utf-8") == guide.read_text(encoding="utf-8")
