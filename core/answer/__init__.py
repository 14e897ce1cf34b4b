"""From evidence to an answer: with a model where one runs, by arithmetic alone where none does."""

from core.answer.citing import Draft, cited, joined
from core.answer.extractive import extractive
from core.answer.prompt import Prompt, prompt_messages
from core.answer.units import candidate_texts
from core.answer.write import Pen, Written, write_answer

__all__ = [
    "Draft",
    "Pen",
    "Prompt",
    "Written",
    "candidate_texts",
    "cited",
    "extractive",
    "joined",
    "prompt_messages",
    "write_answer",
]
