"""What people press and fill in: the buttons under an answer, and the form of `/remember`."""

import re
from typing import Any, Protocol

import discord
from discord import ui

from adapters.discord.write import BUTTON_ID, PAGE_FILES
from bot.phrases import say
from core.types import Language

Interaction = discord.Interaction[Any]


class Presses(Protocol):
    """What a button or a form calls; adapters.discord.interactions has it."""

    async def pressed(self, interaction: Interaction, action: str, trace: str) -> None: ...

    async def form_filled(
        self, interaction: Interaction, text: str, files: list[discord.Attachment]
    ) -> None: ...


class AnswerButton(ui.DynamicItem[ui.Button[Any]], template=BUTTON_ID):
    """Any button under any answer, also one that an earlier process posted: its id says what it does."""

    def __init__(self, button: ui.Button[Any], action: str, trace: str) -> None:
        super().__init__(button)
        self.action = action
        self.trace = trace

    @classmethod
    async def from_custom_id(
        cls, interaction: Interaction, item: ui.Item[Any], match: re.Match[str], /
    ) -> "AnswerButton":
        if not isinstance(item, ui.Button):
            raise TypeError(f"{match.string} is not a button")
        return cls(item, match["action"], match["trace"])

    async def callback(self, interaction: Interaction) -> None:
        presses: Presses = interaction.client.interactions
        await presses.pressed(interaction, self.action, self.trace)


class RememberForm(ui.Modal):
    """Files or a text to keep in this channel."""

    def __init__(self, language: Language) -> None:
        super().__init__(title=say("discord_form_title", language), timeout=900)
        self.files: ui.FileUpload[Any] = ui.FileUpload(required=False, min_values=0, max_values=PAGE_FILES)
        self.written: ui.TextInput[Any] = ui.TextInput(
            style=discord.TextStyle.paragraph, required=False, max_length=4_000
        )
        self.add_item(ui.Label(text=say("discord_form_files", language), component=self.files))
        self.add_item(ui.Label(text=say("discord_form_text", language), component=self.written))

    async def on_submit(self, interaction: Interaction) -> None:
        presses: Presses = interaction.client.interactions
        await presses.form_filled(interaction, self.written.value, list(self.files.values))
