"""What steps may do, and what is said where they cannot be traced: small environments."""

import sys

import gymnasium
import numpy as np
import pytest

import mjenv
from mjenv.porting.checking import check
from mjenv.porting.following import following
from mjenv.porting.porting import report
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, in_place, plain


def live_views(self, action):
    # taken before, read after
    place, old = self.data.qpos, self.data.qpos.copy()
    self.data.ctrl[0] = action[0]
    for _ in range(3):
        self.physics(1)
    return plain(self, action, place[0] - old[0])


def counts(self, action):
    self.data.ctrl[:] = np.clip(action, -0.5, 0.5)
    self.count += 1
    self.physics()
    if self.count >= 7 and not self.count % 2:
        return plain(self, action, float(self.count), True)
    return plain(self, action, max(self.data.qpos[0], self.data.qpos[1], 0))


def moves_what_is_moved(self, action):
    self.data.mocap_pos[0] = np.array([action[0], 0.0, np.sin(self.data.qpos[0])])
    self.data.ctrl[:] = -self.data.qpos[:1]
    self.physics()
    self.data.qpos[1] = 0.25 * self.data.qpos[1]
    self.lib.mj_forward(self.model, self.data)
    offset = self.data.body("target").xpos - self.data.site_xpos[0]
    return plain(self, action, -(np.linalg.norm(offset) ** 2))


def with_lists(self, action):
    self.data.ctrl[:] = action
    self.physics()
    numbers = np.zeros(4)
    numbers[:2] = self.data.qpos
    numbers[2:] = [action[0], self.goal[1]]
    best = sorted(numbers.tolist(), key=float)[0] if False else min(numbers)
    return plain(self, action, best, bool(np.any(np.abs(numbers) > 50)))


def velocity_of_a_site(self, action):
    self.data.ctrl[:] = action
    self.physics()
    jacp, jacr = np.zeros((3, self.model.nv)), np.zeros((3, self.model.nv))
    self.lib.mj_jacSite(self.model, self.data, jacp, jacr, 0)
    return plain(self, action, (jacp @ self.data.qvel)[0] + (jacr @ self.data.qvel)[1])


def chooses_before(self, action):
    # what is written depends on a condition, and stands before the physics
    if action[0] > 0.1:
        self.data.ctrl[0] = 2 * action[0]
        self.data.qvel[1] += 0.5
    else:
        self.data.ctrl[:] = self.goal[:1]
    self.physics()
    return plain(self, action, self.data.qpos[1])


def several_calls(self, action):
    # numbers from before each call are used behind all of them
    speed, wish = self.data.qvel.copy(), np.sin(float(action[0]))
    self.data.ctrl[:] = wish
    self.physics(2)
    between = np.sum(self.data.qpos * speed)
    self.data.ctrl[:] = -0.5 * between
    self.data.qvel[1] = 0.9 * self.data.qvel[1]
    self.physics(2)
    if between > 0:
        self.count += 1
    self.data.mocap_pos[0, 2] = self.count
    self.lib.mj_forward(self.model, self.data)
    return plain(self, action, wish + between + self.data.body("target").xpos[2])


