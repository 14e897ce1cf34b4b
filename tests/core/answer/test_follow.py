"""A description is followed link by link, over names, labels, headings and rows, to the fact that it asks for."""

from dataclasses import replace

from core.answer.described import described, strengthened
from core.answer.extractive import extractive
from core.answer.prompt import prompt_messages
from core.answer.relations import relations_of, relations_of_word
from core.answer.sought import sought_in
from core.answer.units import units_of
from core.asked import asked
from core.evidence import Evidence, gather
from core.settings import AnswerSettings
from core.topic import topic_of
from core.types import Found, Passage
from tests.core.answer.parts import MARKS, a_passage, evidence_for

CRAFT = a_passage("- Ateliê Azul: vidro soprado. Encarregada: Lúcia Taveira.\n- Ateliê Verde: vitrais.", 1)
HEADS = a_passage("Lúcia e Rute respondem ao diretor, Otávio Brum. Os demais respondem à Celina.", 2)
ROWS = a_passage(
    "supplier: Quartzo Real; town: Cristalina; contact: Edna Reis\nsupplier: Nova Sílica; town: Descalvado; contact: Ari Luz",
    3,
)
SAND = a_passage("A areia do Ateliê Azul é comprada da Nova Sílica; o chumbo vem da Quartzo Real.", 4)


def hops(question: str, *passages: Passage, routes: tuple[str, ...] = ("graph",)) -> list[str]:
    found = described(evidence_for(question, *passages, routes=routes))
    return [] if found is None or not found.whole else [hop.unit.text for hop in found.hops]


def answer(question: str, *passages: Passage) -> str:
    evidence = strengthened(evidence_for(question, *passages, routes=("graph",)))
    return extractive([evidence], "pt", AnswerSettings()).text


def test_the_head_of_the_head_is_two_links_away() -> None:
    found = hops("quem é a chefe da encarregada do ateliê azul?", CRAFT, HEADS, ROWS)

    assert found[0].startswith("- Ateliê Azul")
    assert found[-1].startswith("Lúcia e Rute respondem ao diretor, Otávio Brum")


def test_a_word_typed_twice_asks_for_two_links() -> None:
    found = hops(
        "quem é o chefe da chefe do vidro?",
        a_passage("Vidro – chefia de Rosa Lemos.", 1),
        a_passage("Rosa responde a Ivo Sá.", 2),
    )

    assert found == ["Vidro – chefia de Rosa Lemos.", "Rosa responde a Ivo Sá."]


def test_one_link_may_stand_in_a_row_of_a_table_with_small_columns() -> None:
    found = hops("em que cidade fica o fornecedor da areia do ateliê azul?", CRAFT, ROWS, SAND)

    assert found[-1] == "supplier: Nova Sílica; town: Descalvado; contact: Ari Luz"


def test_the_name_beside_what_is_said_leads_on_and_not_its_neighbour() -> None:
    found = hops("qual o contato do fornecedor do chumbo do ateliê azul?", CRAFT, ROWS, SAND)

    assert "Edna Reis" in found[-1]


def test_the_label_of_a_line_says_what_its_later_sentences_are_about() -> None:
    care = a_passage("O forno Vesta 2 recebe manutenção da Fornax.", 1)
    deal = a_passage(
        "Fornax: contrato anual. Técnico que atende: Beto Lira.\nTornax: contrato anual. Técnico que atende: Zé Paz.",
        2,
    )

    found = answer("quem é o técnico da empresa que mantém o forno vesta 2?", care, deal)

    assert "“Fornax: […] Técnico que atende: Beto Lira.”" in found
    assert "Zé Paz" not in found


def test_a_sentence_that_leans_on_the_one_before_is_shown_with_it() -> None:
    order = a_passage("Order P-11 is for Harrow Books.", 1, language="en")
    house = a_passage(
        "Harrow Books prints with us. Their editor is Simon Ade, who signs off proofs.", 2, language="en"
    )

    found = answer("who signs off proofs for order P-11?", order, house)

    assert "Harrow Books prints with us. Their editor is Simon Ade" in found


