"""views.*, assistant.*, and answers through response URLs."""

import json

from aiohttp import web

from tests.adapters.slack.fake.api import flag, listed, mapped, method
from tests.adapters.slack.fake.chat import content, post_message
from tests.adapters.slack.fake.checks import check_view
from tests.adapters.slack.fake.core import Core
from tests.adapters.slack.fake.doors import ResponseUrl
from tests.adapters.slack.fake.shapes import message_shape
from tests.adapters.slack.fake.state import APP, BOT_ID, TEAM, Json, Refused


@method("views.publish", needs=("user_id", "view"))
async def views_publish(core: Core, arguments: Json) -> Json:
    user = core.world.user(str(arguments["user_id"]))
    view = check_view(mapped(arguments, "view"), core.rules, "home")
    shown = core.world.views.get(user.id)
    if arguments.get("hash") and shown and arguments["hash"] != shown["hash"]:
        raise Refused("hash_conflict")
    core.world.views[user.id] = _shown(core, view)
    return {"view": core.world.views[user.id]}


@method("views.open", needs=("trigger_id", "view"))
async def views_open(core: Core, arguments: Json) -> Json:
    view = check_view(mapped(arguments, "view"), core.rules, "modal")
    user = core.doors.use_trigger(str(arguments["trigger_id"]))
    core.world.modals[user] = _shown(core, view)
    return {"view": core.world.modals[user]}


def _shown(core: Core, view: Json) -> Json:
    number = core.world.number()
    return view | {
        "id": f"V{number:06d}", "team_id": TEAM, "app_id": APP, "bot_id": BOT_ID, "hash": f"{number}.hash",
        "state": {"values": {}}, "callback_id": view.get("callback_id", ""),
        "private_metadata": view.get("private_metadata", ""),
    }  # fmt: skip


@method("assistant.threads.setStatus", "assistant:write", "chat:write", needs=("channel_id", "thread_ts"))
async def set_status(core: Core, arguments: Json) -> Json:
    channel, thread = _thread(core, arguments)
    if "status" not in arguments:
        raise Refused("invalid_arguments", "[ERROR] missing required field: status")
    messages = listed(arguments, "loading_messages") or []
    if len(messages) > 10 or len(str(arguments["status"])) > 250:
        raise Refused(
            "invalid_arguments", "[ERROR] at most 10 loading messages, a status of at most 250 characters"
        )
    core.world.statuses.append((channel, thread, str(arguments["status"])))
    return {}


@method("assistant.threads.setTitle", "assistant:write", needs=("channel_id", "thread_ts", "title"))
async def set_title(core: Core, arguments: Json) -> Json:
    channel, thread = _thread(core, arguments, assistant=True)
    core.world.titles[channel, thread] = str(arguments["title"])
    return {}


@method("assistant.threads.setSuggestedPrompts", "assistant:write", needs=("channel_id", "prompts"))
async def set_prompts(core: Core, arguments: Json) -> Json:
    prompts = listed(arguments, "prompts") or []
    if not 0 < len(prompts) <= 4 or any(
        not prompt.get("title") or not prompt.get("message") for prompt in prompts
    ):
        raise Refused("invalid_arguments", "[ERROR] 1 to 4 prompts, each with title and message")
    channel = core.world.seen_by_bot(str(arguments["channel_id"]), member=True)
    thread = str(arguments.get("thread_ts") or "")
    if thread:
        _thread(core, arguments, assistant=True)
    core.world.prompts[channel.id, thread] = prompts
    return {}


def _thread(core: Core, arguments: Json, *, assistant: bool = False) -> tuple[str, str]:
    channel = core.world.seen_by_bot(str(arguments["channel_id"]), member=True)
    if assistant and channel.kind != "im":
        raise Refused("channel_type_not_supported")
    return channel.id, core.world.find(channel.id, str(arguments["thread_ts"]), "thread_not_found").ts


async def respond(core: Core, request: web.Request) -> web.Response:
    """One use of a response URL: "ok" as text, or JSON with the error, as Slack answers there."""
    fault = core.faults.next("response_url", {})
    if fault is not None and fault.drop and request.transport is not None:
        request.transport.abort()
        return web.Response(status=500)
    if fault is not None and fault.status != 200:
        return web.Response(status=fault.status, text="error")
    try:
        arguments = json.loads(await request.text())
        url = core.doors.use_url(request.match_info["key"])
    except ValueError:
        return web.json_response({"ok": False, "error": "invalid_payload"}, status=400)
    except Refused as err:
        return web.json_response({"ok": False, "error": err.error}, status=404)
    try:
        show_response(core, url, arguments)
    except Refused as err:
        core.world.warnings.append(f"response_url: {err.error} {' '.join(err.details)}".strip())
        return web.json_response({"ok": False, "error": err.error})
    return web.Response(text="ok")


def show_response(core: Core, url: ResponseUrl, arguments: Json) -> None:
    """A new message for the person or the channel, or a change of the one that was pressed. Raises: Refused."""
    if flag(arguments, "delete_original") or flag(arguments, "replace_original"):
        return _change_original(core, url, arguments)
    text, blocks = content(core, arguments)
    core.note_pings(url.channel, text, blocks, arguments)
    public = arguments.get("response_type") == "in_channel"
    thread = str(arguments.get("thread_ts") or url.thread)
    post_message(
        core, core.world.channels[url.channel], text, blocks, thread, only_for="" if public else url.user
    )
    return None


def _change_original(core: Core, url: ResponseUrl, arguments: Json) -> None:
    message = url.message
    if message is None or message.deleted:
        raise Refused("message_not_found")
    before = message_shape(core.world, message, core.origin)
    if flag(arguments, "delete_original"):
        message.deleted = True
        return core.emit_change(message, before, removed=True)
    text, blocks = content(core, arguments)
    core.note_pings(url.channel, text, blocks, arguments)
    core.world.change(message, text=text, blocks=blocks)
    return core.emit_change(message, before)
