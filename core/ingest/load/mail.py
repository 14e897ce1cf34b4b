"""E-mails: who wrote to whom, when, about what, and the body. Attachments are named, not read."""

from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime

from core.ingest.load.plain import read_text
from core.ingest.load.reading import Reading
from core.ingest.load.sniff import kind_of_bytes
from core.ingest.load.web import parse_page, read_page
from core.ingest.notes import note
from core.language import detect_language
from core.ports import Ocr, ReadLimits
from core.types import Loaded, Rejected

_SHOWN = ("From", "To", "Cc", "Date", "Subject")


class MailParser:
    """Reads eml."""

    name = "eml"
    kinds: tuple[str, ...] = ("eml",)

    def accepts(self, data: bytes, name: str) -> float:
        return 0.9 if kind_of_bytes(data, name) == "eml" else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        message = message_from_bytes(data, policy=policy.default)
        assert isinstance(message, EmailMessage)  # what policy.default makes
        reading = Reading("eml")
        if message["Subject"]:
            reading.name(str(message["Subject"]))
        lines = [f"{header}: {message[header]}" for header in _SHOWN if message[header]]
        reading.text("paragraph", "\n".join(lines), part="header")
        body = message.get_body(("plain", "html"))
        if body is not None:
            text = str(body.get_content())
            if body.get_content_subtype() == "html":
                read_page(reading, parse_page(text))
            else:
                read_text(reading, text.replace("\r\n", "\n"), titled=False)
        language = detect_language(str(message["Subject"] or ""))
        for part in message.iter_attachments():
            reason = note("attachment").say(language)
            reading.rejected.append(Rejected(part.get_filename() or part.get_content_type(), reason))
        return reading.loaded(date=_date(message))


def _date(message: EmailMessage) -> str:
    try:
        return parsedate_to_datetime(str(message["Date"])).date().isoformat() if message["Date"] else ""
    except (ValueError, TypeError):
        return ""  # a date nobody can read dates nothing
