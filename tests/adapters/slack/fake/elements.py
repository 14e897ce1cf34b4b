"""Limits of text objects and of interactive elements inside blocks."""

from typing import Any

from tests.adapters.slack.fake.state import Json, Refused

MOST = {"context": 10, "context_actions": 5, "actions": 25, "accessory": 1}
SELECTS = {
    "static_select", "users_select", "conversations_select", "channels_select", "external_select",
    "multi_static_select", "multi_users_select", "multi_conversations_select", "multi_channels_select",
}  # fmt: skip
ACTIONS = SELECTS | {"button", "overflow", "datepicker", "timepicker", "radio_buttons", "checkboxes"}
TAKES = {
    "context": {"plain_text", "mrkdwn", "image"},
    "context_actions": {"feedback_buttons", "icon_button"},
    "actions": ACTIONS,
    "accessory": ACTIONS | {"image"},
}
BUTTON_KEYS = {
    "type", "text", "action_id", "value", "url", "style", "confirm", "accessibility_label",
    "agent_prompt", "visible_to_user_ids",
}  # fmt: skip


def refuse(where: str, why: str) -> Refused:
    return Refused("invalid_blocks", f"[ERROR] {why} [json-pointer:{where}]")


def check_text(
    text: Any, where: str, most: int, *, kinds: tuple[str, ...] = ("plain_text", "mrkdwn")
) -> None:
    """A text object of 1 to `most` characters. Raises: Refused."""
    if not isinstance(text, dict) or text.get("type") not in kinds or not isinstance(text.get("text"), str):
        raise refuse(where, f"must be a text object of {' or '.join(kinds)}")
    if not 0 < len(text["text"]) <= most:
        raise refuse(f"{where}/text", f"must be 1 to {most} characters")
    if unknown := set(text) - {"type", "text", "emoji", "verbatim"}:
        raise refuse(where, f"invalid additional property: {sorted(unknown)[0]}")


def check_elements(kind: str, elements: Any, where: str) -> None:
    if not isinstance(elements, list) or not 0 < len(elements) <= MOST[kind]:
        raise refuse(f"{where}/elements", f"must be 1 to {MOST[kind]} items")
    for number, element in enumerate(elements):
        _element(element, f"{where}/elements/{number}", TAKES[kind])


def _element(element: Any, where: str, taken: set[str]) -> None:
    kind = element.get("type") if isinstance(element, dict) else None
    if kind not in taken:
        raise refuse(f"{where}/type", f"unsupported element: {kind}")
    if "action_id" in element and not 0 < len(str(element["action_id"])) <= 255:
        raise refuse(f"{where}/action_id", "must be 1 to 255 characters")
    if kind in ("plain_text", "mrkdwn"):
        check_text(element, where, 3000)
    elif kind == "button":
        _button(element, where)
    elif kind == "feedback_buttons":
        for side in ("positive_button", "negative_button"):
            _feedback(element.get(side), f"{where}/{side}")
    elif kind == "icon_button":
        check_text(element.get("text"), f"{where}/text", 75, kinds=("plain_text",))
    elif kind == "image" and not element.get("alt_text"):
        raise refuse(f"{where}/alt_text", "missing")
    elif kind in ("overflow", "static_select", "multi_static_select"):
        _options(element.get("options"), where, 5 if kind == "overflow" else 100)


def _button(button: Json, where: str) -> None:
    check_text(button.get("text"), f"{where}/text", 75, kinds=("plain_text",))
    if unknown := set(button) - BUTTON_KEYS:
        raise refuse(where, f"invalid additional property: {sorted(unknown)[0]}")
    for name, most in (("value", 2000), ("url", 3000), ("accessibility_label", 75)):
        if name in button and not (isinstance(button[name], str) and 0 < len(button[name]) <= most):
            raise refuse(f"{where}/{name}", f"must be a string of 1 to {most} characters")
    if button.get("style", "primary") not in ("primary", "danger"):
        raise refuse(f"{where}/style", "unknown style")


def _feedback(button: Any, where: str) -> None:
    if not isinstance(button, dict):
        raise refuse(where, "missing")
    check_text(button.get("text"), f"{where}/text", 75, kinds=("plain_text",))
    if not isinstance(button.get("value"), str) or len(button["value"]) > 2000:
        raise refuse(f"{where}/value", "must be a string of at most 2000 characters")


def _options(options: Any, where: str, most: int) -> None:
    if not isinstance(options, list) or not 0 < len(options) <= most:
        raise refuse(f"{where}/options", f"must be 1 to {most} options")
    for number, option in enumerate(options):
        check_text(option.get("text"), f"{where}/options/{number}/text", 75)
        if not 0 < len(str(option.get("value", ""))) <= 150:
            raise refuse(f"{where}/options/{number}/value", "must be 1 to 150 characters")
