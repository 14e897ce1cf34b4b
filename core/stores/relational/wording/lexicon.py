"""A small bilingual lexicon of business and everyday data words.

Each line is one concept: Portuguese and English words that may stand for each other between a question and a
header or a cell. `+` at the end: amounts that add up over rows; `=`: levels that do not (a price, an age); `@`:
the name of a person or thing; `#`: an identifier; `~`: a moment in time.
"""

from dataclasses import dataclass
from functools import lru_cache

from core.stores.relational.wording.words import cell_words, light_stem, snowball_keys, word_set

_CONCEPTS = """
receita, faturamento, receitas, faturou, faturamos, faturaram, faturar | revenue, turnover, billing, proceeds, bring in +
faturamento, receita, vendas, vendemos, venderam, vendas, venda, vendido, vendeu, vender, vendidos, vendida, vendidas | revenue, sales, sale, sold, sell, sells +
quantidade, qtd, qtde, quant, qtdade, volume, unidades, pecas, vendido, vendidos, vendida, vendidas | quantity, qty, amount, units, pieces, sold +
quantidade, numero, num, nr, nro, qtd, contagem | number, num, count, no, nbr
unidade, unidades, un, und, pecas | units, unit, pieces, pcs +
valor, montante, quantia, total | value, amount, total, sum +
preco, custa, custam, custar, valor unitario, preco unitario | price, unit price, priced =
custo, custos, custou, custaram, gasto | cost, costs, expense +
despesa, despesas, gasto, gastos, gasta, gastas, gastou, gastamos, gastar, gastaram, gastei | expense, expenses, spending, spent, expenditure, spend, spends +
lucro, lucros, lucrou, lucramos, lucraram, resultado, ganho, lucrativo | profit, gain, earnings, profitable +
margem | margin =
ganhos, rendimento, rendimentos, ganhou | earnings, income, winnings, earned +
renda, rendimento | income =
desconto, abatimento | discount
imposto, tributo, taxa | tax
taxa, indice, percentual, aliquota | rate, ratio =
percentual, porcentagem, percentagem, pct, porcento | percentage, percent, pct =
participacao, fatia, cota, quota | share =
juros | interest =
mensalidade, mensalidades, anuidade, anuidades, tarifa, tarifas, honorario, honorarios | fee, fees, tuition, charge, charges +
advogado, advogada, advogados | lawyer, lawyers, attorney, attorneys @
salario, salarios, salarial, salariais, remuneracao, folha pagamento, folha, vencimento, ordenado, ganha, ganham, ganhar | salary, salaries, wage, wages, payroll, pay, earn, earns =
bonus, gratificacao, premio | bonus
premio, premios, premiado, premiacao | award, awards, prize, awarded
comissao | commission +
folha | payroll +
orcamento, orcado, previsto, verba | budget, budgeted +
meta, objetivo, alvo | target, goal +
saldo | balance =
divida, debito, devido, devem, deve | debt, owed +
pagamento, pago, pagos, pagou, pagamos, pagar, paga | payment, paid, pay +
credito | credit
estoque, estoques, inventario, saldo | stock, inventory, on hand +
minimo | minimum, min
maximo | maximum, max
capacidade, lotacao | capacity =
nome, nomes | name, names @
titulo, titulos, intitulado | title, titles, titled @
nome, titulo, nomes, titulos | name, title, names, titles @
titulo, livro, livros | title, book, books @
vinho, vinhos | wine, wines @
cerveja, cervejas | beer, beers
receita, receitas, prato, pratos | recipe, dish, dishes @
produto, mercadoria | goods, merchandise
chamada, chamadas, ligacao, ligacoes | call, calls
animal, pet | pet, pets, animal
obra, obras, construcao | construction, work, building
sobrenome | surname, last name @
cliente, clientes, consumidor, comprador, freguesia | customer, customers, client, clients, buyer @
fornecedor, fornecedores | supplier, suppliers, vendor, vendors @
produto, produtos, item, itens, artigo, mercadoria | product, products, item, items, article, goods @
servico, servicos | service, services
vendedor, vendedora, vendedores, consultor, representante | seller, salesperson, salesman, sales rep, representative, rep @
funcionario, funcionarios, empregado, colaborador, colaboradores, servidor | employee, employees, staff, worker, workers, personnel @
pessoal, equipe, quadro, efetivo, funcionarios | staff, headcount, crew
pessoa, pessoas, gente, habitante, habitantes | person, people, persons, individual, inhabitants
gerente, gestor, chefe, supervisor, encarregado, coordenador | manager, supervisor, boss, head
responsavel | responsible, owner, in charge @
diretor, diretores, dirigido, dirigidos, dirigida | director, directors, directed
lider, lideres | leader, leaders
socio, membro, membros, associado, associacao, adesao | member, members, membership
contato | contact
aluno, alunos, estudante, estudantes | student, students, pupil @
professor, professores, docente | teacher, teachers, professor, instructor @
medico, medicos, doutor | doctor, doctors, physician @
paciente, pacientes | patient, patients @
autor, autores, escritor, escrito, escritos, escrita, escreveu, escreveram | author, authors, writer, written, wrote
jogador, jogadores, atleta | player, players, athlete @
time, equipe, equipes, clube | team, teams, club @
cantor, cantora, cantores, interprete | singer, singers @
artista, artistas | artist, artists @
musica, musicas, cancao, cancoes, faixa | song, songs, track, music
musico, musicos | musician, musicians @
banda, bandas, grupo | band, bands, group
show, shows, concerto, concertos, apresentacao, apresentacoes, espetaculo | concert, concerts, show, shows, performance, performances
maestro, regente, regentes, maestros, condutor, condutores, regeu | conductor, conductors, conducted
orquestra, orquestras | orchestra, orchestras
album, albuns, disco | album, albums, record
gravadora, gravadoras | record company, record label, label
registro, gravacao | record, recording
filme, filmes | film, films, movie, movies
desenho, desenhos, desenho animado, animacao | cartoon, cartoons
serie, series, seriado | series, tv series
episodio, episodios | episode, episodes
canal, canais | channel, channels
programa, programas | program, programme, show
exibicao, exibido, exibida, transmissao, ar | air, aired, broadcast
lancamento, lancado | release, released, launch
tema, temas | theme, themes, topic
genero | genre, gender
conteudo, conteudos | content, contents
estadio, estadios, arena | stadium, stadiums, arena, venue
museu, museus | museum, museums
visitante, visitantes | visitor, visitors
visita, visitas, visitou | visit, visits, visited
ingresso, ingressos, bilhete, passagem | ticket, tickets
publico, comparecimento, presenca, participacao, frequencia | attendance, audience
classificacao, avaliacao, nota, notas, pontuacao | rating, ratings, score, grade, review =
classificacao, posicao, ranking, colocacao | rank, ranking, position, standing =
nota, anotacao, observacao, observacoes, obs, comentario | note, notes, remark, comment, observation
ponto, pontos, pontuacao | point, points, score +
resultado, resultados | result, results, outcome, finish
batalha, batalhas | battle, battles
navio, navios, embarcacao, barco | ship, ships, vessel, boat
tonelagem | tonnage
comandante | commander
morte, mortes, mortos, morto, morreu | death, deaths, killed, died, dead
ferido, feridos, ferimento, ferimentos, lesao, lesoes | injured, injury, injuries, wounded
perdido, perdida, perda, perdas, perdeu, perder | lost, loss, losses, lose, loses
capturado, captura | captured, capture
idade, idades, velho, jovem | age, ages, aged, old, young =
altura, alto, estatura | height, tall =
peso, pesos, pesa, pesam, pesado, pesada | weight, weights, weigh, weighs, heavy
comprimento, extensao | length, long =
largura | width =
profundidade | depth =
tamanho, porte | size =
area, superficie, area superficie | area, surface, surface area +
distancia, distancias, longe | distance, distances, far +
duracao, tempo | duration, time +
temperatura | temperature =
velocidade | speed =
potencia | power =
pressao | pressure =
umidade | humidity =
populacao, populacoes, habitantes, populoso, populosos, pessoas, vivem, moram | population, people, inhabitants, populated, populous
densidade | density =
expectativa vida, esperanca vida | life expectancy, expected life =
esperanca, expectativa | expectancy, expectation, expected
vida | life
pib, produto interno bruto | gnp, gdp =
independencia, independente, independentes | independence, indep, independent
governo, governos | government, governments
forma, formas, formato | form, forms, format
republica, republicano, republicana, republicas | republic, republics
estado, chefe estado | state, head state
cidade, cidades, municipio, municipios, localidade | city, cities, town, municipality
pais, paises, nacao, nacoes | country, countries, nation, nations
nacionalidade, nacionalidades, cidadania, nacao, pais | nationality, nationalities, citizenship, nation
estado, estados, uf, provincia | state, states, province
regiao, regioes, zona | region, regions, zone
continente, continentes | continent, continents
distrito, distritos, bairro, bairros | district, districts, neighborhood
capital | capital
endereco, rua | address, street
local, locais, localizacao, lugar, sede | location, locations, place, site, venue, headquarter
cep | zip, zip code, postal code #
idioma, idiomas, lingua, linguas, fala, falado, falados, falam | language, languages, spoken, speak, speaks
oficial, oficiais | official
mundo, mundial | world
filial, filiais, agencia, sucursal, unidade | branch, branches, subsidiary
loja, lojas, estabelecimento, armazem | shop, shops, store, stores
deposito, armazem, almoxarifado | warehouse, depot
departamento, departamentos, depto, setor, setores, area, areas | department, departments, dept, sector, division
secao | section
empresa, empresas, companhia, firma | company, companies, firm
organizacao, instituicao | organization, organisation, institution
escola, escolas, colegio | school, schools
universidade, faculdade | university, college
curso, cursos, disciplina, treinamento | course, courses, subject, class, training
turma | class, group
hospital | hospital
hotel | hotel
quarto, sala | room
restaurante | restaurant
cargo, cargos, funcao, posto | role, position, job, job title, post
nivel, niveis | level, levels, grade
categoria, categorias, classe | category, categories, class
tipo, tipos, especie, modalidade | type, types, kind
grupo, grupos | group, groups
marca, marcas | brand, brands, make
modelo, modelos | model, models, template, templates
versao, versoes | version, versions
cor, cores | color, colour, colors
linha, linhas | line, lines, row
codigo, codigos, cod | code, codes #
identificador, identificacao, id, ids | id, ids, identifier, identification #
matricula, registro | registration, enrollment, badge #
cpf, cnpj, documento | tax id #
telefone, fone, celular | phone, telephone, mobile
email, correio | email, mail
descricao, descricoes | description, descriptions
detalhe, detalhes, informacao, informacoes | detail, details, information, info
documento, documentos, arquivo | document, documents, file
paragrafo, paragrafos | paragraph, paragraphs
texto, textos | text, texts
pagina, paginas | page, pages
livro, livros | book, books
apresentacao | presentation
pedido, pedidos, encomenda | order, orders
ordem, ordens, os | order, work order, ticket
compra, compras, comprou, comprado, comprados, compramos, comprar, adquirido | purchase, purchases, bought, purchased, buy +
nota fiscal, fatura, nf | invoice, bill
contrato, contratos | contract, contracts
contratacao, contratado, contratados, admissao, admitido, contratam, contratando | hiring, hire, hired, admission, start
demissao, desligamento | dismissal, termination
projeto, projetos | project, projects
tarefa, tarefas, atividade | task, tasks, activity
chamado, chamados, ocorrencia | ticket, tickets, incident, case
problema, defeito, falha | problem, defect, failure, fault, issue
reclamacao | complaint
manutencao | maintenance
conserto, reparo | repair
equipamento, equipamentos, maquina, maquinas, aparelho | equipment, machine, machines, device
peca, pecas, componente | part, parts, component, spare part
ferramenta | tool
veiculo, veiculos, carro, carros, automovel, placa, frota | vehicle, vehicles, car, cars, plate
caminhao | truck
motorista | driver
placa | plate, license plate #
viagem, viagens | trip, trips, travel, journey
voo, voos | flight, flights
aeroporto | airport
companhia aerea | airline
entrega, entregas, entregue, entregues | delivery, deliveries, delivered
envio, remessa, expedicao, enviado | shipment, shipping, shipped
devolucao, devolucoes, devolvido | return, returns, refund, returned +
producao, produzido, produziu, produzimos, produzidos | production, produced, output, produce +
lote, lotes | batch, lot, batches #
turno, turnos | shift, shifts
parada, paradas | stop, downtime, stoppage
hora, horas, hrs | hour, hours, hrs +
minuto, minutos, min | minute, minutes
dia, dias | day, days
semana, semanas, semanal | week, weeks, weekly
mes, meses, mensal | month, months, monthly
trimestre | quarter
semestre | semester, half
ano, anos, exercicio | year, years
data, datas, quando, dia | date, dates, when ~
data nascimento, nascimento, aniversario | birth date, birthday, date birth, birth ~
ano nascimento | birth year, year birth
nascimento, nascido, nascida | birth, born
abertura, inicio, inauguracao, aberto, abertos, inaugurado, inaugurados | opening, start, begin, opened, open ~
fundacao, fundado, fundada, fundados, fundadas | founding, founded, foundation, established
termino, fim, encerramento, conclusao | end, finish, completion, closing ~
vencimento, validade, prazo, vence, vencem | due date, expiry, expiration, deadline, due, expires ~
vigencia, efetivo | effective
situacao, status, estado, andamento | status, state, situation
prioridade, urgencia | priority, urgency
ativo | active
aberto, aberta, abertos, abertas, pendente | open, pending
fechado, fechada, encerrado, concluido, concluida | closed, done, finished, completed, concluded
cancelado, cancelada | cancelled, canceled
aprovado, aprovada | approved
atrasado, atraso | late, overdue, delay, delayed
disponivel | available
sim | yes, y, true
nao | no, n, false
masculino, homem, homens | male, man, men, m
feminino, mulher, mulheres | female, woman, women, f
sexo, genero | sex, gender
casado | married
solteiro | single
escolaridade, formacao | education, degree
experiencia | experience
ferias | vacation, holidays
falta, faltas, ausencia | absence, absences
carga horaria, jornada | workload, working hours
tempo integral, integral | full time
primeiro, primeira | first
ultimo, ultima | last, latest
final | final
medio, media | average, mean, avg
alto, alta | high
baixo, baixa | low
melhor | best
conta, contas | account, accounts
banco, bancos | bank, banks
cartao | card
moeda | currency
centro custo | cost center
investimento | investment +
patrimonio, patrimonio liquido, fortuna | net worth, wealth, equity
acao, acoes | share, action
ativo, ativos | asset, assets
fonte, origem | source, origin
destino | destination
mesa, mesas | table, tables
tabela | table
pacote | package, packet
opcao, escolha | option, choice
alta definicao | high definition
proporcao | ratio, proportion
racao, alimento, alimentos, comida | food, feed
animal, animais | animal, animals
cachorro, cachorros, cao | dog, dogs
gato, gatos | cat, cats
raca, racas | breed, breeds
planta, plantas | plant, plants
agua | water
energia, consumo | energy, consumption +
gas | gas
leite | milk
carne | meat
fruta, frutas | fruit, fruits
bebida, bebidas | drink, drinks, beverage
receita | recipe
propriedade, fazenda, imovel | property, farm, estate
casa, residencia | house, home
apartamento | apartment, flat
aluguel | rent
frete, fretes | freight
multa, multas | fine, fines, penalty, penalties +
consumo, consome, consomem, consumimos, consumiu, consumir, consumido | consumption, consume, consumes, consumed +
seguro | insurance
oficina, oficinas | workshop, workshops
treinador, tecnico | coach, trainer
tecnico | technician, technical
engenheiro | engineer
analista | analyst
assistente, auxiliar | assistant
vereador, deputado, politico | politician, representative
partido | party
eleicao | election
voto, votos | vote, votes +
lei | law
campeonato, torneio | championship, tournament, league
partida, partidas, jogo, jogos | match, matches, game, games
gol, gols | goal, goals +
vitoria, vitorias, venceu, ganho, ganha, ganhou | win, wins, victory, won
derrota | loss, defeat
medalha, medalhas | medal, medals
corrida | race
prova | exam, test, race
nota, media | grade, score, mark =
poquer, poker | poker
dinheiro | money
mensagem | message
usuario, usuarios | user, users @
acesso, acessos | access, visits +
clique, cliques | clicks +
assinatura, assinante | subscription, subscriber
campanha | campaign
anuncio | ad, advertisement
imagem, foto | image, photo, picture
endereco web, site | website, site, url
pixel | pixel
tela | screen
memoria | memory
aspecto | aspect
evento, eventos | event, events
reuniao | meeting
agenda | schedule
feriado | holiday
norte | north
sul | south
leste | east
oeste | west
nordeste | northeast
sudeste | southeast
centro oeste | midwest
""".strip()

