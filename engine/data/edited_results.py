"""Edits of results that users see in another form than stages do, put back for the next stages.

Contacts, constraint rows and moment arms are lists that are made of what stages work on. Where a
single stage runs after others, the lists are made once more: what differs was edited. It is put
where the stages find it, and refused by name where they have no place for it.
"""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import UnsupportedFeature
from ..physics.solver.cone import MIDDLE
from ..pipeline.stage import Stage
from ..tables.enums import (
    CNSTR_CONTACT_ELLIPTIC,
    CNSTR_CONTACT_PYRAMIDAL,
    CNSTR_FRICTION_DOF,
    CNSTR_FRICTION_TENDON,
    COUNT_BLOCK,
    COUNT_SLOT,
    DSBL_ISLAND,
    SOL_PGS,
    STATE_CONE,
    STATE_QUADRATIC,
    TRN_BODY,
    TRN_SITE,
    TRN_SLIDERCRANK,
)
from .own_contacts import FIELDS, fit_lists, own_contact, reserve_contacts, use_own_contacts

if TYPE_CHECKING:
    from ..simd.record import Record
    from .as_mujoco import MujocoData
    from .data import Data

Arrays = dict[str, np.ndarray]
CLOSE = 1e-9  # relative; what edits are put into may differ from them by rounding


class Editable(NamedTuple):
    """A list that may be edited.

    Attributes:
        put: puts edits where stages find them: of the data, the scratch, and what was edited.
        fields: fields that are put.
    """

    put: Callable[["MujocoData", Arrays, Arrays, str], None]
    fields: frozenset[str]


def _put_contacts(data: "MujocoData", scratch: Arrays, edits: Arrays, where: str) -> None:
    """Contacts, and how many there are."""
    slots = np.arange(scratch["count"][COUNT_SLOT])
    slots = slots[(scratch["con_any"][slots] != 0) & (scratch["con_on"][slots] > 0)]
    if "ncon" in edits:
        dropped = slots[int(edits["ncon"][0]) :]
        scratch["con_any"][dropped] = 0
        scratch["con_on"][dropped] = 0.0
        slots = slots[: int(edits["ncon"][0])]
    # rows of the list that are not as they are made
    made = {name: vars(data)[f"contact_{name}"][0] for name in FIELDS}
    changed = np.zeros(len(slots), bool)
    for name, array in edits.items():
        if name != "ncon":
            old = made[name.removeprefix("contact_")][: len(slots)]
            changed |= (array[0, : len(slots)] != old).reshape(len(slots), -1).any(axis=1)
    if "contact_friction" in edits and where != "make_constraint":
        _refuse_friction(scratch, where)
    for c in np.flatnonzero(changed):
        values = {
            n: edits[f"contact_{n}"][0] if f"contact_{n}" in edits else made[n] for n in FIELDS
        }
        values = {name: array[c] for name, array in values.items()}
        own_contact(data, slots[c], values, where)
    fit_lists(data)


def _refuse_friction(scratch: Arrays, where: str) -> None:
    """Raise an error for other friction of contacts whose elliptic cones are made already."""
    rows = scratch["block_type"][: scratch["count"][COUNT_BLOCK]]
    if CNSTR_CONTACT_ELLIPTIC in rows:
        raise UnsupportedFeature(
            f"{where}: data.contact_friction was edited after make_constraint: elliptic cones "
            "are made with the old one; expected edits before it"
        )


def _put_moments(data: "MujocoData", scratch: Arrays, edits: Arrays, where: str) -> None:
    """Moment arms; those that are zero are not listed for some kinds of transmissions."""
    model, arms = data.model, scratch["act_moment"]
    tables, entry = data.plan.tables, 0
    for u in range(model.nu):
        start = int(tables["act_momentadr"][u])
        sparse = model.actuator_trntype[u] in (TRN_SLIDERCRANK, TRN_SITE, TRN_BODY)
        for k in range(start, start + int(tables["act_dofnum"][u])):
            if not sparse or arms[k] != 0.0:
                arms[k] = edits["actuator_moment"][0, entry]
                entry += 1


