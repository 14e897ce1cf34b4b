"""Source code, cut where its syntax cuts: each class and function under its own name. The one home of tree-sitter."""

import re
from collections.abc import Callable, Sequence
from functools import cache

import tree_sitter_c
import tree_sitter_c_sharp
import tree_sitter_cpp
import tree_sitter_go
import tree_sitter_java
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_rust
import tree_sitter_sql
import tree_sitter_typescript
from tree_sitter import Language, Node
from tree_sitter import Parser as SyntaxParser

from core.ingest.load.decode import decode
from core.ingest.load.plain import read_code
from core.ingest.load.reading import Reading
from core.ingest.load.sniff import extension, kind_of_bytes
from core.language import listed
from core.ports import Ocr, ReadLimits
from core.types import Loaded

_GRAMMARS: dict[str, Callable[[], object]] = {
    "c": tree_sitter_c.language,
    "cpp": tree_sitter_cpp.language,
    "cs": tree_sitter_c_sharp.language,
    "go": tree_sitter_go.language,
    "java": tree_sitter_java.language,
    "js": tree_sitter_javascript.language,
    "py": tree_sitter_python.language,
    "rs": tree_sitter_rust.language,
    "sql": tree_sitter_sql.language,
    "ts": tree_sitter_typescript.language_typescript,
    "tsx": tree_sitter_typescript.language_tsx,
}
_SAME = {"h": "cpp", "cc": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "jsx": "js", "mjs": "js", "cjs": "js",
         "mts": "ts", "cts": "ts", "pyi": "py", "pyw": "py", "ddl": "sql"}  # fmt: skip
_OTHER = frozenset(
    listed("rb php kt kts swift sh bash zsh ps1 bat r m scala lua pl css scss yaml yml toml ini cfg xml")
)
_SHEBANG = re.compile(rb"#!.{0,60}?\b(python|node|deno|bash|sh|perl|ruby)\d?[\s.\d]")
_TEXTUAL = frozenset(["txt", "md", "csv", "tsv", "json", "jsonl"])
_DEFINITIONS = frozenset(
    listed("""class_definition function_definition class_declaration abstract_class_declaration function_declaration
    generator_function_declaration method_definition method_declaration constructor_declaration interface_declaration
    enum_declaration record_declaration type_alias_declaration annotation_type_declaration struct_declaration
    property_declaration delegate_declaration namespace_declaration file_scoped_namespace_declaration internal_module
    module class_specifier struct_specifier enum_specifier union_specifier namespace_definition type_definition
    function_item function_signature_item struct_item enum_item union_item trait_item impl_item mod_item
    macro_definition create_table create_view create_materialized_view create_function create_index create_type
    create_trigger create_schema create_sequence type_spec type_alias abstract_method_signature method_signature""")
)
_WRAPPERS = frozenset(
    listed("""decorated_definition export_statement template_declaration statement type_declaration ambient_declaration
    expression_statement linkage_specification""")
)
_FUNCTIONS = frozenset(["arrow_function", "function_expression", "function", "class", "generator_function"])
_WHOLE = 900  # a class no longer than a passage stays in one piece
_DEEPEST = 5
_LARGEST = 2_000_000  # bytes; beyond that a source file is a data dump
_UNREADABLE = 0.3  # share of bytes the grammar cannot make sense of, from which it is another language
_NAME = 80


class SourceParser:
    """Reads source code."""

    name = "code"
    kinds: tuple[str, ...] = ("py", "js", "ts", "java", "go", "sql", "c", "cpp", "cs", "rs")

    def accepts(self, data: bytes, name: str) -> float:
        """Plain text that its name or its first line calls source code."""
        kind = kind_of_bytes(data, name)
        ending = extension(name)
        if _is_source(ending) and (kind in ("txt", "md", "csv", "tsv", ending)):
            return 0.95
        return 0.95 if kind in ("txt", "md") and _SHEBANG.match(data[:100]) else 0.0

    def read(self, data: bytes, name: str, limits: ReadLimits, ocr: Ocr | None = None) -> Loaded:
        reading = Reading("code")
        text = decode(data).text.replace("\r\n", "\n").replace("\r", "\n")
        grammar = _grammar_of(data, name)
        if not grammar or len(data) > _LARGEST or not _add_parsed(reading, text, grammar):
            read_code(reading, text)
        return reading.loaded()


def _is_source(ending: str) -> bool:
    return ending in _GRAMMARS or ending in _SAME or ending in _OTHER


def _grammar_of(data: bytes, name: str) -> str:
    ending = _SAME.get(extension(name), extension(name))
    if ending in _GRAMMARS:
        return ending
    shebang = _SHEBANG.match(data[:100])
    return {b"python": "py", b"node": "js", b"deno": "ts"}.get(shebang[1], "") if shebang else ""


@cache
def _language(grammar: str) -> Language:
    return Language(_GRAMMARS[grammar]())


