"""Closed-class words of Portuguese and English, folded. Grammar only: no trade, no corpus, no names.

A word belongs here when its meaning does not depend on what the documents are about.
"""


def word_set(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


# --- words that carry no topic --------------------------------------------------------------------

FUNCTION_WORDS = word_set(
    # Portuguese: articles, prepositions and contractions, pronouns, conjunctions, auxiliaries
    "a o as os um uma uns umas de do da dos das em no na nos nas num numa por pelo pela pelos pelas para pra pro",
    "pras pros com sem sob sobre entre ate ante apos desde contra ao aos e ou mas nem se que como quando onde quem qual",
    "quais quanto quanta quantos quantas porque pois eu tu ele ela nos vos eles elas voce voces vc vcs me te lhe lhes mim",
    "meu minha meus minhas seu sua seus suas nosso nossa nossos nossas dele dela deles delas este esta estes estas esse",
    "essa esses essas isto isso aquele aquela aqueles aquelas aquilo neste nesta nestes nestas nesse nessa nesses nessas",
    "deste desta destes destas desse dessa desses dessas naquele naquela daquele daquela outro outra outros outras mesmo",
    "mesma mesmos mesmas cada todo toda todos todas algum alguma alguns algumas ha ser sou es e somos sao era eram foi",
    "foram sera serao seria seriam seja sejam sido sendo estar estou esta estamos estao estava estavam esteve estiver",
    "esteja ter tenho tem temos tinha tinham teve tiveram tera terao tenha tenham haver houve havia haja ja ainda entao",
    "tambem so apenas ai la aqui ali hein ne afinal mais muito muita muitos muitas pouco tipo cerca",
    # English
    "the an this that these those of in on at by for from to with without into onto over under about between and or but",
    "nor so if as than then i you he she it we they me him her us them my your his its our their mine yours ours theirs",
    "who whom whose which what when where why how is are was were be been being am do does did done doing have has had",
    "having can could may might must shall should will would there here each every all any some no not only also too very",
    "just please again own same other another such many much",
)

LIGHT_VERBS = word_set(
    # verbs that say little by themselves: "como funciona", "when does it start",
    "posso pode podemos podem poderia devo deve devemos devem deveria preciso precisa precisamos precisam quero queria",
    "gostaria faz fazer faco fazemos fazem feito feita fica ficam ficar ficou acontece acontecer aconteceu funciona",
    "funcionam funcionar comeca comecar comecou termina terminar vale valer existe existem existir vai vao ir vamos",
    "consigo consegue usar usa uso serve da dar deu leva levar muda mudar mudou significa quer dizer sabe saber saiba",
    "need needs needed want wants get gets got go goes make makes made happen happens happened work works worked start",
    "starts started begin begins end ends use used take takes apply applies mean means know knows change changes",
    "changed let",
)

GENERIC_NOUNS = word_set(
    # nouns that ask about something else: "qual o motivo (de …)?", "what is the reason (for …)?",
    "motivo motivos razao razoes causa causas reason reasons cause causes",
    "coisa coisas thing things caso casos case cases",
)

FRAME_NOUNS = word_set(
    # nouns that say what shape the answer has, not what it is about: "a definição de …", "name of the person who …"
    "definicao definicoes significado significados conceito conceitos termo termos nome nomes lista listas listagem documento",
    "documentos arquivo arquivos politica politicas regra regras norma normas procedimento procedimentos instrucao instrucoes",
    "orientacao orientacoes informacao informacoes detalhe detalhes dado dados pessoa pessoas tipo tipos quantidade numero numeros",
    "valor valores data datas maneira maneiras modo jeito forma formas passo passos exemplo exemplos resumo descricao resposta",
    "artigo artigos clausula secao capitulo paragrafo article articles clause section chapter paragraph",
    "assunto tema finalidade objetivo funcao explicacao exigencia exigencias max maximo maxima min minimo minima total totais",
    "definition definitions meaning meanings concept concepts term terms name names list lists document documents file files policy",
    "policies rule rules procedure procedures instruction instructions information info detail details person people type types kind",
    "kinds sort amount number numbers value values date dates way ways manner method step steps example examples summary description",
    "answer subject topic purpose goal function explanation requirement requirements maximum minimum exact exactly long far ahead",
)

PRONOUNS = word_set(
    # words that point at an earlier topic
    "ele ela eles elas isso isto disso disto nisso nisto dele dela deles delas nele nela neles nelas aquilo daquilo lhe lhes",
    "it they them its their theirs this that these those him her his hers",
)

# --- how questions begin ---------------------------------------------------------------------------

SHORTHAND = {
    # chat spellings of interrogatives
    "qto": "quanto", "qts": "quantos", "qtos": "quantos", "qtas": "quantas", "qnto": "quanto", "qnt": "quanto",
    "qnts": "quantos", "qntos": "quantos", "qntas": "quantas", "qdo": "quando", "qnd": "quando", "qndo": "quando",
    "qd": "quando", "qm": "quem", "qem": "quem", "qeum": "quem", "qaul": "qual", "ql": "qual", "qais": "quais",
    "qausi": "quais", "pq": "por que", "pqe": "por que", "pk": "por que", "oq": "o que", "oque": "o que", "q": "que",
    "cmo": "como", "cm": "como", "coom": "como", "aond": "aonde", "ond": "onde", "vc": "voce", "vcs": "voces",
    "tb": "tambem", "tbm": "tambem", "eh": "e", "p": "para", "pra": "para", "pro": "para o", "ta": "esta",
    "wich": "which", "whcih": "which", "whihc": "which", "wat": "what", "wht": "what", "waht": "what", "hwo": "how",
    "hw": "how", "wen": "when", "wehn": "when", "whne": "when", "wher": "where", "whree": "where", "wehre": "where",
    "whos": "who is", "whats": "what is", "wheres": "where is", "hows": "how is", "whens": "when is", "dont": "do not",
    "doesnt": "does not", "didnt": "did not", "isnt": "is not", "arent": "are not", "cant": "can not",
    "cannot": "can not", "wont": "will not", "pls": "please", "plz": "please", "ppl": "people",
}  # fmt: skip

FUZZY_STARTS = ("quanto", "quanta", "quantos", "quantas", "quando", "quais")  # one slip is forgiven here

INTERROGATIVES = word_set(
    "quem qual quais quanto quanta quantos quantas quando onde aonde como cade",
    "who whom whose which what when where why how",
)

WHO = frozenset(["quem", "who", "whom", "whose"])

PREPOSITIONS = word_set(
    # may stand before an interrogative: "a quem", "até quando", "in which",
    "a de em com por para sobre ate desde entre sob sem ao aos contra conforme segundo durante apos",
    "to of in on at by for from with without about until till since under over through into during after before",
)

REQUESTS_PT = word_set(
    # imperatives and chat imperatives
    "liste lista listem mostre mostra mostrem explique explica expliquem diga digam informe informa compare compara",
    "resuma resume descreva descreve calcule calcula some conte conta indique indica traga envie cite detalhe detalha",
    "aponte aponta apresente apresenta enumere identifique verifique confirme confirma encontre ache procure busque",
    "ordene gere monte exiba retorne forneca faca",
)
REQUEST_INFINITIVES = word_set(
    "listar mostrar explicar informar comparar resumir descrever calcular somar contar indicar citar detalhar apontar",
    "apresentar enumerar identificar confirmar encontrar procurar buscar saber ver exibir dizer",
)
REQUESTS_EN = word_set(
    "list show tell give explain describe summarize summarise compare calculate count name find provide state identify",
    "outline display return compute determine report define",
)
REQUESTS_TO_ME = word_set(
    # "me diz", "me passa": Portuguese chat puts the pronoun first
    "diz diga fala fale mostra mostre explica explique passa passe manda mande da de dá lista liste conta conte traz",
    "traga informa informe ajuda ajude resume resuma lembra lembre envia envie confirma confirme indica indique",
)

EN_AUXILIARIES = word_set(
    "is are was were do does did can could may might must shall should will would have has had am",
)
EN_SUBJECTS = word_set(
    "i you he she it we they there the a an this that these those my your his her its our their any anyone anybody",
    "someone somebody everyone everybody all some each every both employees people customers",
)
PT_YES_NO = word_set(
    # first-person and impersonal verbs that open a yes/no question
    "posso podemos devo devemos preciso precisamos tenho temos consigo conseguimos existe existem ha pode podem precisa",
    "precisam tem deve devem vale cabe inclui incluem permite aceita aceitam da dao seria sera fica estou estamos",
    "houve teve vai vao foi foram era esta estao e sao",
)
PT_FIRST_PERSON = word_set(
    "posso podemos devo devemos preciso precisamos tenho temos consigo conseguimos estou estamos",
)

# --- negation, comparison, opposites -----------------------------------------------------------------

NEGATIONS = word_set(
    "nao nunca jamais nenhum nenhuma nenhuns nenhumas ninguem nada sem exceto salvo excluindo",
    "not never none nobody nothing neither nor without except excluding unless",
)

# family, words of one direction, words of the other; a trailing * matches any ending. A question that swaps one
# for the other is another question, however near the vectors are.
_OPPOSITES = """
switch   | ligar liga ligo ligue ligado ligada ligados ligadas ativ* habilit* acender enable* activat* | deslig* desativ* inativ* desabilit* apagar disable* deactivat* inactiv*
open     | abrir abre abro abra abert* open opens opened opening | fechar fecha fecho feche fechad* close closes closed closing
entry    | entrada entradas entrar ingresso ingressar admissao admitid* contratar contratad* contratac* entry arrival* arrive* chegada* chegar hire hired hiring | saida saidas sair demiss* demit* exit* departs departed departure* partida* fire fired firing dismiss*
buy      | compra* comprar comprad* compramos buy buying buys bought purchase* | venda* vend* sell* sold sale sales
income   | receita* revenue* income lucro* ganho* profit* | despesa* gasto* expense* prejuizo* loss losses perda*
credit   | credit* | debit*
receive  | receb* receiv* | enviar envio envia enviamos pagar paga pago pagamos send sends sent pay pays paid
rise     | aument* subir subiu sobe subida cresc* increas* rise* rose grow* grew alta | diminu* reduz* reduc* cair caiu cai queda* decreas* fall fell falls drop drops dropped declin*
allow    | permit* autoriz* allow* liberad* liberar | proib* vedad* bloque* forbid* prohibit* block* ban banned
accept   | aceit* aprov* accept* approv* | recus* reprov* rejeit* reject* refus* denied deny denies
include  | inclu* adicion* acrescent* add adds added adding insert* | exclu* remov* delet* retirar retirada
start    | inici* comec* start* begin* began | termin* fim fins final finais encerr* end ends ended ending finish*
inside   | intern* dentro inside | extern* fora outside
domestic | nacional nacionais domestic* national | internacional internacionais international abroad exterior overseas
public   | public* | privad* privat* particular*
forced   | obrigat* mandator* required | opcion* facultat* optional*
import   | import* | export*
upload   | upload* carregar | download* baixar
lend     | emprestar lend* lent | borrow*
first    | primeir* first earliest | ultim* last latest
minimum  | minim* menor menores pior piores fewest lowest smallest shortest cheapest youngest worst | maxim* maior maiores melhor melhores highest largest biggest longest oldest best greatest
order    | crescente* ascending asc | decrescente* descending desc
connect  | conect* connect* attach* | desconect* disconnect* detach*
install  | instal* | desinstal* uninstall*
success  | sucesso* success* passed | falha* falhou fracass* fail*
hot      | quente* aquec* hot heat* | frio fria frios frias resfri* cold cool*
full     | cheio cheia cheios cheias full | vazio vazia vazios vazias empty
gross    | bruto bruta brutos brutas gross | liquido liquida liquidos liquidas net
age      | velho velha velhos velhas antigo antiga antigos antigas old older | novo nova novos novas new newer young younger
lock     | travar trava travad* lock* | destrav* unlock*
shift    | diurn* daytime | noturn* nighttime
above    | acima above over | abaixo below under
before   | antes before | depois apos after
more     | more mais superior* greater larger higher | less menos inferior* fewer smaller lower
"""


def _family(line: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    name, plus, minus = (part.strip() for part in line.split("|"))
    return name, tuple(plus.split()), tuple(minus.split())


OPPOSITES = tuple(_family(line) for line in _OPPOSITES.strip().splitlines())

# --- dates and units -----------------------------------------------------------------------------------

MONTHS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "janeiro january jan", "fevereiro february fev feb", "marco march mar", "abril april abr apr", "maio mai",
            "junho june jun", "julho july jul", "agosto august ago aug", "setembro september set sep sept",
            "outubro october out oct", "novembro november nov", "dezembro december dez dec",
        ),
        start=1,
    )
    for name in names.split()
}  # fmt: skip
MONTHS["may"] = 5
SHORT_MONTHS = frozenset(name for name in MONTHS if len(name) <= 4 and name not in {"maio", "june", "july"})

