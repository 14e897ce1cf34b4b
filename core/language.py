"""Which language a text is in, by arithmetic: function words, endings and letter groups. No model, no network.

Portuguese is often typed in a hurry, lower case and without accents, so everything is looked up folded. A text
that gives no evidence is "und"; undecided is never treated as English.
"""

import re
from functools import lru_cache
from typing import Literal
from unicodedata import normalize

from core.normalize import fold
from core.types import Language

_TOKEN = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
# Tried at the beginning of a word only: a hundred thousand signs without a blank must not cost their square.
_CODE_LIKE = re.compile(r"(?<![^\s`])(?=\S{0,300}?[_/\\\d]|\S{1,300}?@\S)\S+|`[^`]*`")

_STRONG = 2.0  # a function word that the other language does not have
_WEAK = 1.0  # a short or shared one
_SHAPE = 0.8  # an ending or letter group typical of one language
_HINT = 0.4  # the last letters merely fit better
_NAME = 0.25  # weight of a capitalised word inside a sentence: names keep their own language
_LEAD = 0.7  # the winner must be ahead by this much ...
_SHARE = 0.1  # ... and by this share of all evidence, so that a text in both languages stays undecided


def listed(table: str) -> tuple[str, ...]:
    """The words of a table written as running text."""
    return tuple(table.split())


_PT = frozenset(
    listed("""que da das dos em na nas num numa nos uma uns umas para pra pro por com sem ao aos pelo pela pelos pelas
    qual quais quanto quanta quantos quantas quem quando onde aonde porque nao sim foi foram sao esta
    estao ser era eram sera serao ter tem temos tinha tive havera houve mais menos muito muita muitos muitas cada
    todo toda todos todas seu sua seus suas esse essa esses essas isso este estes estas isto aquele aquela ate
    sobre entre ja tambem ou se nosso nossa nossos nossas meu minha eu voce voces ele ela eles elas lhe nem mas
    pois entao assim ainda depois antes durante apos desde conforme segundo exceto precisa preciso precisamos
    precisam posso pode podem podemos fazer faz fazem feito feita fica ficam ficou deve devo devem devemos existe
    existem ha quero queria vai vao vamos dia dias mes meses ano anos hora horas semana hoje ontem amanha agora
    aqui dele dela deles delas neste nesta nesse nessa deste desta desse dessa disso dentro fora acima abaixo
    qualquer quaisquer mesmo mesma outro outra outros outras primeiro primeira ultimo ultima janeiro fevereiro
    marco abril maio junho julho agosto setembro outubro novembro dezembro segunda terca quarta quinta sexta
    sabado domingo liste listar mostre mostrar diga encontre compare explique resuma dois duas tres quatro cinco
    seis sete oito nove dez cem mil gostaria obrigado obrigada bom boa maior menor melhor pior numero nome
    nomes valor valores empresa prazo contra cujo cuja cujos cujas""")
)
_PT_WEAK = frozenset(listed("de o e os do um como no ai ne sob so tipo"))
_EN = frozenset(
    listed("""the of and to is are was were what which who whom whose how many much when where why does did has have had
    with from by on at an this that these those it its can could should would will must may might not our we you
    your my they their them there be been being each all any or if than then most between about into after before
    during need needs get gets show find give tell please he she his her him us every some other others only also
    but because while under over above below until since within without through against per both either neither
    more less least fewer first last next new day days month months year years week today yesterday tomorrow
    january february march april june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday two three four five six seven eight nine ten hundred thousand such same very
    just so now here out up down off again i'm don't doesn't isn't let's what's who's it's list number name names
    value highest lowest average compare describe explain summarize want allowed thanks hello yes""")
)
_EN_WEAK = frozenset(listed("in i for am go"))
_OTHER = frozenset(
    listed("""el los las y del unos unas cuanto cuanta cuantos cuantas cual cuales donde cuando quien quienes con pero hay
    muy tambien esto eso nuestro nuestra desde hasta sus fue son le les des du est et une dans pour avec combien
    quel quelle quels quelles sur aux nous vous qui leur cette ces sont der die und ist nicht wie viele ein eine
    einen mit von den dem auf fur wer wann welche welcher wir sie il di che della dei degli gli sono quanti quante
    chi dove perche nel nella het een niet zijn hoeveel""")
)

