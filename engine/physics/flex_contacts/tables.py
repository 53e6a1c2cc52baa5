"""Tables that contacts of deformables need of a model, and scratch for them.

A *group* is a pair of things whose contacts MuJoCo looks for together and cuts down together. A
*pair of the mid phase* (`midpair`) is an element or a vertex, and what it may touch; a contact
of a deformable is an `fcon`. A *side* is a geom, or a deformable f as the number -1 - f; its *part*
is an element, or a vertex v as -1 - v.
"""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...tables.enums import (
    DSBL_MIDPHASE,
    FLEXSELF_AUTO,
    FLEXSELF_BVH,
    FLEXSELF_NARROW,
    FLEXSELF_NONE,
)
from ..collision.flex_masks import NO_CONTACT, flexes_self_collide, matching_masks
from .narrow_phase import (
    KINDS_OF_GEOMS,
    TWO_EDGES,
    TWO_ELEMENTS,
    VERTEX_ELEMENT,
    VERTEX_FACE,
)

if TYPE_CHECKING:
    from ...model.model import Model

# how a group is searched: geoms of a body or one geom with a deformable; two of these, or one with
# itself; vertices within one
TREES, ELEMENTS, TWO_TREES, ALL_PAIRS, OWN_PAIRS, OWN_SWEEP, INSIDE = range(7)
MOST = 50  # contacts that are left of a group (mjMAXCONPAIR)
FIRST_CAPACITY = 256  # pairs of the mid phase that there is room for at first


class Group(NamedTuple):
    """One row of the tables of groups."""

    how: int
    flex: int
    low: int
    high: int
    body: int = -1
    geom: int = -1
    other: int = -1
    sorted: int = 0


def flex_contact_tables(model: "Model", tables: dict) -> dict:
    """Arrays and sizes of `FLEX_CONTACT_MODEL`, and sizes of `FLEX_CONTACT_DATA`."""
    groups = _groups(model) if tables["is_large_model"] else []
    most = int(model.flex_bvhnum.max(initial=0))
    nodes = max(int(model.body_bvhnum.max(initial=0)), most) + most
    swept = [int(model.flex_elemnum[g.flex]) for g in groups if g.how == OWN_SWEEP]
    columns = np.array(groups, np.int32).reshape(len(groups), len(Group._fields)).T
    names = [f"group_{name}" for name in Group._fields]
    capacity = FIRST_CAPACITY if groups else 0
    return {
        "nfcongroup": len(groups),
        "nfconpart": 2 * most_bodies(model),
        "nfconstack": nodes if groups else 0,
        "nelemend": 2 * max(swept, default=0),
        "nmidpair": capacity,
        "nfcon": capacity,
        "nkept": capacity,
        "elem_kind": KINDS_OF_GEOMS.ravel(),
        "midpair_kinds": frozenset(_kinds(model, groups)),
        **dict(zip(names, columns, strict=True)),
    }


def most_bodies(model: "Model") -> int:
    """Most bodies that one side of a contact moves: vertices of an element, nodes of a cell."""
    orders = np.abs(model.flex_interp)
    return int(
        max(model.flex_dim.max(initial=0) + 1, ((orders + 1) ** 3)[orders > 0].max(initial=1))
    )


def _groups(model: "Model") -> list[Group]:
    """All groups, in contact order."""
    if model.opt.disableflags & NO_CONTACT or model.nbody + model.nflex < 2:
        return []
    searched = not model.opt.disableflags & DSBL_MIDPHASE
    matches = matching_masks(model, model.body_contype, model.body_conaffinity)
    touched = matching_masks(model, model.geom_contype, model.geom_conaffinity)
    found = []
    for flex, body in np.argwhere(matches).tolist():
        ends = body, model.nbody + flex
        if searched and model.body_bvhadr[body] >= 0 and model.flex_bvhadr[flex] >= 0:
            found.append(Group(TREES, flex, *ends, body=body, sorted=1))
            continue
        geoms = [geom for geom in _geoms(model, body) if touched[flex, geom]]
        found += [Group(ELEMENTS, flex, *ends, body=body, geom=geom) for geom in geoms]
    found = sorted(found, key=lambda group: (group.low, group.high))
    return found + _groups_of_two(model, searched) + _groups_of_one(model, searched)


def _groups_of_two(model: "Model", searched: bool) -> list[Group]:
    """Groups of two deformables."""
    found = []
    matches = matching_masks(model, model.flex_contype, model.flex_conaffinity)
    for other, flex in np.argwhere(np.triu(matches, 1)).tolist():
        both = searched and min(model.flex_bvhadr[other], model.flex_bvhadr[flex]) >= 0
        how, ends = TWO_TREES if both else ALL_PAIRS, (model.nbody + other, model.nbody + flex)
        found.append(Group(how, flex, *ends, other=other, sorted=int(both)))
    return found


def _groups_of_one(model: "Model", searched: bool) -> list[Group]:
    """Groups of a deformable with itself, which come last."""
    found, last = [], model.nbody + model.nflex
    for flex in np.flatnonzero(flexes_self_collide(model)).tolist():
        if model.flex_internal[flex]:
            found.append(Group(INSIDE, flex, last, 2 * flex))
        kind = int(model.flex_selfcollide[flex])
        if kind == FLEXSELF_NONE:
            continue
        how = OWN_SWEEP
        if not searched or kind == FLEXSELF_NARROW or model.flex_bvhadr[flex] < 0:
            how = OWN_PAIRS
        elif kind == FLEXSELF_BVH or (kind == FLEXSELF_AUTO and model.flex_dim[flex] == 3):
            how = TWO_TREES
        found.append(Group(how, flex, last, 2 * flex + 1, other=flex))
    return found


def _kinds(model: "Model", groups: list[Group]) -> set[int]:
    """Narrow phases that the groups may need."""
    found = set()
    for group in groups:
        dims = int(model.flex_dim[group.flex]), int(model.flex_dim[group.other])
        if group.how == INSIDE:
            found |= {VERTEX_ELEMENT[dims[0]]} | ({VERTEX_FACE} if dims[0] == 3 else set())
        elif group.other >= 0:
            found.add(TWO_EDGES if dims == (1, 1) else TWO_ELEMENTS)
        for kind in _types(model, group):
            dim = int(model.flex_dim[group.flex])
            found.add(int(KINDS_OF_GEOMS[kind, dim]))
    return found


def _geoms(model: "Model", body: int) -> range:
    """Geoms of a body."""
    first = int(model.body_geomadr[body])
    return range(first, first + int(model.body_geomnum[body]))


def _types(model: "Model", group: Group) -> set[int]:
    """Types of the geoms of a group."""
    if group.body < 0:
        return set()
    geoms = _geoms(model, group.body) if group.geom < 0 else (group.geom,)
    return {int(model.geom_type[geom]) for geom in geoms}
