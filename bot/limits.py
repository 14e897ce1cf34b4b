"""Texts that are longer than a platform's message: cut where a reader would pause, and nothing is lost. Pure."""

import re
import unicodedata

SMALLEST = 40  # room for a fence that is closed and opened again, and some text in it
_FENCE = re.compile(r"^[ \t]*(`{3,8}|~{3,8})([^\n`]*)$", re.MULTILINE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_LINE = re.compile(r"\n")
_SENTENCE = re.compile(r"[.!?…][\"'’”»)\]*_]*[ \t]+(?=[\W\d_]*[^\W\d_a-zß-öø-ÿ])")
_WORD = re.compile(r"[ \t]+")
# Where to cut, best first, and how full a piece has to be (of its room) for that kind of cut to be taken.
_PLACES = ((_PARAGRAPH, 0.4), (_LINE, 0.5), (_SENTENCE, 0.3), (_LINE, 0.2), (_WORD, 0.0))
_PLACES_IN_CODE = ((_LINE, 0.2), (_WORD, 0.2))
_INFO = 12  # characters of a fence's language that are repeated when it is opened again
_JOINS = ("\u200d", "\ufe0f")  # never the first character of a piece: they belong to the one before


def split(text: str, limit: int) -> tuple[str, ...]:
    """Pieces of at most `limit` characters (code points), none of them blank.

    Cuts stand between paragraphs, else lines, sentences, words; only white space goes at a cut. A code fence that is
    cut is closed and opened again in the next piece.

    Args:
        text: Markdown.
        limit: at least `SMALLEST`.
    Raises: ValueError for a smaller limit.
    """
    if limit < SMALLEST:
        raise ValueError(f"limit {limit} < {SMALLEST}")
    pieces: list[str] = []
    reopened, rest = "", text
    while len(reopened) + len(rest) > limit:
        head, opening, rest = _first(reopened, rest, limit)
        pieces.append(head)
        reopened = f"{opening}\n" if opening else ""
    pieces.append(reopened + rest)
    return tuple(piece for piece in pieces if _says_something(piece))


def open_fence(text: str) -> str:
    """The line that opened the code fence in which the text ends, its language shortened; "" outside of a fence."""
    opening = mark = ""
    for found in _FENCE.finditer(text):
        marks, info = found.group(1), found.group(2).strip()
        if not mark:
            mark, opening = marks, marks + (info if len(info) <= _INFO else "")
        elif marks[0] == mark[0] and len(marks) >= len(mark) and not info:
            mark = opening = ""
    return opening


def _first(reopened: str, rest: str, limit: int) -> tuple[str, str, str]:
    """The first piece, the fence that its end had to close ("" where none), and what is left."""
    room = limit - len(reopened)
    fenced = bool(reopened) or _FENCE.search(rest) is not None
    room -= 1 + 8 if fenced else 0  # a line break and the longest closing mark
    cut, start = _cut(reopened, rest, room)
    head, left = reopened + rest[:cut], rest[start:]
    opening = open_fence(head)
    if not opening:
        return head.rstrip(), "", left
    mark = opening[: len(opening) - len(opening.lstrip(opening[0]))]
    if left.lstrip().startswith(mark) and not left.lstrip()[len(mark) :].split("\n", 1)[0].strip():
        left = left.lstrip()[len(mark) :].lstrip("\n")  # the closing mark is there already
        return f"{head.rstrip()}\n{mark}", "", left
    return f"{head.rstrip(chr(10))}\n{mark}", opening, left


def _cut(reopened: str, rest: str, room: int) -> tuple[int, int]:
    """Where the first piece ends and the next begins; white space between the two goes."""
    window = rest[: room + 1]
    for pattern, fill in _PLACES:
        found = _last(pattern, window, room, max(1, int(fill * room)))
        if found and not open_fence(reopened + rest[: found[0]]):
            return found
    for pattern, fill in _PLACES_IN_CODE:
        found = _last(pattern, window, room, max(1, int(fill * room)))
        if found:
            return found
    cut = room
    while cut > room // 2 and (unicodedata.combining(rest[cut]) or rest[cut] in _JOINS):
        cut -= 1
    return (cut, cut)


def _last(pattern: re.Pattern[str], window: str, room: int, least: int) -> tuple[int, int] | None:
    """The last match that leaves between `least` and `room` characters before it."""
    found = None
    for match in pattern.finditer(window):
        end = match.end() if pattern is _SENTENCE else match.start()
        kept = len(window[:end].rstrip())
        if least <= kept <= room:
            found = (end, match.end())
    return found


def _says_something(piece: str) -> bool:
    """Not blank, and not only the marks of a fence that was opened and closed at once."""
    return bool(piece.strip("`~ \t\n"))
