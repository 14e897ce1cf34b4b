"""The converter on a small file of the same layout: every number arrives where llama.cpp looks for it."""

import struct
from pathlib import Path

import gguf
import numpy as np
import pytest

from bot.models.e5_gguf import convert
from bot.models.faults import BadModelFile

HIDDEN, LAYERS, HEADS, INNER, VOCABULARY, POSITIONS, TYPES = 32, 1, 2, 64, 6, 4, 2
TEXTS = [b"<s>", b"<pad>", b"</s>", b"<unk>", "▁olá".encode()]


def packed(**changes: int) -> bytes:
    """A complete E5S1 file with recognisable weights: tensor number t holds bytes or floats derived from t."""
    tensors: list[tuple[str, bytes, int]] = []

    def quantised(name: str, rows: int, columns: int) -> None:
        size = rows * columns // 32 * 18
        tensors.append((name, bytes((len(tensors) * 7 + i) % 256 for i in range(size)), rows * columns))

    def floats(name: str, count: int) -> None:
        values = np.arange(count, dtype="<f4") + len(tensors) * 1000
        tensors.append((name, values.tobytes(), count))

    quantised("emb.word", VOCABULARY, HIDDEN)
    floats("emb.pos", POSITIONS * HIDDEN)
    floats("emb.type", HIDDEN)
    for name in ("emb.ln.w", "emb.ln.b"):
        floats(name, HIDDEN)
    for layer in range(LAYERS):
        for part in ("q", "k", "v", "ao"):
            quantised(f"l{layer}.{part}.w", HIDDEN, HIDDEN)
            floats(f"l{layer}.{part}.b", HIDDEN)
        quantised(f"l{layer}.fi.w", INNER, HIDDEN)
        floats(f"l{layer}.fi.b", INNER)
        quantised(f"l{layer}.fo.w", HIDDEN, INNER)
        for name in ("fo.b", "aln.w", "aln.b", "oln.w", "oln.b"):
            floats(f"l{layer}.{name}", HIDDEN)
    blob = b"".join(TEXTS)
    offsets = np.cumsum([0, *map(len, TEXTS)]).astype("<u4").tobytes()
    head = struct.pack("<4sI7i", b"E5S1", 1, HIDDEN, LAYERS, HEADS, INNER, VOCABULARY, POSITIONS, TYPES)
    head += struct.pack("<fi", 1e-12, changes.get("block", 32)) + struct.pack(
        "<5iQ", len(TEXTS), 0, 2, 1, 3, len(blob)
    )
    head += offsets + np.arange(len(TEXTS), dtype="<f4").tobytes() + blob + struct.pack("<iI", 1, 3) + b"abc"
    directory_size = 4 + sum(2 + len(name) + 21 for name, _, _ in tensors)
    at, directory = len(head) + directory_size, struct.pack("<i", len(tensors))
    for name, data, count in tensors:
        directory += (
            struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", 0, count, at, len(data))
        )
        at += len(data)
    return head + directory + b"".join(data for _, data, _ in tensors)


def converted(tmp_path: Path) -> gguf.GGUFReader:
    (tmp_path / "in.bin").write_bytes(packed())
    convert(tmp_path / "in.bin", tmp_path / "out.gguf", "tiny")
    return gguf.GGUFReader(tmp_path / "out.gguf")


def test_shape_and_tokens_arrive(tmp_path: Path) -> None:
    fields = {name: field.contents() for name, field in converted(tmp_path).fields.items()}

    assert fields["general.architecture"] == "bert"
    assert fields["general.name"] == "tiny"
    assert fields["bert.embedding_length"] == HIDDEN
    assert fields["bert.feed_forward_length"] == INNER
    assert fields["bert.context_length"] == POSITIONS
    assert fields["tokenizer.ggml.tokens"] == ["<s>", "<pad>", "</s>", "<unk>", "▁olá", "[PAD5]"]
    assert fields["tokenizer.ggml.token_type"] == [3, 3, 3, 2, 1, 5]
    assert fields["tokenizer.ggml.scores"] == [0.0, 1.0, 2.0, 3.0, 4.0, -1000.0]
    assert fields["tokenizer.ggml.eos_token_id"] == 2


def test_quantised_blocks_are_copied_byte_for_byte(tmp_path: Path) -> None:
    tensors = {tensor.name: tensor for tensor in converted(tmp_path).tensors}

    words = tensors["token_embd.weight"]
    assert words.tensor_type == gguf.GGMLQuantizationType.Q4_0
    assert list(words.shape) == [HIDDEN, VOCABULARY]
    assert words.data.tobytes() == bytes(i % 256 for i in range(VOCABULARY * HIDDEN // 32 * 18))
    assert len(tensors) == 5 + 16 * LAYERS


def test_unstored_token_type_is_zero(tmp_path: Path) -> None:
    tensors = {tensor.name: tensor for tensor in converted(tmp_path).tensors}

    types = tensors["token_types.weight"].data
    assert types.shape == (TYPES, HIDDEN)
    assert types[0, 0] == 2000
    assert not types[1].any()


def test_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    converted(tmp_path)
    first = (tmp_path / "out.gguf").read_bytes()
    converted(tmp_path)

    assert (tmp_path / "out.gguf").read_bytes() == first


@pytest.mark.parametrize("kept", [3, 40, 150, 900, -1])
def test_file_that_is_cut_short_is_refused(tmp_path: Path, kept: int) -> None:
    (tmp_path / "in.bin").write_bytes(packed()[:kept])

    with pytest.raises(BadModelFile):
        convert(tmp_path / "in.bin", tmp_path / "out.gguf", "tiny")


def test_other_block_sizes_are_refused(tmp_path: Path) -> None:
    (tmp_path / "in.bin").write_bytes(packed(block=64))

    with pytest.raises(BadModelFile, match="64"):
        convert(tmp_path / "in.bin", tmp_path / "out.gguf", "tiny")
