"""The app manifest: exactly the scopes, events and commands that the code uses, from the tables that it uses."""

from typing import Any

from adapters.slack.meaning import (
    PREFIX,
)
from adapters.slack.tables import COMMANDS, EVENTS, SHORTCUTS, scopes

NAME = "PolyRAG Bot"
DESCRIPTION = "Answers questions from the files that people share in this workspace's channels."
LONG = (
    "Mention the bot in a channel, write to it directly, or use /ask. Every answer shows the passages and table rows it "
    "was written from and how they were found. It reads only files of channels it was invited to, and answers only from "
    "what every reader of the reply may read. Models run on your own machine."
)  # Slack wants at least 175 characters
PROMPTS = (
    ("Which files do you know?", "Which files do you know?"),
    ("What is the total of the table?", "What is the total of the table?"),
    ("What do the policies say?", "What do the policies say?"),
)


def manifest(*, url: str = "") -> dict[str, Any]:
    """Args: url: the public address that Slack delivers to (HTTP mode); empty: Socket Mode."""
    return {
        "display_information": {"name": NAME, "description": DESCRIPTION, "long_description": LONG},
        "features": {
            "app_home": {
                "home_tab_enabled": True,
                "messages_tab_enabled": True,
                "messages_tab_read_only_enabled": False,
            },
            "bot_user": {"display_name": "polyrag", "always_online": True},
            "agent_view": {
                "agent_description": DESCRIPTION,
                "suggested_prompts": [{"title": title, "message": message} for title, message in PROMPTS],
            },
            "slash_commands": [_command(command, url) for command in COMMANDS],
            "shortcuts": [
                {"name": s.name, "type": "message", "callback_id": PREFIX + s.id, "description": s.summary}
                for s in SHORTCUTS
            ],
        },
        "oauth_config": {"scopes": {"bot": list(scopes())}},
        "settings": {
            "event_subscriptions": {"bot_events": sorted(EVENTS)} | ({"request_url": url} if url else {}),
            "interactivity": {"is_enabled": True} | ({"request_url": url} if url else {}),
            "org_deploy_enabled": False,
            "socket_mode_enabled": not url,
            "token_rotation_enabled": False,
        },
    }


def _command(command: Any, url: str) -> dict[str, Any]:
    made = {"command": f"/{command.name}", "description": command.summary, "should_escape": True}
    hint = {"usage_hint": command.hint} if command.hint else {}
    return made | hint | ({"url": url} if url else {})
