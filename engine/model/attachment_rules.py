"""Rules for what is attached to other elements: equalities, tendons, actuators, sensors, tuples."""

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from ..tables.enums import (
    DYN_NONE,
    EQ_CONNECT,
    EQ_JOINT,
    EQ_TENDON,
    EQ_WELD,
    JNT_BALL,
    OBJ_BODY,
    OBJ_CAMERA,
    OBJ_JOINT,
    OBJ_SITE,
    OBJ_TENDON,
    SENS_BALLANGVEL,
    SENS_BALLQUAT,
    SENS_CONTACT,
    SENS_RANGEFINDER,
    SENS_USER,
    TRN_BODY,
    TRN_JOINT,
    TRN_JOINTINPARENT,
    TRN_SITE,
    TRN_SLIDERCRANK,
    TRN_TENDON,
    WRAP_CYLINDER,
    WRAP_JOINT,
    WRAP_PULLEY,
    WRAP_SITE,
    WRAP_SPHERE,
)
from ..tables.sensor_kinds import CONTACT, FRAMES, NSENS, OBJECTS, RAY, REDUCE, SENSORS
from .named import NAMED
from .validation import ValidationError, in_range, refuse, same, starts, total

if TYPE_CHECKING:
    from .model import Model


@cache
def _object_sizes() -> tuple[str, ...]:
    """Size of each kind of element by mjtObj; "" for none."""
    names = {**{kind: size for kind, (size, _) in NAMED.items()}, "xbody": "nbody", "dof": "nv"}
    return tuple(names.get(kind, "") for kind in OBJECTS)


def _sizes_of(m: "Model", name: str, kinds: np.ndarray) -> np.ndarray:
    """Number of elements of some kinds (mjtObj)."""
    sizes = np.array([getattr(m, size) if size else 0 for size in _object_sizes()])
    in_range(name, np.full(kinds.shape, True), kinds, 0, len(sizes))
    return sizes[kinds]


def equalities(m: "Model") -> None:
    """Both objects of an equality are of its kind."""
    if not m.neq:
        return
    rigid = m.eq_type <= EQ_TENDON
    kinds = np.where(m.eq_type == EQ_JOINT, OBJ_JOINT, OBJ_TENDON)
    bodies_or_sites = np.isin(m.eq_type, (EQ_CONNECT, EQ_WELD))
    kinds = np.where(bodies_or_sites, m.eq_objtype, np.where(rigid, kinds, 0))
    in_range("eq_obj1id", ~rigid, m.eq_obj1id, 0, m.nflex)
    bad = bodies_or_sites & ~np.isin(kinds, (OBJ_BODY, OBJ_SITE))
    refuse("eq_objtype", bad, kinds, f"{OBJ_BODY} or {OBJ_SITE}")
    sizes = _sizes_of(m, "eq_objtype", kinds)
    in_range("eq_obj1id", rigid, m.eq_obj1id, 0, sizes)
    single = np.isin(m.eq_type, (EQ_JOINT, EQ_TENDON))
    in_range("eq_obj2id", rigid & single, m.eq_obj2id, -1, sizes)
    in_range("eq_obj2id", rigid & ~single, m.eq_obj2id, 0, sizes)


def tendons(m: "Model") -> None:
    """Paths hold joints, or sites behind pulleys; what they wrap around lies between sites."""
    if not m.ntendon and not m.nwrap:
        return
    kind, ids = m.wrap_type, m.wrap_objid
    round_ = (kind == WRAP_SPHERE) | (kind == WRAP_CYLINDER)
    in_range("wrap_objid", kind == WRAP_JOINT, ids, 0, m.njnt)
    in_range("wrap_objid", kind == WRAP_SITE, ids, 0, m.nsite)
    in_range("wrap_objid", round_, ids, 0, m.ngeom)
    # the site on the side where a tendon passes
    side = m.wrap_prm
    refuse("wrap_prm", round_ & ~((side >= -1) & (side < m.nsite)), side, "-1, or the id of a site")
    total("tendon_num", "nwrap", int(m.tendon_num.sum()), m)
    same("tendon_adr", m.tendon_adr, starts(m.tendon_num))
    for adr, num in zip(m.tendon_adr.tolist(), m.tendon_num.tolist(), strict=True):
        _path(kind[adr : adr + num], adr)
    same("ten_J_rowadr", m.ten_J_rowadr, starts(m.ten_J_rownnz))


def _path(kind: np.ndarray, adr: int) -> None:
    """Raise `ValidationError` for a path that cannot be followed to its end."""
    if not (kind == WRAP_JOINT).any():
        site = kind == WRAP_SITE
        bad = kind > WRAP_SITE
        bad[1:-1] &= ~(site[:-2] & site[2:])
        bad[-1:] |= ~site[-1:]
        # a path may begin with a pulley, not end with one
        bad[:1] |= ~site[:1] & (kind[:1] != WRAP_PULLEY)
        bad[1:] |= (kind[:-1] == WRAP_PULLEY) & ~site[1:]
    else:
        bad = kind != WRAP_JOINT
    if bad.any():
        k = int(np.argmax(bad))
        raise ValidationError(f"wrap_type[{adr + k}]: found {kind[k]}, expected joints alone, or "
                  "sites at both ends and on both sides of a geom")  # fmt: skip


