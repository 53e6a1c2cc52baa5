"""Arrays of a task's own: written by steps, drawn in between, saved, the same bits everywhere."""

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest

import mjenv
from mjenv.gym.env import Env
from mjenv.gym.vector import VectorEnv

XML = """
<mujoco>
  <size nuserdata="2"/>
  <worldbody>
    <body><joint name="slide" type="slide" axis="1 0 0" damping="1"/><geom size=".1"/></body>
    <body pos="0 1 0"><joint type="hinge" axis="0 1 0"/><geom size=".1" pos=".2 0 0"/></body>
  </worldbody>
  <actuator><motor joint="slide" gear="3" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("task") / "cart.xml"
    path.write_text(XML)
    return path


class Follow(mjenv.Task):
    """Follow a velocity that is drawn anew every few steps."""

    frame_skip = 2
    every = 4

    @property
    def state(self):
        return {
            "command": np.zeros(2),
            "last_action": np.full(self.model.nu, -1.0),
            "steps": 0,
            "table": np.arange(4.0).reshape(2, 2),
        }

    def reset(self, rng):
        qpos = rng.uniform(-0.1, 0.1, self.model.nq)
        return {"qpos": qpos, "command": rng.normal(size=2)}

    def before(self, data):
        return data.state.command.copy()

    def outcome(self, data, action, before):
        # the command that the action was chosen by
        error = data.qvel[..., 0] - data.state.command[..., 0]
        change = np.square(action - data.state.last_action).sum(axis=-1)
        same = (before == data.state.command).all(axis=-1)
        info = {"age": data.state.steps, "same": same}
        return mjenv.Outcome({"track": -np.square(error), "smooth": -0.1 * change}, info=info)

    def update(self, data, action, before):
        state = data.state
        return {
            "last_action": action,
            "steps": state.steps + 1,
            "table": state.table + data.qpos[..., :1, None] * 0.5,
        }

    def due(self, data):
        return data.state.steps >= self.every

    def draw(self, rng):
        return {"command": rng.uniform(-1, 1, 2), "steps": 0}

    def observation(self, data):
        state = data.state
        table = state.table.reshape(*state.table.shape[:-2], 4)
        return {"qpos": data.qpos, "command": state.command, "last": state.last_action, "t": table}

    def info(self, data):
        return {"command": data.state.command, "corner": data.state.table[..., 1, 1]}


@pytest.fixture
def task(folder):
    return type("Follow", (Follow,), {"xml_file": str(folder), "__module__": __name__})


def played(envs, nstep=30, single=False, seed=3):
    """Everything that steps gave."""
    random = np.random.default_rng(seed)
    found: list[Any] = []
    for _ in range(nstep):
        actions = random.uniform(-1, 1, (4, 1)).astype(np.float32)
        results = envs.step(actions[1] if single else actions)
        found.append(results)
    return found


@pytest.mark.parametrize("compiled", [True, False])
def test_one_world_and_many(task, compiled):
    """The same bits alone and among others, plain and compiled."""
    envs = VectorEnv(task=task, num_envs=4, compiled=compiled)
    env = Env(task=task, compiled=compiled or None)
    first, infos = envs.reset(seed=7)
    alone, info = env.reset(seed=8)
    np.testing.assert_array_equal(first[1], alone)
    np.testing.assert_array_equal(infos["command"][1], info["command"])
    assert env.compiled == (compiled or env.compiled)
    for many, one in zip(played(envs), played(env, single=True), strict=True):
        np.testing.assert_array_equal(many[0][1], one[0])
        assert many[1][1] == one[1]
        for name, value in one[4].items():
            np.testing.assert_array_equal(many[4][name][1], value, err_msg=name)


def test_compiled_is_plain(task):
    plain = VectorEnv(task=task, num_envs=4, compiled=False)
    fast = VectorEnv(task=task, num_envs=4, compiled=True)
    plain.reset(seed=0)
    fast.reset(seed=0)
    for a, b in zip(played(plain, 60), played(fast, 60), strict=True):
        for one, other in zip(a[:4], b[:4], strict=True):
            np.testing.assert_array_equal(one, other)
        assert a[4].keys() == b[4].keys()
        for name in a[4]:
            np.testing.assert_array_equal(a[4][name], b[4][name], err_msg=name)
    assert plain.data.userdata.tobytes() == fast.data.userdata.tobytes()
    assert (plain.data.userdata[:, :2] == 0).all()  # the model's own


def test_what_functions_see(task):
    """Outcomes see the command of the action, observations the next one; draws are the world's."""
    env = Env(task=task)
    _, info = env.reset(seed=1)
    random = np.random.default_rng(1)
    np.testing.assert_array_equal(random.uniform(-0.1, 0.1, 2), env.data.qpos)
    command = random.normal(size=2)
    np.testing.assert_array_equal(info["command"], command)
    assert env.task_state.last_action == [-1.0]
    for k in range(1, 25):
        observation, _, _, _, info = env.step(np.array([0.01 * k], np.float32))
        expected = -np.square(env.data.qvel[0] - command[0])
        assert info["track"] == expected
        assert info["age"] == (k - 1) % 4
        assert info["same"]
        if k % 4 == 0:
            command = random.uniform(-1, 1, 2)
        np.testing.assert_array_equal(observation[2:4], command)
        np.testing.assert_array_equal(info["command"], command)
        assert observation[4] == np.float32(0.01 * k)
        assert env.task_state.steps == k % 4


