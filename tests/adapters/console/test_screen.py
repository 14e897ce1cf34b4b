"""Where the console's lines come from and go to."""

import asyncio
import os
from io import StringIO

from adapters.console.screen import Screen, typed_lines
from bot.plain import Line


def test_a_pipe_gets_plain_lines_and_neither_prompt_nor_pieces() -> None:
    out = StringIO()
    screen = Screen(out)
    screen.ask("ana #geral> ")
    with screen.coming_in() as more:
        assert more is None
    with screen.progress("a.md") as progress:
        assert progress is None
    screen.show([Line("30 **dias**"), Line("[TEXT] a.md", "label")])
    screen.end()

    assert out.getvalue() == "30 **dias**\n[TEXT] a.md\n"


def test_a_terminal_sees_the_answer_while_it_is_written_and_then_only_the_final_one() -> None:
    out = StringIO()
    screen = Screen(out, terminal=True)
    screen.ask("ana dm> ")
    with screen.coming_in() as more:
        assert more is not None
        for piece in ("são ", "trinta ", "dias"):
            more(piece)
    screen.show([Line("São 30 dias.")])
    text = out.getvalue()

    assert text.startswith("ana dm> ")
    assert "são trinta dias" in text
    assert "\x1b[2K" in text[text.index("são trinta dias") :]  # the draft is wiped
    assert text.rstrip().endswith("São 30 dias.")


def test_a_terminal_shows_how_far_an_upload_is() -> None:
    out = StringIO()
    screen = Screen(out, terminal=True)
    with screen.progress("[red]a.md\x1b[2J") as progress:
        assert progress is not None
        progress("embed", 2, 4)

    assert "[red]a.md" in out.getvalue()  # a file's name is no markup
    assert "\x1b[2J" not in out.getvalue()
    assert "2/4" in out.getvalue()


def test_lines_break_where_the_bot_broke_them() -> None:
    out = StringIO()
    Screen(out, terminal=True).show([Line("um\ndois\n```\na  b\nc\n```")])
    shown = [line.strip() for line in out.getvalue().split("\n")]

    assert "um" in shown
    assert "dois" in shown


def read_all(data: bytes, *, late: bytes = b"") -> list[str]:
    """What `typed_lines` makes of these bytes in a pipe; `late` comes once the first lines were handled."""
    reading, writing = os.pipe()
    os.write(writing, data)
    if not late:
        os.close(writing)

    async def collect() -> list[str]:
        found = []
        with os.fdopen(reading) as stream:
            async for line in typed_lines(stream):
                found.append(line)
                await asyncio.sleep(0)
                if late and len(found) == data.count(b"\n"):
                    os.write(writing, late)
                    os.close(writing)
        return found

    return asyncio.run(asyncio.wait_for(collect(), 10))


def test_lines_come_from_a_pipe_until_its_end() -> None:
    assert read_all(b"um\ndois\r\n\ntr\xc3\xaas") == ["um", "dois", "", "três"]
    assert read_all(b"") == []


def test_lines_that_come_later_are_waited_for() -> None:
    assert read_all(b"um\ndois\n", late=b"tres\nqua") == ["um", "dois", "tres", "qua"]


def test_bytes_that_are_no_text_do_not_end_the_chat() -> None:
    assert read_all(b"\xff\xfe\nok\n") == ["\ufffd\ufffd", "ok"]
