"""Words that name one relation from either side: "approver" and "approves", "fornecedor" and "comprado de".

Portuguese and English, closed classes of relational words that every trade uses. A question and a document name the
same relation with different words, and with the other side's word where the document turns it round ("who manages
X" and "X reports to").
"""

import re
from functools import lru_cache

from core.lexicon import word_set
from core.normalize import words

# Beginnings of folded words; "=" marks a whole word.
_RELATIONS: dict[str, str] = {
    "heads": (
        "chef =gerente gerenci gerid =gere =gerem gestor lider coordena supervis dirig diretor comand encarregad "
        "=respondem =responde reporta subordinad superior ocupad presid =boss =bosses manag =head =heads =headed =leads "
        "=lead =leader =led supervisor =report =reports =reporting =answers =runs =run =charge foreman foremen director "
        "=equipe =time =team =domain direct =oversees =overseen =oversee =abaixo"
    ),
    "cares": (
        "responsav responsab =cuida =cuidam =cuidar acompanha fiscal gestor gerid =gere =gerem =gerir administra encarregad "
        "=atende =atendem =atendid =toca =cargo =dono =dona =titular =respons responsib =responde =respondem =owner =owners "
        "=owned =owns =own =handles =handled =handle =looks =look =charge manag =accountable =belongs =partner =keeps "
        "=guarda =tends =administers =account =conta =chamo =chamar =chama =aciono =acionar =aciona =call vendedor salesp =rep =holder =lead =carteira"
    ),
    "keeps_up": (
        "manut =mantem =mantida =mantido =mantidas =mantidos =mantenedora =conserta =consertam assist repar =atende =atendem "
        "revisa =revisao calibra servic =maintain maintain mainten repair =looks =look =upkeep inspect calibrat =fixes =fix "
        "overhaul"
    ),
    "supplies": (
        "fornec =vende =vendem =vendida =vendido =comprada =comprado =comprados =compradas =compra =compramos =vem =vinda "
        "adquirid encomend distribui revend supplie supply =supplied =sells =sold =sell =bought =buy =buys "
        "=ordered provid vendor =comes =come =hired =hires =hire =rented =delivered =purchased =seller =dealer =sourced =procured"
    ),
    "makes": (
        "fabric =feita =feito =feitas =feitos =faz produz =produzida constru montad =built =builds =build =builder =made =makes "
        "=make =maker manufactur design desenh =criada =criado =author =escrit assembl"
    ),
    "is_at": (
        "=sede sediad =fica =ficam localiz escritori enderec balcao =onde =lugar =local =based =located =location =place "
        "=office =headquartered =address =sits =sit =stands =stand lotad instalad =abriga =abrigam =houses =housed =house "
        "=home =room =sala =where =unidade"
    ),
    "in_town": (
        "cidad municip =uf =town =towns =city =cities =sede sediad =fica =ficam localiz escritori enderec balcao =based "
        "=located =location =office =headquartered =address =home"
    ),
    "reached_by": (
        "contat telefon =tel =fone =celular =ramal =fala =falar =falo =liga =ligar =ligo =aciona =acionar =aciono =acionada "
        "=acionado =chama =chamar =chamo =email =whatsapp plantao contact =phone =telephone =number =extension =ext =call "
        "=calls =called =reach =reached =dial =ring =ask =speak =talk =mobile =atende =atendem"
    ),
    "approves": (
        "aprova autoriz =assina =assinam =assinada =assinado =libera =liberada =aval =aceite =alcada approv authori =sign "
        "=signs =signed =signature =signatory sanction =permits =clears =cleared"
    ),
    "stands_in": (
        "substitu =cobre =cobrem =cobertura =ferias =suplente =adjunt =vice =reserva deput =stands =replaces =replace "
        "=replaced =covers =cover =covered =backup =absence =substitute"
    ),
    "works_for": "trabalha =contratado =contratada =funcionario =funcionaria empreg =works =work =employed employ =hired =staff",
    "speaks_for": "represent =agente =agent =agents =agencia =agency =procurador =porta-voz",
    "buys": "client =comprador =compradora =compra =compram =consumidor customer =buyer =buyers =buys =buy =purchases =purchaser",
    "takes_time": "prazo =dias =entrega =chega =chegam =lead =notice =deadline =delivery =days =period =demora =arrives =arrive",
    "carries": "transport =frete =leva =entrega =carries =carrier =haulage =haulier =freight =trucks =delivers =ships",
    "uses": "=usa =usam =usada =usado =usadas =usados utiliz =uso =uses =used =use =using empreg =emprega consum",
    "insures": "segur insur =apolice",
    "means": "=significa =indica aparec =pertence =means =mean =indicates =shown =shows =show =seen =appears =signals",
}  # fmt: skip
# Nouns that stand for whoever or whatever the rest of the question describes.
ANYONE = word_set(
    "pessoa pessoas empresa empresas companhia firma alguem gente cara moca rapaz nome nomes sujeito entidade",
    "person people company companies firm firms someone somebody guy name names entity organisation organization",
)


def _pattern(listed: str) -> re.Pattern[str]:
    whole = [re.escape(word[1:]) for word in listed.split() if word.startswith("=")]
    begun = [re.escape(word) for word in listed.split() if not word.startswith("=")]
    return re.compile("|".join([*(f"{word}$" for word in whole), *begun]))


_PATTERNS = tuple((name, _pattern(listed)) for name, listed in sorted(_RELATIONS.items()))


@lru_cache(maxsize=16384)
def relations_of_word(word: str) -> frozenset[str]:
    """The relations that a folded word may name."""
    return frozenset(name for name, pattern in _PATTERNS if pattern.match(word))


@lru_cache(maxsize=8192)
def relations_of(text: str) -> frozenset[str]:
    """The relations that the words of a text may name."""
    return frozenset[str]().union(*(relations_of_word(word) for word in words(text)))
