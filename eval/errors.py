"""What eval is given and cannot use."""

from core.errors import BadSetting


class BadInput(BadSetting):
    """A file or a word that is no set, no folder, no group. Not the configuration's fault."""

    messages = {"en": "{problem}", "pt": "{problem}"}
