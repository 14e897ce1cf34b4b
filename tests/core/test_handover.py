"""A message that came with files and asks for nothing else gets its receipt alone."""

import pytest

from core.handover import hands_over


@pytest.mark.parametrize(
    "text",
    [
        "segue a planilha de maio",
        "Oi pessoal, segue em anexo a política nova!",
        "guarde isto por favor",
        "por favor salva esse arquivo",
        "lembra disso pra gente",
        "aqui está o manual",
        "tabela atualizada",
        "nova versão do contrato",
        "here is the price list",
        "please keep this one",
        "Hi team, attached is the updated policy.",
        "can you save these files",
        "updated version of the handbook",
        "for your reference",
        "bom dia!",
        "leia este documento",
        "pode guardar isso?",
    ],
)
def test_a_message_that_hands_something_over_is_no_question(text: str) -> None:
    assert hands_over(text)


@pytest.mark.parametrize(
    "text",
    [
        "qual o total de maio?",
        "total de vendas em março",
        "segue a planilha, qual foi o total?",
        "leia e me diga quem aprova compras",
        "here is the list, how many items are late",
        "read this and tell me the deadline",
        "quanto vendemos no sul",
        "resuma este documento",
        "lista de ramais do financeiro",
        "salário do gerente",
        "compare com a política de viagens",
        "who approves this",
        "file size limit",
        "leia: o fornecedor Alfa entrega em cinco dias?",
        "segue o arquivo, liste os atrasados",
    ],
)
def test_a_message_that_asks_stays_a_question(text: str) -> None:
    assert not hands_over(text)
