"""Meshes around signed distance fields of plugins, by marching cubes.

Lorensen and Cline 1987. Each cell of a grid gets the triangles of its configuration: which of its
corners are inside. `marching_cubes.txt` has those of the configurations 1 to 254 in their order:
three edges for each triangle, as hexadecimal digits. They are the ones that MuJoCo 3.8.1 uses, read
off the mesh that it makes of a field of random numbers, which has all of them.
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...shapes.plugin_shapes import plugin_distance
from ...shapes.user_shapes import with_users
from ...simd.kernel import call_of, kernel
from ...simd.meaning import is_kernel
from ...simd.record import Layout, Record
from ...tables import plugin_kinds
from .raw_mesh import RawMesh

if TYPE_CHECKING:
    from ..draft.draft import Part

POINTS = 300  # of the grid along its three sides together
LAYOUT = Layout(
    "field",
    [
        ("nx", "size"), ("ny", "size"), ("nz", "size"), ("kind", "size"),
        ("setting", "f8", True, False), ("x", "f8", True, False), ("y", "f8", True, False),
        ("z", "f8", True, False), ("distance", "f8", True, False),
    ],
)  # fmt: skip


def _sides(name: str, n: list[float]) -> tuple[float, float, float]:
    """Half sizes of the box around a shape with some settings (m)."""
    if name.endswith("torus"):
        return n[0] + n[1], n[0] + n[1], n[1]
    if name.endswith("bowl"):
        return n[1] + n[2], n[1] + n[2], n[1] + n[2]
    if name.endswith("gear"):
        return n[1] / 2.0 * 1.25, n[1] / 2.0 * 1.25, n[3] / 2.0 * 1.1
    return 0.6, 0.6, 1.0


def field_mesh(part: "Part") -> RawMesh:
    """Mesh of the plugin of an asset, in single precision.

    Raises:
        MjcfError: a scale, or settings for which there is no surface.
    """
    if tuple(part["scale"]) != (1.0, 1.0, 1.0):
        raise part.error("scale: expected none in a mesh of a plugin")
    # settings of the instance over those of the plugin
    instance = part["instance"]
    kind = plugin_kinds.KINDS[instance["kind"]]
    settings = {name: instance["config"].get(name, "") for name in kind.attributes}
    if wrong := kind.wrong(settings):
        raise instance.error(f"{kind.name}: {wrong}")
    numbers = plugin_kinds.setting_numbers(kind, settings)
    # half sides of the sampled box, and cubes of about equal sides in it
    half = np.array(_sides(kind.name, numbers) if kind.box is None else kind.box(numbers), float)
    if half.shape != (3,) or not (np.isfinite(half).all() and (half > 0).all()):
        raise part.error(f"{kind.name}: expected settings of a shape that has a size")
    counts = np.floor(POINTS / sum(half.tolist()) * half).astype(int) + 1
    if counts.min() < 2:
        raise part.error(f"{kind.name}: expected a shape that is not so thin")
    # distances on the lattice, and the surface where they are zero
    field = _distances(kind, numbers, half, counts)
    if not (field.min() < 0 < field.max()):
        raise part.error(f"{kind.name}: expected a surface inside of its box")
    points, faces = marching_cubes(field.astype(np.float32))
    # from places in the lattice to lengths, centred
    vertices = (2 * half * points.astype(float) / (counts - 1) - half).astype(np.float32)
    none = np.empty((0, 3), np.int32)
    return RawMesh(
        vertices, _normals(points, faces), np.empty((0, 2), np.float32), faces, none, none
    )


def _distances(
    kind: plugin_kinds.PluginKind, numbers: list[float], half: np.ndarray, counts: np.ndarray
) -> np.ndarray:
    """Distances at the points of a grid, (nx, ny, nz) (m)."""
    axes = [0.0 - half[k] + 2 * half[k] * np.arange(counts[k]) / (counts[k] - 1) for k in range(3)]
    if kind.distance is not None and not is_kernel(kind.distance):
        found = np.asarray(kind.distance(numbers, tuple(np.meshgrid(*axes, indexing="ij"))), float)
        return np.broadcast_to(found, tuple(counts))
    place = plugin_kinds.place_of(kind.name)
    record = Record(LAYOUT)
    record.set_size("kind", place)
    record.set_array("setting", np.array([*numbers, 0.0]))
    for axis, places in zip("xyz", axes, strict=True):
        record.set_size(f"n{axis}", len(places))
        record.set_array(axis, places)
    record.set_array("distance", np.zeros(tuple(counts)))
    call_of(with_users(fill_field, [place]), ((LAYOUT, 0, False),), (record,))()
    return record.arrays["distance"]


@kernel
def fill_field(q):
    """Enter the distance from a shape at each point of a grid (m)."""
    for i in range(q.nx):
        for j in range(q.ny):
            for k in range(q.nz):
                p = (q.x[i], q.y[j], q.z[k])
                q.distance[(i * q.ny + j) * q.nz + k] = plugin_distance(q.kind, q.setting, p)


def marching_cubes(field: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices in units of cells, (n, 3) float32, and triangles, (f, 3), where a field is 0.

    Cells are visited along x, then y, then z; each brings the vertices on its upper edges, and on
    the lower ones where no cell came before.
    """
    inside = field < 0
    nx, ny, _ = field.shape
    keys, places, axes, vertices = [], [], [], []
    number = np.full((*field.shape, 3), -1)
    for axis in range(3):
        a, b = (np.delete(field, end, axis) for end in (-1, 0))
        cut = np.argwhere((a < 0) != (b < 0))
        others = [k for k in range(3) if k != axis]
        # the first cell that has the edge, and which of its edges it is
        cell = cut.copy()
        cell[:, others] = np.maximum(cut[:, others] - 1, 0)
        later = cut[:, others] > 0
        slot = 4 * axis + later[:, 0] + 2 * later[:, 1]
        keys.append(((cell[:, 2] * ny + cell[:, 1]) * nx + cell[:, 0]) * 12 + slot)
        # where the field is 0 on it
        one, two = a[tuple(cut.T)], b[tuple(cut.T)]
        point = cut.astype(np.float32)
        point[:, axis] += one / (one - two)
        places.append(cut)
        axes.append(np.full(len(cut), axis))
        vertices.append(point)
    order = np.argsort(np.concatenate(keys))
    place, axis = np.concatenate(places)[order], np.concatenate(axes)[order]
    number[(*place.T, axis)] = np.arange(len(order))
    return np.concatenate(vertices)[order], _triangles(inside, number)


