"""Tables of large models, whose candidate geom pairs are found step by step.

A model whose pairs are few keeps a fixed list of them (`candidates.contact_tables`). In a model of
hundreds of geoms that list would be far longer than what ever touches; then the broad phase lists
candidates in every step, out of the tables made here, which grow linearly with the model.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import UnsupportedFeature
from ...tables.enums import DSBL_CONSTRAINT, DSBL_CONTACT, ENBL_SLEEP, GEOM_HFIELD, GEOM_PLANE
from .candidates import geom_label, is_dense
from .colliders import HFIELDS, NCOLLIDER, NUMBER, ROW, TYPE_NAMES
from .convex_tables import convex_sizes, hfield_capacity
from .flex_masks import flexes_collide
from .scratch import LARGE_MODEL_TABLES
from .slots import NTYPE

if TYPE_CHECKING:
    from ...model.model import Model

MANY_PAIRS = 10000  # from so many pairs on, a fixed list is too long even for packs of worlds
MANY_SLOTS = 25000  # from so much room for contacts on; a pack then takes half a GB per thread
MANY_DOFS = 100  # from so many dofs on, worlds are too large to share a pack
MOST_DOFS = 250  # of a world in a pack, where inertia joins most pairs of its dofs
MANY_GEOMS = 1000  # pairs of more geoms are not counted any more
# few bodies with many geoms each are looked at before their geoms
MOST_RIGID, GEOMS_OF_RIGID = 16, 4
FIRST_CAPACITY = 256  # candidate pairs that there is room for at first


def is_large_model(model: "Model", asked: bool | None) -> bool:
    """True if candidates are found step by step: as asked, or because there are many."""
    sleeps = bool(model.opt.enableflags & ENBL_SLEEP)
    touches = flexes_collide(model)
    if touches and asked is False:
        raise ValueError(
            "Data: large_model=False: found deformables that may touch something, which need "
            "that mode; expected True or None, or option flag contact='disable'"
        )
    if sleeps and asked is False:
        raise ValueError(
            "Data: large_model=False: found option flag sleep='enable', which needs that mode; "
            "expected True or None"
        )
    if asked is not None:
        return bool(asked)
    if is_large(model) or sleeps or touches:
        return True
    kinds, counts = collision_kinds(model, of_world=True)
    if counts.sum() > MANY_GEOMS:
        return True
    # an upper bound: of bodies, only the world counts, whose geoms do not touch one another
    kinds, of_world = kinds[:, :-1], kinds[:, -1] != 0
    touching = may_collide(kinds) & ~(of_world[:, None] & of_world)
    pairs = np.where(touching, np.outer(counts, counts), 0)
    _, capacities = collider_tables()
    slots = pairs * np.maximum(capacities[np.ix_(kinds[:, 0], kinds[:, 0])], 0)
    return int(pairs.sum()) // 2 > MANY_PAIRS or int(slots.sum()) // 2 > MANY_SLOTS


def is_large(model: "Model") -> bool:
    """True if worlds are too large to share a pack.

    Long chains are none the less quicker in packs: their matrices have few zeros to be passed over.
    """
    is_full = 2 * model.nC > model.nv * (model.nv + 1) // 2
    return model.nv > (MOST_DOFS if is_full else MANY_DOFS)


def collider_tables() -> tuple[np.ndarray, np.ndarray]:
    """Narrow phase of two types of geoms, -1: none, and its most contacts, 0: of a height field."""
    colliders, capacities = np.full((2, NTYPE, NTYPE), -1)
    for (first, second), row in ROW.items():
        capacity = 0 if row is HFIELDS else row.capacity(first, second)
        colliders[first, second] = colliders[second, first] = NUMBER[row]
        capacities[first, second] = capacities[second, first] = capacity
    return colliders, capacities


def collision_kinds(model: "Model", of_world: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Kinds of geoms that can collide, (n, 3): type, contype, conaffinity; number of each.

    Args:
        model: the model.
        of_world: whether a fourth column says which are fixed to the world.
    """
    named = [model.geom_type, model.geom_contype, model.geom_conaffinity]
    if of_world:
        named.append(np.asarray(model.body_weldid)[model.geom_bodyid] == 0)
    columns = np.stack(named, axis=1)
    columns = columns[(columns[:, 1] != 0) | (columns[:, 2] != 0)]
    if not len(columns):
        return np.zeros((0, len(named)), np.int32), np.zeros(0, np.int64)
    return np.unique(columns, axis=0, return_counts=True)


