"""Functions of physics with what environments show: `mjenv.step(env.model, env.data)`."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest

import mjenv
from mjenv import WorldView


@pytest.fixture(scope="module")
def env():
    env = gymnasium.make("mjenv/Hopper-v5")
    env.reset(seed=0)
    return env.unwrapped


def test_step_and_its_like(env):
    env.reset(seed=0)
    model, data = env.model, env.data
    twin = mjenv.Data(model)
    mjenv.copy_data(twin, model, data)
    for run in (mjenv.step, mjenv.forward, mjenv.step1, mjenv.step2, mjenv.inverse):
        run(model, data)
        run(model, twin)
        assert data.qpos.tobytes() == twin.qpos.tobytes()
        assert data.qacc.tobytes() == twin.qacc.tobytes()
    assert data.time == pytest.approx(0.004)
    assert data.model is model
    mjenv.reset(model, data)
    assert data.time == 0


def test_results_have_no_world_axis(env):
    model, data = env.model, env.data
    mjenv.forward(model, data)
    jacp, jacr = mjenv.jac_body(model, data, "foot")
    assert jacp.shape == jacr.shape == (3, model.nv)
    assert (jacp == mjenv.jac_body(model, data.batch, "foot")[0][0]).all()
    row = mjenv.get_state(model, data, mjenv.State.PHYSICS)
    assert row.shape == (model.nq + model.nv,)
    mjenv.set_state(model, data, row + 0.01, mjenv.State.PHYSICS)
    assert (data.qpos == row[: model.nq] + 0.01).all()
    hits = mjenv.ray(model, data, [0, 0, 3], [0, 0, -1], bodyexclude=None)
    assert np.shape(hits.dist) == ()
    assert hits.normal.shape == (3,)
    assert mjenv.transition_fd(model, data).A.shape == (2 * model.nv, 2 * model.nv)
    states, _ = mjenv.rollout(model, data, np.zeros((4, model.nu)))
    assert states.shape == (4, 1 + model.nq + model.nv)


def test_one_of_many_worlds():
    model = mjenv.Model.from_xml_string(
        "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    )
    batch = mjenv.Data(model, 3)
    view = WorldView(model, batch, 1)
    mjenv.step(model, view, 2)
    assert batch.time.tolist() == [0, 0.004, 0]
    mjenv.reset(model, view)
    assert not batch.time.any()
    mjenv.set_state(model, view, [1.0], mjenv.State.TIME)
    assert batch.time.tolist() == [0, 1, 0]
    assert mjenv.get_state(model, view, mjenv.State.TIME) == [1]
    with pytest.raises(ValueError, match=r"rollout: a view of one of 3 worlds, expected the data"):
        mjenv.rollout(model, view, nstep=2)
    with pytest.raises(ValueError, match="step1: mask: expected none, a view is of one world"):
        mjenv.step1(model, view, mask=np.ones(3, bool))
    with pytest.raises(ValueError, match="copy_state: views of different worlds"):
        mjenv.copy_state(model, view, WorldView(model, batch, 2), mjenv.State.TIME)


def test_vector_environments(env):
    envs = gymnasium.make_vec("mjenv/Hopper-v5", 3).unwrapped
    envs.reset(seed=0)
    mjenv.step(envs.model, envs.data)
    assert (envs.data.time == 0.002).all()


def test_typos_are_refused(env):
    with pytest.raises(AttributeError, match=r"Data.ctlr: no such field; did you mean 'ctrl'"):
        env.data.ctlr = 1
    with pytest.raises(AttributeError, match=r"Data.qpso: no such field; did you mean 'qpos'"):
        _ = env.data.qpso
    with pytest.raises(AttributeError, match=r"data.model: cannot be assigned"):
        env.data.model = 1
    with pytest.raises(AttributeError, match=r"Data.contact: foo: no such field"):
        env.data.contact.foo = 1
    assert repr(env.data) == f"<world 0 of {env.data.batch!r}>"
    assert repr(env) == str(env)


@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_of_environments_have_every_field(how):
    """Also those that are computed when they are looked at: pictures are not dark."""
    env = gymnasium.make("mjenv/Hopper-v5", render_mode="rgb_array", width=40, height=30).unwrapped
    env.reset(seed=0)
    for _ in range(30):
        env.step(env.action_space.sample() * 0)
    twin = how(env)
    for name in ("light_xpos", "cam_xpos", "qM", "actuator_moment", "efc_force", "efc_J"):
        assert getattr(env.data, name).tobytes() == getattr(twin.data, name).tobytes(), name
        assert getattr(twin.data, name).any()
    assert (env.render() == twin.render()).all()
    action = np.full(3, 0.5, np.float32)
    for _ in range(3):
        ours, theirs = env.step(action), twin.step(action)
        assert (ours[0] == theirs[0]).all()
        assert ours[1] == theirs[1]
        assert env.data.qM.tobytes() == twin.data.qM.tobytes()
        assert env.data.cam_xpos.tobytes() == twin.data.cam_xpos.tobytes()


@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_of_vector_environments(how):
    envs = gymnasium.make_vec("mjenv/Hopper-v5", 3).unwrapped
    envs.reset(seed=0)
    action = np.full((3, 3), 0.5, np.float32)
    envs.step(action)
    twin = how(envs)
    for _ in range(3):
        assert envs.data.qacc_warmstart.tobytes() == twin.data.qacc_warmstart.tobytes()
        assert (envs.step(action)[0] == twin.step(action)[0]).all()