def _triangles(inside: np.ndarray, number: np.ndarray) -> np.ndarray:
    """Triangles of all cells.

    Args:
        inside: of each point of the grid.
        number: the vertex on the edge that starts at each point, along each axis.
    """
    nx, ny, nz = (n - 1 for n in inside.shape)
    code = np.zeros((nx, ny, nz), int)
    for k in range(8):
        x, y, z = k & 1, k >> 1 & 1, k >> 2
        code += inside[x : nx + x, y : ny + y, z : nz + z].astype(int) << k
    # in the order of visits
    cells = np.flatnonzero((code.T > 0).ravel() & (code.T < 255).ravel())
    z, y, x = np.unravel_index(cells, code.T.shape)
    edges, start, count = _table()
    codes = code[x, y, z]
    owner = np.repeat(np.arange(len(cells)), count[codes])
    within = np.arange(len(owner)) - np.repeat(np.cumsum(count[codes]) - count[codes], count[codes])
    edge = edges[start[codes[owner]] + within]
    axis, turn = edge // 4, edge % 4
    first, second = np.where(axis == 0, 1, 0), np.where(axis == 2, 1, 2)
    at = np.stack([x, y, z], axis=1)[owner]
    at[np.arange(len(at)), first] += turn & 1
    at[np.arange(len(at)), second] += turn >> 1
    return number[at[:, 0], at[:, 1], at[:, 2], axis].reshape(-1, 3).astype(np.int32)


@cache
def _table() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Edges of the triangles of all configurations, where those of each start, and how many."""
    text = Path(__file__).with_name("marching_cubes.txt").read_text(encoding="utf-8")
    rows = ["", *text.split(), ""]
    count = np.array([len(row) for row in rows])
    edges = np.array([int(digit, 16) for digit in "".join(rows)])
    return edges, np.cumsum(count) - count, count


def _normals(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Unit normals of vertices: sums of those of triangles, by their area, in units of cells."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    u, v = c - b, a - b
    normal = np.stack(
        [u[:, i] * v[:, j] - u[:, j] * v[:, i] for i, j in ((1, 2), (2, 0), (0, 1))], axis=1
    )
    total = np.zeros_like(points)
    np.add.at(total, faces.ravel(), np.repeat(normal, 3, axis=0))
    length = np.sqrt(
        total[:, 0] * total[:, 0] + total[:, 1] * total[:, 1] + total[:, 2] * total[:, 2]
    )
    return total / length[:, None]
