"""One person's file in another's place: everybody hears of it, both may take it away, and nothing goes without a word."""

import pytest

from tests.platforms.conftest import Open
from tests.platforms.stage import DELETES, Stage

OLD = b"# Viagens\n\nA viagem internacional deve ser pedida com 30 dias.\n"
NEW = OLD.replace(b"30 dias", b"45 dias")


async def both(stage: Stage, first: str = "ana", second: str = "rui") -> tuple[str, str]:
    """Two versions of one file; the ids of their messages."""
    await stage.channel("geral", members=["ana", "rui", "eva"])
    old = await stage.post(first, "geral", files={"viagens.md": OLD})
    await stage.settle()
    new = await stage.post(second, "geral", files={"viagens.md": NEW})
    await stage.settle()
    return old, new


async def known(stage: Stage) -> bool:
    (listed,) = await stage.command("ana", "geral", "sources")
    return "viagens.md" in listed.text


async def test_the_receipt_says_whose_version_was_replaced_by_whom(open_stage: Open) -> None:
    async with open_stage() as stage:
        await both(stage)
        receipt = (
            stage.seen("eva", "geral")[-1].text if stage.name != "console" else stage.seen("rui")[-1].text
        )

        assert "viagens.md" in receipt
        assert "tomou o lugar" in receipt
        assert "forget" in receipt


async def test_a_new_version_of_ones_own_file_is_only_a_new_version(open_stage: Open) -> None:
    async with open_stage() as stage:
        await both(stage, "ana", "ana")
        receipt = stage.seen("ana")[-1].text

        assert "nova versão" in receipt
        assert "tomou o lugar" not in receipt


@pytest.mark.parametrize(("who", "may"), [("ana", True), ("rui", True), ("eva", False)])
async def test_both_uploaders_may_take_the_file_away_and_nobody_else(
    open_stage: Open, who: str, may: bool
) -> None:
    async with open_stage() as stage:
        await both(stage)
        await stage.command(who, "geral", "forget", "viagens.md")

        assert await known(stage) is not may


@pytest.mark.needs(DELETES)
async def test_when_the_newer_versions_message_goes_the_channel_hears_that_neither_is_read(
    open_stage: Open,
) -> None:
    async with open_stage() as stage:
        _, new = await both(stage)
        before = {seen.id for seen in stage.seen("eva", "geral")}
        await stage.delete("rui", "geral", new)
        await stage.settle()
        told = [seen.text for seen in stage.seen("eva", "geral") if seen.id not in before]

        assert not await known(stage)
        assert len(told) == 1
        assert "viagens.md" in told[0]
        assert "não leio nenhuma das duas" in told[0]


@pytest.mark.needs(DELETES)
async def test_nothing_is_said_where_no_earlier_version_stands_any_more(open_stage: Open) -> None:
    async with open_stage() as stage:
        old, new = await both(stage)
        before = {seen.id for seen in stage.seen("eva", "geral")}
        await stage.delete("ana", "geral", old)
        await stage.settle()
        await stage.delete("rui", "geral", new)
        await stage.settle()

        assert [seen.text for seen in stage.seen("eva", "geral") if seen.id not in before] == []
        assert not await known(stage)


@pytest.mark.needs(DELETES)
async def test_a_version_that_was_forgotten_by_name_is_not_offered_again(open_stage: Open) -> None:
    async with open_stage() as stage:
        await both(stage)
        await stage.command("rui", "geral", "forget", "viagens.md")
        third = await stage.post("eva", "geral", files={"viagens.md": OLD.replace(b"30", b"60")})
        await stage.settle()
        before = {seen.id for seen in stage.seen("eva", "geral")}
        await stage.delete("eva", "geral", third)
        await stage.settle()

        assert [seen.text for seen in stage.seen("eva", "geral") if seen.id not in before] == []
        assert not await known(stage)
