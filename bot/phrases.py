"""Interface texts in Portuguese and English. Every sentence a person reads from the bot's own mouth stands here."""

from core.language import detect_language
from core.settings import Settings
from core.types import Language

TEXTS: dict[str, tuple[str, str]] = {
    # key: (Portuguese, English)
    "unknown_command": (
        "Não conheço o comando `{name}`. Veja `help`.",
        "I do not know the command `{name}`. See `help`.",
    ),
    "nearest_command": (
        "Não conheço o comando `{name}`. Quis dizer `{nearest}`?",
        "I do not know the command `{name}`. Did you mean `{nearest}`?",
    ),
    "usage": ("Uso: `{usage}`", "Usage: `{usage}`"),
    "failed": (
        "Algo deu errado aqui e a pergunta não foi respondida. O administrador encontra o motivo no registro ({id}).",
        "Something went wrong here and the question was not answered. The admin finds the reason in the log ({id}).",
    ),
    "upload_same": (
        "`{file}`: já estava aqui, nada mudou.",
        "`{file}`: it was here already, nothing changed.",
    ),
    "upload_new": ("`{file}` guardado: {what}.", "`{file}` stored: {what}."),
    "upload_version": (
        "`{file}`: nova versão no lugar da anterior: {what}.",
        "`{file}`: new version in place of the former one: {what}.",
    ),
    "upload_rejected": ("⚠ `{file}`: {reason}", "⚠ `{file}`: {reason}"),
    "upload_denied": (
        "Você não pode guardar arquivos neste canal.",
        "You may not store files in this channel.",
    ),
    "passages": ("{n} trecho(s)", "{n} passage(s)"),
    "relations": ("{n} com relações", "{n} with relations"),
    "table": ("tabela {name} com {rows} linha(s)", "table {name} with {rows} row(s)"),
    "rejected_rows": ("{n} linha(s) recusada(s): {why}", "{n} row(s) rejected: {why}"),
    "assumed": ("suposições: {what}", "assumptions: {what}"),
    "trace_unknown": (
        "Não encontrei essa resposta aqui, ou ela usou canais que você não lê.",
        "I did not find that answer here, or it used channels that you do not read.",
    ),
    "no_sources": (
        "Ainda não há arquivos que eu possa ler aqui.",
        "There are no files yet that I may read here.",
    ),
    "from_cache": (
        "Resposta guardada de uma pergunta anterior; peça de novo com `fresh` para refazer.",
        "Answer kept from an earlier question; ask with `fresh` to have it made anew.",
    ),
    "understood_as": ("Entendi como: {text}", "Understood as: {text}"),
    "admins_only": ("Só administradores podem usar isso.", "Only admins may use this."),
}


def say(key: str, language: Language, **facts: object) -> str:
    """One interface text; an undecided reader gets English."""
    portuguese, english = TEXTS[key]
    return (portuguese if language == "pt" else english).format(**facts)


def reader_language(text: str, locale: Language, settings: Settings) -> Language:
    """The language of what was typed; else the platform's locale; else the bot's own setting."""
    detected = detect_language(text)
    if detected != "und":
        return detected
    return locale if locale != "und" else settings.language
