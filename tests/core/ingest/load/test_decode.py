import pytest

from core.ingest.load.decode import clean, decode, looks_like_text

ACCENTED = "cidade;situação\nSão João;não\nMünchen;às vezes\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_accented_text_survives_every_common_encoding(encoding: str) -> None:
    assert decode(ACCENTED.encode(encoding)).text == ACCENTED


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_is_recognised_without_a_mark(encoding: str) -> None:
    assert decode(ACCENTED.encode(encoding)).text == ACCENTED


def test_text_from_a_dos_program_is_read_with_its_code_page() -> None:
    decoded = decode("produção;ação;é;código".encode("cp850"))

    assert decoded.text == "produção;ação;é;código"
    assert decoded.guessed


def test_japanese_is_not_read_as_western() -> None:
    assert decode("名前,年齢\n佐藤,30\n".encode("cp932")).text.startswith("名前,年齢")


def test_a_stray_windows_byte_does_not_spoil_a_utf8_file() -> None:
    data = "ação ".encode() * 20 + b"caf\xe9 " + "coração ".encode() * 20

    assert "café" in decode(data).text
    assert "coração" in decode(data).text


def test_a_proven_encoding_is_not_called_a_guess() -> None:
    assert not decode("São".encode()).guessed
    assert decode("São Paulo".encode("cp1252")).guessed


def test_bytes_without_meaning_in_windows_1252_do_not_stop_reading() -> None:
    assert decode(b"S\xe3o \x81 Paulo").text.startswith("São")


def test_what_no_store_can_hold_is_cleaned_away() -> None:
    assert clean("a\x00b\ud800c\x1bd") == "abcd"


def test_binary_is_not_taken_for_text() -> None:
    assert not looks_like_text(b"\x00\x01\x02\x03" * 50)
    assert looks_like_text("texto com acentuação".encode("cp1252"))


@pytest.mark.parametrize(
    "text", ["cidade;qtd\nSão Paulo;1\nBelém;2\n", "Relação de pagamentos: próxima emissão às 8h"]
)
def test_text_of_an_old_macintosh_is_read_as_such(text: str) -> None:
    assert decode(text.encode("mac-roman")).text == text


@pytest.mark.parametrize(
    "text",
    ["don’t – it’s “fine”…", "Preço: R$ 5 – “promoção”", "naïve café", "ação nº 3", "€ 5 • item", "l’été"],
)
def test_the_quotes_and_dashes_of_windows_are_no_letters_of_a_macintosh(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text