def may_collide(kinds: np.ndarray) -> np.ndarray:
    """Pairs of kinds of geoms that may collide, by type and by bits: bool (n, n)."""
    types, contype, conaffinity = kinds.T
    bits = (contype[:, None] & conaffinity[None]) | (contype[None] & conaffinity[:, None])
    flat = (types[:, None] <= GEOM_HFIELD) & (types[None] <= GEOM_HFIELD)
    return (bits != 0) & ~flat


def small_model_tables(model: "Model") -> dict:
    """Tables of a model with a fixed list of candidates: nothing."""
    tables = {row.name: 0 if row.type == "size" else [] for row in LARGE_MODEL_TABLES}
    return {**tables, **search_sizes(model, 0), "is_dense": int(is_dense(model))}


def search_sizes(model: "Model", nsweep: int) -> dict:
    """Sizes of the scratch of the broad phase."""
    return {
        "nsweep": nsweep,
        "nentry": 3 * nsweep,
        "nbucket": max(model.ngeom, model.nbody) + 2 if nsweep else 0,
        "nfound": FIRST_CAPACITY if nsweep else 0,
    }


def large_model_tables(model: "Model") -> dict:
    """Arrays and sizes of `ENGINE_MODEL` for a large model; candidates: none yet, with some room.

    Raises:
        UnsupportedFeature: geoms may collide for which there is no narrow phase.
    """
    kinds, counts = collision_kinds(model)
    disabled = model.opt.disableflags & (DSBL_CONTACT | DSBL_CONSTRAINT)
    # geoms that may collide at all
    bits = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    planes = model.geom_type == GEOM_PLANE
    given = given_tables(model)
    # narrow phases that they may need
    used = colliders_used(model, kinds, counts, given["given_pair"])
    colliders, capacities = collider_tables()
    weld = model.body_weldid[model.geom_bodyid]
    # geoms to sweep, those of moving bodies first
    sweep = np.flatnonzero(bits & ~planes)
    sweep = np.concatenate([sweep[weld[sweep] != 0], sweep[weld[sweep] == 0]])
    fields = field_tables(model)
    # candidates are found in each step; there is room for a few
    none = ("cand_geom1", "cand_geom2", "cand_predefined", "cand_slotadr", "cand_chainadr")
    none += ("cand_chainnum", "cand_coupled", "slot_cand", "slot_dim", "collider_pair")
    return {
        **small_model_tables(model),
        **{name: [] for name in none},
        **given,
        **apart_tables(model),
        **search_sizes(model, max(len(sweep), 1)),
        **fields,
        **convex_sizes(model, np.flatnonzero(used), len(sweep) ** 2),
        "is_large_model": 1,
        "is_dense": int(is_dense(model)),
        "ncand": FIRST_CAPACITY,
        "nslot": FIRST_CAPACITY,
        **rigid_tables(weld[sweep]),
        "nplane": int((bits & planes).sum()),
        "nsweep": len(sweep),
        "nmoving": int((weld[sweep] != 0).sum()),
        "collider_adr": np.zeros(NCOLLIDER, int),
        "collider_num": used.astype(int) * (not disabled),
        "chain_dof": list(range(model.nv)),
        "chain_side": [2] * model.nv,
        "sweep_geom": sweep,
        "plane_geom": np.flatnonzero(bits & planes),
        "geom_weldid": weld,
        "geom_upid": model.body_weldid[model.body_parentid[weld]],
        "type_collider": colliders.ravel(),
        "type_capacity": capacities.ravel(),
    }


