"""An in-memory Slack on loopback, stricter than the real one, for the real slack_bolt and slack_sdk.

    async with FakeSlack.from_manifest(manifest()) as slack:       # or FakeSlack(scopes=…, events=…, commands=…)
        client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
        …start the app on that client, Socket Mode with slack.app_token; or HTTP: await slack.use_http(url)…
        ana = await slack.add_user("ana")
        channel = await slack.add_channel("vendas", members=[ana])
        ts = await slack.post(ana, channel, "quanto vendemos?", mention=True, files={"a.csv": b"…"})
        await slack.settled()                                      # every event is acknowledged, or given up
        slack.messages(channel, ts); slack.visible_to(ana); slack.pings; slack.warnings; slack.log

`state` holds the workspace, `people` and `interactions` what users do, `sights` what tests look at, `api` the Web API's
front door with `chat`, `places`, `files` and `surfaces` behind it, `checks` and `elements` the limits of payloads,
`limits` rates and ordered failures, `sockets` and `webhooks` the two transports.

Switches, set by a test: `slack.limits.on` (429 per method), `slack.rules` (blocks and streams that a workspace lacks),
`slack.fail(method, …)`, `slack.world.page_cap` (listings in small pages), `slack.world.advance(seconds)`,
`slack.refuse_replies`, `slack.ack_seconds`, `slack.retry_delays`.
"""

from tests.adapters.slack.fake.server import EVERY_SCOPE, FakeSlack
from tests.adapters.slack.fake.state import BOT_ID, BOT_USER, TEAM, File, Message

__all__ = ["BOT_ID", "BOT_USER", "EVERY_SCOPE", "TEAM", "FakeSlack", "File", "Message"]
