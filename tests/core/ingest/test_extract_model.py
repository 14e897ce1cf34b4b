import json

import pytest

from core.ingest.extract import TRIPLE_SCHEMA, read_model_triples, triple_prompt, triples_from_model
from core.types import Chunk, Locator

CHUNK = Chunk(
    "c", "d", Locator(), "A Sala Azul usa o projetor PJ-9, mantido pela Equipe de Áudio.", "Guia", (), "pt"
)
GOOD = {"subject": "A Sala Azul", "relation": "usa", "object": "o projetor PJ-9"}


@pytest.mark.parametrize(
    "answer",
    [
        json.dumps({"triples": [GOOD]}),
        "```json\n" + json.dumps({"triples": [GOOD]}) + "\n```",
        json.dumps([GOOD]),
        json.dumps([["Sala Azul", "usa", "projetor PJ-9"]]),
        json.dumps(["Sala Azul", "usa", "projetor PJ-9"]),
        json.dumps({"result": {"triples": [["Sala Azul", "usa", "projetor PJ-9"]]}}),
        json.dumps(GOOD) + "\n" + json.dumps(GOOD),
        "Here is the list:\n" + json.dumps([GOOD]) + "\nI hope it helps.",
        '{"triples": [' + json.dumps(GOOD) + ', {"subject": "Equipe de Áu',
        json.dumps({"triples": [{"head": "Sala Azul", "relation": "usa", "tail": "projetor PJ-9"}]}),
    ],
)
def test_a_relation_is_read_whatever_it_is_wrapped_in(answer: str) -> None:
    assert [(t.subject, t.relation, t.object, t.chunk) for t in triples_from_model(answer, CHUNK)] == [
        ("sala azul", "usa", "projetor pj-9", "c")
    ]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "null",
        "[]",
        "{}",
        "42",
        "I cannot help.",
        "[[[",
        '{"triples": "none"}',
        "```",
        "\x00",
        '{"a": {"b": [1, 2, {"c": null}]}}',
    ],
)
def test_an_answer_without_relations_gives_none_and_never_crashes(answer: str) -> None:
    assert triples_from_model(answer, CHUNK) == ()


def test_half_an_item_a_missing_part_and_an_invented_name_are_counted() -> None:
    answer = json.dumps(
        {
            "triples": [
                GOOD,
                {"subject": "Sala Azul", "relation": "usa"},
                {"subject": "Sala Azul", "relation": "pertence a", "object": "Grupo Horizonte"},
                {"subject": "Sala Azul", "relation": "", "object": "projetor PJ-9"},
                ["Sala Azul", "usa", 9],
            ]
        }
    )

    reading = read_model_triples(answer, CHUNK)

    assert len(reading.triples) == 1
    assert reading.skipped == 4


def test_the_prompt_marks_the_passage_as_data_and_asks_for_what_the_schema_allows() -> None:
    system, *example, user = triple_prompt(CHUNK)

    assert [message.role for message in (system, *example, user)] == ["system", "user", "assistant", "user"]
    assert f"<passage>\n{CHUNK.text}\n</passage>" in user.content
    assert CHUNK.title in user.content.split("<passage>")[0]
    assert (
        read_model_triples(example[1].content, CHUNK).triples == ()
    )  # the example's names never get through
    assert set(TRIPLE_SCHEMA["properties"]["triples"]["items"]["required"]) == {
        "subject",
        "relation",
        "object",
    }
