"""Mesh data as read, before anything is computed from them."""

from typing import NamedTuple

import numpy as np


class RawMesh(NamedTuple):
    """Data of a mesh as a file, a generator or attributes give them.

    Attributes:
        vertices: positions, (n, 3) float32 (m).
        normals: (k, 3) float32, k may be 0.
        texcoords: (k, 2) float32, k may be 0.
        faces: vertices of each triangle, (f, 3) int32; none: the mesh is the hull of its vertices.
        face_normals: normals of each triangle, (f, 3) int32, or none.
        face_texcoords: texture coordinates of each triangle, (f, 3) int32, or none.
    """

    vertices: np.ndarray
    normals: np.ndarray
    texcoords: np.ndarray
    faces: np.ndarray
    face_normals: np.ndarray
    face_texcoords: np.ndarray


class FileMesh(RawMesh):
    """Data of a file, which are kept for models to come.

    Attributes:
        digest: of them; it takes as long as all else that a known file needs.
    """

    digest: bytes
