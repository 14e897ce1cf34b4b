from core.types import Placement, Scope, View


def placed(tag: str, document: str) -> Placement:
    return Placement(tag, "a.md", document, 1, "ana", "2025-01-01")


def test_a_view_drops_placements_outside_its_scope() -> None:
    view = View.of(Scope(frozenset({"a"})), (placed("a", "d1"), placed("b", "d2")))

    assert view.documents == {"d1"}


def test_a_view_fingerprint_ignores_what_other_channels_hold() -> None:
    scope = Scope(frozenset({"a"}))

    assert (
        View.of(scope, (placed("a", "d1"),)).fingerprint
        == View.of(scope, (placed("b", "d2"), placed("a", "d1"))).fingerprint
    )


def test_an_empty_scope_sees_nothing() -> None:
    assert View.of(Scope(frozenset()), (placed("a", "d1"),)).documents == frozenset()
