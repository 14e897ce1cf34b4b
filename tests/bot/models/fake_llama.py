"""A stand-in for llama-server: a real process with the real routes, whose "model file" is JSON that says how to behave.

Keys: dimension, load_seconds (503 until then), abort (print and die by SIGABRT), exit (code), say (text on stderr),
answer (chat text), die_after (stream pieces), slow_seconds (per chat answer), error_200, short (one vector missing),
nan, vision, refuse_load (exit code of every start after the first), logprobs.
Every request is noted beside the model file, so that a test can see what was really sent.
"""

import json
import math
import os
import sys
import time
from hashlib import blake2b
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

FLAGS = "--no-webui --no-slots --cache-ram --sleep-idle-seconds --offline --api-key-file"


def vector_of(text: str, dimension: int) -> list[float]:
    """A fixed vector for a text; not of unit length, so that the client has to scale it."""
    digest = blake2b(text.encode(), digest_size=4 * dimension % 64 or 64).digest()
    return [float(digest[i % len(digest)]) - 127.5 + i for i in range(dimension)]


def options(arguments: list[str]) -> dict[str, str]:
    found, last = {}, ""
    for word in arguments:
        if word.startswith("--"):
            found[word], last = "", word
        elif last:
            found[last] = word
    return found


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    how: dict[str, Any] = {}
    given: dict[str, str] = {}
    key = ""
    started = 0.0

    def log_message(self, *_: object) -> None: ...

    def do_GET(self) -> None:
        if self.path == "/health":
            ready = time.monotonic() - self.started >= self.how.get("load_seconds", 0)
            self.reply(200 if ready else 503, {"status": "ok" if ready else "loading"})
        elif self.path == "/props" and self.allowed():
            context = int(self.given.get("--ctx-size") or 512) // int(self.given.get("--parallel") or 1)
            modalities = {"vision": self.how.get("vision", False)}
            settings = {"n_ctx": context}
            self.reply(200, {
                "default_generation_settings": settings, "total_slots": 1, "modalities": modalities,
                "model_alias": self.given.get("--alias", ""), "is_sleeping": False,
            })  # fmt: skip
        else:
            self.reply(404, {"error": {"message": "no such route"}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if not self.allowed():
            return
        note(self.given, {"path": self.path, "body": body})
        if self.path == "/tokenize":
            self.reply(
                200, {"tokens": [1] * (len(body["content"].split()) + 2 * bool(body.get("add_special")))}
            )
        elif self.path == "/v1/embeddings":
            self.embed(body)
        elif self.path == "/v1/chat/completions":
            self.chat(body)

    def allowed(self) -> bool:
        good = self.headers.get("Authorization") == f"Bearer {self.key}"
        if not good:
            self.reply(401, {"error": {"message": "Invalid API Key"}})
        return good

    def embed(self, body: dict[str, Any]) -> None:
        limit = int(self.given.get("--ctx-size") or 512)
        if any(len(text.split()) + 2 > limit for text in body["input"]):
            self.reply(500, {"error": {"message": "input is too large to process"}})
        elif self.how.get("error_200"):
            self.reply(200, {"error": {"message": "slot unavailable"}})
        else:
            size = self.how.get("dimension", 8)
            data = [{"index": i, "embedding": vector_of(text, size)} for i, text in enumerate(body["input"])]
            if self.how.get("nan"):
                data[0]["embedding"] = [math.nan] * size
            if self.how.get("short") and len(data) > 1:
                data = data[:-1]
            self.reply(200, {"object": "list", "data": list(reversed(data))})

    def chat(self, body: dict[str, Any]) -> None:
        if len(body["messages"][0]["content"]) > 20 or body["max_tokens"] > 4:  # not the start's own trial
            time.sleep(self.how.get("slow_seconds", 0))
        text = self.how.get("answer", "um dois tres")
        if not body.get("stream"):
            choice: dict[str, Any] = {"index": 0, "finish_reason": "stop", "message": {"content": text}}
            if "logprobs" in self.how:
                choice["logprobs"] = {"content": self.how["logprobs"]}
            return self.reply(200, {"choices": [choice]})
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number, word in enumerate(text.split()):
            if number == self.how.get("die_after", -1):
                os._exit(9)
            self.event({"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]})
        self.event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.chunk(b"data: [DONE]\n\n")
        self.chunk(b"")
        return None

    def event(self, value: dict[str, Any]) -> None:
        self.chunk(
            b"data: " + json.dumps({"id": "x", "object": "chat.completion.chunk", **value}).encode() + b"\n\n"
        )

    def chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n" % len(data) + data + b"\r\n")
        self.wfile.flush()

    def reply(self, status: int, value: dict[str, Any]) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def note(given: dict[str, str], entry: dict[str, Any]) -> None:
    with Path(given["--model"] + ".requests").open("a") as out:
        out.write(json.dumps(entry) + "\n")


def main(arguments: list[str]) -> int:
    given = options(arguments)
    if "--help" in given:
        print(FLAGS)
    elif "--version" in given:
        print("version: 0 (stand-in)", file=sys.stderr)
    elif "--list-devices" in given:
        listed = Path(__file__).with_name("devices.txt")
        print("Available devices:\n" + (listed.read_text() if listed.exists() else "  (none)"))
    else:
        return serve(given, arguments)
    return 0


def serve(given: dict[str, str], arguments: list[str]) -> int:
    model = Path(given["--model"])
    how = json.loads(model.read_text())
    note(given, {"path": "start", "arguments": arguments, "environment": sorted(os.environ)})
    print(how.get("say", "loading"), file=sys.stderr, flush=True)
    starts = sum('"path": "start"' in line for line in Path(f"{model}.requests").read_text().splitlines())
    if "refuse_load" in how and starts > 1:
        return int(how["refuse_load"])
    if how.get("abort"):
        os.abort()
    if "exit" in how:
        return int(how["exit"])
    Handler.how, Handler.given, Handler.started = how, given, time.monotonic()
    Handler.key = Path(given["--api-key-file"]).read_text().strip()
    try:
        server = ThreadingHTTPServer(("127.0.0.1", int(given["--port"])), Handler)
    except OSError:
        print("couldn't bind HTTP server socket", file=sys.stderr, flush=True)
        return 1
    server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