# words that ask for a table's main amount where no header says so
AMOUNT_VERBS = word_set(
    "faturamento receita gasto gastos despesa despesas custo arrecadacao revenue spending pago pagos "
    "gastou gastaram gastamos gasta gastam pagou pagaram pagamos paga pagam gerou geraram rendeu renderam arrecadou "
    "faturou faturaram faturamos custou custaram vendeu venderam vendemos recebeu receberam recebemos movimentou "
    "spent spend spends paid pay pays generated generates earned earns sold brought cost costs"
)

# how people call the units that headers abbreviate
UNIT_WORDS = {
    "hectare": "ha", "quilo": "kg", "kilo": "kg", "quilograma": "kg", "saca": "sc", "litro": "l", "tonelada": "t",
    "quilometro": "km", "kilometer": "km", "metro": "m", "minuto": "min", "minute": "min", "hora": "h", "hour": "h",
    "real": "r$", "dolar": "$", "dollar": "$", "euro": "€", "reais": "r$",
}  # fmt: skip

# words that carry grammar and no meaning: skipped inside phrases
FUNCTION_WORDS = frozenset(
    [
        "a",
        "o",
        "as",
        "os",
        "um",
        "uma",
        "uns",
        "umas",
        "de",
        "do",
        "da",
        "dos",
        "das",
        "em",
        "no",
        "na",
        "nos",
        "nas",
        "ao",
        "aos",
        "à",
        "às",
        "e",
        "por",
        "para",
        "pelo",
        "pela",
        "pelos",
        "pelas",
        "com",
        "the",
        "an",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "and",
        "by",
        "from",
        "with",
        "is",
        "are",
        "was",
        "were",
        "s",
    ]
)


