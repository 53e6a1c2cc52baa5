"""What is compared: fields of mjData in the order of the pipeline, and how closely."""

import mujoco
import numpy as np

from mjenv.engine.errors import FieldError

# field: tolerance relative to 1 + the largest element; 0 for integers. In groups, in the order in
# which they are computed: what follows from a group whose difference is explained needs no
# explanation of its own.
GROUPS: dict[str, dict[str, float]] = {
    "position": {
        "xpos xquat xmat xipos ximat xanchor xaxis geom_xpos geom_xmat site_xpos site_xmat": 1e-11,
        "cam_xpos cam_xmat light_xpos light_xdir subtree_com cinert cdof": 1e-11,
        "flexvert_xpos flexelem_aabb": 1e-11, "flexedge_length flexedge_J flexvert_length flexvert_J": 1e-9,
        "ten_length ten_J ten_wrapadr ten_wrapnum wrap_obj wrap_xpos": 1e-9,
        "actuator_length": 1e-9,
        "crb qM M": 1e-10, "qLD qLDiagInv": 1e-9,
    },
    "contacts": {
        "ncon contact_dim contact_geom contact_exclude contact_efc_address": 0,
        "contact_flex contact_elem contact_vert": 0,
        "contact_dist contact_pos contact_frame": 1e-6,
        "contact_includemargin contact_friction contact_solref contact_solreffriction contact_solimp contact_mu": 1e-10,
    },
    # adhesion acts by contacts
    "transmission": {"actuator_moment": 1e-6},
    "rows": {
        "ne nf nl nefc nJ efc_type efc_id efc_J_rownnz efc_J_rowadr efc_J_rowsuper efc_J_colind tendon_efcadr": 0,
        "efc_J efc_pos efc_margin efc_frictionloss efc_diagApprox efc_KBIP efc_D efc_R": 1e-6,
        "nisland nidof tree_island island_ntree island_itreeadr map_itree2tree dof_island island_nv": 0,
        "island_idofadr island_dofadr map_dof2idof map_idof2dof efc_island island_ne island_nf": 0,
        "island_nefc island_iefcadr map_efc2iefc map_iefc2efc": 0,
    },
    "velocity": {
        "flexedge_velocity": 1e-9,
        "ten_velocity cvel cdof_dot qfrc_bias qfrc_spring qfrc_damper qfrc_gravcomp": 1e-9,
        "qfrc_fluid qfrc_passive": 1e-9,
    },
    "row_velocity": {"efc_vel efc_aref actuator_velocity": 1e-6},
    "forces": {"act_dot actuator_force qfrc_actuator qfrc_smooth qacc_smooth": 1e-8},
    "row_forces": {"efc_b": 1e-6},
    "solution": {"qacc": 1e-6},
    "force": {"qfrc_constraint efc_force efc_state": 1e-6},
    # the tolerance of the acceleration, and lever arms
    "results": {"sensordata cacc cfrc_int cfrc_ext": 1e-5, "energy qfrc_inverse": 1e-6},
    # a history holds readings
    "next": {"act time mocap_quat tree_asleep": 1e-7, "history qpos qvel qacc_warmstart": 1e-5},
}  # fmt: skip
ROWS = {
    name: (group, tolerance)
    for group, rows in GROUPS.items()
    for names, tolerance in rows.items()
    for name in names.split()
}
ORDER = [*GROUPS]
GROUP = {group: [name for name, (of, _) in ROWS.items() if of == group] for group in ORDER}
# groups whose values a group depends on
FOLLOWS = {
    "contacts": ["position"], "transmission": ["contacts"], "rows": ["contacts"], "velocity": ["position"],
    "row_velocity": ["rows", "velocity", "transmission"], "forces": ["velocity", "transmission"],
    "row_forces": ["row_velocity", "forces"], "solution": ["row_forces"], "force": ["solution"], "results": ["force"],
    "next": ["force"],
}  # fmt: skip


def behind(group: str) -> set[str]:
    """Groups that depend on a group."""
    found = {group}
    for name in ORDER:
        if found.intersection(FOLLOWS.get(name, ())):
            found.add(name)
    return found - {group}


# fields that MuJoCo leaves as they were: why, and when
SPARSE = ["efc_J_rownnz", "efc_J_rowadr", "efc_J_rowsuper", "efc_J_colind", "nJ"]
ISLANDS = [
    name
    for name, (group, _) in ROWS.items()
    if (group == "rows" and "isl" in name) or "idof" in name or "iefc" in name or "itree" in name
]


def undefined(data) -> set[str]:
    """Fields that say nothing in a state of MuJoCo's data.

    * A dense Jacobian has no structure of nonzeros.
    * With the flag energy off, `energy` is what a sensor has left there, or has not.
    * Without rows, or with the flag island off, nobody looks for islands: their fields are old.
    """
    model, names = data.model, set()
    if not mujoco.mj_isSparse(model):
        names.update(SPARSE)
    if not model.opt.enableflags & mujoco.mjtEnableBit.mjENBL_ENERGY:
        names.add("energy")
    if not data.nefc or model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_ISLAND:
        names.update(ISLANDS)
    if not data.nefc:
        names.add("tendon_efcadr")
    return names