WEEKDAYS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        ("segunda-feira monday", "terca-feira tuesday", "quarta-feira wednesday", "quinta-feira thursday",
         "sexta-feira friday", "sabado saturday", "domingo sunday"),
        start=1,
    )
    for name in names.split()
}  # fmt: skip

UNITS: dict[str, str] = {
    spelling: unit
    for unit, spellings in {
        "day": "dia dias day days", "hour": "hora horas hour hours hr hrs h", "minute": "minuto minutos minute minutes min mins",
        "second": "segundo segundos second seconds seg", "week": "semana semanas week weeks",
        "month": "mes meses month months", "year": "ano anos year years", "percent": "% porcento percent por-cento",
        "brl": "r$ real reais brl", "usd": "us$ u$ $ dolar dolares dollar dollars usd", "eur": "€ euro euros eur",
        "gbp": "£ pound pounds libra libras", "kg": "kg quilo quilos kilo kilos kilogram kilograms", "g": "g grama gramas gram grams",
        "t": "ton tons tonelada toneladas tonne tonnes", "l": "l litro litros liter liters litre litres", "ml": "ml",
        "km": "km quilometro quilometros kilometer kilometers kilometre kilometres", "m": "m metro metros meter meters",
        "cm": "cm", "mm": "mm", "mile": "milha milhas mile miles", "m2": "m2 m²", "m3": "m3 m³", "celsius": "c graus degrees grau degree",
        "kwh": "kwh", "mb": "mb", "gb": "gb", "ha": "ha hectare hectares", "bar": "bar", "psi": "psi", "rpm": "rpm", "volt": "v volt volts",
    }.items()
    for spelling in spellings.split()
}  # fmt: skip