def rigid_tables(weld: np.ndarray) -> dict:
    """Which of few bodies each geom belongs to, where bodies have many geoms."""
    bodies, number = np.unique(weld, return_inverse=True)
    few = len(bodies) <= MOST_RIGID and len(weld) >= GEOMS_OF_RIGID * len(bodies)
    return {"nrigid": len(bodies) if few else 0, "sweep_rigid": number}


def given_tables(model: "Model") -> dict:
    """Predefined pairs in contact order, and with which geoms each geom has one."""
    pairs = np.stack([model.pair_geom1, model.pair_geom2], axis=1).astype(np.int64)
    numbers = np.flatnonzero(model.geom_type[pairs].max(axis=1, initial=0) > GEOM_HFIELD)
    if model.nbody < 2:
        # the world alone: MuJoCo does not look for contacts
        numbers = numbers[:0]
    pairs = pairs[numbers]
    adr, num, geom = partners(pairs, model.ngeom)
    return {
        "ngiven": len(numbers),
        "given_pair": numbers,
        "given_adr": adr,
        "given_num": num,
        "given_geom": geom,
    }


def apart_tables(model: "Model") -> dict:
    """Bodies that each body is excluded from touching."""
    signature = np.asarray(model.exclude_signature, np.int64)
    pairs = np.stack([signature >> 16, signature & 0xFFFF], axis=1)
    adr, num, body = partners(pairs, model.nbody)
    return {"apart_adr": adr, "apart_num": num, "apart_body": body}


def partners(pairs: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Lists of the things that each of n things is paired with: first entries, lengths, lists."""
    both = np.concatenate([pairs, pairs[:, ::-1]])
    count = np.bincount(both[:, 0], minlength=n)
    return np.cumsum(count) - count, count, both[np.argsort(both[:, 0], kind="stable"), 1]


def field_tables(model: "Model") -> dict:
    """Most contacts of every height field with every geom."""
    fields = np.flatnonzero(model.geom_type == GEOM_HFIELD)
    adr = np.zeros(model.ngeom, int)
    adr[fields] = np.arange(len(fields)) * model.ngeom
    capacity = [
        hfield_capacity(model, field, geom)
        for field in map(int, fields)
        for geom in range(model.ngeom)
    ]
    return {
        "geom_field": adr,
        "field_capacity": np.array(capacity, int),
        "nfieldcapacity": len(capacity),
    }


def colliders_used(model: "Model", kinds: Any, counts: Any, given: Any) -> np.ndarray:
    """Narrow phases that the model may need: bool (ncollider,)."""
    used = np.zeros(NCOLLIDER, bool)
    touching = may_collide(kinds)
    # a kind of which there is one geom does not collide with itself
    touching[np.diag_indices_from(touching)] &= counts > 1
    pairs = {_in_order(kinds[i, 0], kinds[j, 0]) for i, j in np.argwhere(touching)}
    geoms = np.stack([model.pair_geom1[given], model.pair_geom2[given]], axis=1)
    pairs |= {_in_order(*types) for types in model.geom_type[geoms]}
    for types in sorted(pairs):
        if types not in ROW:
            geom = int(np.flatnonzero(model.geom_type == types[1])[0])
            raise UnsupportedFeature(
                f"{geom_label(model, geom)}: contacts between {TYPE_NAMES[types[0]]} and "
                f"{TYPE_NAMES[types[1]]} are not supported; expected no sdf; "
                "exclude them with contype/conaffinity"
            )
        used[NUMBER[ROW[types]]] = True
    return used


def _in_order(kind1: Any, kind2: Any) -> tuple[int, int]:
    """Types of two geoms as the table of colliders names them: the smaller one first."""
    one, other = int(kind1), int(kind2)
    return (one, other) if one <= other else (other, one)
