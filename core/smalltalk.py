"""Greetings, thanks, goodbyes and questions about the bot itself. The whole message must be one, or it is a question."""

import re
from typing import Literal

from core.lexicon import word_set
from core.normalize import fold
from core.tokens import tokenize

Kind = Literal["greeting", "thanks", "farewell", "about"]

_GREETINGS = re.compile(
    r"oi+e?|ola+|opa|alo|e ai|eai|iai|salve|(?:muito )?bom dia|boa tarde|boa noite|tudo (?:bem|bom|certo|joia|tranquilo)(?: com (?:voce|vc|vcs|voces))?"
    r"|como (?:vai|voce esta|voce ta|esta voce|voces estao|estao voces)(?: voce)?|beleza|blz|td bem|h+i+|hey+|hello+|hiya|howdy|yo|greetings"
    r"|good (?:morning|afternoon|evening)|how are (?:you|things)(?: doing| today)?|how is it going|what is up|sup|nice to meet you|prazer"
)
_THANKS = re.compile(
    r"(?:muito |muitissimo )?obrigad[oa]s?(?: (?:mesmo|demais|pela (?:ajuda|resposta|informacao)|por (?:tudo|ajudar|responder)))?|obg|brigad[oa]o?|vlw|valeu(?: mesmo)?|grat[oa]"
    r"|agradeco|thanks(?: a (?:lot|million|bunch))?(?: so much)?(?: for (?:the|your) (?:help|answer))?|thank you(?: so| very)?(?: much)?(?: for (?:the|your) (?:help|answer))?|thx|tks|ty|cheers|much appreciated|appreciated"
    r"|perfeito|otimo|excelente|show|massa|legal|maravilha|top|great|perfect|awesome|nice|cool|entendi|got it|ok+|okay|certo|ta bom|esta bom|tudo certo|all good"
)
_FAREWELLS = re.compile(
    r"tchau+|ate (?:mais|logo|amanha|breve|a proxima|segunda)|adeus|falou|fui|bye+(?: bye)?|goodbye|see (?:you|ya)(?: later| soon| tomorrow)?|have a (?:nice|good) (?:day|one|weekend)|bom (?:fim de semana|descanso)|good night"
)
_ABOUT = re.compile(
    r"(?:quem|o que|oque|que) (?:e|eh|es) (?:voce|tu|vc)(?: exatamente| mesmo)?|voce (?:e|eh) (?:um |uma )?(?:o que|quem|robo|bot|humano|humana|ia|pessoa|maquina|inteligencia artificial|gente|real|de verdade)"
    r"|(?:o )?que (?:e que )?(?:voce|tu) (?:faz|sabe(?: fazer)?|pode fazer|consegue fazer|pode me ajudar)|como (?:e que )?(?:voce|tu) (?:funciona|trabalha|pode (?:me )?ajudar|sabe (?:disso|as coisas|das coisas))"
    r"|(?:qual (?:e )?(?:o )?(?:seu|teu) nome|como (?:voce )?(?:se |te )?chama(?: voce)?|quem (?:te|o|lhe) (?:fez|criou|programou|desenvolveu)|quem criou voce|como (?:eu )?(?:uso|falo com|pergunto para|pergunto) (?:voce|o bot|isso aqui)|como (?:te )?uso)"
    r"|em que (?:voce )?pode (?:me )?ajudar|(?:voce )?pode me ajudar|preciso de ajuda|me ajuda|socorro|ajuda|help(?: me)?|i need help|can you help me|menu|comandos|commands|instrucoes|instructions"
    r"|who are you|what are you|what (?:can|do) you do(?: for me)?|what can i (?:ask|do)(?: you)?(?: here)?|how (?:do|can) (?:you|i) (?:work|help|help me|use you|use this bot)|are you (?:a |an )?(?:bot|robot|human|real|person|ai|machine|there)"
    r"|what is your name|who (?:made|built|created|trained|programmed) you|what model are you(?: using)?|which model are you|what do you know|(?:o )?que (?:eu )?posso (?:te )?perguntar|tell me about yourself|fale sobre voce|se apresente|introduce yourself"
)
_FILLER = word_set(
    "pessoal gente galera time equipe bot todos todas a e o and there team all everyone folks amigo querido por favor please senhor senhora guys so muito ai"
)


_PARTS = re.compile(r"[^\W_]+")


def smalltalk(text: str, names: tuple[str, ...] = ()) -> Kind | None:
    """What kind of small talk a message is, or None when anything else is said.

    Args:
        names: what people call the bot; they may stand anywhere in a greeting.
    """
    words = [
        part for t in tokenize(text) for part in _PARTS.findall(t.word)
    ]  # "bom-dia"; "FP-40" is no greeting
    called = {part for name in names for part in fold(name).split()}
    kinds = _read([w for w in words if w not in called], called)
    if not kinds:
        return None
    order: tuple[Kind, ...] = ("about", "farewell", "thanks", "greeting")
    return next((kind for kind in order if kind in kinds), None)


def _read(words: list[str], called: set[str]) -> set[Kind]:
    """The kinds that cover all words, longest phrase first; empty if a word is left over."""
    found: set[Kind] = set()
    at = 0
    while at < len(words):
        length, kind = _longest(words, at)
        if length == 0:
            if words[at] not in _FILLER:
                return set()
            length = 1
        if kind:
            found.add(kind)
        at += length
    return found if found or not called else {"greeting"}


def _longest(words: list[str], at: int) -> tuple[int, Kind | None]:
    patterns: tuple[tuple[Kind, re.Pattern[str]], ...] = (
        ("about", _ABOUT), ("farewell", _FAREWELLS), ("thanks", _THANKS), ("greeting", _GREETINGS),
    )  # fmt: skip
    for length in range(min(8, len(words) - at), 0, -1):
        phrase = " ".join(words[at : at + length])
        for kind, pattern in patterns:
            if pattern.fullmatch(phrase):
                return length, kind
    return 0, None
