"""Fields of simulations: state, inputs and results of data; fields of models."""

from typing import Any

import numpy as np

from mjenv.engine.analysis.state import COMPONENTS
from mjenv.engine.data.requested_fields import ABSENT
from mjenv.engine.model.model import Model
from mjenv.engine.tables.fields import DATA, DTYPES, MODEL, OPTION, Field

ROWS: dict[str, Field] = {row.name: row for row in DATA}
STATE = {part.field: part.bit for part in COMPONENTS}
# numbers of contacts, rows and islands, the only scalars besides the time
COUNTS = ("nA", "nJ", "ncon", "ne", "nefc", "nf", "nidof", "nisland", "nl")
# lists whose length differs, and what MuJoCo keeps together with them
_COUNTED = {"nefc", "nJ", "nA", "nisland", "nidof", "ncon"}
_WITH_LISTS = frozenset(
    (
        *("tendon_efcadr", "tree_island", "map_itree2tree", "dof_island", "map_dof2idof"),
        *("map_idof2dof", "iM_colind", "iM", "iLD", "maxuse_threadstack", "solver", "warning"),
        "timer",
    )
)
DATA_FIELDS = frozenset(
    row.name
    for row in DATA
    if row.name not in ABSENT | _WITH_LISTS
    and (row.name in (*STATE, *COUNTS) or (row.shape and row.shape[0] not in _COUNTED))
)
_SHARED = (
    "mesh_", "skin_", "hfield_", "tex_", "oct_", "bvh_child", "bvh_depth", "bvh_nodeid",
    "text_data", "names", "paths",
)  # fmt: skip
ASSETS = frozenset(row.name for row in MODEL if row.shape and row.name.startswith(_SHARED))
OPTIONS = {f"opt.{row.name}": row for row in OPTION}
MODEL_FIELDS = frozenset(
    {row.name for row in MODEL if row.shape and row.type != "char"} - ASSETS | OPTIONS.keys()
)


def template(model: Model, name: str) -> np.ndarray:
    """A field of data of one simulation: zeros of its shape and type."""
    row = ROWS[name]
    kind = "i4" if row.type == "size" else DTYPES[row.type]
    return np.zeros([n if isinstance(n, int) else getattr(model, n) for n in row.shape], kind)


def value_of(model: Model, name: str) -> np.ndarray:
    """A field of a model, or of its options ("opt.gravity") or statistics ("stat.extent")."""
    group, _, field = name.rpartition(".")
    value: Any = getattr(getattr(model, group), field) if group else getattr(model, name)
    if group and not isinstance(value, np.ndarray):
        return np.asarray(value, np.int32 if isinstance(value, int) else np.float64)
    if name == "bvh_aabb":
        # those of bodies stand before those of meshes
        return value[: int(model.body_bvhnum.sum())]
    return np.asarray(value)


def set_value(model: Model, name: str, value: np.ndarray) -> None:
    """Set a field of a model, by its name as in `value_of`."""
    group, _, field = name.rpartition(".")
    if not group:
        target = value_of(model, name)
        # what cannot be edited in a model is the same in all
        if target.flags.writeable or not np.array_equal(target, value):
            target[...] = value
        return
    structure = getattr(model, group)
    present = getattr(structure, field)
    if isinstance(present, np.ndarray):
        present[...] = value
    else:
        setattr(structure, field, type(present)(value))


def state_columns(model: Model) -> dict[str, tuple[int, int, tuple[int, ...]]]:
    """Fields of the whole state in its rows: where each begins and ends, and its shape."""
    found, start = {}, 0
    for part in COMPONENTS:
        shape = template(model, part.field).shape
        end = start + int(np.prod(shape))
        found[part.field] = start, end, shape
        start = end
    return found
