"""An in-memory Slack on loopback, stricter than the real one, for the real slack_bolt and slack_sdk."""

from tests.adapters.slack.fake.server import EVERY_SCOPE, FakeSlack
from tests.adapters.slack.fake.state import BOT_ID, BOT_USER, TEAM, File, Message

__all__ = ["BOT_ID", "BOT_USER", "EVERY_SCOPE", "TEAM", "FakeSlack", "File", "Message"]