def _put_rows(data: "MujocoData", scratch: Arrays, edits: Arrays, where: str) -> None:
    """Constraint rows; the rows of one block share most numbers, which are those of its first."""
    row = entry = 0
    for b in range(int(scratch["count"][COUNT_BLOCK])):
        if scratch["block_D"][b] > 0.0:
            block = _Block(data, scratch, b)
            block.put(edits, row)
            if "efc_J" in edits:
                block.put_jacobian(edits["efc_J"][0], entry)
            row, entry = row + block.nrow, entry + block.nrow * block.width


class _Block:
    """One block of rows in the scratch."""

    def __init__(self, data: "Data", scratch: Arrays, b: int):
        self._scratch, self._b = scratch, b
        self.kind, self.dim = int(scratch["block_type"][b]), int(scratch["block_dim"][b])
        self._pyramid = self.kind == CNSTR_CONTACT_PYRAMIDAL
        self.nrow = 2 * (self.dim - 1) if self._pyramid else self.dim
        self._first, self._n = int(scratch["block_row"][b]), int(scratch["block_chainnum"][b])
        dense = data.plan.tables["is_dense"]
        self.width = data.model.nv if dense else self._n
        start = int(scratch["block_chainadr"][b])
        dofs = scratch["chain_dof"][start : start + self._n]
        self._columns = dofs if dense else np.arange(self._n)

    def put(self, edits: Arrays, row: int) -> None:
        """Numbers of the rows that stand from `row` on in the list."""
        scratch, b, rows = self._scratch, self._b, slice(row, row + self.nrow)
        mine = slice(self._first, self._first + self.nrow)
        # rows by their names in MuJoCo
        for name in ("aref", "vel", "force"):
            if f"efc_{name}" in edits:
                scratch[f"row_{name}"][mine] = edits[f"efc_{name}"][0, rows]
        if "efc_state" in edits:
            states = edits["efc_state"][0, rows]
            active = np.where(states == STATE_QUADRATIC, 1.0, 0.0)
            scratch["row_active"][mine] = np.where(states == STATE_CONE, MIDDLE, active)
        # numbers that all rows of a block share
        for name in ("pos", "margin", "R", "D"):
            if f"efc_{name}" in edits:
                scratch[f"block_{name}"][b] = edits[f"efc_{name}"][0, row]
        if "efc_KBIP" in edits:
            values = edits["efc_KBIP"].reshape(-1, 4)[rows]
            for k, name in enumerate("KBIP"):
                scratch[f"block_{name}"][b] = values[0, k]
            if self.kind == CNSTR_CONTACT_ELLIPTIC and self.nrow > 1:
                scratch["block_frictionref"][b] = values[1, 1]
        # what follows from them
        pos, margin = scratch["block_pos"][b], scratch["block_margin"][b]
        if not edits.keys().isdisjoint({"efc_pos", "efc_margin", "efc_KBIP"}):
            scratch["block_base"][b] = (
                -scratch["block_K"][b] * scratch["block_I"][b] * (pos - margin)
            )
        if self.kind in (CNSTR_FRICTION_DOF, CNSTR_FRICTION_TENDON):
            if "efc_frictionloss" in edits:
                scratch["block_floss"][b] = edits["efc_frictionloss"][0, row]
            scratch["block_bound"][b] = scratch["block_R"][b] * scratch["block_floss"][b]

    def put_jacobian(self, listed: np.ndarray, entry: int) -> None:
        """The Jacobian, from an entry of the list on."""
        end, n = entry + self.nrow * self.width, self._n
        adr = int(self._scratch["block_adr"][self._b])
        rows = listed[entry:end].reshape(self.nrow, self.width)[:, self._columns]
        basis = self._scratch["block_jac"][adr : adr + self.dim * n].reshape(self.dim, n)
        if not self._pyramid:
            basis[:] = rows
            return
        friction = self._scratch["block_mu"][5 * self._b : 5 * self._b + self.dim - 1]
        basis[0] = (rows[0] + rows[1]) / 2
        basis[1:] = (rows[::2] - rows[1::2]) / (2 * friction[:, None])


