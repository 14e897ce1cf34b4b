"""Convert a packed four-bit multilingual-e5 file (magic "E5S1") into GGUF for llama-server.

The packed file's weight blocks have the layout of ggml's Q4_0, so they are copied byte for byte; nothing is
quantised again. Its tables of character normalisation are left out: callers send NFKC text (core.normalize.squeeze).

Layout of the source, little-endian: magic, version; seven dimensions; epsilon and block size; vocabulary size and
four special ids plus the unknown id; a blob of token texts with offsets and scores; the normaliser; a directory of
tensors (name, type, element count, offset, byte count) whose data stands at absolute offsets.
"""

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

from bot.models.faults import BadModelFile

MAGIC = b"E5S1"
_BLOCK_WEIGHTS, _BLOCK_BYTES = 32, 18  # Q4_0: 32 weights in one half-precision scale and 16 bytes
_NORMAL, _UNKNOWN, _CONTROL, _UNUSED = 1, 2, 3, 5  # token types of GGUF


@dataclass(frozen=True, slots=True)
class _Shape:
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    types: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class _Tokens:
    texts: tuple[bytes, ...]
    scores: tuple[float, ...]
    bos: int
    eos: int
    pad: int
    unknown: int


@dataclass(frozen=True, slots=True)
class _Tensor:
    count: int
    offset: int
    size: int


