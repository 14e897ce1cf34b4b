"""What makes a stretch of words a question or a request of its own, in Portuguese and English, without a parser.

Every test looks at closed-class words only (interrogatives, auxiliaries, determiners, request verbs), so it holds in
any trade.
"""

import re

from core.analyze import question_tokens
from core.lexicon import (
    EN_AUXILIARIES,
    EN_SUBJECTS,
    GENERIC_NOUNS,
    INTERROGATIVES,
    LIGHT_VERBS,
    PREPOSITIONS,
    PRONOUNS,
    PT_YES_NO,
    REQUEST_INFINITIVES,
    REQUESTS_EN,
    REQUESTS_PT,
    REQUESTS_TO_ME,
    word_set,
)
from core.tokens import Token, is_content, tokenize

Words = tuple[Token, ...]

TOPIC_WORDS = 14  # a carried topic is a reminder, not a second question

_COPULAS = word_set("e sao foi foram era eram sera serao is are was were esta estao fica ficam")
_DETERMINERS = word_set(
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
_SUBORDINATE = word_set("quando when where while")
_INVERTED_PT = word_set(
    "e eh foi sera sao eram era esta estao vai vao vence vencem comeca comecam termina terminam abre fecha sai chega "
    "posso podemos devo devemos preciso precisamos fica ficam acaba expira"
)
_COURTESY = word_set(
    "oi ola oie opa alo bom boa dia tarde noite tudo bem td blz beleza obrigado obrigada obg vlw valeu grato grata agradeco "
    "desde ja e por favor pessoal gente galera time equipe bot serio hein ne certo ok okay hi hey hello there team all folks "
    "good morning afternoon evening thanks thank you so much please everyone right really cheers tks thx tia in advance "
    "como vai voce how are muito pela ajuda for the help your attention atencao a abs abraco desculpa desculpe sorry excuse me"
)
_AMBIGUOUS_REQUESTS = word_set(
    # also nouns or other verb forms: a request only before a determiner or an interrogative
    "lista conta some cite resume compara monte ache faca gere list count name report state return display find give show "
    "provide define compute detail detalha indica aponta informa confirma explica mostra descreve"
)
_PREFIX = re.compile(
    r"^(?:eu )?(?:gostaria de|queria|quero|preciso|preciso de|quer(?:ia)?) (?:saber|entender|ver|confirmar|conhecer|que voce)\b"
    r"|^(?:i|we) (?:would like|want|need|would love) to (?:know|understand|see|check|confirm)\b"
    r"|^(?:can|could|would|will) you (?:please )?(?:tell|show|explain|list|give|check|say|help|summari[sz]e|describe|compare|find|remind|confirm)\b"
    r"|^(?:voce )?(?:pode|poderia|consegue|podem) (?:me |nos )?(?:dizer|informar|explicar|mostrar|listar|falar|passar|ajudar|confirmar|resumir|enviar|mandar|detalhar|calcular|comparar)\b"
    r"|^(?:voce |voces |alguem )?sabem? (?:me )?(?:dizer )?(?:se|quem|qual|quais|quanto|quantos|quando|onde|como|o que|por que)\b"
    r"|^(?:do|does) (?:you|anyone|anybody|someone) know\b|^let me know\b|^any idea\b|^i wonder\b|^(?:what|how) about\b"
    r"|^quanto (?:a|ao|aos|as)\b|^(?:e )?se\b(?=.)|^(?:and )?if\b(?=.)"
)
_CONDITION = re.compile(r"^(?:e )?se\b|^(?:and )?if\b")
_IMPERSONAL = re.compile(
    r"^(?:nao )?(?:(?:existe|existem|ha|houve|tem como|da (?:para|pra)|sera que)\b"
    r"|(?:e|eh|foi|seria|sera|esta) (?:obrigatori\w|possivel|necessari\w|preciso|permitid\w|proibid\w|verdade|gratuit\w|gratis|pag\w|valid\w|cobrad\w|aceit\w|incluid\w|seguro|normal|melhor)\b"
    r"|(?:ele|ela|eles|elas|isso|isto|esse|essa) (?:e|eh|sao|foi|tem|pode|podem|vale|deve|precisa|esta|estao|inclui|serve|fica|conta)\b)"
)
_FIRST_PERSON = word_set(
    "posso podemos devo devemos preciso precisamos tenho temos consigo conseguimos estou"
)
_STATES_A_NEED = word_set("preciso precisamos tenho temos estou estamos")


_HE = word_set("ele ela eles elas")
_ENGLISH_ASKING = word_set("who whom whose which what when where why how")


# --- openings ---------------------------------------------------------------------------------------------


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
    if tokens[at].word == "a" and rest and rest[0] == "que":
        return end + 1 - at
    return end + 1 - at if rest and rest[0] in INTERROGATIVES else 0


def request_length(tokens: Words, at: int) -> int:
    """How many words open a request at `at` ("me passa", "liste", "can you tell me"); 0 if none."""
    text = " ".join(t.word for t in tokens[at : at + 8])
    match = _PREFIX.match(text)
    if match and not _CONDITION.match(text):
        return len(match.group().split())
    word, following = tokens[at].word, tokens[at + 1].word if at + 1 < len(tokens) else ""
    if word in {"me", "nos"} and following in REQUESTS_TO_ME:
        return 2
    if word not in REQUESTS_PT | REQUESTS_EN and not (at == 0 and word in REQUEST_INFINITIVES):
        return 0
    if word in _AMBIGUOUS_REQUESTS and at > 0 and following not in _DETERMINERS:
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
        _IMPERSONAL.match(" ".join(words))
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
    if tokens[end].word not in _SUBORDINATE or end + 1 >= len(tokens):
        return False
    inverted = tokens[end + 1].word in EN_AUXILIARIES | _INVERTED_PT
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


# --- both sides of a joint --------------------------------------------------------------------------------------


def is_complete(left: Words, right: Words, *, comma: bool = False) -> bool:
    """The left side of a joint is a question of its own.

    "quando e onde será", "em qual canal e com quem falo" share one verb and stay together; "o que é e como
    funciona X" is cut, since the second names what the first asks about.
    """
    at = question_at(left)
    if at < 0 and not comma and _is_bare_topic(left):
        return True
    if at < 0 or (comma and _is_leading_clause(left, at)):
        return False
    length = asked_length(left, at)
    if not length:
        body = left[at + max(request_length(left, at), 1) :]
        return any(is_content(t.word) or t.word in INTERROGATIVES for t in body) or len(body) > 1
    wh, body = left[at + length - 1].word, left[at + length :]
    said = [t for t in body if t.word not in _COPULAS]
    if not said:
        return bool(body) and wh in {"que", "what"} and len(right) > 2
    if len(said) == 1 and len(body) == 1 and wh not in {"quem", "who", "que"}:
        prepositional = left[at].word in PREPOSITIONS
        same = right[0].word == left[at].word and wh not in {"many", "quantos", "quantas"}
        return not prepositional and not same
    return True


def _is_bare_topic(left: Words) -> bool:
    """ "valor da anuidade e como pagar": the first question typed as a noun phrase, without its "qual é"."""
    start = 1 if left[0].word in {"o", "a", "os", "as", "the"} else 0
    words = [t.word for t in left[start:]]
    if (
        len(words) < 3
        or not is_content(words[0])
        or words[0] in _ADVERBS | LIGHT_VERBS
        or any(t.marked for t in left)
    ):
        return False
    noun = (
        2
        if words[1] in {"of", "for", "total", "medio", "media", "maximo", "maxima", "minimo"}
        and len(words) > 3
        else 1
    )
    return words[1] in _OF or words[noun] in _OF


_OF = word_set("de da do dos das of for para por")
_ADVERBS = word_set(
    "depois antes apesar acerca dentro fora perto longe alem atraves diante cerca because instead ahead outside"
)


def _is_leading_clause(left: Words, at: int) -> bool:
    end = at + max(asked_length(left, at), 1) - 1
    word, after = left[end].word, left[end + 1].word if end + 1 < len(left) else ""
    return word in _SUBORDINATE and after not in EN_AUXILIARIES | _INVERTED_PT


def opens_question(right: Words, left: Words, *, comma: bool = False) -> bool:
    """The right side of a joint starts a question of its own. `comma`: no conjunction stands between."""
    length = asked_length(right, 0)
    if length:
        return _opens_asked(right, left, length, comma=comma)
    text = " ".join(t.word for t in right[:8])
    if _CONDITION.match(text):
        return (
            not comma
            and not any(t.word in {"se", "if", "caso"} for t in left)
            and len(right) > 2
            and left[0].word not in {"when", "quando"}
        )
    if right[0].word == "que":
        follows = right[1].word if len(right) > 1 else ""
        return (
            not comma
            and is_content(follows)
            and follows not in PT_YES_NO
            and not any(t.word == "que" for t in left[1:])
        )
    if _requests_here(right, text):
        return not _continues_request(right, left)
    return _opens_yes_no_after(right, left, text, comma=comma)


def _requests_here(right: Words, text: str) -> bool:
    word, following = right[0].word, right[1].word if len(right) > 1 else ""
    if _PREFIX.match(text) or (word in {"me", "nos"} and following in REQUESTS_TO_ME):
        return True
    if word not in REQUESTS_PT | REQUESTS_EN or word in {"ordene", "some"} or not following:
        return False  # "e ordene por data" is about how the same rows are shown
    return word not in _AMBIGUOUS_REQUESTS or following in _DETERMINERS - {"that", "this"}


def _opens_asked(right: Words, left: Words, length: int, *, comma: bool) -> bool:
    word, after = right[length - 1].word, right[length].word if len(right) > length else ""
    if (
        word in {"which", "whom", "whose"}
        and (length > 1 or word == "whose")
        and (comma or _has_relative(left))
    ):
        return False  # "in which the character …"
    if word == "quanto" and after in {"mais", "menos", "maior"}:
        return False
    if word == "como" and comma:
        return after in LIGHT_VERBS or after in {"eu", "a", "se"} or after.endswith(("ar", "er", "ir"))
    if word in _SUBORDINATE and comma:
        return after in EN_AUXILIARIES | _INVERTED_PT
    if word == "which" and comma:
        return after not in EN_AUXILIARIES
    if word == "how" and after in {"about"}:
        return True
    return not (word in {"quem", "who"} and left[-1].word in {"para", "for", "entre", "between"})


def _has_relative(left: Words) -> bool:
    """A relative clause is open on the left: what follows "and" may go on with it."""
    at = max(question_at(left), 0)
    start = at + max(asked_length(left, at), 1)
    return any(
        t.word in {"that", "which", "whose", "cujo", "cuja", "cujos", "cujas"}
        or (t.word == "que" and left[i - 1].word not in {"o", "e"})
        for i, t in enumerate(left)
        if i >= start
    )


def _continues_request(right: Words, left: Words) -> bool:
    """ "how do I export and list the files": the verb belongs to the infinitive on the left; so does "show their age"."""
    word, following = right[0].word, right[1].word if len(right) > 1 else ""
    if word in REQUESTS_EN and following != "me":
        text = " ".join(t.word for t in left)
        if re.search(
            r"\bto \w+\b(?!.*\b(?:me|us)\b)|\bhow (?:do|can|should|could|would|to)\b|\b(?:can|should|must|may|do) (?:i|we|you|they|interns|employees)\b",
            text,
        ) and not _PREFIX.match(text):
            return True
    return following in {"their", "its", "his", "her", "seus", "suas", "seu", "sua"}


def _opens_yes_no_after(right: Words, left: Words, text: str, *, comma: bool) -> bool:
    word = right[0].word
    if word in EN_AUXILIARIES:
        if right[1:] and right[1].word in EN_SUBJECTS and opens_yes_no(right):
            return True
        english = any(t.word in _ENGLISH_ASKING for t in left) or left[0].word in EN_AUXILIARIES
        plain = english and not comma and not _asks_for_subject(left) and word not in {"have", "has", "had"}
        return plain and len(right) > 2 and is_content(right[1].word)
    if word in _FIRST_PERSON or _IMPERSONAL.match(text) or (word in _HE and not comma):
        return len(right) > 1
    plain = word in PT_YES_NO - {"e", "da", "esta", "era", "foi", "vai", "sao"} and len(right) > 1
    return plain and not _asks_for_subject(left) and not _has_relative(left)


def _asks_for_subject(left: Words) -> bool:
    """ "quem trabalha …", "which plan costs …": what follows "and" may be a second verb of that subject."""
    at = question_at(left)
    if at < 0:
        return True
    length = asked_length(left, at)
    word, body = left[at + max(length, 1) - 1].word, left[at + max(length, 1) :]
    if not length:
        return bool(request_length(left, at))  # "list the rooms that are free and have a view"
    if word in {"quem", "who", "whose"}:
        return True
    if word in {"qual", "quais", "which", "what", "que", "many", "quantos", "quantas", "quanto", "quanta"}:
        nominal = bool(body) and body[0].word in _COPULAS | {
            "o",
            "a",
            "os",
            "as",
            "the",
            "do",
            "does",
            "did",
            "custa",
            "custam",
        }
        return not nominal and not any(t.word in {"do", "does", "did"} for t in body)
    return False


# --- topics ----------------------------------------------------------------------------------------------------------


def needs_topic(tokens: Words) -> bool:
    """A question that cannot be searched alone: it points back, or it holds at most one word of content."""
    words = [t.word for t in tokens]
    pointing = any(w in PRONOUNS - {"that", "this"} for w in words) or words[-1:] in (["that"], ["this"])
    said = [
        w for w in words if is_content(w) and w not in LIGHT_VERBS | GENERIC_NOUNS | PRONOUNS | _PARTICLES
    ]
    return pointing or len(said) <= 1


def only_specifies(request: str, question: str) -> bool:
    """ "Which shop sells most? Give me the shop name." asks once: the request adds no word of its own."""
    tokens = tokenize(request)
    if not tokens or question_at(tokens) != 0 or asked_length(tokens, 0):
        return False
    known = {term for token in question_tokens(question) for term in token.sure}
    fresh = [
        t
        for t in question_tokens(" ".join(t.word for t in tokens[1:]))
        if not known & set(t.sure) and t.surface not in _SAYS_NOTHING
    ]
    return not fresh


_SAYS_NOTHING = word_set("nome nomes name names valor valores id resposta answer numero number possui")


def topic_of(text: str) -> str:
    """What a question is about: its words after the interrogative phrase, without copula, articles and "do I"."""
    tokens = tokenize(re.sub(r"\s*\([^)]*\)\s*(?=[?.!]*$)", "", text))
    at = max(question_at(tokens), 0)
    start = at + (asked_length(tokens, at) or request_length(tokens, at)) if tokens else 0
    while start < len(tokens) and tokens[start].word in _NO_TOPIC:
        start += asked_length(tokens, start) or 1
    body = tokens[start : start + TOPIC_WORDS]
    if not any(is_content(t.word) for t in body):
        return ""
    for cut in range(1, len(body) - 1):
        if body[cut].word in {"do", "does", "did", "can", "should"} and body[cut + 1].word in _I:
            head, tail = (
                text[body[0].start : body[cut - 1].end],
                text[body[cut + 1].end : body[-1].end].strip(),
            )
            light = all(not is_content(t.word) or t.word in LIGHT_VERBS for t in body[cut + 2 :])
            return head if light else f"{head} {tail}"
    return text[body[0].start : body[-1].end]


_NO_TOPIC = _COPULAS | _DETERMINERS | LIGHT_VERBS | word_set("do does did e")
_PARTICLES = word_set("off up out down back away")
_I = word_set("i you he she it we they")
