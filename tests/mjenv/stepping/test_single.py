"""Bytecode in the single environment: what numpy gives, in bits, types and order."""

import copy
import pickle

import gymnasium as gym
import numpy as np
import pytest

import mjenv
from mjenv.engine.run.scratch import Scratch
from mjenv.envs import HalfCheetah, Hopper, HopperEnv
from mjenv.gym.registration import ENVS
from mjenv.stepping.quick_step import QuickStep
from mjenv.tracing.arrays import TraceError

TASKS = {row.task: row.id for row in ENVS}


def same(a, b, where):
    """Assert that results have the same types, keys in the same order, and bits."""
    assert type(a) is type(b), where
    if isinstance(a, dict):
        assert list(a) == list(b), where
        for name in a:
            same(a[name], b[name], f"{where} {name}")
    elif isinstance(a, tuple):
        for k, pair in enumerate(zip(a, b, strict=True)):
            same(*pair, f"{where} [{k}]")
    else:
        x, y = np.asarray(a), np.asarray(b)
        assert (x.dtype, x.shape, x.tobytes()) == (y.dtype, y.shape, y.tobytes()), where


def forms(task, **arguments):
    """The environment with bytecode, and with numpy."""
    made = [
        gym.make(f"mjenv/{TASKS[task]}", compiled=compiled, **arguments).unwrapped
        for compiled in (None, False)
    ]
    same(*(env.reset(seed=3) for env in made), task)
    return made


def advance(made, steps, dtype=np.float32, where="", until_end=True):
    """Step both with the same actions; returns whether the last step of the first was quick."""
    rng = np.random.default_rng(1)
    box = made[0].action_space
    for k in range(steps):
        action = rng.uniform(box.low, box.high, box.shape).astype(dtype)
        results = [env.step(action) for env in made]
        same(*results, f"{where} step {k}")
        if results[0][2] and until_end:
            same(*(env.reset() for env in made), f"{where} reset {k}")
    return is_quick(made[0])


def is_quick(env):
    """Whether the next step is one of bytecode."""
    compiled_step = env._compiled_step(np.zeros(env.action_space.shape, np.float32))
    return compiled_step is not None and compiled_step.verified


@pytest.mark.sweep(2)
@pytest.mark.parametrize("task", TASKS)
def test_same_results(task):
    """All tasks, through the end of episodes."""
    made = forms(task)
    assert advance(made, 12, where=task)
    same(*(env.reset(seed=4) for env in made), "reset")
    same(*(env.reset() for env in made), "reset without a seed")
    assert [env.compiled for env in made] == [True, False]


@pytest.mark.parametrize(
    "arguments",
    [
        {"terminate_when_unhealthy": False, "exclude_current_positions_from_observation": False},
        {"randomization": {"body_mass": mjenv.Uniform(0.5, 2.0)}},
        {"randomization": {"observation": mjenv.Channel(noise=mjenv.Normal(0, 0.1), delay=1)}},
        {"randomization": {"action": mjenv.Channel(noise=mjenv.Normal(0, 0.1), delay=(0, 2))}},
    ],
    ids=str,
)
def test_arguments(arguments):
    """Parameters, random models, noise: with these, steps are plain."""
    assert advance(forms("Hopper", **arguments), 8) == ("randomization" not in arguments)


def test_types_of_actions():
    """Single and double precision, integers, lists, in turns."""
    made = forms("HalfCheetah")
    for dtype in (np.float32, np.float64, np.int64) * 2:
        advance(made, 4, dtype, str(dtype))
    same(*(env.step([0.1] * 6) for env in made), "list")


def test_results_are_new():
    """Observations and infos of a step are the caller's."""
    env = forms("Humanoid")[0]
    action = np.full(17, 0.1, np.float32)
    for _ in range(3):
        env.step(action)
    observation, _, _, _, info = env.step(action)
    kept = observation.copy(), dict(info)
    env.step(action)
    same((observation, info), kept, "kept")


