import pytest

from core.ingest.chunk import build_chunks
from tests.core.ingest.load.making import blocks, grids, read, texts

BODY = "".join(f"        self.campo_{n} = entrada_{n} * {n}\n" for n in range(40))
MODULE = f'''"""Contas da loja."""
import os

LIMITE = 3


# soma tudo
@guardado
class Conta(Base):
    taxa = 1

    def saldo(self):
        return 1

    # pede ao caixa
    async def saca(self, x):
        return x

    def fecha(self):
{BODY}

def livre():
    return 2


PADRAO = livre()
'''


def named(source: str, name: str) -> list[tuple[int, str]]:
    """Level and text of the headings."""
    return [(block.level, block.text) for block in blocks(read(source, name)) if block.kind == "heading"]


def test_classes_and_functions_stand_under_their_names_with_their_comments() -> None:
    loaded = read(MODULE, "contas.py")
    code = texts(loaded, "code")

    assert named(MODULE, "contas.py") == [
        (1, "Conta"),
        (2, "saldo"),
        (2, "saca"),
        (2, "fecha"),
        (1, "livre"),
        (1, "PADRAO = livre()"),
    ]
    assert code[0] == '"""Contas da loja."""\nimport os\n\nLIMITE = 3'
    assert code[1].startswith("# soma tudo\n@guardado\nclass Conta(Base):")
    assert code[3] == "    # pede ao caixa\n    async def saca(self, x):\n        return x"
    assert code[-1] == "PADRAO = livre()"
    assert not grids(loaded)


def test_nothing_of_a_source_file_is_lost_and_lines_are_counted() -> None:
    loaded = read(MODULE, "contas.py")
    kept = "\n".join(texts(loaded, "code"))

    assert [line for line in MODULE.splitlines() if line.strip() and line not in kept] == []
    rows = {block.text: block.locator.row for block in blocks(loaded)}
    assert rows["PADRAO = livre()"] == len(MODULE.splitlines())


def test_passages_of_code_are_code_under_their_symbols() -> None:
    chunks = build_chunks(read(MODULE, "contas.py"), (), "doc", characters=900)

    assert {chunk.kind for chunk in chunks} == {"code"}
    assert ("Conta", "saldo") in {chunk.headings for chunk in chunks}


@pytest.mark.parametrize(
    ("name", "source", "symbols"),
    [
        ("a.sql", "-- clientes\nCREATE TABLE clientes (id int);\nSELECT 1;\nCREATE VIEW ativos AS SELECT 1;\n", ["clientes", "SELECT 1;", "ativos"]),
        ("a.go", "package a\n\ntype Conta struct { A int }\n\nfunc (c *Conta) Saldo() int { return 1 }\n", ["Conta", "Conta.Saldo"]),
        ("a.ts", "export class Conta {\n  saldo(): void {}\n}\nexport const soma = async () => 1;\n", ["Conta", "soma"]),
        ("a.js", "function soma(a) { return a }\nclass Conta { saldo() { return 1 } }\n", ["soma", "Conta"]),
        ("a.java", "package a;\n\npublic class Conta { int saldo() { return 1; } }\n", ["Conta"]),
        ("a.c", "#include <a.h>\n\nstatic int *achar(int id) {\n  return 0;\n}\n", ["achar"]),
        ("a.cpp", "int Conta::saldo() { return 2; }\n", ["Conta::saldo"]),
        ("a.rs", "use a;\nimpl Forma for Quadrado { fn area(&self) -> f64 { 1.0 } }\n", ["impl Forma for Quadrado"]),
        ("a.cs", "namespace Loja { public class Conta { int Saldo() { return 1; } } }\n", ["Loja"]),
    ],
)  # fmt: skip
def test_each_language_gives_its_symbols(name: str, source: str, symbols: list[str]) -> None:
    assert [text for _, text in named(source, name)] == symbols


def test_a_script_without_an_ending_is_known_by_its_first_line() -> None:
    assert named("#!/usr/bin/env python3\n\ndef soma():\n    return 1\n", "tarefa") == [(1, "soma")]


def test_code_that_no_grammar_fits_is_kept_in_pieces() -> None:
    loaded = read("%%% ((( ]]] ~~~ {{{\n<<< >>> ??? ===\n\n@@@ ### $$$ &&& ***\n", "a.java")

    assert "".join(texts(loaded, "code")).count("%%%") == 1


def test_comments_and_row_like_statements_do_not_turn_code_into_prose_or_tables() -> None:
    inserts = "".join(f"INSERT INTO t VALUES ({n},'a','b');\n" for n in range(9))

    assert not grids(read(inserts, "dump.sql"))
    assert texts(read("# comentario\na: 1\nb:\n  - c\n", "a.yaml"), "code") == [
        "# comentario\na: 1\nb:\n  - c"
    ]
