"""E-mails: who wrote to whom, when, about what, the body, and the files attached."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import parsedate_to_datetime
from typing import Generic, TypeVar

from core.errors import DamagedFile
from core.ingest.load.members import Members, OpenMember
from core.ingest.load.pictured import is_decoration
from core.ingest.load.plain import read_text
from core.ingest.load.reading import Reading
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.load.web import parse_page, read_page
from core.ports import Ocr, ReadLimits
from core.types import Loaded

_SHOWN = ("From", "To", "Cc", "Date", "Subject")
_HEADER = 8_000  # characters; the library's time grows with the square of a header's length


M = TypeVar("M")  # a message as its format's library gives it


@dataclass(slots=True)
class LetterParser(Generic[M]):
    """Reads mails of one format: head and body, and the attachments as members."""

    name: str
    opened: Callable[[bytes], M]
    head_and_body: Callable[[M], Reading]
    date: Callable[[M], str]  # ISO; "" where there is none
    attach: Callable[[Members, M], None]
    kinds: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.kinds = (self.name,)

    def accepts(self, data: bytes, name: str) -> float:
        return 0.9 if kind_of_bytes(data, name) == self.name else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        """Head and body alone; the attachments need `read_members`."""
        message = self.opened(data)
        return self.head_and_body(message).loaded(date=self.date(message))

    def read_members(
        self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None, open_member: OpenMember
    ) -> Loaded:
        message = self.opened(data)
        reading = self.head_and_body(message)
        members = Members(reading, open_member)
        self.attach(members, message)
        members.close()
        return reading.loaded(date=self.date(message))


def mail_parser() -> LetterParser[EmailMessage]:
    """Reads eml."""
    return LetterParser("eml", _message, _read, _date, _attach_all)


def _message(data: bytes) -> EmailMessage:
    message = message_from_bytes(data, policy=_POLICY)
    assert isinstance(message, EmailMessage)  # what the policy makes
    return message


class _BoundedPolicy(EmailPolicy):
    """The modern rules of reading mail, with an end to how long a header may be."""

    def header_source_parse(self, sourcelines: Sequence[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(list(sourcelines))
        return name, value[:_HEADER]


_POLICY = _BoundedPolicy()


def _read(message: EmailMessage) -> Reading:
    """Subject, head lines and body."""
    reading = Reading("eml")
    if message["Subject"]:
        reading.name(str(message["Subject"]))
    lines = [f"{header}: {message[header]}" for header in _SHOWN if message[header]]
    reading.text("paragraph", "\n".join(lines), part="header")
    body = message.get_body(("plain", "html"))
    if body is not None:
        add_body(reading, str(body.get_content()), html=body.get_content_subtype() == "html")
    return reading


def add_body(reading: Reading, text: str, *, html: bool) -> None:
    """The text of a mail, whichever way it was written."""
    if html:
        read_page(reading, parse_page(text))
    else:
        read_text(reading, text.replace("\r\n", "\n"), titled=False)


def _attach_all(members: Members, message: EmailMessage) -> None:
    for number, part in enumerate(message.iter_attachments(), start=1):
        _attach(members, part, number)


def _attach(members: Members, part: EmailMessage, number: int) -> None:
    """One attachment; a forwarded mail is one too, a logo under a signature is none."""
    name = part.get_filename() or f"{number}.{part.get_content_subtype()}"
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        first = inner[0] if isinstance(inner, list) and inner else None
        if not isinstance(first, EmailMessage):
            members.refuse(name, DamagedFile("forwarded mail"))
            return
        members.add(first.as_bytes(), part.get_filename() or f"{number}.eml")
        return
    content = part.get_payload(decode=True)
    if not isinstance(content, bytes):
        members.refuse(name, DamagedFile(f"attachment of type {part.get_content_type()}"))
    elif not (part.get_content_maintype() == "image" and _is_inline(part) and is_decoration(content)):
        members.add(content, name)


def _is_inline(part: EmailMessage) -> bool:
    return part.get_content_disposition() == "inline" or bool(part["Content-ID"])


def _date(message: EmailMessage) -> str:
    try:
        return parsedate_to_datetime(str(message["Date"])).date().isoformat() if message["Date"] else ""
    except (ValueError, TypeError):
        return ""  # a date nobody can read dates nothing
