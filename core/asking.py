"""Where a question or request begins, in Portuguese and English, without a parser.

Every test looks at closed-class words only (interrogatives, auxiliaries, determiners, request verbs), so it holds in
any trade.
"""

import re

from core.lexicon import (
    EN_AUXILIARIES,
    EN_SUBJECTS,
    INTERROGATIVES,
    PREPOSITIONS,
    PT_YES_NO,
    REQUEST_INFINITIVES,
    REQUESTS_EN,
    REQUESTS_PT,
    REQUESTS_TO_ME,
    word_set,
)
from core.tokens import Token, is_content, tokenize

Words = tuple[Token, ...]
COPULAS = word_set("e sao foi foram era eram sera serao is are was were esta estao fica ficam")
DETERMINERS = word_set(
    "o a os as um uma the an this that these those my our your his her its their each every all any which what how who "
    "qual quais quanto quantos quantas quem me us cada todos todas meu minha nosso nossa"
)
_ASKED_AFTER = word_set(
    # what may stand right before an embedded question: "me diz quem …", "do you know when …"
    "saber sabe diz diga diga-me dizer explica explique explicar conta conte mostra mostre informa informe ver entender "
    "lembrar lembra confirma confirme know tell me explain show see understand sure e and but mas tambem also please favor "
    "ola oi hi hey hello bom boa dia tarde noite team pessoal gente galera entao so bot sobre about if whether us"
)
_NOT_ASKED_AFTER = word_set(
    "o a os as do da dos das no na nos nas pelo pela pelos pelas ao aos tal cada tanto tantos tantas"
)
SUBORDINATE = word_set("quando when where while")
INVERTED_PT = word_set(
    "e eh foi sera sao eram era esta estao vai vao vence vencem comeca comecam termina terminam abre fecha sai chega "
    "posso podemos devo devemos preciso precisamos fica ficam acaba expira"
)
_COURTESY = word_set(
    "oi ola oie opa alo bom boa dia tarde noite tudo bem td blz beleza obrigado obrigada obg vlw valeu grato grata agradeco "
    "desde ja e por favor pessoal gente galera time equipe bot serio hein ne certo ok okay hi hey hello there team all folks "
    "good morning afternoon evening thanks thank you so much please everyone right really cheers tks thx tia in advance "
    "como vai voce how are muito pela ajuda for the help your attention atencao a abs abraco desculpa desculpe sorry excuse me"
)
AMBIGUOUS_REQUESTS = word_set(
    # also nouns or other verb forms: a request only before a determiner or an interrogative
    "lista conta some cite resume compara monte ache faca gere list count name report state return display find give show "
    "provide define compute detail detalha indica aponta informa confirma explica mostra descreve"
)
PREFIX = re.compile(
    r"^(?:eu )?(?:gostaria de|queria|quero|preciso|preciso de|quer(?:ia)?) (?:saber|entender|ver|confirmar|conhecer|que voce)\b"
    r"|^(?:i|we) (?:would like|want|need|would love) to (?:know|understand|see|check|confirm)\b"
    r"|^(?:can|could|would|will) you (?:please )?(?:tell|show|explain|list|give|check|say|help|summari[sz]e|describe|compare|find|remind|confirm)\b"
    r"|^(?:voce )?(?:pode|poderia|consegue|podem) (?:me |nos )?(?:dizer|informar|explicar|mostrar|listar|falar|passar|ajudar|confirmar|resumir|enviar|mandar|detalhar|calcular|comparar)\b"
    r"|^(?:voce |voces |alguem )?sabem? (?:me )?(?:dizer )?(?:se|quem|qual|quais|quanto|quantos|quando|onde|como|o que|por que)\b"
    r"|^(?:do|does) (?:you|anyone|anybody|someone) know\b|^let me know\b|^any idea\b|^i wonder\b|^(?:what|how) about\b"
    r"|^quanto (?:a|ao|aos|as)\b|^(?:e )?se\b(?=.)|^(?:and )?if\b(?=.)"
)
CONDITION = re.compile(r"^(?:e )?se\b|^(?:and )?if\b")
IMPERSONAL = re.compile(
    r"^(?:nao )?(?:(?:existe|existem|ha|houve|tem como|da (?:para|pra)|sera que)\b"
    r"|(?:e|eh|foi|seria|sera|esta) (?:obrigatori\w|possivel|necessari\w|preciso|permitid\w|proibid\w|verdade|gratuit\w|gratis|pag\w|valid\w|cobrad\w|aceit\w|incluid\w|seguro|normal|melhor)\b"
    r"|(?:ele|ela|eles|elas|isso|isto|esse|essa) (?:e|eh|sao|foi|tem|pode|podem|vale|deve|precisa|esta|estao|inclui|serve|fica|conta)\b)"
)
_STATES_A_NEED = word_set("preciso precisamos tenho temos estou estamos")


