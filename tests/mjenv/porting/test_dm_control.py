"""Tasks of dm_control, ported by pointing; skipped where the package is absent."""

import importlib
import re
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.environment.in_place import ours_in_place
from mjenv.porting.porting import TRACED, WORLD_BY_WORLD, report
from mjenv.porting.vector import PortedVectorEnv

pytest.importorskip("dm_control")
OWN = "tests.mjenv.porting.dm_tasks:"


def compared(target, nstep=30, **kwargs):
    found = report(target, **kwargs)
    assert (found.way, found.reason) == (TRACED, "")
    difference = check(target, nseed=3, nstep=nstep, **kwargs)
    assert not difference.first
    assert difference.largest < 1e-12
    return str(found)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["cheetah-run", "walker-walk", "acrobot-swingup", "lqr-lqr_2_1", "reacher-easy"]
)
def test_tasks_of_the_suite(name):
    compared(f"dm_control/{name}", nstep=20)


@pytest.mark.slow
def test_seeds_give_the_episodes_of_the_package():
    envs = PortedVectorEnv("dm_control:walker-walk", 2)
    seen = envs.reset(seed=3)[0]
    with ours_in_place():
        suite = importlib.import_module("dm_control.suite")
        for world in range(2):
            env = suite.load("walker", "walk", task_kwargs={"random": 3 + world})
            first = env.reset().observation
            expected = np.concatenate([np.ravel(one) for one in first.values()])
            np.testing.assert_array_equal(seen[world], expected)
    assert envs.max_episode_steps == 1000
    assert envs.single_action_space == gym.spaces.Box(-1, 1, (6,), np.float64)


@pytest.mark.slow
@pytest.mark.parametrize("legacy", [True, False])
def test_tasks_of_a_user(legacy):
    text = compared(f"{OWN}reach", nstep=60, legacy_step=legacy)
    assert "forward 1" in text
    assert "reset: Python" not in text
    assert "self.task.count" in text


@pytest.mark.slow
def test_what_episodes_end_with():
    envs = PortedVectorEnv(f"{OWN}reach", 6, flatten=False, far=0.1, max_episode_steps=None)
    seen, _ = envs.reset(seed=0)
    assert {name: one.shape for name, one in seen.items()} == {
        "front": (6, 2), "speed": (6, 2), "felt": (6, 6), "count": (6,)
    }  # fmt: skip
    ended = np.zeros(6, bool)
    for _ in range(40):
        *_, terminated, truncated, infos = envs.step(np.ones((6, 1)))
        assert not truncated.any()
        stepped = infos["_discount"]
        assert (infos["discount"][stepped] == np.where(terminated, 0.0, 1.0)[stepped]).all()
        ended |= terminated
    assert ended.all()
    assert PortedVectorEnv(f"{OWN}reach", 1).max_episode_steps == 20


@pytest.mark.slow
def test_worlds_without_seeds_differ_and_are_saved():
    envs = PortedVectorEnv(f"{OWN}reach", 4, random=5)
    first, _ = envs.reset()
    assert len({row.tobytes() for row in first}) == 4
    again = PortedVectorEnv(f"{OWN}reach", 4, random=5)
    np.testing.assert_array_equal(again.reset()[0], first)
    rows = envs.save_state()
    actions = np.random.default_rng(0).uniform(-1, 1, (30, 4, 1))
    seen = [envs.step(one)[0] for one in actions]
    envs.restore_state(rows)
    for one, expected in zip(actions, seen, strict=True):
        np.testing.assert_array_equal(envs.step(one)[0], expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("writes_afterwards", "found qpos written at the end of a step, before the next one's"),
        ("composed", "it compiles a model anew for its episodes, or is no control.Environment"),
    ],
)
def test_what_is_not_traced_is_said(name, words):
    found = report(OWN + name)
    assert found.way == WORLD_BY_WORLD
    assert words in found.reason
    assert not check(OWN + name, nseed=2, nstep=10).first


@pytest.mark.slow
def test_a_generator_of_the_task_is_the_world_s_own():
    compared(f"{OWN}noisy", nstep=10)


@pytest.mark.slow
def test_worlds_that_become_unstable_end_their_episodes():
    envs = PortedVectorEnv(f"{OWN}reach", 3, far=1e6)
    envs.reset(seed=0)
    *_, infos = envs.step(np.zeros((3, 1)))
    assert "diverged" not in infos
    envs.data.qvel[1] = 1e30
    _, rewards, terminated, _, infos = envs.step(np.zeros((3, 1)))
    assert infos["diverged"].tolist() == terminated.tolist() == [False, True, False]
    assert rewards[1] == 0.0 != rewards[0]


@pytest.mark.slow
def test_example_of_the_guide(capsys):
    page = Path(__file__).parents[3] / "docs" / "port.md"
    (example,) = re.findall(r"^```py\n(.*?)^```$", page.read_text(), re.S | re.M)
    names = {}
    exec(compile(example, "docs/port.md", "exec"), names)
    assert "dm_control-cheetah-run: traced" in capsys.readouterr().out
    assert names["observations"].shape == (512, 17)
    assert np.isfinite(names["rewards"]).all()


@pytest.mark.slow
def test_names_that_there_are_not():
    with pytest.raises(ValueError, match="cheetah-walk: no such task, expected one of cheetah-run"):
        report("dm_control/cheetah-walk")
    with pytest.raises(ValueError, match="expected one of acrobot, ball_in_cup"):
        report("dm_control:nothing-run")
