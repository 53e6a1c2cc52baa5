"""Candidate geom pairs of a model and the structures of its solver, derived once for all worlds.

Everything here depends on integers of the model only (types, contact filters, the tree), which do
not differ between worlds. Order of pairs is MuJoCo's order of contacts: by bodies, then by geoms.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import UnsupportedFeature
from ...tables.enums import (
    DSBL_CONSTRAINT,
    DSBL_CONTACT,
    DSBL_FILTERPARENT,
    DSBL_MIDPHASE,
    GEOM_HFIELD,
    JAC_AUTO,
    JAC_DENSE,
    MAX_DENSE,
)
from ..smooth.body_chains import body_chain
from .colliders import NCOLLIDER, NUMBER, ROW, TYPE_NAMES
from .convex_tables import convex_sizes, hfield_capacity

if TYPE_CHECKING:
    from ...model.model import Model


def colliding_pairs(model: "Model") -> np.ndarray:
    """Geom pairs that pass all filters, in the order of bodies, then of geoms: (n, 2)."""
    first, second = np.triu_indices(model.ngeom, 1)
    keep = _meet(model.geom_contype, model.geom_conaffinity, first, second)
    first, second = first[keep], second[keep]
    body1, body2 = model.geom_bodyid[first], model.geom_bodyid[second]
    # the bits of a body are those of its geoms together, unless they were edited
    keep = _meet(model.body_contype, model.body_conaffinity, body1, body2)
    first, second, body1, body2 = (ids[keep] for ids in (first, second, body1, body2))
    weld1, weld2 = model.body_weldid[body1], model.body_weldid[body2]
    up1 = model.body_weldid[model.body_parentid[weld1]]
    up2 = model.body_weldid[model.body_parentid[weld2]]
    keep = weld1 != weld2
    if not model.opt.disableflags & DSBL_FILTERPARENT:
        keep &= ~((weld1 != 0) & (weld2 != 0) & ((weld1 == up2) | (weld2 == up1)))
    low, high = np.minimum(body1, body2), np.maximum(body1, body2)
    signature = (low.astype(np.int64) << 16) + high
    keep &= ~np.isin(signature, np.asarray(model.exclude_signature, np.int64))
    types = model.geom_type
    # planes and height fields have no routine among themselves
    flat = (types[first] <= GEOM_HFIELD) & (types[second] <= GEOM_HFIELD)
    keep &= ~flat
    first, second, signature = first[keep], second[keep], signature[keep]
    if not model.opt.disableflags & DSBL_MIDPHASE:
        # the tree search of MuJoCo leaves contacts sorted by geoms in the order of their types
        swap = types[first] > types[second]
        first, second = np.where(swap, second, first), np.where(swap, first, second)
    order = np.lexsort((second, first, signature))
    return np.stack([first[order], second[order]], axis=1)


def _meet(contype: Any, conaffinity: Any, first: Any, second: Any) -> np.ndarray:
    """True where the bits of one of two things meet those of the other: bool (n,)."""
    return ((contype[first] & conaffinity[second]) | (contype[second] & conaffinity[first])) != 0


def candidate_pairs(model: "Model") -> tuple[np.ndarray, np.ndarray]:
    """Geom pairs that may touch, in contact order, and where their parameters come from.

    Of two bodies, predefined pairs come first; these pass no filter. A pair that is both
    predefined and found by the filters counts once, as predefined.

    Returns:
        Geoms, the smaller type first: (ncand, 2); index of the predefined pair or -1: (ncand,).
    """
    if model.opt.disableflags & (DSBL_CONTACT | DSBL_CONSTRAINT) or model.nbody < 2:
        return np.zeros((0, 2), np.int32), np.zeros(0, np.int32)
    found = colliding_pairs(model)
    given = np.stack([model.pair_geom1, model.pair_geom2], axis=1).astype(np.int64)
    numbers = np.arange(model.npair)
    types = model.geom_type
    solid = types[given].max(axis=1, initial=0) > GEOM_HFIELD
    given, numbers = given[solid], numbers[solid]
    keys = [pair.min(axis=1) * model.ngeom + pair.max(axis=1) for pair in (found, given)]
    if len(given):
        found = found[~np.isin(*keys)]
    pairs = np.concatenate([given, found])
    predefined = np.concatenate([numbers, np.full(len(found), -1)])
    bodies = np.sort(model.geom_bodyid[pairs].astype(np.int64), axis=1)
    order = np.argsort((bodies[:, 0] << 16) + bodies[:, 1], kind="stable")
    pairs, predefined = pairs[order], predefined[order]
    swap = types[pairs[:, 0]] > types[pairs[:, 1]]
    pairs[swap] = pairs[swap][:, ::-1]
    return pairs.astype(np.int32), predefined.astype(np.int32)


def is_dense(model: "Model") -> bool:
    """True if rows of the Jacobian that users see hold all dofs."""
    jacobian, nv = model.opt.jacobian, model.nv
    return nv > 0 and (jacobian == JAC_DENSE or (jacobian == JAC_AUTO and nv < MAX_DENSE))


def geom_label(model: "Model", geom: Any) -> str:
    """Name of a geom for messages."""
    return model.geom(int(geom)).name or f"geom {geom}"


def contact_tables(model: "Model") -> dict:
    """Arrays and sizes of `ENGINE_MODEL` that describe candidate pairs."""
    pairs, predefined = candidate_pairs(model)
    kinds, slots = _routines(model, pairs)
    # chain of each pair: dofs that move one of its geoms, or both
    chains = [body_chain(model, body) for body in range(model.nbody)]
    dense = is_dense(model)
    dofs, sides = list(range(model.nv)), [2] * model.nv
    chainadr, chainnum, coupled = [], [], []
    joint: dict[tuple[int, int], tuple[list[int], list[int], int]] = {}
    for bodies in map(tuple, model.geom_bodyid[pairs].tolist()):
        if bodies not in joint:
            joint[bodies] = _joint_chain(chains[bodies[0]], chains[bodies[1]], dense)
        union, of_sides, both = joint[bodies]
        chainadr.append(len(dofs))
        chainnum.append(len(union))
        coupled.append(both)
        dofs += union
        sides += of_sides
    # pairs of each collider side by side
    order = np.argsort(kinds, kind="stable")
    counts = np.bincount(kinds, minlength=NCOLLIDER) if len(kinds) else np.zeros(NCOLLIDER, int)
    return {
        "ncand": len(pairs),
        "nslot": int(slots.sum()),
        "cand_geom1": pairs[:, 0],
        "cand_geom2": pairs[:, 1],
        "cand_predefined": predefined,
        "cand_slotadr": np.cumsum(slots) - slots,
        "cand_chainadr": chainadr,
        "cand_chainnum": chainnum,
        "cand_coupled": coupled,
        **convex_sizes(model, kinds),
        "slot_cand": np.repeat(np.arange(len(pairs)), slots),
        "slot_dim": np.repeat(pair_dims(model, pairs, predefined), slots),
        "collider_adr": np.cumsum(counts) - counts,
        "collider_num": counts,
        "collider_pair": order,
        "chain_dof": dofs,
        "chain_side": sides,
    }


def _routines(model: "Model", pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Collider and room for contacts of each pair of geoms.

    Raises:
        UnsupportedFeature: there is none for some pair.
    """
    kinds, slots = [], []
    for geoms, types in zip(pairs, map(tuple, model.geom_type[pairs].tolist()), strict=True):
        row = ROW.get(types)
        if row is None:
            raise UnsupportedFeature(
                f"{geom_label(model, geoms[0])}, {geom_label(model, geoms[1])}: "
                f"contacts between {TYPE_NAMES[types[0]]} and {TYPE_NAMES[types[1]]} "
                "are not supported; expected no sdf; "
                "exclude the pair with contype/conaffinity"
            )
        kinds.append(NUMBER[row])
        of_field = types[0] == GEOM_HFIELD
        slots.append(hfield_capacity(model, *geoms) if of_field else row.capacity(*types))
    return np.array(kinds, np.int32), np.array(slots, np.int32)


def _joint_chain(
    chain1: list[int], chain2: list[int], dense: bool
) -> tuple[list[int], list[int], int]:
    """Dofs that move one of two bodies, the sides that they move, and whether both sides have some.

    A side is 1 for the first body, 2 for the second; 3 where nothing moves one alone.
    """
    one, two = set(chain1) - set(chain2), set(chain2) - set(chain1)
    union = sorted(one | two)
    if not union and dense:
        # nothing moves one geom only: rows of zeros, as MuJoCo has them
        union = chain1[-1:] or [0]
    sides = [2 if dof in two else 1 if dof in one else 3 for dof in union]
    return union, sides, int(bool(one) and bool(two))


def pair_dims(model: "Model", pairs: Any, predefined: Any) -> np.ndarray:
    """Dimensions of the contact force (condim) of each pair: given, or by priority."""
    priority, condim = model.geom_priority[pairs], model.geom_condim[pairs]
    mixed = np.where(
        priority[:, 0] > priority[:, 1],
        condim[:, 0],
        np.where(priority[:, 0] < priority[:, 1], condim[:, 1], condim.max(axis=1, initial=0)),
    )
    if not model.npair:
        return mixed
    return np.where(predefined >= 0, model.pair_dim[predefined], mixed)
