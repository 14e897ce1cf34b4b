import pytest

from core.answer import extractive
from core.numbers import holds
from core.sentences import sentences
from core.settings import AnswerSettings
from tests.core.answer.parts import a_passage, evidence_for, rows

SETTINGS = AnswerSettings()
RULES = a_passage(
    "O crachá é pessoal. Quem perde o crachá paga R$ 35,00 pela segunda via. A segunda via sai em dois dias úteis.",
    title="Manual do crachá",
    headings=("3. Perda",),
)
CANTEEN = a_passage("A cantina abre às 7h. O café é servido até as 10h.", 2)


def test_the_sentence_that_answers_is_quoted_with_its_source() -> None:
    draft = extractive(
        [evidence_for("quanto custa a segunda via do crachá?", RULES, CANTEEN)], "pt", SETTINGS
    )

    assert "R$ 35,00" in draft.text
    assert "“" in draft.text
    assert "[1]" in draft.text
    assert "Manual do crachá › 3. Perda" in draft.text
    assert draft.used == (RULES,)


def test_a_passage_without_the_answer_is_not_quoted() -> None:
    draft = extractive(
        [evidence_for("quanto custa a segunda via do crachá?", RULES, CANTEEN)], "pt", SETTINGS
    )

    assert "cantina" not in draft.text


def test_the_glue_is_in_the_language_of_the_question_and_the_quote_in_its_own() -> None:
    question = evidence_for("how much is a replacement badge (crachá)?", RULES, language="en")
    draft = extractive([question], "en", SETTINGS)

    assert draft.text.startswith("According to")
    assert "pela segunda via" in draft.text


@pytest.mark.parametrize(
    ("question", "wanted", "other"),
    [
        ("quando a segunda via fica pronta?", "dois dias úteis", ""),
        ("quem assina a troca do turno?", "coordenador", "às 22h"),
        ("a que horas termina o turno da noite?", "às 6h", ""),
        ("por que a troca precisa de assinatura?", "porque", ""),
    ],
)
def test_the_kind_of_answer_decides_between_sentences_about_the_same(
    question: str, wanted: str, other: str
) -> None:
    shift = a_passage(
        "O turno da noite começa às 22h e termina às 6h. A troca do turno é assinada pelo coordenador. "
        "A troca precisa de assinatura porque muda a folha de pagamento.",
        2,
    )
    one = extractive([evidence_for(question, RULES, shift)], "pt", AnswerSettings(sentences=1))

    assert wanted in one.text
    assert not other or other not in one.text


def test_an_announced_list_is_quoted_whole() -> None:
    passage = a_passage(
        "Para pedir o crachá, traga:\n- foto 3x4\n- documento com foto\n- comprovante de endereço\n\nAtendemos até as 17h."
    )
    text = extractive([evidence_for("o que trazer para pedir o crachá?", passage)], "pt", SETTINGS).text

    assert "comprovante de endereço" in text
    assert "17h" not in text


def test_a_row_of_a_table_is_quoted_whole() -> None:
    table = a_passage(
        "Nível: Júnior; Diária: R$ 90,00; Teto: R$ 450,00\nNível: Pleno; Diária: R$ 120,00; Teto: R$ 600,00"
    )
    text = extractive(
        [evidence_for("qual a diária do nível pleno?", table)], "pt", AnswerSettings(sentences=1)
    ).text

    assert "Pleno; Diária: R$ 120,00; Teto: R$ 600,00" in text
    assert "Júnior" not in text


def test_the_rest_of_a_numbered_item_is_quoted_with_it() -> None:
    item = a_passage(
        "(a) K-77: pressão baixa. Feche a válvula. Siga o PO-3.\n(b) K-78: pressão alta. Abra a válvula."
    )
    text = extractive(
        [evidence_for("o que fazer no alarme K-77?", item)], "pt", AnswerSettings(sentences=1)
    ).text

    assert "Siga o PO-3" in text
    assert "Abra" not in text


def test_sentence_vectors_break_ties_that_words_cannot() -> None:
    passage = a_passage("O ingresso dura um ano. A renovação custa vinte reais.", language="pt")
    one = evidence_for("how expensive is it?", passage, language="en")
    cosines = {"O ingresso dura um ano.": 0.80, "A renovação custa vinte reais.": 0.88}
    text = extractive([one], "en", AnswerSettings(sentences=1), cosines=cosines).text

    assert "vinte reais" in text


def test_answers_stay_short_enough_to_read() -> None:
    long = a_passage(
        " ".join(
            f"O crachá da área {n} é trocado na portaria {n} durante o expediente normal." for n in range(40)
        )
    )
    text = extractive([evidence_for("onde o crachá é trocado?", long)], "pt", SETTINGS).text

    assert len(text) <= 700


