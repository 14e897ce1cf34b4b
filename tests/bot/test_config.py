"""A wrong configuration is refused with one line; a right one lies over the defaults."""

from importlib.metadata import PackagePath
from pathlib import Path

import pytest

from bot import config
from bot.config import cache_dir, default_config, load_settings, secret
from core.errors import BadSetting
from core.settings import Settings


def load(tmp_path: Path, text: str) -> Settings:
    own = tmp_path / "own.yaml"
    own.write_text(text, encoding="utf-8")
    return load_settings(own)


def refusal(tmp_path: Path, text: str) -> str:
    with pytest.raises(BadSetting) as caught:
        load(tmp_path, text)
    said = caught.value.say("en")
    assert ("\n" in said) == ("problems:" in said)
    assert str(caught.value) in said
    return str(caught.value)


# --- the defaults ------------------------------------------------------------------------------------


def test_defaults_run_on_a_cpu_with_models_that_packages_ship() -> None:
    settings = load_settings()

    assert settings.profile == "demo"
    for role in (settings.servers.chat, settings.servers.embed):
        entry = settings.models[role.model]
        assert entry.packages
        assert len(entry.sha256) == 64
        assert entry.size > 0
    assert set(settings.profiles) >= {"demo", "demo-small", "embed-only", "production"}


def test_every_profile_is_usable_by_its_name(tmp_path: Path) -> None:
    for name in load_settings().profiles:
        assert load(tmp_path, f"profile: {name}").servers.embed.model


def test_production_gets_its_models_from_the_hub() -> None:
    settings = load_settings()

    for role in (settings.profiles["production"].chat, settings.profiles["production"].embed):
        assert settings.models[role.model].hub


def test_embedding_models_carry_their_dimension_prefixes_and_thresholds() -> None:
    models = load_settings().models

    assert models["multilingual-e5-small"].query_prefix == "query: "
    assert models["multilingual-e5-small"].thresholds != models["bge-m3"].thresholds
    assert models["bge-m3"].dimension == 1024
    assert models["bge-m3"].query_prefix == ""


def test_the_configuration_file_shows_every_setting_there_is() -> None:
    """Whoever may change something finds it in the file, with a word on what it does."""
    text = default_config().read_text(encoding="utf-8")
    shown = {line.split(":")[0].strip(" #-{") for line in text.splitlines()} | set(
        text.replace(",", " ").split()
    )

    def names(section: type) -> set[str]:
        return set(section.model_fields)  # type: ignore[attr-defined]

    wanted = {name for name, field in Settings.model_fields.items() if name != "profiles"}
    for field in Settings.model_fields.values():
        if isinstance(field.annotation, type) and hasattr(field.annotation, "model_fields"):
            wanted |= names(field.annotation)
    assert {name for name in wanted if name not in shown and f"{name}:" not in text} == set()


def test_wheel_ships_the_defaults_where_the_program_finds_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "share" / "polyrag" / "config.yaml"
    installed.parent.mkdir(parents=True)
    installed.write_text("profile: demo\n")

    class Located(PackagePath):
        def locate(self) -> Path:
            return installed

    package = tmp_path / "site" / "bot" / "config.py"
    monkeypatch.setattr(config, "__file__", str(package))
    monkeypatch.setattr(
        config, "files", lambda name: [Located("bot/config.py"), Located("../../share/polyrag/config.yaml")]
    )

    assert default_config() == installed
    monkeypatch.setattr(config, "files", lambda name: [])
    with pytest.raises(BadSetting, match="--config"):
        default_config()


# --- laid over the defaults --------------------------------------------------------------------------


def test_own_file_changes_only_what_it_names(tmp_path: Path) -> None:
    settings = load(tmp_path, "answer: {mode: extractive}\nretrieval:\n  served: 7\n")

    assert settings.answer.mode == "extractive"
    assert settings.answer.max_tokens == load_settings().answer.max_tokens
    assert settings.retrieval.served == 7
    assert settings.routes == load_settings().routes


def test_adding_a_route_is_one_entry(tmp_path: Path) -> None:
    settings = load(
        tmp_path, "routes:\n  rules: {store: text, anchors: [o que é proibido, what is forbidden]}\n"
    )

    assert settings.routes["rules"].anchors == ("o que é proibido", "what is forbidden")
    assert set(settings.routes) == {*load_settings().routes, "rules"}


def test_null_takes_an_entry_of_the_defaults_away_and_an_empty_section_changes_nothing(
    tmp_path: Path,
) -> None:
    settings = load(tmp_path, "routes:\n  graph: null\nanswer:\nmodels:\n")

    assert "graph" not in settings.routes
    assert settings.answer == load_settings().answer
    assert settings.models == load_settings().models


