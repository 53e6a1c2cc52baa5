"""Episodes of single environments begin at once, with the bits of other starts."""

import copy
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ClosedEnvironmentError

from mjenv.stepping.quick_restart import QuickRestart


def make(name="Hopper-v5", **options):
    """An environment whose starts are compiled, after a few episodes."""
    env = gymnasium.make(f"mjenv/{name}", **options)
    env.reset(seed=3)
    for _ in range(3):
        play(env)
        env.reset()
    return env


def play(env, n=3):
    for _ in range(n):
        env.step(np.full(env.action_space.shape, 0.1, env.action_space.dtype))


def restart(env):
    """What begins the next episode; None where everything is looked at."""
    return vars(env.unwrapped).get("_restart")


@pytest.fixture
def looked(monkeypatch):
    """Whether each reset has been made at once."""
    found, run = [], QuickRestart.run

    def noted(self, generator):
        given = run(self, generator)
        found.append(given is not None)
        return given

    monkeypatch.setattr(QuickRestart, "run", noted)
    return found


def same(one, other):
    """Both begin and go on alike."""
    for _ in range(3):
        (a, infos), (b, others) = one.reset(), other.reset()
        assert a.tobytes() == b.tobytes()
        assert str(infos) == str(others)
        assert [type(x) for x in infos.values()] == [type(x) for x in others.values()]
        for _ in range(4):
            action = np.full(one.action_space.shape, -0.2, one.action_space.dtype)
            mine, theirs = one.step(action), other.step(action)
            assert mine[0].tobytes() == theirs[0].tobytes()
            assert str(mine[1:]) == str(theirs[1:])
        assert one.unwrapped.data.xpos.tobytes() == other.unwrapped.data.xpos.tobytes()


def plain(env):
    """The same environment, which never starts at once."""
    env.unwrapped._start_at_once = lambda: False
    return env


@pytest.mark.parametrize("name", ["Hopper-v5", "InvertedPendulum-v5", "Ant-v5", "Humanoid-v5"])
def test_starts_have_the_same_bits(name, looked):
    env, other = make(name), plain(make(name))
    assert isinstance(restart(env), QuickRestart)
    # another model has been made since
    same(env, other)
    looked.clear()
    same(env, other)
    assert looked == [True] * 3


CHANGES = {
    "scale": lambda env: setattr(env.task, "reset_noise_scale", 0.3),
    "generator": lambda env: setattr(env, "_np_random", np.random.default_rng(8)),
    "mass": lambda env: env.model.body_mass.__imul__(1.5),
    "gravity": lambda env: setattr(env.model.opt, "gravity", (0.0, 0.0, -3.0)),
    "start": lambda env: setattr(env.task, "init_qpos", env.task.init_qpos + 0.01),
    "start in place": lambda env: env.task.init_qpos.__iadd__(0.01),
    "wrench": lambda env: env.data.xfrc_applied[1].fill(1.0),
    "late outputs": lambda env: (env.data.qM, env.data.efc_force),
    "replaced": lambda env: setattr(env.task, "reset", lambda rng: {"qpos": env.task.init_qpos}),
}


@pytest.mark.parametrize("change", CHANGES)
def test_changes_are_noticed(change):
    env, other = make(), plain(make())
    for one in (env, other):
        CHANGES[change](one.unwrapped)
    same(env, other)


def test_options_and_seeds_are_looked_at(looked):
    env = make()
    looked.clear()
    first, _ = env.reset(seed=5)
    assert restart(env) is not None
    second, _ = env.reset()
    third, _ = env.reset(seed=5)
    assert first.tobytes() == third.tobytes() != second.tobytes()
    assert looked == [True]
    env.reset(options={})
    env.reset()
    assert looked == [True, True]


def test_methods_of_subclasses_are_called(monkeypatch):
    env = make()
    kind = type(env.unwrapped)
    monkeypatch.setattr(kind, "reset_model", lambda self: np.zeros(11))
    assert not env.reset()[0].any()


def test_closed_environments_refuse():
    env = make()
    env.unwrapped.close()
    with pytest.raises(ClosedEnvironmentError):
        env.unwrapped.reset()


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_begin_alone(twin):
    env = make()
    other = twin(env)
    assert restart(other) is None
    same(env, other)
    assert restart(other) is not restart(env)


def test_what_checks_observations_looks_at_everything():
    assert restart(make(check_finite=True)) is None
    assert restart(make(compiled=False)) is None
