"""Whole steps: against MuJoCo, and what has to hold without a reference."""

import copy
import os
import pickle
import threading

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, reset, step
from tests.engine.reference import MODELS, copy_state, load, trajectory

EULER, RK4 = 0, 1


@pytest.mark.sweep(1)
@pytest.mark.parametrize("integrator", [EULER, RK4])
@pytest.mark.parametrize("name", [*MODELS, "zoo"])
def test_one_step(name, integrator):
    mj, model = (copy.deepcopy(m) for m in load(name))
    mj.opt.integrator = model.opt.integrator = integrator
    data = Data(model, 8, keep=[])
    walks = [trajectory(mj, 200, seed, every=10) for seed in range(8)]
    for sources in zip(*walks, strict=True):
        for world, source in enumerate(sources):
            copy_state(source, data, world)
        step(model, data)
        for world, source in enumerate(sources):
            after = copy.copy(source)
            mujoco.mj_step(mj, after)
            np.testing.assert_allclose(data.qpos[world], after.qpos, rtol=0, atol=1e-8)
            np.testing.assert_allclose(data.qvel[world], after.qvel, rtol=1e-8, atol=1e-8)
            np.testing.assert_allclose(data.time[world], after.time, rtol=1e-12)


def test_rk4_leaves_fields_of_its_last_stage():
    mj, model = load("ant")
    data, source = Data(model), mujoco.MjData(mj)
    for _ in range(3):
        mujoco.mj_step(mj, source)
        step(model, data)
    np.testing.assert_allclose(data.xpos[0], source.xpos, rtol=0, atol=1e-10)
    mujoco.mj_kinematics(mj, source)
    assert np.abs(data.xpos[0] - source.xpos).max() > 1e-9


def bits(model, nworld: int, nstep: int = 40, **options):
    """Positions and velocities after random controls that depend on the world alone."""
    data = Data(model, nworld, keep=[], **options)
    rngs = [np.random.default_rng(world) for world in range(nworld)]
    data.qvel[:] = [rng.normal(size=model.nv) for rng in rngs]
    for _ in range(nstep):
        data.ctrl[:] = [rng.uniform(-1, 1, model.nu) for rng in rngs]
        step(model, data, 5)
    return np.concatenate([data.qpos, data.qvel], axis=1)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", [*MODELS, "zoo"])
def test_same_bits(name):
    """The trajectory of a world depends neither on the batch nor on width or threads."""
    _, model = load(name)
    expected = bits(model, 64, width=8, nthread=2)
    assert np.isfinite(expected).all()
    for nworld, width, nthread in (
        (1, 1, 1),
        (7, 8, 1),
        (7, 1, 1),
        (64, 8, 1),
        (64, 4, 2),
        (21, 8, 2),
    ):
        found = bits(model, nworld, width=width, nthread=nthread)
        assert np.array_equal(found, expected[:nworld]), (nworld, width, nthread)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_same_bits_after_a_thousand_steps(name):
    """A thousand steps of a thousand worlds, and of few of them."""
    _, model = load(name)
    expected = bits(model, 1000, 200, width=8, nthread=2)
    assert np.isfinite(expected).all()
    runs = [(1, 1, 1), (7, 8, 1), (64, 1, 2), (64, 4, 2), (64, 8, 1)]
    if name == "ant":
        runs += [(64, 2, 1), (64, 16, 2)]
    for nworld, width, nthread in runs:
        found = bits(model, nworld, 200, width=width, nthread=nthread)
        assert np.array_equal(found, expected[:nworld]), (nworld, width, nthread)


def test_mask_steps_a_subset():
    _, model = load("half_cheetah")
    data = Data(model, 21, nthread=2)
    data.qvel[:] = np.random.default_rng(0).normal(size=data.qvel.shape)
    before = data.qpos.copy()
    mask = np.arange(21) % 3 == 0
    step(model, data, 3, mask=mask)
    assert np.array_equal(data.qpos[~mask], before[~mask])
    assert (data.time[mask] > 0).all()
    assert (data.time[~mask] == 0).all()
    other = Data(model, 21)
    other.qvel[:] = np.random.default_rng(0).normal(size=data.qvel.shape)
    step(model, other, 3)
    assert np.array_equal(data.qpos[mask], other.qpos[mask])


