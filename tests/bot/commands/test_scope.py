"""No command shows, counts or names anything that its readers may not read."""

from collections.abc import Iterator

import pytest

from bot.messages import Reply
from bot.testkit import FakePlatform

SECRET = "Salário do gerente\n\nO salário base do gerente Otávio é R$ 18.400,00 por mês.\n"
OPEN = "# Viagens\n\nA viagem internacional é pedida com 30 dias de antecedência.\n"
CHANNELS = {
    "geral": {},
    "obras": {},
    "rh": {"visibility": "private", "members": ["ana", "rui"]},
}
LEAKS = ("18.400", "Otávio", "cargos_secretos", "rh")


def opened() -> FakePlatform:
    return FakePlatform(channels=CHANNELS, admins=["root", "ana"], settings={"language": "pt"})


def filled(platform: FakePlatform) -> FakePlatform:
    platform.says("bia", files={"viagens.md": OPEN}, channel="geral")
    platform.says("ana", files={"cargos_secretos.md": SECRET}, channel="rh")
    return platform


@pytest.fixture(scope="module")
def chat() -> Iterator[FakePlatform]:
    """For tests that leave the two files as they are."""
    with opened() as platform:
        yield filled(platform)


@pytest.fixture
def own() -> Iterator[FakePlatform]:
    """For tests that change what is there."""
    with opened() as platform:
        yield filled(platform)


def whole(reply: Reply) -> str:
    """All that a reader could see of a reply."""
    sources = [str(source) for block in reply.sources for source in block.sources]
    return "\n".join([reply.text, reply.explanation, *reply.notes, *sources])


@pytest.mark.parametrize(
    "line",
    [
        "!sources", "!status", "!help", "!why", "!route salário do gerente Otávio?", "!forget cargos_secretos.md",
        "!ask qual o salário do gerente?", "!audit", "!plugins", "!link", "!approve #geral", "!unlink obras", "!foo",
        "qual o salário base do gerente?", "!remember a copa fecha às 18h",
    ],
)  # fmt: skip
@pytest.mark.parametrize("user", ["bia", "root"])
@pytest.mark.parametrize("channel", ["geral", "dm"])
def test_nothing_of_a_private_channel_shows_elsewhere(
    chat: FakePlatform, line: str, user: str, channel: str
) -> None:
    chat.says("ana", "qual o salário base do gerente?", channel="rh")

    shown = whole(chat.says(user, line, channel=channel))

    assert [leak for leak in LEAKS if leak in shown and leak not in line] == []


def test_a_member_sees_the_private_file_in_a_direct_message_and_not_in_a_public_channel(
    chat: FakePlatform,
) -> None:
    assert "cargos_secretos.md" in chat.says("ana", "!sources", channel="dm").text
    assert "cargos_secretos.md" in chat.says("ana", "!sources", channel="rh").text
    assert "cargos_secretos.md" not in chat.says("ana", "!sources", channel="geral").text


def test_a_member_who_left_cannot_open_an_old_explanation(chat: FakePlatform) -> None:
    trace = chat.says("ana", "qual o salário base do gerente?", channel="rh").trace_id

    known = chat.says("rui", f"!why {trace}", channel="rh").text
    unknown = chat.says("bia", f"!why {trace}", channel="rh").text
    assert known != unknown
    assert unknown == chat.says("bia", "!why 0123456789ab", channel="geral").text  # as if it never existed


def test_an_explanation_goes_with_the_file_it_drew_on(own: FakePlatform) -> None:
    trace = own.says("ana", "qual o salário base do gerente?", channel="rh").trace_id
    own.says("ana", "!forget cargos_secretos.md", channel="rh")

    kept = own.app.records.trace(trace)
    assert kept is not None
    assert kept.body == {"erased": True}
    assert "Não encontrei essa resposta" in own.says("ana", f"!why {trace}", channel="rh").text


def test_replacing_a_file_erases_what_was_kept_of_answers_from_it(own: FakePlatform) -> None:
    trace = own.says(
        "bia", "com quantos dias de antecedência é pedida a viagem internacional?", channel="geral"
    ).trace_id
    own.says(
        "bia",
        files={"viagens.md": "# Viagens\n\nA viagem internacional é pedida com 45 dias.\n"},
        channel="geral",
    )

    kept = own.app.records.trace(trace)
    assert kept is not None
    assert kept.body == {"erased": True}


def test_a_stranger_may_neither_upload_nor_forget_in_a_private_channel(chat: FakePlatform) -> None:
    upload = chat.says("bia", files={"x.md": "# X\n\nAlgo."}, channel="rh")
    forget = chat.says("bia", "!forget cargos_secretos.md", channel="rh")

    assert "Você não pode fazer isso aqui" in upload.text
    assert "Você não pode fazer isso aqui" in forget.text
    assert "cargos_secretos.md" in chat.says("ana", "!sources", channel="rh").text


def test_only_the_uploader_or_an_admin_forgets_a_file(own: FakePlatform) -> None:
    assert "não pode" in own.says("caio", "!forget viagens.md", channel="geral").text
    assert "saiu deste canal" in own.says("root", "!forget Viágens.MD", channel="geral").text
    assert "viagens.md" not in own.says("bia", "!sources", channel="geral").text


def test_the_receipt_of_a_deletion_does_not_tell_whether_another_channel_holds_the_file(
    own: FakePlatform,
) -> None:
    own.says("bia", files={"tambem.md": SECRET}, channel="geral")
    shared = own.says("bia", "!forget tambem.md", channel="geral").text
    assert "cargos_secretos.md" in own.says("ana", "!sources", channel="rh").text

    own.says("ana", "!forget cargos_secretos.md", channel="rh")
    own.says("bia", files={"tambem.md": SECRET}, channel="geral")
    assert own.says("bia", "!forget tambem.md", channel="geral").text == shared


@pytest.mark.parametrize("command", ["servers status", "plugins", "audit", "link #obras", "unlink #obras"])
def test_administrators_commands_are_refused_to_others_and_not_listed_for_them(
    chat: FakePlatform, command: str
) -> None:
    name = command.split()[0]

    assert chat.says("bia", f"!{command}").text == "Só administradores podem usar isso."
    assert f"`{name}" not in chat.says("bia", "!help").text
    assert f"`{name}" in chat.says("root", "!help").text


def test_the_audit_trail_shows_acts_of_readable_channels_only(chat: FakePlatform) -> None:
    public = chat.says("root", "!audit", channel="geral")
    private = chat.says("ana", "!audit", channel="rh")

    assert "console:local/geral" in public.text
    assert "console:local/rh" not in public.text
    assert "console:local/rh" in private.text
    assert public.ephemeral