def test_the_verb_at_the_end_is_what_an_english_question_asks() -> None:
    shed = a_passage("The North Shed is looked after by foreman Tobias Rusk.", 1, language="en")
    lead = a_passage("Rusk and Vollan report to manager Fenella Groat.", 2, language="en")

    found = hops("who does the person in charge of the north shed report to?", shed, lead)

    assert found[-1].endswith("Fenella Groat.")


def test_one_sentence_that_says_it_all_is_no_chain() -> None:
    found = hops("quem é a encarregada do ateliê azul?", CRAFT, HEADS, ROWS, SAND)

    assert len(found) == 1


def test_a_whole_chain_makes_weak_evidence_enough() -> None:
    weak = evidence_for("quem é a chefe da encarregada do ateliê azul?", CRAFT, HEADS, routes=("graph",))
    weak = replace(weak, verdict=replace(weak.verdict, weak=True, score=0.2))

    verdict = strengthened(weak).verdict

    assert not verdict.weak
    assert verdict.score >= verdict.threshold
    assert verdict.signals[-1].name == "chain"


def test_a_chain_that_lacks_the_code_of_the_question_makes_nothing_enough() -> None:
    weak = evidence_for(
        "deu alarme K-9 no ateliê azul, quem é a chefe da encarregada?", CRAFT, HEADS, routes=("graph",)
    )
    weak = replace(weak, verdict=replace(weak.verdict, weak=True, score=0.2))

    assert strengthened(weak).verdict.weak


def test_a_figure_over_many_rows_is_no_chain() -> None:
    question = "qual o total pago ao fornecedor da areia do ateliê azul?"
    rows = a_passage("fornecedor: Nova Sílica; pago: 300\nfornecedor: Quartzo Real; pago: 200", 3)
    weak = evidence_for(question, SAND, rows, routes=("graph",))
    weak = replace(weak, verdict=replace(weak.verdict, weak=True, score=0.2))

    assert strengthened(weak).verdict.weak


def test_two_sentences_under_one_heading_are_not_tied_by_its_name() -> None:
    section = {"headings": ("Regras da Entrega Diária",)}
    first = a_passage("Os produtores de Várzea levam ao posto 2.", 1, **section)
    second = a_passage("A multa é de R$ 50,00 por falta.", 2, **section)
    weak = evidence_for("qual a multa dos produtores de Várzea?", first, second, routes=("graph",))
    weak = replace(weak, verdict=replace(weak.verdict, weak=True, score=0.2))

    assert strengthened(weak).verdict.weak


def in_two_stores() -> Evidence:
    """The alarm stands in what the text store found, its machine in what the graph store found and was asked for."""
    alarm = a_passage("K-9  vidro frio, forno Vesta 2\nK-8  vidro quente, forno Vulcano", 1, chunk_id="t1")
    care = a_passage("O forno Vesta 2 recebe manutenção da Fornax.", 1)
    evidence = evidence_for("deu alarme K-9, quem faz a manutenção?", care, routes=("graph",))
    trial = {**evidence.clause.found, "text": Found((alarm,))}
    return gather(evidence.clause, 0, (care,), trial, MARKS, language="pt")


def test_a_link_may_stand_in_what_another_store_found() -> None:
    evidence = in_two_stores()
    found = described(evidence)

    assert [p.chunk_id for p in evidence.reserve] == ["t1"]
    assert found is not None
    assert [hop.unit.text[:3] for hop in found.hops] == ["K-9", "O f"]


def test_a_model_reads_the_link_that_another_store_found() -> None:
    prompt = prompt_messages([in_two_stores()], "pt", fits=len, budget=4_000)

    assert "t1" in [passage.chunk_id for passage in prompt.passages]


def test_rows_that_hold_one_link_stand_behind_the_chain() -> None:
    devices = a_passage("code: K-9; meaning: cold glass; device: Vesta V-2", 1, language="en")
    deal = a_passage("The kiln, type Vesta V-2, was supplied by Drywell Works.", 2, language="en")
    question = "who supplied the device of alarm K-9?"
    evidence = evidence_for(question, devices, deal, routes=("graph", "relational"), language="en")
    evidence = replace(evidence, verdict=replace(evidence.verdict, reason="rows", rows=True))

    assert strengthened(evidence).verdict.reason == "enough"
    assert strengthened(evidence).verdict.rows


