"""Meshes: from raw data to what mjModel keeps of them."""

from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from ..geometry.pose import IDENTITY, ZERO, conjugate, matrix, normalize
from ..text.paths import TYPES, content_type
from . import mesh_inertia
from .first_reads import type_if_read
from .kept import digest, kept
from .mesh_files import file_mesh
from .mesh_hull import Hull, hull
from .mesh_normals import scaled, smooth, turned
from .mesh_polygons import Lists, polygons
from .mesh_shapes import shape_mesh
from .mesh_tree import tree
from .octree import octree
from .raw_mesh import FileMesh, RawMesh
from .singles import singles
from .triangles import apply, measure

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part

# attributes that decide what a mesh becomes
COMPILED = ("inertia", "maxhullvert", "refpos", "refquat", "scale", "smoothnormal")
# values of <mesh> that no attribute says: indices for each triangle, and that it needs an octree
FACE_NORMALS, FACE_TEXCOORDS, NEEDS_SDF = "face normals", "face texcoords", "needs sdf"
EDGE_AREA = 1e-15**0.5  # smaller triangles do not count for orientation (m^2)


class Mesh:
    """A compiled mesh, in its inertial frame.

    Attributes:
        points: vertices, (n, 3) float64 (m); `vertices` are the same in float32.
        normals, texcoords, faces, face_normals, face_texcoords: as in `RawMesh`.
        hull: its convex hull, or None.
        pos, quat: the inertial frame in that of the file.
        box: half sizes of the solid box of equal inertia (m).
        measure: volume (m^3); of a shell its area (m^2).
        low, high: corners of its box (m).
        tree: bounding volumes of its triangles.
        octree: cells with the signed distance, or None.
        sides: polygons of the hull, as lists of vertices.
    """

    hull: Hull | None

    def __init__(self, part: "Part", raw: RawMesh, needs_hull: bool, needs_sdf: bool = False):
        points = raw.vertices.astype(float)
        if part["inertia"] == "exact":
            _check_orientation(part, points, raw.faces)
        self.hull = None
        if needs_hull or not len(raw.faces):
            self.hull = hull(part, points, part["maxhullvert"])
        self.sides = Lists(np.empty(0, int), np.empty(0, int))
        if self.hull:
            self.sides = polygons(points, self.hull.faces)
        self._set_faces(part, raw, points)
        points = self._transform(part, points)
        body = mesh_inertia.body(part, points, self.faces, self.hull, part["inertia"])
        self.pos, self.quat, self.box, self.measure = body
        if "driver" in part.values:
            # the shape of a plugin stays where it is
            self.pos, self.quat = ZERO, IDENTITY
        turn = matrix(conjugate(self.quat))
        self.points = apply(turn, points - np.array(self.pos))
        self.normals = turned(self.normals, turn)
        self.low, self.high = self.points.min(0), self.points.max(0)
        self.tree = tree(self.points, self.faces)
        self.octree = octree(self.points, self.faces, self.tree) if needs_sdf else None

    @property
    def vertices(self) -> np.ndarray:
        return self.points.astype(np.float32)

    @property
    def reach(self) -> tuple:
        """Largest distances from the origin along the axes (m)."""
        return tuple(np.maximum(np.abs(self.low), np.abs(self.high)).tolist())

    @property
    def radius(self) -> float:
        """Of the sphere around the origin that holds the corners of its box (m)."""
        x, y, z = self.reach
        return sqrt(x * x + y * y + z * z)

    @property
    def aabb(self) -> tuple:
        """Box around it: centre and half sizes (m)."""
        return (*((self.high + self.low) / 2).tolist(), *((self.high - self.low) / 2).tolist())

    def moments(self, mass: float) -> tuple:
        """Principal moments of inertia (kg m^2)."""
        a, b, c = (x * x for x in self.box)
        return (mass * (b + c) / 3, mass * (a + c) / 3, mass * (a + b) / 3)

    def _set_faces(self, part: "Part", raw: RawMesh, points: np.ndarray) -> None:
        """Triangles with their normals and texture coordinates, counter-clockwise."""
        faces = raw.faces if len(raw.faces) else self.hull.faces
        self.normals, face_normals = raw.normals, raw.face_normals
        if not len(self.normals):
            self.normals = smooth(points, faces, part["smoothnormal"] == "true")
            face_normals = faces
        if len(face_normals) not in (0, len(faces)):
            raise part.error(
                f"face: {len(faces)} triangles, expected as many with normals, found"
                f" {len(face_normals)}"
            )
        if not len(face_normals):
            # several normals per vertex are those of a frame
            face_normals = len(self.normals) // len(points) * faces
        self.texcoords, face_texcoords = raw.texcoords, raw.face_texcoords
        if not len(face_texcoords) and len(self.texcoords):
            face_texcoords = faces
        sx, sy, sz = part["scale"]
        order = [0, 1, 2] if sx * sy * sz > 0 else [0, 2, 1]
        self.faces, self.face_normals = faces[:, order], face_normals[:, order]
        self.face_texcoords = face_texcoords[:, order]

    def _transform(self, part: "Part", points: np.ndarray) -> np.ndarray:
        """Vertices moved, turned and scaled by refpos, refquat and scale; normals too."""
        points = points - np.array(part["refpos"])
        turn = None
        if tuple(part["refquat"]) != (1.0, 0.0, 0.0, 0.0):
            m = matrix(normalize(tuple(part["refquat"]))[0])
            turn = (m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8])
            points = apply(turn, points)
        self.normals = scaled(self.normals, turn, part["scale"])
        return points * np.array(part["scale"])


