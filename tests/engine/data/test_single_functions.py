"""Functions for single stages, called one by one after edits, beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.made import COPIES  # of what is in the data now, not at the last solve
from tests.engine.every_field import LISTS, fields_of

# MuJoCo's function, and ours
FUNCTIONS = {
    "kinematics": "kinematics", "comPos": "com_pos", "camlight": "camlight", "tendon": "tendon",
    "flex": "flex",
    "fwdKinematics": "fwd_kinematics", "transmission": "transmission", "crb": "crb",
    "makeM": "make_m", "factorM": "factor_m", "collision": "collision",
    "makeConstraint": "make_constraint", "island": "island",
    "projectConstraint": "project_constraint", "fwdPosition": "fwd_position",
    "comVel": "com_vel", "passive": "passive", "referenceConstraint": "reference_constraint",
    "fwdVelocity": "fwd_velocity", "fwdActuation": "fwd_actuation",
    "fwdAcceleration": "fwd_acceleration", "fwdConstraint": "fwd_constraint",
    "rnePostConstraint": "rne_post_constraint", "sensorPos": "sensor_pos",
    "sensorVel": "sensor_vel", "sensorAcc": "sensor_acc", "energyPos": "energy_pos",
    "energyVel": "energy_vel", "subtreeVel": "subtree_vel", "checkPos": "check_pos",
    "checkVel": "check_vel", "checkAcc": "check_acc", "Euler": "euler", "implicit": "implicit",
    "RungeKutta": "runge_kutta", "invPosition": "inv_position", "invVelocity": "inv_velocity",
    "invConstraint": "inv_constraint", "compareFwdInv": "compare_fwd_inv",
}  # fmt: skip
EDITED = (
    "xpos", "xquat", "xmat", "xipos", "ximat", "geom_xpos", "site_xpos", "subtree_com", "cdof",
    "cinert", "crb", "M", "qLD", "qLDiagInv", "ten_J", "ten_length", "actuator_length",
    "actuator_velocity", "ten_velocity", "cvel", "cdof_dot", "qfrc_passive", "qfrc_bias",
    "actuator_force", "qfrc_actuator", "qfrc_smooth", "qacc_smooth", "qacc",
)  # fmt: skip
# what belongs to memory that MuJoCo shares with others, or to its own structures
LEFT_OUT = {"solver_nnz", "solver_niter", "efc_AR_rowadr", "efc_AR_rownnz", "efc_AR_colind"}
LEFT_OUT |= {"efc_J_rownnz", "efc_J_rowadr", "efc_J_rowsuper", "efc_J_colind"}  # dense here
_MOTION = {"efc_vel", "efc_aref", "efc_b", "efc_force", "efc_state"}
_ISLANDS = {
    "nisland", "nidof", "tree_island", "island_ntree", "island_itreeadr", "map_itree2tree",
    "dof_island", "island_nv", "island_idofadr", "island_dofadr", "map_dof2idof", "map_idof2dof",
    "efc_island", "island_ne", "island_nf", "island_nefc", "island_iefcadr", "map_efc2iefc",
    "map_iefc2efc",
}  # fmt: skip
_ARENA = _ISLANDS | {"nA", "efc_AR"}
# fields that these functions leave in memory that was never written
UNDEFINED = {
    "collision": _ARENA | {"ne", "nf", "nl", "nJ", "tendon_efcadr"},  # of rows that are gone
    "makeConstraint": _MOTION | _ARENA,
    "fwdPosition": _MOTION,
    "invPosition": _MOTION | _ARENA,
}
# functions that take the results before them to be consistent, each in its own way
CONSISTENT = {"fwdConstraint", "implicit", "compareFwdInv", "RungeKutta"}
NWORLD = 3


def beside(option="", seed=0):
    """The same state in MuJoCo and in all worlds of mjenv, contacts and limits included."""
    xml = LISTS.format(option=option, flag="")
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    theirs = mujoco.MjData(mj)
    theirs.ctrl[:], theirs.xfrc_applied[1:, 2] = 0.3, 0.1
    mujoco.mj_step(mj, theirs, 20)
    worlds = []
    for nworld in (1, NWORLD):
        data = mjenv.Data(model, nworld)
        for name in ("time", "qpos", "qvel", "act", "qacc_warmstart", "ctrl", "xfrc_applied"):
            getattr(data, name)[:] = getattr(theirs, name)
        mjenv.forward(model, data)
        worlds.append(data)
    mujoco.mj_forward(mj, theirs)
    return mj, model, theirs, worlds


def edit(rng, theirs, worlds, names=EDITED) -> None:
    """The same changes of results on both sides, and of the state."""
    for data in worlds:
        fields_of(data)  # some are computed when they are looked at: from results before the edit
    for name in (*names, "qpos", "qvel", "ctrl"):
        array = getattr(theirs, name)
        array += 1e-2 * rng.normal(size=array.shape) * (1 + np.abs(array))
        for data in worlds:
            getattr(data, name)[:] = array.reshape(getattr(data, name).shape[1:])


def compare(mj, theirs, data, undefined=frozenset(), rtol=1e-7) -> None:
    """Every field, in every world; lists as far as they are long."""
    lengths = {"efc": theirs.nefc, "contact": theirs.ncon, "island": theirs.nisland}
    for name, ours in fields_of(data).items():
        _, _, row = name.partition("contact.")
        owner = theirs.contact if row else theirs
        key = row or name
        if key in LEFT_OUT | COPIES | undefined or not hasattr(owner, key) or ours.dtype.names:
            continue
        expected = np.asarray(getattr(owner, key))
        if "AR" in name or (name.startswith("efc_") and not theirs.nefc):
            continue
        if name.startswith(("map_idof", "map_dof", "dof_island", "tree_isl", "map_it")) and not (
            theirs.nisland
        ):
            continue
        for world in ours:
            n = lengths.get("contact" if row else key.partition("_")[0], 0)
            n = theirs.nefc if key in ("map_efc2iefc", "map_iefc2efc") else n
            expected_, found = expected.reshape(-1), world.reshape(-1)
            if expected_.size != found.size:
                found = found[: expected_.size]
            np.testing.assert_allclose(found, expected_, rtol, 1e-9, err_msg=name)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_function_changes_what_mujocos_does(function):
    """After edits of results and of the state, in one world and in several."""
    option = 'integrator="implicit"' if function == "implicit" else ""
    mj, model, theirs, worlds = beside(option)
    if function not in CONSISTENT:
        edit(np.random.default_rng(0), theirs, worlds)
    getattr(mujoco, f"mj_{function}")(mj, theirs, *([4] * (function == "RungeKutta")))
    undefined = UNDEFINED.get(function, set())
    for data in worlds:
        getattr(mjenv, FUNCTIONS[function])(model, data)
        compare(mj, theirs, data, undefined)
    mine, others = (fields_of(data) for data in worlds)
    for name, array in mine.items():
        for other in others[name]:
            np.testing.assert_array_equal(array[0], other, name)


def test_the_pipeline_in_pieces_is_forward_dynamics():
    """All pieces in MuJoCo's order give the bits of `forward`, and a step those of `step`."""
    _, model, _, worlds = beside()
    for data in worlds:
        twin = mjenv.Data(model, data.nworld)
        mjenv.copy_data(twin, model, data)
        for name in (
            "kinematics", "com_pos", "camlight", "tendon", "make_m", "factor_m", "collision",
            "make_constraint", "island", "transmission", "project_constraint", "sensor_pos",
            "fwd_velocity", "sensor_vel", "fwd_actuation", "fwd_acceleration", "fwd_constraint",
            "sensor_acc", "euler",
        ):  # fmt: skip
            getattr(mjenv, name)(model, data)
        mjenv.step(model, twin)
        mine, others = fields_of(data), fields_of(twin)
        for name in mine:
            if name not in ("solver_nnz", "cacc", "cfrc_ext", "cfrc_int"):
                np.testing.assert_array_equal(mine[name], others[name], name)


