"""Resets that are traced: the environment's own random numbers, and no Python in each world."""

import gymnasium as gym
import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import XML, environment, plain


def goes(self, action):
    # episodes of some ten steps
    self.data.ctrl[:] = action
    self.physics()
    self.count += 1
    ends = self.count >= 5 and self.data.qpos[0] > 0
    return plain(self, action, self.goal @ self.data.qpos, bool(ends))


def draws_of_all_kinds(self):
    kind = self.np_random.integers(3)
    self.goal = np.array([self.np_random.choice([0.5, 2.0]), kind + self.np_random.random()])
    low = self.np_random.uniform(-0.1, 0.0)
    self.data.qpos[0] = self.np_random.uniform(low, 0.1)
    self.data.qvel[:] = self.np_random.normal(0.1, scale=0.2, size=2)
    self.data.qvel[1] += self.np_random.normal(self.goal[0], 0.1)


def draws_again(self):
    place = self.np_random.uniform(-1, 1, 2)
    while np.linalg.norm(place) < 0.7:
        place = self.np_random.uniform(-1, 1, 2)
        self.count += 0
    self.goal = place
    # the next number depends on how often that was
    self.data.qpos[:] = self.np_random.uniform(-0.1, 0.1, 2)


def draws_until(self):
    while True:
        self.goal = self.np_random.uniform(-1, 1, 2)
        self.count += 1
        if np.linalg.norm(self.goal) > 0.8:
            if self.goal[0] > 0:
                self.count -= 1
            else:
                continue
        else:
            self.goal[0] += 1
            break
    self.data.qpos[:] = self.np_random.uniform(-0.1, 0.1, 2)


def draws_at_times(self):
    self.goal = self.np_random.uniform(-1, 1, 2)
    if self.np_random.random() < 0.5:
        self.goal[1] += self.np_random.uniform(0, 3)
        self.data.qvel[0] = self.goal[0]
    elif self.goal[0] > 0:
        self.data.qvel[1] = self.np_random.normal()
    self.data.qpos[0] = 0.1 * self.np_random.random()


def moves_things(self):
    self.model.site_pos[1] = self.np_random.uniform(0, 1, 3)
    self.data.mocap_pos[0] = self.np_random.uniform(0, 1, 3)
    for _ in range(3):
        self.data.ctrl[0] = 0.5
        self.lib.mj_step(self.model, self.data, 2)
    self.lib.mj_forward(self.model, self.data)
    # the site is where it was, until the next forward dynamics
    self.goal = self.data.site("middle").xpos[:2] + self.data.body("target").xpos[1:]
    self.model.site_pos[1] = self.goal[0]


def turns_things(self):
    # the mocap body begins as the model has it, also where its axes differ between worlds
    self.goal = self.data.mocap_quat[0, :2] + self.data.mocap_pos[0, :2]
    self.model.body_quat[2] = self.np_random.normal(size=4)
    self.model.body_pos[2] = self.np_random.normal(size=3)


def goes_on(self):
    # from where the last episode has ended
    self.goal = self.goal + self.np_random.uniform(0, 0.1, 2)


def words(self):
    name = self.np_random.choice(["front", "middle"])
    self.lib.mj_forward(self.model, self.data)
    self.goal = self.data.site(name).xpos[:2] + self.np_random.random()


START = np.array([0.2, -0.1])
PLACES = [np.array([0.1, 0.2]), np.array([-0.3, 0.4]), np.array([0.5, -0.6])]


def draws_places(self):
    # of lists and arrays, from either end, with whole numbers of several kinds
    self.goal = PLACES[self.np_random.integers(len(PLACES))].copy()
    table = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    self.goal[0] += table[1, self.np_random.integers(-2, 3)]
    self.goal[1] += [0.5, 1.5][int(self.np_random.integers(0, 1, endpoint=True))]
    reached = PLACES[2].copy()
    while np.linalg.norm(reached) > 0.6:
        reached = PLACES[self.np_random.integers(3)]
    self.data.qpos[:] = 0.1 * reached


