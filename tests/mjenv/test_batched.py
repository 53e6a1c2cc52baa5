"""Batches of every kind of vector environment: the bits of steps of all worlds together."""

import copy
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

import mjenv

pytest.importorskip("mujoco")

from mjenv.gym.pixels import PixelVectorEnv

STEPS = 16
XML = """<mujoco><worldbody><body><joint name="x" type="slide" damping="1"/>
  <geom size=".1" mass="1"/></body></worldbody>
  <actuator><motor joint="x" gear="5"/></actuator></mujoco>"""


class Slide(gym.Env):
    """Somebody's environment: it ends when it is far away, and tells infos of resets and steps."""

    observation_space = gym.spaces.Box(-np.inf, np.inf, (3,), np.float64)
    action_space = gym.spaces.Box(-1, 1, (1,), np.float32)

    def __init__(self):
        import mujoco

        self.model = mujoco.MjModel.from_xml_string(XML)
        self.data = mujoco.MjData(self.model)
        self.count, self.goal = 0, 0.0

    def observed(self):
        return np.array([self.data.qpos[0], self.data.qvel[0], self.goal])

    def reset(self, *, seed=None, options=None):
        import mujoco

        super().reset(seed=seed)
        mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[:] = self.np_random.uniform(-0.2, 0.2, 1)
        self.count, self.goal = 0, self.np_random.uniform(-1, 1)
        return self.observed(), {"place": self.data.qpos[0], "goal": self.goal}

    def step(self, action):
        import mujoco

        self.data.ctrl[:] = action
        mujoco.mj_step(self.model, self.data, 5)
        self.count += 1
        place = self.data.qpos[0]
        info = {"place": place, "success": float(abs(place - self.goal) < 0.1)}
        end = bool(abs(place) > 0.3)
        return self.observed(), -abs(place - self.goal), end, self.count >= 9, info


@pytest.fixture(scope="module", autouse=True)
def ports():
    mjenv.port(Slide, id="mjenv/BatchedSlide-v0")
    yield
    del gym.registry["mjenv/BatchedSlide-v0"]


def port(way):
    return lambda **how: gym.make_vec("mjenv/BatchedSlide-v0", 6, way=way, **how)


def mix(**how):
    tasks = {"Hopper-v5": 2, "BatchedSlide-v0": 1, "InvertedPendulum-v5": {"max_episode_steps": 5}}
    return mjenv.make_vec(tasks, 7, episode_statistics=True, **how)


def pixels(**how):
    shown = {"height": 12, "width": 12, "stack": 2, "state": True}
    return gym.make_vec("mjenv/Hopper-v5", 6, max_episode_steps=7, pixels=shown, **how)


KINDS = {
    "task": lambda **how: gym.make_vec("mjenv/Hopper-v5", 6, max_episode_steps=7, **how),
    "groups": lambda **how: gym.make_vec("mjenv/Go1Velocity-v0", 6, max_episode_steps=5, **how),
    "traced port": port("traced"),
    "port world by world": port("world by world"),
    "mix": mix,
    "pixels": pixels,
}


def action_of(envs, world, count):
    """The action of a world in its step number `count`."""
    shape = envs.single_action_space.shape
    return np.random.default_rng((world, count)).uniform(-1, 1, shape).astype(np.float32)


def together(envs, seed):
    """What comes of a reset and of steps of all worlds: results, each with infos."""
    first, infos = envs.reset(seed=seed)
    count, found = envs.num_envs, []
    nothing = np.zeros(count, bool)
    found.append((first, np.zeros(count), nothing, nothing, infos))
    for k in range(STEPS):
        actions = np.array([action_of(envs, world, k) for world in range(count)])
        found.append(envs.step(actions))
    return found


def same(mine, row, theirs, world, where=""):
    """Compare a row of results, or of dicts of these, with that of a world."""
    if isinstance(theirs, dict):
        assert mine.keys() == theirs.keys(), where
        for name in theirs:
            same(mine[name], row, theirs[name], world, f"{where} {name}")
        return
    one, other = mine[row], theirs[world]
    if isinstance(other, dict):
        for name in other:
            np.testing.assert_array_equal(one[name], other[name], err_msg=where)
    elif other is None:
        assert one is None, where
    else:
        np.testing.assert_array_equal(one, other, err_msg=where)


def compare(found, row, expected, world):
    """Compare what a world got in a batch with what it got among all."""
    for mine, theirs in zip(found[:4], expected[:4], strict=True):
        same(mine, row, theirs, world)
    infos(found[4], row, expected[4], world)


def infos(mine, row, theirs, world):
    """Compare infos that are told of a world; masks of those that are not told of it are False."""
    for name in {*mine, *theirs} - {"env_id", "final_info", "_final_info"}:
        if name[0] == "_":
            told, expected = (some.get(name) for some in (mine, theirs))
            one = told is not None and bool(told[row])
            assert one == (expected is not None and bool(expected[world])), name
            continue
        mask = theirs.get(f"_{name}")
        if mask is None or not mask[world]:
            continue
        if name == "episode":
            for part in "rl":
                assert mine[name][part][row] == theirs[name][part][world]
        else:
            same(mine[name], row, theirs[name], world, name)
    if theirs.get("_final_info", [False] * (world + 1))[world]:
        assert mine["_final_info"][row]
        infos(mine["final_info"], row, theirs["final_info"], world)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("kind", KINDS)
