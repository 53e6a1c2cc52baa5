"""Random edits between random functions: `mujoco` beside `mjenv.mujoco`, field by field.

    python -m tests.fuzz_stages MODEL.xml --seed 0 --number 100

A case is a list of calls and edits; it is the same for both, and what they leave is compared after
each. One that differs is printed with its last steps. Left out is what MuJoCo reads from memory
that it has not set, such as forces of rows that were just made, and what the guide names.
"""

import argparse
from typing import Any, NamedTuple

import mujoco
import numpy as np

import mjenv.mujoco as ours
from mjenv import UnsupportedFeature

MODULES = (mujoco, ours)
TOLERANCE, FLOOR = 1e-5, 1e-2  # relative to the largest element, and what counts as that at least
STATE = "qpos qvel act ctrl qfrc_applied xfrc_applied qacc qacc_warmstart mocap_pos"
RESULTS = {
    "position": "xpos xquat xmat xanchor xaxis xipos ximat geom_xpos site_xpos subtree_com cdof "
    "cinert crb ten_length ten_J actuator_length",
    "velocity": "cvel cdof_dot qfrc_bias qfrc_passive qfrc_spring qfrc_damper qfrc_gravcomp "
    "qfrc_fluid ten_velocity actuator_velocity",
    "acceleration": "actuator_force act_dot qfrc_actuator qfrc_constraint qfrc_inverse "
    "subtree_linvel subtree_angmom energy",
}  # fmt: skip
MORE = "M qLD qLDiagInv qfrc_smooth qacc_smooth cacc cfrc_int cfrc_ext sensordata time"
ROWS = "efc_pos efc_margin efc_frictionloss efc_D efc_R efc_type efc_id"
CONTACTS = "dist pos frame includemargin friction solref solreffriction solimp dim geom exclude"
EDITED = {
    "rows": "efc_pos efc_margin efc_frictionloss efc_D efc_R efc_aref",
    "contacts": " ".join(f"contact.{n}" for n in CONTACTS.split()[:8]),
    "model": "body_mass dof_damping jnt_stiffness actuator_gainprm dof_armature qpos_spring "
    "body_ipos geom_pos opt.gravity",
}  # fmt: skip
# functions that need velocities of rows, and forces of rows, which others have to leave before
OF_VELOCITIES = {"fwdConstraint", "step2", "compareFwdInv", "invConstraint", "skip2", "inverse2"}
OF_FORCES = {"rnePostConstraint"}
# functions that take positions of rows, of which edits last until those that list rows anew
OF_POSITIONS = {"fwdVelocity", "invVelocity", "referenceConstraint", "skip1", "inverse1"}
LIST_ANEW, LASTING = {"step2", "skip2", "inverse2"}, {"efc_pos", "efc_margin"}
NEW_ROWS = {"fwdPosition", "invPosition", "contacts"}
GIVE_VELOCITIES = {"step1", "forward", "step", "inverse", "contacts", "fwdVelocity", "invVelocity"}
GIVE_VELOCITIES |= {"referenceConstraint", "skip1", "inverse1"}
GIVE_FORCES = {"forward", "step", "step2", "fwdConstraint", "skip1", "skip2", "inverse", "inverse1"}
GIVE_FORCES |= {"inverse2", "invConstraint"}
CALLS = sorted(
    {*OF_VELOCITIES, *OF_FORCES, *NEW_ROWS, *GIVE_VELOCITIES, *GIVE_FORCES, "kinematics", "comPos"}
    | {"tendon", "crb", "makeM", "factorM", "transmission", "fwdActuation", "fwdAcceleration"}
    | {"comVel", "passive", "energyPos", "energyVel", "subtreeVel", "Euler", "fwdKinematics"}
)
ROWS_ANEW = ("makeConstraint", "island", "projectConstraint", "referenceConstraint", "transmission")


class Difference(NamedTuple):
    """What differs after some steps.

    Attributes:
        fields: names, and relative differences.
        steps: calls and edits, the last one is what both did differently.
    """

    fields: dict[str, float]
    steps: list[tuple[str, int]]


def pair(file: str, seed: int) -> list[tuple[Any, Any, Any]]:
    """Modules with a model and data each, after forward dynamics from a state on the way."""
    rng, found = np.random.default_rng(seed), []
    integrator, cone, jacobian = rng.choice([0, 0, 2, 3]), rng.integers(0, 2), rng.integers(0, 3)
    number = int(rng.integers(1, 30))
    for module in MODULES:
        m = module.MjModel.from_xml_path(file)
        m.opt.integrator, m.opt.cone, m.opt.jacobian = int(integrator), int(cone), int(jacobian)
        m.opt.tolerance, m.opt.iterations = 1e-14, 100
        found.append((module, m, module.MjData(m)))
    state = np.zeros(mujoco.mj_stateSize(found[0][1], mujoco.mjtState.mjSTATE_INTEGRATION))
    _, m, d = found[0]
    d.ctrl[:] = 0.3 * rng.normal(size=m.nu)
    mujoco.mj_step(m, d, number)
    d.qvel[:] += 0.1 * rng.normal(size=m.nv)
    mujoco.mj_getState(m, d, state, mujoco.mjtState.mjSTATE_INTEGRATION)
    for module, m, d in found:
        module.mj_resetData(m, d)
        module.mj_setState(m, d, state, mujoco.mjtState.mjSTATE_INTEGRATION)
        module.mj_forward(m, d)
    return found