def writes_into_numbers(self):
    meeting = np.array([0.1, 0.2])
    meeting += self.np_random.normal(scale=0.1, size=2)
    goal = np.zeros(4).copy().reshape(2, 2)
    for k in (0, 1):
        goal[k] = meeting - 0.1 * k
    if self.np_random.uniform() < 0.4:
        # of another shape
        goal = np.array([1.0, 2.0, 3.0, 4.0])
    self.goal = goal.flatten()[1:3]


def drawn_place(self):
    return self.np_random.uniform(0.1, 0.3)


def writes_into_a_copy(self):
    # it draws no number itself, and what it copies is a constant
    self.goal = START.copy()
    self.goal[1] = drawn_place(self)
    self.data.qpos[:] = self.goal


def unpacks(self):
    rows = [(0.1, 2.0, 3.0), (0.2, 4.0, 5.0)]
    first = min(a for a, _, _ in rows)
    last = [_ for _, _ in ((0, self.np_random.random()), (0, 0.5))]
    self.goal = np.array([first, last[0] - last[1]])


def words_with_chances(self):
    place = 0.0
    while place < 0.4:
        kind = self.np_random.choice(["left", "none", "right"], p=[0.5, 0.2, 0.3])
        if kind == "left":
            place = self.np_random.uniform(0, 1)
        elif kind != "none":
            place = 2.0
    self.goal = np.array([place, 1.0])


def asks_for_several(self):
    place = self.np_random.random()
    if place < 0.5:
        self.count += 1
        self.goal = np.full(2, 1.0 if place > 0.2 and self.goal[0] > 0 else place)
    elif not (place > 0.8 or self.goal[1] < -0.5):
        self.count += self.np_random.integers(3)


def draws_beyond(self):
    self.goal = PLACES[int(self.np_random.random() * 3)]


def looks_up_a_word(self):
    self.goal = np.zeros(2)
    while self.goal[0] < 0.5:
        name = self.np_random.choice(["front", "middle"])
        self.goal = self.np_random.uniform(0, 1) + {"front": PLACES[0], "middle": PLACES[1]}[name]


def raised(numbers):
    numbers[0] += 1.0
    return True


def counts_in_a_condition(self):
    numbers, place = [0.0], 0.0
    while raised(numbers) and place < 0.4:
        place = self.np_random.uniform(0, 1)
    self.goal = np.array([place, numbers[0]])


RESETS = [
    counts_in_a_condition, draws_of_all_kinds, draws_again, draws_until, draws_at_times,
    moves_things, turns_things, goes_on, words, draws_places, writes_into_numbers,
    writes_into_a_copy, unpacks, words_with_chances, asks_for_several, draws_beyond,
    looks_up_a_word,
]  # fmt: skip


@pytest.mark.sweep(4)
@pytest.mark.parametrize("reset", RESETS)
def test_traced_resets_are_those_of_the_environment(reset):
    made = environment(goes, reset)
    found = report(made)
    assert "reset: Python" not in str(found), str(found)
    difference = check(made, nseed=4, nstep=40)
    assert not difference.first
    assert difference.largest < 1e-14


def touches(self, action):
    self.data.ctrl[:] = action
    self.physics(5)
    self.lib.mj_rnePostConstraint(self.model, self.data)
    self.count += 1
    return plain(self, action, self.data.cfrc_ext[1, 5], self.count > 6)


def test_forces_of_contacts_are_0_after_resets():
    """They are of the last call that asked for them, or of a reset, which has none."""
    xml = XML.replace('<joint name="x"', '<joint axis="0 0 1" type="slide"/><joint name="x"')
    made = environment(touches, xml=xml, observe=lambda self: self.data.cfrc_ext[1, 4:])
    found = str(report(made))
    assert "reset: Python" not in found, found
    difference = check(made, nseed=2, nstep=20)
    assert not difference.first
    assert difference.largest < 1e-12