def test_lists_are_replaced_as_a_whole(tmp_path: Path) -> None:
    settings = load(tmp_path, "routes: {text: {anchors: [uma frase]}}")

    assert settings.routes["text"].anchors == ("uma frase",)
    assert settings.routes["text"].store == "text"


def test_empty_file_means_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path, "# nothing yet\n") == load_settings()


def test_words_stay_words(tmp_path: Path) -> None:
    settings = load(
        tmp_path,
        "ingest: {ocr: off}\nchannels:\n  2026: {visibility: private, members: [yes, on, 12:30, 1e]}\n",
    )

    assert settings.ingest.ocr == "off"
    assert settings.channels["2026"].members == ("yes", "on", "12:30", "1e")


def test_settings_never_change_after_start() -> None:
    with pytest.raises(ValueError, match="frozen"):
        load_settings().answer.mode = "model"  # type: ignore[misc]


# --- refusals ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("retrieval: {cadidates: 3}", ["own.yaml:1", "retrieval.cadidates", "'candidates'", "served"]),
        (
            "\n\nanswer:\n  mode: extractiv\n",
            ["own.yaml:4", "answer.mode", '"extractiv"', "'extractive'", "auto"],
        ),
        ("ingest: {embed_batch: '3'}", ["ingest.embed_batch", '"3"', "a whole number"]),
        ("ingest: {embed_batch: 2.5}", ["ingest.embed_batch", "2.5", "a whole number"]),
        ("ingest: {embed_batch: 0}", ["ingest.embed_batch", "0", "at least 1"]),
        ("retrieval: {near_duplicate: 1.5}", ["retrieval.near_duplicate", "1.5", "at most 1.0"]),
        ("cache: {enabled: yes}", ["cache.enabled", '"yes"', "true or false"]),
        ("plugins: {hook_seconds: true}", ["plugins.hook_seconds", "true", "a number"]),
        ("permissions: {admins: ana}", ["permissions.admins", "a list"]),
        ("retrieval: 3", ["retrieval", "`key: value` lines"]),
        ("telemetri: {}", ["telemetri", "'telemetry'"]),
        ("profile: dmo", ["profile", "'dmo'", "'demo'", "production"]),
        ("profiles: {demo: {chat: {modl: x}}}", ["profiles.demo.chat.modl", "'model'"]),
        ("profiles: {demo: {chat: {model: bge-m4}}}", ["profiles.demo.chat.model", "'bge-m3'"]),
        ("profiles: {demo: {chat: {model: bge-m3}}}", ["profiles.demo.chat.model", "embed model, not chat"]),
        (
            "profiles: {demo: {chat: {provider: url, url: gpu:8080}}}",
            ["profiles.demo.chat.url", "http://HOST:PORT/v1"],
        ),
        ("profiles: {demo: {chat: {port: 70000}}}", ["profiles.demo.chat.port", "70000", "1 to 65535"]),
        (
            "profiles: {demo: {chat: {port: 81}, embed: {port: 81}}}",
            ["port", "81", "each role needs its own"],
        ),
        ("profiles: {demo: {embed: {provider: 'off'}}}", ["profiles.demo.embed.provider", "cannot search"]),
        ("models: {bge-m3: {sha256: abc}}", ["models.bge-m3.sha256", "64 lower-case"]),
        ("models: {bge-m3: {dimension: 0}}", ["models.bge-m3.dimension", "0"]),
        ("models: {bge-m3: {packages: [x]}}", ["models.bge-m3.packages"]),
        (
            "models: {bge-m3: {thresholds: {rout_high: 1}}}",
            ["models.bge-m3.thresholds.rout_high", "'route_high'"],
        ),
        ("router: {thresholds: {route_hig: 0.2}}", ["router.thresholds.route_hig", "'route_high'"]),
        (
            "router: {thresholds: {route_low: 0.9, route_high: 0.5}}",
            ["router.thresholds.route_low", "0.9", "0.5"],
        ),
        ("routes: {x: {anchors: [a]}}", ["routes.x.store", "is needed"]),
        ("routes: {x: {store: text, anchors: []}}", ["routes.x.anchors", "at least 1"]),
        ("channels: {c: {visibility: open}}", ["channels.c.visibility", '"open"', "private, public"]),
    ],
)
def test_refusal_names_key_value_what_is_allowed_and_the_nearest_name(
    tmp_path: Path, text: str, parts: list[str]
) -> None:
    said = refusal(tmp_path, text)

    assert [part for part in parts if part not in said] == []