def call(module: Any, m: Any, d: Any, name: str, seed: int) -> None:
    """Call a function; `contacts` finds them, edits some, may add one, and makes rows of them."""
    if name == "contacts":
        rng = np.random.default_rng(seed)
        module.mj_collision(m, d)
        if rng.random() < 0.5:
            _add_contact(module, m, d, rng)
        edit(d, m, str(rng.choice(EDITED["contacts"].split())), seed)
        for stage in ROWS_ANEW:
            getattr(module, f"mj_{stage}")(m, d)
    elif name[:-1] in ("skip", "inverse"):
        skip = module.mj_forwardSkip if name[0] == "s" else module.mj_inverseSkip
        skip(m, d, int(name[-1]), 0)
    else:
        getattr(module, f"mj_{name}")(m, d)


def _add_contact(module: Any, m: Any, d: Any, rng: np.random.Generator) -> None:
    """Add a contact between geoms of which one can move."""
    geoms = rng.integers(0, m.ngeom, 2)
    weld = m.body_weldid[m.geom_bodyid[geoms]]
    if weld[0] == weld[1]:
        return
    added = module.MjContact()
    added.geom1, added.geom2 = map(int, geoms)
    added.geom, added.flex, added.elem, added.vert = geoms, -1, -1, -1
    added.dim, added.dist, added.pos = int(rng.choice([1, 3, 4, 6])), -0.001, rng.normal(size=3)
    added.frame, added.friction = [0, 0, 1, 1, 0, 0, 0, 1, 0], [0.5, 0.5, 0.01, 0.001, 0.001]
    added.solref, added.solimp = [0.02, 1], [0.9, 0.95, 0.001, 0.5, 2]
    module.mj_addContact(m, d, added)


def edit(d: Any, m: Any, name: str, seed: int) -> None:
    """Edit a third of the elements of a field of data, their contacts, the model or its options."""
    rng, owner = np.random.default_rng(seed), d if hasattr(d, name) else m
    path = name.split(".")
    for part in (path[0],) if len(path) > 1 else ():
        owner = getattr(owner if hasattr(owner, part) else d, part)
    array = getattr(owner, path[-1])
    if not array.size:
        return
    some = rng.integers(0, array.size, max(1, array.size // 3))
    values = np.array(array, float).ravel()
    values[some] *= 1 + 0.03 * rng.normal(size=len(some))
    if path[-1] in ("qvel", "ctrl", "qfrc_applied", "qacc", "xfrc_applied", "efc_aref"):
        values[some] += 0.1 * rng.normal(size=len(some))
    array[...] = values.reshape(array.shape)


def steps_of(rng: np.random.Generator, number: int) -> list[tuple[str, int]]:
    """Random steps: a call has its name alone, an edit that of a field, behind "edit "."""
    groups, found = [STATE, *RESULTS.values(), EDITED["rows"], EDITED["model"]], []
    for _ in range(number):
        for _ in range(int(rng.integers(0, 3))):
            field = rng.choice(groups[rng.integers(len(groups))].split())
            found.append((f"edit {field}", int(rng.integers(1 << 30))))
        found.append((str(rng.choice(CALLS)), int(rng.integers(1 << 30))))
    return found


def run(file: str, seed: int, number: int = 8) -> Difference | str | None:
    """One case: what differs, the message of what is refused by name, or None."""
    both, done, edited = pair(file, seed), [], set()
    velocities = forces = True
    lost = False
    for name, own in steps_of(np.random.default_rng([seed, 1]), number):
        if (name in OF_VELOCITIES and not velocities) or (name in OF_FORCES and not forces):
            continue
        if lost and name in OF_POSITIONS:
            continue
        done.append((name, own))
        try:
            for module, m, d in both:
                if name.startswith("edit "):
                    edit(d, m, name[5:], own)
                else:
                    call(module, m, d, name, own)
        except UnsupportedFeature as error:
            return str(error)
        if name in NEW_ROWS or name == "step1":
            velocities = forces = False
        velocities, forces = velocities or name in GIVE_VELOCITIES, forces or name in GIVE_FORCES
        lost = lost or (name in LIST_ANEW and bool(LASTING & edited))
        edited = edited | {name[5:]} if name.startswith("edit ") else edited
        if name in NEW_ROWS | {"step1", "forward", "step", "inverse"}:
            edited, lost = edited - set(ROWS.split()), False
        real, mine = (d for _, _, d in both)
        found = differences(real, mine, edited, velocities, forces)
        if found:
            return Difference(found, done)
    return None


def differences(
    real: Any, mine: Any, edited: set[str], velocities: bool, forces: bool
) -> dict[str, float]:
    """Fields that differ; edited rows are what stages take them for."""
    names = f"{STATE} {' '.join(RESULTS.values())} {MORE} ncon nefc".split()
    if real.nefc:
        names += [name for name in ROWS.split() if name not in edited]
        names += ["efc_aref", "efc_vel"] if velocities and "efc_aref" not in edited else []
        names += ["efc_force"] if forces else []
    values = {name: (getattr(real, name), getattr(mine, name)) for name in names}
    for name in CONTACTS.split():
        values[f"contact.{name}"] = getattr(real.contact, name), getattr(mine.contact, name)
    found = {}
    for name, (one, other) in values.items():
        one, other = np.asarray(one, float), np.asarray(other, float)
        if one.shape != other.shape:
            found[name] = np.inf
        elif one.size and np.isfinite(one).all():
            found[name] = np.abs(one - other).max() / (FLOOR + np.abs(one).max())
    return {name: float(size) for name, size in found.items() if not size <= TOLERANCE}


def main() -> None:
    """Run cases of a model, and print those that differ."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--number", type=int, default=100)
    chosen = parser.parse_args()
    for seed in range(chosen.seed, chosen.seed + chosen.number):
        found = run(chosen.model, seed)
        if found is not None:
            print(seed, found, flush=True)


if __name__ == "__main__":
    main()
