"""files.*: what people uploaded, its download with the bearer, and uploads of the bot."""

from aiohttp import web

from tests.adapters.slack.fake.api import listed, method
from tests.adapters.slack.fake.chat import open_channel, post_message, thread_of
from tests.adapters.slack.fake.core import Core
from tests.adapters.slack.fake.shapes import file_shape
from tests.adapters.slack.fake.state import BOT_USER, File, Json, Refused

LOGIN = """<!DOCTYPE html><html><head><title>Sign in to Acme | Slack</title></head>
<body><form id="signin_form"><input type="email" name="email"></form></body></html>"""


def visible_file(core: Core, file_id: str) -> File:
    """A file that the bot may read: its own, or shared where it is a member. Raises: Refused."""
    file = core.world.files.get(file_id)
    if file is None or not file.uploaded:
        raise Refused("file_not_found")
    shared = any(core.world.is_member(core.world.channels[channel]) for channel in file.channels)
    if not shared and file.user != BOT_USER:
        raise Refused("file_not_found")
    if file.deleted:
        raise Refused("file_deleted")
    return file


@method("files.info", "files:read", needs=("file",))
async def files_info(core: Core, arguments: Json) -> Json:
    file = visible_file(core, str(arguments["file"]))
    return {
        "file": file_shape(core.world, file, core.origin),
        "comments": [],
        "response_metadata": {"next_cursor": ""},
    }


async def download(core: Core, request: web.Request) -> web.StreamResponse:
    """The file's bytes; whoever may not have them gets the page to sign in, with status 200."""
    fault = core.faults.next("files.download", dict(request.match_info))
    if fault is not None and fault.drop and request.transport is not None:
        request.transport.abort()
    if fault is not None and (fault.status != 200 or fault.retry_after):
        asked = {"Retry-After": str(fault.retry_after)} if fault.retry_after else {}
        return web.Response(status=429 if fault.retry_after else fault.status, text="error", headers=asked)
    token = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
    if token != core.bot_token or not core.has_scope("files:read"):
        return web.Response(text=LOGIN, content_type="text/html", charset="utf-8")
    try:
        file = visible_file(core, request.match_info["file"].partition("-")[2])
    except Refused:
        return web.Response(status=404, text="<html>This file was deleted</html>", content_type="text/html")
    return web.Response(body=file.data, content_type="application/octet-stream")


async def foreign(core: Core, request: web.Request) -> web.Response:
    """A file that lives elsewhere; the bot's token has no business there."""
    if core.bot_token in str(request.headers) + str(request.url):
        core.leaked_tokens.append(str(request.rel_url))
    return web.Response(text="<html>Request access</html>", content_type="text/html")


@method("files.getUploadURLExternal", "files:write", needs=("filename", "length"))
async def get_upload_url(core: Core, arguments: Json) -> Json:
    if not str(arguments["length"]).isdigit() or int(arguments["length"]) == 0:
        raise Refused("invalid_arguments", "[ERROR] length must be a positive number")
    file = File(core.world.new_id("F"), str(arguments["filename"]), b"", BOT_USER, uploaded=False)
    core.world.files[file.id] = file
    return {"upload_url": f"{core.origin}/upload/{file.id}/{arguments['length']}", "file_id": file.id}


async def upload(core: Core, request: web.Request) -> web.Response:
    fault = core.faults.next("upload", {})
    if fault is not None and fault.status != 200:
        return web.Response(status=fault.status, text="error")
    file = core.world.files.get(request.match_info["file"])
    data = await request.read()
    if file is None or file.uploaded or len(data) != int(request.match_info["length"]):
        return web.Response(status=400, text="bad upload")
    file.data = data
    return web.Response(text=f"OK - {len(data)}")


@method("files.completeUploadExternal", "files:write", needs=("files",))
async def complete_upload(core: Core, arguments: Json) -> Json:
    files = [_complete(core, entry) for entry in listed(arguments, "files") or []]
    channels = str(arguments.get("channel_id") or arguments.get("channels") or "")
    for channel_id in filter(None, channels.split(",")):
        channel = open_channel(core, channel_id)
        thread = thread_of(core, channel, arguments)
        comment = str(arguments.get("initial_comment") or "")
        core.note_pings(channel.id, comment, [], arguments)
        for file in files:
            file.channels.append(channel.id)
        post_message(
            core, channel, comment, [], thread, files=[file.id for file in files], subtype="file_share"
        )
        for file in files:
            emit_shared(core, "file_shared", file, channel.id)
    return {"files": [file_shape(core.world, file, core.origin) for file in files]}


def _complete(core: Core, entry: Json) -> File:
    file = core.world.files.get(str(entry.get("id")))
    if file is None or file.uploaded or not file.data:
        raise Refused("file_not_found")
    file.uploaded, file.title = True, str(entry.get("title") or file.name)
    return file


def emit_shared(core: Core, kind: str, file: File, channel_id: str) -> None:
    """file_shared or file_unshared, which carry nothing but ids."""
    channel = core.world.channels[channel_id]
    if core.world.is_member(channel):
        event = {"type": kind, "file_id": file.id, "user_id": file.user, "file": {"id": file.id}}
        core.emit(event | {"channel_id": channel_id, "event_ts": core.world.new_ts()}, channel)