# fields whose first rows count: how many rows (a counter of the data), how many values in each
LENGTHS = {
    **{name: "ncon" for name, (group, _) in ROWS.items() if name.startswith("contact_")},
    **{name: "nefc" for name in ROWS if name.startswith("efc_") and name != "efc_J_colind"},
    **dict.fromkeys(("island_ntree", "island_itreeadr", "island_nv", "island_idofadr", "island_dofadr"), "nisland"),
    **dict.fromkeys(("island_ne", "island_nf", "island_nefc", "island_iefcadr"), "nisland"),
    **dict.fromkeys(("map_efc2iefc", "map_iefc2efc"), "nefc"),
}  # fmt: skip


UNKNOWN = -2  # in a list of rows: it has none


def entries(data) -> int:
    """Entries of the constraint Jacobian that belong to rows; MuJoCo makes room for more."""
    if not mujoco.mj_isSparse(data.model):
        return data.nefc * data.model.nv
    return int(data.efc_J_rowadr[-1] + data.efc_J_rownnz[-1]) if data.nefc else 0


def without_rows(data) -> np.ndarray:
    """Tendons that nothing moves: they have no rows, and MuJoCo notes the next row for them."""
    model = data.model
    moved = [
        np.any(data.ten_J[a : a + n])
        for a, n in zip(model.ten_J_rowadr, model.ten_J_rownnz, strict=True)
    ]
    return ~np.array(moved, bool)


def dense_moment(data, model, world) -> np.ndarray:
    """Moment arms as a full matrix: in MuJoCo's lists numbers that happen to be 0 have no place."""
    numbers, adr, columns, moment = (
        np.ravel(np.asarray(getattr(data, name))[world])
        for name in ("moment_rownnz", "moment_rowadr", "moment_colind", "actuator_moment")
    )
    found = np.zeros((model.nu, model.nv))
    for i in range(model.nu):
        entries_ = slice(adr[i], adr[i] + numbers[i])
        np.add.at(found[i], columns[entries_], moment[entries_])
    return found.ravel()


def of_mujoco(data, names) -> dict[str, np.ndarray]:
    """Copies of fields of MuJoCo's data that mean something."""
    values, left_out = {}, undefined(data)
    for name in names:
        if name in left_out:
            continue
        if name.startswith("contact_"):
            array = getattr(data.contact, name.removeprefix("contact_"))
        else:
            array = getattr(data, name)
        values[name] = np.array(array).ravel()
    for name in {"efc_J", "efc_J_colind"} & values.keys():
        values[name] = values[name][: entries(data)]
    for name, width in (("wrap_obj", 1), ("wrap_xpos", 3)):
        if name in values and data.model.ntendon:
            points = data.ten_wrapadr[-1] + data.ten_wrapnum[-1]
            values[name] = values[name][: points * width]
    if "actuator_moment" in values:
        values["actuator_moment"] = dense_moment(data, data.model, slice(None))
    if "tendon_efcadr" in values:
        values["tendon_efcadr"][without_rows(data)] = UNKNOWN
    opt = data.model.opt
    primal = opt.solver != mujoco.mjtSolver.mjSOL_PGS and not opt.noslip_iterations
    if "efc_state" in values and data.nisland and data.nefc and primal:
        # MuJoCo finds it in the order of islands, and does not put it back into that of the rows
        values["efc_state"] = np.array(data.iefc_state)[data.map_efc2iefc]
    return values


def of_ours(data, world: int, expected: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Fields of a world, at most as long as MuJoCo's are."""
    values = {}
    for name, theirs in expected.items():
        array = np.asarray(contact_or_field(data, name))
        row = (
            np.ravel(array[world])
            if name != "actuator_moment"
            else dense_moment(data, data.model, world)
        )
        values[name] = row[: theirs.size]
        if name == "tendon_efcadr":
            values[name] = np.where(theirs == UNKNOWN, UNKNOWN, row)
    return values


def contact_or_field(data, name: str):
    """A field of our data, or of its contacts."""
    if name.startswith("contact_"):
        return getattr(data.contact, name.removeprefix("contact_"))
    return getattr(data, name)


def kept(data) -> list[str]:
    """Names of the compared fields that data of ours hold."""
    names = []
    for name in ROWS:
        try:
            contact_or_field(data, name)
        except FieldError:
            continue
        names.append(name)
    return names


def error(a: np.ndarray, b: np.ndarray, more: float = 0.0) -> float:
    """Largest difference relative to 1 + more + the largest element of b; inf where lengths differ."""
    if a.size != b.size:
        return np.inf
    if not b.size:
        return 0.0
    if b.dtype.kind != "f":
        return 0.0 if np.array_equal(a, b) else np.inf
    finite = np.isfinite(b)
    if not np.array_equal(finite, np.isfinite(a)):
        return np.inf
    scale = 1 + more + np.abs(b[finite]).max(initial=0)
    return float(np.abs(a[finite] - b[finite]).max(initial=0) / scale)


def different(ours: dict, theirs: dict, timestep: float) -> dict[str, float]:
    """Error of each field that exceeds its tolerance.

    A step carries the tolerance of the acceleration into position and velocity.
    """
    found = {}
    carried = timestep * np.abs(theirs.get("qacc", np.zeros(1))).max(initial=0)
    for name, expected in theirs.items():
        size = error(ours[name], expected, carried if name in ("qpos", "qvel") else 0.0)
        if not size <= ROWS[name][1]:
            found[name] = size
    return found
