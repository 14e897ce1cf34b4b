"""The operator words of questions in Portuguese and English: what is asked of the data, not which data.

Phrases are matched longest first on folded words. Each gives an operator; what it applies to is decided later,
from its neighbours.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from core.stores.relational.wording.words import Token, word_set
from core.types import Language

OpKind = Literal[
    "count", "sum", "avg", "max", "min", "top", "bottom", "frequent", "rare", "compare", "between", "group",
    "order", "direction", "distinct", "not", "without", "like", "null", "share", "difference", "growth", "median", "or", "and",
    "which", "who", "when", "where", "much", "all", "whose",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Op:
    """An operator over tokens [start, end). `argument` is a direction, a comparison, an implied concept."""

    kind: OpKind
    start: int
    end: int
    argument: str = ""
    implied: str = ""  # an English head word of the lexicon: "age" for "older than"


# kind | argument | implied concept | phrases
_PHRASES = """
count||| how many; number of; total number of; numbers of; count; count of; quantos; quantas; qtos; qtas; qts; qntos; qntas; qnts; numero de; numero total de; quantidade de; quantidade total de; qtd de; conte; conte o numero de; contar; contagem de; contagem; quantia de; amount of; tally of; conte quantos; conte quantas
much||| how much; quanto; quanta; qto; qnto; qnt
sum||| total; totals; totais; sum; sum of; total of; total amount of; soma; soma de; some; somar; somatorio; total de; valor total de; quantia total de; overall; ao todo; no total; in total; altogether; together; juntos; juntas; combined; acumulado; acumulada; somados; somadas; montante total
avg||| ticket medio; average ticket; average order value; average; averages; mean; avg; media; medias; medio; medios; media de; em media; on average; average of; valor medio; medianamente
max||| maximum; max; maximo; maxima; maximos; maximas
min||| minimum; min; minimo; minima; minimos; minimas
top||| most; majority of; maioria de; maioria dos; maioria das; a maioria de; a maioria dos; a maioria das; pela maioria dos; pela maioria das; highest; largest; biggest; greatest; maior; maiores; mais; mais alto; mais alta; mais altos; mais altas; mais elevado; mais elevada; top; melhor; melhores; best; main; principais; principal; maior numero de; maior quantidade de; greatest number of; most number of; largest number of; highest number of; maximum number of times; mais vezes; most times; maximum amount; primeiros; primeiras; more
bottom||| least; lowest; smallest; fewest; menor; menores; menos; mais baixo; mais baixa; mais baixos; mais baixas; pior; piores; worst; menor numero de; menor quantidade de; least number of; lowest number of; smallest number of; fewest number of; menos vezes; minimum number of times
top||age| oldest; mais velho; mais velha; mais velhos; mais velhas; eldest
bottom||age| youngest; mais jovem; mais jovens; mais novo; mais nova; mais novos; mais novas; cacula
top||date| newest; latest; most recent; most recently; mais recente; mais recentes; mais recentemente; ultimo; ultima; last
bottom||date| earliest; mais antigo; mais antiga; mais antigos; mais antigas
top||price| most expensive; mais caro; mais cara; mais caros; mais caras; priciest; costliest; dearest; most costly
bottom||price| cheapest; mais barato; mais barata; mais baratos; mais baratas; mais em conta; least expensive; least costly
top||height| tallest
top||length| longest; mais longo; mais longa; mais comprido; mais comprida; mais longos
bottom||length| shortest; mais curto; mais curta; mais curtos; mais curtas
top||weight| heaviest; mais pesado; mais pesada; mais pesados
bottom||weight| lightest; mais leve; mais leves
top||speed| fastest; mais rapido; mais rapida; mais rapidos
bottom||speed| slowest; mais lento; mais lenta
top||salary| best paid; mais bem pago; mais bem paga; mais bem pagos
frequent||| most common; most commonly; most frequent; most popular; most used; mais comum; mais comuns; mais frequente; mais frequentes; mais popular; mais populares; mais usado; mais usada; mais usados; mais utilizado; mais utilizada; predominant; predominantly; que mais aparece; que mais se repete; mais comumente usado; mais repetido
rare||| least common; menos comum; least frequent; menos frequente; rarest; mais raro; mais rara; least popular
compare|>|| more than; greater than; higher than; larger than; bigger than; over; above; acima de; acima da; acima do; acima dos; acima das; mais de; maior que; maior do que; maiores que; maiores do que; superior a; superiores a; mais que; mais do que; exceed; exceeds; exceeding; excede; excedem; ultrapassa; ultrapassam; ultrapassou; passa de; passam de; passou de; longer than; better than; acima; superior ao; superior; superiores; later than; posterior a; posteriores a
compare|<|| less than; fewer than; lower than; smaller than; under; below; abaixo de; abaixo da; abaixo do; abaixo dos; abaixo das; menos de; menor que; menor do que; menores que; menores do que; inferior a; inferiores a; menos que; menos do que; shorter than; worse than; abaixo; inferior ao; inferior; earlier than; anterior a; anteriores a; mais baixo que; mais baixo do que
compare|>=|| at least; pelo menos; no minimo; ao menos; a partir de; a partir do; a partir da; or more; ou mais; minimum of; not less than; no less than; greater than or equal to; maior ou igual a; de no minimo; or above; or higher; ou acima
compare|<=|| at most; no maximo; up to; or less; or fewer; ou menos; not more than; no more than; not higher than; not greater than; not exceeding; nao superior a; nao superiores a; nao maior que; less than or equal to; menor ou igual a; de no maximo; or below
compare|=|| equal to; equals; exactly; exatamente; igual a; iguais a; equal; only; apenas; somente
compare|>|age| older than; mais velho que; mais velha que; mais velhos que; mais velhas que; mais velho do que; mais velhos do que; mais velha do que
compare|<|age| younger than; mais jovem que; mais jovens que; mais novo que; mais novos que; mais nova que; mais jovem do que; mais jovens do que
compare|>|height| taller than; mais alto que; mais altos que; mais alto do que
compare|<|height| mais baixo que; mais baixos que
compare|>|price| more expensive than; mais caro que; mais caros que; mais caro do que; mais caros do que; costing more than; custam mais de; custa mais de; custando mais de; cost more than; costs more than; custam acima de; custa acima de; mais cara que; mais caras que
compare|<|price| cheaper than; mais barato que; mais baratos que; mais barato do que; custam menos de; custa menos de; cost less than; costs less than; costing less than; custam abaixo de; custam ate; custa ate
compare|>|weight| heavier than; mais pesado que; mais pesados que
compare|<|weight| lighter than; mais leve que; mais leves que
compare|>|date| after; depois de; depois do; depois da; depois; apos; apos o; apos a; posteriormente a
compare|<|date| before; antes de; antes do; antes da; antes; prior to
compare|>=|date| since; desde
compare|<=|until| ate; until; ate o; ate a; by the end of
between||| between; entre; in between; varia entre; na faixa de; de entre
group||| for each; of each; in each; at each; by each; to each; from each; each; every; per; para cada; em cada; de cada; por cada; cada; a cada; grouped by; group by; agrupado por; agrupados por; agrupada por; agrupadas por; separado por; separados por; according to; segundo; breakdown by; broken down by; dividido por; divididos por; cada um; cada uma; em cada um; em cada uma; de cada um; de cada uma; for every; para cada um; para cada uma; each of
group|by|| by; por; pelo; pela; pelos; pelas
order||| ordered by; order by; order the results by; sorted by; sort by; sort; sorted; ordered; ordenado por; ordenados por; ordenada por; ordenadas por; ordene por; ordenar por; ordene; ordenado; ordenados; ordenadas; classificado por; classificados por; classificadas por; classifique por; in order of; in order; em ordem de; por ordem de; por ordem; em ordem; ranked by; arranged by; rank; order of; ordenando por; classifique; classificados; classificadas; ordered in; sorted in; listed by; listed in
direction|asc|| ascending; ascendente; crescente; increasing; low to high; from low to high; do menor para o maior; do menor ao maior; de menor para maior; ascendingly; ascending order; in ascending order; em ordem crescente; increasing order; em ordem ascendente
direction|desc|| descending; descendente; decrescente; decreasing; high to low; from high to low; do maior para o menor; do maior ao menor; de maior para menor; descending order; in descending order; em ordem decrescente; decreasing order; descendingly; de alto a baixo; em ordem descendente; decrescentes
direction|desc|| highest first; largest first; biggest first; most first; maiores primeiro; maior primeiro; mais altos primeiro; top first
direction|asc|| lowest first; smallest first; least first; menores primeiro; menor primeiro
direction|asc|name| alphabetical; alphabetically; alfabetica; alphabetical order; in alphabetical order; em ordem alfabetica; ordem alfabetica; alfabeticamente; a to z; a z; lexicographical; lexicographic order
direction|desc|name| descending alphabetical; reverse alphabetical; alfabetica decrescente; ordem alfabetica decrescente; em ordem alfabetica decrescente; descending alphabetical order; z to a; ordem alfabetica inversa; in descending alphabetical order
direction|desc|age| oldest to youngest; from oldest to youngest; from the oldest to the youngest; do mais velho ao mais novo; do mais velho para o mais novo; do mais velho ao mais jovem; from old to young; old to young; dos mais velhos aos mais novos; de idosos a jovens; do mais velho para o mais jovem
direction|asc|age| youngest to oldest; from youngest to oldest; from the youngest to the oldest; do mais novo ao mais velho; do mais novo para o mais velho; do mais jovem ao mais velho; from young to old
direction|desc|date| newest to oldest; most recent first; do mais recente ao mais antigo; do mais recente para o mais antigo; latest first; newest first
direction|asc|date| oldest to newest; oldest first; do mais antigo ao mais recente; do mais antigo para o mais recente; chronological order; em ordem cronologica; chronologically
direction|desc|price| most expensive to cheapest; from most expensive to cheapest; do mais caro ao mais barato; do mais caro para o mais barato
direction|asc|price| cheapest to most expensive; from cheapest to most expensive; do mais barato ao mais caro; do mais barato para o mais caro
distinct||| different; distinct; unique; diferentes; diferente; distintos; distintas; distinto; distinta; unicos; unicas; unico; unica; exclusivos; exclusivas; sem repetir; without repetition; sem repeticao; nao repetidos
not||| not; all but; all except; everything but; everything except; everyone but; everybody but; anyone but; tudo menos; todos menos; todas menos; but not; nao; except; except for; excluding; exceto; other than; fora; never; nunca; don; doesn; isn; aren; didn; wasn; weren; hasn; haven; tirando; excluindo; a nao ser; menos os de; menos as de; menos a de; menos o de; desconsiderando; sem contar; sem considerar; that not; other; nao sao; nao e; nao seja; nao sejam; nao e igual a; not equal to; diferente de; diferentes de; different from
without||| without; sem; no; nenhum; nenhuma; sem nenhum; sem nenhuma; without any; lacking; lack; nem
like|has|| contains the letter; contain the letter; contains the word; contain the word; containing the word; containing the letter; contem a letra; contenham a letra; contenha a letra; contem a palavra; contenham a palavra; contem o texto; with the letter; com a letra; that includes the text; includes the text; contains; containing; contain; contem; contenham; contenha; contendo; includes the; include the word; with the word; com a palavra; with the letter; with letter; com a letter; com a letra; substring; has the word; with the substring; contains the word; contem a palavra; that includes; in its name; no nome; having the word; has the substring; in its title; no titulo
like|starts|| starts with; starting with; start with; comeca com; comecam com; comecando com; comece com; begins with; beginning with; begin with; iniciam com; inicia com; comecam por
like|ends|| ends with; ending with; end with; termina com; terminam com; terminando com
null||| blank; empty; vazio; vazia; vazios; vazias; em branco; missing; sem informacao; nao informado; nao informada; null; nulo; unfilled; nao preenchido; sem preenchimento
share||| percentage of; percent of; percentage; what percentage; what percent; what share; share of; que percentual; qual o percentual; qual percentual; percentual de; porcentagem de; que porcentagem; qual a porcentagem; qual porcentagem; quantos por cento; quanto por cento; what proportion of; que proporcao; proporcao de; participacao de; qual a participacao; participacao; percentual; porcentagem; por cento
difference||| compare; compara; comparar; comparacao entre; comparacao de; comparativo de; comparison of; compared; difference between; difference in; diferenca entre; diferenca de; diferenca; difference; how much more; quanto a mais; how many more; quantos a mais; quantas a mais; a mais que; a mais do que; quanto mais; how much less; quanto a menos
growth||| growth; growth of; growth in; grow; grew; grown; increase; increased; increase in; change in; change; changed; rise; rose; drop; dropped; decrease; decreased; decrease in; fall; fell; crescimento; crescimento de; crescimento da; crescimento do; cresceu; cresceram; aumentou; aumentaram; aumento; aumento de; aumento da; aumento do; subiu; subiram; caiu; cairam; queda; queda de; queda da; queda do; diminuiu; diminuiram; variacao; variacao de; variacao da; variacao do; variou; evolucao
median||| median; median of; mediana; mediana de; mediana da; mediana do; mediana dos; mediana das
or||| or; ou; either
and||| and; e; as well as; bem como; along with; also; tambem; junto com; alem de
which||| por favor; please; each time; every time; a cada vez; cada vez; which; what; qual; quais; q; what are; what is; what is the; quais sao; qual e
who||| who; quem
when||| when; quando
where||| where; onde; em que lugar
whose||| whose; cujo; cuja; cujos; cujas
all||| all the information; all information; todas as informacoes; toda a informacao; all details; todos os dados; all the details; todos os detalhes; all the data; tudo sobre; everything about; todas as colunas; all columns; dados completos; ficha completa
"""

_WORD_NUMBERS = word_set("one two three four five six seven eight nine ten um uma dois duas tres")


@lru_cache(maxsize=1)
def _table() -> dict[str, list[tuple[tuple[str, ...], OpKind, str, str]]]:
    """First word -> (phrase words, kind, argument, implied), longest first."""
    found: dict[str, list[tuple[tuple[str, ...], OpKind, str, str]]] = {}
    for line in _PHRASES.strip().splitlines():
        kind, argument, implied, phrases = (part.strip() for part in line.split("|", 3))
        for phrase in phrases.split(";"):
            words = tuple(phrase.split())
            if words:
                entry: tuple[tuple[str, ...], OpKind, str, str] = (words, kind, argument, implied)  # type: ignore[assignment]
                found.setdefault(words[0], []).append(entry)
    for entries in found.values():
        entries.sort(key=lambda entry: -len(entry[0]))
    return found


def operators(
    tokens: Sequence[Token], language: Language, taken: frozenset[int] = frozenset()
) -> tuple[Op, ...]:
    """Operators in reading order, not overlapping; quoted spans and taken tokens hold none.

    Portuguese "no" is a preposition: only an English question negates with it.
    """
    found: list[Op] = []
    position = 0
    while position < len(tokens):
        op = None if position in taken else _at(tokens, position, language, taken)
        found += [op] if op else []
        position = op.end if op else position + 1
    return tuple(found)


def _at(tokens: Sequence[Token], position: int, language: Language, taken: frozenset[int]) -> Op | None:
    for words, kind, argument, implied in _table().get(tokens[position].text, ()):
        end = position + len(words)
        span = tokens[position:end]
        if (words == ("no",) and language != "en") or (words == ("mean",) and _is_told(tokens, position)):
            continue
        if (
            len(span) == len(words)
            and taken.isdisjoint(range(position, end))
            and all(
                token.text == word and token.kind == "word" for token, word in zip(span, words, strict=True)
            )
        ):
            return Op(kind, position, end, argument, implied)
    return None


def _is_told(tokens: Sequence[Token], position: int) -> bool:
    """ "What does F-103 mean" asks for no average."""
    return any(token.text in ("does", "do", "did", "doesnt") for token in tokens[:position])


# words that say how a question is put, not what it is about: they need no counterpart in the data
_CARRIERS_PT = word_set(
    """a o as os um uma uns umas de do da dos das em no na nos nas ao aos e ou que com para por se lhe me te
    foi foram era eram ser sao esta estao estava tem temos teve tiveram ter tinha tinham ha houve havia existe existem haver
    fica ficam ficou faz fazem fez feito feita feitos feitas vai vao ir pode podem poderia posso dar da de dei deu
    liste listar lista listem mostre mostra mostrar mostrem exiba exibir apresente diga dizer fale falar informe informar
    indique retorne retorna retornar encontre encontra encontrar ache achar forneca devolva descubra localize busque buscar procure
    traga trazer quero queria gostaria preciso saber ver veja gera gere calcule calcular obtenha pegue favor
    todo toda todos todas tudo cada seu sua seus suas esse essa esses essas este esta isso isto aquele aquela ele ela eles elas
    la ai aqui ali ja ainda agora sempre so somente apenas mesmo mesma proprio alguma algum alguns algumas ambos tanto
    qual quais quem quando onde como porque quanto quantos quantas
    tambem entao assim sendo sobre entre ate desde durante dentro fora
    dado dados registro registros linha linhas tabela tabelas planilha planilhas arquivo arquivos coluna colunas informacao informacoes relatorio
    nosso nossa nossos nossas empresa gente voce voces eu nos meu minha
    vem vieram veio pertence pertencem usa usam usado usada usados usadas utilizado utilizada utilizados utilizadas usando utilizam utiliza
    possui possuem possuam possua havendo tendo sido corresponde correspondem correspondente correspondentes respectivo respectivos respectiva
    aparece aparecem ocorreu ocorreram ocorridos aconteceu aconteceram acontecem registrado registrada registrados
    localizado localizada localizados trabalha trabalham trabalhou trabalharam
    vez vezes entao cujo cuja mais menos hoje atualmente atual atuais
    algo coisa coisas sabe sabem hein ne pra pro pras pros ok oi"""
)
_CARRIERS_EN = word_set(
    """the a an of in on at to for and or from with is are was were be been being s do does did has have had having there
    their its it they them this that these those he she his her who whom which what where when how than then as any some
    list show give return find display tell get provide please us me we our you your i can could would like want need know let
    all every each whole entire also just only ever yet still now currently respectively corresponding following given listed both
    table tables sheet sheets spreadsheet file files record records row rows data column columns information dataset entry entries
    come comes came belong belongs use uses used using own owns exist exists occur occurred happen happened
    located found considered called based according associated related along together across among within around said
    work works worked working live lives lived living take takes took go goes went gets got
    if whether either so not no times whose much many more most less least today actual something anything thing things"""
)
# words that may name a column, and cost nothing when they do not
SOFT = word_set(
    "resultado resultados result results valor valores value values ordem order time tempo name state tipo chamado chamada chamados chamadas denominado denominada intitulado named called titled"
)
_BOTH = _CARRIERS_PT | _CARRIERS_EN


def carriers(language: Language) -> frozenset[str]:
    """The carrier words of a question's language; of both while it is undecided."""
    return {"pt": _CARRIERS_PT, "en": _CARRIERS_EN}.get(language, _BOTH)
