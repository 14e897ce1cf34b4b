"""A collector on loopback gets spans that tell steps and verdicts, and nothing that anybody wrote."""

import gzip
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from bot.testkit import FakePlatform


class Collector(HTTPServer):
    """Keeps what is posted to it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.bodies: list[bytes] = []

    def spans(self) -> list[object]:
        found = []
        for body in self.bodies:
            request = ExportTraceServiceRequest.FromString(body)
            found += [s for r in request.resource_spans for scope in r.scope_spans for s in scope.spans]
        return found


class _Handler(BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.bodies.append(gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def test_spans_tell_steps_routes_and_verdicts_and_no_texts(collector: Collector) -> None:
    endpoint = f"http://127.0.0.1:{collector.server_port}/v1/traces"
    with FakePlatform(settings={"telemetry": {"otlp_endpoint": endpoint}}) as chat:
        chat.says(
            "ana", files={"orchid.md": "# Trips\n\nA trip to Orchidland is requested ten days ahead.\n"}
        )
        reply = chat.says("ana", "how long before is a trip to Orchidland requested?")
        assert "ten days" in reply.text

    spans = {span.name: span for span in collector.spans()}  # type: ignore[attr-defined]
    assert {"ask", "ingest", "route", "answer"} <= set(spans)
    asked = spans["ask"]
    told = {attribute.key: attribute.value for attribute in asked.attributes}  # type: ignore[attr-defined]
    assert told["polyrag.trace_id"].string_value == reply.trace_id
    assert told["polyrag.abstained"].bool_value is False
    assert any(a.key == "margin" for event in asked.events for a in event.attributes)  # type: ignore[attr-defined]
    assert spans["route"].parent_span_id == asked.span_id  # type: ignore[attr-defined]
    everything = b"".join(collector.bodies).lower()
    for written in (b"orchid", b"ten days", b"trip", b"ana\x12"):
        assert written not in everything


def test_without_an_endpoint_nothing_is_sent(collector: Collector) -> None:
    with FakePlatform() as chat:
        chat.says("ana", "hello")

    assert chat.app.telemetry is None
    assert collector.bodies == []
