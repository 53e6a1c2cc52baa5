"""The environments against Gymnasium's own: same seed and actions, same results."""

import inspect

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import mjenv
import mjenv.envs
from tests.envs.rows import IDS, ROWS

TOLERANCE = 1e-7

# arguments that differ from the defaults
CHANGED = {
    "InvertedPendulum-v5": {"frame_skip": 3, "reset_noise_scale": 0.05},
    "InvertedDoublePendulum-v5": {"healthy_reward": 3.0, "reset_noise_scale": 0.3},
    "Reacher-v5": {"frame_skip": 3, "reward_dist_weight": 2.0, "reward_control_weight": 0.5},
    "Pusher-v5": {
        "reward_near_weight": 2.0,
        "reward_dist_weight": 0.5,
        "reward_control_weight": 1.0,
    },
    "HalfCheetah-v5": {
        "forward_reward_weight": 2.0,
        "ctrl_cost_weight": 0.3,
        "reset_noise_scale": 0.02,
        "exclude_current_positions_from_observation": False,
    },
    "Hopper-v5": {
        "healthy_reward": 3.0,
        "terminate_when_unhealthy": False,
        "healthy_state_range": (-0.5, 0.5),
        "exclude_current_positions_from_observation": False,
    },
    "Walker2d-v5": {
        "forward_reward_weight": 2.0,
        "terminate_when_unhealthy": False,
        "healthy_z_range": (1.24, 1.26),
        "healthy_angle_range": (-0.01, 0.01),
        "exclude_current_positions_from_observation": False,
    },
    "Swimmer-v5": {
        "forward_reward_weight": 2.0,
        "ctrl_cost_weight": 0.1,
        "exclude_current_positions_from_observation": False,
    },
    "Ant-v5": {
        "contact_cost_weight": 1e-2,
        "main_body": 2,
        "healthy_z_range": (0.5, 0.9),
        "contact_force_range": (-3.0, 2.0),
        "exclude_current_positions_from_observation": False,
        "include_cfrc_ext_in_observation": False,
    },
    "Humanoid-v5": {
        "forward_reward_weight": 2.0,
        "contact_cost_weight": 1e-3,
        "contact_cost_range": (0.5, 20.0),
        "healthy_z_range": (1.39, 1.41),
        "terminate_when_unhealthy": False,
        "exclude_current_positions_from_observation": False,
        "include_cinert_in_observation": False,
        "include_qfrc_actuator_in_observation": False,
    },
    "HumanoidStandup-v5": {
        "uph_cost_weight": 5.0,
        "impact_cost_weight": 1e-4,
        "impact_cost_range": (0.01, 0.5),
        "exclude_current_positions_from_observation": False,
        "include_cvel_in_observation": False,
        "include_cfrc_ext_in_observation": False,
    },
}


def pair(id, **arguments):
    return gymnasium.make(id, **arguments), gymnasium.make(f"mjenv/{id}", **arguments)


def assert_close(theirs, ours, where):
    """Equal structure and types, and values to the tolerance."""
    if isinstance(theirs, dict):
        assert list(theirs) == list(ours), where
        for name, value in theirs.items():
            assert_close(value, ours[name], f"{where}/{name}")
    else:
        # numpy's float64 is a float
        assert isinstance(ours, (type(theirs), np.generic)), where
        np.testing.assert_allclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE, err_msg=where)


def compare_episodes(theirs, ours, seed, nstep=10):
    assert_close(*(env.reset(seed=seed)[0] for env in (theirs, ours)), "reset")
    theirs.action_space.seed(seed)
    for i in range(nstep):
        action = theirs.action_space.sample()
        expected, found = theirs.step(action), ours.step(action)
        for value, result, name in zip(
            expected,
            found,
            ("observation", "reward", "terminated", "truncated", "info"),
            strict=True,
        ):
            assert_close(value, result, f"step {i}, {name}")
        assert isinstance(found[2], bool)
        assert found[3] is False
        if expected[2]:
            break


@pytest.mark.sweep(1)
@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("changed", [False, True], ids=["default", "changed"])
def test_episodes_agree(id, changed):
    environments = pair(id, **(CHANGED[id] if changed else {}))
    for seed in range(20):
        compare_episodes(*environments, seed)


@pytest.mark.sweep(8)
@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("kind", ["float64", "list", "outside"])
def test_actions_of_other_types_agree(id, kind):
    theirs, ours = pair(id)
    action = theirs.action_space.sample().astype(np.float64)
    action = {"float64": action, "list": action.tolist(), "outside": np.float32(4.0 * action)}[kind]
    theirs.unwrapped.reset(seed=1), ours.unwrapped.reset(seed=1)
    expected, found = theirs.unwrapped.step(action), ours.unwrapped.step(action)
    for value, result in zip(expected, found, strict=True):
        assert_close(value, result, kind)


