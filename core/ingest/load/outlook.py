"""Mails saved by Outlook (msg), with the files attached; the one home of python-oxmsg."""

import io
from email.utils import parsedate_to_datetime

from oxmsg import Message

from core.errors import DamagedFile
from core.ingest.load.compound import check_chains
from core.ingest.load.mail import LetterParser, add_body
from core.ingest.load.members import Members
from core.ingest.load.pictured import is_decoration
from core.ingest.load.reading import Reading


def outlook_parser() -> LetterParser[Message]:
    """Reads msg."""
    return LetterParser("msg", _opened, _read, _date, _attach_all)


def _opened(data: bytes) -> Message:
    check_chains(data)
    return Message.load(io.BytesIO(data))


def _read(message: Message) -> Reading:
    """Subject, head lines and body."""
    reading = Reading("msg")
    if message.subject:
        reading.name(message.subject)
    people = ", ".join(f"{one.name} <{one.email_address}>" for one in message.recipients)
    sent = message.sent_date.isoformat(" ", "minutes") if message.sent_date else ""
    head = (("From", message.sender), ("To", people), ("Date", sent), ("Subject", message.subject))
    reading.text("paragraph", "\n".join(f"{key}: {value}" for key, value in head if value), part="header")
    if message.body:
        add_body(reading, message.body, html=False)
    elif message.html_body:
        add_body(reading, message.html_body, html=True)
    return reading


def _attach_all(members: Members, message: Message) -> None:
    """The attachments; a logo under a signature is none."""
    for number, attachment in enumerate(message.attachments, start=1):
        path = attachment.file_name or f"{number}"
        content = attachment.file_bytes
        if content is None:
            members.refuse(path, DamagedFile("attachment without bytes"))
        elif not (attachment.mime_type or "").startswith("image/") or not is_decoration(content):
            members.add(content, path)


def _date(message: Message) -> str:
    if message.sent_date:
        return message.sent_date.date().isoformat()
    try:
        return parsedate_to_datetime(message.message_headers.get("Date", "")).date().isoformat()
    except (ValueError, TypeError):
        return ""  # a draft was never sent
