"""Functions of tasks as bytecode in the engine: the same bits as numpy over all worlds."""

import pickle
import re

import gymnasium as gym
import numpy as np
import pytest

import mjenv
from mjenv.envs import HalfCheetah
from mjenv.gym.registration import ENVS
from mjenv.tracing.arrays import TraceError

TASKS = {row.task: row.id for row in ENVS}


def same(a, b, where):
    """Assert that results have the same types, shapes and bits."""
    if isinstance(a, dict):
        assert list(a) == list(b), where
        for name in a:
            same(a[name], b[name], f"{where} {name}")
        return
    if isinstance(a, tuple):
        for k, pair in enumerate(zip(a, b, strict=True)):
            same(*pair, f"{where} [{k}]")
        return
    a, b = np.asarray(a), np.asarray(b)
    assert (a.dtype, a.shape) == (b.dtype, b.shape), where
    if a.dtype == object:
        for one, other in zip(a, b, strict=True):
            assert (one is None) == (other is None), where
            same(() if one is None else one, () if other is None else other, where)
    else:
        assert a.tobytes() == b.tobytes(), where


def make(task, num_envs, compiled=True, **arguments):
    """A vector environment."""
    return gym.make_vec(
        f"mjenv/{TASKS[task]}",
        num_envs=num_envs,
        vectorization_mode="vector_entry_point",
        compiled=compiled,
        **arguments,
    )


def compare(task, num_envs, steps, seed=3, dtype=np.float32, **arguments):
    """Step both forms with the same actions."""
    forms = [make(task, num_envs, compiled, **arguments) for compiled in (True, False)]
    same(*(envs.reset(seed=seed) for envs in forms), task)
    rng = np.random.default_rng(seed)
    box = forms[0].single_action_space
    for k in range(steps):
        actions = rng.uniform(box.low, box.high, (num_envs, *box.shape)).astype(dtype)
        same(*(envs.step(actions) for envs in forms), f"{task} at step {k}")
    assert [envs.compiled for envs in forms] == [True, False]


@pytest.mark.sweep(6)
@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_same_bits(task, mode):
    """Through the end of episodes, in packs and with one thread or two."""
    compare(task, 19, 8, autoreset_mode=mode, max_episode_steps=4, nthread=1 + (mode == "SameStep"))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("task", ["HalfCheetah", "Ant", "InvertedPendulum"])
@pytest.mark.parametrize("num_envs", [1, 5, 1000])
def test_any_number(task, num_envs):
    """One world in place, a few without packs, many."""
    compare(task, num_envs, 5, max_episode_steps=3)


@pytest.mark.sweep(4)
@pytest.mark.parametrize(
    "arguments",
    [
        {"dtype": np.float64},
        {"observation_dtype": np.float32},
        {"copy": False},
        {"autoreset_mode": "SameStep", "episode_statistics": False, "copy": False},
        {"terminate_when_unhealthy": False, "exclude_current_positions_from_observation": False},
        {"randomization": {"body_mass": mjenv.Uniform(0.5, 2.0)}},
        {"randomization": {"observation": mjenv.Channel(noise=mjenv.Normal(0, 0.1), delay=1)}},
        {"randomization": {"action": mjenv.Channel(noise=mjenv.Normal(0, 0.1), delay=(0, 2))}},
    ],
    ids=str,
)
def test_arguments(arguments):
    """Types, buffers, parameters, random models, noise."""
    compare("Hopper", 9, 6, max_episode_steps=4, **arguments)


def test_single_environment():
    """Lane i is the single environment with its seed."""
    envs = make("Walker2d", 9)
    single = gym.make("mjenv/Walker2d-v5")
    observations, _ = envs.reset(seed=5)
    observation, _ = single.reset(seed=5 + 6)
    same(observations[6], observation, "reset")
    for k in range(5):
        actions = np.random.default_rng(k).uniform(-1, 1, (9, 6)).astype(np.float32)
        observations, rewards, ends, _, infos = envs.step(actions)
        observation, reward, end, _, info = single.step(actions[6])
        same((observations[6], rewards[6], ends[6]), (observation, reward, end), f"step {k}")
        for name, value in info.items():
            same(infos[name][6], value, name)


