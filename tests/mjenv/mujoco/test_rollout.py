"""`mujoco.rollout`, beside the reference's."""

import copy

import mujoco
import mujoco.rollout
import numpy as np
import pytest

import mjenv.mujoco as ours
from mjenv.mujoco import rollout
from mjenv.mujoco.batch.groups import together

XML = """
<mujoco>
  <option timestep="0.005"/>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .15">
      <joint axis="0 0 1"/>
      <joint axis="0 1 0" limited="true" range="-90 90"/>
      <geom type="capsule" size=".02" fromto="0 0 0 1 0 0"/>
      <geom name="head" type="box" pos="1 0 0" size=".1 .1 .1"/>
      <site name="tip" pos="1 0 0"/>
    </body>
    <body name="target" mocap="true"/>
  </worldbody>
  <actuator>
    <general joint="joint1" gainprm="100"/>
    <general joint="joint0" dyntype="filter" dynprm="1" gainprm="100"/>
  </actuator>
  <sensor><accelerometer site="tip"/><framepos objtype="xbody" objname="target"/></sensor>
</mujoco>
""".replace('<joint axis="0 0 1"/>', '<joint name="joint0" axis="0 0 1"/>').replace(
    '<joint axis="0 1 0"', '<joint name="joint1" axis="0 1 0"'
)
NBATCH, NSTEP = 9, 12
FULL = mujoco.mjtState.mjSTATE_FULLPHYSICS


@pytest.fixture(scope="module")
def models():
    return mujoco.MjModel.from_xml_string(XML), ours.MjModel.from_xml_string(XML)


def draws(model, nbatch=NBATCH, nstep=NSTEP):
    rng = np.random.default_rng(0)
    states = 0.2 * rng.standard_normal((nbatch, 1 + model.nq + model.nv + model.na))
    return states, rng.standard_normal((nbatch, nstep, model.nu))


def test_as_reference(models):
    theirs, mine = models
    states, control = draws(theirs)
    expected = mujoco.rollout.rollout(theirs, mujoco.MjData(theirs), states, control)
    found = rollout.rollout(mine, ours.MjData(mine), states, control)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_as_single_data(models):
    """The bits of data of one world, and of any number of threads."""
    _, mine = models
    states, control = draws(mine)
    found, sensors = rollout.rollout(mine, ours.MjData(mine), states, control)
    data = ours.MjData(mine)
    many = rollout.rollout(mine, [copy.copy(data) for _ in range(3)], states, control)
    np.testing.assert_array_equal(many[0], found)
    row = np.zeros(states.shape[1])
    for i in range(NBATCH):
        ours.mj_resetData(mine, data)
        ours.mj_setState(mine, data, states[i], int(FULL))
        for k in range(NSTEP):
            data.ctrl[:] = control[i, k]
            ours.mj_step(mine, data)
            ours.mj_getState(mine, data, row, int(FULL))
            np.testing.assert_array_equal(found[i, k], row)
            np.testing.assert_array_equal(sensors[i, k], data.sensordata)


def test_models_that_differ(models):
    """Models run together where real numbers differ, apart where others do."""
    variants = []
    for model in models:
        rows = [copy.copy(model) for _ in range(NBATCH)]
        for i, row in enumerate(rows):
            row.body_mass[1] *= 1 + 0.3 * i
            row.opt.gravity[2] = -i
            row.geom_friction[:, 0] = 0.1 + 0.1 * i
            row.geom_pos[2] = [0.9, 0.01 * i, 0]
            row.dof_damping[:] = 0.05 * i
            row.jnt_limited[1] = i != 4
            row.opt.iterations = 3 if i == 7 else 100
        variants.append(rows)
    theirs, mine = variants
    states, control = draws(theirs[0])
    groups = sorted(group.sims.tolist() for group, _ in together(mine))
    assert groups == [[0, 1, 2, 3, 5, 6, 8], [4], [7]]
    found = rollout.rollout(mine, ours.MjData(mine[0]), states, control)
    expected = mujoco.rollout.rollout(theirs, mujoco.MjData(theirs[0]), states, control)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-7)
    alone = rollout.rollout(mine[3], ours.MjData(mine[3]), states[3], control[3])
    np.testing.assert_array_equal(found[0][3], alone[0][0])


