"""Largest number of contacts of two geoms, by their types."""

from mjenv.engine.tables.enums import DSBL_MULTICCD, DSBL_NATIVECCD, ENBL_OVERRIDE
from mjenv.mujoco.constants import mjMAXCONPAIR  # pyright: ignore[reportAttributeAccessIssue]
from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.structs import MjModel

_NAMES = {
    int(kind): name.removeprefix("mjGEOM_")
    for name, kind in enumeration("mjtGeom").__members__.items()
}
_ANY = ""
# of two types, whichever comes first in this table; "" is any type
_MOST = (
    ("HFIELD", "PLANE", 0), ("HFIELD", "HFIELD", 0), ("HFIELD", _ANY, mjMAXCONPAIR),
    ("SPHERE", _ANY, 1), ("ELLIPSOID", _ANY, 1),
    ("BOX", "BOX", 8), ("CAPSULE", "CAPSULE", 2), ("CAPSULE", "BOX", 4),
    ("PLANE", "CAPSULE", 2), ("PLANE", "CYLINDER", 4), ("PLANE", "BOX", 4), ("PLANE", "MESH", 3),
    ("PLANE", _ANY, 0),
)  # fmt: skip


def most_contacts(m: MjModel, g1: int, g2: int, has_margin: int) -> int:
    """Most contacts of two geoms.

    Args:
        m: the model.
        g1, g2: the geoms.
        has_margin: whether their margin counts; -1 to look at the model.
    """
    types = {_NAMES[int(m.geom_type[g])] for g in (g1, g2)}
    if "SDF" in types:
        return m.opt.sdf_initpoints
    for one, other, most in _MOST:
        pair = types >= {one} if other == _ANY else types == {one, other}
        if pair:
            return most
    if m.opt.disableflags & DSBL_MULTICCD:
        return 1
    if types & {"CAPSULE", "CYLINDER"} or m.opt.disableflags & DSBL_NATIVECCD:
        return 5
    margin = _has_margin(m, g1, g2) if has_margin < 0 else has_margin > 0
    return 5 if margin else 4


def _has_margin(m: MjModel, g1: int, g2: int) -> bool:
    """True if contacts of two geoms have a margin: the override's, their pair's, or their own."""
    if m.opt.enableflags & ENBL_OVERRIDE:
        return m.opt.o_margin > 0.0
    pairs = zip(m.pair_geom1.tolist(), m.pair_geom2.tolist(), strict=True)
    for place, pair in enumerate(pairs):
        if pair in ((g1, g2), (g2, g1)):
            return bool(m.pair_margin[place] > 0.0)
    return bool(m.geom_margin[g1] > 0.0 or m.geom_margin[g2] > 0.0)
