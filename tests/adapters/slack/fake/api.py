"""The Web API's front door: arguments, token, scope, limits, ordered failures, and one function per method."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from tests.adapters.slack.fake.core import Core
from tests.adapters.slack.fake.limits import Fault
from tests.adapters.slack.fake.state import Call, Json, Refused

Handler = Callable[[Core, Json], Awaitable[Json]]
FALSE = ("", "0", "false", "False", "null", "None")


@dataclass(frozen=True, slots=True)
class Method:
    run: Handler
    scopes: tuple[str, ...]  # one of them is enough; none: any token
    app_token: bool = False
    needs: tuple[str, ...] = ()  # arguments that must be there


METHODS: dict[str, Method] = {}


def method(
    name: str, *scopes: str, app_token: bool = False, needs: tuple[str, ...] = ()
) -> Callable[[Handler], Handler]:
    def register(run: Handler) -> Handler:
        METHODS[name] = Method(run, scopes, app_token, needs)
        return run

    return register


def flag(arguments: Json, name: str) -> bool:
    return str(arguments.get(name, "")) not in FALSE


def listed(arguments: Json, name: str) -> list[Any] | None:
    """An argument that is JSON in a form and a list in a JSON body; None when it is not there. Raises: Refused."""
    value = arguments.get(name)
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as err:
            raise Refused(f"invalid_{name}_format" if name == "blocks" else f"invalid_{name}") from err
    if not isinstance(value, list):
        raise Refused(f"invalid_{name}_format" if name == "blocks" else f"invalid_{name}")
    return value


def mapped(arguments: Json, name: str) -> Json:
    value = arguments.get(name) or {}
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError as err:
            raise Refused("invalid_arguments", f"[ERROR] {name} is no JSON") from err
    if not isinstance(value, dict):
        raise Refused("invalid_arguments", f"[ERROR] {name} is no object")
    return value


async def arguments_of(request: web.Request) -> Json:
    """Query, form and JSON body in one; later ones win. Raises: Refused when a JSON body is none."""
    arguments: Json = dict(request.query)
    if request.content_type == "application/json":
        try:
            body = await request.json()
        except ValueError as err:
            raise Refused("invalid_json") from err
        if not isinstance(body, dict):
            raise Refused("json_not_object")
        arguments |= body
    elif request.method == "POST":
        arguments |= {name: value for name, value in (await request.post()).items() if isinstance(value, str)}
    return arguments


def token_of(request: web.Request, arguments: Json) -> str:
    header = request.headers.get("Authorization", "")
    return header.removeprefix("Bearer ").strip() if header else str(arguments.pop("token", ""))


async def handle(core: Core, request: web.Request) -> web.StreamResponse:
    """Answer one API call the way Slack does: 200 with `ok`, or 429, or what a test ordered."""
    name = request.match_info["method"]
    try:
        arguments = await arguments_of(request)
    except Refused as err:
        return _answer(core, name, {}, _refusal(err))
    token = token_of(request, arguments)
    fault = core.faults.next(name, arguments)
    if fault is not None and fault.delay:
        await asyncio.sleep(fault.delay)
    if fault is not None and fault.spoils and not fault.after:
        return _fail(core, request, name, arguments, fault)
    if wait := core.limits.retry_after(name, arguments, core.world.now()):
        return _answer(
            core, name, arguments, {"ok": False, "error": "ratelimited"}, 429, {"Retry-After": str(wait)}
        )
    answer = await _run(core, name, arguments, token)
    if fault is not None and fault.spoils:
        return _fail(core, request, name, arguments, fault)
    return _answer(core, name, arguments, answer)


async def _run(core: Core, name: str, arguments: Json, token: str) -> Json:
    known = METHODS.get(name)
    try:
        if known is None:
            raise Refused("unknown_method", req_method=name)
        if not token:
            raise Refused("not_authed")
        if token not in (core.bot_token, core.app_token):
            raise Refused("invalid_auth")
        if (token == core.app_token) != known.app_token:
            raise Refused("not_allowed_token_type")
        if known.scopes and not core.has_scope(*known.scopes):
            raise Refused(
                "missing_scope", needed=",".join(known.scopes), provided=",".join(sorted(core.scopes))
            )
        if missing := [need for need in known.needs if arguments.get(need) in (None, "")]:
            raise Refused("invalid_arguments", f"[ERROR] missing required field: {missing[0]}")
        return {"ok": True} | await known.run(core, arguments)
    except Refused as err:
        return _refusal(err)


def _refusal(err: Refused) -> Json:
    answer: Json = {"ok": False, "error": err.error} | err.fields
    return answer | ({"response_metadata": {"messages": list(err.details)}} if err.details else {})


def _answer(
    core: Core,
    name: str,
    arguments: Json,
    answer: Json,
    status: int = 200,
    headers: dict[str, str] | None = None,
) -> web.Response:
    _log(core, name, arguments, answer, status)
    known = METHODS.get(name)
    every = {
        "x-oauth-scopes": ",".join(sorted(core.scopes)),
        "x-accepted-oauth-scopes": ",".join(known.scopes) if known else "",
    }
    return web.json_response(answer, status=status, headers=every | (headers or {}))


def _log(core: Core, name: str, arguments: Json, answer: Json, status: int) -> None:
    core.world.log.append(Call(name, arguments, answer, status, time.perf_counter()))


def _fail(core: Core, request: web.Request, name: str, arguments: Json, fault: Fault) -> web.StreamResponse:
    if fault.drop:
        _log(core, name, arguments, {}, 0)
        if request.transport is not None:
            request.transport.abort()
        return web.Response(status=500)
    if fault.retry_after:
        headers = {"Retry-After": str(fault.retry_after)}
        return _answer(core, name, arguments, {"ok": False, "error": "ratelimited"}, 429, headers)
    if fault.status != 200:
        _log(core, name, arguments, {}, fault.status)
        return web.Response(
            status=fault.status, text="<html>Something went wrong</html>", content_type="text/html"
        )
    return _answer(core, name, arguments, {"ok": False, "error": fault.error or "fatal_error"})
