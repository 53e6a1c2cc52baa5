"""Tasks of other packages, ported by pointing; each is skipped where its package is absent."""

import gymnasium as gym
import numpy as np
import pytest

import mjenv
from mjenv.gym.suites import BENCHMARKS
from mjenv.porting.checking import NEAR_SINGLE, check
from mjenv.porting.porting import TRACED, report

ROBOTICS = (
    "FetchReach-v4", "FetchPush-v4", "HandReach-v3", "HandManipulateBlock-v1",
    "PointMaze_UMaze-v3", "AdroitHandDoor-v1", "AdroitHandPen-v1", "FrankaKitchen-v1",
)  # fmt: skip
# tasks and how far apart: rewards of the second are in float32
METAWORLD = {"metaworld/reach-v3": 1e-12, "metaworld/drawer-close-v3": NEAR_SINGLE}


def compared(target: str, tolerance: float = 1e-12) -> None:
    """The task is traced, and its steps are those of the package."""
    found = report(target)
    assert (found.way, found.reason) == (TRACED, "")
    difference = check(target, nseed=2, nstep=20)
    assert not difference.first
    assert difference.largest < tolerance


@pytest.mark.slow
@pytest.mark.parametrize("target", ROBOTICS)
def test_gymnasium_robotics(target):
    pytest.importorskip("gymnasium_robotics")
    compared(target)


@pytest.mark.slow
def test_a_generator_of_a_part_is_the_world_s_own():
    """The starts of the maze's ant are drawn from the ant's own generator."""
    pytest.importorskip("gymnasium_robotics")
    compared("AntMaze_UMaze-v5")


@pytest.mark.slow
@pytest.mark.parametrize(("target", "tolerance"), METAWORLD.items(), ids=METAWORLD)
def test_metaworld(target, tolerance):
    pytest.importorskip("metaworld")
    compared(target, tolerance)


@pytest.fixture
def tasks_of_metaworld():
    """Two traced tasks together, as the benchmarks are registered."""
    pytest.importorskip("metaworld")
    kwargs = dict(BENCHMARKS[0].kwargs)
    return lambda n, **more: mjenv.make_vec(
        ["reach-v3", "drawer-open-v3"], n, way="traced", **{**kwargs, **more}
    )


@pytest.mark.slow
def test_worlds_of_benchmarks_do_what_they_do_alone(tasks_of_metaworld):
    envs = tasks_of_metaworld(4)
    seen, infos = envs.reset(seed=5)
    assert seen.shape == (4, 41)
    assert seen[:, -2:].tolist() == [[1, 0], [0, 1]] * 2
    alone = gym.make_vec("mjenv/drawer-open-v3", num_envs=1, goals="MT10")
    first, _ = alone.reset(seed=6)
    np.testing.assert_array_equal(seen[1, :39], first[0])
    rng = np.random.default_rng(0)
    for _ in range(20):
        actions = rng.uniform(-1, 1, (4, 4)).astype(np.float32)
        seen, rewards, *_, infos = envs.step(actions)
        found = alone.step(actions[1:2])
        np.testing.assert_array_equal(seen[1, :39], found[0][0])
        assert rewards[1] == found[1][0]
    assert infos["_is_success"].all()
    assert not infos["is_success"].any()


@pytest.mark.slow
def test_goals_are_those_of_the_benchmark(tasks_of_metaworld):
    from mjenv.porting.environment.metaworld_tasks import _goals

    envs = tasks_of_metaworld(2)
    known = _goals("MT10", 0)["reach-v3"]
    assert known.shape == (50, 6)
    for seed in range(5):
        goal = envs.reset(seed=seed)[0][0, 36:39]
        assert (np.abs(known[:, 3:] - goal).max(axis=1) < 1e-12).sum() == 1
    hidden = tasks_of_metaworld(2, partially_observable=True, task_id=None)
    assert not hidden.reset(seed=0)[0][:, 36:39].any()
    free = tasks_of_metaworld(2, goals=None).reset(seed=0)[0][0, 36:39]
    assert (np.abs(known[:, 3:] - free).max(axis=1) > 1e-6).all()


@pytest.mark.slow
def test_goals_that_there_are_not(tasks_of_metaworld):
    with pytest.raises(ValueError, match="mjenv/reach-v3: goals='MT11', expected a benchmark"):
        tasks_of_metaworld(2, goals="MT11")
    with pytest.raises(ValueError, match=r"goals=.MT10.: has no task push-back-v3"):
        gym.make_vec("mjenv/push-back-v3", num_envs=1, goals="MT10")