def compile_meshes(draft: "Draft") -> None:
    """Compile all meshes; each keeps a `Mesh` as its value "data"."""
    parts = draft.parts["mesh"]
    if not parts and not any(geom.values.get("mesh") for geom in draft.parts["geom"]):
        return
    hulls = _needing_hulls(draft)
    fields = {geom.values.get("mesh") for geom in draft.parts["geom"] if geom["type"] == "sdf"}
    for part in parts:
        if not part.name:
            raise part.error("expected the attribute 'name' or 'file', found none")
        if part["maxhullvert"] != -1 and part["maxhullvert"] < 4:
            raise part.error(f"maxhullvert='{part['maxhullvert']}': expected -1, or 4 or more")
        raw = _read(draft, part)
        # a plate has the inertia of a shell, whatever it says
        needs_hull = part in hulls or part["inertia"] == "convex"
        # equal meshes are compiled once
        if part.values.get("read"):
            part.values["type_if_read"] = type_if_read(part, len(raw.faces) > 0, needs_hull)
        needs_sdf = part.name in fields or bool(part.values.get(NEEDS_SDF))
        needs_sdf = needs_sdf and "driver" not in part.values
        needs = needs_hull, needs_sdf, "driver" in part.values
        contents = raw.digest if isinstance(raw, FileMesh) else digest(raw)
        key = ("mesh", *needs, *map(part.values.get, COMPILED), contents)
        part.values["data"] = kept(key, partial(Mesh, part, raw, needs_hull, needs_sdf))


def _needing_hulls(draft: "Draft") -> set:
    """Meshes whose convex hull is needed: a geom of their shape can collide."""
    paired = {pair.values.get(name) for pair in draft.parts["pair"] for name in ("geom1", "geom2")}
    hulls = set()
    for geom in draft.parts["geom"]:
        name = geom.values.get("mesh")
        if not name:
            continue
        part = draft.find("mesh", name, geom.element, "mesh")
        collides = geom["contype"] or geom["conaffinity"] or (geom.name and geom.name in paired)
        if geom["type"] in ("mesh", "sdf") and collides:
            hulls.add(part)
    return hulls


def _read(draft: "Draft", part: "Part") -> RawMesh:
    """Data of a mesh from its file or generator, or from its attributes, checked."""
    raw = _inline(part)
    loose = False
    if "builtin" in part.element.values:
        raw = shape_mesh(part, raw)
    elif "driver" in part.values and not part.values.get("file") and not len(raw.vertices):
        from .field_mesh import field_mesh

        raw = field_mesh(part)
    elif part.values.get("file"):
        raw = file_mesh(draft, part, raw)
        loose = content_type(part.element, part["file"]) == TYPES[".obj"]
    _check(part, raw, loose)
    return raw


def _inline(part: "Part") -> RawMesh:
    """Data of the attributes vertex, normal, texcoord and face."""
    vertices = _rows(part, "vertex", 3, np.float32)
    faces = _rows(part, "face", 3, np.int32)
    if not np.isfinite(vertices).all():
        worst = np.flatnonzero(~np.isfinite(vertices).all(1))[0]
        raise part.error(f"vertex {worst}: expected numbers that are finite")
    return RawMesh(
        vertices,
        _rows(part, "normal", 3, np.float32),
        _rows(part, "texcoord", 2, np.float32),
        faces,
        _rows(part, FACE_NORMALS, 3, np.int32),
        _rows(part, FACE_TEXCOORDS, 3, np.int32),
    )


def _rows(part: "Part", name: str, width: int, dtype: Any) -> np.ndarray:
    count = len(part.values.get(name) or ())
    if count % width:
        raise part.error(f"{name}: expected a multiple of {width} numbers, found {count}")
    if not count:
        return np.empty((0, width), dtype)
    data = singles(part, name) if dtype is np.float32 else np.array(part[name], dtype)
    return data.reshape(-1, width)


def _check(part: "Part", raw: RawMesh, loose: bool) -> None:
    """Refuse too few vertices, and indices of vertices that are not there.

    Args:
        part: the mesh, for messages.
        raw: its data.
        loose: whether any number of texture coordinates is right.
    """
    count = len(raw.vertices)
    if count < 4:
        raise part.error(f"vertices: expected at least 4, found {count}")
    if len(raw.texcoords) not in (0, count) and not (len(raw.face_texcoords) or loose):
        raise part.error(
            f"texcoord: expected one pair per vertex, {count}, found {len(raw.texcoords)}"
        )
    if raw.faces.min(initial=0) < 0 or raw.faces.max(initial=0) >= count:
        wrong = np.flatnonzero(((raw.faces < 0) | (raw.faces >= count)).any(1))
        found = " ".join(map(str, raw.faces[wrong[0]]))
        raise part.error(f"face {wrong[0]}: {found}: expected vertices between 0 and {count - 1}")


def _check_orientation(part: "Part", points: np.ndarray, faces: np.ndarray) -> None:
    """Refuse two triangles that go through an edge in the same direction."""
    if not len(faces):
        return
    faces = faces[measure(points, faces)[0] > EDGE_AREA]
    edges = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    found, counts = np.unique(edges, axis=0, return_counts=True)
    if (counts > 1).any():
        a, b = found[counts > 1][0]
        raise part.error(
            f"face: two triangles go from vertex {a} to vertex {b}, expected them in opposite"
            " directions; turn one, or use another inertia than 'exact'"
        )