# what follows from the rows is made with them
_CONTACTS = Editable(
    _put_contacts,
    frozenset({"ncon", *(f"contact_{n}" for n in FIELDS if n not in ("mu", "H", "efc_address"))}),
)
_NAMES = "J D R aref vel pos margin frictionloss KBIP force state"
EDITABLE: dict[str, Editable] = {
    "export_contact": _CONTACTS,
    "export_flex_contact": _CONTACTS,
    "export_moment": Editable(_put_moments, frozenset({"actuator_moment"})),
    "export_constraint": Editable(_put_rows, frozenset(f"efc_{name}" for name in _NAMES.split())),
}

# what nobody has looked at since the last call, nobody has edited
_LOOKED_AT = frozenset().union(*(row.fields for row in EDITABLE.values()))

# what MuJoCo copies island by island where it finds them, what its dual solver takes from efc_AR,
# and functions that solve
_COPIED = frozenset({"efc_J", "efc_D", "efc_R", "efc_frictionloss"})
_PROJECTED = frozenset({"efc_J", "efc_D", "efc_R"})
_SOLVING = frozenset({"fwd_constraint", "step2", "forward_skip"})
_REFERENCE = frozenset({"efc_J", "efc_pos", "efc_margin", "efc_KBIP"})
_MOMENTS = frozenset({"actuator_moment", "moment_rownnz", "moment_rowadr", "moment_colind"})
_SOLVER = frozenset({*_COPIED, "efc_aref"})
_FORCES = frozenset({"efc_force", "efc_state"})
# fields whose edits count in a function, as in MuJoCo
COUNTING = {
    "make_constraint": _CONTACTS.fields,
    "transmission": _CONTACTS.fields,
    "island": _CONTACTS.fields | _COPIED,
    "project_constraint": frozenset({"efc_J", "efc_R"}),
    "reference_constraint": _REFERENCE,
    "fwd_velocity": _REFERENCE | _MOMENTS,
    "inv_velocity": _REFERENCE | _MOMENTS,
    "fwd_actuation": _MOMENTS,
    "fwd_constraint": _CONTACTS.fields | _SOLVER,
    "inv_constraint": _CONTACTS.fields | _SOLVER,
    "step2": _CONTACTS.fields | _SOLVER | _MOMENTS,
    "forward_skip": _CONTACTS.fields | _SOLVER | _MOMENTS | _REFERENCE,
    "inverse_skip": _CONTACTS.fields | _SOLVER | _REFERENCE | _MOMENTS,
    "compare_fwd_inv": _CONTACTS.fields | _SOLVER,
    "rne_post_constraint": _CONTACTS.fields | _FORCES,
    "sensor_acc": _CONTACTS.fields | _FORCES,
}
WATCHED = frozenset().union(*COUNTING.values())


def take_edits(data: "MujocoData", where: str) -> None:
    """Put what was edited since the last call where stages find it.

    Args:
        data: one world that lives in the scratch of its thread.
        where: name of the public function, for messages.

    Raises:
        ValueError: a contact has geoms or a dim that are none.
        UnsupportedFeature: something was edited for which stages have no place.
    """
    if where not in COUNTING or _LOOKED_AT.isdisjoint(data.fresh):
        return
    found = [(stage, edits) for stage in _stages(data) if (edits := _edits(data, stage))]
    if not found:
        return
    wanted = _counting(data, where)
    for stage, edits in found:
        row, edits = EDITABLE[stage.name], {n: a for n, a in edits.items() if n in wanted}
        if edits:
            _refuse(where, sorted(edits.keys() - row.fields))
            _put(data, stage, row, edits, where)