NUMBER_WORDS: dict[str, int] = {
    "zero": 0, "dois": 2, "duas": 2, "two": 2, "tres": 3, "three": 3, "quatro": 4, "four": 4, "cinco": 5, "five": 5,
    "seis": 6, "six": 6, "sete": 7, "seven": 7, "oito": 8, "eight": 8, "nove": 9, "nine": 9, "dez": 10, "ten": 10,
    "onze": 11, "eleven": 11, "doze": 12, "twelve": 12, "treze": 13, "thirteen": 13, "quatorze": 14, "catorze": 14,
    "fourteen": 14, "quinze": 15, "fifteen": 15, "dezesseis": 16, "sixteen": 16, "dezessete": 17, "seventeen": 17,
    "dezoito": 18, "eighteen": 18, "dezenove": 19, "nineteen": 19, "vinte": 20, "twenty": 20, "trinta": 30, "thirty": 30,
    "quarenta": 40, "forty": 40, "cinquenta": 50, "fifty": 50, "sessenta": 60, "sixty": 60, "setenta": 70, "seventy": 70,
    "oitenta": 80, "eighty": 80, "noventa": 90, "ninety": 90, "cem": 100, "hundred": 100, "mil": 1000, "thousand": 1000,
    "milhao": 1_000_000, "million": 1_000_000,
}  # fmt: skip
MULTIPLIERS: dict[str, int] = {
    "mil": 1000, "k": 1000, "thousand": 1000, "milhao": 1_000_000, "milhoes": 1_000_000, "million": 1_000_000,
    "millions": 1_000_000, "mi": 1_000_000, "bilhao": 1_000_000_000, "bilhoes": 1_000_000_000, "billion": 1_000_000_000,
    "hundred": 100,
}  # fmt: skip
ORDINALS: dict[str, int] = {
    "primeiro": 1, "primeira": 1, "first": 1, "segundo": 2, "segunda": 2, "second": 2, "terceiro": 3, "terceira": 3,
    "third": 3, "quarto": 4, "quarta": 4, "fourth": 4,
}  # fmt: skip
