"""Gymnasium's MuJoCo tasks, ported by pointing, beside the environments themselves."""

import gymnasium as gym
import numpy as np
import pytest

import mjenv
from mjenv.porting.checking import check
from mjenv.porting.porting import TRACED, report
from mjenv.porting.vector import PortedVectorEnv

TASKS = (
    "Ant", "HalfCheetah", "Hopper", "Humanoid", "HumanoidStandup", "InvertedDoublePendulum",
    "InvertedPendulum", "Pusher", "Reacher", "Swimmer", "Walker2d",
)  # fmt: skip
ROUNDING = 1e-13


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", TASKS)
def test_steps_are_those_of_the_environment(name):
    found = check(f"{name}-v5", nseed=2, nstep=30)
    assert not found.first
    assert found.steps == 30
    assert found.largest < ROUNDING


@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", TASKS)
def test_all_are_traced(name):
    found = report(f"{name}-v5")
    assert (found.way, found.reason) == (TRACED, "")


def test_world_by_world_gives_the_same():
    found = check("Hopper-v5", nseed=2, nstep=30, way="world by world")
    assert (found.first, found.largest) == ("", 0.0)


@pytest.mark.parametrize("way", ["traced", "world by world"])
def test_infos_are_those_of_the_environment(way):
    envs = PortedVectorEnv("Ant-v5", 3, way=way)
    single = PortedVectorEnv("Ant-v5", 1, way="world by world")._worlds._envs[0]
    _, infos = envs.reset(seed=5)
    _, info = single.reset(seed=6)
    assert {name for name in infos if name[0] != "_"} == set(info)
    actions = np.full((3, 8), 0.3, np.float32)
    *_, infos = envs.step(actions)
    *_, info = single.step(actions[1])
    assert {name for name in infos if name[0] != "_"} == set(info)
    for name, value in info.items():
        assert infos[name][1] == pytest.approx(value, rel=1e-12)
        assert infos[f"_{name}"].tolist() == [True] * 3


def test_registered_and_made_by_its_id():
    found = mjenv.port("Reacher-v5", id="mjenv-test/Reacher-v0")
    assert found.way == TRACED
    envs = gym.make_vec("mjenv-test/Reacher-v0", num_envs=4)
    envs.reset(seed=0)
    ends = []
    for _ in range(51):
        _, _, terminated, truncated, _ = envs.step(envs.action_space.sample())
        ends.append((terminated.any(), truncated.all()))
    # the time limit of the environment, and a step that starts the next episode
    assert ends == [(False, False)] * 49 + [(False, True), (False, False)]


def test_same_step_reports_the_last_observation():
    envs = PortedVectorEnv("InvertedPendulum-v5", 5, autoreset_mode="SameStep")
    envs.reset(seed=1)
    while True:
        last, _, terminated, _, infos = envs.step(np.full((5, 1), 3.0, np.float32))
        if terminated.any():
            break
    assert (infos["_final_obs"] == terminated).all()
    fallen, begun = infos["final_obs"][terminated], last[terminated]
    assert (np.abs(fallen[:, 1]) > 0.2).all()
    assert (np.abs(begun) <= 0.01).all()


def test_worlds_do_not_depend_on_their_number():
    few, many = PortedVectorEnv("Humanoid-v5", 2), PortedVectorEnv("Humanoid-v5", 19)
    rng = np.random.default_rng(0)
    one, other = few.reset(seed=3)[0], many.reset(seed=3)[0]
    for _ in range(20):
        assert np.array_equal(one, other[:2])
        actions = rng.uniform(-0.4, 0.4, (19, 17)).astype(np.float32)
        one, other = few.step(actions[:2])[0], many.step(actions)[0]


def test_actions_of_another_shape_are_refused():
    envs = PortedVectorEnv("InvertedPendulum-v5", 2)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions have shape \(3,\), expected \(2, 1\)"):
        envs.step(np.zeros(3))
    with pytest.raises(ValueError, match="way='fast', expected None or one of"):
        PortedVectorEnv("InvertedPendulum-v5", 2, way="fast")


def test_other_environments_keep_mujoco():
    import mujoco

    before = gym.make("InvertedPendulum-v5").unwrapped
    PortedVectorEnv("InvertedPendulum-v5", 1)
    after = gym.make("InvertedPendulum-v5").unwrapped
    for env in (before, after):
        assert isinstance(env.data, mujoco.MjData)
        assert type(env) is type(before)


def test_worlds_go_on_from_saved_states():
    envs, again = (PortedVectorEnv("InvertedPendulum-v5", 4) for _ in range(2))
    envs.reset(seed=0)
    again.reset(seed=9)
    actions = np.random.default_rng(0).uniform(-3, 3, (60, 4, 1)).astype(np.float32)
    for step in actions[:30]:
        last, *_ = envs.step(step)
    assert np.array_equal(again.restore_state(envs.save_state()), last)
    # episodes end on the way, and new ones are drawn
    ended = np.zeros(4, bool)
    for step in actions[30:]:
        results = envs.step(step)[:4]
        for one, other in zip(results, again.step(step)[:4], strict=True):
            assert np.array_equal(one, other)
        ended |= results[2]
    assert ended.any()
    with pytest.raises(ValueError, match=r"restore_state: found rows of shape \(4, 3\), expected"):
        envs.restore_state(np.zeros((4, 3), np.uint8))


def test_observations_in_another_type_and_refused_where_they_are_not_finite():
    envs = PortedVectorEnv(
        "InvertedPendulum-v5", 2, observation_dtype=np.float32, check_finite=True
    )
    assert envs.reset(seed=0)[0].dtype == np.float32
    assert envs.single_observation_space.dtype == np.float32
    envs._worlds._step.observation[()][1] = np.nan
    envs._rows[()][1] = np.nan
    with pytest.raises(ValueError, match="observation of environment 1 is not finite"):
        envs._refuse_wild(np.zeros(2))


class Sticky(gym.Wrapper):
    """The action of the step before, at times; None before the first."""

    def __init__(self, env):
        super().__init__(env)
        self.last = None

    def reset(self, **options):
        self.last = None
        return self.env.reset(**options)

    def step(self, action):
        if self.last is not None and self.np_random.random() < 0.5:
            action = self.last
        self.last = action
        return self.env.step(action)


class Extremes(gym.ObservationWrapper):
    def __init__(self, env):
        super().__init__(env)
        extra = gym.spaces.Box(-np.inf, np.inf, (2,), np.float64)
        self.observation_space = gym.spaces.Dict({"state": env.observation_space, "extra": extra})

    def observation(self, observation):
        return {"state": observation, "extra": np.array([observation.max(), observation.mean()])}


def stacked():
    env = gym.wrappers.ClipAction(gym.make("HalfCheetah-v5"))
    return gym.wrappers.FrameStackObservation(
        gym.wrappers.TransformReward(env, lambda reward: 0.1 * reward), 3
    )


def timed():
    return gym.wrappers.TimeAwareObservation(gym.make("Hopper-v5"))


def normalized():
    return gym.wrappers.NormalizeObservation(gym.make("Hopper-v5"))


def sticky():
    return Extremes(Sticky(gym.make("Walker2d-v5")))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("make", [stacked, timed, normalized, sticky])
def test_wrappers_around_what_gymnasium_makes(make):
    """Those that `make` puts between, to check how it is used, are no part of a step."""
    found = report(make)
    assert "reset not traced" not in str(found)
    found = check(make, nseed=2, nstep=60, way="traced")
    assert not found.first
    # statistics are in single precision
    assert found.largest < (1e-6 if make is normalized else ROUNDING)
