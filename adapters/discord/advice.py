"""What an admin has to switch on, told once: in the log, and as a direct message to those who can do it."""

import logging
from collections.abc import Sequence

import discord

from adapters.discord.permissions import WHY, Need
from adapters.discord.read import PLATFORM, language_of
from bot.phrases import say
from core.harmless import harmless
from core.types import Language

log = logging.getLogger("polyrag.discord")
TOLD = 3  # admins of the configuration who get a message; the others read the log


class Adviser:
    """One process tells each missing permission of a server once."""

    def __init__(self, client: discord.Client, admins: Sequence[str], language: Language) -> None:
        self._client = client
        self._admins = tuple(_ids(admins))
        self._language = language
        self._told: set[tuple[int, Need]] = set()

    async def missing(self, guild: discord.Guild, need: Need, channel: int) -> None:
        """Name the switch to the admins. Never raises for a message that cannot be delivered."""
        log.warning(
            "permission missing", extra={"guild": guild.id, "channel": channel, "permission": need.value}
        )
        if (guild.id, need) in self._told:
            return
        self._told.add((guild.id, need))
        language = language_of(str(guild.preferred_locale), told=False)
        language = self._language if language == "und" else language
        text = say(
            "discord_missing",
            language,
            name=need.value,
            channel=f"<#{channel}>",
            why=WHY[need][0 if language == "pt" else 1],
            role=guild.me.display_name if guild.me else "bot",
        )
        for person in self._admins[:TOLD] or ((guild.owner_id,) if guild.owner_id else ()):
            await self.tell(person, text)

    async def removed(self, guild: discord.Guild) -> None:
        """The bot was taken out of a server."""
        log.warning("removed from a server", extra={"guild": guild.id})
        for person in self._admins[:TOLD]:
            await self.tell(person, say("discord_removed", self._language, name=harmless(guild.name)))

    async def tell(self, person: int, text: str) -> bool:
        """A direct message; False where the person takes none."""
        try:
            user = self._client.get_user(person) or await self._client.fetch_user(person)
            await user.send(text)
        except discord.HTTPException as err:
            log.warning("person not told", extra={"user": person, "error": repr(err)})
            return False
        return True


def _ids(admins: Sequence[str]) -> list[int]:
    """The configured admins who are Discord accounts."""
    bare = (name.removeprefix(f"{PLATFORM}:") for name in admins)
    return [int(name) for name in bare if name.isdigit()]