def writes_at_the_end(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.data.qpos[0] = np.clip(self.data.qpos[0], -0.05, 0.05)
    self.data.ctrl[:] = 0.0
    self.model.body_mass[1] = 1.0 + 0.1 * self.data.time
    return plain(self, action, self.data.time)


def looks_for_warnings(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.data.qvel[:] = np.where(self.data.qpos[0] > 0.06, np.nan, self.data.qvel)
    self.physics(1)
    bad = self.data.warning[int(self.lib.mjtWarning.mjWARN_BADQVEL)].number > 0
    return plain(self, action, float(bad), bool(bad))


def numbers_do_not_change_in_place(self, action):
    begun = self.data.time
    self.data.ctrl[:] = action
    self.physics()
    reward = best = np.linalg.norm(self.data.qpos)
    reward += 1.0
    reward *= self.data.time - begun
    return plain(self, action, reward + best)


TRACED = [
    numbers_do_not_change_in_place,
    in_place, live_views, counts, moves_what_is_moved, with_lists, velocity_of_a_site,
    chooses_before, several_calls, writes_at_the_end, looks_for_warnings,
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*QVEL")
@pytest.mark.sweep(3)
@pytest.mark.parametrize("step", TRACED)
def test_traced_steps_are_those_of_the_environment(step):
    found = check(environment(step), nseed=3, nstep=25, way="traced")
    assert not found.first
    assert found.largest < 1e-13


def reads_contacts(self, action):
    self.physics()
    return plain(self, action, float(len(self.data.contact.dist)))


def loops(self, action):
    while self.data.time % 0.05 < 0.039:
        self.physics(1)
    return plain(self, action)


def in_machine_code(self, action):
    self.physics()
    return plain(self, action, np.linalg.eigvalsh(np.outer(self.data.qpos, self.data.qpos))[0])


def writes_results(self, action):
    self.physics()
    self.data.cvel[0] = 0
    return plain(self, action)


REFUSED = {
    reads_contacts: r"in reads_contacts: found data\.contact\.dist, rows .*the line is: return",
    loops: r"found a call of the physics in an `if` or a loop of values",
    in_machine_code: r"found numpy\.(linalg\.)?eigvalsh of values",
    writes_results: r"found an assignment to data\.cvel, a result of the physics",
}


@pytest.mark.parametrize("step", REFUSED)
def test_what_cannot_be_traced_is_said_with_its_line(step):
    found = report(environment(step))
    assert found.way == "world by world"
    with pytest.raises(NotTraced, match=REFUSED[step]):
        PortedVectorEnv(environment(step), 2, way="traced")


def fails(self, action):
    self.physics()
    if self.data.qpos[0] > 0.4:
        raise ValueError("too far")
    return plain(self, action)


def test_errors_of_the_environment_are_those_of_worlds():
    envs = PortedVectorEnv(environment(fails), 3, way="traced")
    envs.reset(seed=0)
    for _ in range(5):
        envs.step(np.zeros((3, 1), np.float32))
    envs.data.qpos[1, 0] = 0.5
    with pytest.raises(ValueError, match="environment 1: too far"):
        envs.step(np.zeros((3, 1), np.float32))


def test_steps_have_the_same_bits_in_all_threads_and_batches():
    few = PortedVectorEnv(environment(several_calls), 3, nthread=1)
    many = PortedVectorEnv(environment(several_calls), 37, nthread=3)
    one, other = few.reset(seed=4)[0], many.reset(seed=4)[0]
    actions = np.random.default_rng(0).uniform(-1, 1, (10, 37, 1)).astype(np.float32)
    for step in actions:
        assert np.array_equal(one, other[:3])
        one, rewards, *_ = few.step(step[:3])
        other, others, *_ = many.step(step)
        assert np.array_equal(rewards, others[:3])


def test_programs_run_with_steps_only():
    envs = PortedVectorEnv(environment(writes_at_the_end), 9)
    envs.reset(seed=0)
    envs.step(np.full((9, 1), 0.5, np.float32))
    before = envs.data.qpos.copy()
    mjenv.forward(envs.data.model, envs.data)
    assert np.array_equal(envs.data.qpos, before)


def within(x, low, high):
    """A function with ways of its own."""
    if x < low:
        return low - x
    if x > high:
        return x - high
    return 0.0


def many_ways(self, action):
    self.data.ctrl[:] = action
    self.physics()
    total = 0.0
    for k in range(12):
        total += within(self.data.qpos[k % 2], -0.01 * k, 0.005 * k)
    return plain(self, action, total)


def counted(self, x):
    """A function that changes something on one of its ways."""
    if x > 0:
        self.count += 1
        return x
    return -x


def changes_on_its_way(self, action):
    self.data.ctrl[:] = action
    self.physics()
    total = counted(self, self.data.qpos[0]) + counted(self, self.data.qvel[0])
    return plain(self, action, total + self.count)


@pytest.mark.parametrize("step", [many_ways, changes_on_its_way])
def test_functions_that_ask(step):
    found = check(environment(step), nseed=3, nstep=25, way="traced")
    assert not found.first
    assert found.largest < 1e-13


def numpy_of(function):
    """A step whose reward is a function of the velocities of both joints, (2, 2)."""

    def step(self, action):
        self.data.ctrl[:] = action
        self.physics()
        return plain(self, action, function(np.outer(self.data.qvel, [1.0, -2.0])))

    return environment(step)


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x - np.std(x, axis=1, keepdims=True))[0, 1],
        lambda x: np.var(x, axis=0)[1] + x.mean(axis=1, keepdims=True)[1, 0],
        lambda x: np.diff(x)[1, 0] + np.diff(x, axis=1)[0, 0] + np.diff(x, axis=0)[0, 1],
        lambda x: np.average(x[0], weights=[1.0, 3.0]) + np.inner(x, [1.0, 2.0])[1],
        lambda x: np.clip(x, min=-0.01, max=0.02).sum(),
        lambda x: np.clip(x, a_min=-0.01, a_max=np.full(2, 0.02), dtype=np.float32).sum(),
        lambda x: float(np.argmax(x)),
        lambda x: np.arcsinh(x[0, 0]) - np.arcsinh(1e8 * x[1]).sum(),
    ],
    ids=["std", "var", "diff", "average", "clip", "clip in a type", "argmax", "arcsinh"],
)
def test_options_of_numpy_are_followed(function):
    assert report(numpy_of(function)).way == "traced"
    assert not check(numpy_of(function), nseed=2, nstep=5).first


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("function", "name"),
    [
        (lambda x: np.add(x, x, out=np.zeros((2, 2)), where=x > 0)[0, 0], "add with where"),
        (lambda x: np.sum(x, where=x > 0), "add with where"),
        (lambda x: np.diff(x[0], 2, append=1.0)[0], "diff with append"),
        (lambda x: np.average(x, axis=0, weights=[1.0, 3.0])[0], "average with axis"),
        (lambda x: np.inner(x, x)[0, 1], "inner of a matrix"),
    ],
)
def test_options_that_are_not_followed_are_refused(function, name):
    """Rather than left out: the reward would be another one."""
    found = report(numpy_of(function))
    assert found.way == "world by world"
    assert f"numpy.{name}" in found.reason


