"""What people in a channel notice of a plugin: its parser's reasons, and a rule of access that breaks."""

from typing import Any

import pytest

from bot.messages import Inbound
from bot.plugins.spec import ParserSpec, hookimpl
from bot.testkit import FakePlatform
from core.errors import DamagedFile, FileRejected
from core.types import Loaded, Scope

LURE = "only {version} 2 @everyone [free](https://evil.example)"


class OwnKind(FileRejected):
    messages = {"en": "The calendar is empty.", "pt": "O calendário está vazio."}


class Calendar:
    """Refuses in the way that the file names."""

    name = "calendar"
    kinds = ("ics",)

    def accepts(self, data: bytes, name: str) -> float:
        return 1.0 if data.startswith(b"BEGIN:VCALENDAR") else 0.0

    def read(self, data: bytes, name: str, limits: Any, ocr: Any = None) -> Loaded:
        if b"bare" in data:
            raise FileRejected(LURE)
        raise OwnKind("for the log") if b"own" in data else DamagedFile("calendar without an end")


class Parsers:
    @hookimpl
    def register_parsers(self, settings: Any) -> tuple[ParserSpec, ...]:
        return (ParserSpec("calendar", Calendar()),)


class Broken:
    @hookimpl
    def narrow_scope(self, scope: Scope, inbound: Any) -> Scope:
        raise KeyError("/etc/secret")


def test_the_sender_of_a_file_reads_why_a_plugins_parser_refused_it() -> None:
    with FakePlatform(plugins={"calendar": Parsers()}) as chat:
        damaged, own, bare = (
            chat.says("ana", files={"x.ics": f"BEGIN:VCALENDAR {kind}"}).text for kind in ("", "own", "bare")
        )

    assert "damaged or incomplete" in damaged
    assert "(calendar without an end)" in damaged
    assert "The calendar is empty." in own
    assert "for the log" not in own
    assert "only {version} 2" in bare
    assert "@everyone" not in bare
    assert "](" not in bare
    assert "://" not in bare


@pytest.mark.parametrize(
    "said", ["where is the pump?", "/sources", "/ask where is the pump?", "/forget x.md"]
)
def test_when_access_cannot_be_checked_the_asker_hears_that_and_the_admins_where(said: str) -> None:
    with FakePlatform(plugins={"hours": Broken()}, admins=["root"]) as chat:
        upload = chat.says("ana", files={"x.md": "# X\n\nThe pump is in hall 3."}).text
        told = chat.says("ana", said).text
        status = chat.says("root", "/status").text

        for text in (upload, told):
            assert "could not check" in text
            assert "secret" not in text
            assert "hours" not in text
        assert "plugin hours" in status
        assert "plugin hours" not in chat.says("ana", "/status").text
        logged = [row["detail"] for row in chat.app.records.audit_tail(50) if row["action"] == "unchecked"]
        assert logged == [{"by": "plugin hours"}]


def test_once_access_can_be_checked_again_the_warning_goes() -> None:
    with FakePlatform(admins=["root"]) as chat:
        whole = chat.app.directories["console"]

        class Away:
            async def channels(self, inbound: Inbound) -> Any:
                raise ConnectionError

        chat.app.directories["console"] = Away()
        assert "could not check" in chat.says("ana", "where is the pump?").text
        assert "directory of console" in chat.says("root", "/status").text
        chat.app.directories["console"] = whole
        chat.says("ana", "where is the pump?")
        assert "directory of console" not in chat.says("root", "/status").text
