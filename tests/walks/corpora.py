"""Random little organisations: prose, lists and tables over a shared stock of names, so that channels overlap."""

import random

NAMES = ["bomba B-7", "caldeira C-2", "esteira ES-4", "linha L1", "linha L3", "forno F-9", "prensa PR-5"]
TEAMS = ["Oficina Norte", "Equipe Delta", "Setor de Utilidades", "Manutenção Sul", "Laboratório Central"]
PEOPLE = ["Gerência Industrial", "Diretoria Técnica", "Coordenação de Turno", "Comitê de Segurança"]
CITIES = ["Aroeira", "Buriti", "Cambuci", "Dourados"]
TOPICS = ["férias", "viagens", "crachás", "uniformes", "reembolso", "visitas", "estacionamento"]


def document(random_source: random.Random) -> tuple[str, bytes]:
    """(name, bytes) of one file."""
    return random_source.choice([_policy, _relations, _sheet])(random_source)


def _policy(r: random.Random) -> tuple[str, bytes]:
    topic, days = r.choice(TOPICS), r.randint(2, 60)
    text = (
        f"# Política de {topic}\n\n## Prazo\n\nO pedido de {topic} é feito com {days} dias de antecedência.\n\n"
        f"## Aprovação\n\nA {r.choice(PEOPLE)} aprova pedidos de {topic} acima de R$ {r.randint(1, 90)}00,00.\n"
    )
    return f"politica_{topic}.md", text.encode()


def _relations(r: random.Random) -> tuple[str, bytes]:
    first, second = r.sample(NAMES, 2)
    text = (
        f"# Equipamentos\n\nA {first} depende da {second}.\n\nA {second} é mantida pela {r.choice(TEAMS)}.\n\n"
        f"A {r.choice(TEAMS)} responde à {r.choice(PEOPLE)}.\n"
    )
    return "equipamentos.md", text.encode()


def _sheet(r: random.Random) -> tuple[str, bytes]:
    measure = r.choice(["receita", "custo", "unidades"])
    lines = [f"cidade;mês;{measure}"]
    for city in r.sample(CITIES, 3):
        lines += [
            f"{city};{month};{r.randint(10, 999)},{r.randint(0, 99):02d}"
            for month in ("janeiro", "abril", "maio")
        ]
    return f"{measure}.csv", "\n".join(lines).encode()


def question(r: random.Random) -> str:
    """Something that some document may answer, typed in a hurry, in either language."""
    name, city, topic = r.choice(NAMES), r.choice(CITIES).lower(), r.choice(TOPICS)
    return r.choice(
        [
            f"qual a {r.choice(['receita', 'custo', 'unidades'])} total de {city}?",
            f"quanto foi a receita em abril em {city}",
            f"quem mantem a {name}?",
            f"a {name} depende de que?",
            f"quem aprova pedidos de {topic} acima de 5000",
            f"prazo para pedir {topic}?",
            f"how many days before for {topic}",
            f"compare a politica de {topic} com a politica de {r.choice(TOPICS)}",
            f"quem mantem a {name} e qual a receita de {city}?",
            f"total sales in {city} by month",
            "qual a senha do cofre?",
        ]
    )
