"""Environments of several agents with PettingZoo's interface."""

from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("pettingzoo")

from pettingzoo.test import parallel_api_test, parallel_seed_test

from mjenv.envs.robots.two_ants import TwoAnts
from mjenv.zoo import ParallelEnv


def ants(**arguments: Any) -> ParallelEnv:
    return ParallelEnv("TwoAnts-v0", **arguments)


def test_api():
    """PettingZoo's own test, over several episodes."""
    parallel_api_test(ants(max_episode_steps=40), num_cycles=100)


def test_seeds():
    """The same seed gives the same episode, as PettingZoo's own test finds."""
    parallel_seed_test(ants, num_cycles=10)


def test_is_the_single_environment():
    """Observations, rewards, ends and infos are those of the environment, agent by agent."""
    several, single = ants(), gymnasium.make("mjenv/TwoAnts-v0")
    seen, _ = several.reset(seed=3)
    expected, _ = single.reset(seed=3)
    np.testing.assert_equal(seen, expected)
    rng = np.random.default_rng(0)
    for _ in range(30):
        action = rng.uniform(-1, 1, 16).astype(np.float32)
        given = {"ant_1": action[8:], "ant_0": action[:8]}  # in any order
        seen, rewards, terminated, truncated, infos = several.step(given)
        expected, reward, over, cut, info = single.step(action)
        np.testing.assert_equal(seen, expected)
        assert sum(rewards.values()) == pytest.approx(reward, abs=1e-12)
        assert (terminated["ant_0"], truncated["ant_1"]) == (over, cut)
        assert infos["ant_1"]["push"] == info["ant_1_push"] == -infos["ant_0"]["push"]
        np.testing.assert_array_equal(several.state(), np.concatenate([*seen.values()]))
        if over:
            assert several.agents == []
            seen, _ = several.reset()
            np.testing.assert_equal(seen, single.reset()[0])
    assert several.agents == ["ant_0", "ant_1"]
    several.close()


def test_pushing_out_is_rewarded():
    """An ant that is out ends the episode: it loses what the other one wins."""
    env = ants()
    env.reset(seed=0)
    unwrapped: Any = env.env.unwrapped
    qpos, qvel = unwrapped.data.qpos.copy(), np.zeros(28)
    qpos[15:17] = 0.0, 2.6
    unwrapped.set_state(qpos, qvel)
    _, rewards, terminated, _, infos = env.step({a: np.zeros(8) for a in env.agents})
    assert all(terminated.values())
    assert infos["ant_0"]["win"] == 10.0 == -infos["ant_1"]["win"]
    assert rewards["ant_0"] > 5.0 > -5.0 > rewards["ant_1"]


def test_ants_meet_each_other_and_not_themselves():
    env: Any = gymnasium.make("mjenv/TwoAnts-v0").unwrapped
    model = env.model
    ant = [[model.geom(g).name.startswith(f"ant_{k}_") for g in range(model.ngeom)] for k in (0, 1)]
    own, masks = np.array(ant), (model.geom_contype, model.geom_conaffinity)
    meet = (masks[0][:, None] & masks[1]) | (masks[1][:, None] & masks[0]) != 0
    floor = model.geom("floor").id
    for k in range(2):
        assert not meet[np.ix_(own[k], own[k])].any()
        assert meet[own[k], floor].all()
    assert meet[np.ix_(own[0], own[1])].all()


def test_mistakes(monkeypatch):
    with pytest.raises(TypeError, match=r"the task of .* has no `agents`"):
        ParallelEnv("HalfCheetah-v5")
    with pytest.raises(ValueError, match="TwoAnts-v0"):
        ParallelEnv("TwoAnt-v0")
    monkeypatch.setattr(TwoAnts, "groups", {"ant_0": ("ant_0_self",)})
    with pytest.raises(TypeError, match="found no observations of ant_1, expected the task's"):
        ants()


def test_mistakes_in_steps():
    env = ants()
    with pytest.raises(ValueError, match="expected those of nobody: the episode is over"):
        env.step({"ant_0": np.zeros(8), "ant_1": np.zeros(8)})
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"found actions of \['ant_0'\], expected those of"):
        env.step({"ant_0": np.zeros(8)})
    with pytest.raises(
        TypeError,
        match="ParallelEnv: frame_skip: found with an environment, expected with a name",
    ):
        ParallelEnv(env.env, frame_skip=3)