@dataclass(frozen=True, slots=True)
class Concept:
    """One line of the lexicon."""

    number: int
    marks: str  # any of "+=@#~"

    @property
    def key(self) -> str:
        return f"c:{self.number}"


def phrase_key(words: tuple[str, ...]) -> tuple[str, ...]:
    """Light stems of the words that carry meaning; all of them when none does."""
    content = tuple(light_stem(word) for word in words if word not in FUNCTION_WORDS)
    return content or tuple(light_stem(word) for word in words)


@lru_cache(maxsize=1)
def phrases() -> dict[tuple[str, ...], tuple[Concept, ...]]:
    """Every phrase of the lexicon, stemmed, with its concepts in the order of the lines."""
    found: dict[tuple[str, ...], list[Concept]] = {}
    for number, line in enumerate(_CONCEPTS.splitlines()):
        words = line.rstrip("+=@#~ ")
        concept = Concept(number, line[len(words) :].strip())
        for entry in words.replace("|", ",").split(","):
            key = phrase_key(cell_words(entry))
            if key and concept not in found.setdefault(key, []):
                found[key].append(concept)
    return {key: tuple(concepts) for key, concepts in found.items()}


@lru_cache(maxsize=1)
def _exact() -> dict[tuple[str, ...], tuple[Concept, ...]]:
    """Entries as written, unstemmed."""
    found: dict[tuple[str, ...], list[Concept]] = {}
    for number, line in enumerate(_CONCEPTS.splitlines()):
        words = line.rstrip("+=@#~ ")
        concept = Concept(number, line[len(words) :].strip())
        for entry in words.replace("|", ",").split(","):
            found.setdefault(cell_words(entry), []).append(concept)
    return {key: tuple(concepts) for key, concepts in found.items()}


