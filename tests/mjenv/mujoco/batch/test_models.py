"""Models of a batch: fields that differ, constants, named parts, models of the caller's."""

import copy

import mujoco
import numpy as np
import pytest

import mjenv.mujoco as ours
from mjenv.mujoco.batch import Batch, SimulationError
from tests.mjenv.mujoco.batch.scene import NSIM, SCENE

POLE = 2


@pytest.fixture(scope="module")
def model():
    return ours.MjModel.from_xml_string(SCENE)


def stepped(edit, nstep=8):
    """qpos of the reference, whose models are edited."""
    rows = []
    for i in range(NSIM):
        model = mujoco.MjModel.from_xml_string(SCENE)
        edit(model, i)
        data = mujoco.MjData(model)
        data.ctrl[:] = 0.5
        mujoco.mj_step(model, data, nstep)
        rows.append(data.qpos.copy())
    return np.array(rows)


def test_real_fields(model):
    """They differ at full speed: one group."""

    def edit(m, i):
        m.body_mass[POLE] = 0.1 * (i + 1)
        m.opt.gravity[2] = -i
        m.opt.timestep = 0.001 * (i + 1)
        m.geom_size[1] = [0.1, 0.1, 0.05 + 0.001 * i]
        m.site_pos[0] = [0, 0, 0.1 * i]
        m.actuator_gainprm[1, 0] = i

    b = Batch(model, NSIM)
    numbers = np.arange(NSIM)
    b.expand("body_mass")[:, POLE] = 0.1 * (numbers + 1)
    b.expand("opt.gravity")[:, 2] = -numbers
    b.expand("opt.timestep")[:] = 0.001 * (numbers + 1)
    b.geom("cart").size = np.stack([[0.1, 0.1, 0.05 + 0.001 * i] for i in numbers])
    b.site("tip").pos = np.stack([[0, 0, 0.1 * i] for i in numbers])
    b.expand("actuator_gainprm")[:, 1, 0] = numbers
    b.ctrl = 0.5
    b.step(nstep=8)
    assert len(b._values.groups()[0]) == 1
    np.testing.assert_allclose(b.qpos, stepped(edit), rtol=1e-9, atol=1e-12)


def test_integer_fields(model):
    """Simulations with the same integers run together."""

    def edit(m, i):
        m.geom_contype[0] = i % 3
        m.opt.integrator = i % 2
        m.dof_damping[:] = 0.1 * i

    b = Batch(model, NSIM)
    numbers = np.arange(NSIM)
    b.geom(0).contype = (numbers % 3)[:, None]
    assert b.expand("opt.integrator").dtype == np.int32
    b.expand("opt.integrator")[:] = numbers % 2
    b.expand("dof_damping")[:] = 0.1 * numbers[:, None]
    b.ctrl = 0.5
    b.step(nstep=4)
    b.step(nstep=4)
    assert len(b._values.groups()[0]) == 6
    np.testing.assert_allclose(b.qpos, stepped(edit), rtol=1e-9, atol=1e-12)
    # edits count in the next call
    b.expand("opt.integrator")[:] = 0
    b.step()
    assert len(b._values.groups()[0]) == 3


def test_frames_that_are_the_same():
    """As in the reference, edits of frames that models note as the same have no effect."""
    scene = SCENE.replace('<site name="tip" pos="0 0 .5"/>', '<site name="tip"/>')
    b = Batch(ours.MjModel.from_xml_string(scene), 3)
    b.expand("site_pos")[:] = 0.2
    b.expand("geom_pos")[:, 2, 0] = [0.0, 0.1, 0.2]
    model = mujoco.MjModel.from_xml_string(scene)
    data, xpos, geom_xpos = mujoco.MjData(model), b.site_xpos, b.geom_xpos
    b.forward()
    for i in range(3):
        model.site_pos[:] = 0.2
        model.geom_pos[2, 0] = 0.1 * i
        mujoco.mj_forward(model, data)
        np.testing.assert_allclose(xpos[i], data.site_xpos, atol=1e-15)
        np.testing.assert_allclose(geom_xpos[i], data.geom_xpos, atol=1e-15)


def test_constants(model):
    def edit(m, i):
        m.body_mass[POLE] = 0.1 * (i + 1)
        mujoco.mj_setConst(m, mujoco.MjData(m))

    b = Batch(model, NSIM)
    pole = b.body("pole")
    assert b.expanded("body_mass") is None
    pole.mass = 0.1 * np.arange(1, NSIM + 1)[:, None]
    b.set_const()
    weights = pole.invweight0
    assert not weights.flags.writeable
    models = [mujoco.MjModel.from_xml_string(SCENE) for _ in range(NSIM)]
    for i, m in enumerate(models):
        edit(m, i)
        np.testing.assert_allclose(weights[i], m.body("pole").invweight0, rtol=1e-12)
        np.testing.assert_allclose(b.get_model(i).stat.meaninertia, m.stat.meaninertia)
    b.ctrl = 0.5
    b.step(nstep=8)
    np.testing.assert_allclose(b.qpos, stepped(edit), rtol=1e-9, atol=1e-12)
    before = weights.copy()
    pole.mass = 0.3
    b.set_const([2])
    assert not np.array_equal(pole.invweight0[2], before[2])
    np.testing.assert_array_equal(pole.invweight0[5], before[5])


