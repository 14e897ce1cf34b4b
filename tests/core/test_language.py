import pytest

from core.language import detect_language


@pytest.mark.parametrize(
    "text",
    [
        "quanto vendemos em abril",
        "ferias quantos dias",
        "quem aprova o budget do marketing",
        "e no nordeste?",
        "ramal da TI",
        "faturamento sudeste",
        "qual o prazo pra devolucao",
        "posologia do paracetamol infantil",
        "QUAL O HORARIO DA SECRETARIA",
    ],
)
def test_hurried_portuguese_without_accents_is_recognised(text: str) -> None:
    assert detect_language(text) == "pt"


@pytest.mark.parametrize(
    "text",
    [
        "who approves travel",
        "vacation days",
        "and in April?",
        "do we ship to Recife",
        "sales by region",
        "how do I reset the build agent",
        "What is the Oficina Térmica's phone?",
        "WHERE IS THE STAFF ROOM",
    ],
)
def test_short_english_is_recognised_even_around_portuguese_names(text: str) -> None:
    assert detect_language(text) == "en"


@pytest.mark.parametrize(
    "text", ["", "   ", "12345", "E-4021", "status", "ok", "FQ-08/2026", "https://a.example/x"]
)
def test_a_text_without_evidence_is_undecided_and_not_english(text: str) -> None:
    assert detect_language(text) == "und"


@pytest.mark.parametrize(
    "text", ["¿cuántas ventas en abril?", "combien de jours", "wie viele Tage", "quante ferie di che"]
)
def test_a_third_language_is_undecided(text: str) -> None:
    assert detect_language(text) == "und"


def test_accents_and_case_do_not_change_the_language() -> None:
    assert detect_language("Não há vagas na recepção") == detect_language("nao ha vagas na recepcao") == "pt"


def test_a_text_half_in_each_language_is_undecided() -> None:
    assert (
        detect_language("O prazo é de trinta dias para todos. The term is thirty days for all of them.")
        == "und"
    )
