"""Qhull, which scipy has: runs of it, and the lists of the hull that a run made.

MuJoCo's graph of a hull follows Qhull's own lists: that of the vertices, and of the triangles
around each in the order in which they came to it. Nothing public of scipy shows them. They are read
where Qhull keeps them, and are taken if they are those of the hull that the run shows.
"""

import ctypes
import importlib.machinery
import importlib.util
import struct
import sys
import warnings
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

# before the extension that has Qhull, the one that it imports
KNOWN = (1, 11), (1, 18)  # first and last scipy in which the lists were found; others may differ
NEEDED = ("scipy.linalg.cython_lapack", "scipy.spatial._qhull")
WORD = 8  # bytes of an address
MEMORY = 2  # word of scipy's object that has the address of Qhull's memory, without methods of C
ROOM = 400  # words that are looked at there; it has more
FIRST = 3  # words from the address of the first vertex to the counts of triangles and vertices
VERTEX = struct.Struct("4Q2I")  # next, previous, point, triangles around it; number, last visit


class Lists(NamedTuple):
    """Lists of a hull in Qhull's order.

    Attributes:
        vertices: points on the hull, (n,).
        owners, corners: a row for each triangle around each vertex, vertex after vertex: the
            vertex, (3 f,), and the corners of the triangle, (3 f, 3), as places in `vertices`.
    """

    vertices: np.ndarray
    owners: np.ndarray
    corners: np.ndarray


@cache
def extension() -> Any:
    """The module of scipy that has Qhull.

    Its package imports much more, which takes a third of a second: the file is loaded without it. A
    later import of the package finds everything as if this had not been.

    Raises:
        ImportError: there is no scipy.
    """
    if "scipy.spatial" not in sys.modules:
        try:
            for name in NEEDED:
                sys.modules[name] = _loaded(name)
            return sys.modules[NEEDED[-1]]
        except FileNotFoundError:
            # not where it is in a usual installation
            pass
        finally:
            for name in NEEDED:
                sys.modules.pop(name, None)
    from scipy.spatial import _qhull

    return _qhull


def _loaded(name: str) -> Any:
    """An extension module of scipy, loaded without its package.

    Raises:
        FileNotFoundError: no such file.
    """
    import scipy

    path = Path(scipy.__file__).parent.joinpath(*name.split(".")[1:])
    for ending in importlib.machinery.EXTENSION_SUFFIXES:
        file = path.with_name(path.name + ending)
        spec = importlib.util.spec_from_file_location(name, file)
        if file.exists() and spec and spec.loader:
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    raise FileNotFoundError(path)


@cache
def is_known() -> bool:
    """Whether this scipy keeps Qhull's memory where it is looked for; warns if not.

    Elsewhere a wrong address could end the process.
    """
    import scipy

    version = tuple(int(part) for part in scipy.__version__.split(".")[:2])
    if KNOWN[0] <= version <= KNOWN[1] and sys.implementation.name == "cpython":
        return True
    first, last = (".".join(map(str, end)) for end in KNOWN)
    warnings.warn(
        f"scipy {scipy.__version__}: mjenv knows the order of Qhull's lists in {first} to {last}; "
        "neighbours of hull vertices are in another order than MuJoCo's, so that other vertices of "
        "round meshes may touch planes; install one of these versions for MuJoCo's",
        RuntimeWarning,
        stacklevel=2,
    )
    return False


def lists(run: Any, points: np.ndarray, facets: np.ndarray) -> Lists | None:
    """Qhull's lists; None where they are not found.

    Args:
        run: scipy's object.
        points: what it was given, (n, 3) float64, contiguous.
        facets: its triangles by points, (f, 3).
    """
    found = _vertices(run, points, facets) if is_known() else None
    if found is None:
        return None
    vertices, numbers, around = found
    if any(around):
        owners = np.repeat(np.arange(len(vertices)), list(map(len, around)))
        triangles = np.array([triangle for some in around for triangle in some])
        # a triangle is known by the three vertices that have it
        by_triangle = np.argsort(triangles, kind="stable")
        if len(owners) != facets.size:
            return None
        corners = owners[by_triangle].reshape(-1, 3)
        each = np.empty(len(owners), int)
        each[by_triangle] = np.repeat(np.arange(len(corners)), 3)
    else:
        # without merged triangles there are no lists yet: they would be that of all triangles
        local = np.empty(len(points), int)
        local[vertices] = np.arange(len(vertices))
        corners = local[facets]
        by_vertex = np.argsort(corners.ravel(), kind="stable")
        owners, each = corners.ravel()[by_vertex], by_vertex // 3
    if not _same(vertices[corners], facets):
        return None
    # the corners of a triangle come by falling numbers
    order = np.argsort(-numbers[corners], axis=1, kind="stable")
    return Lists(vertices, owners, np.take_along_axis(corners, order, 1)[each])


def _vertices(run: Any, points: np.ndarray, facets: np.ndarray) -> tuple | None:
    """Points of the vertices, their numbers, and addresses of the triangles around each."""
    # Qhull's memory, and the first vertex in it: it stands before both counts
    on_hull = np.flatnonzero(np.bincount(facets.ravel()))
    place = MEMORY + hasattr(type(run), "__pyx_vtable__")
    memory = int(_words(id(run), place + 1)[place])
    counts = len(facets) | len(on_hull) << 32
    found = np.flatnonzero(_words(memory, ROOM) == counts) if memory else ()
    if len(found) != 1 or sys.byteorder != "little" or ctypes.sizeof(ctypes.c_void_p) != WORD:
        return None
    address = int(_words(memory, ROOM)[found[0] - FIRST])
    # the vertices, each with the address of the next
    vertices, numbers, around = [], [], []
    start, size = points.ctypes.data, points.strides[0]
    while address and len(vertices) <= len(on_hull):
        next_one, _, point, set_of_triangles, number, _ = VERTEX.unpack(
            ctypes.string_at(address, VERTEX.size)
        )
        if not next_one:
            break
        vertex, rest = divmod(point - start, size)
        if rest or not 0 <= vertex < len(points):
            return None
        vertices.append(vertex)
        numbers.append(number)
        around.append(_set(set_of_triangles))
        address = next_one
    # they are those of the hull
    if not np.array_equal(np.sort(vertices), on_hull) or len(set(numbers)) < len(numbers):
        return None
    return np.array(vertices), np.array(numbers), around


def _set(address: int) -> tuple:
    """Addresses that one of Qhull's sets holds."""
    if not address:
        return ()
    # room, addresses, and behind the room: one more than there are, or 0 where it is full
    room = ctypes.c_int.from_address(address).value
    last = address + WORD * (room + 1)
    count = ctypes.c_int.from_address(last).value - 1
    count = room if count < 0 else count
    return struct.unpack_from(f"{count}Q", ctypes.string_at(address + WORD, WORD * count))


def _words(address: int, count: int) -> np.ndarray:
    """Words of memory."""
    return np.frombuffer(ctypes.string_at(address, WORD * count), np.uint64)


def _same(triangles: np.ndarray, others: np.ndarray) -> bool:
    """True if triangles are the same, in whatever order, with their corners in whatever order."""
    rows = [np.sort(some, axis=1) for some in (triangles, others)]
    ordered = [some[np.lexsort(some.T)] for some in rows]
    return np.array_equal(ordered[0], ordered[1])
