"""`Batch`: each simulation is as data of one world, here and in the reference."""

import copy
import gc

import mujoco
import numpy as np
import pytest

import mjenv.mujoco as ours
from mjenv.mujoco.batch import DATA_FIELDS, MODEL_FIELDS, Batch, SimulationError
from tests.mjenv.mujoco.batch.scene import NSIM, SCENE, reference, steps


@pytest.fixture(scope="module")
def model():
    return ours.MjModel.from_xml_string(SCENE)


@pytest.mark.parametrize(("nthread", "persistent"), [(1, False), (2, False), (2, True)])
def test_steps_and_resets(model, nthread, persistent):
    """Every simulation has the bits of an MjData, and is near the reference."""
    b = Batch(model, NSIM, nthread, persistent)
    data = [ours.MjData(model) for _ in range(NSIM)]
    theirs = mujoco.MjModel.from_xml_string(SCENE)
    other = [mujoco.MjData(theirs) for _ in range(NSIM)]
    names = ("qpos", "sensordata", "xpos", "actuator_force", "ncon")
    arrays = {name: b.bind(name) for name in names}
    rng = np.random.default_rng(0)
    for call in range(12):
        b.ctrl[:] = rng.uniform(-1, 1, (NSIM, model.nu))
        b.xfrc_applied[:, 2, 0] = call
        ran = np.arange(NSIM) if call % 3 else np.flatnonzero(rng.random(NSIM) < 0.6)
        for i in range(NSIM):
            for d in (data[i], other[i]):
                d.ctrl[:], d.xfrc_applied[2, 0] = b.ctrl[i], call
        if call == 6:
            b.reset(ran, keyframe=0)
        else:
            b.step(None if len(ran) == NSIM else ran, nstep=3)
        for i in ran:
            for lib, m, d in ((ours, model, data[i]), (mujoco, theirs, other[i])):
                if call == 6:
                    lib.mj_resetDataKeyframe(m, d, 0)
                    lib.mj_forward(m, d)
                else:
                    lib.mj_step(m, d, 3)
            for name, array in arrays.items():
                np.testing.assert_array_equal(array[i], getattr(data[i], name), name)
                np.testing.assert_allclose(array[i], getattr(other[i], name), atol=1e-8)