@pytest.mark.parametrize("compiled", [None, False])
def test_saved_and_restored(folder, compiled):
    """Rows go on with the same bits, also in other worlds and in the single environment."""
    given = {"task": Follow, "xml_file": str(folder), "compiled": compiled}
    envs = VectorEnv(num_envs=4, **given)
    envs.reset(seed=0)
    played(envs, 6)
    rows = envs.save_state()
    expected = played(envs, 20, seed=5)
    envs.restore_state(rows)
    for a, b in zip(expected, played(envs, 20, seed=5), strict=True):
        np.testing.assert_array_equal(a[0], b[0])
        np.testing.assert_array_equal(a[1], b[1])
    env = Env(**given)
    env.reset()
    env.restore_state(rows[1])
    for a, b in zip(expected, played(env, 20, single=True, seed=5), strict=True):
        np.testing.assert_array_equal(a[0][1], b[0])
        assert a[1][1] == b[1]
    copy = pickle.loads(pickle.dumps(envs))
    for a, b in zip(played(envs, 9), played(copy, 9), strict=True):
        np.testing.assert_array_equal(a[0], b[0])


@pytest.mark.sweep(1)
@pytest.mark.parametrize("mode", list(gymnasium.vector.AutoresetMode)[:2])
@pytest.mark.parametrize("compiled", [True, False])
def test_new_episodes_start_anew(task, mode, compiled):
    envs = VectorEnv(
        task=task, num_envs=4, compiled=compiled, max_episode_steps=6, autoreset_mode=mode
    )
    envs.reset(seed=0)
    envs.step_some(np.zeros((2, 1), np.float32), [0, 2])  # these are one step ahead
    singles = [Env(task=task) for _ in range(4)]
    for i, env in enumerate(singles):
        env.reset(seed=i)
        if i in (0, 2):
            env.step(np.zeros(1, np.float32))
    over, count = np.zeros(4, bool), 0
    for k in range(20):
        actions = np.full((4, 1), 0.1 * k, np.float32)
        observations, _, _, truncations, _ = envs.step(actions)
        for i, env in enumerate(singles):
            if mode is gymnasium.vector.AutoresetMode.NEXT_STEP and over[i]:
                observation, _ = env.reset()
            else:
                observation = env.step(actions[i])[0]
                if truncations[i] and mode is gymnasium.vector.AutoresetMode.SAME_STEP:
                    observation, _ = env.reset()
            np.testing.assert_array_equal(observations[i], observation, err_msg=f"{k} {i}")
        over, count = truncations, count + truncations.sum()
    assert count >= 8