@pytest.mark.parametrize("id", IDS)
def test_reset_info_agrees(id):
    theirs, ours = pair(id)
    assert_close(theirs.reset(seed=5)[1], ours.reset(seed=5)[1], "reset info")


@pytest.mark.sweep(8)
@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("changed", [False, True])
def test_spaces_and_attributes_agree(id, changed):
    theirs, ours = pair(id, **(CHANGED[id] if changed else {}))
    assert theirs.observation_space == ours.observation_space
    assert theirs.action_space == ours.action_space
    a, b = theirs.unwrapped, ours.unwrapped
    if hasattr(a, "observation_structure"):
        assert a.observation_structure == b.observation_structure
    assert a.metadata == b.metadata
    assert a.dt == pytest.approx(b.dt)
    assert (a.frame_skip, a.width, a.height) == (b.frame_skip, b.width, b.height)
    assert (a.camera_id, a.camera_name, a.render_mode) == (
        b.camera_id,
        b.camera_name,
        b.render_mode,
    )
    np.testing.assert_array_equal(a.init_qpos, b.init_qpos)
    np.testing.assert_array_equal(a.init_qvel, b.init_qvel)
    assert theirs.spec.max_episode_steps == ours.spec.max_episode_steps
    assert theirs.spec.reward_threshold == ours.spec.reward_threshold


@pytest.mark.parametrize("row", ROWS, ids=IDS)
def test_signatures_agree(row):
    theirs = inspect.signature(type(gymnasium.make(row.id).unwrapped)).parameters
    ours = inspect.signature(getattr(mjenv.envs, f"{row.task}Env")).parameters
    assert list(theirs) == [name for name, p in ours.items() if p.kind is not p.KEYWORD_ONLY]
    for name, parameter in theirs.items():
        assert parameter.kind == ours[name].kind
        if name == "default_camera_config" and parameter.default is not None:
            assert dict_of_lists(parameter.default) == dict_of_lists(ours[name].default)
        else:
            assert parameter.default == ours[name].default


def test_all_environments_of_the_newest_version_are_there():
    theirs = {id for id, spec in gymnasium.registry.items() if ".mujoco." in str(spec.entry_point)}
    assert {id for id in theirs if id.endswith("-v5")} == set(IDS)


def dict_of_lists(config):
    return {name: np.asarray(value).tolist() for name, value in config.items()}


def test_arguments_by_position():
    env = mjenv.envs.HalfCheetahEnv("half_cheetah.xml", 2, None, 3.0, render_mode=None)
    assert (env.frame_skip, env.task.default_camera_config) == (2, None)
    assert env.task.forward_reward_weight == 3.0


@pytest.mark.sweep(6)
@pytest.mark.parametrize("id", IDS)
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_vector_environments_agree(id, mode):
    """Against SyncVectorEnv: ends by the time limit in all, by falling in some."""
    arguments = {"num_envs": 3, "max_episode_steps": 6}
    theirs = gymnasium.make_vec(
        id, vectorization_mode="sync", vector_kwargs={"autoreset_mode": mode}, **arguments
    )
    ours = gymnasium.make_vec(f"mjenv/{id}", autoreset_mode=mode, **arguments)
    assert theirs.observation_space == ours.observation_space
    assert theirs.action_space == ours.action_space
    for expected, found in zip(theirs.reset(seed=3), ours.reset(seed=3), strict=True):
        assert_same_arrays(expected, found, "reset")
    theirs.action_space.seed(0)
    for i in range(16):
        actions = theirs.action_space.sample()
        for expected, found in zip(theirs.step(actions), ours.step(actions), strict=True):
            assert_same_arrays(expected, found, f"step {i}")


def assert_same_arrays(theirs, ours, where):
    """Equal keys, types and shapes, and values to the tolerance; None at the same places."""
    if isinstance(theirs, dict):
        assert set(theirs) == set(ours), where
        for name, value in theirs.items():
            assert_same_arrays(value, ours[name], f"{where}/{name}")
        return
    assert theirs.dtype == ours.dtype, where
    assert theirs.shape == ours.shape, where
    if theirs.dtype != object:
        np.testing.assert_allclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE, err_msg=where)
        return
    for expected, found in zip(theirs, ours, strict=True):
        assert (expected is None) == (found is None), where
        if expected is not None:
            assert_same_arrays(expected, found, where)
