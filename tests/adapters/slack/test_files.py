"""Files are fetched from Slack alone, whole, bounded, and what is no file says why."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.files import (
    CanvasFile,
    MissingScope,
    NoAccess,
    NotDelivered,
    OutsideFile,
    SlackFiles,
    VanishedFile,
)
from adapters.slack.meaning import (
    FileRef,
)
from adapters.slack.read import file_ref
from core.errors import FileRejected, OversizedFile, WebPageInstead
from tests.adapters.slack.fake import FakeSlack

DATA = b"produto;qtd\nfio;3\n"


@dataclass(slots=True)
class Shelf:
    slack: FakeSlack
    files: SlackFiles
    ana: str
    room: str

    async def put(self, name: str, data: bytes = DATA) -> FileRef:
        """A file that Ana uploaded, as files.info tells it."""
        await self.slack.post(self.ana, self.room, files={name: data})
        id = max(self.slack.world.files)
        return file_ref(await self.files.look_up(id))


@pytest.fixture
async def shelf() -> AsyncIterator[Shelf]:
    async with FakeSlack() as slack:
        client = AsyncWebClient(token=slack.bot_token, base_url=slack.api_url)
        ana = await slack.add_user("ana")
        room = await slack.add_channel("geral", members=[ana])
        yield Shelf(slack, SlackFiles(client, most=1000, pauses=(0.01, 0.02, 0.03)), ana, room)


async def refusal(shelf: Shelf, ref: FileRef) -> FileRejected:
    with pytest.raises(FileRejected) as caught:
        await shelf.files.attachment(ref).fetch()
    return caught.value


async def test_a_file_comes_whole(shelf: Shelf) -> None:
    ref = await shelf.put("a.csv")
    item = shelf.files.attachment(ref)
    assert (item.name, item.size) == ("a.csv", len(DATA))
    assert await item.fetch() == DATA


async def test_a_login_page_names_the_missing_permission(shelf: Shelf) -> None:
    ref = await shelf.put("a.csv")
    shelf.slack.scopes -= {"files:read"}
    err = await refusal(shelf, ref)
    assert isinstance(err, WebPageInstead)
    assert "files:read" in err.say("en")


async def test_a_web_page_that_somebody_uploaded_is_a_file(shelf: Shelf) -> None:
    page = b"<!DOCTYPE html><html><body>oi</body></html>"
    ref = await shelf.put("a.html", page)
    assert await shelf.files.attachment(ref).fetch() == page


async def test_a_login_page_in_place_of_an_uploaded_page_is_noticed(shelf: Shelf) -> None:
    ref = await shelf.put("a.html", b"<html>oi</html>")
    shelf.slack.scopes -= {"files:read"}
    assert isinstance(await refusal(shelf, ref), WebPageInstead)


async def test_more_than_allowed_is_not_read_whatever_the_size_says(shelf: Shelf) -> None:
    ref = await shelf.put("a.csv", b"x" * 5000)
    assert isinstance(await refusal(shelf, replace(ref, size=10)), OversizedFile)


async def test_a_file_of_a_shared_channel_is_looked_up(shelf: Shelf) -> None:
    ref = await shelf.put("a.csv")
    assert await shelf.files.attachment(FileRef(ref.id, check=True)).fetch() == DATA


async def test_files_outside_slack_are_refused_and_the_token_stays(shelf: Shelf) -> None:
    await shelf.slack.share_external(shelf.ana, shelf.room, "plano.docx")
    ref = file_ref(await shelf.files.look_up(max(shelf.slack.world.files)))
    assert isinstance(await refusal(shelf, ref), OutsideFile)
    foreign = FileRef("F1", "x", url="https://files.slack.com.evil.test/x")
    assert isinstance(await refusal(shelf, foreign), OutsideFile)
    plain = FileRef("F1", "x", url="http://files.slack.com/x")
    assert isinstance(await refusal(shelf, plain), OutsideFile)
    assert shelf.slack.leaked_tokens == []


async def test_what_is_gone_or_forbidden_says_so(shelf: Shelf) -> None:
    ref = await shelf.put("a.csv")
    await shelf.slack.delete_file(shelf.ana, ref.id)
    assert isinstance(await refusal(shelf, ref), VanishedFile)
    assert isinstance(await refusal(shelf, FileRef(ref.id, check=True)), VanishedFile)
    shelf.slack.fail("files.info", error="access_denied")
    assert isinstance(await refusal(shelf, FileRef(ref.id, check=True)), NoAccess)
    shelf.slack.scopes -= {"files:read"}
    missing = await refusal(shelf, FileRef(ref.id, check=True))
    assert isinstance(missing, MissingScope)
    assert "files:read" in missing.say("pt")


TROUBLE = [{"status": 503}, {"status": 500}, {"drop": True}, {"status": 429}]


@pytest.mark.parametrize("fault", TROUBLE)
async def test_a_download_that_fails_in_passing_is_tried_three_times_more(
    shelf: Shelf, fault: dict[str, Any]
) -> None:
    ref = await shelf.put("a.csv")
    shelf.slack.fail("files.download", times=3, **fault)
    assert await shelf.files.attachment(ref).fetch() == DATA


@pytest.mark.parametrize(("fault", "times"), [(TROUBLE[0], 4), (TROUBLE[3], 4), (TROUBLE[2], 99)])
async def test_a_download_that_keeps_failing_is_a_refusal(
    shelf: Shelf, fault: dict[str, Any], times: int
) -> None:
    ref = await shelf.put("a.csv")
    shelf.slack.fail("files.download", times=times, **fault)
    assert isinstance(await refusal(shelf, ref), NotDelivered)


async def test_a_download_waits_as_long_as_slack_says_within_reason(shelf: Shelf) -> None:
    ref = await shelf.put("a.csv")
    shelf.slack.fail("files.download", retry_after=1)
    began = asyncio.get_running_loop().time()
    assert await shelf.files.attachment(ref).fetch() == DATA
    assert asyncio.get_running_loop().time() - began >= 1
    shelf.slack.fail("files.download", retry_after=3600)
    async with asyncio.timeout(5):
        assert isinstance(await refusal(shelf, ref), NotDelivered)


@pytest.mark.parametrize("fault", [{"error": "internal_error"}, {"drop": True}])
async def test_a_look_up_that_fails_in_passing_is_no_missing_access(
    shelf: Shelf, fault: dict[str, Any]
) -> None:
    ref = await shelf.put("a.csv")
    shelf.slack.fail("files.info", times=9, **fault)
    assert isinstance(await refusal(shelf, FileRef(ref.id, check=True)), NotDelivered)


async def test_a_canvas_is_no_file(shelf: Shelf) -> None:
    ref = replace(await shelf.put("a.csv"), media="application/vnd.slack-docs")
    assert isinstance(await refusal(shelf, ref), CanvasFile)
