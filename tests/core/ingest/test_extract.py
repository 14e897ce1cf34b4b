import importlib.util
from pathlib import Path

import pytest

from core.ingest.extract import ALSO_CALLED, chunk_mentions, extract_triples
from core.language import detect_language
from core.normalize import fold
from core.types import Chunk, Locator

_spec = importlib.util.spec_from_file_location(
    "extract_heldout", Path(__file__).with_name("extract_heldout.py")
)
assert _spec is not None
assert _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)
HELDOUT = _module.HELDOUT


def passage(text: str, *headings: str, title: str = "", kind: str = "prose") -> Chunk:
    return Chunk("c", "d", Locator(), text, title, headings, detect_language(text), kind)  # type: ignore[arg-type]


def relations(text: str, *headings: str, title: str = "", kind: str = "prose") -> set[tuple[str, str, str]]:
    found = extract_triples(passage(text, *headings, title=title, kind=kind))
    assert all(triple.chunk == "c" for triple in found)
    return {(triple.subject, triple.relation, triple.object) for triple in found}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # both voices
        ("A Sala Azul usa o projetor PJ-9.", ("sala azul", "usa", "projetor pj-9")),
        (
            "O projetor PJ-9 é mantido pela Equipe de Áudio.",
            ("projetor pj-9", "é mantido pela", "equipe de audio"),
        ),
        ("The PJ-9 is maintained by the Audio Crew.", ("pj-9", "is maintained by", "audio crew")),
        ("Deploys require the Release Board.", ("deploys", "require", "release board")),
        # dependence, reporting, belonging, replacing, supplying
        ("A rota R-12 depende da balsa B-3.", ("rota r-12", "depende da", "balsa b-3")),
        ("O Setor de Provas responde à Reitoria.", ("setor de provas", "responde à", "reitoria")),
        ("The Night Desk reports to Ana Prado.", ("night desk", "reports to", "ana prado")),
        ("A creche pertence à Fundação Lume.", ("creche", "pertence à", "fundacao lume")),
        ("Suite 4 is part of the East Wing.", ("suite 4", "is part of", "east wing")),
        ("O edital foi substituído pela Portaria 12.", ("edital", "foi substituído pela", "portaria 12")),
        ("Gauze is supplied by Medix.", ("gauze", "is supplied by", "medix")),
        ("O Dr. Nuno Reis é responsável pela triagem.", ("dr. nuno reis", "é responsável pela", "triagem")),
        # what something is
        ("Marta Dias é a gerente da Loja Centro.", ("marta dias", "é a gerente da", "loja centro")),
        ("The Blue Fund is a charity of Acme Group.", ("blue fund", "is a charity of", "acme group")),
        # a common noun before the name belongs to the relation
        (
            "As despesas da Loja Centro são pagas pela Matriz.",
            ("loja centro", "despesas são pagas pela", "matriz"),
        ),
        ("A Matriz aprova as compras da Loja Centro.", ("matriz", "aprova as compras da", "loja centro")),
        (
            "Toda não conformidade é tratada pela Loja Centro.",
            ("nao conformidade", "é tratada pela", "loja centro"),
        ),
        # who stands in for whom
        (
            "Na ausência do plantonista térmico, assume o técnico de caldeiras.",
            ("tecnico de caldeiras", "assume na ausência do", "plantonista termico"),
        ),
        (
            "In the absence of Ana Prado, Bruno Reis leads the shift.",
            ("bruno reis", "leads in the absence of", "ana prado"),
        ),
        (
            "As despesas de viagem são aprovadas pela gerência.",
            ("despesas de viagem", "são aprovadas pela", "gerencia"),
        ),
        # limits
        ("Até R$ 5 mil aprova a gerência.", ("gerencia", "aprova", "ate r$ 5 mil")),
        (
            "Compras acima de R$ 5.000,00 são aprovadas pela Diretoria.",
            ("compras acima de r$ 5.000,00", "são aprovadas pela", "diretoria"),
        ),
        (
            "Refunds over $200 are signed by the Head Cashier.",
            ("refunds over $200", "are signed by", "head cashier"),
        ),
        # word order
        ("Coordena a Oficina Leste a técnica Lia Moura.", ("lia moura", "coordena", "oficina leste")),
        ("Quem autoriza saídas é a Vice-Direção.", ("vice-direcao", "autoriza", "saidas")),
        # asides and relative clauses
        ("The vendor, Boxly, bills the Finance Desk.", ("boxly", "bills", "finance desk")),
        ("A Matriz contratou a Alfa Gás, que atende a Loja Centro.", ("alfa gas", "atende", "loja centro")),
        (
            "Food comes from Tasty, whose menu is approved by Dr. Lee.",
            ("tasty", "menu is approved by", "dr. lee"),
        ),
        ("O sistema Íris, mantido pela Prodata, usa o banco X-1.", ("iris", "mantido pela", "prodata")),
    ],
)
def test_a_sentence_gives_its_relation(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in relations(text)


def test_coordinated_objects_and_subjects_each_have_their_relation() -> None:
    assert relations("A linha L7 depende da caldeira CD-4 e da bomba BB-2.") == {
        ("linha l7", "depende da", "caldeira cd-4"),
        ("linha l7", "depende da", "bomba bb-2"),
    }
    assert relations("The AX-1, the AX-2 and the AX-3 are serviced by Agrifix.") == {
        (code, "are serviced by", "agrifix") for code in ("ax-1", "ax-2", "ax-3")
    }


def test_a_list_goes_on_with_its_preposition() -> None:
    found = relations(
        "O Comitê é composto por representantes da Secretaria de Saúde, do Sindicato Azul e da Fundação Lume."
    )

    assert found == {
        ("comite", f"é composto por representantes {article}", name)
        for article, name in (
            ("da", "secretaria de saude"),
            ("da", "sindicato azul"),
            ("da", "fundacao lume"),
        )
    }


def test_a_short_form_of_a_name_is_read_as_the_name() -> None:
    found = relations("O Conselho Municipal de Saúde mudou. Hoje o Conselho é presidido por Ana Prado.")

    assert ("conselho municipal de saude", "é presidido por", "ana prado") in found


def test_a_short_form_of_two_names_stays_as_it_is() -> None:
    found = relations(
        "A Diretoria Clínica e a Diretoria Fiscal mudaram. Hoje a Diretoria é presidida por Ana Prado."
    )

    assert ("diretoria", "é presidida por", "ana prado") in found


def test_two_verbs_share_a_subject_but_not_their_objects() -> None:
    assert relations("Samples are collected by SwiftLab twice a day and delivered to the River Lab.") == {
        ("samples", "are collected by", "swiftlab"),
        ("samples", "delivered to", "river lab"),
    }
    assert relations("A Ala Norte responde à Dra. Eva Luz e a Ala Sul responde ao Dr. Ivo Paz.") == {
        ("ala norte", "responde à", "dra. eva luz"),
        ("ala sul", "responde ao", "dr. ivo paz"),
    }


def test_a_limit_is_carried_over_to_the_next_one_in_line() -> None:
    found = relations("Até R$ 10 mil aprova a gerência; acima disso, a diretoria.")

    assert ("diretoria", "aprova", "acima de r$ 10 mil") in found


def test_pronouns_and_bare_verbs_stand_for_what_was_spoken_of() -> None:
    found = relations(
        "A Dra. Eva Luz chefia a Pediatria. Ela integra a Comissão de Ética. Responde à Diretoria Médica."
    )

    assert ("dra. eva luz", "integra", "comissao de etica") in found
    assert ("dra. eva luz", "responde à", "diretoria medica") in found


def test_a_pronoun_agrees_in_gender_with_what_it_stands_for() -> None:
    found = relations("O leitor LX-4 é calibrado pela Oficina Leste. Ela responde pela bomba BB-2.")

    assert ("oficina leste", "responde pela", "bomba bb-2") in found


def test_this_policy_is_the_document_itself() -> None:
    found = relations("Esta política é aprovada pela Diretoria Clínica.", title="Política de visitas")

    assert found == {("politica de visitas", "é aprovada pela", "diretoria clinica")}


def test_lines_under_a_heading_speak_of_the_heading() -> None:
    found = relations(
        "Responsável: Oficina Leste\nFornecedor: Hidraumec, Sortec\nPeso: 30 kg\nObs.: ligar cedo\n"
        "- Alimentada pela esteira E-3.\n- Substitui a prensa PH-150.",
        "2. Prensa PH-200",
    )

    assert found == {
        ("prensa ph-200", "responsável", "oficina leste"),
        ("prensa ph-200", "fornecedor", "hidraumec"),
        ("prensa ph-200", "fornecedor", "sortec"),
        ("prensa ph-200", "alimentada pela", "esteira e-3"),
        ("prensa ph-200", "substitui", "prensa ph-150"),
    }


def test_the_first_line_of_a_record_names_what_the_others_describe() -> None:
    found = relations("Server: ATLAS-7\nOwner: Team Falcon\nBackup: Vault North", "Inventory")

    assert found == {("atlas-7", "owner", "team falcon"), ("atlas-7", "backup", "vault north")}


def test_an_entry_with_a_code_tells_its_reader_what_to_do() -> None:
    found = relations(
        "(b) E-4021: the tube is too cold. Keep it closed and follow procedure PO-17.", "Alarms"
    )

    assert ("e-4021", "follow", "procedure po-17") in found


@pytest.mark.parametrize(
    "text",
    [
        "For alarm E-12, follow procedure PO-8.",
        "If the alarm E-12 comes back, follow procedure PO-8 and call Ana Prado.",
    ],
)
def test_an_order_for_a_coded_occasion_belongs_to_it(text: str) -> None:
    assert ("alarm e-12", "follow", "procedure po-8") in relations(text)


def test_a_part_of_the_document_is_no_thing_but_a_building_named_like_one_is() -> None:
    assert relations("O prazo consta no Anexo II da Portaria.") == set()
    assert ("departamento de artes", "funciona no", "anexo lume") in relations(
        "O Departamento de Artes funciona no Anexo Lume."
    )


def test_items_complete_the_sentence_that_introduces_them() -> None:
    found = relations("The Ethics Board consists of:\n- Dr. Hale\n- Lena Brandt\n- two nurses")

    assert found == {
        ("ethics board", "consists of", "dr. hale"),
        ("ethics board", "consists of", "lena brandt"),
        ("ethics board", "consists of", "two nurses"),
    }


def test_rows_of_a_table_relate_their_first_cell_to_the_others() -> None:
    found = relations(
        "Salas\nSala: Sala Azul; Responsável: Ana Prado; Lugares: 40; Reserva: sim\n"
        "Sala: Sala Verde; Responsável: Bruno Reis; Lugares: 20; Reserva: não",
        kind="table",
    )

    assert found == {("sala azul", "responsável", "ana prado"), ("sala verde", "responsável", "bruno reis")}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A Unidade Norte (UN-2) abre cedo.", ("unidade norte", "un-2")),
        ("A UN-2 (Unidade Norte) abre cedo.", ("un-2", "unidade norte")),
        (
            "O Centro de Material e Esterilização (CME) fecha às 18h.",
            ("centro de material e esterilizacao", "cme"),
        ),
        ("The Riverside Laboratory (RL) is new.", ("riverside laboratory", "rl")),
        (
            "A Prefeitura Municipal, também conhecida como Paço Azul, mudou.",
            ("prefeitura municipal", "paco azul"),
        ),
    ],
)
def test_a_second_name_is_recognised(text: str, names: tuple[str, str]) -> None:
    assert (names[0], ALSO_CALLED, names[1]) in relations(text)