def _add_parsed(reading: Reading, text: str, grammar: str) -> bool:
    """Add the pieces of a source text; false where its grammar does not fit it."""
    source = text.encode()
    tree = SyntaxParser(_language(grammar)).parse(source)
    if _lost(tree.root_node) > _UNREADABLE * len(source):
        return False
    _Splitter(reading, source).add(tree.root_node.children, 1)
    return True


def _lost(root: Node) -> int:
    """Bytes inside errors, looked for near the top only."""
    lost = 0
    nodes = [(root, 0)]
    while nodes:
        node, depth = nodes.pop()
        if node.type == "ERROR":
            lost += node.end_byte - node.start_byte
        elif depth < _DEEPEST and node.has_error:
            nodes += [(child, depth + 1) for child in node.children]
    return lost


class _Splitter:
    """Walks the definitions of a syntax tree into a reading."""

    def __init__(self, reading: Reading, source: bytes) -> None:
        self._reading = reading
        self._source = source

    def add(self, nodes: Sequence[Node], level: int, start: int | None = None) -> None:
        """Definitions under their names; what stands between them is kept together.

        Args: start: where the text of the first piece begins, when that is before the first node.
        """
        loose_from = start if start is not None else (nodes[0].start_byte if nodes else 0)
        comment_from: int | None = None  # a comment right above a definition belongs to it
        end = loose_from
        for node in nodes:
            if "comment" in node.type:
                comment_from = node.start_byte if comment_from is None else comment_from
                end = node.end_byte
                continue
            name = _symbol(node)
            if name:
                begin = node.start_byte if comment_from is None else comment_from
                self._loose(loose_from, begin, level)
                self._definition(node, name, begin, level)
                loose_from = node.end_byte
            comment_from = None
            end = node.end_byte
        self._loose(loose_from, end, level)

    def _definition(self, node: Node, name: str, begin: int, level: int) -> None:
        self._reading.heading(name, level)
        body = _body(node)
        members = [child for child in body.children if _symbol(child)] if body is not None else []
        if body is None or not members or level >= _DEEPEST or node.end_byte - begin <= _WHOLE:
            self._code(begin, node.end_byte)
        else:
            self.add(body.children, level + 1, begin)

    def _loose(self, begin: int, end: int, level: int) -> None:
        """Code between definitions; after one it stands under its own first line, not under that one's name."""
        while begin < end and self._source[begin : begin + 1] in b" \t\n;,":
            begin += 1
        text = self._source[begin:end].decode(errors="replace")
        if not any(map(str.isalnum, text)):
            return
        if len(self._reading.trail) >= level:
            self._reading.heading(text.split("\n", 1)[0].strip(" {(:")[:_NAME], level)
        self._code(begin, end)

    def _code(self, begin: int, end: int) -> None:
        line = self._source.rfind(b"\n", 0, begin) + 1
        if not self._source[line:begin].strip():
            begin = line  # keep the indentation of the first line
        row = self._source.count(b"\n", 0, begin) + 1
        self._reading.text("code", self._source[begin:end].decode(errors="replace"), row=row)


def _symbol(node: Node) -> str:
    """What a definition defines: "Conta", "saldo", "impl Forma for Círculo"; "" for anything else."""
    if node.type in _WRAPPERS:
        return next((name for child in node.named_children if (name := _symbol(child))), "")
    if node.type == "impl_item":
        parts = [node.child_by_field_name(field) for field in ("trait", "type")]
        return "impl " + " for ".join(_text(part) for part in parts if part is not None)
    if node.type in ("lexical_declaration", "variable_declaration"):
        for child in node.named_children:
            value = child.child_by_field_name("value")
            if value is not None and value.type in _FUNCTIONS:
                return _named(child)
        return ""
    if node.type not in _DEFINITIONS:
        return ""
    receiver = node.child_by_field_name("receiver")
    name = _named(node)
    return f"{_receiver(receiver)}.{name}" if receiver is not None and name else name


def _named(node: Node) -> str:
    """The name of a definition, however deep its declarator wraps it."""
    for field in ("name", "declarator"):
        inner = node.child_by_field_name(field)
        if inner is not None:
            return _text(inner) if field == "name" else _declared(inner)
    reference = next((child for child in node.named_children if child.type == "object_reference"), None)
    return _text(reference) if reference is not None else ""


def _declared(node: Node) -> str:
    """The identifier inside a C declarator: `*find(int id)` is `find`."""
    for _ in range(12):
        inner = node.child_by_field_name("declarator")
        if inner is None:
            break
        node = inner
    return _text(node)


def _receiver(node: Node) -> str:
    """The type a Go method belongs to."""
    words = re.findall(r"\w+", _text(node))
    return words[-1] if words else ""


def _text(node: Node) -> str:
    return " ".join((node.text or b"").decode(errors="replace").split())[:_NAME]


def _body(node: Node) -> Node | None:
    """Where the members of a definition stand."""
    if node.type in _WRAPPERS:
        inner = next((child for child in node.named_children if _symbol(child)), None)
        return _body(inner) if inner is not None else None
    return node.child_by_field_name("body")