def test_constants_that_there_are_not():
    scene = """<mujoco><worldbody><body><joint type="slide"/>
      <geom size=".1" mass="1" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
    b = Batch(ours.MjModel.from_xml_string(scene), 3)
    b.expand("body_mass")[:, 1] = [0, 2, 0]
    with pytest.raises(SimulationError, match="moving body 1 has 0 mass") as error:
        b.set_const([0, 1])
    np.testing.assert_array_equal(error.value.ids, [0])
    assert b.status.tolist() == [1, 0, 0]


def test_named_parts(model):
    b = Batch(model, NSIM)
    hinge = b.joint("hinge")
    assert (hinge.id, hinge.name) == (1, "hinge")
    hinge.qpos = np.linspace(0, 1, NSIM)[:, None]
    np.testing.assert_array_equal(b.qpos[:, 1], np.linspace(0, 1, NSIM))
    b.actuator(1).ctrl = 0.3
    data = ours.MjData(model)
    parts = [("joint", "hinge", "qacc"), ("body", "pole", "xpos"), ("site", "tip", "xmat"),
             ("sensor", 1, "data"), ("actuator", 1, "force")]  # fmt: skip
    found = [getattr(getattr(b, kind)(key), name) for kind, key, name in parts]
    b.forward()
    for i in range(NSIM):
        data.qpos[1], data.ctrl[1] = b.qpos[i, 1], 0.3
        ours.mj_forward(model, data)
        for (kind, key, name), array in zip(parts, found, strict=True):
            expected = getattr(getattr(data, kind)(key), name)
            np.testing.assert_array_equal(array[i], expected, name)
    assert b.body("pole").user.shape == (NSIM, 0)
    assert not b.geom("cart").size.flags.writeable
    hinge.damping = 0.5
    np.testing.assert_array_equal(b.expand("dof_damping")[:, 1], 0.5)
    assert b.joint("hinge").damping.flags.writeable
    assert b.keyframe(0).qpos.shape == (NSIM, 2)


def test_named_mistakes(model):
    b = Batch(model, NSIM)
    with pytest.raises(KeyError, match="nope"):
        b.body("nope")
    with pytest.raises(AttributeError, match=r"not a field of a joint.*did you mean 'qpos'"):
        _ = b.joint("hinge").qpso
    with pytest.raises(AttributeError, match="not a field of a keyframe"):
        _ = b.keyframe(0).xpos
    with pytest.raises(AttributeError, match="not a slice of a field"):
        _ = b.actuator(1).moment
    with pytest.raises(ValueError, match="structural"):
        b.joint("hinge").qposadr = 0
    with pytest.raises(ValueError, match="computed by every call"):
        b.body("pole").xpos = 0
    with pytest.raises(AttributeError, match="cannot be assigned"):
        b.body("pole").id = 3


@pytest.mark.parametrize("persistent", [False, True])
def test_models_and_data_of_one(model, persistent):
    b = Batch(model, NSIM, persistent=persistent)
    b.expand("body_mass")[:, POLE] = np.linspace(0.1, 1, NSIM)
    b.expand("opt.iterations")[:] = np.arange(NSIM) + 50
    b.qpos[:, 1] = np.linspace(-1, 1, NSIM)
    xpos = b.xpos
    b.forward()
    for sim in (0, 5):
        m, d = b.get_model(sim), b.get_data(sim)
        assert m.body_mass[POLE] == b.expand("body_mass")[sim, POLE]
        assert m.opt.iterations == sim + 50
        np.testing.assert_array_equal(d.qpos, b.qpos[sim])
        if persistent:
            np.testing.assert_array_equal(d.xpos, xpos[sim])
        ours.mj_forward(m, d)
        np.testing.assert_array_equal(d.xpos, xpos[sim])
    m, d = ours.MjModel.from_xml_string(SCENE), ours.MjData(model)
    assert b.get_model(5, m) is m
    assert b.get_data(5, d) is d
    np.testing.assert_array_equal(d.qpos, b.qpos[5])


def test_models_of_the_caller(model):
    def edit(m, i):
        m.body_mass[POLE] = 0.1 * (i + 1)
        m.jnt_limited[1], m.jnt_range[1] = i % 2, [-0.01, 0.01]

    models = [copy.copy(model) for _ in range(NSIM)]
    for i, m in enumerate(models):
        edit(m, i)
    b = Batch(model, NSIM)
    b.set_models(models)
    assert b.models == tuple(models)
    b.ctrl = 0.5
    b.step(nstep=8)
    np.testing.assert_allclose(b.qpos, stepped(edit), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(b.body("pole").mass[:, 0], [m.body_mass[POLE] for m in models])
    assert b.get_model(4).body_mass[POLE] == models[4].body_mass[POLE]
    for call in (lambda: b.expand("body_mass"), b.set_const):
        with pytest.raises(ours.FatalError, match="models of the caller"):
            call()
    with pytest.raises(ValueError, match="edit them, and set them again"):
        b.body("pole").mass = 1
    with pytest.raises(ValueError, match="one per simulation"):
        b.set_models(models[:-1])
    with pytest.raises(ValueError, match="the model has nq=0"):
        b.set_models(ours.MjModel.from_xml_string("<mujoco/>"))
    b.set_models(models[0])
    assert b.models is models[0]
    b.step()
    b.set_models(None)
    b.expand("body_mass")
    with pytest.raises(ours.FatalError, match="per-simulation fields: body_mass"):
        b.set_models(models)
