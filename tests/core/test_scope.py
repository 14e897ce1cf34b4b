from core.scope import Audience, Channel, scope_for

GERAL = Channel("t/geral", "public")
VENDAS = Channel("t/vendas", "public")
RH = Channel("t/rh", "private", frozenset({"ana"}))
JURIDICO = Channel("t/juridico", "private", frozenset({"ana", "bia"}))
PARCEIRO = Channel("t/parceiro", "public", frozenset({"ana"}), outsiders=True)
ALL = (GERAL, VENDAS, RH, JURIDICO, PARCEIRO)


def tags(audience: Audience, **more: object) -> set[str]:
    return set(scope_for(audience, ALL, **more).tags)  # type: ignore[arg-type]


def test_a_public_channel_reads_the_public_channels() -> None:
    assert tags(Audience("bia", "channel", "t/geral")) == {"t/geral", "t/vendas", "t/parceiro"}


def test_a_public_channel_reads_only_itself_when_the_setting_says_so() -> None:
    assert tags(Audience("bia", "channel", "t/geral"), public="channel") == {"t/geral"}


def test_a_private_channel_reads_itself_and_the_public_ones_but_no_other_private_one() -> None:
    assert tags(Audience("ana", "channel", "t/rh")) == {"t/rh", "t/geral", "t/vendas", "t/parceiro"}


def test_a_private_channel_is_closed_to_who_is_not_a_member() -> None:
    assert tags(Audience("bia", "channel", "t/rh")) == set()


def test_a_direct_message_reads_the_public_channels_and_the_askers_private_ones() -> None:
    assert tags(Audience("bia", "direct")) == {"t/geral", "t/vendas", "t/parceiro", "t/juridico"}


def test_a_channel_with_outsiders_reads_only_itself() -> None:
    assert tags(Audience("ana", "channel", "t/parceiro")) == {"t/parceiro"}


def test_an_unknown_channel_reads_nothing() -> None:
    assert tags(Audience("ana", "channel", "t/nada")) == set()


def test_a_guest_in_a_direct_message_reads_only_the_channels_the_guest_is_in() -> None:
    assert tags(Audience("bia", "direct", guest=True)) == {"t/juridico"}


def test_a_linked_channel_is_read_too() -> None:
    assert "t/juridico" in tags(Audience("ana", "channel", "t/geral"), links={"t/geral": ["t/juridico"]})