@pytest.mark.parametrize(
    "text", ["Ligue para a recepção (ramal 4120).", "Veja o Anexo (A).", "O Plano Azul (novo) custa R$ 90."]
)
def test_a_bracket_that_is_no_name_is_no_second_name(text: str) -> None:
    assert not any(relation == ALSO_CALLED for _, relation, _ in relations(text))


def test_a_heading_with_its_code_has_two_names() -> None:
    assert ("manteiga clara", ALSO_CALLED, "p-310") in relations("Leva sal.", "P-310 Manteiga Clara")


@pytest.mark.parametrize(
    "text",
    [
        "Quem aprova a compra da prensa PH-200?",  # a question states nothing
        "Se a Oficina Leste aprova a compra, avise o fornecedor.",  # nor does a condition
        "O pedido é feito por escrito.",
        "A cópia é guardada por 35 dias.",
        "Compra de terras fica fora desta norma.",
        "Ele aprova o orçamento.",  # nobody to stand for
        "O aluno pode fazer a prova de novo.",
        "Follow procedure PO-17.",  # an order without a thing it belongs to
        "The audit report process is slow.",
        "def approve(self): return Board()",
    ],
)
def test_what_states_no_relation_between_things_gives_none(text: str) -> None:
    assert relations(text) == set()


