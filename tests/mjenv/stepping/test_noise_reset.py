"""Starts of episodes that compiled code draws have numpy's bits, and leave numpy's generators."""

import copy

import gymnasium
import numpy as np
import pytest

from mjenv.engine.tables.enums import ENBL_ENERGY
from mjenv.stepping import noise_reset
from mjenv.stepping.noise_reset import NoiseReset
from mjenv.task.random_streams import Streams

TASKS = ("Hopper-v5", "Humanoid-v5", "Ant-v5", "InvertedDoublePendulum-v5")


def episodes(monkeypatch, task, mode, compiled_step, seed=3):
    """All that 40 steps give, and the state of the generators afterwards."""
    found = []
    with monkeypatch.context() as patch:
        if not compiled_step:
            patch.setattr(NoiseReset, "enter", lambda self, generators: False)
        envs = gymnasium.make_vec(f"mjenv/{task}", num_envs=11, autoreset_mode=mode, nthread=1)
        space = envs.single_action_space
        rng = np.random.default_rng(0)
        found.append(envs.reset(seed=seed)[0].tobytes())
        for k in range(40):
            action = rng.uniform(space.low, space.high, (11, *space.shape)).astype(np.float32)
            observations, rewards, terminations, truncations, infos = envs.step(action)
            found += [observations.tobytes(), rewards.tobytes(), terminations.tobytes()]
            found += [truncations.tobytes(), repr(sorted(infos)), repr(infos.get("_final_obs"))]
            if k == 20:
                rows = envs.unwrapped.save_state()
                found.append(np.delete(rows, 11, axis=1).tobytes())
        found += [g.bit_generator.state for g in envs.unwrapped._episodes.generators]
        found += [g.normal() for g in envs.unwrapped._episodes.generators]
        envs.close()
    return found


@pytest.mark.sweep(2)
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("task", TASKS)
def test_episodes_have_the_bits_of_numpy(monkeypatch, task, mode):
    compiled_step, plain = (
        episodes(monkeypatch, task, mode, compiled_step) for compiled_step in (True, False)
    )
    assert compiled_step == plain


@pytest.mark.parametrize("task", TASKS)
def test_the_only_world_has_the_bits_of_numpy(monkeypatch, task):
    """Also after its memory was made anew, as a longer list of contacts does it."""
    found = []
    for compiled_step in (True, False):
        with monkeypatch.context() as patch:
            if not compiled_step:
                patch.setattr(NoiseReset, "enter", lambda self, generators: False)
            env = gymnasium.make(f"mjenv/{task}").unwrapped
            rows = [env.reset(seed=3)[0], env.reset()[0], env.reset(seed=4)[0]]
            env.model.opt.enableflags |= ENBL_ENERGY
            env.step(np.zeros(env.action_space.shape))
            env.data.batch.plan.rebuild()
            rows += [env.reset()[0], env.reset()[0], env.np_random.normal(size=2)]
            found.append([row.tobytes() for row in rows])
    assert found[0] == found[1]
    assert len(set(found[0])) == len(found[0])


@pytest.mark.parametrize("kind", [np.random.Philox, np.random.MT19937, np.random.SFC64])
def test_any_generator_of_numpy(kind):
    envs = gymnasium.make_vec("mjenv/Ant-v5", num_envs=3, nthread=1).unwrapped
    envs.reset(seed=0)
    drawing, held = NoiseReset(envs.task, envs.data), envs._episodes.generators
    held[1] = np.random.Generator(kind(3))
    assert drawing.draw(held, np.array([1]))
    mine = envs.data.qpos[1].copy(), envs.data.qvel[1].copy()
    held[1] = np.random.Generator(kind(3))
    theirs = envs.task.reset(Streams([held[1]]))
    assert [x.tobytes() for x in mine] == [x[0].tobytes() for x in theirs]


def test_other_generators_and_resets_are_drawn_from_by_numpy():
    envs = gymnasium.make_vec("mjenv/Hopper-v5", num_envs=3, nthread=1).unwrapped
    envs.reset(seed=0)
    chosen = np.array([1, 2])
    drawing, held = NoiseReset(envs.task, envs.data), envs._episodes.generators
    assert drawing.draw(held, chosen)
    held[1] = np.random.RandomState(3)
    before = copy.deepcopy(held[2].bit_generator.state)
    assert not drawing.draw(held, chosen)
    assert held[2].bit_generator.state == before
    assert drawing.draw(held, chosen[1:])
    held[1] = np.random.default_rng(9)
    qpos = np.random.default_rng(9).uniform(-0.005, 0.005, 6) + envs.task.init_qpos
    assert drawing.draw(held, chosen)
    assert envs.data.qpos[1].tobytes() == qpos.tobytes()
    envs.task.reset_noise_scale = np.full(6, 0.1)
    assert not drawing.draw(held, chosen)
    other = gymnasium.make_vec("mjenv/Humanoid-v5", num_envs=2, nthread=1).unwrapped
    other.task.init_qvel = 0.5
    other.reset(seed=0)
    assert abs(other.data.qvel - 0.5).max() < 0.02


def test_numpy_draws_where_its_library_has_no_such_functions(monkeypatch):
    monkeypatch.setattr(noise_reset, "FILLS", ("random_nothing",))
    monkeypatch.setattr(noise_reset, "_fills", noise_reset._fills.__wrapped__)
    envs = gymnasium.make_vec("mjenv/Hopper-v5", num_envs=3, nthread=1).unwrapped
    envs.reset(seed=0)
    assert not NoiseReset(envs.task, envs.data).draw(envs._episodes.generators, np.array([1]))