def test_changes_count():
    """Parameters, options, forces and states that change between steps, and what is looked at."""
    made = forms("Ant")
    assert advance(made, 4)
    changes = [
        lambda env: setattr(env.task, "ctrl_cost_weight", 0.7),
        lambda env: setattr(env.model.opt, "timestep", 0.008),
        lambda env: env.model.opt.gravity.__setitem__(2, -3.0),
        lambda env: env.data.xfrc_applied.__setitem__((1, 2), 50.0),
        lambda env: env.set_state(env.init_qpos, env.init_qvel + 0.1),
        lambda env: (env.data.contact.dist, env.data.qpos.__setitem__(2, 0.5)),
        lambda env: env.do_simulation(np.zeros(8), 2),
    ]
    for k, change in enumerate(changes):
        for env in made:
            change(env)
        assert advance(made, 4, where=f"change {k}")


def test_steps_are_repeated(monkeypatch):
    """Steps like the last one repeat it; what differs is found, and counts."""
    repeated, run = [], QuickStep.run

    def note(self, action):
        given = run(self, action)
        # all that the environment returns, made in machine code
        assert given is False or isinstance(given, tuple)
        repeated.append(given is not False)
        return given

    monkeypatch.setattr(QuickStep, "run", note)
    made = forms("Hopper")
    for dtype in (np.float32, np.float64):
        advance(made, 8, dtype)
        assert repeated[-3:] == [True] * 3
    changes = [
        lambda env: env.model.geom_size.__imul__(1.1),
        lambda env: env.model.actuator_gear.__imul__(0.5),
        lambda env: mjenv.step(env.data.batch.model, env.data.batch, 3),
        lambda env: env.data.xfrc_applied.__setitem__((1, 2), 5.0),
        lambda env: env.data.qacc.copy(),
    ]
    for k, change in enumerate(changes):
        for env in made:
            change(env)
        advance(made, 8, np.float64, f"change {k}")
        assert repeated[-2:] == [True] * 2, k
    # columns of an array are taken, but not at once
    rows = np.linspace(-0.1, 0.1, 6).reshape(3, 2)
    for env in made:
        env.reset(seed=5)
    repeated.clear()
    for k in range(8):
        same(*(env.step(np.zeros(3)) for env in made), f"zeros {k}")
        same(*(env.step(rows[:, 0]) for env in made), f"columns {k}")
    assert repeated[-4:] == [True, False] * 2


def test_divergence():
    """A state that is not finite is reported, and only in the step where it is found."""
    made = forms("HalfCheetah")
    assert advance(made, 3)
    for env in made:
        env.data.qvel[0] = np.nan
    results = [env.step(np.zeros(6)) for env in made]
    same(*results, "diverged")
    assert results[0][4]["diverged"] is True
    advance(made, 2)
    assert "diverged" not in made[0].step(np.zeros(6))[4]


def test_no_memory(monkeypatch):
    """Where the solver finds no room the state stays; the step can be taken later."""
    made = forms("Humanoid")
    action = np.zeros(17, np.float32)
    for _ in range(3):
        same(*(env.step(action) for env in made), "standing")
    for env in made:
        env.set_state(env.init_qpos - 0.9 * (np.arange(24) == 2), env.init_qvel)

    def fail(*_):
        raise MemoryError("none left")

    before = made[0].state_vector()
    scratch = made[0].data.batch.plan.scratch[0]
    scratch.data.arrays["capacity"][:] = np.minimum(scratch.data.arrays["capacity"], 10)
    with monkeypatch.context() as patch:
        patch.setattr(Scratch, "enlarge", fail)
        with pytest.raises(MemoryError, match="none left"):
            made[0].step(action)
    assert np.array_equal(made[0].state_vector(), before)
    for _ in range(3):
        same(*(env.step(action) for env in made), "lying")
    assert is_quick(made[0])


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies(duplicate):
    """A copy goes on with the same bits."""
    env = forms("Walker2d")[0]
    advance([env, forms("Walker2d")[1]], 4)
    other = duplicate(env)
    assert advance([env, other], 4)
    assert is_quick(other)