def test_negation_stays_in_the_relation() -> None:
    assert relations("A Oficina Leste não atende a Loja Centro.") == {
        ("oficina leste", "não atende", "loja centro")
    }


def test_code_and_profiles_have_no_relations() -> None:
    assert relations("The Audit Board approves PJ-9.", kind="code") == set()
    assert relations("Vendas. Tabela com 340 linhas. colunas: Região, Receita.", kind="table") == set()


def test_mentions_are_the_names_and_codes_of_a_passage() -> None:
    found = chunk_mentions(
        passage("Ontem a técnica Lia Moura levou a bomba BB-2 à Oficina Leste.\nLigue para o RH.")
    )

    assert found == ("bb-2", "lia moura", "oficina leste", "rh")


def score() -> tuple[float, float, list[str]]:
    """Recall and precision over the held-out prose, and what went wrong."""
    hits = misses = extras = 0
    wrong: list[str] = []
    for name, trail, body, gold in HELDOUT:
        found = [(s, fold(r), o) for s, r, o in relations(body, *trail[1:], title=trail[0])]
        used: set[int] = set()
        for line in gold:
            subjects, stems, objects = (part.strip().split("|") for part in line.removeprefix("+").split(";"))
            matches = {
                index
                for index, (subject, relation, object_) in enumerate(found)
                if subject in subjects
                and object_ in objects
                and any(fold(stem) in relation for stem in stems)
            }
            used |= matches
            if line.startswith("+"):
                continue
            hits += bool(matches)
            misses += not matches
            if not matches:
                wrong.append(f"{name}: missing {line}")
        extras += len(found) - len(used)
        wrong += [f"{name}: extra {found[index]}" for index in range(len(found)) if index not in used]
    return hits / (hits + misses), hits / (hits + extras), wrong


def test_most_relations_of_unseen_prose_are_found_and_few_are_wrong() -> None:
    recall, precision, wrong = score()

    assert recall >= 0.90, wrong
    assert precision >= 0.93, wrong