def test_reset_of_a_subset():
    _, model = load("ant")
    data = Data(model, 5)
    data.ctrl[:] = 0.5
    step(model, data, 10)
    mask = np.array([True, False, True, False, False])
    kept = data.qpos[~mask].copy()
    reset(model, data, mask=mask)
    assert np.array_equal(data.qpos[mask], np.tile(model.qpos0, (2, 1)))
    assert (data.ctrl[mask] == 0).all()
    assert (data.xpos[mask] == 0).all()
    assert np.array_equal(data.qpos[~mask], kept)


def test_bad_worlds_are_reset_and_counted():
    """Bad position, velocity, acceleration: as MuJoCo, per world; neighbours are not harmed."""
    mj, model = load("hopper")
    cases = {"qpos": (3, 2), "qvel": (4, 1), "qfrc_applied": (5, 0)}
    data = Data(model, 8, width=8)
    step(model, data, 20)
    sources = [mujoco.MjData(mj) for _ in range(4)]
    for source in sources:
        mujoco.mj_step(mj, source, 20)
    for world, (field, (_, index)) in enumerate(cases.items()):
        getattr(data, field)[world, index] = np.nan
        getattr(sources[world], field)[index] = np.nan
    step(model, data)
    for world in range(4):
        mujoco.mj_step(mj, sources[world])
        np.testing.assert_allclose(data.qpos[world], sources[world].qpos, atol=1e-10)
        np.testing.assert_allclose(data.time[world], sources[world].time)
        assert list(data.warning["number"][world]) == [w.number for w in sources[world].warning]
        assert (
            list(data.warning["lastinfo"][world])[3:]
            == [w.lastinfo for w in sources[world].warning][3:]
        )
    assert np.isfinite(data.qpos).all()
    assert np.array_equal(data.qpos[4:], np.tile(data.qpos[4], (4, 1)))


def test_bad_control_zeroes_the_controls_of_its_world():
    mj, model = load("half_cheetah")
    data, source = Data(model, 2), mujoco.MjData(mj)
    data.ctrl[:] = 0.5
    data.ctrl[1, 2] = np.nan
    source.ctrl[:] = 0.5
    source.ctrl[2] = np.nan
    step(model, data)
    mujoco.mj_step(mj, source)
    np.testing.assert_allclose(data.qvel[1], source.qvel, atol=1e-10)
    assert list(data.warning["number"][:, 6]) == [0, 1]


@pytest.mark.slow
def test_model_fields_that_differ_between_worlds():
    """Varied worlds behave as models edited one by one."""
    mj, model = load("half_cheetah")
    data = Data(model, 9, vary=["body_mass", "geom_friction", "opt_gravity"], nthread=2)
    rng = np.random.default_rng(0)
    data.varied["body_mass"][:] *= rng.uniform(0.8, 1.2, (9, 1))
    data.varied["geom_friction"][:] *= rng.uniform(0.5, 1.5, (9, 1, 1))
    data.varied["opt_gravity"][:, 2] *= rng.uniform(0.9, 1.1, 9)
    data.qvel[:] = rng.normal(size=data.qvel.shape)
    start = data.qvel.copy()
    step(model, data, 20)
    for world in range(9):
        one = copy.deepcopy(mj)
        one.body_mass[:] = data.varied["body_mass"][world]
        one.geom_friction[:] = data.varied["geom_friction"][world]
        one.opt.gravity[:] = data.varied["opt_gravity"][world]
        source = mujoco.MjData(one)
        source.qvel[:] = start[world]
        mujoco.mj_step(one, source, 20)
        np.testing.assert_allclose(data.qpos[world], source.qpos, atol=1e-7)


def test_edits_of_the_model_take_effect():
    mj, model = (copy.deepcopy(m) for m in load("half_cheetah"))
    data, source = Data(model), mujoco.MjData(mj)
    step(model, data)
    mujoco.mj_step(mj, source)
    for m in (mj, model):
        m.opt.timestep = 0.003
        m.opt.gravity[2] = -3
        m.body_mass[1] *= 2
        m.geom_friction[:] *= 0.5
    step(model, data, 5)
    mujoco.mj_step(mj, source, 5)
    np.testing.assert_allclose(data.qpos[0], source.qpos, atol=1e-9)