def calls_of(monkeypatch, envs):
    """Numbers of worlds in which Python's reset runs."""
    called = []
    start = envs._worlds.start
    monkeypatch.setattr(envs._worlds, "start", lambda *args: called.append(args[0]) or start(*args))
    return called


def test_traced_resets_need_no_python_in_each_world(monkeypatch):
    envs = PortedVectorEnv(environment(goes, draws_again), 12)
    called = calls_of(monkeypatch, envs)
    envs.reset(seed=0)
    for _ in range(12):
        envs.step(np.ones((12, 1), np.float32))
    assert not called


def seldom_ends(self):
    place = self.np_random.random()
    while place < 0.9:
        place = self.np_random.random()
    self.goal = np.full(2, place)
    self.data.qpos[:] = self.np_random.uniform(-0.1, 0.1, 2)


def test_loops_that_do_not_end_are_left_to_python(monkeypatch):
    made, nworld = environment(goes, seldom_ends), 16
    envs = PortedVectorEnv(made, nworld)
    called = calls_of(monkeypatch, envs)
    observed, _ = envs.reset(seed=3)
    assert 0 < len(called) < nworld
    env = envs._original.env
    for world in range(nworld):
        assert np.array_equal(env.reset(seed=3 + world)[0], observed[world])
    assert not check(made, nseed=6, nstep=30).first


def hidden(self):
    self.data.qpos[:] = np.random.default_rng(int(self.np_random.integers(9))).random(2)


def shuffled(self):
    numbers = np.arange(2.0)
    self.np_random.shuffle(numbers)
    self.goal = numbers


def breaks(self):
    while True:
        self.goal = self.np_random.uniform(-1, 1, 2)
        if self.goal[0] > 0.5:
            break
        self.count += 1


def asks_and_changes(self):
    for _ in range(2):
        place = self.np_random.random()
        if place < 0.8:
            if place < 0.3:
                continue
            self.count += 1
    self.goal = np.full(2, place)


@pytest.mark.parametrize(
    ("reset", "words"),
    [
        (asks_and_changes, "asks for values"),
        (hidden, "default_rng"),
        (shuffled, "shuffle"),
        (breaks, "by `break`"),
    ],
)
def test_what_is_not_traced_is_said(reset, words):
    made = environment(goes, reset)
    found = str(report(made))
    assert "reset: Python" in found
    assert words in found
    assert not check(made, nseed=3, nstep=25).first


def noisy(self, action):
    self.data.ctrl[:] = action + self.np_random.normal(scale=0.3, size=1)
    self.physics()
    if self.data.qpos[0] > 0:
        self.goal = self.np_random.uniform(-1, 1, 2)
    return plain(self, action, self.goal[0] + self.np_random.random(), self.count > 3)


def test_random_numbers_in_steps():
    made = environment(noisy, draws_at_times)
    assert report(made).way == "traced"
    difference = check(made, nseed=4, nstep=40)
    assert not difference.first
    assert difference.largest < 1e-14


def moves_a_site(self, action):
    # what is written here has a pass over the worlds of its own, as the model is written, too
    self.model.body_mass[1] = 1.0 + 0.1 * action[0]
    self.data.qvel[1] += 0.1
    self.data.qpos[0] = 0.5 * action[0]
    self.data.ctrl[:] = action
    self.physics()
    self.model.site_pos[1] = self.data.qpos[0]
    self.lib.mj_forward(self.model, self.data)
    return plain(self, action, self.data.site("middle").xpos[2])


def test_physics_take_what_a_step_writes_into_the_model():
    difference = check(environment(moves_a_site), nseed=2, nstep=10, way="traced")
    assert not difference.first


def tries_again(self):
    """Until the cart is high enough, with forward dynamics in between."""
    self.goal = self.np_random.uniform(-1, 1, 2)
    self.lib.mj_forward(self.model, self.data)
    high = False
    while not high:
        self.data.qpos[:] = self.np_random.uniform(-0.3, 0.3, 2)
        self.count += 1
        self.lib.mj_forward(self.model, self.data)
        high = self.data.site("front").xpos[2] > 0.3
    self.goal[0] = self.data.site("front").xpos[2]
    self.data.qvel[0] = self.np_random.normal()