class _Cursor:
    """Reads packed values one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(layout, self.data, self.at)
        self.at += struct.calcsize(layout)
        return values

    def array(self, dtype: str, count: int) -> npt.NDArray[Any]:
        values = np.frombuffer(self.data, dtype, count, self.at)
        self.at += values.nbytes
        return values

    def raw(self, size: int) -> bytes:
        self.at += size
        return self.data[self.at - size : self.at]


def convert(source: Path, target: Path, name: str) -> None:
    """Write `target`; equal sources give equal bytes.

    Args:
        name: the model name to put into the file.
    Raises: BadModelFile if the source is not an E5S1 file or is cut short.
    """
    data = source.read_bytes()
    if data[:4] != MAGIC:
        raise BadModelFile(f"{source.name} does not start with {MAGIC!r}")
    try:
        shape, tokens, tensors = _read(data)
    except (struct.error, ValueError) as err:
        raise BadModelFile(f"{source.name} is cut short") from err
    missing = [key for key, part in tensors.items() if part.offset + part.size > len(data)]
    if missing:
        raise BadModelFile(f"{source.name} is cut short: {missing[0]} is outside the file")
    writer = gguf.GGUFWriter(target, "bert")
    _write_shape(writer, shape, name)
    _write_tokens(writer, shape, tokens)
    _write_tensors(writer, shape, tensors, data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _read(data: bytes) -> tuple[_Shape, _Tokens, dict[str, _Tensor]]:
    cursor = _Cursor(data)
    cursor.take("<4sI")
    dimensions = cursor.take("<7i")
    epsilon, block = cursor.take("<fi")
    if block != _BLOCK_WEIGHTS:
        raise BadModelFile(f"blocks of {block} weights; only {_BLOCK_WEIGHTS} are Q4_0")
    count, bos, eos, pad, unknown = cursor.take("<5i")
    (blob_size,) = cursor.take("<Q")
    offsets = cursor.array("<u4", count + 1)
    scores = cursor.array("<f4", count)
    blob = cursor.raw(blob_size)
    _, normaliser_size = cursor.take("<iI")
    cursor.raw(normaliser_size)
    texts = tuple(blob[offsets[i] : offsets[i + 1]] for i in range(count))
    tokens = _Tokens(texts, tuple(float(score) for score in scores), bos, eos, pad, unknown)
    return _Shape(*(*dimensions, epsilon)), tokens, _read_directory(cursor)


def _read_directory(cursor: _Cursor) -> dict[str, _Tensor]:
    tensors = {}
    (count,) = cursor.take("<i")
    for _ in range(count):
        (length,) = cursor.take("<H")
        name = cursor.raw(length).decode()
        _, elements, offset, size = cursor.take("<BIQQ")
        tensors[name] = _Tensor(elements, offset, size)
    return tensors


def _write_shape(writer: gguf.GGUFWriter, shape: _Shape, name: str) -> None:
    writer.add_name(name)
    writer.add_license("mit")
    writer.add_block_count(shape.layers)
    writer.add_context_length(shape.positions)
    writer.add_embedding_length(shape.hidden)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_head_count(shape.heads)
    writer.add_layer_norm_eps(shape.epsilon)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)


def _write_tokens(writer: gguf.GGUFWriter, shape: _Shape, tokens: _Tokens) -> None:
    kinds = [_NORMAL] * len(tokens.texts)
    for special in (tokens.bos, tokens.eos, tokens.pad):
        kinds[special] = _CONTROL
    kinds[tokens.unknown] = _UNKNOWN
    padding = range(len(tokens.texts), shape.vocabulary)  # rows of the embedding that no text reaches
    writer.add_tokenizer_model("t5")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([*tokens.texts, *(f"[PAD{i}]".encode() for i in padding)])
    writer.add_token_scores([*tokens.scores, *(-1000.0 for _ in padding)])
    writer.add_token_types([*kinds, *(_UNUSED for _ in padding)])
    writer.add_add_space_prefix(True)
    writer.add_token_type_count(shape.types)
    writer.add_remove_extra_whitespaces(True)
    writer.add_bos_token_id(tokens.bos)
    writer.add_eos_token_id(tokens.eos)
    writer.add_unk_token_id(tokens.unknown)
    writer.add_sep_token_id(tokens.eos)
    writer.add_pad_token_id(tokens.pad)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)


def _write_tensors(writer: gguf.GGUFWriter, shape: _Shape, tensors: dict[str, _Tensor], data: bytes) -> None:
    def floats(name: str, *size: int) -> npt.NDArray[np.float32]:
        return np.frombuffer(data, "<f4", int(np.prod(size)), tensors[name].offset).reshape(size).copy()

    def quantised(name: str, rows: int, columns: int, target: str) -> None:
        width = columns // _BLOCK_WEIGHTS * _BLOCK_BYTES
        blocks = np.frombuffer(data, np.uint8, rows * width, tensors[name].offset).reshape(rows, width)
        writer.add_tensor(target, blocks, raw_dtype=gguf.GGMLQuantizationType.Q4_0)

    hidden, inner = shape.hidden, shape.feed_forward
    quantised("emb.word", shape.vocabulary, hidden, "token_embd.weight")
    writer.add_tensor("position_embd.weight", floats("emb.pos", shape.positions, hidden))
    stored = tensors["emb.type"].count // hidden  # the packed file keeps only the token type that is used
    types = np.zeros((shape.types, hidden), np.float32)
    types[:stored] = floats("emb.type", stored, hidden)
    writer.add_tensor("token_types.weight", types)
    writer.add_tensor("token_embd_norm.weight", floats("emb.ln.w", hidden))
    writer.add_tensor("token_embd_norm.bias", floats("emb.ln.b", hidden))
    for layer in range(shape.layers):
        source, target = f"l{layer}", f"blk.{layer}"
        for short, long in (("q", "attn_q"), ("k", "attn_k"), ("v", "attn_v"), ("ao", "attn_output")):
            quantised(f"{source}.{short}.w", hidden, hidden, f"{target}.{long}.weight")
            writer.add_tensor(f"{target}.{long}.bias", floats(f"{source}.{short}.b", hidden))
        quantised(f"{source}.fi.w", inner, hidden, f"{target}.ffn_up.weight")
        writer.add_tensor(f"{target}.ffn_up.bias", floats(f"{source}.fi.b", inner))
        quantised(f"{source}.fo.w", hidden, inner, f"{target}.ffn_down.weight")
        writer.add_tensor(f"{target}.ffn_down.bias", floats(f"{source}.fo.b", hidden))
        for short, long in (("aln", "attn_output_norm"), ("oln", "layer_output_norm")):
            writer.add_tensor(f"{target}.{long}.weight", floats(f"{source}.{short}.w", hidden))
            writer.add_tensor(f"{target}.{long}.bias", floats(f"{source}.{short}.b", hidden))
