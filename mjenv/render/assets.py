"""Assets shared by the pictures of a model: textures, triangles of meshes and height fields."""

from typing import TYPE_CHECKING, Any

import numpy as np

from .textures import texture_tables
from .triangles import Tree, boxes, make_tree, packed

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model

MOST_TESTS = 50_000_000  # corners times triangles up to which it is asked whether they are convex
SMOOTH = (
    0.8  # cosine of the angle between a corner's normal and its triangle's up to which it counts
)
TERRAINS = 16  # of worlds with their own, whose triangles are kept
FLATNESS = 1e-5  # height of a corner over a triangle's plane that is none, in the mesh's size


class Assets:
    """Arrays of textures and triangles, ready for the ray caster.

    Args:
        model: the model. What is changed in its textures, meshes and height fields later is seen
            once `upload_textures`, `upload_mesh` or `upload_hfield` is called.

    Attributes:
        arrays: what kernels read, by name.
        depth: levels of the deepest tree.
        convex: whether the triangles of each tree bound something convex, (ntree,).
        version: grows whenever something was made anew.
    """

    def __init__(self, model: "Model"):
        self.model = model
        self._parts: dict[Any, _Part] = {}
        self._place: dict[Any, int] = {}
        self._terrains: dict[tuple[int, bytes], _Part] = {}
        self.arrays: dict[str, np.ndarray] = {}
        self.depth, self.version = 1, 0
        self.upload_textures()
        self._join()

    def upload_textures(self) -> None:
        """Take the textures of the model as they are now."""
        self.arrays.update(texture_tables(self.model))
        self.version += 1

    def upload_mesh(self, mesh: int) -> None:
        """Take the triangles of a mesh as they are now."""
        for key in [key for key in self._parts if key[:2] == ("mesh", mesh)]:
            self._parts[key] = _mesh(self.model, mesh, key[2])
        self._join()

    def upload_hfield(self, field: int) -> None:
        """Take the heights of a height field as they are now."""
        if ("hfield", field) in self._parts:
            self._parts["hfield", field] = _hfield(self.model, field, self.model.hfield_data)
            self._join()

    def see_terrain(self, data: Any, world: int) -> None:
        """Have height fields be those of a world, where worlds have their own."""
        if "hfield_data" not in data.varied:
            return
        heights, changed = data.varied["hfield_data"][world], False
        for field in range(int(self.model.nhfield)):
            key = field, heights.tobytes()
            part = self._terrains.pop(key, None) or _hfield(self.model, field, heights)
            self._terrains[key] = part
            changed = changed or self._parts.get(("hfield", field)) is not part
            self._parts["hfield", field] = part
        for old in list(self._terrains)[: -TERRAINS * int(self.model.nhfield)]:
            del self._terrains[old]
        if changed:
            self._join()

    def mesh(self, mesh: int, hull: bool = False) -> int:
        """Number of a mesh, or of its convex hull, among the trees."""
        return self._find(("mesh", mesh, hull), lambda: _mesh(self.model, mesh, hull))

    def hfield(self, field: int) -> int:
        """Number of a height field among the trees."""
        heights = self.model.hfield_data
        return self._find(("hfield", field), lambda: _hfield(self.model, field, heights))

    def moving(
        self,
        key: tuple[str, int],
        corners: np.ndarray,
        normals: np.ndarray,
        uv: np.ndarray | None,
    ) -> int:
        """Number of a skin or a deformable among the trees, as it lies now.

        Args:
            key: "skin" or "flex", and its number.
            corners: (n, 3, 3) of its triangles (m).
            normals: (n, 3, 3) at the corners.
            uv: (n, 3, 2) texture coordinates; None for none.
        """
        old = self._parts.get(key)
        same = old is not None and old.corners.shape == corners.shape
        self._parts[key] = _Part(corners, normals, uv, old.tree if same else None)
        self._join()
        return self._place[key]

    def radius(self, number: int) -> float:
        """Radius of the ball around the origin that holds a tree's triangles (m)."""
        return self._radius[number]

    def density(self, number: int) -> float:
        """Repetitions of the picture in a metre of a tree's triangles, on average."""
        return self._density[number]

    def _find(self, key: Any, make: Any) -> int:
        if key not in self._parts:
            self._parts[key] = make()
            self._join()
        return self._place[key]

    def _join(self) -> None:
        """Lay all parts one behind the other."""
        parts = list(self._parts.values()) or [_NOTHING]
        self._place = {key: k for k, key in enumerate(self._parts)}
        self._radius = [part.radius for part in parts]
        self._density = [part.density for part in parts]
        self.convex = np.array([part.convex for part in parts])
        leaves = np.array([part.tree.leaves for part in parts])
        faces = np.array([len(part.tree.order) for part in parts])
        self.arrays["mesh_leaf"] = leaves.astype(np.int32)
        self.arrays["mesh_tree"] = (np.cumsum(2 * leaves) - 2 * leaves).astype(np.int32)
        self.arrays["mesh_face"] = (np.cumsum(faces) - faces).astype(np.int32)
        self.arrays["tree_axis"] = np.concatenate([part.tree.axis for part in parts])
        for name in ("tree_box", "triangle", "corner_normal", "corner_uv"):
            self.arrays[name] = np.concatenate([getattr(part, name) for part in parts])
        self.depth = int(leaves.max()).bit_length() + 1
        self.version += 1