_PT_ENDINGS = listed(
    "cao coes sao soes mento mentos dade dades mente agem agens ario arios aria arias eiro eira eiros eiras ivel avel "
    "iveis aveis encia encias ancia ancias ismo ador adora adores ado ada ados adas ido ida idos idas ando endo indo "
    "amos emos imos aram eram iram avam ava inho inha inhos inhas oso osa osos osas ao aos oes eu ou nho nha lho lha "
    "lhos lhas nhos nhas ico ica icos icas ivo iva ivos ivas tico tica tura turas"
)
_EN_ENDINGS = listed(
    "ing ings tion tions sion sions ness ment ments ship ships ful less ous able ible ly ity ties ed er ers est ght "
    "ck ll th sh ch tch ies y ys age ages ance ence ent ive ives ure ures ists ways ward wise 's n't 'll 're 've"
)
_PT_GROUPS = ("lh", "nh", "rr", "guei", "quei", "cao", "oes", "aei")
_EN_GROUPS = ("th", "sh", "wh", "ck", "ee", "oo", "gh", "kn", "wr", "ph", "w", "k", "y")
_PT_MARKS = frozenset("ãõçâêôàáéíóú")
_NOT_PT_MARKS = frozenset("ñ¿¡äöüßåøœæìòùïëîû")


def _ends(word: str, endings: tuple[str, ...]) -> bool:
    """Whether a word of at least two more letters ends in one of the endings."""
    return any(word.endswith(end) and len(word) >= len(end) + 2 for end in endings)


def _shape(word: str) -> tuple[float, float]:
    """Evidence (Portuguese, English) of a word that is in no table, by its spelling alone."""
    if len(word) < 3:
        return 0.0, 0.0
    pt = _SHAPE * _ends(word, _PT_ENDINGS) + _HINT * any(group in word for group in _PT_GROUPS)
    en = _SHAPE * _ends(word, _EN_ENDINGS) + _HINT * any(group in word for group in _EN_GROUPS)
    if len(word) >= 4:
        stem = word[:-1] if word.endswith("s") else word
        if stem.endswith(("a", "o")):
            pt += _HINT
        elif stem[-1] in "bcdfghjkpqtvwxyn":  # Portuguese words end in vowels, s, m, r, l or z
            en += _HINT
    return pt, en


@lru_cache(maxsize=65536)
def _word_evidence(word: str) -> tuple[float, float, float]:
    """Evidence (Portuguese, English, another language) of one lower-case word with its accents."""
    marks = set(word)
    if marks & _NOT_PT_MARKS:
        return 0.0, 0.0, _STRONG
    plain = fold(word)
    if marks & _PT_MARKS and plain not in _OTHER:
        return _STRONG, 0.0, 0.0
    if plain in _PT:
        return _STRONG, 0.0, 0.0
    if plain in _EN:
        return 0.0, _STRONG, 0.0
    if plain in _PT_WEAK:
        return _WEAK, 0.0, 0.0
    if plain in _EN_WEAK:
        return 0.0, _WEAK, 0.0
    if plain in _OTHER:
        return 0.0, 0.0, _STRONG
    pt, en = _shape(plain)
    return pt, en, 0.0


def language_evidence(text: str) -> tuple[float, float, float]:
    """Summed evidence for Portuguese, English and any other language; codes, numbers and addresses count nothing."""
    tokens = [match.group() for match in _TOKEN.finditer(_CODE_LIKE.sub(" ", normalize("NFC", text)))]
    shouted = sum(token.isupper() for token in tokens) * 2 > len(tokens)
    sums = [0.0, 0.0, _STRONG * sum(mark in text for mark in "¿¡")]
    for place, token in enumerate(tokens):
        known = _word_evidence(token.lower())
        is_name = place > 0 and token[0].isupper() and not shouted
        weight = _NAME if is_name else 1.0
        for index, value in enumerate(known):
            sums[index] += weight * value
    return sums[0], sums[1], sums[2]


def detect_language(text: str) -> Language:
    """Portuguese, English, or "und" when the evidence is missing, balanced or for another language.

    >>> detect_language("quanto vendemos em abril")
    'pt'
    >>> detect_language("E-4021")
    'und'
    """
    pt, en, other = language_evidence(text)
    best: Literal["pt", "en"] = "pt" if pt >= en else "en"
    lead = round(abs(pt - en), 6)
    if other >= max(pt, en) or lead < _LEAD + _SHARE * (pt + en):
        return "und"
    return best