def test_arguments_of_length_one(models):
    theirs, mine = models
    states, control = draws(theirs)
    spec = int(mujoco.mjtState.mjSTATE_MOCAP_POS | mujoco.mjtState.mjSTATE_CTRL)
    targets = np.random.default_rng(1).standard_normal((1, 1, 5))
    warmstart = np.array([0.3, 0.1])
    kwargs = {"control_spec": spec, "initial_warmstart": warmstart, "nstep": 7}
    found = rollout.rollout(mine, ours.MjData(mine), states, targets, **kwargs)
    expected = mujoco.rollout.rollout(theirs, mujoco.MjData(theirs), states, targets, **kwargs)
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)
    state, sensordata = np.zeros((NBATCH, NSTEP, states.shape[1])), np.zeros((NBATCH, NSTEP, 6))
    found = rollout.rollout(
        [mine], ours.MjData(mine), states, control, state=state, sensordata=sensordata
    )
    assert found[0] is state
    assert found[1] is sensordata
    kept = state.copy()
    state[:] = 0
    rollout.rollout(
        mine, ours.MjData(mine), states, control, state=state, nstep=NSTEP, skip_checks=True
    )
    np.testing.assert_array_equal(state, kept)


@pytest.mark.parametrize("names", [("CTRL",), ("CTRL", "MOCAP_POS"), ("XFRC_APPLIED",)])
def test_without_controls_those_of_the_data_stay(models, names):
    """Other inputs of the data do not count."""
    spec = int(sum(getattr(mujoco.mjtState, f"mjSTATE_{name}") for name in names))
    found = []
    for module, roll, model in zip((mujoco, ours), (mujoco.rollout, rollout), models, strict=True):
        data = module.MjData(model)
        data.ctrl, data.mocap_pos, data.xfrc_applied, data.qfrc_applied = 0.3, 0.2, 0.1, 0.4
        states, _ = draws(model)
        found.append(roll.rollout(model, data, states, nstep=7, control_spec=spec))
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_pools(models):
    _, mine = models
    states, control = draws(mine, 3, 2)
    data = ours.MjData(mine)
    for _ in range(2):
        rollout.rollout(mine, data, states, control, persistent_pool=True)
    rollout.shutdown_persistent_pool()
    with (
        rollout.Rollout(nthread=2) as pool,
        pytest.raises(ValueError, match="not equal to nthread"),
    ):
        pool.rollout(mine, data, states, control)
    with pytest.raises(RuntimeError, match="after thread pool shutdown"):
        pool.rollout(mine, data, states, control)


@pytest.mark.parametrize(
    ("kwargs", "message"),
    [
        ({"initial_state": np.zeros((2, 7))}, "trailing dimension of initial_state must be"),
        ({"control": "text"}, "control must be a numpy array or float"),
        ({"control": np.zeros((1, 1, 1, 2))}, "control can have at most 3 dimensions"),
        ({"control": np.zeros((4, 2, 2))}, "dimension 0 inferred as 2 but control has 4"),
        ({"control_spec": 1}, "can only contain bits in mjSTATE_USER"),
        ({"nstep": 2.5}, "nstep must be an integer"),
        ({"data": []}, "list of data instances is empty"),
    ],
)
def test_mistakes(models, kwargs, message):
    _, mine = models
    given = {"initial_state": np.zeros((2, 6)), "data": ours.MjData(mine)}
    with pytest.raises(ValueError, match=message):
        rollout.rollout(mine, **(given | kwargs))


def test_what_models_cannot_do(models):
    _, mine = models
    states, control = draws(mine, 2, 2)
    other = copy.copy(mine)
    other.opt.solver = 10
    with pytest.raises(ours.FatalError, match="unknown solver type 10"):
        rollout.rollout(other, ours.MjData(mine), states, control)
    ours.set_mjcb_control(lambda m, d: None)
    try:
        with pytest.raises(ValueError, match="mjcb_control"):
            rollout.rollout(mine, ours.MjData(mine), states, control)
    finally:
        ours.set_mjcb_control(None)