def actuators(m: "Model") -> None:
    """Targets of actuators exist, and so do their activations and histories."""
    if not m.nu:
        return
    kind = m.actuator_trntype
    first, second = m.actuator_trnid[:, 0], m.actuator_trnid[:, 1]
    joint = (kind == TRN_JOINT) | (kind == TRN_JOINTINPARENT)
    crank, site = kind == TRN_SLIDERCRANK, kind == TRN_SITE
    for where, size in (
        (joint, m.njnt),
        (kind == TRN_TENDON, m.ntendon),
        (site | crank, m.nsite),
        (kind == TRN_BODY, m.nbody),
    ):
        in_range("actuator_trnid", where, first, 0, size)
    in_range("actuator_trnid", crank, second, 0, m.nsite)
    in_range("actuator_trnid", site, second, -1, m.nsite)
    bare = (m.actuator_dyntype != DYN_NONE) & (m.actuator_actnum < 1)
    bare &= m.actuator_dyntype < DYN_NONE + 5  # motors may do without
    refuse("actuator_actnum", bare, m.actuator_actnum, "1 or more")
    _histories(m, "actuator", np.ones(m.nu, int))


def _histories(m: "Model", kind: str, dim: np.ndarray) -> None:
    """Delay buffers have room for their samples."""
    history, adr = getattr(m, f"{kind}_history"), getattr(m, f"{kind}_historyadr")
    number, order = history[:, 0].astype(np.int64), history[:, 1]
    refuse(f"{kind}_history", number < 0, number, "0 or more samples")
    refuse(f"{kind}_history", (order < 0) | (order > 2), order, "an order of 0 to 2")
    length = np.where(number > 0, 2 + number * (1 + dim), 0)
    in_range(f"{kind}_historyadr", number > 0, adr, 0, m.nhistory - length + 1)


@cache
def _sensor_columns() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By type: kinds of object and reference that a sensor may have, and its number of values."""
    allowed = np.zeros((2, NSENS, len(OBJECTS)), bool)
    dims = np.full(NSENS, -1)
    for row in SENSORS.values():
        dims[row.type] = row.dim if isinstance(row.dim, int) else -1
        for end, names in zip(allowed, (row.object, row.reference), strict=True):
            kinds = [name.rstrip("12") for name in names.rstrip("?").split("|") if name]
            kinds = list(FRAMES) if kinds in (["objname"], ["refname"]) else kinds
            places = [OBJECTS.index(kind.replace("subtree", "xbody")) for kind in kinds]
            end[row.type, places] = True
            end[row.type, 0] |= not names or names.endswith("?")
    allowed[0, SENS_USER] = True
    return allowed[0], allowed[1], dims


def sensors(m: "Model") -> None:
    """Sensors are attached to what their type measures, and deliver what it says."""
    if not m.nsensor:
        return
    *allowed, dims = _sensor_columns()
    for end, known in zip(("obj", "ref"), allowed, strict=True):
        kinds, ids = getattr(m, f"sensor_{end}type"), getattr(m, f"sensor_{end}id")
        sizes = _sizes_of(m, f"sensor_{end}type", kinds)
        bad = ~known[m.sensor_type, kinds]
        refuse(f"sensor_{end}type", bad, kinds, "a kind that this type of sensor has")
        in_range(f"sensor_{end}id", kinds > 0, ids, 0, sizes)
    ball = np.isin(m.sensor_type, (SENS_BALLQUAT, SENS_BALLANGVEL))
    turning = m.jnt_type[np.where(ball, m.sensor_objid, 0)] == JNT_BALL if ball.any() else ~ball
    refuse("sensor_objid", ball & ~turning, m.sensor_objid, "a ball joint")
    total("sensor_dim", "nsensordata", int(m.sensor_dim.astype(np.int64).sum()), m)
    same("sensor_adr", m.sensor_adr, starts(m.sensor_dim))
    expected = _measured(m, dims[m.sensor_type])
    refuse("sensor_dim", (expected >= 0) & (m.sensor_dim != expected), m.sensor_dim, expected)
    _histories(m, "sensor", m.sensor_dim)


def _measured(m: "Model", dims: np.ndarray) -> np.ndarray:
    """Number of values of each sensor; -1 where nothing but the model says it."""
    dims, settings = dims.copy(), m.sensor_intprm
    for kind, words in ((SENS_RANGEFINDER, RAY), (SENS_CONTACT, CONTACT)):
        sizes = np.array(list(words.values()))
        for k in np.flatnonzero(m.sensor_type == kind):
            bits, reduce, number = settings[k].tolist()
            if not 0 < bits < 1 << len(sizes):
                raise ValidationError(
                    f"sensor_intprm[{3 * k}]: found {bits}, expected bits of {len(sizes)}"
                )
            if not 0 <= reduce < len(REDUCE):
                raise ValidationError(
                    f"sensor_intprm[{3 * k + 1}]: found {reduce}, expected 0 to 3"
                )
            if kind == SENS_RANGEFINDER:
                camera = m.sensor_objtype[k] == OBJ_CAMERA
                number = m.cam_resolution[m.sensor_objid[k]].prod(dtype=int) if camera else 1
            dims[k] = number * sizes[(bits >> np.arange(len(sizes))) & 1 > 0].sum()
    return dims


def tuples(m: "Model") -> None:
    """Members of tuples are there."""
    if not m.ntuple:
        return
    kinds, ids = m.tuple_objtype, m.tuple_objid
    in_range("tuple_objid", np.full(ids.shape, True), ids, 0, _sizes_of(m, "tuple_objtype", kinds))