def lists_to_compare(data: "MujocoData", where: str) -> "list[Record] | None":
    """Memory of lists whose edits a function would have to find, see `take_edits`.

    Args:
        data: one world that lives in the scratch of its thread.
        where: name of the public function.

    Returns:
        Records of `spans.Copies`; None where lists have to be made anew to find edits.
    """
    own, found = vars(data), []
    if where not in COUNTING or _LOOKED_AT.isdisjoint(data.fresh):
        return []
    for stage in _stages(data):
        there = data.shown.fields.intersection(stage.writes.split()).intersection(own)
        if not data.shown.knows(there):
            return None
        if there:
            found.append(data.shown.copies(data._arrays, stage).record)
    return found


def _stages(data: "Data") -> list[Stage]:
    """Stages that make lists that may be edited, of those that the model needs."""
    late = data.plan.late
    return [late[name][0] for name in EDITABLE if name in late]


def _counting(data: "Data", where: str) -> frozenset[str]:
    """Fields whose edits count in a function."""
    opt, wanted = data.model.opt, COUNTING.get(where, frozenset())
    if where in _SOLVING:
        islands = not opt.disableflags & DSBL_ISLAND and bool(np.any(data.nisland))
        if opt.solver == SOL_PGS:
            wanted -= _PROJECTED
        elif islands:
            wanted -= _COPIED
    return wanted


def _edits(data: "MujocoData", stage: Stage) -> Arrays:
    """Fields of a stage that do not hold what it has left, as they are."""
    own, shown = vars(data), data.shown
    if "_blank" in own or not data.plan.scratch[0].data.arrays["snapshot_on"][0]:
        return {}
    fields = data._lazy.intersection(stage.writes.split())
    there = fields.intersection(own)
    if shown.knows(shown.fields.intersection(there)):
        return {name: own[name].copy() for name in shown.edited(data._arrays, stage)}
    # what was put there otherwise, as data are that were pickled, is compared with what is made
    if there != fields:
        return {}
    present = {name: own[name].copy() for name in fields}
    made = _made(data, stage, fields)
    for name, array in present.items():
        own[name][...] = array
    return {n: a for n, a in present.items() if a.tobytes() != made[n].tobytes()}


def _made(data: "Data", stage: Stage, fields: Iterable[str]) -> Arrays:
    """Results of a stage from those of others, copies of some fields."""
    data.plan.run_lazy(data, stage)
    return {name: data._arrays[name].copy() for name in fields}


def _put(data: "MujocoData", stage: Stage, row: Editable, edits: Arrays, where: str) -> None:
    """Put edits of one list, and see whether it would show them."""
    own, of_contacts = vars(data), row is _CONTACTS
    if of_contacts:
        use_own_contacts(data)
        reserve_contacts(data, int(own["ncon"][0]))
    # those that follow from another stage are not there, and stay so
    fields = data._lazy.intersection(stage.writes.split(), own)
    shown = {name: own[name].copy() for name in fields}
    if of_contacts:
        data.plan.run_lazy(data, stage)
    row.put(data, data.plan.scratch[0].data.arrays, edits, where)
    made = _made(data, stage, edits)
    for name, array in shown.items():
        own[name][...] = array
    lost = [name for name, array in edits.items() if not _close(made[name], array)]
    _refuse(where, lost)
    data.shown.note(data._arrays, stage, fields if of_contacts else edits)


def _close(found: np.ndarray, edited: np.ndarray) -> bool:
    """True if numbers are equal but for rounding."""
    # lists may have become longer
    found = found[:, : edited.shape[1]] if edited.ndim > 1 else found
    same = found.tobytes() == edited.tobytes()
    return same or np.allclose(found, edited, CLOSE, 0.0, equal_nan=True)


def _refuse(where: str, names: list[str]) -> None:
    if names:
        raise UnsupportedFeature(
            f"{where}: data.{names[0]} was edited: these numbers have no place in what later "
            "stages work on; expected the old ones"
        )