def refuses_far(x):
    """A function that fails on one of its ways."""
    if x > 0.4:
        raise ValueError(f"found {type(x).__name__} that is too far")
    return within(x, -0.1, 0.1)


def fails_within(self, action):
    self.physics()
    return plain(self, action, refuses_far(self.data.qpos[0]) + refuses_far(self.data.qpos[1]))


@pytest.mark.parametrize("place", [0, 1])
def test_errors_of_functions_are_those_of_worlds(place):
    envs = PortedVectorEnv(environment(fails_within), 3, way="traced")
    envs.reset(seed=0)
    for _ in range(5):
        envs.step(np.zeros((3, 1), np.float32))
    envs.data.qpos[1, place] = 0.5
    with pytest.raises(ValueError, match=r"environment 1: found \w+ that is too far"):
        envs.step(np.zeros((3, 1), np.float32))


def imports_late(self, action):
    import mujoco

    self.data.ctrl[:] = action
    mujoco.mj_step(self.model, self.data, 2)
    return plain(self, action, self.data.qpos[0])


@pytest.mark.parametrize("way", ["traced", "world by world"])
def test_functions_that_import_mujoco_have_ours(way):
    import mujoco

    found = check(environment(imports_late), nseed=2, nstep=5, way=way)
    assert (found.first, found.steps) == ("", 5)
    assert sys.modules["mujoco"] is mujoco


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.einsum("...i,...i", x, x)[1],
        lambda x: np.einsum("i,i", x[0], x[1]),
        lambda x: np.einsum("ji,kj", x, x)[1, 0],
        lambda x: np.einsum("...ij,...j->...i", x[None], x[1])[0, 1],
    ],
    ids=["dots", "inner", "implied", "dots kept"],
)
def test_einsum(function):
    assert report(numpy_of(function)).way == "traced"
    assert not check(numpy_of(function), nseed=2, nstep=5).first


def equations(self, action):
    self.data.ctrl[:] = action
    self.physics()
    q, v = self.data.qpos, self.data.qvel
    # pivots differ between worlds; one matrix has a zero in its corner
    matrix = np.array([[q[0], 1.0, v[1]], [v[0], q[1], 2.0], [0.5, v[0], q[0] * q[1]]])
    x = np.linalg.solve(matrix, np.array([1.0, q[1], v[0]]))
    corner = np.array([[0.0, 1.0 + q[0]], [2.0, v[0]]])
    back = np.linalg.inv(corner) @ corner + np.linalg.solve(corner, np.eye(2))
    return plain(self, action, x.sum() + back[0, 1] + np.linalg.det(matrix) + np.linalg.det(corner))


def test_linear_equations():
    found = check(environment(equations), nseed=5, nstep=40, way="traced")
    assert not found.first
    assert found.largest < 1e-12