def exact_concepts(words: tuple[str, ...]) -> tuple[Concept, ...]:
    """Concepts of exactly these folded words, in the singular or the plural that the lexicon lists."""
    return _exact().get(words, ())


LONGEST_PHRASE = 3  # words


@lru_cache(maxsize=1)
def _derived() -> dict[str, tuple[Concept, ...]]:
    """Snowball stems of the single words: "faturaram" finds "faturamento"."""
    found: dict[str, list[Concept]] = {}
    for words, concepts in _exact().items():
        for key in snowball_keys(words[0]) if len(words) == 1 else ():
            found.setdefault(key, []).extend(c for c in concepts if c not in found.get(key, []))
    return {key: tuple(concepts) for key, concepts in found.items()}


@lru_cache(maxsize=65536)
def concepts_of(words: tuple[str, ...]) -> tuple[Concept, ...]:
    """Concepts that a word or a phrase (already cut into folded words) names; empty when unknown."""
    known = phrases().get(phrase_key(words), ())
    if known or len(words) != 1:
        return known
    return tuple(dict.fromkeys(c for key in snowball_keys(words[0]) for c in _derived().get(key, ())))


@lru_cache(maxsize=65536)
def marks_of(words: tuple[str, ...]) -> str:
    """All marks of the concepts that a header's words name, phrase first: `+` for "Receita (R$)"."""
    content = tuple(word for word in words if word not in FUNCTION_WORDS)
    marks: list[str] = []
    for size in range(min(LONGEST_PHRASE, len(content)), 0, -1):
        for start in range(len(content) - size + 1):
            marks += [concept.marks for concept in concepts_of(content[start : start + size])]
        if any(marks):
            break
    return "".join(dict.fromkeys("".join(marks)))
