"""A refusal crosses from a reader process as plain data: a process that a file took over brings no template along."""

import os
import pickle
from typing import Any

import pytest

from bot.reading import _made, _taken_in
from bot.refusing import packed, unpacked
from core.errors import (
    FileRejected,
    ModelUnavailable,
    NothingInside,
    OversizedFile,
    PolyragError,
    ReaderCrashed,
    UnsupportedFile,
)
from tests.bot.misbehaving import OwnKind

SECRET = "{x.__class__.__init__.__globals__}"


def crossed(err: PolyragError) -> PolyragError:
    """What the bot makes of an error that a reader process packed."""
    return unpacked(_taken_in(pickle.dumps(("refused", packed(err))))[1])


@pytest.mark.parametrize(
    "err",
    [
        FileRejected("bad page"),
        ModelUnavailable("connection refused"),
        OversizedFile("9 bytes", size="9 MB", limit="1 MB"),
        UnsupportedFile("x", kind="{x}", known="{0} {}"),
        OwnKind("no", what="mondays {x} {x.__class__}"),
        NothingInside(
            [("a/b.xyz", UnsupportedFile(kind="xyz", known="pdf")), ("c.bad", OwnKind(what="{x}"))]
        ),
        NothingInside([(f"{n}.pdf", FileRejected()) for n in range(9)]),
        NothingInside([("a.zip", NothingInside([("b.pdf", OversizedFile(size="2", limit="1"))]))]),
    ],
    ids=lambda err: type(err).__name__,
)
def test_a_refusal_that_crossed_says_what_it_said(err: PolyragError) -> None:
    told = crossed(err)

    assert [told.say(language) for language in ("en", "pt")] == [
        err.say(language) for language in ("en", "pt")
    ]
    assert str(told) == str(err)
    assert isinstance(told, FileRejected) == isinstance(err, FileRejected)


def test_sentences_of_its_own_are_text_and_not_templates() -> None:
    err = unpacked(
        {"kind": "FileRejected", "detail": "", "texts": {"en": SECRET, "pt": SECRET}, "facts": {"x": "y"}}
    )

    assert err.say("en") == err.say("pt") == SECRET


@pytest.mark.parametrize(
    "value",
    [
        None,
        "no",
        FileRejected("no"),
        {"kind": "Sequence"},
        {"kind": "__builtins__"},
        {"kind": ["FileRejected"]},
        {"kind": "FileRejected", "detail": 7},
        {"kind": "OversizedFile", "detail": "", "facts": {}},
        {"kind": "OversizedFile", "detail": "", "facts": {"size": ["1"], "limit": {"a": 1}}},
        {"kind": "OversizedFile", "detail": "", "facts": {"size": 10**5000, "limit": 1}},
        {"kind": "OversizedFile", "detail": "", "facts": 3},
        {"kind": "FileRejected", "detail": "", "texts": {"en": 1, "pt": 2}},
        {"kind": "NothingInside", "count": "x", "members": []},
        {"kind": "NothingInside", "count": 1, "members": [["a", {"kind": "ModelUnavailable"}]]},
    ],
)
def test_what_is_no_refusal_counts_as_a_crash_of_the_reader(value: object) -> None:
    with pytest.raises(ReaderCrashed):
        _made("refused", value)


def test_an_archive_that_holds_itself_ends() -> None:
    loop: dict[str, Any] = {"kind": "NothingInside", "count": 10**12, "members": []}
    loop["members"] = [["a", loop]] * 3

    with pytest.raises(ReaderCrashed):
        _made("refused", loop)


def test_no_error_object_is_taken_in_from_a_reader() -> None:
    forged = FileRejected("no", x=1)
    forged.messages = {"en": SECRET}

    for value in (forged, os.system):
        with pytest.raises(pickle.UnpicklingError):
            _taken_in(pickle.dumps(("refused", value)))