class _Part:
    """Triangles of one thing, as kernels read them."""

    def __init__(self, corners: Any, normals: Any, uv: Any, tree: Tree | None = None):
        self.corners = corners
        self.tree = tree or make_tree(corners)
        self.textured = uv is not None
        self.density = 1.0 if uv is None else density(corners, uv)
        self.radius = float(np.sqrt((corners**2).sum(axis=-1).max())) if corners.size else 0.0
        self.convex = is_convex(corners)
        n = len(self.tree.order)
        there = self.tree.order >= 0
        self.tree_box, self.triangle = boxes(corners, self.tree), packed(corners, self.tree)
        self.corner_normal = np.zeros((n, 3, 3), np.float32)
        self.corner_uv = np.zeros((n, 3, 2), np.float32)
        self.corner_normal[there] = normals[self.tree.order[there]]
        if uv is not None:
            self.corner_uv[there] = uv[self.tree.order[there]]


def density(corners: np.ndarray, uv: np.ndarray) -> float:
    """Repetitions of a picture in a metre, from the areas of triangles (n, 3, 3), (n, 3, 2)."""
    sides, ways = corners[:, 1:] - corners[:, :1], uv[:, 1:] - uv[:, :1]
    area = np.linalg.norm(np.cross(sides[:, 0], sides[:, 1]), axis=1).sum()
    laid = np.abs(ways[:, 0, 0] * ways[:, 1, 1] - ways[:, 0, 1] * ways[:, 1, 0]).sum()
    return float(np.sqrt(laid / area)) if area > 0.0 else 1.0


def is_convex(corners: np.ndarray) -> bool:
    """True if all corners lie below the planes of all triangles (n, 3, 3)."""
    points = np.unique(corners.reshape(-1, 3), axis=0)
    if len(points) * len(corners) > MOST_TESTS:
        return False
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1)
    some = length > 0.0
    normal = normal[some] / length[some, None]
    height = (normal * corners[some, 0]).sum(axis=1)
    slack = FLATNESS * float(np.abs(points).max(initial=0.0))
    return all(
        (points @ part.T <= level + slack).all()
        for part, level in zip(_chunks(normal), _chunks(height), strict=True)
    )


def _chunks(array: np.ndarray) -> list[np.ndarray]:
    return [array[k : k + 256] for k in range(0, len(array), 256)]


_NOTHING = _Part(np.zeros((1, 3, 3)), np.zeros((1, 3, 3)), None)


