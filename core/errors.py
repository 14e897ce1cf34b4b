"""One tree of errors, two audiences: `str(err)` for the log, `say(language)` for the room.

A message for the room never holds a path, a key, an id or exception text.
"""

from collections.abc import Mapping, Sequence


class PolyragError(Exception):
    """Anything we foresaw. Each subclass says what its reader can do about it.

    `messages` maps a language to the sentence; `{name}` fields are filled from `facts`, which the raiser
    vouches are fit for the room (a file name the reader uploaded, a page number, a limit); one that is itself worded
    comes in both languages.
    """

    messages: dict[str, str] = {"en": "I could not do that.", "pt": "Não consegui fazer isso."}

    def __init__(self, detail: str = "", **facts: str | int | float | Mapping[str, str]) -> None:
        super().__init__(detail or type(self).__name__)
        self.facts: Mapping[str, str | int | float | Mapping[str, str]] = facts

    def say(self, language: str) -> str:
        """The sentence for the room, in Portuguese or English (undecided: both languages' readers get English)."""
        template = self.messages.get(language) or self.messages["en"]
        facts = {k: _worded(v, language) if isinstance(v, Mapping) else v for k, v in self.facts.items()}
        return template.format(**facts)


def _worded(fact: Mapping[str, str], language: str) -> str:
    return fact.get(language) or fact["en"]


class BadVector(PolyragError):
    messages = {
        "en": "I could not read that text. Please rephrase it.",
        "pt": "Não consegui ler esse texto. Por favor, reformule.",
    }


class NothingReadable(PolyragError):
    messages = {
        "en": "There is nothing here that I may read for you. Upload a file to this channel, or ask me in a direct message.",
        "pt": "Não há nada aqui que eu possa ler para você. Envie um arquivo a este canal ou pergunte por mensagem direta.",
    }


class TooSlow(PolyragError):
    messages = {
        "en": "That took too long. Please try again in a minute.",
        "pt": "Demorou demais. Tente de novo em um minuto.",
    }


class LongQuestion(PolyragError):
    """More than one message of a chat can ask; the work grows faster than the text."""

    messages = {
        "en": "That is a long message ({size} characters). Ask me in at most {limit}, and send long texts as a file.",
        "pt": "A mensagem é longa ({size} caracteres). Pergunte em até {limit} e envie textos longos como arquivo.",
    }


class ManyQuestions(PolyragError):
    messages = {
        "en": "I count {count} questions in one message. Ask me at most {limit} at a time.",
        "pt": "Contei {count} perguntas em uma mensagem. Faça no máximo {limit} de cada vez.",
    }


# --- files ---------------------------------------------------------------------------------------


class FileRejected(PolyragError):
    """A file that cannot be ingested; nothing of it is stored."""

    messages = {"en": "I could not read this file.", "pt": "Não consegui ler este arquivo."}


class EmptyFile(FileRejected):
    messages = {
        "en": "The file is empty: there is nothing to store.",
        "pt": "O arquivo está vazio: não há nada para guardar.",
    }


class EncryptedFile(FileRejected):
    messages = {
        "en": "The file is protected by a password. Remove the password and send it again.",
        "pt": "O arquivo está protegido por senha. Retire a senha e envie de novo.",
    }


class DamagedFile(FileRejected):
    messages = {
        "en": "The file is damaged or incomplete. Open it, save it again and send it once more.",
        "pt": "O arquivo está danificado ou incompleto. Abra, salve de novo e envie outra vez.",
    }


class OversizedFile(FileRejected):
    messages = {
        "en": "The file is too large ({size}); the limit is {limit}.",
        "pt": "O arquivo é grande demais ({size}); o limite é {limit}.",
    }


class UnsupportedFile(FileRejected):
    messages = {
        "en": "I cannot read this kind of file ({kind}). I read: {known}.",
        "pt": "Não leio este tipo de arquivo ({kind}). Leio: {known}.",
    }


class WebPageInstead(FileRejected):
    messages = {
        "en": "This is a web page (probably a login page), not the file. The bot is probably missing the permission to download files (files:read).",
        "pt": "Isto é uma página da web (provavelmente de login), não o arquivo. Provavelmente falta ao bot a permissão de baixar arquivos (files:read).",
    }


