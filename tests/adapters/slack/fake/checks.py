"""What Slack refuses in a message or a view, and what would make it notify people. Pure: payload in, `Refused` or nothing out.

Where Slack's own limits are vague the smaller figure is taken: 12,000 characters over all blocks of a message (Slack's
validator gives up near 13,200), 10,000 in a table, children of a container only of the kinds its validator is known to take.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tests.adapters.slack.fake.elements import check_elements, check_text
from tests.adapters.slack.fake.state import Json, Refused

MESSAGE_BLOCKS, VIEW_BLOCKS = 50, 100
ALL_BLOCKS, MARKDOWN, TABLE_TEXT, TEXT = 12_000, 12_000, 10_000, 40_000
COMMON = {"type", "block_id"}
KEYS = {
    "section": {"text", "fields", "accessory", "expand"},
    "header": {"text", "level"},
    "divider": set(),
    "context": {"elements"},
    "context_actions": {"elements"},
    "actions": {"elements"},
    "image": {"image_url", "slack_file", "alt_text", "title"},
    "markdown": {"text"},
    "rich_text": {"elements"},
    "table": {"rows", "column_settings"},
    "container": {
        "title", "rich_text_title", "subtitle", "child_blocks", "width", "icon",
        "is_collapsible", "default_collapsed", "has_header_divider",
    },
    "task_card": {"task_id", "title", "details", "output", "sources", "status"},
    "plan": {"title", "tasks"},
    "input": {"label", "element", "hint", "optional", "dispatch_action"},
}  # fmt: skip
IN_MESSAGES = set(KEYS) - {"input"}
IN_VIEWS = {"section", "header", "divider", "context", "actions", "image", "rich_text", "input"}
IN_CONTAINERS = {"section", "context", "divider", "actions", "header", "image", "table"}
BROADCAST = re.compile(
    r"<!(?:channel|here|everyone|subteam\^[A-Z0-9]+)(?:\|[^>]*)?>|<@[UW][A-Z0-9]+(?:\|[^>]*)?>"
)
NAMED = re.compile(r"(?<![\w`])@(?:channel|here|everyone)\b")


@dataclass(slots=True)
class Rules:
    """What this workspace takes; the newer blocks are not there in every one."""

    containers: bool = True
    tables: bool = True
    markdown: bool = True
    streams: bool = True


def refuse_block(where: str, why: str) -> Refused:
    return Refused("invalid_blocks", f"[ERROR] {why} [json-pointer:{where}]")


def check_message(text: str, blocks: Any, rules: Rules) -> list[Json]:
    """The blocks of a message that Slack would take. Raises: Refused."""
    if len(text) > TEXT:
        raise Refused("msg_too_long")
    checked = check_blocks(blocks, rules, IN_MESSAGES, MESSAGE_BLOCKS)
    if sum(map(len, texts(checked))) > ALL_BLOCKS:
        raise Refused("msg_blocks_too_long")
    return checked


def check_view(view: Any, rules: Rules, kind: str) -> Json:
    """A Home tab or a modal. Raises: Refused."""
    if not isinstance(view, dict) or view.get("type") != kind:
        raise Refused("invalid_arguments", f"[ERROR] must be a view of type {kind} [json-pointer:/view]")
    check_blocks(view.get("blocks"), rules, IN_VIEWS, VIEW_BLOCKS)
    if len(str(view)) > 250_000:
        raise Refused("view_too_large")
    if kind == "modal":
        for name in ("title", "submit", "close"):
            if name in view or name == "title":
                check_text(view.get(name), f"/view/{name}", 24, kinds=("plain_text",))
    if len(str(view.get("private_metadata", ""))) > 3000:
        raise Refused("invalid_arguments", "[ERROR] private_metadata is over 3000 characters")
    return view


def check_blocks(blocks: Any, rules: Rules, allowed: set[str], limit: int) -> list[Json]:
    if not isinstance(blocks, list):
        raise Refused("invalid_blocks_format")
    everything = [block for top in blocks for block in _family(top)]
    if len(everything) > limit:
        raise refuse_block("/blocks", f"no more than {limit} items allowed")
    for number, block in enumerate(blocks):
        check_block(block, f"/blocks/{number}", rules, allowed)
    if sum(block.get("type") == "table" for block in everything) > 1:
        raise refuse_block("/blocks", "only_one_table_allowed")
    _unique([block["block_id"] for block in everything if block.get("block_id")], "block_id")
    _unique(list(_action_ids(blocks)), "action_id")
    return blocks


def check_block(block: Any, where: str, rules: Rules, allowed: set[str]) -> None:
    kind = block.get("type") if isinstance(block, dict) else None
    if kind not in allowed or not _offered(kind, rules):
        raise refuse_block(f"{where}/type", f"unsupported type: {kind}")
    if unknown := set(block) - COMMON - KEYS[kind]:
        raise refuse_block(where, f"invalid additional property: {sorted(unknown)[0]}")
    if "block_id" in block and not 0 < len(str(block["block_id"])) <= 255:
        raise refuse_block(f"{where}/block_id", "must be 1 to 255 characters")
    match kind:
        case "section":
            _section(block, where)
        case "header":
            check_text(block.get("text"), f"{where}/text", 150, kinds=("plain_text",))
        case "markdown":
            if not isinstance(block.get("text"), str) or not 0 < len(block["text"]) <= MARKDOWN:
                raise refuse_block(f"{where}/text", f"must be 1 to {MARKDOWN} characters")
        case "context" | "context_actions" | "actions":
            check_elements(kind, block.get("elements"), where)
        case "image":
            _image(block, where)
        case "table":
            _table(block, where)
        case "container":
            _container(block, where, rules)
        case "input":
            check_text(block.get("label"), f"{where}/label", 2000, kinds=("plain_text",))
        case "rich_text":
            if not isinstance(block.get("elements"), list) or not block["elements"]:
                raise refuse_block(f"{where}/elements", "no elements")


def _offered(kind: str, rules: Rules) -> bool:
    return {"container": rules.containers, "table": rules.tables, "markdown": rules.markdown}.get(kind, True)


def _section(block: Json, where: str) -> None:
    if "text" not in block and not block.get("fields"):
        raise refuse_block(where, "needs text or fields")
    if "text" in block:
        check_text(block["text"], f"{where}/text", 3000)
    fields = block.get("fields", [])
    if len(fields) > 10:
        raise refuse_block(f"{where}/fields", "no more than 10 items allowed")
    for number, item in enumerate(fields):
        check_text(item, f"{where}/fields/{number}", 2000)
    if "accessory" in block:
        check_elements("accessory", [block["accessory"]], where)


def _image(block: Json, where: str) -> None:
    if not block.get("alt_text") or len(block["alt_text"]) > 2000:
        raise refuse_block(f"{where}/alt_text", "must be 1 to 2000 characters")
    if bool(block.get("image_url")) == bool(block.get("slack_file")):
        raise refuse_block(where, "needs image_url or slack_file")


def _table(block: Json, where: str) -> None:
    rows = block.get("rows")
    if not isinstance(rows, list) or not 0 < len(rows) <= 100:
        raise refuse_block(f"{where}/rows", "must be 1 to 100 rows")
    for number, row in enumerate(rows):
        if not isinstance(row, list) or not 0 < len(row) <= 20:
            raise refuse_block(f"{where}/rows/{number}", "must be 1 to 20 cells")
        for column, cell in enumerate(row):
            _cell(cell, f"{where}/rows/{number}/{column}")
    if len({len(row) for row in rows}) > 1:
        raise refuse_block(f"{where}/rows", "rows of different length")
    if len(block.get("column_settings") or ()) > 20:
        raise refuse_block(f"{where}/column_settings", "no more than 20 items allowed")
    if sum(map(len, texts(rows))) > TABLE_TEXT:
        raise refuse_block(f"{where}/rows", f"no more than {TABLE_TEXT} characters in a table")


def _cell(cell: Any, where: str) -> None:
    match cell:
        case {"type": "raw_text", "text": str(text)} if text:
            return
        case {"type": "raw_number", "value": int() | float()}:
            return
        case {"type": "rich_text", "elements": [_, *_]}:
            return
    raise refuse_block(where, "not a cell: raw_text, raw_number or rich_text, not empty")


def _container(block: Json, where: str, rules: Rules) -> None:
    children = block.get("child_blocks")
    if not isinstance(children, list) or not 0 < len(children) <= 10:
        raise refuse_block(f"{where}/child_blocks", "must be 1 to 10 blocks")
    if not block.get("rich_text_title"):
        check_text(block.get("title"), f"{where}/title", 150, kinds=("plain_text",))
    if "subtitle" in block:
        check_text(block["subtitle"], f"{where}/subtitle", 150)
    if block.get("width", "standard") not in ("narrow", "standard", "wide", "full"):
        raise refuse_block(f"{where}/width", "unknown width")
    if block.get("default_collapsed") and not block.get("is_collapsible"):
        raise refuse_block(f"{where}/default_collapsed", "requires is_collapsible")
    if block.get("has_header_divider") and block.get("is_collapsible"):
        raise refuse_block(f"{where}/has_header_divider", "not together with is_collapsible")
    for number, child in enumerate(children):
        check_block(child, f"{where}/child_blocks/{number}", rules, IN_CONTAINERS)


def _family(block: Any) -> list[Json]:
    if not isinstance(block, dict):
        return [{}]
    children = block.get("child_blocks")
    return (
        [block, *(child for child in children if isinstance(child, dict))]
        if isinstance(children, list)
        else [block]
    )


def _action_ids(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("action_id"), str):
            yield node["action_id"]
        for value in node.values():
            yield from _action_ids(value)
    elif isinstance(node, list):
        for value in node:
            yield from _action_ids(value)


def _unique(ids: Sequence[str], what: str) -> None:
    if len(set(ids)) < len(ids):
        twice = sorted(i for i in set(ids) if ids.count(i) > 1)[0]
        raise refuse_block("/blocks", f"{what} already exists: {twice}")


def texts(node: Any) -> Iterator[str]:
    """Every string that a reader can see in blocks, in reading order."""
    if isinstance(node, dict):
        for key, value in node.items():
            if key in ("text", "alt_text") and isinstance(value, str):
                yield value
            elif key == "value" and node.get("type") == "raw_number" and "text" not in node:
                yield str(value)
            elif key in ("title", "subtitle", "details", "output") and isinstance(value, str):
                yield value
            elif isinstance(value, dict | list):
                yield from texts(value)
    elif isinstance(node, list):
        for value in node:
            yield from texts(value)


def pings_in(text: str, blocks: Any, arguments: Json) -> list[str]:
    """The notifications that a message would cause, in text, mrkdwn, Markdown and rich text; plain text pings nobody."""
    found = BROADCAST.findall(text)
    if str(arguments.get("link_names", "")).lower() in ("1", "true") or arguments.get("parse") == "full":
        found += NAMED.findall(text)
    return found + list(_block_pings(blocks))


def _block_pings(node: Any) -> Iterator[str]:
    if isinstance(node, list):
        for value in node:
            yield from _block_pings(value)
    elif isinstance(node, dict):
        kind = node.get("type")
        if kind in ("user", "usergroup", "broadcast"):
            yield str(node.get("user_id") or node.get("usergroup_id") or node.get("range"))
        if kind in ("mrkdwn", "markdown") and isinstance(node.get("text"), str):
            yield from BROADCAST.findall(node["text"])
        for value in node.values():
            yield from _block_pings(value)
