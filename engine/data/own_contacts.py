"""Contacts that users add, or edit in their list, in one world: they carry their own numbers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UnsupportedFeature
from ..physics.collision import own_contacts as own
from ..physics.collision.contact import NPART, PART_BITS
from ..run.in_use import alone
from ..run.scratch import GROWTH
from ..tables.enums import COUNT_CAND, COUNT_KEPT, COUNT_OWN, COUNT_SLOT
from ..tables.fields import CONTACT
from .reallocation import apply_edits, follow_lists

if TYPE_CHECKING:
    from .as_mujoco import MujocoData

Values = Mapping[str, Any]
DIMS = (1, 3, 4, 6)
MOST_ROWS, MOST_DIM = 10, 6  # of a contact
MORE = 8  # contacts that room is made for at once, at least
# fields of mjContact, and where a contact that users own keeps them
_PLACES = {
    "includemargin": (own.MARGIN, 1), "friction": (own.FRICTION, 5), "solref": (own.SOLREF, 2),
    "solreffriction": (own.SOLREFFRICTION, 2), "solimp": (own.SOLIMP, 5),
    "exclude": (own.EXCLUDE, 1), "mu": (own.MU, 1), "efc_address": (own.ADDRESS, 1),
    "geom1": (own.GEOM, 1), "geom2": (own.GEOM + 1, 1), "flex": (own.FLEX, 2),
    "elem": (own.ELEM, 2), "vert": (own.VERT, 2), "H": (own.HESSIAN, 36),
}  # fmt: skip
FIELDS = tuple(row.name for row in CONTACT)


def add_contact(data: "MujocoData", values: Values) -> None:
    """Append a contact to those of data of one world; there are no rows afterwards.

    It lasts until contacts are looked for again, as by `step` and `forward`.

    Args:
        data: one world that lives in the scratch of its thread, a `MujocoData`.
        values: all fields of mjContact by name.

    Raises:
        ValueError: its geoms, parts of deformables or its dim are none.
        UnsupportedFeature: it is a spring, but not of a passive deformable.
        DataInUse: a call is working on the data.
    """
    alone(data.plan, "add_contact", _add, data, values)
    data.show_held()


def _add(data: "MujocoData", values: Values) -> None:
    """The same, while no other call works on the data."""
    from .single_functions import run_now

    _check(data, values, "add_contact")
    apply_edits(data)
    data.plan.refresh()
    data.take_edits("make_constraint")
    use_own_contacts(data)
    reserve_contacts(data, 1)
    arrays = data.plan.scratch[0].data.arrays
    count = arrays["count"]
    _note_before(arrays)
    slot = int(count[COUNT_SLOT])
    count[COUNT_SLOT] = slot + 1
    # the rows of those before are gone
    arrays["own_value"][own.ADDRESS :: own.NVALUE] = -1.0
    _own_slot(data, slot, values, new=True)
    arrays["con_any"][slot], arrays["con_on"][slot] = 1, 1.0
    arrays["con_part"][(slot >> PART_BITS) & (NPART - 1)] = 1
    fit_lists(data)
    run_now(data, "clear_efc")


def own_contact(data: "MujocoData", slot: int, values: Values, where: str) -> None:
    """Have the contact in a slot bring its own numbers.

    Args:
        data: see `add_contact`, after `reserve_contacts`.
        slot: where it is.
        values: all fields of mjContact by name.
        where: name of the public function, for messages.

    Raises:
        ValueError, UnsupportedFeature: see `add_contact`.
    """
    _check(data, values, where)
    arrays = data.plan.scratch[0].data.arrays
    _note_before(arrays)
    _own_slot(data, slot, values)


def use_own_contacts(data: "MujocoData") -> None:
    """Have stages and fields for contacts of users, also where no geoms can touch."""
    if not data.plan.conditions["owns_contacts"]:
        data.plan.own_contacts()


def reserve_contacts(data: "MujocoData", n: int) -> None:
    """Have room for n more contacts of users in the scratch."""
    scratch = data.plan.scratch[0]
    total = int(scratch.data.arrays["count"][COUNT_OWN]) + n
    if any(size > scratch.sizes[name] for name, size in _sizes(data, total).items()):
        sizes = _sizes(data, max(2 * total, MORE))
        scratch.enlarge({k: size for k, size in sizes.items() if size > scratch.sizes[k]})


def _sizes(data: "MujocoData", nown: int) -> dict[str, int]:
    """Sizes of the scratch that so many contacts of users need beside those that were found."""
    nv = data.model.nv
    each = {
        "nown": 1, "ncand": 1, "nslot": 1, "nchaindof": max(nv, 1), "nblock": 1,
        "nrow": MOST_ROWS, "njac": MOST_DIM * nv, "nkept": int(data.model.nflex > 0),
    }  # fmt: skip
    found = _found_sizes(data) if data.plan.large_model else data.plan.sizes
    return {name: found.get(name, 0) + nown * k for name, k in each.items()}


def _found_sizes(data: "MujocoData") -> dict[str, int]:
    """Sizes that contacts need which the last search of a large model has found."""
    arrays, sizes = data.plan.scratch[0].data.arrays, data.plan.sizes
    count = arrays["count"]
    before = arrays["own_before"] if count[COUNT_OWN] else count[[COUNT_SLOT, COUNT_CAND]]
    nslot, ncand = (int(n) for n in before)
    chains = (arrays["cand_chainadr"][:ncand] + arrays["cand_chainnum"][:ncand]).max(initial=0)
    dims = arrays["slot_dim"][:nslot]
    entries = int(dims @ arrays["cand_chainnum"][arrays["slot_cand"][:nslot]])
    return {
        "ncand": ncand,
        "nslot": nslot,
        "nchaindof": max(int(chains), sizes["nfixedchain"]),
        "nblock": sizes["nfixedblock"] + nslot,
        "nrow": sizes["nfixedrow"] + int(np.maximum(1, 2 * (dims - 1)).sum()),
        "njac": sizes["nfixedjac"] + entries,
        "nkept": int(count[COUNT_KEPT]),
    }


def fit_lists(data: "MujocoData") -> None:
    """Have users' lists as long as the contacts that there are may need.

    Lists that are long enough stay where they are, as users may hold their arrays. Those of large
    models are made anew whenever they are looked at.
    """
    if data.plan.large_model:
        return
    arrays, sizes = data.plan.scratch[0].data.arrays, data.plan.sizes
    slots = np.flatnonzero(arrays["con_any"][: arrays["count"][COUNT_SLOT]])
    dims, cands = arrays["slot_dim"][slots], arrays["slot_cand"][slots]
    rows = np.where(dims == 1, 1, 2 * (dims - 1))
    nefc = sizes["nfixedrow"] + int(rows.sum())
    entries = sizes["nfixedjac"] + int((rows * arrays["cand_chainnum"][cands]).sum())
    dense = data.plan.tables["is_dense"]
    need = {
        "nconmax": len(slots), "nefc": nefc, "nJ": nefc * data.model.nv if dense else entries,
    }  # fmt: skip
    longer = {name: int(GROWTH * n) for name, n in need.items() if n > sizes[name]}
    if longer:
        follow_lists(data, longer)
        data.shown.move(data._arrays)


def _note_before(arrays: dict[str, np.ndarray]) -> None:
    """Note how many slots and candidates there are before any contact of users."""
    count = arrays["count"]
    if not count[COUNT_OWN]:
        arrays["own_before"][:] = count[COUNT_SLOT], count[COUNT_CAND]


def _own_slot(data: "MujocoData", slot: int, values: Values, new: bool = False) -> None:
    """Enter a contact of users in a slot: as a candidate of its own."""
    arrays, npair = data.plan.scratch[0].data.arrays, data.model.npair
    count = arrays["count"]
    cand = -1 if new else int(arrays["slot_cand"][slot])
    k = int(arrays["cand_predefined"][cand]) - npair if cand >= 0 else -1
    if k < 0:
        # the first time
        k, cand_new = int(count[COUNT_OWN]), int(count[COUNT_CAND])
        count[COUNT_OWN], count[COUNT_CAND] = k + 1, cand_new + 1
        before = (-1, -1) if new else (cand, arrays["slot_dim"][slot])
        arrays["own_slot"][3 * k : 3 * k + 3] = slot, *before
        cand = arrays["slot_cand"][slot] = cand_new
        arrays["cand_predefined"][cand], arrays["cand_slotadr"][cand] = npair + k, slot
        arrays["cand_chainadr"][cand] = _sizes(data, k)["nchaindof"]
    for name, (place, n) in _PLACES.items():
        start = own.NVALUE * k + place
        arrays["own_value"][start : start + n] = np.reshape(values[name], -1)
    for name, n in (("dist", 1), ("pos", 3), ("frame", 9)):
        arrays[f"con_{name}"].reshape(-1, n)[slot] = np.reshape(values[name], -1)
    arrays["slot_dim"][slot] = values["dim"]
    geoms = np.reshape(values["geom"], -1)
    sides = np.where(geoms < 0, -1 - np.reshape(values["flex"], -1), geoms)
    arrays["cand_geom1"][cand], arrays["cand_geom2"][cand] = sides
    if min(sides) < 0:
        # of a deformable: what it moves follows as rows are made
        arrays["cand_chainnum"][cand] = data.model.nv
    else:
        _enter_chain(data, cand, *sides.tolist())


def _enter_chain(data: "MujocoData", cand: int, geom1: int, geom2: int) -> None:
    """The dofs that move one of the geoms of a candidate, as `fill_chain` does."""
    arrays, model, tables = data.plan.scratch[0].data.arrays, data.model, data.plan.tables
    dof1, dof2 = (int(tables["body_lastdof"][model.geom_bodyid[g]]) for g in (geom1, geom2))
    dofs, sides = [], []
    while dof1 != dof2:
        dofs.append(max(dof1, dof2))
        sides.append(1 if dof1 > dof2 else 2)
        if dof1 > dof2:
            dof1 = int(model.dof_parentid[dof1])
        else:
            dof2 = int(model.dof_parentid[dof2])
    coupled = len(set(sides)) > 1
    if not dofs and tables["is_dense"]:
        # nothing moves one geom only: rows of zeros, as MuJoCo has them
        dofs, sides = [max(dof1, 0)], [3]
    adr = int(arrays["cand_chainadr"][cand])
    arrays["chain_dof"][adr : adr + len(dofs)] = dofs[::-1]
    arrays["chain_side"][adr : adr + len(dofs)] = sides[::-1]
    arrays["cand_chainnum"][cand], arrays["cand_coupled"][cand] = len(dofs), coupled


def _check(data: "MujocoData", values: Values, where: str) -> None:
    """Raise an error for a contact that can have no rows."""
    dim, exclude = (int(np.reshape(values[name], -1)[0]) for name in ("dim", "exclude"))
    geoms, flexes = (np.reshape(values[name], -1).tolist() for name in ("geom", "flex"))
    for side in range(2):
        if geoms[side] < 0 <= flexes[side]:
            _check_deformable(data, values, side, where)
        elif not 0 <= geoms[side] < data.model.ngeom:
            raise ValueError(
                f"{where}: contact.geom={geoms}, contact.flex={flexes}: expected at each side a "
                f"geom, 0 to {data.model.ngeom - 1}, or a deformable, 0 to {data.model.nflex - 1}"
            )
    if dim not in DIMS:
        raise ValueError(f"{where}: contact.dim={dim}: expected one of 1, 3, 4, 6")
    springs = {f for f in flexes if 0 <= f < data.model.nflex and data.model.flex_passive[f]}
    sides = {f for f, geom in zip(flexes, geoms, strict=True) if geom < 0}
    if springs - sides or (exclude == 4 and not springs):
        raise UnsupportedFeature(
            f"{where}: contact.exclude={exclude}, contact.flex={flexes}, contact.geom={geoms}: "
            "a spring between geoms; expected a passive deformable at a side without a geom"
        )


def _check_deformable(data: "MujocoData", values: Values, side: int, where: str) -> None:
    """Raise an error if a side of a contact is no element and no vertex of a deformable."""
    flex, elem, vert = (int(np.reshape(values[n], -1)[side]) for n in ("flex", "elem", "vert"))
    model = data.model
    if not flex < model.nflex:
        raise ValueError(
            f"{where}: contact.flex[{side}]={flex}: expected a deformable, 0 to {model.nflex - 1}"
        )
    nelem, nvert = int(model.flex_elemnum[flex]), int(model.flex_vertnum[flex])
    if not (0 <= vert < nvert if vert >= 0 else 0 <= elem < nelem):
        raise ValueError(
            f"{where}: contact.elem[{side}]={elem}, contact.vert[{side}]={vert}: expected an "
            f"element, 0 to {nelem - 1}, or a vertex, 0 to {nvert - 1}"
        )
