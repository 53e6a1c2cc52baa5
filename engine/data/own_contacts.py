"""Contacts that users add, or edit in their list, in one world: they carry their own numbers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import UnsupportedFeature
from ..physics.collision import own_contacts as own
from ..physics.collision.contact import NPART, PART_BITS
from ..run.in_use import alone
from ..run.scratch import GROWTH
from ..tables.enums import COUNT_CAND, COUNT_OWN, COUNT_SLOT
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
        ValueError: its geoms or its dim are none.
        UnsupportedFeature: it is one of a deformable.
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
    sizes, count, nv = scratch.sizes, scratch.data.arrays["count"], data.model.nv
    if count[COUNT_OWN] + n <= sizes["nown"]:
        return
    more = max(n, MORE, sizes["nown"])
    each = {
        "nown": 1, "ncand": 1, "nslot": 1, "nchaindof": max(nv, 1), "nblock": 1,
        "nrow": MOST_ROWS, "njac": MOST_DIM * nv,
    }  # fmt: skip
    scratch.enlarge({name: sizes[name] + more * k for name, k in each.items()})


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
        arrays["cand_chainadr"][cand] = len(arrays["chain_dof"]) - (k + 1) * max(data.model.nv, 1)
    for name, (place, n) in _PLACES.items():
        start = own.NVALUE * k + place
        arrays["own_value"][start : start + n] = np.reshape(values[name], -1)
    for name, n in (("dist", 1), ("pos", 3), ("frame", 9)):
        arrays[f"con_{name}"].reshape(-1, n)[slot] = np.reshape(values[name], -1)
    arrays["slot_dim"][slot] = values["dim"]
    _enter_chain(data, cand, *np.reshape(values["geom"], -1).tolist())


def _enter_chain(data: "MujocoData", cand: int, geom1: int, geom2: int) -> None:
    """Geoms of a candidate, and the dofs that move one of them, as `fill_chain` does."""
    arrays, model, tables = data.plan.scratch[0].data.arrays, data.model, data.plan.tables
    arrays["cand_geom1"][cand], arrays["cand_geom2"][cand] = geom1, geom2
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
    geoms, dim = np.reshape(values["geom"], -1).tolist(), int(np.reshape(values["dim"], -1)[0])
    flexes = np.reshape(values["flex"], -1)
    if min(geoms) < 0 and flexes.max() >= 0:
        raise UnsupportedFeature(
            f"{where}: a contact of geom {geoms} and flex {flexes.tolist()}: contacts of "
            "deformables come from collision alone; expected two geoms"
        )
    if min(geoms) < 0 or max(geoms) >= data.model.ngeom:
        raise ValueError(
            f"{where}: contact.geom={geoms}: expected two geoms, 0 to {data.model.ngeom - 1}"
        )
    if dim not in DIMS:
        raise ValueError(f"{where}: contact.dim={dim}: expected one of 1, 3, 4, 6")
