"""The sector chains of compound files (OLE2: xls, msg), checked before a library follows them.

A damaged table can lead a chain back into itself; readers that follow it never come to an end.
"""

import struct
from array import array
from sys import byteorder

from core.errors import DamagedFile

_FREE = 0xFFFFFFFA  # from here on, numbers are marks and not sectors
_HEADER = 512
_IN_HEADER = 109  # sectors of the allocation table that the header itself lists
_ENTRY = 128


def check_chains(data: bytes) -> None:
    """Raises: DamagedFile when a chain of sectors runs in a circle or out of the file."""
    try:
        shift, mini_shift = struct.unpack_from("<HH", data, 30)
        first_entry, _, cutoff, first_mini = struct.unpack_from("<IIII", data, 48)
        first_list, lists = struct.unpack_from("<II", data, 68)
    except struct.error as err:
        raise DamagedFile("compound file without a header") from err
    if shift not in (9, 12) or mini_shift != 6:
        raise DamagedFile(f"compound file with sectors of 2^{shift} and 2^{mini_shift} bytes")
    size = 1 << shift
    table = _table(data, size, first_list, lists)
    entries = _chain(first_entry, table, data, size)
    mini = _numbers(b"".join(_sector(data, size, at) for at in _chain(first_mini, table, data, size)))
    listing = b"".join(_sector(data, size, at) for at in entries)
    for at in range(0, len(listing) - _ENTRY + 1, _ENTRY):
        kind = listing[at + 66]
        start, length = struct.unpack_from("<II", listing, at + 116)
        if kind == 5 or (kind == 2 and length >= cutoff):
            _chain(start, table, data, size)
        elif kind == 2 and length:
            _steps(start, mini)


def _table(data: bytes, size: int, first: int, lists: int) -> "array[int]":
    """The allocation table: the sector that follows each sector."""
    places = list(_numbers(data[76 : 76 + 4 * _IN_HEADER]))
    seen = 0
    while first < _FREE and seen <= min(lists, len(data) // size):
        more = _numbers(_sector(data, size, first))
        places += more[:-1]
        first = more[-1] if len(more) else _FREE
        seen += 1
    return _numbers(b"".join(_sector(data, size, at) for at in places if at < _FREE))


def _chain(start: int, table: "array[int]", data: bytes, size: int) -> list[int]:
    found = _steps(start, table)
    if any((at + 1) * size >= len(data) for at in found):
        raise DamagedFile("a chain of sectors leaves the file")
    return found


def _steps(start: int, table: "array[int]") -> list[int]:
    """The sectors of one chain. Raises: DamagedFile."""
    found: list[int] = []
    while start < _FREE:
        if start >= len(table) or len(found) > len(table):
            raise DamagedFile("a chain of sectors runs in a circle or out of its table")
        found.append(start)
        start = table[start]
    return found


def _sector(data: bytes, size: int, at: int) -> bytes:
    return data[max(size, _HEADER) + at * size : max(size, _HEADER) + (at + 1) * size]


def _numbers(data: bytes) -> "array[int]":
    numbers = array("I", data[: len(data) // 4 * 4])
    if byteorder == "big":
        numbers.byteswap()
    return numbers