# --- query results ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("language", "figure"), [("pt", "R$ 1.234,50"), ("en", "R$ 1,234.50")])
def test_one_figure_becomes_a_sentence_in_the_readers_format(language: str, figure: str) -> None:
    found = rows(("receita",), (1234.5,), sentence="soma de receita em março", units=("R$",))
    draft = extractive([evidence_for("receita de março?", found, routes=("relational",))], language, SETTINGS)  # type: ignore[arg-type]

    assert draft.text == f"Soma de receita em março: **{figure}** [1]."
    assert draft.used == (found,) or draft.used[0].result == found.result


def test_a_few_rows_become_a_list_with_every_value() -> None:
    found = rows(
        ("região", "receita"), ("Sul", 10.0), ("Norte", 8.5), sentence="receita por região", units=("", "R$")
    )
    text = extractive(
        [evidence_for("receita por região", found, routes=("relational",))], "pt", SETTINGS
    ).text

    assert text.splitlines() == [
        "Receita por região (2 linhas) [1]:",
        "- **Sul**: R$ 10,00",
        "- **Norte**: R$ 8,50",
    ]


def test_many_rows_are_cut_and_counted() -> None:
    found = rows(("n", "v"), *((f"item {n}", n) for n in range(25)))
    lines = extractive(
        [evidence_for("liste os itens", found, routes=("relational",))], "pt", SETTINGS
    ).text.splitlines()

    assert len(lines) == 12
    assert lines[-1] == "… e mais 15 linhas."


def test_rows_beyond_the_store_limit_are_not_counted_as_all() -> None:
    found = rows(("n",), *((f"item {n}",) for n in range(25)), truncated=True)
    text = extractive([evidence_for("liste os itens", found, routes=("relational",))], "en", SETTINGS).text

    assert "(25+ rows)" in text
    assert "further rows beyond the limit" in text


# --- several clauses, weak clauses -----------------------------------------------------------------------


def test_each_clause_gets_its_own_paragraph_and_marks_are_numbered_once() -> None:
    first = evidence_for("quanto custa a segunda via do crachá?", RULES)
    second = evidence_for("a que horas abre a cantina?", CANTEEN, number=1)
    draft = extractive([first, second], "pt", SETTINGS)

    assert draft.text.startswith("**quanto custa a segunda via do crachá?**\n")
    assert "\n\n**a que horas abre a cantina?**\n" in draft.text
    assert "[1]" in draft.text.split("\n\n")[0]
    assert "[2]" in draft.text.split("\n\n")[1]
    assert [p.chunk_id for p in draft.used] == ["c1", "c2"]


def test_a_weak_clause_says_so_beside_an_answered_one() -> None:
    first = evidence_for("quanto custa a segunda via do crachá?", RULES)
    second = evidence_for("qual a cotação do dólar amanhã?", CANTEEN, number=1, signals=(("dense_top", 0.8),))
    draft = extractive([first, second], "pt", SETTINGS)

    assert "R$ 35,00" in draft.text
    assert "Não encontrei" in draft.text
    assert [p.chunk_id for p in draft.used] == ["c1"]


def test_abstaining_says_what_was_searched_what_is_missing_and_what_helps() -> None:
    weak = evidence_for("o que é o alarme K-99?", RULES, signals=(("dense_top", 0.8),))
    draft = extractive([weak], "pt", SETTINGS, documents=7)

    assert "“K-99”" in draft.text
    assert "textos de 7 documento(s)" in draft.text
    assert "enviar o arquivo" in draft.text
    assert draft.used == ()


# --- chains ------------------------------------------------------------------------------------------------

CHAIN = (
    a_passage("O sensor Lince avisa o painel. O produto Alfa sai da linha Q4, de segunda a sexta.", 2),
    a_passage("A linha Q4 depende do forno FB-9. O forno esfria à noite.", 1),
    a_passage("O forno FB-9 é revisado pela equipe Boreal. A equipe Sul revisa os carros.", 3),
    a_passage("Quem coordena a equipe Boreal é Rita Moura. Quem coordena a equipe Sul é Davi Reis.", 4),
)


def test_a_chain_quotes_one_sentence_per_hop_from_the_known_to_the_asked() -> None:
    question = "quem coordena a equipe que revisa o forno da linha do produto Alfa?"
    draft = extractive([evidence_for(question, *CHAIN, routes=("graph",))], "pt", SETTINGS)
    hops = [line for line in draft.text.splitlines() if line[:1].isdigit()]

    assert len(hops) == 4
    assert ["Alfa" in hops[0], "FB-9" in hops[1], "Boreal" in hops[2], "Rita Moura" in hops[3]] == [True] * 4
    assert "Davi" not in draft.text
    assert len(draft.used) == 4


