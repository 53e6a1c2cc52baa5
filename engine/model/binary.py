"""Models as bytes: one block that is checked as a whole and used as it stands. And copies of them.

    magic, version of the format, length, key of the field table      fixed size
    sizes, signature, options, statistics, picture                    fixed size, by the field table
    arrays in the order of the field table, each at a multiple of 64  by the sizes
    checksum of everything before

The arrays of a loaded model are views of the block. A file of another version of the field table is
refused, because nothing in a file says what it means but that table.
"""

import os
import struct
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from hashlib import blake2b
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ModelFileError
from ..tables.fields import DTYPES, MODEL, OPTION, STATISTIC, VISUAL, Field
from ..whole_files import write_whole
from .change_detection import lock, move_together, put_together
from .model import ARRAYS, GROUPS, SIZES, TEXTS, Model, Structure, new_structures, shape_of
from .references import refuse_bad_references

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

MAGIC = b"\x89mjenv\r\n"  # as PNG's: no text, and damaged where line ends are translated
VERSION = 1
CHECKSUM = 16  # bytes at the end
ALIGN = 64
WORD = 1 << 64
_NAMES = tuple(field.name for field in ARRAYS)
UNSIGNED = ("narena", "nbuffer")  # sizes that are never -1
DIMENSIONS = {n for field in ARRAYS for n in field.shape if isinstance(n, str)}
# sizes that 32-bit integers count; those of long rows of bytes and reals are as long as the file
INDEXED = DIMENSIONS - {"ntexdata", "nhfielddata"}
LARGEST = 2**31 - 1
Places = tuple[tuple[Field, tuple[int, ...], int, int], ...]
HEAD = struct.Struct("<8sIIQ16s24x")  # magic, version, sizes of numbers, length, key of the table


@cache
def key_of_table() -> bytes:
    """Key of the field table and of the order of bytes."""
    text = repr((sys.byteorder, DTYPES, MODEL, OPTION, STATISTIC, VISUAL))
    return blake2b(text.encode(), digest_size=16).digest()


def _record(fields: tuple[Field, ...]) -> np.dtype:
    """All numbers of a structure, without gaps."""
    return np.dtype([(f.name, DTYPES[f.type], tuple(map(int, f.shape))) for f in fields])


@cache
def _fixed() -> np.dtype:
    """Bytes before the arrays."""
    return np.dtype(
        [
            ("sizes", "u8", (len(SIZES),)),
            ("signature", "u8"),
            ("opt", _record(OPTION)),
            ("stat", _record(STATISTIC)),
            *((f"vis.{group}", _record(fields)) for group, fields in GROUPS.items()),
        ]
    )


def _structures(opt: Structure, stat: Structure, vis: Structure) -> Iterator[tuple[str, Structure]]:
    """The structures by their names in the record."""
    yield "opt", opt
    yield "stat", stat
    for group in GROUPS:
        yield f"vis.{group}", getattr(vis, group)


def _places(sizes: dict[str, int]) -> Places:
    """Field, shape, start and end of each array."""
    return _places_of(tuple(sizes.values()))


@lru_cache(maxsize=8)
def _places_of(values: tuple[int, ...]) -> Places:
    """The same, of sizes in the order of `SIZES`; models are often copied."""
    sizes = dict(zip(SIZES, values, strict=True))
    end, found = HEAD.size + _fixed().itemsize, []
    for field in ARRAYS:
        shape = shape_of(field, sizes)
        start = end + -end % ALIGN
        end = start + int(DTYPES[field.type][1:]) * prod(shape)
        found.append((field, shape, start, end))
    return tuple(found)


def _length(sizes: dict[str, int]) -> int:
    return _places(sizes)[-1][-1] + CHECKSUM


def pack(model: Model) -> bytearray:
    """A model as bytes.

    Raises:
        ModelFileError: a text is not as long as the size that goes with it.
    """
    sizes = {name: getattr(model, name) for name in SIZES}
    length = _length(sizes)
    data = bytearray(length)
    HEAD.pack_into(data, 0, MAGIC, VERSION, 0, length, key_of_table())
    fixed = np.frombuffer(data, _fixed(), 1, HEAD.size)[0]
    fixed["sizes"] = [n % WORD for n in sizes.values()]
    fixed["signature"] = model.signature
    for name, structure in _structures(model.opt, model.stat, model.vis):
        for field in fixed[name].dtype.names:
            fixed[name][field] = getattr(structure, field)
    view = memoryview(data)
    for field, shape, start, end in _places(sizes):
        value = getattr(model, field.name)
        if field.name in TEXTS and len(value) != shape[0]:
            raise ModelFileError(
                f"{field.name}: found {len(value)} bytes, expected {field.shape[0]} = {shape[0]}"
            )
        view[start:end] = value if field.name in TEXTS else value.tobytes()
    data[-CHECKSUM:] = blake2b(view[:-CHECKSUM], digest_size=CHECKSUM).digest()
    return data


def save(model: Model, path: str | os.PathLike) -> None:
    """Write a model to a file.

    Raises:
        OSError: the file cannot be written.
    """
    write_whole(path, pack(model))


def load(path: str | os.PathLike) -> Model:
    """Read a model from a file that `save` wrote.

    Raises:
        OSError: the file cannot be read.
        ModelFileError: it is not such a file, comes from another version, or is damaged.
    """
    where = os.fspath(path)
    with open(path, "rb") as file:
        head = file.read(HEAD.size)
        length = _check_head(head, where)
        actual = os.fstat(file.fileno()).st_size
        _check_length(actual, length, where)
        data = np.empty(length, "u1")
        data[: HEAD.size] = np.frombuffer(head, "u1")
        count = file.readinto(data.data[HEAD.size :])
    _check_length(HEAD.size + count, length, where)
    return _unpack(data, where)


