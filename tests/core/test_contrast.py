"""Another thing of the same kind is told from a paraphrase."""

import pytest

from core.asked import asked
from core.contrast import displaced
from core.types import Language

SORTERS = ["The Falcon sorter is serviced by Brightgear. The Heron sorter is serviced by Conveyo."]
CONTRACTS = ["O contrato da Tecnimed é gerido por Ivone. O contrato da Fitline é gerido por Celso."]
FOOD = ["Arroz cozido vale 24 horas.", "Carnes cozidas chegam a 74 °C."]
DAIRY = ["Os produtores de Alto do Sino entregam no posto PR-03. Os de Barra entregam no posto PR-04."]


@pytest.mark.parametrize(
    ("question", "missing", "texts", "language", "found"),
    [
        ("who services the condor sorter?", {"condor"}, SORTERS, "en", ("condor",)),
        ("who services the sorter machine?", {"machine"}, SORTERS, "en", ()),
        ("quem cuida do contrato do tomógrafo?", {"tomografo"}, CONTRACTS, "pt", ("tomografo",)),
        ("quem cuida do contrato da empresa que mantém o ecógrafo?", {"empresa"}, CONTRACTS, "pt", ()),
        ("qual a validade do feijão cozido?", {"feijao"}, FOOD, "pt", ("feijao",)),
        ("qual posto recebe o leite de alto do sino", {"recebe"}, DAIRY, "pt", ()),
        ("quantos dias de férias", {"ferias"}, ["Em dois dias úteis, ou 5 dias corridos."], "pt", ()),
    ],
)
def test_a_word_is_displaced_where_two_others_stand_in_its_place(
    question: str, missing: set[str], texts: list[str], language: Language, found: tuple[str, ...]
) -> None:
    assert displaced(asked(question), frozenset(missing), texts, language) == found


def test_one_sibling_is_not_enough() -> None:
    texts = ["O contrato da Tecnimed é gerido por Ivone."]

    assert displaced(asked("quem gere o contrato do tomógrafo?"), frozenset(["tomografo"]), texts, "pt") == ()
