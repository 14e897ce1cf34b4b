"""The permissions that the bot uses in a server. The invite link, its checks and its advice are all made from this table."""

from enum import StrEnum

import discord

SCOPES = ("bot", "applications.commands")


class Need(StrEnum):
    """By discord.py's name; the value of each is what Discord's English settings call it."""

    view_channel = "View Channels"
    send_messages = "Send Messages"
    send_messages_in_threads = "Send Messages in Threads"
    create_public_threads = "Create Public Threads"
    read_message_history = "Read Message History"
    add_reactions = "Add Reactions"
    attach_files = "Attach Files"


WHY: dict[Need, tuple[str, str]] = {
    # (Portuguese, English): what the bot cannot do without it
    Need.view_channel: ("ver o canal", "see the channel"),
    Need.send_messages: ("responder no canal", "reply in the channel"),
    Need.send_messages_in_threads: ("responder em tópicos", "reply in threads"),
    Need.create_public_threads: (
        "abrir um tópico para cada pergunta; sem isso respondo no próprio canal",
        "open a thread for each question; without it I reply in the channel itself",
    ),
    Need.read_message_history: (
        "ler as mensagens às quais respondo e os seus arquivos",
        "read the messages that I reply to, and their files",
    ),
    Need.add_reactions: (
        "marcar uploads com 👀, ✅ e ⚠️",
        "mark uploads with 👀, ✅ and ⚠️",
    ),
    Need.attach_files: (
        "enviar resultados completos como arquivo",
        "send complete results as a file",
    ),
}


def permissions() -> discord.Permissions:
    """All of them."""
    return discord.Permissions(**{need.name: True for need in Need})


def invite_link(application: int) -> str:
    """The address at which an admin adds the bot to a server, with exactly these permissions."""
    return discord.utils.oauth_url(application, permissions=permissions(), scopes=SCOPES)


def has(granted: discord.Permissions, need: Need) -> bool:
    return bool(getattr(granted, need.name))
