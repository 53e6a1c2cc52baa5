"""MuJoCo's old binary meshes (.msh) as Wavefront OBJ.

`python -m mjenv.mujoco.msh2obj -i mesh.msh -o mesh.obj` converts a file.
"""

import argparse
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

# what a file holds after its four counts: attribute, which count, numbers of a row, type
_PARTS = (
    ("vertex_positions",    "vertices",  0, 3, "<f4"),
    ("vertex_normals",      "normals",   1, 3, "<f4"),
    ("vertex_texcoords",    "texcoords", 2, 2, "<f4"),
    ("face_vertex_indices", "faces",     3, 3, "<i4"),
)  # fmt: skip


@dataclass(frozen=True)
class Msh:
    """Arrays of a file.

    Attributes:
        vertex_positions, vertex_normals: (n, 3).
        vertex_texcoords: (n, 2).
        face_vertex_indices: (nface, 3), counted from 0.
    """

    vertex_positions: np.ndarray
    vertex_normals: np.ndarray
    vertex_texcoords: np.ndarray
    face_vertex_indices: np.ndarray

    @staticmethod
    def create(file: str | PathLike) -> "Msh":
        """Read a file.

        Raises:
            FileNotFoundError: there is none.
            ValueError: it is shorter than its counts say.
        """
        path = Path(file)
        if not path.exists():
            raise FileNotFoundError(f"{path} does not exist.")
        content = path.read_bytes()
        counts, start = np.frombuffer(content[: min(16, len(content) // 4 * 4)], "<i4"), 16
        if len(counts) < 4 or (counts < 0).any():
            raise ValueError(f"{path}: expected the counts of a .msh file")
        arrays = {}
        # arrays follow one another, each as long as its count says
        for name, word, place, width, kind in _PARTS:
            size = int(counts[place]) * width
            part = content[start : start + 4 * size]
            if len(part) < 4 * size:
                raise ValueError(
                    f"{path}: {len(part) // 4} numbers of {word}, expected {counts[place]} "
                    f"times {width}"
                )
            arrays[name] = np.frombuffer(part, kind).reshape(-1, width)
            start += 4 * size
        return Msh(**arrays)


def msh_to_obj(msh_file: str | PathLike) -> str:
    """The text of an OBJ file with the mesh of a .msh file."""
    msh = Msh.create(msh_file)
    # pictures begin at the top in the one format, at the bottom in the other
    texcoords = np.column_stack([msh.vertex_texcoords[:, 0], 1 - msh.vertex_texcoords[:, 1]])
    lines = []
    for word, rows in (
        ("v", msh.vertex_positions),
        ("vn", msh.vertex_normals),
        ("vt", texcoords),
    ):
        lines += [" ".join((word, *map(str, row))) for row in rows]
    # the same number is that of a vertex, of its texture coordinates and of its normal
    for face in msh.face_vertex_indices + 1:
        lines.append(" ".join(("f", *(f"{k}/{k}/{k}" for k in face))))
    return "\n".join((*lines, ""))


def main() -> None:
    """Convert the file that the command line names."""
    parser = argparse.ArgumentParser(description="Convert a .msh file to an .obj file.")
    parser.add_argument("-i", "--input", required=True, help="the .msh file")
    parser.add_argument("-o", "--output", required=True, help="the .obj file")
    arguments = parser.parse_args()
    Path(arguments.output).write_text(msh_to_obj(arguments.input), encoding="utf-8")


if __name__ == "__main__":
    main()
