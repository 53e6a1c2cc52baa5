"""Vertices and elements of a <flexcomp>: from a file, from its attributes, or made by a formula."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from ...tables.enums import MINVAL
from ..assets.mesh_files import READERS, MeshFileError
from ..assets.obj_files import ObjError
from ..flex.gmsh_files import GmshError, read_gmsh
from ..flex.pieces import NO_TEXCOORDS, Lattice, Pieces, generate, rounded
from ..text.element import Element
from ..text.paths import content_type, extension, read_asset


class FlexcompPieces:
    """Reads or makes the vertices and elements of one <flexcomp>.

    Attributes:
        dim: its dimension, which a type or a file may set: known after `read`.
    """

    def __init__(self, element: Element, values: dict[str, Any]):
        """Of an element.

        Args:
            element: the <flexcomp>.
            values: its attributes with their defaults.
        """
        self.element, self.values = element, values
        self.kind, self.dim = values["type"], values["dim"]

    def read(self) -> Pieces:
        """Vertices and elements, in the deformable's own frame.

        Raises:
            MjcfError: files or numbers that make no deformable.
        """
        # of a file, of attributes, or of a formula
        if self.kind == "mesh":
            pieces = self._mesh()
        elif self.kind == "gmsh":
            pieces = self._gmsh()
        elif self.kind == "direct":
            pieces = self._direct()
        else:
            lattice = Lattice(self.values["count"], self.values["spacing"])
            textured = not self.values.get("texcoord") and bool(self.values.get("material"))
            if self.kind in ("square", "disc"):
                self.dim = 2
            pieces = generate(self.kind, self.dim, lattice, textured)
        if self.kind != "direct":
            pieces = self._behind_given(pieces)
        # texture coordinates may be given for any of them
        if self.values.get("texcoord") and not len(pieces.texcoords):
            given = np.array(self.values["texcoord"], np.float32)
            if len(given) % 2:
                raise self.element.error(f"texcoord: expected pairs, found {len(given)} numbers")
            pieces = pieces._replace(texcoords=given.reshape(-1, 2))
        # they have to fit together
        points, elements = pieces.points, pieces.elements
        if not len(points) or not len(elements):
            what = "both given" if self.values["type"] == "direct" else "some in a larger grid"
            raise self.element.error(f"vertices and elements: expected {what}, found none")
        if elements.shape[1] != self.dim + 1:
            raise self.element.error(f"expected {self.dim + 1} vertices per element")
        wrong = elements[(elements < 0) | (elements >= len(points))]
        if wrong.size:
            raise self.element.error(
                f"element: {wrong[0]}: expected vertices from 0 to {len(points) - 1}"
            )
        return pieces

    def _behind_given(self, pieces: Pieces) -> Pieces:
        """Vertices and elements of a type that makes them, behind those that are given.

        As in MuJoCo, elements that are made count vertices from the first one given, a disc
        rounds given vertices as well, and a mesh replaces them.
        """
        points, elements = pieces.points, pieces.elements
        if self.kind != "mesh":
            given = self._given("point", 3, float)
            if self.kind == "disc":
                half = Lattice(self.values["count"], self.values["spacing"]).half()
                given[:, :2] = rounded(given[:, :2], half[:2])
            points = np.concatenate([given, points])
        if self.kind != "mesh" or self.dim == 3:
            given = self._given("element", self.dim + 1, int)
            elements = np.concatenate([given, elements])
        return pieces._replace(points=points, elements=elements)

    def _direct(self) -> Pieces:
        return Pieces(self._given("point", 3, float), self._given("element", self.dim + 1, int))

    def _given(self, name: str, width: int, kind: type) -> np.ndarray:
        """Numbers of an attribute in rows, (n, width)."""
        given = np.array(self.values.get(name) or (), kind)
        if len(given) % width:
            raise self.element.error(
                f"{name}: expected a multiple of {width} numbers, found {len(given)}"
            )
        return given.reshape(-1, width)

    def _file(self) -> tuple[str, bytes]:
        """Name of its file, for messages, and contents."""
        if not self.values.get("file"):
            raise self.element.error("expected the attribute 'file', found none")
        asset, contents = read_asset(self.element.settings, self.element, "mesh")
        return asset.path, contents

    def _mesh(self) -> Pieces:
        """Triangles of a mesh, or tetrahedra between them and a point; equal vertices are one."""
        # read
        if self.dim < 2:
            raise self.element.error(f"dim='{self.dim}': expected 2 or 3 for a mesh")
        path, contents = self._file()
        reader = READERS.get(extension(path))
        if reader is None or content_type(self.element, path).endswith("msh"):
            raise self.element.error(f"file='{path}': expected a file .stl or .obj")
        try:
            part: Any = SimpleNamespace(values=self.values)
            mesh = reader(contents, part)
        except (MeshFileError, ObjError) as error:
            raise self.element.error(f"file='{path}': {error}") from None
        # refuse what is no surface
        if not np.isfinite(mesh.vertices).all():
            raise self.element.error(f"file='{path}': expected finite vertices")
        if not len(mesh.vertices) or not len(mesh.faces):
            raise self.element.error(f"file='{path}': expected vertices and triangles")
        outside = (mesh.faces < 0) | (mesh.faces >= len(mesh.vertices))
        if outside.any():
            raise self.element.error(f"file='{path}': {mesh.faces[outside][0]}: no such vertex")
        # equal vertices are one, or the surface would fall apart
        points, faces = _merged(mesh.vertices, mesh.faces.astype(int))
        texcoords, of_faces = mesh.texcoords, mesh.face_texcoords.astype(int)
        if not len(texcoords):
            texcoords, of_faces = NO_TEXCOORDS, of_faces[:0]
        # solid: tetrahedra between triangles and the origin; those without volume are left out
        if self.dim == 3:
            origin = np.array(self.values["origin"])
            points = np.concatenate([origin[None], points])
            a, b, c = (points[faces[:, k] + 1] - origin for k in range(3))
            x, y, z = (a[:, [1, 2, 0]] * b[:, [2, 0, 1]] - a[:, [2, 0, 1]] * b[:, [1, 2, 0]]).T
            solid = ~(x * c[:, 0] + y * c[:, 1] + z * c[:, 2] < MINVAL)
            faces = np.concatenate([np.zeros((solid.sum(), 1), int), faces[solid] + 1], axis=1)
        return Pieces(points, faces, texcoords, of_faces)

    def _gmsh(self) -> Pieces:
        path, contents = self._file()
        try:
            found = read_gmsh(contents)
        except GmshError as error:
            raise self.element.error(f"file='{path}': {error}") from None
        self.dim = found.dim
        return Pieces(found.points, found.elements)


def _merged(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices with equal ones only once, where they are first, and the triangles over them."""
    _, first, place = np.unique(
        vertices + np.float32(0), axis=0, return_index=True, return_inverse=True
    )
    if len(first) == len(vertices):
        return vertices.astype(float), faces
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return vertices[first[order]].astype(float), rank[place.ravel()][faces]