def _mesh(model: "Model", mesh: int, hull: bool) -> _Part:
    """Triangles of a mesh, or of its convex hull with the normals of its faces."""
    vert0 = int(model.mesh_vertadr[mesh])
    vert = np.asarray(model.mesh_vert[vert0 : vert0 + int(model.mesh_vertnum[mesh])], np.float64)
    if hull:
        start = int(model.mesh_graphadr[mesh])
        nvert, nface = (int(n) for n in model.mesh_graph[start : start + 2])
        first = start + 2 + 3 * nvert + 3 * nface
        face = np.asarray(model.mesh_graph[first : first + 3 * nface]).reshape(-1, 3)
        return _Part(vert[face], flat_normals(vert[face]), None)
    rows = slice(
        int(model.mesh_faceadr[mesh]), int(model.mesh_faceadr[mesh] + model.mesh_facenum[mesh])
    )
    corners = vert[np.asarray(model.mesh_face[rows])]
    normals, uv = at_corners(model, mesh, rows, corners)
    return _Part(corners, normals, uv)


def at_corners(
    model: "Model", mesh: int, rows: slice, corners: np.ndarray
) -> tuple[np.ndarray, np.ndarray | None]:
    """Normals and texture coordinates at the corners of a mesh's triangles.

    Corners without a normal have that of their triangle; without coordinates, those are 0.

    Args:
        model: the model.
        mesh: the mesh.
        rows: its triangles among all.
        corners: of its triangles, (n, 3, 3) (m).

    Returns:
        Normals (n, 3, 3), and coordinates (n, 3, 2) if the mesh has any.
    """
    normal0 = int(model.mesh_normaladr[mesh])
    place = np.asarray(model.mesh_facenormal[rows])
    normals = np.asarray(model.mesh_normal)[normal0 + np.maximum(place, 0)]
    if (place < 0).any():
        normals = np.where(place[..., None] < 0, flat_normals(corners), normals)
    uv = None
    uv0 = int(model.mesh_texcoordadr[mesh])
    if uv0 >= 0:
        place = np.asarray(model.mesh_facetexcoord[rows])
        uv = np.asarray(model.mesh_texcoord)[uv0 + np.maximum(place, 0)]
        uv = np.where(place[..., None] < 0, 0, uv)
    else:
        # as in MuJoCo's pictures, edges of what has no texture coordinates are sharp
        flat = flat_normals(corners)
        smooth = (normals * flat).sum(axis=-1, keepdims=True) >= SMOOTH
        normals = np.where(smooth, normals, flat)
    return normals, uv


def flat_normals(corners: np.ndarray) -> np.ndarray:
    """Normals of triangles, the same at their three corners: (n, 3, 3)."""
    normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(normal, axis=1, keepdims=True)
    return np.repeat((normal / np.maximum(length, 1e-30))[:, None], 3, axis=1)


def _hfield(model: "Model", field: int, heights: np.ndarray) -> _Part:
    """Triangles of a height field: its surface, its four sides and its bottom.

    Args:
        model: the model.
        field: its number.
        heights: the model's `hfield_data`, or a world's.
    """
    nrow, ncol = int(model.hfield_nrow[field]), int(model.hfield_ncol[field])
    sx, sy, top, base = (float(x) for x in model.hfield_size[field])
    start = int(model.hfield_adr[field])
    data = np.asarray(heights[start : start + nrow * ncol], np.float64)
    x, y = np.linspace(-sx, sx, ncol), np.linspace(-sy, sy, nrow)
    point = np.empty((nrow, ncol, 3))
    point[..., 0], point[..., 1] = x, y[:, None]
    point[..., 2] = top * data.reshape(nrow, ncol)
    parts = [_quads(point)]
    floor = point.copy()
    floor[..., 2] = -base
    for edge, low in (
        (point[0], floor[0]),
        (point[-1, ::-1], floor[-1, ::-1]),
        (point[::-1, 0], floor[::-1, 0]),
        (point[:, -1], floor[:, -1]),
    ):
        parts.append(_quads(np.stack([low, edge])))
    ends = floor[[0, -1]][:, [0, -1]]
    parts.append(_quads(ends[:, ::-1]))
    corners = np.concatenate(parts)
    return _Part(corners, flat_normals(corners), None)


def _quads(grid: np.ndarray) -> np.ndarray:
    """Values at the corners of the triangles of a grid (rows, columns, 3): (n, 3, 3)."""
    a, b = grid[:-1, :-1].reshape(-1, 3), grid[:-1, 1:].reshape(-1, 3)
    c, e = grid[1:, 1:].reshape(-1, 3), grid[1:, :-1].reshape(-1, 3)
    return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, e], axis=1)])
