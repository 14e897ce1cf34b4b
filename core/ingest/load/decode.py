"""Bytes to text. The order is the point: statistics guess Portuguese wrongly, byte-order marks and strict UTF-8 never do."""

import codecs
import re
from dataclasses import dataclass

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16: its mark starts with the same bytes
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD = 65_536
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_ESCAPED = re.compile("[\udc80-\udcff]")
_UNWANTED = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_PORTUGUESE = frozenset("áàâãäéêíóôõöúüçñÁÀÂÃÉÊÍÓÔÕÚÜÇºª")
_MAC_LETTERS = frozenset(
    b"\x87\x88\x89\x8b\x8d\x8e\x8f\x90\x9b"
)  # á à â ã ç é è ê õ; hardly any text in Windows-1252 has these
_AFTER_LETTER = re.compile(rb"[A-Za-z][\x81-\x9f\xe0-\xef][\x40-\x7e\x80-\xfc]")
_SHIFT_JIS_LEAD = re.compile(rb"[\x81-\x9f\xe0-\xef][\x40-\x7e\x80-\xfc]")


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text and the encoding it was read in; `guessed` when nothing in the bytes proves the encoding."""

    text: str
    encoding: str
    guessed: bool = False


def clean(text: str) -> str:
    """Drop what no store can hold: control characters, lone surrogates, non-characters."""
    return _UNWANTED.sub("", text)


def looks_like_text(data: bytes) -> bool:
    """Whether the first 64 KiB can be text in some encoding (few control bytes, NULs only as UTF-16)."""
    head = data[:_HEAD]
    if any(head.startswith(mark) for mark, _ in _BOMS) or _wide(head):
        return True
    if b"\0" in head:
        return False
    control = len(re.findall(rb"[\x01-\x08\x0e-\x1a\x1c-\x1f\x7f]", head))
    return control <= len(head) // 200


def decode(data: bytes) -> Decoded:
    """Byte-order mark, UTF-16 by its NULs, strict UTF-8, then the 8-bit code pages; never fails.

    Each later step needs clear evidence against the earlier one; the last resort is Windows-1252, which is
    what Brazilian and West European programs write.
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return Decoded(data.decode(encoding, errors="replace"), encoding.removesuffix("-sig"))
    if wide := _wide(data[:_HEAD]):
        return Decoded(data.decode(wide, errors="replace"), wide)
    try:
        return Decoded(data.decode("utf-8"), "utf-8")
    except UnicodeDecodeError:
        return _mixed(data) or _shift_jis(data) or _eight_bit(data)


def _wide(head: bytes) -> str:
    """UTF-16 without a mark: every other byte of Latin text is NUL."""
    even, odd = head[::2], head[1::2]
    if len(odd) < 4:
        return ""
    zeros_even, zeros_odd = even.count(0) / len(even), odd.count(0) / len(odd)
    if zeros_odd > 0.6 and zeros_even < 0.1:
        return "utf-16-le"
    return "utf-16-be" if zeros_even > 0.6 and zeros_odd < 0.1 else ""


def _mixed(data: bytes) -> Decoded | None:
    """UTF-8 with a few stray Windows bytes, as when two files were pasted together."""
    text = data.decode("utf-8", errors="surrogateescape")
    stray = len(_ESCAPED.findall(text))
    proper = len(_NOT_ASCII.findall(text)) - stray
    if proper <= 4 * stray:
        return None
    repaired = _ESCAPED.sub(lambda m: _western(bytes([ord(m.group()) - 0xDC00])), text)
    return Decoded(repaired, "utf-8", guessed=True)


def _shift_jis(data: bytes) -> Decoded | None:
    """Japanese: nearly all high bytes form lead/trail pairs, many leads lie where Windows-1252 has no letters."""
    high = sum(1 for byte in data[:_HEAD] if byte >= 0x80)
    leads = _SHIFT_JIS_LEAD.findall(data[:_HEAD])
    rare = sum(1 for pair in leads if pair[0] < 0xA0)
    inside = len(_AFTER_LETTER.findall(data[:_HEAD]))  # "São" of an old Macintosh has such pairs too
    if inside > 0.3 * len(leads):
        return None
    if not leads or rare < 0.5 * len(leads) or sum(_high_bytes(pair) for pair in leads) < 0.9 * high:
        return None
    try:
        text = data.decode("cp932")
    except UnicodeDecodeError:
        return None
    kana_or_kanji = sum(1 for char in text if "\u3040" <= char <= "\u9fff")
    return Decoded(text, "cp932", guessed=True) if kana_or_kanji * 2 >= len(leads) else None


def _high_bytes(pair: bytes) -> int:
    return sum(1 for byte in pair if byte >= 0x80)


def _eight_bit(data: bytes) -> Decoded:
    """Windows-1252, unless the code page of DOS or of old Macintoshes turns nearly every high byte into a Portuguese letter."""
    high = bytes(byte for byte in data[:_HEAD] if byte >= 0x80)
    in_western = sum(1 for char in _western(high) if char in _PORTUGUESE)
    in_dos = sum(1 for char in high.decode("cp850") if char in _PORTUGUESE)
    in_mac = sum(1 for char in high.decode("mac-roman") if char in _PORTUGUESE)
    told = sum(1 for byte in high if byte in _MAC_LETTERS)
    if in_mac >= 0.9 * len(high) and told >= 0.4 * len(high) and in_mac > max(in_dos, in_western):
        return Decoded(data.decode("mac-roman"), "mac-roman", guessed=True)
    if in_dos >= 0.9 * len(high) and in_western <= 0.5 * len(high):
        return Decoded(data.decode("cp850"), "cp850", guessed=True)
    return Decoded(_western(data), "cp1252", guessed=True)


_WESTERN = {code: bytes([code]).decode("cp1252", errors="ignore") or chr(code) for code in range(0x80, 0xA0)}


def _western(data: bytes) -> str:
    """Windows-1252 that never fails: five bytes have no meaning in it and stay control characters."""
    return data.decode("latin-1").translate(_WESTERN)
