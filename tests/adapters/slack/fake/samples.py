"""Blocks of the kinds that answers are made of."""

from typing import Any

Block = dict[str, Any]


def plain(text: str) -> Block:
    return {"type": "plain_text", "text": text}


def section(text: str = "x", **more: Any) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}, **more}


def button(text: str = "ok", **more: Any) -> Block:
    return {"type": "button", "text": plain(text), **more}


def actions(*elements: Block) -> Block:
    return {"type": "actions", "elements": list(elements)}


def table(rows: int = 2, columns: int = 2, text: str = "x") -> Block:
    return {"type": "table", "rows": [[{"type": "raw_text", "text": text}] * columns] * rows}


def container(*children: Block, **more: Any) -> Block:
    return {"type": "container", "title": plain("Como cheguei aqui"), "child_blocks": list(children), **more}
