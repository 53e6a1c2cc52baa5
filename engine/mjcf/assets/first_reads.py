"""Which mesh files a compilation of MuJoCo would read, and which it would take from its cache.

MuJoCo keeps what became of the mesh files that its process has compiled; texts of models name the
type of a file's contents where the compilation before had to read it. Of a file, it keeps what was
compiled first, until the file changes: other numbers of hulls, scales or inertias read it again.
"""

import os
from typing import TYPE_CHECKING, NamedTuple

from ..text.paths import content_type
from .kept import digest

if TYPE_CHECKING:
    from ..draft.draft import Part


class Read(NamedTuple):
    """How a mesh was compiled when its file was read.

    Attributes:
        stamp: time of the file's last change, or a digest of contents in memory.
        maxhullvert, inertia, scale: its settings.
        has_hull: whether it has a convex hull.
    """

    stamp: int | bytes
    maxhullvert: int
    inertia: str
    scale: tuple[float, ...]
    has_hull: bool

    def serves(self, other: "Read") -> bool:
        """True if what was kept is what another mesh would become."""
        return self[:-1] == other[:-1] and (self.has_hull or not other.has_hull)


_KEPT: dict[str, Read] = {}


def stamp_of(path: str, contents: bytes) -> int | bytes:
    """What changes when a file does: its time, or a digest of contents that are on no disk."""
    return os.stat(path).st_mtime_ns if os.path.isfile(path) else digest([contents])


def type_if_read(part: "Part", has_faces: bool, needs_hull: bool) -> str:
    """Type of the contents of a mesh's file, if MuJoCo reads it now; "" if it does not.

    Args:
        part: the mesh, whose value "read" is the path of its file and its stamp.
        has_faces: whether there are triangles; a hull is made where there are none.
        needs_hull: whether its convex hull is needed.
    """
    path, stamp = part["read"]
    scale = tuple(float(x) for x in part["scale"])
    settings = (int(part["maxhullvert"]), str(part["inertia"]), scale)
    kept = _KEPT.get(path)
    if kept is not None and kept.serves(Read(stamp, *settings, needs_hull)):
        return ""
    if kept is None or kept.stamp != stamp:
        _KEPT[path] = Read(stamp, *settings, needs_hull or not has_faces)
    return content_type(part.element, path)
