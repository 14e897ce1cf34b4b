"""Text from documents and models, made safe to post: it pings nobody and leaves no code fence open."""

import re

_BREAK = "\u200b"  # zero-width space: invisible, and enough for every platform to see no mention
_MASS = re.compile(r"@(?=(?:everyone|here|channel|all|todos|canal)\b)", re.IGNORECASE)
_MARKUP = re.compile(r"<(?=[@!#])")  # <@U1>, <@&role>, <!channel>, <!subteam^S1>, <#C1>
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]"
)  # controls and text-direction tricks
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)", re.MULTILINE)


def harmless(text: str) -> str:
    """Break mentions, drop control characters, close an open code fence. Twice is the same as once.

    >>> harmless("ping <!channel>") == "ping <\\u200b!channel>"
    True
    """
    text = _HIDDEN.sub("", text)
    text = _MASS.sub("@" + _BREAK, text)
    return balanced(_MARKUP.sub("<" + _BREAK, text))


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