def test_saved_states():
    """A saved state goes on with the same bits, in the same and in another environment."""
    made = forms("Hopper")
    advance(made, 4)
    rows = [env.save_state() for env in made]
    advance(made, 3)
    made[0].restore_state(rows[1])
    made[1].restore_state(rows[0])
    assert advance(made, 4)


class Pushed(HopperEnv):
    """Has its own way to advance."""

    def do_simulation(self, ctrl, n_frames):
        """Half of the controls."""
        super().do_simulation(0.5 * ctrl, n_frames)


class Seen(HopperEnv):
    """Has its own observations."""

    def _get_obs(self):
        return np.append(super()._get_obs(), 1.0)


@pytest.mark.parametrize("kind", [Pushed, Seen])
def test_subclasses(kind):
    """What third parties override is called."""
    made = [kind(), kind(compiled=False)]
    for env in made:
        env.reset(seed=0)
    assert not advance(made, 5, until_end=False)
    assert not made[0].compiled


def test_replaced_methods():
    """Methods of an object count as those of a subclass."""
    env = forms("Hopper")[0]
    action = np.full(3, 0.1, np.float32)
    for _ in range(3):
        env.step(action)
    calls, own = [], env.do_simulation
    env.do_simulation = lambda ctrl, n: (calls.append(n), own(ctrl, n))
    env.step(action)
    assert calls == [4]
    del env.do_simulation
    env.step(action)
    assert calls == [4]
    assert is_quick(env)
    env._get_obs = lambda: np.zeros(2)
    assert env.step(action)[0].shape == (2,)
    other = copy.deepcopy(env)
    assert other.step(action)[0].shape == (2,)


def test_reset_model_of_subclasses():
    """How episodes start is nothing that bytecode does."""

    class Started(HopperEnv):
        def reset_model(self):
            self.set_state(self.init_qpos + 0.001, self.init_qvel)
            return self._get_obs()

    made = [Started(), Started(compiled=False)]
    for env in made:
        env.reset(seed=0)
    assert advance(made, 5)


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


class Typed(Hopper):
    """Infos of several types."""

    def info(self, data):
        angles = data.qpos[..., 2:].astype(np.float32)
        return {"angles": angles, "first": angles[..., 0], "one": 1, "low": data.qpos[..., 1] < 1.2}


def test_plain_tasks():
    """What cannot be compiled stays plain, and says why."""
    env = mjenv.Env(task=Cubed)
    env.reset(seed=0)
    for _ in range(3):
        env.step(np.zeros(6))
    assert not env.compiled
    assert "found ** 3" in env.compile_error
    with pytest.raises(TraceError, match="found \\*\\* 3"):
        mjenv.Env(task=Cubed, compiled=True)


def test_other_numbers():
    """What gives other numbers in bytecode is found when it is first used."""
    made = [mjenv.Env(task=Dependent), mjenv.Env(task=Dependent, compiled=False)]
    for env in made:
        env.reset(seed=0)
    assert not advance(made, 4)
    assert "infos 'hidden' that differ" in made[0].compile_error
    env = mjenv.Env(task=Dependent, compiled=True)
    env.reset(seed=0)
    env.step(np.zeros(6, np.float32))
    with pytest.raises(TraceError, match="hidden"):
        env.step(np.zeros(6, np.float32))


def test_types_of_infos():
    """Arrays, single precision, bool and int."""
    made = [mjenv.Env(task=Typed), mjenv.Env(task=Typed, compiled=False)]
    for env in made:
        env.reset(seed=0)
    assert advance(made, 5)
    same(*(env.reset() for env in made), "reset")


def test_wrong_actions():
    """Messages are those of plain steps."""
    env = forms("Hopper")[0]
    for _ in range(4):
        with pytest.raises(ValueError, match=r"action has shape \(2,\), expected \(3,\)"):
            env.step(np.zeros(2, np.float32))
        with pytest.raises(ValueError, match="expected finite numbers"):
            env.step(np.full(3, np.nan, np.float32))
        env.step(np.zeros(3, np.float32))