def tries_some_times(self):
    self.lib.mj_forward(self.model, self.data)
    for k in range(1000):
        self.data.qpos[1] = self.np_random.uniform(-0.3, 0.3)
        self.count = k
        self.lib.mj_forward(self.model, self.data)
        if self.data.site("front").xpos[2] > 0.29 if self.goal[0] > 0 else self.data.ncon == 0:
            break
    else:
        raise RuntimeError("no place was high enough")
    self.goal[1] = self.np_random.random()


@pytest.mark.parametrize("reset", [tries_again, tries_some_times])
def test_loops_with_forward_dynamics(monkeypatch, reset):
    made, nworld = environment(goes, reset), 24
    assert "reset: Python" not in str(report(made))
    difference = check(made, nseed=4, nstep=40)
    assert not difference.first
    assert difference.largest < 1e-14
    envs = PortedVectorEnv(made, nworld)
    called = calls_of(monkeypatch, envs)
    observed, _ = envs.reset(seed=1)
    assert len(called) < nworld
    env = envs._original.env
    for world in range(nworld):
        assert np.array_equal(env.reset(seed=1 + world)[0], observed[world])


def written_before(self):
    self.lib.mj_forward(self.model, self.data)
    self.data.qpos[1] = 0.1
    again = self.np_random.random() < 0.5
    while again:
        self.lib.mj_forward(self.model, self.data)
        again = self.np_random.random() < 0.5
    self.goal[0] = self.data.site("front").xpos[2]


def test_forward_dynamics_of_others_are_not_those_of_worlds_that_wait():
    made = environment(goes, written_before)
    assert "forward 1 in some worlds" in str(report(made))
    assert not check(made, nseed=4, nstep=25).first


TASKS = [
    {"name": "near", "goal": (0.1, 0.2), "more": {"far": False}},
    {"name": "far", "goal": (1.0, -1.0), "more": {"far": True}},
]


def draws_a_task(self):
    # one of several dicts, in which there are words, too
    number = self.np_random.integers(1, len(TASKS) + 1)
    self.task = self.tasks[number - 1]
    self.goal = np.array(self.task["goal"]) + self.np_random.uniform(-0.1, 0.1, 2)
    self.count = number


def test_a_drawn_number_is_a_place_among_anything():
    def made():
        env = environment(goes, draws_a_task)()
        env.tasks = TASKS
        return env

    envs = PortedVectorEnv(made, 16)
    assert envs._traced.reset_program is not None
    envs.reset(seed=0)
    assert set(envs._traced.attributes["self.count"].ravel().tolist()) == {1, 2}
    assert check(made, 3, 40).first == ""


def begins_twice(self, *, seed=None, options=None):
    # a seed has the same numbers drawn again
    for number in range(2):
        found = type(self).__mro__[1].reset(self, seed=seed, options=options)
        self.goal = self.goal + number
    return found


def test_a_reset_that_seeds_twice_is_traced_without_seeds():
    made = environment(goes)

    def twice():
        env = made()
        env.__class__ = type("Twice", (type(env),), {"reset": begins_twice})
        return env

    found = report(twice)
    assert any(line.startswith("reset with a seed: Python, found") for line in found.lines)
    assert any(line.startswith("reset: ") and "compiled" in line for line in found.lines)
    assert check(twice, 3, 40).first == ""


def test_super_means_the_same_in_a_loop():
    made = environment(goes)

    def below():
        env = made()

        class Below(type(env)):
            def step(self, action):
                for _ in range(2):
                    found = super().step(action)
                return found

        env.__class__ = Below
        return env

    assert report(below).way == "traced"
    assert check(below, 2, 20).first == ""


