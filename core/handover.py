"""Messages that only hand a file over: "segue a planilha de maio", "please keep this". They ask for nothing but that."""

import re

from core.forms import kinds_of
from core.normalize import fold
from core.tokens import tokenize

_COURTESY = re.compile(
    r"^(?:(?:oi|ola|opa|hi|hello|hey|bom dia|boa tarde|boa noite|good (?:morning|afternoon)|pessoal|gente|galera|time|team|all|bot"
    r"|por favor|pfv|please|pls|voce pode|vc pode|pode|poderia|da pra|can you|could you|can u)[\s,.!:-]*)+"
)
_HANDING = re.compile(
    r"(?:segue[mn]?|aqui (?:esta|estao|ta|vai|vao)|ai (?:esta|vai)|(?:vai|estou|to|tou)? ?(?:em )?anex(?:o|a|ei|ando|ado|ada|ados)|mando|mandei|enviei|envio|estou (?:enviando|mandando)"
    r"|guard[aeo]r?|guarde|salv[ae]r?|arquiv[ae]r?|lembr[ae]r?(?:-se)?|memoriz[ae]r?|registr[ae]r?|le(?:ia|r)?|adicion[ae]r?|inclu(?:i|a|ir)|atualiz[ae]r?|substitu(?:i|a|ir)|troc(?:a|ar|ue)"
    r"|nov[oa] versao|(?:o |a |os |as )?(?:arquivo|planilha|documento|tabela|politica|manual|relatorio|pdf|versao)s? (?:nov[oa]s?|atualizad[oa]s?)"
    r"|here(?: is|'s|s| are| you go)|attached|(?:i am |i'm |im )?(?:attach|send|upload|shar)ing|find attached|fyi|pra (?:vc|voce|voces|vcs)|para (?:voce|voces|conhecimento|registro|consulta)"
    r"|save|keep|store|remember|memori[sz]e|add|read|update|replace|for (?:the record|reference|your (?:information|records|reference))|(?:the )?(?:new|updated|latest) (?:version|file|list|sheet|spreadsheet|policy|manual|report))\b"
)
_WANTS = re.compile(
    r"(?:\be|\band|[,;.:])\s+(?:me |please |por favor )?(?:diga|diz|fala|fale|responda|resuma|liste|mostre|calcule|some|compare|explique|veja|confira"
    r"|tell|say|answer|sum|list|show|calculate|compare|explain|check|find|give)\b"
)
_SHORT = 5  # words: "can you keep this file?" asks for no more than that


def hands_over(text: str) -> bool:
    """Whether a message that came with files asks for nothing but to take them in."""
    folded = " ".join(fold(text).split())
    bare = _COURTESY.sub("", folded)
    if not bare:
        return True
    if _WANTS.search(folded) or ("?" in bare and len(bare.split()) > _SHORT):
        return False
    return bool(_HANDING.match(bare)) and set(kinds_of(tokenize(bare))) <= {"list"}  # "the price list"