class NoTextLayer(FileRejected):
    messages = {
        "en": "The file has no readable text ({pages} page(s) are pictures) and no OCR is available.",
        "pt": "O arquivo não tem texto legível ({pages} página(s) são imagens) e não há OCR disponível.",
    }


class TooNested(FileRejected):
    messages = {
        "en": "It lies more than {limit} files deep inside other files; that deep I do not read.",
        "pt": "Está a mais de {limit} arquivos de profundidade dentro de outros; tão fundo eu não leio.",
    }


class NothingInside(FileRejected):
    """An archive of which no member could be read, for different reasons."""

    messages = {
        "en": "None of the files inside could be read. {reasons}",
        "pt": "Nenhum dos arquivos de dentro pôde ser lido. {reasons}",
    }

    def __init__(self, refusals: Sequence[tuple[str, FileRejected]]) -> None:
        super().__init__(f"{len(refusals)} members refused")
        self.refusals = tuple(refusals)

    def __reduce__(self) -> tuple[type["NothingInside"], tuple[object]]:
        return NothingInside, (self.refusals,)  # it crosses from the process that reads files

    def say(self, language: str) -> str:
        shown = " ".join(f"{path}: {refusal.say(language)}" for path, refusal in self.refusals[:3])
        more = f" (+ {len(self.refusals) - 3})" if len(self.refusals) > 3 else ""
        template = self.messages.get(language) or self.messages["en"]
        return template.format(reasons=shown) + more


class SlowFile(FileRejected):
    messages = {
        "en": "The file took longer to read than it may ({seconds} s). Divide it and send the parts.",
        "pt": "A leitura do arquivo passou do tempo permitido ({seconds} s). Divida-o e envie as partes.",
    }


class HeavyFile(FileRejected):
    messages = {
        "en": "Reading the file needs more memory than a file may have. Divide it and send the parts.",
        "pt": "A leitura do arquivo precisa de mais memória do que um arquivo pode usar. Divida-o e envie as partes.",
    }


class ReaderCrashed(FileRejected):
    messages = {
        "en": "The file made its reader crash; it is probably damaged. Open it, save it again and send it once more.",
        "pt": "O arquivo derrubou o leitor; provavelmente está danificado. Abra, salve de novo e envie outra vez.",
    }


# --- models and engines ----------------------------------------------------------------------------


class ModelUnavailable(PolyragError):
    messages = {
        "en": "A model server is not answering. An admin can look at `/servers`.",
        "pt": "Um servidor de modelo não está respondendo. Um administrador pode ver `/servers`.",
    }


class ModelMissing(PolyragError):
    messages = {
        "en": "A model file is missing. An admin can run `polyrag doctor`.",
        "pt": "Falta um arquivo de modelo. Um administrador pode executar `polyrag doctor`.",
    }


class StoreFailed(PolyragError):
    messages = {
        "en": "One of the stores could not be searched; the answer may be incomplete.",
        "pt": "Um dos acervos não pôde ser consultado; a resposta pode estar incompleta.",
    }


class SqlRefused(PolyragError):
    """The guard refused a statement. `str(err)` names the rule."""

    messages = {
        "en": "That question could not be turned into a safe query.",
        "pt": "Essa pergunta não pôde virar uma consulta segura.",
    }


class NotAllowed(PolyragError):
    messages = {"en": "You may not do that here.", "pt": "Você não pode fazer isso aqui."}


class NotFound(PolyragError):
    messages = {"en": "I found nothing by that name here.", "pt": "Não encontrei nada com esse nome aqui."}


class BadSetting(PolyragError):
    """A wrong key or value in the configuration: names key, value, what is allowed and the nearest right name."""

    language = ""  # that the wrong configuration itself chooses, if it does
    messages = {"en": "The configuration is wrong: {problem}", "pt": "A configuração está errada: {problem}"}


class HomeBusy(PolyragError):
    messages = {
        "en": "Another process is using this home folder.",
        "pt": "Outro processo está usando esta pasta do bot.",
    }