def unpack(data: "ReadableBuffer") -> Model:
    """The model that `pack` made bytes of.

    Raises:
        ModelFileError: the bytes are not such a model, come from another version, or are damaged.
    """
    where = "bytes"
    view = memoryview(data).cast("B")
    _check_length(len(view), _check_head(bytes(view[: HEAD.size]), where), where)
    return _unpack(np.frombuffer(view, "u1").copy(), where)


def _check_head(head: bytes, where: str) -> int:
    """Length of a file, from its first bytes."""
    # a file of another kind: say which, if it can be told
    if head[: len(MAGIC)] != MAGIC:
        found, instead = "something else", "Model.save writes such files"
        if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            found, instead = "XML", "use Model.from_xml_path"
        elif head[:4] == struct.pack("<i", 54321):
            found, instead = "a binary file of MuJoCo", "compile the XML file of the model instead"
        elif len(head) < len(MAGIC):
            found = f"{len(head)} bytes"
        raise ModelFileError(f"{where}: found {found}, expected a saved model; {instead}")
    # a file of this kind
    if len(head) < HEAD.size:
        raise _damaged(where, f"found {len(head)} bytes, expected {HEAD.size} or more")
    _, version, zero, length, key = HEAD.unpack(head)
    again = "save the model again from its XML file"
    if version != VERSION:
        raise ModelFileError(
            f"{where}: found version {version} of the format, expected {VERSION}; {again}"
        )
    if key != key_of_table():
        raise ModelFileError(
            f"{where}: found the fields of another version of mjenv, expected those of this one;"
            f" {again}"
        )
    if zero or any(head[HEAD.size - 24 :]):
        raise _damaged(where, "found other bytes than zeros in its head, expected zeros")
    return length


def _check_length(found: int, expected: int, where: str) -> None:
    if found != expected:
        raise _damaged(where, f"found {found} bytes, expected {expected}")


def _damaged(where: str, what: str) -> ModelFileError:
    return ModelFileError(f"{where}: damaged: {what}; save the model again")


def _arrays(data: np.ndarray, sizes: dict[str, int]) -> dict:
    """The fields that are arrays or texts, by name."""
    found = {}
    for field, shape, start, end in _places(sizes):
        part = data[start:end]
        if field.name in TEXTS:
            found[field.name] = part.tobytes()
        else:
            dtype = "i1" if field.type == "char" else DTYPES[field.type]
            found[field.name] = part.view(dtype).reshape(shape)
    return found


def _unpack(data: np.ndarray, where: str) -> Model:
    """Model whose arrays are views of a block with a good head and of the right length."""
    least = HEAD.size + _fixed().itemsize + CHECKSUM
    if len(data) < least:
        raise _damaged(where, f"found {len(data)} bytes, expected {least} or more")
    checksum = blake2b(data[:-CHECKSUM].data, digest_size=CHECKSUM).digest()
    if checksum != data[-CHECKSUM:].tobytes():
        raise _damaged(where, "found another checksum, expected that of its bytes")
    fixed = data[HEAD.size : HEAD.size + _fixed().itemsize].view(_fixed())[0]
    sizes = dict(zip(SIZES, fixed["sizes"].tolist(), strict=True))
    sizes |= {n: k - WORD for n, k in sizes.items() if k >= WORD // 2 and n not in UNSIGNED}
    least, most = min(sizes[n] for n in DIMENSIONS), max(sizes[n] for n in INDEXED)
    if least < 0 or most > LARGEST or _length(sizes) != len(data):
        raise _damaged(where, "found sizes and arrays that do not fit together")
    model = Model.__new__(Model)
    state = model.__dict__
    state.update(sizes)
    try:
        state.update(_arrays(data, sizes))
    except ValueError:
        # a size is 0, and the product of others too large for an array
        raise _damaged(where, "found sizes that are too large") from None
    state["signature"] = int(fixed["signature"])
    state.update(new_structures())
    for name, structure in _structures(state["opt"], state["stat"], state["vis"]):
        for field in fixed[name].dtype.names:
            setattr(structure, field, fixed[name][field])
    refuse_bad_references(model, where, ModelFileError)
    put_together(model)
    return model


def copied(model: Model) -> Model:
    """A model with the same numbers in arrays of its own.

    It has the fields of the engine alone: nothing that programs or `mjenv.mujoco` keep with the
    original.
    """
    twin = Model.__new__(Model)
    own, state = vars(model), vars(twin)
    for name in (*SIZES, "signature"):
        state[name] = own[name]
    moved = move_together(own)
    state.update(moved)
    for name in _NAMES:
        if name not in moved:
            value = own[name]
            # texts are bytes, which nobody can change; the copy of a locked array is one too
            state[name] = value if isinstance(value, bytes) else np.array(value)
    lock(state)
    for name in ("opt", "stat", "vis"):
        state[name] = _copied(own[name])
    return twin


def _copied(structure: Any) -> Structure:
    """The same of options, statistics, or settings of pictures, in the engine's own class."""
    kind: Any = next(c for c in type(structure).__mro__ if c.__module__ == Model.__module__)
    twin = kind.__new__(kind)
    for name, value in vars(structure).items():
        if isinstance(value, np.ndarray):
            value = value.copy()
        elif isinstance(value, Structure):
            value = _copied(value)
        vars(twin)[name] = value
    return twin