def asked_length(tokens: Words, at: int) -> int:
    """How many words the interrogative phrase at `at` has: "até quando" 2, "o que" 2, "how many" 2; 0 if none."""
    end = at
    while end < min(len(tokens), at + 3) and tokens[end].word in PREPOSITIONS | {"partir"}:
        end += 1
    rest = [t.word for t in tokens[end : end + 2]]
    if rest[:2] == ["o", "que"] or (
        rest[:1] == ["how"] and rest[1:] in (["many"], ["much"], ["long"], ["often"], ["far"], ["old"])
    ):
        return end + 2 - at
    if rest[:1] == ["que"]:
        bare = end == at
        return 0 if bare and (at > 0 or len(tokens) < 3 or not is_content(tokens[1].word)) else end + 1 - at
    if end > at and rest[:1] == ["que"]:
        return end + 1 - at
    if (
        at == 0
        and len(tokens) > 2
        and [t.word for t in tokens[:2]] in (["do", "que"], ["no", "que"], ["pelo", "que"])
    ):
        return 2
    if tokens[at].word == "a" and rest and rest[0] == "que":
        return end + 1 - at
    return end + 1 - at if rest and rest[0] in INTERROGATIVES else 0


def request_length(tokens: Words, at: int) -> int:
    """How many words open a request at `at` ("me passa", "liste", "can you tell me"); 0 if none."""
    text = " ".join(t.word for t in tokens[at : at + 8])
    match = PREFIX.match(text)
    if match and not CONDITION.match(text):
        return len(match.group().split())
    word, following = tokens[at].word, tokens[at + 1].word if at + 1 < len(tokens) else ""
    if word in {"me", "nos"} and following in REQUESTS_TO_ME:
        return 2
    if word not in REQUESTS_PT | REQUESTS_EN and not (at == 0 and word in REQUEST_INFINITIVES):
        return 0
    if word in AMBIGUOUS_REQUESTS and at > 0 and following not in DETERMINERS:
        return 0
    return 1 if following else 0


def opens_yes_no(tokens: Words, at: int = 0) -> bool:
    """A yes/no question starts at `at`."""
    words = [t.word for t in tokens[at : at + 4]]
    if len(words) < 2:
        return False
    if words[0] in EN_AUXILIARIES:
        have = words[0] in {"have", "has", "had"}
        subject = words[1] in (EN_SUBJECTS - {"the", "a", "an"} if have else EN_SUBJECTS)
        plain = is_content(words[1]) and (
            words[0] != "do" or words[1].endswith("s")
        )  # "do sul" is Portuguese
        subject = subject or (at == 0 and len(tokens) > 2 and plain and not have)
        superlative = (
            words[0] in {"is", "are", "was"}
            and words[1] == "the"
            and re.search(r"(?:est|most|only|one)$", words[2] if len(words) > 2 else "")
        )
        return subject and not superlative
    return words[0] in PT_YES_NO - {"e", "esta", "era", "vai", "foi"} or bool(
        IMPERSONAL.match(" ".join(words))
    )


def question_at(tokens: Words) -> int:
    """Where the question or request of a sentence begins; -1 if it asks nothing."""
    for at in range(len(tokens)):
        if _may_begin(tokens, at):
            opened = asked_length(tokens, at) and not _is_subordinate(tokens, at)
            if (
                opened
                or request_length(tokens, at)
                or (opens_yes_no(tokens, at) and _is_asked_yes_no(tokens, at))
            ):
                return at
    return -1


def _may_begin(tokens: Words, at: int) -> bool:
    if at == 0 or tokens[at].marked or tokens[at - 1].word in _ASKED_AFTER:
        return True
    length = asked_length(tokens, at)
    if not length or tokens[at - 1].word in _NOT_ASKED_AFTER:
        return False
    word = tokens[at + length - 1].word
    after = tokens[at + length].word if at + length < len(tokens) else ""
    if re.fullmatch(r"qual|quais|quant[oa]s?|much|many", word):
        return word not in {"quanto", "quantos"} or "tanto" not in {t.word for t in tokens[:at]}
    return word in {"what", "who", "how", "why", "when", "where"} and after in EN_AUXILIARIES


def _is_subordinate(tokens: Words, at: int) -> bool:
    """ "Quando chove, …": a clause of time whose main clause follows a comma."""
    end = at + asked_length(tokens, at) - 1
    if tokens[end].word not in SUBORDINATE or end + 1 >= len(tokens):
        return False
    inverted = tokens[end + 1].word in EN_AUXILIARIES | INVERTED_PT
    return not inverted and any(t.marked for t in tokens[end + 1 :])


def _is_asked_yes_no(tokens: Words, at: int) -> bool:
    """Without a question mark "preciso comprar um monitor" states a need; "posso levar o cachorro" asks."""
    return tokens[at].word not in _STATES_A_NEED and (
        at == 0 or tokens[at].marked or tokens[at].word in EN_AUXILIARIES
    )


def asks(tokens: Words, *, marked: bool = False) -> bool:
    """A sentence asks or requests something. `marked`: it ended in a question mark."""
    return bool(tokens) and (marked or question_at(tokens) >= 0)


def is_courtesy(text: str) -> bool:
    """Greeting, thanks or tag only: nothing is asked."""
    words = [t.word for t in tokenize(text)]
    return all(word in _COURTESY for word in words)
