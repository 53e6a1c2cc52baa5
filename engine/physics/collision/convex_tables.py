"""Scratch of general convex collision, and how much of it a model needs."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...simd.record import STRIP
from ...tables.enums import GEOM_HFIELD
from .colliders import COLLIDE_BY_PORTAL, CONVEX, FACES, NUMBER
from .scratch import POLYTOPE
from .slots import CONVEX_SLOTS, HFIELD_SLOTS

if TYPE_CHECKING:
    from ...model.model import Model

MAX_ITERATIONS = 1000  # of an expansion of polytopes
MAX_SEPARATING = 1024  # pairs whose separating axes are remembered; a power of two
MAX_POLYVERT = 150  # corners of a polygon that MuJoCo looks at


def hfield_capacity(model: "Model", hfield: int, geom: int) -> int:
    """Most contacts of a height field with a geom: two in each cell under its bounding sphere.

    An interval of L cells meets at most ceil(L) + 1 of them.
    """
    field = model.geom_dataid[hfield]
    capacity = 2
    for half, samples in zip(
        model.hfield_size[field], (model.hfield_ncol[field], model.hfield_nrow[field]), strict=False
    ):
        cells = int(samples) - 1
        length = model.geom_rbound[geom] * cells / half * (1 + 1e-9) + 1e-9
        capacity *= int(min(cells, np.ceil(length) + 1))
    return min(capacity, HFIELD_SLOTS)


def polytopes(tables: Mapping[str, Any], width: int) -> dict:
    """How many polytopes there is room for: one for each lane where lanes are searched together."""
    return {"npolytope": width if tables["collider_num"][NUMBER[CONVEX]] else 1}


def convex_sizes(model: "Model", kinds: Any, most: int = 1) -> dict:
    """Sizes of the scratch of convex collision.

    There is room without such pairs, too: for distances that are asked for.

    Args:
        model: model.
        kinds: narrow phases of its candidate pairs.
        most: pairs that there may be of each of these.
    """
    nccd, corners = max(int(model.opt.ccd_iterations), 1), 0
    if not {NUMBER[row] for row, _ in COLLIDE_BY_PORTAL.values()}.intersection(kinds):
        nccd = min(nccd, MAX_ITERATIONS)
    if NUMBER[FACES] in kinds:
        corners = max(model.mesh_polyvertnum.max(initial=4), model.mesh_polymapnum.max(initial=4))
    npair = most * int(np.isin(kinds, (NUMBER[CONVEX], NUMBER[FACES])).sum())
    return {
        "nccd": nccd,
        "nccdcon": HFIELD_SLOTS if np.any(model.geom_type == GEOM_HFIELD) else CONVEX_SLOTS,
        "nccdvert": POLYTOPE + 5 + nccd,
        "nccdface": 6 * nccd,
        "nccdstrip": -(-6 * nccd // STRIP),
        "nccdpoly": min(int(corners), MAX_POLYVERT),
        "nseparating": min(1 << (2 * npair).bit_length(), MAX_SEPARATING),
    }
