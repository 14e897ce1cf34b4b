"""What a parser from outside says of a file that it refuses: its sender hears it, whatever the sentence around it."""

from core import errors
from core.errors import FileRejected, NothingInside
from core.harmless import unlinked
from core.ports import Parser

_OWN = "core."  # modules of the readers that come with the bot: their details are for the log
_LONGEST = 300  # characters
_LANGUAGES = ("en", "pt")


def in_own_words(refusal: FileRejected, parser: Parser) -> None:
    """Let the refusal say what a plugin's parser gave as its reason.

    The bare kind has no sentence besides it; a kind of the core's has one, and the reason stands behind it; a kind of the
    plugin's own has its sentences and is left as it is.
    """
    if type(parser).__module__.startswith(_OWN) or isinstance(refusal, NothingInside):
        return
    if type(refusal).__module__ != errors.__name__ or str(refusal) == type(refusal).__name__:
        return
    reason = unlinked(str(refusal)[:_LONGEST])
    bare = type(refusal) is FileRejected
    said = {lang: reason if bare else f"{refusal.say(lang)} ({reason})" for lang in _LANGUAGES}
    refusal.messages = {lang: text.replace("{", "{{").replace("}", "}}") for lang, text in said.items()}