@pytest.mark.slow
def test_fields(model):
    b = Batch(model, NSIM)
    assert b.state.shape == (NSIM, b.nstate)
    assert b.bind("time").shape == (NSIM,)
    assert b.xmat.shape == (NSIM, model.nbody, 9)
    for name in DATA_FIELDS:
        assert b.bind(name).shape[0] == NSIM, name
    b.forward()
    for name in MODEL_FIELDS:
        assert b.expand(name).shape[0] == NSIM, name
        assert name in b._expanded  # MuJoCo's own tests read it by this name
    b.ctrl = 0.5
    np.testing.assert_array_equal(b.bind("ctrl"), 0.5)
    b.state[3] = b.state[2]
    np.testing.assert_array_equal(b.qpos[3], b.qpos[2])
    with pytest.raises(ValueError, match="read-only"):
        b.xpos[0, 0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        b.status[0] = 1
    qpos = b.qpos
    del b
    gc.collect()
    qpos[:] = 1.0


def test_types_are_the_reference_s():
    theirs = mujoco.MjModel.from_xml_string(SCENE)
    data, mine = mujoco.MjData(theirs), ours.MjModel.from_xml_string(SCENE)
    b = Batch(mine, 2)
    for name in DATA_FIELDS - {"eq_active"}:
        value, array = getattr(data, name), b.bind(name)
        if isinstance(value, np.ndarray):
            assert (array.dtype, array.shape[1:]) == (value.dtype, value.shape), name
    assert b.eq_active.dtype == np.float64


@pytest.mark.parametrize("stage", ["NONE", "VEL", "ACC"])
def test_stages(model, stage):
    b = Batch(model, NSIM)
    xpos = b.xpos
    b.qvel[:] = np.linspace(0, 1, NSIM)[:, None]
    b.step(nstep=2, stage=int(getattr(mujoco.mjtStage, f"mjSTAGE_{stage}")))
    data = ours.MjData(model)
    for i in range(NSIM):
        data.qpos[:] = b.qpos[i]
        ours.mj_kinematics(model, data)
        assert np.array_equal(data.xpos, xpos[i]) == (stage != "NONE" or i == 0)


def test_keyframes_of_each(model):
    b = Batch(model, NSIM)
    keys = np.arange(NSIM) % 3 - 1
    b.step(nstep=2)
    b.reset(keyframe=keys, stage=0)
    data = ours.MjData(model)
    for i, key in enumerate(keys):
        ours.mj_resetData(model, data) if key < 0 else ours.mj_resetDataKeyframe(model, data, key)
        np.testing.assert_array_equal(b.qpos[i], data.qpos)
        np.testing.assert_array_equal(b.ctrl[i], data.ctrl)


def test_rollout(model):
    """As `rollout` and as the reference, in some simulations, which go on from the end."""
    b, ids, nstep = Batch(model, NSIM), np.array([0, 2, 5]), 6
    control = np.random.default_rng(1).uniform(-1, 1, (3, nstep, model.nu))
    full = ours.mjtState.mjSTATE_FULLPHYSICS
    given = np.zeros((3, nstep, model.nsensordata))
    out = b.rollout(
        nstep, control, record=(full, "sensordata", "eq_active", "ncon"), ids=ids,
        out={"sensordata": given},
    )  # fmt: skip
    start = np.zeros((3, ours.mj_stateSize(model, int(full))))
    ours.mj_getState(model, ours.MjData(model), start[0], int(full))
    start[:] = start[0]
    found = ours.rollout.rollout(model, ours.MjData(model), start, control)
    np.testing.assert_array_equal(out[full], found[0])
    np.testing.assert_array_equal(given, found[1])
    np.testing.assert_array_equal(b.time[ids], found[0][:, -1, 0])
    np.testing.assert_array_equal(b.ctrl[ids], control[:, -1])
    assert b.time[1] == 0
    assert out["eq_active"].dtype == np.uint8
    with pytest.raises(ValueError, match="writable array float64"):
        b.rollout(2, record=("qpos",), out={"qpos": np.zeros((NSIM, 1, model.nq))})
    with pytest.raises(ValueError, match="mjSTATE_USER"):
        b.rollout(2, control_spec=1)


@pytest.mark.filterwarnings("ignore::mjenv.SimulationWarning")
def test_warnings_stop_a_rollout(model):
    b = Batch(model, NSIM)
    b.qvel[3, 0] = np.inf
    out = b.rollout(4, record=("time",))["time"]
    assert b.warning[3, int(mujoco.mjtWarning.mjWARN_BADQVEL), 1] == 1
    assert (out[3] == out[3, 0]).all()
    assert out[0, -1] > out[0, 0]


def test_jacobians_and_rays(model):
    b = Batch(model, NSIM)
    rng = np.random.default_rng(2)
    b.qpos[:, 1] = rng.uniform(-1, 1, NSIM)
    theirs = mujoco.MjModel.from_xml_string(SCENE)
    d = mujoco.MjData(theirs)
    before, point = b.state.copy(), rng.uniform(-1, 1, (NSIM, 3))
    body = 1 + np.arange(NSIM) % 2
    jacp, jacr = b.jac(body, point)
    pnt, vec = rng.uniform(-1, 1, (NSIM, 4, 3)), rng.standard_normal((4, 3))
    passed = np.array([-1, 1, 2, -1])
    dist, geomid, normals = b.ray(pnt, vec, bodyexclude=passed, normal=True)
    np.testing.assert_array_equal(b.state, before)
    for i in range(NSIM):
        d.qpos[:] = b.qpos[i]
        mujoco.mj_kinematics(theirs, d)
        mujoco.mj_comPos(theirs, d)
        expected = np.zeros((2, 3, theirs.nv))
        mujoco.mj_jac(theirs, d, *expected, point[i], int(body[i]))
        np.testing.assert_allclose((jacp[i], jacr[i]), expected, atol=1e-14)
        for k in range(4):
            hit, normal = np.zeros(1, np.int32), np.zeros(3)
            far = mujoco.mj_ray(theirs, d, pnt[i, k], vec[k], None, 1, int(passed[k]), hit, normal)
            np.testing.assert_allclose(dist[i, k], far, atol=1e-12)
            assert geomid[i, k] == hit[0]
            np.testing.assert_allclose(normals[i, k], normal, atol=1e-12)
    some = np.array([1, 6])
    np.testing.assert_array_equal(b.jac(body[some], point[some], ids=some)[0], jacp[some])
    alone = b.ray(pnt[1, 0], vec[0], bodyexclude=-1, ids=[1])
    assert alone[0][0, 0] == dist[1, 0]


def test_one_simulation(model):
    """A single one lies in the engine's own memory: same results."""
    b, many = Batch(model, 1), Batch(model, NSIM)
    for batch in (b, many):
        batch.reset(keyframe=0)
        batch.step(nstep=5)
    np.testing.assert_array_equal(b.state[0], many.state[0])
    np.testing.assert_array_equal(b.xpos[0], many.xpos[0])
    np.testing.assert_array_equal(b.jac(2, np.ones(3))[0], many.jac(2, np.ones(3))[0][:1])


SLEEPING = """
<mujoco>
  <option integrator="implicitfast" viscosity="10" sleep_tolerance="0.01">
    <flag sleep="enable" gravity="disable" constraint="disable" contact="disable"/>
  </option>
  <worldbody><body><freejoint/><geom type="box" size=".1 .2 .3" mass="1"/></body></worldbody>
</mujoco>
"""


def test_sleeping_bodies():
    model = ours.MjModel.from_xml_string(SLEEPING)
    with pytest.raises(ValueError, match="persistent=True"):
        Batch(model, 4)
    b = Batch(model, 4, persistent=True)
    data = [ours.MjData(model) for _ in range(4)]
    for i, d in enumerate(data):
        b.qvel[i] = d.qvel[:] = 0.1 * (i + 1)
    for call in range(40):
        b.step(nstep=10)
        if call == 20:
            b.expand("dof_damping")
        for d in data:
            ours.mj_step(model, d, 10)
    assert any(d.ntree_awake < model.ntree for d in data)
    for i, d in enumerate(data):
        np.testing.assert_array_equal(b.qvel[i], d.qvel)
        assert b.get_data(i).ntree_awake == d.ntree_awake


def test_failures_are_told_one_by_one():
    scene = SCENE.replace(
        "</worldbody>", '</worldbody><equality><weld body1="mark" body2="pole"/></equality>'
    )
    b = Batch(ours.MjModel.from_xml_string(scene), 8)
    kinds = b.expand("eq_type")
    kept = kinds.copy()
    kinds[[3, 6]] = 99
    with pytest.raises(SimulationError, match=r"^2 of 8 simulations \(3, 6\); simulation 3") as e:
        b.step()
    np.testing.assert_array_equal(e.value.ids, [3, 6])
    np.testing.assert_array_equal(np.flatnonzero(b.status), [3, 6])
    assert b.error(3)
    assert not b.error(0)
    assert b.time[3] == 0
    assert (np.delete(b.time, [3, 6]) > 0).all()
    kinds[:] = kept
    b.step()
    assert not b.status.any()


def test_callbacks_are_refused(model):
    b = Batch(model, 2)
    ours.set_mjcb_control(lambda m, d: None)
    try:
        with pytest.raises(ValueError, match="mjcb_control"):
            b.step()
        with pytest.raises(ValueError, match="mjcb_control"):
            Batch(model, 2)
    finally:
        ours.set_mjcb_control(None)


def test_mistakes(model):
    b = Batch(model, NSIM)
    for ids, message in (
        ([0, NSIM], rf"in \[0, {NSIM}\), got {NSIM}"),
        ([2**32], "got 4294967296"),
        ([2, 1], "got 2 before 1"),
        ([1, 1], "got 1 before 1"),
        ([0.5], "expected integers"),
        ([[0]], "one axis"),
        (np.ones(3, bool), "a mask of shape"),
    ):
        with pytest.raises(ValueError, match=message):
            b.step(ids)
    b.step([])
    np.testing.assert_array_equal(b.time, 0)
    calls = {
        "use expand\\('body_mass'\\)": lambda: b.bind("body_mass"),
        "use expand\\('opt.timestep'\\)": lambda: b.bind("timestep"),
        "in the arena": lambda: b.bind("efc_force"),
        "did you mean 'qpos'": lambda: b.bind("qpso"),
        "scalars bind\\(\\) accepts: nA": lambda: b.bind("pstack"),
        "use bind\\('xpos'\\)": lambda: b.expand("xpos"),
        "asset data": lambda: b.expand("mesh_vert"),
        "did you mean 'body_mass'": lambda: b.expand("body_mas"),
        "computed by every call": lambda: setattr(b, "xpos", 0),
        "keyframe: float64": lambda: b.reset(keyframe=0.5),
        "keyframe must be in": lambda: b.reset(keyframe=2),
        "body must be in": lambda: b.jac(model.nbody, np.zeros(3)),
        "bodyexclude must be in": lambda: b.ray(np.zeros(3), np.ones(3), bodyexclude=-2),
        "nsim=0": lambda: Batch(model, 0),
        "nstep=-1": lambda: b.rollout(-1),
    }
    for message, call in calls.items():
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(AttributeError, match="use expand\\('body_mass'\\)"):
        _ = b.body_mass
    with pytest.raises(AttributeError, match="did you mean"):
        _ = b.qpso
    with pytest.raises(IndexError, match=f"got {NSIM}"):
        b.get_data(NSIM)


def test_any_model_of_the_engine():
    """A plain model of the engine serves too, and the batch has its own copy of it."""
    import mjenv

    model = mjenv.Model.from_xml_string(SCENE)
    b = Batch(model, 2)
    model.opt.gravity[:] = 0
    b.step(nstep=3)
    expected = reference(copy.deepcopy(mujoco.MjModel.from_xml_string(SCENE)))
    steps(expected, 3)
    np.testing.assert_allclose(b.qpos[1], expected[1].qpos, atol=1e-12)
    assert b.get_data(1).qpos.shape == (model.nq,)
