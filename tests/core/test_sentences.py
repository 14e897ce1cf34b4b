import pytest

from core.sentences import sentence_spans, sentences


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A Dra. Lia assina (Art. 5). Ligue às 14h.", ("A Dra. Lia assina (Art. 5).", "Ligue às 14h.")),
        ("Use luvas, touca etc. O prazo é curto.", ("Use luvas, touca etc.", "O prazo é curto.")),
        ("Papel, cola etc. ficam na sala 2. Fim.", ("Papel, cola etc. ficam na sala 2.", "Fim.")),
        ("See e.g. Section 3. Then stop.", ("See e.g. Section 3.", "Then stop.")),
        ("Custa R$ 1.234,56. Vale 3,5%.", ("Custa R$ 1.234,56.", "Vale 3,5%.")),
        ("Veja o item 14.3(b). Depois assine.", ("Veja o item 14.3(b).", "Depois assine.")),
        ("Open https://a.example/x.html?y=1. Log in.", ("Open https://a.example/x.html?y=1.", "Log in.")),
        (
            "Install v. 2.0 of Node.js 18.2 first. Reboot.",
            ("Install v. 2.0 of Node.js 18.2 first.", "Reboot."),
        ),
        ("O nº 3 é azul. O n. 4 é verde.", ("O nº 3 é azul.", "O n. 4 é verde.")),
        ("We close at 5 p.m. The gate locks.", ("We close at 5 p.m.", "The gate locks.")),
        ("A J. R. Prado Ltda. fornece gás. Paga bem.", ("A J. R. Prado Ltda. fornece gás.", "Paga bem.")),
        ("Tome vitamina D. O exame é anual.", ("Tome vitamina D.", "O exame é anual.")),
        ("Art. 1º Vale hoje. Art. 2º Vale sempre.", ("Art. 1º Vale hoje.", "Art. 2º Vale sempre.")),
        ("Ela disse: “Pare.” Depois saiu.", ("Ela disse: “Pare.”", "Depois saiu.")),
        ("Pronto? Sim! Ah... Tudo bem.", ("Pronto?", "Sim!", "Ah...", "Tudo bem.")),
        ("Ferve a 100 °C. 20 pessoas vieram.", ("Ferve a 100 °C.", "20 pessoas vieram.")),
    ],
)
def test_sentences_end_where_a_reader_would_end_them(text: str, expected: tuple[str, ...]) -> None:
    assert sentences(text) == expected


def test_a_wrapped_line_does_not_end_a_sentence() -> None:
    assert sentences("A frase segue\nna outra linha. Aqui\nacaba.") == (
        "A frase segue\nna outra linha.",
        "Aqui\nacaba.",
    )


def test_each_item_and_each_labelled_line_stands_alone() -> None:
    text = "Responsável: Ana\nSubstituto: Bruno\n- item um\n- item dois\n  que segue\nSala ..... 12"

    assert sentences(text) == (
        "Responsável: Ana",
        "Substituto: Bruno",
        "- item um",
        "- item dois\n  que segue",
        "Sala ..... 12",
    )


def test_spans_lose_nothing_but_white_space() -> None:
    text = "  Um. Dois!  \n\n Três? (Quatro.) 5. Cinco.\n"

    kept = "".join(text[start:end] for start, end in sentence_spans(text))

    assert "".join(kept.split()) == "".join(text.split())


def test_an_empty_text_has_no_sentences() -> None:
    assert sentences(" \n ") == ()
