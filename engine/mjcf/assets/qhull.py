"""Qhull, which scipy has: runs of it, and the lists of the hull that a run made.

MuJoCo's graph of a hull follows Qhull's own lists: that of the vertices, and of the triangles
around each in the order in which they came to it. Nothing public of scipy shows them. They are read
where Qhull keeps them, and are taken if they are those of the hull that the run shows.
"""

import ctypes
import importlib.machinery
import importlib.util
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
# words of a vertex: next, previous, point, triangles around it; number and last visit, a half each
VERTEX_POINT, VERTEX_TRIANGLES, VERTEX_NUMBER = 2, 3, 4
HALF = np.uint64(0xFFFFFFFF)
# addresses of a process, before and behind which it has nothing
LOWEST, HIGHEST = 1 << 12, 1 << 47


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
    vertices, numbers, counts, triangles = found
    if len(triangles):
        owners = np.repeat(np.arange(len(vertices)), counts)
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
    """Points of the vertices, their numbers, numbers and addresses of the triangles around each."""
    # Qhull's memory, and the first vertex in it: it stands before both counts
    on_hull = np.flatnonzero(np.bincount(facets.ravel()))
    place = MEMORY + hasattr(type(run), "__pyx_vtable__")
    memory = int(_words(id(run), place + 1)[place])
    counts = len(facets) | len(on_hull) << 32
    found = np.flatnonzero(_words(memory, ROOM) == counts) if memory else ()
    if len(found) != 1 or sys.byteorder != "little" or ctypes.sizeof(ctypes.c_void_p) != WORD:
        return None
    address = int(_words(memory, ROOM)[found[0] - FIRST])
    # the vertices, each with the address of the next; the last one is none
    chain, word = [], ctypes.c_uint64.from_address
    while address and len(chain) <= len(on_hull) and (following := word(address).value):
        chain.append(address)
        address = following
    return _read_vertices(np.array(chain, np.uint64), points, on_hull)


def _read_vertices(chain: np.ndarray, points: np.ndarray, on_hull: np.ndarray) -> tuple | None:
    """What `_vertices` returns, of vertices at some addresses; None if they are not on the hull."""
    if len(chain) != len(on_hull):
        return None
    memory = _memory()
    places = _place(chain)
    distance = memory[places + VERTEX_POINT].astype(np.int64) - points.ctypes.data
    vertices = distance // points.strides[0]
    numbers = (memory[places + VERTEX_NUMBER] & HALF).astype(np.int64)
    fits = (distance % points.strides[0] == 0).all()
    # they are those of the hull
    if not fits or not np.array_equal(np.sort(vertices), on_hull):
        return None
    if len(np.unique(numbers)) < len(numbers):
        return None
    return vertices, numbers, *_sets(memory[places + VERTEX_TRIANGLES])


def _sets(addresses: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of entries of Qhull's sets, none at the address 0, and the entries, set by set."""
    counts = np.zeros(len(addresses), int)
    there = np.flatnonzero(addresses)
    if not len(there):
        return counts, np.zeros(0, np.uint64)
    memory = _memory()
    places = _place(addresses[there])
    # room, entries, and behind the room: one more than there are, or 0 where it is full
    room = (memory[places] & HALF).astype(np.int64)
    behind = (memory[places + room + 1] & HALF).astype(np.int64)
    counts[there] = np.where(behind > 0, behind - 1, room)
    own = counts[there]
    first = np.cumsum(own) - own
    inner = np.arange(own.sum()) - np.repeat(first, own)
    return counts, memory[np.repeat(places + 1, own) + inner]


@cache
def _memory() -> np.ndarray:
    """All memory from `LOWEST` on as words, of which those may be read that are there."""
    words: Any = (ctypes.c_uint64 * ((HIGHEST - LOWEST) // WORD)).from_address(LOWEST)
    return np.frombuffer(words, np.uint64)


def _place(addresses: np.ndarray) -> np.ndarray:
    """Where `_memory` has what stands at some addresses."""
    return (addresses.astype(np.int64) - LOWEST) // WORD


def _words(address: int, count: int) -> np.ndarray:
    """Words of memory."""
    return np.frombuffer(ctypes.string_at(address, WORD * count), np.uint64)


def _same(triangles: np.ndarray, others: np.ndarray) -> bool:
    """True if triangles are the same, in whatever order, with their corners in whatever order."""
    rows = [np.sort(some, axis=1) for some in (triangles, others)]
    ordered = [some[np.lexsort(some.T)] for some in rows]
    return np.array_equal(ordered[0], ordered[1])