def test_a_sentence_that_answers_better_alone_is_quoted_behind_the_chain() -> None:
    question = "quem coordena a equipe que revisa o forno da linha do produto Alfa?"
    alone = a_passage("O forno da linha do produto Alfa tem equipe.", 5)
    cosines = {sentence: 0.1 for passage in CHAIN for sentence in sentences(passage.text)}
    evidence = evidence_for(question, *CHAIN, alone, routes=("graph",))
    draft = extractive([evidence], "pt", SETTINGS, cosines={**cosines, alone.text: 0.99})

    lines = draft.text.splitlines()
    assert lines[4].startswith("4. ")
    assert lines[5] == f"“{alone.text}” [5]"
    assert draft.used[4] == alone


def test_relations_in_one_sentence_need_no_chain() -> None:
    draft = extractive(
        [evidence_for("quem coordena a equipe Sul?", *CHAIN, routes=("graph",))], "pt", SETTINGS
    )

    assert "Davi Reis" in draft.text
    assert not draft.text.splitlines()[0].endswith(":")


# --- safety ---------------------------------------------------------------------------------------------------


def test_quotes_ping_nobody_and_open_no_fence() -> None:
    nasty = a_passage("O crachá @everyone é trocado <!channel> na portaria ```sh e <@U123> avisa.")
    text = extractive([evidence_for("onde o crachá é trocado?", nasty)], "pt", SETTINGS).text

    assert "@everyone" not in text
    assert "<!channel>" not in text
    assert "<@U123>" not in text
    assert "```" not in text
    assert holds(text, "portaria")


def test_the_same_evidence_gives_the_same_text() -> None:
    one = evidence_for(
        "quem coordena a equipe que revisa o forno do produto Alfa?", *CHAIN, routes=("graph",)
    )

    assert extractive([one], "pt", SETTINGS) == extractive([one], "pt", SETTINGS)


def test_a_quote_about_the_same_stands_beside_rows_where_both_stores_were_asked() -> None:
    found = rows(("multa",), (35.0,), sentence="multa por crachá perdido", units=("R$",))
    both = evidence_for(
        "quanto custa a segunda via do crachá?", found, RULES, CANTEEN, routes=("relational", "text")
    )
    text = extractive([both], "pt", SETTINGS).text

    assert text.startswith("Multa por crachá perdido: **R$ 35,00** [1].")
    assert "Nos textos: “Quem perde o crachá" in text
    assert "[2]" in text
    assert "cantina" not in text


def test_a_hop_that_its_heading_explains_is_shown_with_it() -> None:
    product = a_passage(
        "Usa o fermento FZ-3 e repousa seis horas.", 1, title="Catálogo", headings=("Queijo Alfa",)
    )
    supplier = a_passage("O fermento FZ-3 é fornecido pela Casa Boreal. O sal vem de Lima.", 2)
    question = "quem fornece o fermento do queijo Alfa?"
    text = extractive([evidence_for(question, product, supplier, routes=("graph",))], "pt", SETTINGS).text

    assert "1. *Catálogo › Queijo Alfa*: “Usa o fermento FZ-3" in text
    assert "2. **“O fermento FZ-3 é fornecido pela Casa Boreal.”**" in text


def test_rows_tie_together_by_their_values_and_not_by_their_columns() -> None:
    table = a_passage(
        "Item: Alfa; Grupo: Verde; Dono: Rita Moura\nItem: Beta; Grupo: Azul; Dono: Davi Reis", 1
    )
    note = a_passage("A peça K-9 vai na máquina Beta. A peça K-8 vai na máquina Alfa.", 2)
    question = "quem é o dono da máquina em que vai a peça K-9?"
    text = extractive([evidence_for(question, note, table, routes=("graph",))], "pt", SETTINGS).text

    assert "Davi Reis" in text


def test_a_sentence_that_leans_on_the_one_before_brings_it_along() -> None:
    passage = a_passage(
        "A Casa Boreal compra queijos curados. Ela recusa peças com rachaduras visíveis e pede foto do lote."
    )
    text = extractive(
        [evidence_for("quem recusa peças com rachaduras?", passage)], "pt", AnswerSettings(sentences=1)
    ).text

    assert "Casa Boreal" in text


def test_prose_speaks_first_where_a_person_is_asked_and_rows_follow() -> None:
    found = rows(("ordem",), ("OS-1",), ("OS-2",), sentence="ordem onde máquina = Alfa")
    note = a_passage("A máquina Alfa é mantida pela equipe Boreal.", 2)
    both = evidence_for("quem mantém a máquina Alfa?", found, note, routes=("relational", "text"))
    text = extractive([both], "pt", SETTINGS).text

    assert text.index("equipe Boreal") < text.index("Nas tabelas")


def test_a_table_profile_is_no_prose_to_quote() -> None:
    profile = a_passage("Vendas. Tabela com 241 linhas. colunas: Mês, Região, Receita (R$).")
    one = evidence_for("quanto vendemos na região norte?", profile)

    assert one.prose == ()
    assert one.verdict.weak
