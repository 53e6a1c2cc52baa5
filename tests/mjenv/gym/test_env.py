"""The single environment: Gymnasium's contract, MuJoCo's attributes, errors, copies."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils.env_checker import check_env

import mjenv.envs
from mjenv.gym.registration import ENVS

IDS = [f"mjenv/{row.id}" for row in ENVS]


@pytest.fixture
def cheetah():
    env = gymnasium.make("mjenv/HalfCheetah-v5").unwrapped
    env.reset(seed=0)
    return env


@pytest.mark.sweep(4)
@pytest.mark.parametrize("id", IDS)
@pytest.mark.filterwarnings("ignore:.*WARN")
def test_gymnasium_checks(id):
    check_env(gymnasium.make(id).unwrapped, skip_render_check=True)


@pytest.mark.sweep(4)
@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_continue_with_the_same_bits(id, clone):
    env = gymnasium.make(id, frame_skip=3)
    env.reset(seed=4)
    env.action_space.seed(0)
    for _ in range(5):
        env.step(env.action_space.sample())
    other = clone(env)
    assert other.unwrapped.frame_skip == 3
    assert type(other.unwrapped) is type(env.unwrapped)
    for _ in range(5):
        action = env.action_space.sample()
        np.testing.assert_equal(env.step(action), other.step(action))
    np.testing.assert_array_equal(env.reset()[0], other.reset()[0])


def test_copies_are_apart(cheetah):
    other = copy.deepcopy(cheetah)
    other.data.qpos[:] = 7.0
    other.model.body_mass[1] = 1e3
    assert not np.any(cheetah.data.qpos == 7.0)
    assert cheetah.model.body_mass[1] != 1e3


def test_same_seed_same_episode(cheetah):
    first, _ = cheetah.reset(seed=9)
    second, _ = cheetah.reset()
    assert np.any(first != second)
    np.testing.assert_array_equal(first, cheetah.reset(seed=9)[0])
    np.testing.assert_array_equal(second, cheetah.reset()[0])


def test_outputs_are_not_views(cheetah):
    observation, *_, info = cheetah.step(np.zeros(6))
    kept = observation.copy(), dict(info)
    cheetah.step(np.ones(6))
    np.testing.assert_array_equal(observation, kept[0])
    assert info == kept[1]


def test_set_state(cheetah):
    qpos, qvel = np.arange(9) * 0.01, np.arange(9) * 0.1
    cheetah.set_state(qpos, qvel)
    np.testing.assert_array_equal(cheetah.state_vector(), np.concatenate((qpos, qvel)))
    np.testing.assert_allclose(cheetah.get_body_com("torso")[0], qpos[0])
    with pytest.raises(ValueError, match=r"set_state: qpos has shape \(8,\), expected \(9,\)"):
        cheetah.set_state(qpos[1:], qvel)


def test_do_simulation(cheetah):
    cheetah.do_simulation(np.full(6, 0.5), 2)
    assert cheetah.data.time == pytest.approx(2 * cheetah.model.opt.timestep)
    assert cheetah.data.ctrl.tolist() == [0.5] * 6


def test_data_has_the_shapes_of_mujoco(cheetah):
    data, model = cheetah.data, cheetah.model
    assert data.qpos.shape == (model.nq,)
    assert data.xpos.shape == (model.nbody, 3)
    assert data.cfrc_ext.shape == (model.nbody, 6)
    assert isinstance(data.time, float)
    assert isinstance(data.ncon, int)
    assert data.batch.qpos.shape == (1, model.nq)
    data.qpos = np.arange(9.0)
    data.qvel[:] = 2.0
    data.time = 3.0
    assert data.batch.qpos[0].tolist() == list(range(9))
    assert data.batch.qvel[0, 0] == 2.0
    assert data.time == data.batch.time[0] == 3.0
    assert "qpos" in dir(data)


def test_data_by_name(cheetah):
    data = cheetah.data
    assert data.body("torso").xpos.shape == (3,)
    assert data.body(1).name == "torso"
    assert np.shares_memory(data.geom("floor").xmat, data.batch.geom_xmat)
    joint = data.joint("bthigh")
    assert joint.qpos.shape == joint.qvel.shape == (1,)
    joint.qpos = 0.25
    assert data.qpos[joint.id] == 0.25
    data.actuator("bthigh").ctrl = 0.5
    assert data.ctrl[0] == 0.5
    with pytest.raises(AttributeError, match="body 'torso': no attribute 'xposs', expected one of"):
        _ = data.body("torso").xposs


def test_joint_of_several_coordinates():
    env = gymnasium.make("mjenv/Ant-v5").unwrapped
    assert env.data.joint("root").qpos.shape == (7,)
    assert env.data.joint("root").qvel.shape == (6,)
    assert env.data.joint("hip_1").qpos.shape == (1,)


def test_contacts(cheetah):
    for _ in range(20):
        cheetah.step(np.zeros(6))
    contact = cheetah.data.contact
    assert len(contact) == cheetah.data.ncon > 0
    assert contact.dist.shape == (len(contact),)
    assert contact[0].frame.shape == (9,)
    with pytest.raises(IndexError):
        _ = contact[len(contact)]


def test_step_before_reset():
    env = gymnasium.make("mjenv/HalfCheetah-v5").unwrapped
    with pytest.raises(ResetNeeded, match="no state yet; call reset"):
        env.step(np.zeros(6))


def test_closed(cheetah):
    cheetah.close()
    cheetah.close()
    for what, call in (
        ("step", lambda: cheetah.step(np.zeros(6))),
        ("reset", cheetah.reset),
        ("render", cheetah.render),
    ):
        with pytest.raises(ClosedEnvironmentError, match=f"{what}: the environment is closed"):
            call()


def test_action_of_wrong_shape(cheetah):
    for action in (np.zeros(5), np.zeros((1, 6)), 0.0):
        with pytest.raises(ValueError, match=r"step: action has shape .*, expected \(6,\)"):
            cheetah.step(action)


@pytest.mark.filterwarnings("ignore:overflow")
def test_action_not_finite(cheetah):
    with pytest.raises(ValueError, match=r"step: action is \[nan, 0.0.*expected finite numbers"):
        cheetah.step([np.nan, 0, 0, 0, 0, 0])
    # finite, although its square is not: the reward is what is refused
    with pytest.raises(mjenv.NonFiniteError, match="reward term 'reward_ctrl' of environment 0 is"):
        cheetah.step(np.full(6, 1e200))


def test_two_cameras():
    with pytest.raises(ValueError, match="camera_id=0 and camera_name='track', expected only one"):
        gymnasium.make("mjenv/HalfCheetah-v5", camera_id=0, camera_name="track")


def test_render_without_mode(cheetah):
    with pytest.warns(UserWarning, match="no render_mode; give it one"):
        assert cheetah.render() is None


def test_render_in_unknown_mode(cheetah):
    with pytest.raises(ValueError, match="render_mode='text', expected one of"):
        cheetah.mujoco_renderer.render("text")


def test_subclass():
    class Tired(mjenv.envs.HalfCheetahEnv):
        def do_simulation(self, ctrl, n_frames):
            super().do_simulation(0.5 * np.asarray(ctrl), n_frames)

    env = Tired(frame_skip=2)
    env.reset(seed=0)
    env.step(np.ones(6))
    assert env.data.ctrl.tolist() == [0.5] * 6


def test_names_of_gymnasiums_environments():
    """Code that looks into them finds the same here."""
    theirs, ours = (gymnasium.make(f"{space}Walker2d-v5").unwrapped for space in ("", "mjenv/"))
    for env in (theirs, ours):
        env.reset(seed=0)
    assert ours.is_healthy is bool(theirs.is_healthy) is True
    ours.set_state(ours.init_qpos * 0.0, ours.init_qvel)
    assert ours.is_healthy is False
    for name in ("_healthy_reward", "_healthy_z_range", "_ctrl_cost_weight", "_reset_noise_scale"):
        assert getattr(ours, name) == getattr(theirs, name)
    with pytest.raises(AttributeError, match="Walker2dEnv: no attribute '_weight'"):
        _ = ours._weight
    assert not hasattr(gymnasium.make("mjenv/Reacher-v5").unwrapped, "is_healthy")


def test_subclass_with_another_observation():
    class Blind(mjenv.envs.HalfCheetahEnv):
        def _get_obs(self):
            return super()._get_obs()[:8]

    env = Blind()
    assert env.reset(seed=0)[0].shape == (8,)
    assert env.step(np.zeros(6))[0].shape == (8,)
