"""MuJoCo's SKN files: vertices, triangles and the bones that move them."""

from typing import NamedTuple

import numpy as np

NAME = 40  # bytes of a body's name
WORDS = 10 + 3 + 4 + 1  # of a bone before its vertices: name, position, orientation, their number


class SkinFileError(ValueError):
    """A damaged SKN file; the message says what was found."""


class Bone(NamedTuple):
    """A body that moves some of a skin's vertices.

    Attributes:
        body: name of the body.
        pos: its position when the vertices are where the skin has them, (3,) float32 (m).
        quat: its orientation then, (4,) float32.
        vertid: vertices, (n,) int32.
        weight: share of the body in the movement of each, (n,) float32.
    """

    body: str
    pos: np.ndarray
    quat: np.ndarray
    vertid: np.ndarray
    weight: np.ndarray


class Skin(NamedTuple):
    """Arrays of a skin.

    Attributes:
        vertices: (nvert, 3) float32, in the bind pose (m).
        texcoords: (nvert, 2) float32, or none.
        faces: the three vertices of each triangle, (nface, 3) int32.
        bones: what moves it.
    """

    vertices: np.ndarray
    texcoords: np.ndarray
    faces: np.ndarray
    bones: list[Bone]


class _Words:
    """Words of 32 bits that are read one after the other."""

    def __init__(self, contents: bytes):
        self.words = np.frombuffer(contents, "<u4", len(contents) // 4)
        self.rest = len(contents) % 4
        self.at = 0

    @property
    def left(self) -> int:
        return len(self.words) - self.at

    def take(self, count: int, dtype: str, what: str) -> np.ndarray:
        if self.left < count:
            raise SkinFileError(f"{what}: expected {4 * count} bytes, found {4 * self.left}")
        self.at += count
        return self.words[self.at - count : self.at].view(dtype)


def read_skn(contents: bytes) -> Skin:
    """Skin of the contents of a file.

    Raises:
        SkinFileError: the file ends early or late, or has negative counts.
    """
    words = _Words(contents)
    counts = words.take(4, "<i4", "header").tolist()
    if min(counts) < 0:
        raise SkinFileError(f"header: expected counts from 0 on, found {counts}")
    nvert, ntexcoord, nface, nbone = counts
    vertices = words.take(3 * nvert, "<f4", f"{nvert} vertices").reshape(-1, 3)
    texcoords = words.take(2 * ntexcoord, "<f4", f"{ntexcoord} texcoords").reshape(-1, 2)
    faces = words.take(3 * nface, "<i4", f"{nface} faces").reshape(-1, 3)
    skin = Skin(vertices, texcoords, faces, [_bone(words, k) for k in range(nbone)])
    if excess := 4 * words.left + words.rest:
        raise SkinFileError(f"expected the end after bone {nbone - 1}, found {excess} bytes more")
    return skin


def _bone(words: _Words, k: int) -> Bone:
    head = words.take(WORDS, "<u4", f"bone {k}")
    name = head[: NAME // 4].tobytes()[: NAME - 1].partition(b"\0")[0].decode(errors="replace")
    count = int(head[-1:].view("<i4")[0])
    if count < 1:
        raise SkinFileError(f"bone {k}: expected one vertex or more, found {count}")
    what = f"vertices of bone {k}"
    vertid, weight = words.take(count, "<i4", what), words.take(count, "<f4", what)
    return Bone(name, head[10:13].view("<f4"), head[13:17].view("<f4"), vertid, weight)