def test_momentum_without_constraints():
    """A free body keeps its momentum; the angular one to the order of integration of rotations."""
    xml = """<mujoco><option integrator="RK4" gravity="0 0 0" timestep="0.001"><flag
    contact="disable"/></option>
    <worldbody><body><freejoint/><geom type="box" size="0.1 0.2
    0.3"/></body></worldbody></mujoco>"""
    model = mjenv.Model.from_xml_string(xml)
    data = Data(model)
    data.qvel[0] = [1, 2, 3, 3, 2, 1]

    def momentum():
        forward(model, data)
        spin = data.ximat[0, 1].reshape(3, 3) @ (
            model.body_inertia[1] * (data.ximat[0, 1].reshape(3, 3).T @ data.cvel[0, 1, :3])
        )
        return np.concatenate([data.qvel[0, :3], spin])

    before = momentum()
    step(model, data, 2000)
    after = momentum()
    np.testing.assert_allclose(after[:3], before[:3], rtol=1e-12)
    np.testing.assert_allclose(after[3:], before[3:], rtol=1e-5)


def test_two_threads_step_different_data():
    _, model = load("ant")
    expected = bits(model, 16, 20)
    results = [None, None]

    def work(k):
        results[k] = bits(model, 16, 20, nthread=2)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(result, expected) for result in results)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_fork_after_stepping():
    _, model = load("hopper")
    expected = bits(model, 16, 5, nthread=2)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        same = np.array_equal(bits(model, 16, 5, nthread=2), expected)
        os.write(write, b"1" if same else b"0")
        os._exit(0)
    assert os.read(read, 1) == b"1"
    os.waitpid(child, 0)


def test_pickle_and_deepcopy_continue_with_the_same_bits():
    _, model = load("ant")
    data = Data(model, 3)
    data.xfrc_applied[1, 1, 2] = 3.0
    data.ctrl[:] = 0.3
    step(model, data, 7)
    for other in (pickle.loads(pickle.dumps(data)), copy.deepcopy(data)):
        step(other.model, other, 5)
        again = copy.deepcopy(data)
        step(again.model, again, 5)
        assert np.array_equal(other.qpos, again.qpos)
    assert data.xfrc_applied[1, 1, 2] == 3.0


def test_a_new_model_compiles_nothing(monkeypatch):
    from mjenv.engine.simd import missing

    _, model = load("half_cheetah")
    step(model, Data(model, 8, keep=[]))
    monkeypatch.setattr(missing, "object_code", lambda *_: pytest.fail("compiled or loaded again"))
    _, other = load("hopper")
    assert other.nv != model.nv
    shorter = mjenv.Model.from_xml_string(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/>"
        "<body pos='0 0 1'><joint type='hinge' axis='0 1 0'/>"
        "<geom type='capsule' size='0.1 0.2'/></body></worldbody>"
        "<actuator><motor joint='j'/></actuator></mujoco>".replace(
            "type='hinge'", "name='j' type='hinge'"
        )
    )
    step(shorter, Data(shorter, 8, keep=[]))


def test_messages():
    _, model = load("half_cheetah")
    data = Data(model, 4, keep=["xpos"])
    cases = (
        (
            lambda: data.xquat,
            AttributeError,
            "Data.xquat: not kept; make the data with keep=[..., 'xquat']",
        ),
        (lambda: data.qpoos, AttributeError, "Data.qpoos: no such field; did you mean 'qpos'?"),
        (lambda: Data(model, 0), ValueError, "Data: nworld=0: expected at least 1"),
        (lambda: Data(model, width=3), ValueError, "Data: width=3: expected 1, 2, 4, 8 or 16"),
        (
            lambda: Data(model, keep=["xpso"]),
            ValueError,
            "Data: keep='xpso': no such field; did you mean 'xpos'?",
        ),
        (lambda: Data(model, vary=["body_mas"]), ValueError, "did you mean 'body_mass'?"),
        (lambda: step(model, data, -1), ValueError, "step: nstep=-1: expected 0 or more"),
        (
            lambda: step(model, data, mask=np.ones(3, bool)),
            ValueError,
            "step: mask is bool of shape (3,), expected bool of shape (4,)",
        ),
        (lambda: step(load("ant")[1], data), ValueError, "step: data were made for another model"),
    )
    for call, kind, text in cases:
        with pytest.raises(kind) as error:
            call()
        assert text in str(error.value)