def test_velocities_of_edges_belong_to_velocities():
    """Of a single world too, which remembers no inputs: `fwd_velocity` finds them anew."""
    xml = """<mujoco><worldbody>
      <flexcomp name="f" type="grid" count="3 3 1" dim="2" spacing=".1 .1 .1" mass="1">
        <edge equality="true"/><contact selfcollide="none"/></flexcomp></worldbody></mujoco>"""
    mj = mujoco.MjModel.from_xml_string(xml)
    theirs = mujoco.MjData(mj)
    model = mjenv.Model.from_xml_string(xml)
    data = mjenv.Data(model)
    mujoco.mj_forward(mj, theirs)
    mjenv.forward(model, data)
    theirs.qvel[:] = data.qvel[0] = np.linspace(-1, 1, model.nv)
    mujoco.mj_fwdVelocity(mj, theirs)
    mjenv.fwd_velocity(model, data)
    assert theirs.flexedge_velocity.any()
    np.testing.assert_allclose(data.flexedge_velocity[0], theirs.flexedge_velocity, atol=1e-12)


def test_a_part_of_the_worlds():
    _, model, _, (_, data) = beside()
    before = {name: array.copy() for name, array in fields_of(data).items()}
    data.qpos[:, 2] += 0.1
    mjenv.kinematics(model, data, mask=np.array([False, True, False]))
    assert (data.xpos[1, 1] != before["xpos"][1, 1]).any()
    assert (data.xpos[::2] == before["xpos"][::2]).all()


def test_pieces_after_steps_of_several_worlds():
    """What a step has left for later stages is found again, in bits."""
    _, model, _, worlds = beside()
    for data in worlds:
        mjenv.step(model, data, 3)
        mjenv.rne_post_constraint(model, data)
        mjenv.sensor_acc(model, data)
    for name in ("cacc", "cfrc_ext", "cfrc_int", "sensordata", "qpos"):
        alone, many = (getattr(data, name) for data in worlds)
        assert all((world == alone[0]).all() for world in many), name


def test_what_cannot_be_called():
    _, model, _, (one, _) = beside()
    few = mjenv.Data(model, 3, keep=["xpos"])
    with pytest.raises(
        AttributeError, match=r"com_pos: data of 3 worlds do not remember .*'stages'"
    ):
        mjenv.com_pos(model, few)
    with pytest.raises(ValueError, match="runge_kutta: n=3: expected 4"):
        mjenv.runge_kutta(model, one, 3)
    with pytest.raises(ValueError, match="kinematics: mask is"):
        mjenv.kinematics(model, one, mask=[True, True])