def test_the_boss_of_the_technician_comes_before_whom_the_boss_reports_to() -> None:
    roles = a_passage(
        "Role: Glass technician; Holder: Ines Sá; Reports to: Kiln keeper\n"
        "Role: Kiln keeper; Holder: Murdo Lach; Reports to: Operations lead",
        1,
        language="en",
    )
    found = hops("who does the glass technician's boss report to?", roles)

    assert "Operations lead" in found[-1]


def test_a_possessive_is_read_from_its_end() -> None:
    question = asked("who is the technician's boss?")
    sought = sought_in(question, topic_of(question, ["the technician has a boss"]))

    assert ["technician" in sought[0].terms, "boss" in sought[-1].terms] == [True, True]


def test_a_room_is_no_town() -> None:
    kit = a_passage("item: follow spot; room: Main Stage; hire company: Luxor Hire", 1, language="en")
    firms = a_passage("company: Luxor Hire; city: Leeds; contact: Dana Wit", 2, language="en")

    found = hops("which city is the company that hires out the follow spot in?", kit, firms)

    assert "Leeds" in found[-1]


def test_a_number_to_dial_is_a_phone_without_the_word() -> None:
    care = a_passage("O forno Vesta 2 recebe manutenção da Fornax.", 1)
    desk = a_passage("Plantão da Fornax: Beto Lira, (11) 4191-2020.", 2)

    found = hops("qual o telefone da empresa que mantém o forno vesta 2?", care, desk)

    assert found[-1] == desk.text


def test_a_line_of_a_name_behind_a_thing_says_who_is_responsible() -> None:
    desks = a_passage("- Vidro – Osmar Ubaldo\n- Chumbo – Rute Prates", 1)
    heads = a_passage("Osmar e Rute são supervisionados por Vânia Kruger.", 2)

    found = hops("quem supervisiona o responsável pelo vidro?", desks, heads)

    assert found == ["- Vidro – Osmar Ubaldo", heads.text]


def test_who_at_a_firm_is_in_charge_asks_for_the_charge() -> None:
    sand = a_passage("Areia e cal: Nova Sílica, entrega às quartas. A fornecedora fica longe.", 1)
    firms = a_passage("parceiro: Nova Sílica; cidade: Descalvado; responsável: Ari Luz", 2)

    found = hops("quem na fornecedora de areia é o responsável?", sand, firms)

    assert "Ari Luz" in found[-1]


def test_what_a_described_firm_is_does_not_end_the_chain() -> None:
    sound = a_passage("O forno Vesta 2 foi instalado pela Sonora, que responde por ele.", 1)
    firms = a_passage("parceiro: Sonora; cidade: Vitória; responsável: Elba Tinoco", 2)

    found = hops("quem é o responsável na empresa que instalou o forno vesta 2?", sound, firms)

    assert "Elba Tinoco" in found[-1]


def test_all_ends_are_shown_where_several_things_are_asked_for() -> None:
    care = a_passage("O forno Vesta 2 recebe manutenção da Fornax e da Calorex.", 1)
    desks = a_passage("O técnico da Fornax é Beto Lira.\nO técnico da Calorex é Zeca Paz.", 2)

    several = answer("quais os técnicos das empresas que mantêm o forno vesta 2?", care, desks)
    single = answer("quem é o técnico da empresa que mantém o forno vesta 2?", care, desks)

    assert "Beto Lira" in several
    assert "Zeca Paz" in several
    assert ("Beto Lira" in single) != ("Zeca Paz" in single)


def test_rows_with_small_columns_are_units_of_their_own() -> None:
    assert len(units_of(ROWS)) == 2


def test_relations_are_known_by_either_side_and_in_both_languages() -> None:
    assert relations_of_word("approver") & relations_of_word("aprova")
    assert relations_of_word("fornecedor") & relations_of_word("supplied")
    assert relations_of_word("chefe") & relations_of("Vollan reports to Marchetti")
    assert not relations_of_word("vidro")