WRONG = """
language: {language}
answer:
  mode: extractiv
ingest: {{embed_batch: 2.5}}
cache: {{enabld: true}}
retrievel: {{served: 3}}
"""


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("pt", ["está errada: 4 problemas", "quis dizer 'extractive'? permitido", "um número inteiro"]),
        ("en", ["is wrong: 4 problems", "did you mean 'extractive'? allowed", "a whole number"]),
    ],
)
def test_one_message_names_all_that_is_wrong_in_the_order_of_the_file_and_in_its_language(
    tmp_path: Path, language: str, words: list[str]
) -> None:
    with pytest.raises(BadSetting) as caught:
        load(tmp_path, WRONG.format(language=language))
    error = caught.value
    _, *lines = error.say(language).split("\n")

    assert error.language == language
    assert [word for word in words if word not in error.say(language)] == []
    assert [line.split(": ")[0].strip() for line in lines] == [f"own.yaml:{n}" for n in (4, 5, 6, 7)]
    keys = ["answer.mode", "ingest.embed_batch", "cache.enabld", "retrievel"]
    assert [line.split(": ")[1] for line in lines] == keys
    assert "'enabled'" in lines[2]
    assert "'retrieval'" in lines[3]


def test_what_contradicts_something_else_is_named_all_at_once_too(tmp_path: Path) -> None:
    text = "profiles: {demo: {chat: {port: 70000, model: bge-m4}}}\nmodels: {bge-m3: {dimension: 0}}\n"
    with pytest.raises(BadSetting) as caught:
        load(tmp_path, text)
    said = caught.value.say("en")

    for key in ("profiles.demo.chat.port", "profiles.demo.chat.model", "models.bge-m3.dimension"):
        assert key in said


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("answer: {name: a}\nanswer: {name: b}\n", "aparece duas vezes"),
        ("answer: [", "não é YAML válido"),
        ("profile: dmo", "não é um perfil; quis dizer 'demo'? permitido"),
        ("profiles: {demo: {chat: {model: bge-m3}}}", "não de chat"),
        ("routes: {x: {anchors: [a]}}", "é necessário e não está aí"),
        ("retrieval: {near_duplicate: 1.5}", "está fora dos limites; permitido: no máximo 1.0"),
    ],
)
def test_a_refusal_is_wholly_in_portuguese_for_those_who_read_it(
    tmp_path: Path, text: str, words: str
) -> None:
    with pytest.raises(BadSetting) as caught:
        load(tmp_path, text)
    said = caught.value.say("pt")

    assert words in said
    for english in ("allowed", "did you mean", "is not", "not valid", "needed"):
        assert english not in said


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("answer: {name: a}\nanswer: {name: b}\n", ["own.yaml:2", "answer", "twice", "line 1"]),
        ("answer:\n  name: a\n  name: b\n", ["own.yaml:3", "answer.name", "twice"]),
        ("answer: [", ["own.yaml:", "not valid YAML"]),
        ("\tanswer: x", ["own.yaml:1", "not valid YAML"]),
        ("just words", ["key: value"]),
        ("? [a, b]\n: c", ["own.yaml:1", "plain word"]),
        ("a: &x {b: *x}", ["own.yaml", "nested too deeply"]),
        ("answer: !!python/object:os.system x", ["own.yaml:1", "not valid YAML"]),
    ],
)
def test_file_that_is_no_sound_yaml_is_refused_with_its_line(
    tmp_path: Path, text: str, parts: list[str]
) -> None:
    said = refusal(tmp_path, text)

    assert [part for part in parts if part not in said] == []


def test_missing_and_unreadable_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match=r"gone\.yaml: there is no such file"):
        load_settings(tmp_path / "gone.yaml")
    (tmp_path / "own.yaml").write_bytes(b"answer: \xff\xfe")
    with pytest.raises(BadSetting, match="UTF-8"):
        load_settings(tmp_path / "own.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "profiles: {demo: {chat: {api_key_env: [xoxb-123]}}}",
        "adapters: {slack: {options: {token: [xoxb-123]}}}",
        "answer: {mode: xoxb-123}",
    ],
)
def test_refusal_never_repeats_what_may_be_a_secret(tmp_path: Path, text: str) -> None:
    assert "xoxb" not in refusal(tmp_path, text)


# --- the environment ---------------------------------------------------------------------------------


def test_secret_comes_from_the_environment_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", " s3cret\n")
    assert secret("MY_TOKEN") == "s3cret"

    monkeypatch.setenv("MY_TOKEN", " ")
    with pytest.raises(BadSetting, match="MY_TOKEN is not set"):
        secret("MY_TOKEN")


def test_model_cache_is_outside_the_home_and_may_be_moved(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("POLYRAG_CACHE", str(tmp_path / "models"))
    assert cache_dir() == tmp_path / "models"

    monkeypatch.delenv("POLYRAG_CACHE")
    assert cache_dir().name == "polyrag"