def test_some_worlds(task):
    envs, other = (VectorEnv(task=task, num_envs=4, compiled=c) for c in (True, False))
    for one in (envs, other):
        one.reset(seed=0)
    for k in range(15):
        some = [3, 1] if k % 2 else [0, 1, 2]
        actions = np.full((len(some), 1), 0.05 * k, np.float32)
        a, b = envs.step_some(actions, some), other.step_some(actions, some)
        for x, y in zip(a[:4], b[:4], strict=True):
            np.testing.assert_array_equal(x, y)
    np.testing.assert_array_equal(envs.data.userdata, other.data.userdata)


def test_with_noise(task):
    """Noise, delay and history of observations go with draws: once a step."""
    noisy = {"observation": mjenv.Channel(noise=mjenv.Normal(0, 0.1), history=2)}
    envs = VectorEnv(task=task, num_envs=4, randomization=noisy)
    env = Env(task=task, randomization=noisy)
    first, _ = envs.reset(seed=7)
    np.testing.assert_array_equal(first[1], env.reset(seed=8)[0])
    for many, one in zip(played(envs), played(env, single=True), strict=True):
        np.testing.assert_array_equal(many[0][1], one[0])


def test_views(task):
    envs = VectorEnv(task=task, num_envs=3)
    envs.reset(seed=0)
    state = envs.task_state
    assert list(state) == ["command", "last_action", "steps", "table"]
    assert state.table.shape == (3, 2, 2)
    assert state["command"].shape == (3, 2)
    state.command = [0.5, 0.25]
    state["table"][2] = 9.0
    observations = envs.step(np.zeros((3, 1), np.float32))[0]
    np.testing.assert_array_equal(observations[:, 2:4], [[0.5, 0.25]] * 3)
    assert (observations[2, 5:] > 8).all()
    with pytest.raises(AttributeError, match="did you mean 'command'"):
        _ = state.comand
    with pytest.raises(KeyError, match="which `state` does not declare"):
        state["x"]


def test_check_task(task):
    assert mjenv.check_task(task) is None


def broken(task, **members):
    return type("Broken", (task,), members)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    ("members", "error", "message"),
    [
        ({"state": 3}, TypeError, "Broken.state: found int, expected a dict of names"),
        ({"state": {"a b": 0.0}}, TypeError, "found the name 'a b', expected an identifier"),
        ({"state": {"a": "x"}}, TypeError, "'a' is 'x', expected its initial value"),
        ({"state": {"a": []}}, TypeError, "'a' is [], expected its initial value"),
        ({"update": lambda s, d, a, b: None}, TypeError, "Broken.update: returned nothing"),
        ({"update": lambda s, d, a, b: {"coma": 1.0}}, ValueError, "found 'coma', which `state`"),
        ({"update": lambda s, d, a, b: {"command": 1.0}}, ValueError, "'command' has shape ()"),
        ({"due": lambda s, d: d.state.steps}, ValueError, "expected bool of shape"),
        ({"draw": lambda s, r: {"command": r.uniform(0, 1, 3)}}, ValueError, "has shape (2, 3)"),
        ({"draw": mjenv.Task.draw}, TypeError, "write the method `draw`, too"),
        ({"reset": lambda s, r: {"command": np.zeros(3)}}, ValueError, "expected (2, 2)"),
        ({"reset": lambda s, r: {"comand": np.zeros(2)}}, ValueError, "did you mean 'command'"),
        (
            {"before": lambda s, d: setattr(d.state, "steps", 1)},
            TypeError,
            "give new values in the method update",
        ),
    ],
)
def test_mistakes(task, members, error, message):
    with pytest.raises(error) as found:  # noqa: PT012
        envs = VectorEnv(task=broken(task, **members), num_envs=2, compiled=False)
        envs.reset(seed=0)
        for _ in range(5):
            envs.step(np.zeros((2, 1), np.float32))
    assert message in str(found.value)


def test_functions_without_state(folder):
    members = {"xml_file": str(folder), "update": Follow.update}
    with pytest.raises(TypeError, match="`update` is there, but no arrays"):
        type("Empty", (mjenv.Task,), members)()
