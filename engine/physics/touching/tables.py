"""What contacts of deformables need of a model, and scratch for them.

A *group* is a pair of things whose contacts MuJoCo looks for together and cuts down together. A
*meeting* is an element or a vertex, and what it may touch. A *side* is a geom, or a deformable f as
the number -1 - f; its *part* is an element, or a vertex v as -1 - v.
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
from ...tables.fields import table
from ..collision.flex_masks import NO_CONTACT, meeting, touch_themselves
from .narrow import (
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
FIRST_ROOM = 256  # meetings that there is room for at first

TOUCH_MODEL = table("""
ntouchgroup      size  -              groups
ntouchpart       size  -              most bodies that a contact moves
ntouchstack      size  -              nodes of two trees
nelemend         size  -              ends of all elements of a deformable
group_how        int   ntouchgroup    how it is searched
group_body       int   ntouchgroup    body
group_geom       int   ntouchgroup    geom; -1: all of the body
group_other      int   ntouchgroup    deformable instead of a body; -1: none
group_flex       int   ntouchgroup    deformable that may touch it
group_sorted     int   ntouchgroup    1: its contacts are sorted by what they touch
group_low        int   ntouchgroup    where its contacts stand among others: by the smaller number
group_high       int   ntouchgroup    and the larger number of body or nbody + deformable
elem_kind        int   36             narrow phase of a type of geom and a dimension; -1: none
""")
TOUCH_DATA = table("""
met_adr          int   ntouchgroup    first meeting of a group
met_num          int   ntouchgroup    its meetings
meet_kind        int   nmeet          narrow phase
meet_side        int   nmeet*2        the two sides
meet_part        int   nmeet*2        their parts; 0: of a geom
meet_adr         int   nmeet          first contact
tree_stack       int   ntouchstack*2  pairs of nodes that are still to be looked at
tree_turn        scalar 36            axes of two trees in each other
tree_shift       scalar 12            their places along these axes (m)
end_value        scalar nelemend      ends of their boxes, in single precision (m)
end_elem         int   nelemend       their elements
end_order        int   nelemend       ends in order
end_next         int   nelemend       the same while they are being sorted
end_begun        int   nelemend       elements that have begun and not ended
end_bound        scalar nelemend*4    their ends along the two other axes (m)
rod_pos          scalar 2*3           middle of an edge of each side (m)
rod_axis         scalar 2*3           its direction
rod_size         scalar 2*2           its radius and half its length (m)
tip_pos          scalar 2*12          vertices of an element of each side (m)
touch_on         int   ntouch         1: there is a contact
touch_meet       int   ntouch         meeting
touch_elem       int   ntouch         element, where a meeting is that of a whole sheet; -1: as met
touch_dist       real  ntouch         distance (m)
touch_pos        real  ntouch*3       midpoint (m)
touch_normal     real  ntouch*3       normal
touch_far        real  ntouch         squared distance from those that are kept (m^2)
touch_kept       int   ntouch         1: a place is taken
touch_order      int   ntouch         contacts of all groups in contact order
touch_group      int   ntouch         the same: group
moved_num         int   nkept          the same: bodies that it moves
moved_body        int   nkept*ntouchpart  these bodies
moved_weight      real  nkept*ntouchpart  how much they take part, first side negative
moved_inertia     real  nkept          approximate inverse inertia of both sides
moved_dof         int   ntouchpart     last dof of each body that is not yet in the chain
""")


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


def touch_tables(model: "Model", scene: bool) -> dict:
    """Arrays and sizes of `TOUCH_MODEL`, and sizes of `TOUCH_DATA`."""
    groups = _groups(model) if scene else []
    most = int(model.flex_bvhnum.max(initial=0))
    nodes = max(int(model.body_bvhnum.max(initial=0)), most) + most
    swept = [int(model.flex_elemnum[g.flex]) for g in groups if g.how == OWN_SWEEP]
    columns = np.array(groups, np.int32).reshape(len(groups), len(Group._fields)).T
    names = [f"group_{name}" for name in Group._fields]
    room = FIRST_ROOM if groups else 0
    return {
        "ntouchgroup": len(groups),
        "ntouchpart": 2 * most_bodies(model) if groups else 0,
        "ntouchstack": nodes if groups else 0,
        "nelemend": 2 * max(swept, default=0),
        "nmeet": room,
        "ntouch": room,
        "nkept": room,
        "elem_kind": KINDS_OF_GEOMS.ravel(),
        "meet_kinds": frozenset(_kinds(model, groups)),
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
    meets = meeting(model, model.body_contype, model.body_conaffinity)
    touched = meeting(model, model.geom_contype, model.geom_conaffinity)
    found = []
    for flex, body in np.argwhere(meets).tolist():
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
    meets = meeting(model, model.flex_contype, model.flex_conaffinity)
    for other, flex in np.argwhere(np.triu(meets, 1)).tolist():
        both = searched and min(model.flex_bvhadr[other], model.flex_bvhadr[flex]) >= 0
        how, ends = TWO_TREES if both else ALL_PAIRS, (model.nbody + other, model.nbody + flex)
        found.append(Group(how, flex, *ends, other=other, sorted=int(both)))
    return found


def _groups_of_one(model: "Model", searched: bool) -> list[Group]:
    """Groups of a deformable with itself, which come last."""
    found, last = [], model.nbody + model.nflex
    for flex in np.flatnonzero(touch_themselves(model)).tolist():
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


def touch_conditions(tables: dict) -> dict:
    """What conditions of stages ask for."""
    return {"touches": tables["ntouchgroup"], "meet_kinds": tables["meet_kinds"]}
