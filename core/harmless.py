"""Text from documents and models, made safe to post: it pings nobody and leaves no code fence open."""

import re

_BREAK = "\u200b"  # zero-width space: invisible, and enough for every platform to see no mention
_MASS = re.compile(r"@(?=(?:everyone|here|channel|all|todos|canal)\b)", re.IGNORECASE)
_MARKUP = re.compile(r"<(?=[@!#])")  # <@U1>, <@&role>, <!channel>, <!subteam^S1>, <#C1>
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]"
)  # controls and text-direction tricks
_GAP = re.compile(
    r"[\s\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\u2028\u2029]+"
)  # what would break a line or hide in one
_LONGEST_NAME = 120  # characters
_LINKED = re.compile(r"\](?=\()|:(?=//)|\bwww(?=\.)", re.IGNORECASE)  # what a platform would make a link of
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)", re.MULTILINE)


def harmless(text: str) -> str:
    """Break mentions, drop control characters, close an open code fence. Twice is the same as once.

    >>> harmless("ping <!channel>") == "ping <\\u200b!channel>"
    True
    """
    return balanced(_pingless(_HIDDEN.sub("", text)))


def _pingless(text: str) -> str:
    return _MARKUP.sub("<" + _BREAK, _MASS.sub("@" + _BREAK, text))


def shown_name(name: str) -> str:
    """A file's name as one line that stays in a code span: what its sender called it is no markup.

    >>> shown_name("x`[free](https://a.example)`.md\\n")
    'xʼ[free](https://a.example)ʼ.md'
    """
    line = _GAP.sub(" ", name.replace(_BREAK, "")).replace("`", "ʼ").strip()
    if len(line) > _LONGEST_NAME:
        line = line[: _LONGEST_NAME - 1].rstrip() + "…"
    return _pingless(line)  # last: what is cut off may leave a mention behind


def unlinked(text: str) -> str:
    """Words that a file or its reader brought into the bot's own sentence: harmless, on one line, and no link.

    >>> unlinked("see [free](https://a.example)") == "see [free]\u200b(https:\u200b//a.example)"
    True
    """
    line = " ".join(harmless(text).replace("```", "ʼʼʼ").split())
    return _LINKED.sub(lambda found: found.group() + _BREAK, line)


def balanced(text: str) -> str:
    """Close the last code fence if it is open, with the mark that opened it."""
    opened = ""
    for match in _FENCE.finditer(text):
        mark = match.group(1)
        if not opened:
            opened = mark
        elif mark[0] == opened[0] and len(mark) >= len(opened):
            opened = ""
    return f"{text.rstrip()}\n{opened}" if opened else text


def fenceless(text: str) -> str:
    """A quotation that cannot open or close a fence: runs of three marks are broken up."""
    return re.sub(r"(`|~)(?=\1\1)", lambda match: match.group(1) + _BREAK, text)
