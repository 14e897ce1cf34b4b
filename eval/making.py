"""Files of kinds that no main dependency writes: the smallest PDF, compound files, Outlook mails, old workbooks."""

import struct
from collections.abc import Sequence
from typing import Any

_FREE, _END = 0xFFFFFFFF, 0xFFFFFFFE  # marks in a compound file's tables


def pdf_of(streams: Sequence[str]) -> bytes:
    """The smallest valid PDF around these page streams."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(streams)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(streams)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, stream in enumerate(streams):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{offset:010d} 00000 n \n".encode() for offset in offsets)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def outlook(*, subject: str, sender: str, body: str, attachments: dict[str, bytes]) -> bytes:
    """A mail as Outlook saves it: properties in streams of a compound file."""
    wide = "utf-16-le"
    tree: dict[str, Any] = _properties(
        32,
        {
            0x001A: "IPM.Note".encode(wide),
            0x0037: subject.encode(wide),
            0x0C1F: sender.encode(wide),
            0x1000: body.encode(wide),
        },
    )
    for number, (name, data) in enumerate(attachments.items()):
        tree[f"__attach_version1.0_#{number:08X}"] = _properties(
            8, {0x3707: name.encode(wide)}, {0x3701: data}
        )
    return compound(tree)


def _properties(
    head: int, strings: dict[int, bytes], binary: dict[int, bytes] | None = None
) -> dict[str, Any]:
    streams: dict[str, Any] = {}
    listing = bytes(head)
    for kind, values in ((0x001F, strings), (0x0102, binary or {})):
        for identity, value in values.items():
            listing += struct.pack("<HHIII", kind, identity, 6, len(value), 0)
            streams[f"__substg1.0_{identity:04X}{kind:04X}"] = value
    return {"__properties_version1.0": listing, **streams}


def compound(tree: dict[str, Any]) -> bytes:
    """A compound file (OLE2, version 3): dictionaries are folders, bytes are streams."""
    entries: list[list[Any]] = [["Root Entry", 5, _FREE, 0, 0]]  # name, kind, child, start, size
    right: dict[int, int] = {}
    small, sectors, chain = b"", [], []  # type: ignore[var-annotated]
    minis: list[int] = []

    def store(data: bytes) -> int:
        first = len(sectors)
        pieces = [data[at : at + 512].ljust(512, b"\0") for at in range(0, len(data), 512)]
        sectors.extend(pieces)
        chain.extend([*range(first + 1, first + len(pieces)), _END])
        return first

    def add(folder: dict[str, Any], parent: int) -> None:
        nonlocal small
        before = 0
        for name, content in folder.items():
            at = len(entries)
            entries.append([name, 1 if isinstance(content, dict) else 2, _FREE, 0, 0])
            if before:
                right[before] = at
            else:
                entries[parent][2] = at
            before = at
            if isinstance(content, dict):
                add(content, at)
            elif len(content) >= 4096:
                entries[at][3:] = [store(content), len(content)]
            else:
                first, count = len(small) // 64, -(-len(content) // 64)
                entries[at][3:] = [first if count else _END, len(content)]
                minis.extend([*range(first + 1, first + count), _END][: count or 0])
                small += content.ljust(count * 64, b"\0")

    add(tree, 0)
    entries[0][3:] = [store(small) if small else _END, len(small)]
    mini_start = store(struct.pack(f"<{len(minis)}I", *minis)) if minis else _END
    mini_sectors = -(-len(minis) * 4 // 512)
    listing = b""
    for at, (name, kind, child, start, size) in enumerate(entries):
        raw = (name + "\0").encode("utf-16-le")
        listing += raw.ljust(64, b"\0") + struct.pack(
            "<HBBIII", len(raw), kind, 1, _FREE, right.get(at, _FREE), child
        )
        listing += bytes(36) + struct.pack("<IQ", start, size)
    directory = store(listing)
    table = len(sectors)
    count = 1
    while len(chain) + count > 128 * count:
        count += 1
    fat = [*chain, *[0xFFFFFFFD] * count]
    fat += [_FREE] * (128 * count - len(fat))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<IIIIIIIII", 0, count, directory, 0, 4096, mini_start, mini_sectors, _END, 0)
    head += struct.pack("<109I", *(table + at if at < count else _FREE for at in range(109)))
    return head + b"".join(sectors) + struct.pack(f"<{len(fat)}I", *fat)


def old_workbook(rows: Sequence[Sequence[str | float]]) -> bytes:
    """A workbook of Excel 97 (BIFF8) with one sheet."""

    def record(kind: int, body: bytes = b"") -> bytes:
        return struct.pack("<HH", kind, len(body)) + body

    def bof(kind: int) -> bytes:
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 0))

    name = "Dados"
    sheet = bof(0x10)
    for y, row in enumerate(rows):
        for x, value in enumerate(row):
            if isinstance(value, str):
                text = value.encode("utf-16-le")
                sheet += record(0x204, struct.pack("<HHHHB", y, x, 0, len(value), 1) + text)
            else:
                sheet += record(0x203, struct.pack("<HHHd", y, x, 0, value))
    sheet += record(0x0A)
    head = bof(0x05) + record(0x42, struct.pack("<H", 1200))
    listed = struct.pack("<BB", len(name), 0) + name.encode()
    length = len(head) + 4 + 6 + len(listed) + 4
    head += record(0x85, struct.pack("<IH", length, 0) + listed) + record(0x0A)
    return compound({"Workbook": (head + sheet).ljust(4096, b"\0")})