def singular(self, action):
    self.physics()
    first = np.where(action[0] >= 1.0, 0.0, 1.0)
    x = np.linalg.solve(np.array([[first, 0.0], [0.0, 1.0 + self.data.qpos[0] ** 2]]), np.ones(2))
    flat = np.linalg.det(np.array([[self.data.qpos[0], 1.0], [2 * self.data.qpos[0], 2.0]]))
    return plain(self, action, x[0] + flat)


def test_singular_matrices_are_errors_of_their_worlds():
    envs = PortedVectorEnv(environment(singular), 3, way="traced")
    envs.reset(seed=0)
    rewards = envs.step(np.array([[0.0], [0.4], [0.2]], np.float32))[1]
    assert rewards.tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(np.linalg.LinAlgError, match="environment 1: Singular"):
        envs.step(np.array([[0.0], [1.0], [0.2]], np.float32))


def too_large(self, action):
    self.physics()
    return plain(self, action, np.linalg.inv(np.eye(13) * (1 + self.data.qpos[0] ** 2))[0, 0])


def test_large_matrices_are_refused():
    found = report(environment(too_large))
    assert "numpy.linalg.inv of a matrix of shape (13, 13)" in found.reason


def two_objectives(self, action):
    assert self.action_space.contains(action)
    self.data.ctrl[:] = action
    self.physics()
    reward = np.array([self.data.qvel[0], -np.abs(action[0])])
    return plain(self, action, reward, self.data.qpos[0] > 0.05)


def two_objectives_of_numbers(self, action):
    not_traced = complex(float(action[0]))
    assert not_traced == action[0]
    return two_objectives(self, action)


def of_several_objectives(step):
    inner = environment(step)

    def make():
        made = inner()
        made.reward_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)
        return made

    return make


@pytest.mark.parametrize("step", [two_objectives, two_objectives_of_numbers])
def test_rewards_of_several_objectives(step):
    make = of_several_objectives(step)
    found = check(make, nseed=3, nstep=30)
    assert not found.first
    envs = PortedVectorEnv(make, 4, batch_size=2)
    assert (envs.report.way == "traced") == (step is two_objectives)
    assert envs.reward_space.shape == (2,)
    assert not envs.closed
    envs.reset(seed=0)
    rewards = envs.step(np.full((4, 1), 0.5, np.float32))[1]
    assert rewards.shape == (4, 2)
    assert (rewards[:, 1] == -0.5).all()
    # batch by batch
    envs.async_reset(seed=0)
    assert envs.recv()[1].shape == (2, 2)


def test_rewards_of_another_shape_than_their_space_are_refused():
    make = of_several_objectives(two_objectives_of_numbers)

    def other():
        made = make()
        made.reward_space = gymnasium.spaces.Box(-1, 1, (3,))
        return made

    envs = PortedVectorEnv(other, 2)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match=r"reward of shape \(2,\), expected \(3,\)"):
        envs.step(np.zeros((2, 1), np.float32))


def test_actions_beyond_their_space_are_errors_of_the_environment():
    envs = PortedVectorEnv(of_several_objectives(two_objectives), 3, way="traced")
    envs.reset(seed=0)
    with pytest.raises(AssertionError, match="environment 1"):
        envs.step(np.array([[1.0], [1.5], [-1.0]], np.float32))


HELPERS = """
import mujoco
import numpy as np


def jacobian(model, data):
    found = np.zeros((3, model.nv))
    mujoco.mj_jacSite(model, data, found, None, 0)
    return found
"""
TASKS_WITH_HELPERS = """
import helpers_of_another_package as helpers
from tests.mjenv.porting.environments import environment, plain


def step(self, action):
    self.data.ctrl[:] = action
    self.physics()
    return plain(self, action, helpers.jacobian(self.model, self.data)[0].sum())


class Task(type(environment(step)())):
    pass


make = Task
"""


def test_other_packages_that_use_mujoco_are_followed(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "helpers_of_another_package.py").write_text(HELPERS)
    (tmp_path / "tasks_with_helpers.py").write_text(TASKS_WITH_HELPERS)
    found = check("tasks_with_helpers:make", nseed=2, nstep=10, way="traced")
    assert not found.first


def test_an_error_of_ours_is_reported_and_the_environment_runs(monkeypatch):
    def fails(given, slots):
        raise TypeError("odd")

    monkeypatch.setattr(following, "_follow_once", fails)
    found = report(environment(in_place))
    assert found.reason.startswith("found an error of mjenv's own, TypeError: odd")
    assert not check(environment(in_place), nseed=1, nstep=3).first
