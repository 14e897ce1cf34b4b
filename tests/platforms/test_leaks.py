"""Two channels, two secrets: whatever a person does outside a private channel, its content never shows."""

import re

import pytest

from tests.platforms.conftest import Open
from tests.platforms.stage import MENTIONS, Seen, Stage

SECRETS = (
    "ORQUIDEA",
    "18.400",
    "18400",
    "salarios-diretoria",
    "bonus_diretor",
    "Plano Orquidea",
    "fusao-secreta",
)
PAY = b"diretor;bonus_diretor\nAna Orquidea;18.400,00\nBeto Orquidea;17.100,00\n"
PLAN = b"# Plano Orquidea\n\nA fusao ORQUIDEA sera anunciada em 12/11. O projeto ORQUIDEA depende da Diretoria.\n"
OPEN = b"# Viagens\n\nA viagem internacional deve ser pedida com 30 dias.\n\nA Diretoria aprova viagens.\n"
_ID = re.compile(r"\b[0-9a-f]{12,}\b")  # ids of traces hold any digits by chance
PROBES = (
    "quanto é o bonus do diretor Ana Orquidea?",
    "quando será anunciada a fusão ORQUIDEA?",
    "qual o bonus_diretor total?",
    "quem depende da Diretoria?",
    "e o beto orquidea?",
    "compare o plano orquidea com a política de viagens",
    "com quantos dias se pede a viagem internacional?",
    "18.400,00",
)


async def prepared(stage: Stage) -> None:
    """A private channel of Ana's with two secrets, warm in every cache; Rui is not in it."""
    await stage.channel("geral", members=["ana", "rui"])
    await stage.channel("diretoria-fusao-secreta", private=True, members=["ana"])
    await stage.post("ana", "geral", files={"viagens.md": OPEN})
    await stage.post(
        "ana", "diretoria-fusao-secreta", files={"salarios-diretoria.csv": PAY, "Plano Orquidea.md": PLAN}
    )
    await stage.settle()
    for probe in PROBES:
        await stage.post("ana", "diretoria-fusao-secreta", probe, mention=True)
        await stage.post("ana", "dm", probe)
        await stage.command("ana", "geral", "ask", probe)
    await stage.settle()


def leaks(seen: tuple[Seen, ...], asked: str = "") -> list[tuple[str, str]]:
    """Secrets that a message shows, other than what the person typed."""
    return [
        (secret, message.text)
        for message in seen
        for secret in SECRETS
        if secret.casefold() in _ID.sub("", message.text).casefold()
        and secret.casefold() not in asked.casefold()
    ]


async def test_the_secrets_are_there_for_those_who_may_see_them(open_stage: Open) -> None:
    async with open_stage() as stage:
        await prepared(stage)

        assert leaks(stage.seen("ana", "diretoria-fusao-secreta"))
        assert leaks(stage.seen("ana", "dm"))


@pytest.mark.parametrize("probe", PROBES)
async def test_no_question_brings_a_secret_out(open_stage: Open, probe: str) -> None:
    async with open_stage() as stage:
        await prepared(stage)
        before = {seen.id for seen in stage.seen("rui")}
        await stage.post("rui", "geral", probe, mention=True)
        await stage.post("rui", "dm", probe)
        await stage.settle()
        asked = await stage.command("rui", "geral", "ask", probe)
        routed = await stage.command("rui", "geral", "route", probe)
        new = tuple(seen for seen in stage.seen("rui") if seen.id not in before)

        assert leaks((*new, *asked, *routed), probe) == []


async def test_no_command_brings_a_secret_out(open_stage: Open) -> None:
    async with open_stage(admins=["rui"]) as stage:
        await prepared(stage)
        said: list[Seen] = []
        for place in ("geral", "dm", "diretoria-fusao-secreta"):
            for name, arguments in (
                ("sources", ""), ("why", ""), ("status", ""), ("help", ""), ("audit", ""), ("plugins", ""),
                ("forget", "viagem"), ("forget", "salarios"), ("remember", ""), ("sources", "salarios"),
                ("link", "#nada"), ("servers", "logs"),
            ):  # fmt: skip
                said += await stage.command("rui", place, name, arguments)

        assert leaks(tuple(said)) == []
        assert said


async def test_a_foreign_answer_is_neither_explained_nor_judged(open_stage: Open) -> None:
    async with open_stage() as stage:
        await prepared(stage)
        known = {trace.id for trace in stage.app.records.recent_traces(200)}
        for probe in PROBES[:5]:
            await stage.post("ana", "diretoria-fusao-secreta", probe, mention=True)
        await stage.settle()
        traces = [trace.id for trace in stage.app.records.recent_traces(200) if trace.id not in known]
        assert traces
        said: list[Seen] = []
        for trace in traces:
            said += await stage.command("rui", "geral", "why", trace)

        assert leaks(tuple(said)) == []


async def test_who_leaves_a_private_channel_sees_nothing_of_it_from_then_on(open_stage: Open) -> None:
    async with open_stage() as stage:
        await prepared(stage)
        await stage.join("rui", "diretoria-fusao-secreta")
        (inside,) = await stage.command("rui", "geral", "ask", PROBES[0])
        assert leaks((inside,), PROBES[0])

        await stage.leave("rui", "diretoria-fusao-secreta")
        (outside,) = await stage.command("rui", "geral", "ask", PROBES[0])
        assert leaks((outside,), PROBES[0]) == []


@pytest.mark.needs(MENTIONS)
async def test_a_member_who_asks_in_public_gets_nothing_private(open_stage: Open) -> None:
    async with open_stage() as stage:
        await prepared(stage)
        before = {seen.id for seen in stage.seen("ana", "geral")}
        for probe in PROBES:
            await stage.post("ana", "geral", probe, mention=True)
        await stage.settle()
        new = [seen for seen in stage.seen("ana", "geral") if seen.id not in before]

        assert len(new) == len(PROBES)
        assert leaks(tuple(new), " ".join(PROBES)) == []


async def test_a_shared_answer_is_made_from_what_the_channel_may_read(open_stage: Open) -> None:
    async with open_stage() as stage:
        await prepared(stage)
        (private,) = await stage.command("ana", "geral", "ask", PROBES[0])
        assert leaks((private,), PROBES[0])
        shared = await stage.press("ana", "share", private)

        assert shared
        assert leaks(shared, PROBES[0]) == []
