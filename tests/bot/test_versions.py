"""Whose version was replaced is known as long as the name is, and goes with the name, the person or the channel."""

from bot.testkit import FakePlatform
from bot.versions import Former

GERAL, RH = "console:local/geral", "console:local/rh"


def test_former_versions_are_listed_latest_first_and_go_with_name_person_or_channel() -> None:
    with FakePlatform(channels={"geral": {}, "rh": {}}) as chat:
        versions = chat.app.versions
        ana, rui = Former("a" * 64, "ana", "pt"), Former("b" * 64, "rui", "en")
        for tag in (GERAL, RH):
            for name in ("x.md", "y.md"):
                versions.replaced(tag, name, [ana])
                versions.replaced(tag, name, [rui])

        assert versions.former(GERAL, "x.md") == (rui, ana)
        versions.erase_person("console:local/", "ana")
        assert versions.former(GERAL, "x.md") == (rui,)
        versions.erase_names({(GERAL, "x.md")})
        assert versions.former(GERAL, "x.md") == ()
        assert versions.former(GERAL, "y.md") == (rui,)
        versions.erase_place(RH)
        assert versions.former(RH, "x.md") == ()
        assert versions.former(GERAL, "y.md") == (rui,)


def test_an_erased_persons_name_is_in_no_former_version() -> None:
    with FakePlatform(channels={"geral": {}}, admins=["root"], settings={"language": "en"}) as chat:
        chat.says("ana", files={"x.md": "# A\n\nThe pump is in hall 3."})
        chat.says("rui", files={"x.md": "# A\n\nThe pump is in hall 4."})
        assert [former.uploader for former in chat.app.versions.former(GERAL, "x.md")] == ["ana"]

        chat.says("root", "/erase user @ana")
        assert chat.app.versions.former(GERAL, "x.md") == ()
        assert "x.md" in chat.says("rui", "/sources").text