def test_some_worlds_do_what_they_do_among_all(kind, mode):
    envs, other = (KINDS[kind](autoreset_mode=mode) for _ in range(2))
    expected = together(envs, 5)
    other.reset(seed=5)
    count = envs.num_envs
    done, rng, ended = np.zeros(count, int), np.random.default_rng(0), 0
    while done.min() < STEPS:
        ids = rng.permutation(np.flatnonzero(done < STEPS))[: rng.integers(1, count)]
        actions = np.array([action_of(envs, world, done[world]) for world in ids])
        found = other.step_some(actions, ids)
        assert found[4]["env_id"].tolist() == ids.tolist()
        for row, world in enumerate(ids):
            compare(found, row, expected[done[world] + 1], world)
        ended += (found[2] | found[3]).sum()
        done[ids] += 1
    assert ended >= count


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_batches_come_back_with_the_same_bits(kind):
    expected = together(KINDS[kind](), 3)
    size = 7 if kind == "mix" else 2
    envs: Any = KINDS[kind](batch_size=1 if kind == "mix" else size)
    assert envs.batch_size == (1 if kind == "mix" else 2)
    envs.async_reset(seed=3)
    count = np.zeros(envs.num_envs, int)
    for _ in range(STEPS * envs.num_envs // envs.batch_size):
        found = envs.recv()
        ids = found[4]["env_id"]
        for row, world in enumerate(ids):
            compare(found, row, expected[count[world]], world)
        back = ids[::-1]
        envs.send(np.array([action_of(envs, world, count[world]) for world in back]), back)
        count[ids] += 1
    # nothing else goes on meanwhile
    shape = envs.action_space.shape
    for call, what in (
        (lambda: envs.step(np.zeros(shape, np.float32)), "step"),
        (lambda: envs.step_some(np.zeros((1, *shape[1:]), np.float32), [0]), "step_some"),
        (envs.reset, "reset"),
        (lambda: copy.deepcopy(envs), "copy"),
    ):
        with pytest.raises(ResetNeeded, match=f"{what}: {envs.num_envs} environments have been"):
            call()
    if kind != "port world by world":
        with pytest.raises(ResetNeeded, match="save_state: "):
            envs.save_state()
    for _ in range(envs.num_envs // envs.batch_size):
        envs.recv()
    envs.step(np.zeros(shape, np.float32))
    envs.close()
    with pytest.raises(ClosedEnvironmentError, match="send: the environments are closed"):
        envs.send(np.zeros(shape, np.float32))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["traced port", "mix", "pixels"])
def test_mistakes_are_told(kind):
    envs: Any = KINDS[kind](autoreset_mode="Disabled")
    nu = envs.single_action_space.shape
    with pytest.raises(ResetNeeded, match="send: "):
        envs.send(np.zeros((1, *nu)), [0])
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="no environment 9, expected 0 to"):
        envs.step_some(np.zeros((1, *nu)), [9])
    with pytest.raises(ValueError, match=r"shape \(3, .*expected \(2, "):
        envs.step_some(np.zeros((3, *nu)), [0, 1])
    with pytest.raises(ValueError, match="'reset_mask', expected none"):
        envs.async_reset(options={"reset_mask": np.ones(envs.num_envs, bool)})
    with pytest.raises(ValueError, match="batch_size=4, expected a divisor"):
        KINDS[kind](batch_size=4)
    for _ in range(40):
        found = envs.step_some(np.full((2, *nu), 0.5), [4, 1])
        if (found[2] | found[3]).any():
            break
    with pytest.raises(ResetNeeded):
        envs.step_some(np.full((2, *nu), 0.5), [4, 1])


@pytest.mark.slow
def test_parameters_of_mixes_stay_while_batches_are_under_way():
    envs: Any = mix(batch_size=1)
    envs.reset(seed=0)
    # the first step traces the task, which would be disturbed by a change
    envs.step(np.zeros((7, *envs.single_action_space.shape)))
    envs.send(np.zeros((2, *envs.single_action_space.shape)), [0, 2])
    envs.parts["Hopper-v5"].task.healthy_reward = 2.0
    with pytest.raises(RuntimeError, match="a parameter of the task has changed while 2 batches"):
        envs.recv()
    envs.recv(), envs.recv()


@pytest.mark.slow
def test_infos_of_resets_do_not_change_those_of_ends():
    """The last info of an episode is that of its last step, also where a reset tells the same."""
    envs, never = (port("traced")(autoreset_mode=mode) for mode in ("SameStep", "Disabled"))
    envs.reset(seed=2), never.reset(seed=2)
    for k in range(12):
        actions = np.array([action_of(envs, world, k) for world in range(6)])
        found, expected = envs.step(actions), never.step(actions)
        ended = expected[2] | expected[3]
        if ended.any():
            break
    assert ended.any()
    last = found[4]["final_info"]["place"]
    np.testing.assert_array_equal(last[ended], expected[4]["place"][ended])
    assert (found[4]["place"][ended] != last[ended]).all()


def test_pictures_are_those_of_the_environment_that_draws_them():
    assert isinstance(pixels(), PixelVectorEnv)
