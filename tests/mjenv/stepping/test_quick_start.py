"""Episodes that begin in one compiled call: the same as others, whatever has changed before."""

import gymnasium
import numpy as np
import pytest

import mjenv
from mjenv.engine.tables.enums import ENBL_ENERGY
from mjenv.envs import Hopper
from mjenv.stepping.quick_start import QuickStart

COUNT = 12


def nothing(envs):
    """Change nothing."""


def change_noise(envs):
    """Give the task's parameter another value."""
    envs.task.reset_noise_scale = 0.02


def change_in_place(envs):
    """Write into the array that the task starts from."""
    envs.task.init_qvel[0] = 0.25


def assign_other_type(envs):
    """Give the task an array that kernels cannot read."""
    envs.task.init_qpos = envs.task.init_qpos.astype(np.float32)


def edit_model(envs):
    """Edit what worlds are cleared to, which the task's own arrays overwrite in part."""
    envs.model.qpos0[1] += 0.125


def seed_anew(envs):
    """Give one environment a new generator."""
    mask = np.arange(COUNT) == 3
    envs.reset(seed=[7] * COUNT, options={"reset_mask": mask})


def edit_start(env):
    """Edit what the world is cleared to."""
    env.model.eq_active0[0] = 1 - env.model.eq_active0[0]


class Tied(Hopper):
    """A hopper with a constraint that is off at first."""

    def _compile(self):
        text = self.path.read_text().replace(
            "</mujoco>",
            '<equality><weld body1="torso" body2="world" active="false"/></equality></mujoco>',
        )
        return mjenv.Model.from_xml_string(text)


CHANGES = (
    nothing,
    change_noise,
    change_in_place,
    assign_other_type,
    edit_model,
    edit_start,
    seed_anew,
)


def noted_starts(patch, quick):
    """Whether each start from now on was one call; if it is not to be quick, none is."""
    begun, start = [], QuickStart.start

    def noted(self, worlds, generators):
        begun.append(quick and start(self, worlds, generators))
        return begun[-1]

    patch.setattr(QuickStart, "start", noted)
    return begun


def episodes(monkeypatch, change, mode, quick):
    """Bits of steps before and after a change, statistics of episodes, and what began them."""
    found = []
    with monkeypatch.context() as patch:
        begun = noted_starts(patch, quick)
        envs = mjenv.VectorEnv(
            task=Tied, num_envs=COUNT, nthread=1, max_episode_steps=9, autoreset_mode=mode
        )
        envs.reset(seed=4)
        envs.elapsed[:] = np.arange(COUNT) % 7
        rng = np.random.default_rng(0)
        for k in range(40):
            if k == 20:
                change(envs)
                begun.clear()
            step = envs.step(rng.uniform(-1, 1, (COUNT, 3)).astype(np.float32))
            found += [array.tobytes() for array in step[:4]]
            found += [envs.elapsed.tobytes(), envs._episodes.returns.tobytes()]
            found += [envs.data.qpos.tobytes(), envs.data.qacc_warmstart.tobytes()]
            found.append(envs.data.eq_active.tobytes())
        found += [g.bit_generator.state for g in envs._episodes.generators]
    return found, begun


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_same_as_in_single_calls(monkeypatch, change, mode):
    found, begun = episodes(monkeypatch, change, mode, quick=True)
    assert found == episodes(monkeypatch, change, mode, quick=False)[0]
    assert begun
    assert any(begun) == (change is not assign_other_type)


def test_tasks_that_start_otherwise_are_left_to_numpy():
    """Those with a function `reset` of their own."""
    envs = gymnasium.make_vec("mjenv/Reacher-v5", num_envs=3, nthread=1).unwrapped
    envs.reset(seed=0)
    before = envs.data.qpos.tobytes()
    assert not envs._quick_start.start(np.array([1]), envs._episodes.generators)
    assert envs.data.qpos.tobytes() == before


def test_all_worlds_are_left_to_a_reset():
    envs = gymnasium.make_vec("mjenv/Hopper-v5", num_envs=3, nthread=1).unwrapped
    envs.reset(seed=0)
    assert not envs._quick_start.start(np.arange(3), envs._episodes.generators)
    assert envs._quick_start.start(np.array([2, 0]), envs._episodes.generators)


def replace_generator(env):
    """Give the environment a generator of another kind."""
    env.np_random = np.random.Generator(np.random.Philox(5))


def leave_marks(env):
    """Write where a reset has to clear."""
    env.data.xfrc_applied[1] = 2.0
    env.data.qfrc_applied[0] = 1.0
    env.data.time, env.data.eq_active[0] = 3.0, 1 - env.data.eq_active[0]


def rebuild(env):
    """Have the world's memory made anew."""
    env.model.opt.enableflags |= ENBL_ENERGY
    env.step(np.zeros(3))
    env.data.batch.plan.rebuild()


def starts(monkeypatch, change, quick):
    """Bits of episodes of a single environment before and after a change, and what began them."""
    found = []
    with monkeypatch.context() as patch:
        begun = noted_starts(patch, quick)
        env = mjenv.Env(task=Tied)
        env.reset(seed=4)
        rng = np.random.default_rng(0)
        for k in range(8):
            if k == 4:
                change(env)
                begun.clear()
            for _ in range(5):
                step = env.step(rng.uniform(-1, 1, 3))
            observation, info = env.reset()
            data = env.data
            found += [observation.tobytes(), repr(info), step[0].tobytes(), repr(step[1:])]
            names = ("qpos", "qvel", "qacc_warmstart", "xfrc_applied", "qfrc_applied", "ctrl")
            found += [getattr(data, name).tobytes() for name in names]
            found += [float(data.time), data.eq_active.tobytes(), data.nefc, data.ncon]
            found += [env._episodes.elapsed.tolist(), env.np_random.bit_generator.state]
    return [repr(item) for item in found], begun


SINGLE = (
    nothing, change_noise, change_in_place, assign_other_type, edit_model, replace_generator,
    leave_marks, rebuild, edit_start,
)  # fmt: skip


@pytest.mark.parametrize("change", SINGLE, ids=lambda change: change.__name__)
def test_the_only_world_starts_as_in_single_calls(monkeypatch, change):
    found, begun = starts(monkeypatch, change, quick=True)
    assert found == starts(monkeypatch, change, quick=False)[0]
    assert begun
    assert any(begun) == (change is not assign_other_type)