def jumps(self, action):
    """A step that at times puts the cart elsewhere, as a teleport does."""
    self.data.ctrl[:] = action
    self.physics()
    front = self.data.site("front").xpos[0]
    if self.data.qpos[0] > 0.1:
        self.count += 1
        if self.np_random.random() < 0.7:
            self.data.qpos[0] = self.np_random.uniform(-0.3, 0)
            self.data.qvel[:] = 0
            self.lib.mj_forward(self.model, self.data)
            self.goal[0] = self.data.site("front").xpos[0]
        self.data.qvel[0] *= 0.9
    # where the sites are is as the last call of the physics has left it
    return plain(self, action, self.goal[0] + 2 * self.data.site("front").xpos[0] - front)


def test_worlds_in_which_the_physics_are_called_in_a_step():
    made = environment(jumps)
    found = report(made)
    assert found.way == "traced"
    assert "forward 1 in some worlds" in found.lines[0]
    assert check(made, 4, 60).first == ""
    envs = PortedVectorEnv(made, 8)
    envs.reset(seed=0)
    for _ in range(30):
        envs.step(np.ones((8, 1), np.float32))
    counts = envs._traced.attributes["self.count"]
    assert (counts > 0).all()
    assert len(np.unique(counts)) > 1


def test_the_same_in_batches_of_worlds():
    made, action = environment(jumps), np.full((4, 1), 0.8, np.float32)
    envs = PortedVectorEnv(made, 4)
    envs.reset(seed=0)
    expected = np.array([envs.step(action)[1] for _ in range(30)]).T
    batches = PortedVectorEnv(made, 4, batch_size=2)
    batches.async_reset(seed=0)
    found: list[list[float]] = [[] for _ in range(4)]
    steps = -np.ones(4, int)
    while min(map(len, found)) < 30:
        _, rewards, _, _, infos = batches.recv()
        for world, reward in zip(infos["env_id"].tolist(), rewards.tolist(), strict=True):
            steps[world] += 1
            if steps[world]:
                found[world].append(reward)
        batches.send(action[:2], infos["env_id"])
    np.testing.assert_array_equal([one[:30] for one in found], expected)


GATES = [(0.1, -0.2), (0.02, -0.1), (-0.1, 0.0)]


def jumps_from_a_gate(self, action):
    """A step that puts the cart elsewhere at the first gate that it has passed."""
    self.data.ctrl[:] = action
    self.physics()
    for gate, other in GATES:
        self.goal[1] += 0.01
        if self.data.qpos[0] >= gate:
            self.data.qpos[0] = other + self.np_random.uniform(-0.01, 0.01)
            self.lib.mj_forward(self.model, self.data)
            self.count += 1
            break
    return plain(self, action, self.goal[1] + self.data.site("front").xpos[0])


def test_a_loop_that_worlds_leave_at_places_of_their_own():
    made = environment(jumps_from_a_gate)
    assert report(made).way == "traced"
    assert check(made, 4, 60).first == ""


def unsolved(step):
    """An environment whose reset is without forward dynamics: results are zeros behind it."""

    def make():
        class Unsolved(type(environment(step)())):
            def reset(self, *, seed=None, options=None):
                gym.Env.reset(self, seed=seed)
                self.lib.mj_resetData(self.model, self.data)
                self.data.qpos[:] = self.np_random.uniform(-0.1, 0.1, 2)
                return self.observed(), {}

        return Unsolved()

    return make


def sums_results(self, action):
    self.data.ctrl[:] = action
    self.physics()
    reward = self.data.qfrc_actuator[0] + self.data.site_xpos[0, 0]
    return plain(self, action, reward, self.data.time > 0.1)


def looks_back(self, action):
    before = self.data.site_xpos[0, 0]
    observation, reward, *ends = sums_results(self, action)
    return observation, reward - before, *ends


def test_results_that_a_reset_leaves_may_be_old():
    """Nothing reads them before the next step, or the reset stays Python."""
    assert "reset not traced" not in str(report(unsolved(sums_results)))
    assert "reset not traced: found data.site_xpos" in str(report(unsolved(looks_back)))
    for step in (sums_results, looks_back):
        assert not check(unsolved(step), nseed=2, nstep=30, way="traced").first
