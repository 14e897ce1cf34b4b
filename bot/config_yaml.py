"""YAML as administrators mean it: version 1.2 scalars, no key twice, and the line of every key for messages."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from bot.config_errors import refuse

Lines = Mapping[str, int]  # dotted key -> line in the file, from 1

_DEEPEST = 20
_NO_YAML = ("{where}: não é YAML válido: {what}", "{where}: not valid YAML: {what}")
_MERGE = "tag:yaml.org,2002:merge"
_STR = "tag:yaml.org,2002:str"


class _Loader(yaml.SafeLoader):
    """Only `true` and `false` are booleans (YAML 1.1 also reads on, off, yes and no), and 12:30 stays text."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}


for _tag, _pattern, _first in (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", list("tTfF")),
    ("int", r"^[-+]?[0-9]+$", list("-+0123456789")),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", list("-+.0123456789")),
    ("null", r"^(?:~|null|Null|NULL|)$", ["~", "n", "N", ""]),
    ("merge", r"^(?:<<)$", ["<"]),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), _first)


def read_mapping(path: Path) -> tuple[dict[str, Any], Lines]:
    """The file's top mapping and the line of each of its keys. An empty file is an empty mapping.

    Raises: BadSetting if the file is missing, not YAML, has a key twice, or is not a mapping.
    """
    loader = _Loader(_text(path))
    lines: dict[str, int] = {}
    try:
        node = loader.get_single_node()
        if node is None:
            return {}, lines
        if not isinstance(node, yaml.MappingNode):
            refuse(
                "{name}: o arquivo precisa ter linhas `chave: valor` no nível mais alto",
                "{name}: the file must hold `key: value` lines at its top",
                name=path.name,
            )
        _index(node, (), lines, path.name)
        values: dict[str, Any] = loader.construct_document(node)
    except yaml.MarkedYAMLError as err:
        line = err.problem_mark.line + 1 if err.problem_mark else 1
        refuse(*_NO_YAML, where=f"{path.name}:{line}", what=err.problem or err.context)
    except yaml.YAMLError as err:
        refuse(*_NO_YAML, where=path.name, what=str(err).splitlines()[0])
    finally:
        loader.dispose()
    return values, lines


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        refuse("{path}: esse arquivo não existe", "{path}: there is no such file", path=path)
    except (OSError, UnicodeDecodeError) as err:
        refuse(
            "{path}: não pode ser lido como texto UTF-8 ({kind})",
            "{path}: cannot be read as UTF-8 text ({kind})",
            path=path,
            kind=type(err).__name__,
        )


def _index(node: yaml.Node, trail: tuple[str, ...], lines: dict[str, int], name: str) -> None:
    """Note the line of every key below a node; a key that stands twice is an error, not a silent loss."""
    if len(trail) > _DEEPEST:
        refuse(
            "{name}: {key}…: níveis demais",
            "{name}: {key}…: nested too deeply",
            name=name,
            key=".".join(trail[:4]),
        )
    if isinstance(node, yaml.SequenceNode):
        for position, item in enumerate(node.value):
            _index(item, (*trail, str(position)), lines, name)
    elif isinstance(node, yaml.MappingNode):
        _index_keys(node, trail, lines, name)


def _index_keys(node: yaml.MappingNode, trail: tuple[str, ...], lines: dict[str, int], name: str) -> None:
    seen: dict[str, int] = {}
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            refuse(
                "{name}:{line}: uma chave precisa ser uma palavra simples",
                "{name}:{line}: a key must be a plain word",
                name=name,
                line=line,
            )
        dotted = ".".join((*trail, key.value))
        if key.value in seen:
            refuse(
                "{name}:{line}: {key} aparece duas vezes (a primeira na linha {first}); deixe uma",
                "{name}:{line}: {key} stands twice (first in line {first}); keep one",
                name=name,
                line=line,
                key=dotted,
                first=seen[key.value],
            )
        if key.tag != _MERGE:
            key.tag = _STR  # a channel may be called 2026
        seen[key.value] = lines[dotted] = line
        _index(value, (*trail, key.value), lines, name)