def test_some_and_batches():
    """Stepping of subsets, in the given order, also in the background."""
    forms = [make("Hopper", 12, compiled, batch_size=4) for compiled in (True, False)]
    for envs in forms:
        envs.reset(seed=1)
    rng = np.random.default_rng(0)
    for ids in ([7, 2, 11], [2, 3], [0]):
        actions = rng.uniform(-1, 1, (len(ids), 3)).astype(np.float32)
        same(*(envs.step_some(actions, ids) for envs in forms), str(ids))
    for envs in forms:
        envs.async_reset(seed=1)
    for _ in range(9):
        results = [envs.recv() for envs in forms]
        same(*results, "recv")
        actions = rng.uniform(-1, 1, (4, 3))
        for envs in forms:
            envs.send(actions, results[0][4]["env_id"])


def test_results_are_kept():
    """Memory is used again only when nobody refers to any part of it."""
    envs = make("Hopper", 9)
    envs.reset(seed=0)
    kept, copies = [], []
    for k in range(8):
        observations, rewards, _, _, infos = envs.step(np.full((9, 3), 0.1 * k, np.float32))
        parts = [(observations[2], rewards), (infos["x_velocity"],), (), (infos["x_position"][:2],)]
        kept.append(parts[k % 4])
        copies.append([part.copy() for part in parts[k % 4]])
        del observations, rewards, infos, parts
    for mine, theirs in zip(kept, copies, strict=True):
        same(mine, tuple(theirs), "kept")


def test_copies_and_states():
    """A copy goes on with the same bits; saved states are the same."""
    envs = make("Ant", 9)
    envs.reset(seed=0)
    actions = np.full((9, 8), 0.3, np.float32)
    envs.step(actions)
    other = pickle.loads(pickle.dumps(envs))
    rows = envs.save_state()
    same(envs.step(actions), other.step(actions), "copy")
    assert other.compiled
    envs.restore_state(rows)
    other.restore_state(rows)
    same(envs.step(actions), other.step(actions), "restored")


def test_parameters_change():
    """Parameters and options that change later count."""
    forms = [make("HalfCheetah", 9, compiled) for compiled in (True, False)]
    actions = np.full((9, 6), 0.3, np.float32)
    for envs in forms:
        envs.reset(seed=0)
        envs.step(actions)
        envs.task.ctrl_cost_weight = 0.7
    same(*(envs.step(actions) for envs in forms), "parameter")
    for envs in forms:
        envs.model.opt.timestep = 0.02
    same(*(envs.step(actions) for envs in forms), "option")
    assert forms[0].compiled


class Cubed(HalfCheetah):
    """What bytecode cannot do."""

    def info(self, data):
        return {"cubed": data.qpos[..., 0] ** 3}


class Dependent(HalfCheetah):
    """What depends on more than its arguments."""

    def outcome(self, data, action, before):
        outcome = super().outcome(data, action, before)
        hidden = 1.0 if type(data).__name__ == "TracedData" else 2.0
        return outcome._replace(info={"hidden": hidden * data.qpos[..., 0]})


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (Cubed, r"Cubed.info \(test_compiled.py:\d+\): found \*\* 3"),
    ],
)
def test_plain_tasks(task, reason):
    """What cannot be compiled stays plain, and says why."""
    envs = mjenv.VectorEnv(task=task, num_envs=3)
    assert not envs.compiled
    assert re.match(f".*{reason}", envs.compile_error)
    with pytest.raises(TraceError, match=reason):
        mjenv.VectorEnv(task=task, num_envs=3, compiled=True)


def test_check_task():
    """The check of a task tells why it stays plain."""
    assert "found ** 3" in mjenv.check_task(Cubed, steps=1)
    assert mjenv.check_task(HalfCheetah, steps=1) is None


def test_other_numbers():
    """What gives other numbers in bytecode is found in the first step."""
    plain = mjenv.VectorEnv(task=Dependent, num_envs=3, compiled=False)
    envs = mjenv.VectorEnv(task=Dependent, num_envs=3)
    assert envs.compiled
    for one in (plain, envs):
        one.reset(seed=0)
    actions = np.zeros((3, 6), np.float32)
    for _ in range(2):
        same(plain.step(actions), envs.step(actions), "step")
    assert not envs.compiled
    assert "infos 'hidden' that differ" in envs.compile_error


def test_integer_actions():
    """Actions that are integers are no reason to fail."""
    forms = [make("HalfCheetah", 9, compiled) for compiled in (True, False)]
    for envs in forms:
        envs.reset(seed=0)
    for dtype in (np.float32, np.int64, np.float32):
        same(*(envs.step(np.ones((9, 6), dtype)) for envs in forms), str(dtype))
