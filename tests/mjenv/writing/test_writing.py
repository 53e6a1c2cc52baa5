"""Environments written as tasks: they equal the originals, or are refused with the line."""

import ast
import importlib.util
import itertools

import gymnasium as gym
import numpy as np
import pytest

import mjenv
from mjenv.commands.cli import parser
from mjenv.commands.porting import _write
from mjenv.porting.checking import NEAR_SINGLE
from mjenv.writing import writing
from mjenv.writing.values import NotWritten
from mjenv.writing.writing import write
from tests.mjenv.porting.environments import environment
from tests.mjenv.porting.environments import plain as results
from tests.mjenv.porting.test_gymnasium import ROUNDING, TASKS

LONGEST = 100  # letters of a line
_numbers = itertools.count()


def imported(path):
    """The module of a task's file, by a name that no other has."""
    name = f"written_{next(_numbers)}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", TASKS)
def test_gymnasiums_tasks_are_written(name, tmp_path):
    file = tmp_path / f"{name.lower()}_written.py"
    found = write(f"{name}-v5", file)
    assert found.largest < ROUNDING
    assert found.compiled is None
    text = file.read_text()
    assert max(len(line) for line in text.splitlines()) <= LONGEST
    assert "@" not in text
    assert file.with_suffix(".xml").is_file()


def test_parameters_and_methods_have_the_originals_names(tmp_path):
    file = tmp_path / "hopping.py"
    write("Hopper-v5", file)
    (task,) = (n for n in ast.parse(file.read_text()).body if isinstance(n, ast.ClassDef))
    assigned = {n.targets[0].id for n in task.body if isinstance(n, ast.Assign)}
    assert {"healthy_z_range", "ctrl_cost_weight", "reset_noise_scale"} <= assigned
    methods = [n.name for n in task.body if isinstance(n, ast.FunctionDef)]
    assert methods == [
        "reset", "observation", "info", "before", "outcome", "is_healthy", "control_cost",
    ]  # fmt: skip


def test_what_is_written_is_a_task_whose_parameters_can_be_changed(tmp_path, monkeypatch):
    file = tmp_path / "swimming.py"
    write("Swimmer-v5", file)
    monkeypatch.chdir(tmp_path)
    task = imported(file).Swimmer
    mjenv.check_task(task)
    envs = mjenv.VectorEnv(task=task, num_envs=2, ctrl_cost_weight=0.5)
    envs.reset(seed=0)
    *_, infos = envs.step(np.ones((2, 2)))
    assert infos["reward_ctrl"].tolist() == [-1.0, -1.0]
    ids = {"mine/Swimmer-v5"}
    assert gym.spec(*ids).max_episode_steps == 1000


def counted(self, action):
    """A step that has state, a branch, and values from before the physics."""
    before = self.data.qpos[0]
    self.data.ctrl[:] = action
    self.lib.mj_step(self.model, self.data, nstep=2)
    moved = self.data.qpos[0] - before
    cost = 0.1 * np.sum(np.square(action))
    reward = moved - cost
    if self.data.qpos[0] > self.goal[0]:
        self.count += 1
        self.goal = self.goal + 0.01
        reward += 1
    return self.observed(), reward, bool(self.count > 30), False, {"cost": -cost, "n": self.count}


def test_state_branches_and_what_was_before_the_physics(tmp_path):
    file = tmp_path / "counting.py"
    found = write(environment(counted), file)
    assert found.one_sided == ()
    assert found.largest < ROUNDING
    text = file.read_text()
    assert "def update(self, data, action, before):" in text
    assert "np.where(" in text
    task = imported(file).Task
    assert set(task.state) == {"count", "goal"}


def appends(self):
    """Two observations: numbers at an end, behind constants, and rows below others."""
    x = np.append([0.5], np.append(self.data.qpos, self.data.qvel[0]))
    rows = np.append(self.data.xpos, self.data.site_xpos, axis=0)
    return np.append(np.sum(x * x), np.sum(rows[:, 0]))


def test_what_is_appended_is_written(tmp_path):
    file = tmp_path / "appending.py"
    assert write(environment(counted, observe=appends), file).largest < ROUNDING
    assert "np.concatenate(" in file.read_text()


def spread(self, action):
    """A step that spreads actions over a range, less the further the cart is."""
    gain = 1.0 if self.data.qpos[0] < 0.05 else 0.5
    self.data.ctrl[0] = 0.1 + gain * float(action[0])
    self.lib.mj_step(self.model, self.data)
    return results(self, action, -np.sum(np.square(self.data.ctrl)))


def moving(self, action):
    """A step that moves a body, and pushes the cart by hand."""
    self.data.mocap_pos[0, :2] = self.data.mocap_pos[0, :2] + 0.01 * action
    self.data.ctrl[:] = 0.0
    self.data.qfrc_applied[0] = 3 * action[0]
    self.lib.mj_step(self.model, self.data, nstep=2)
    return results(self, action, -abs(self.data.qpos[0] - self.data.mocap_pos[0, 0]))


def with_actions(make, low, high):
    """The environment with other actions."""

    def made():
        env = make()
        env.action_space = gym.spaces.Box(np.float32(low), np.float32(high))
        return env

    return made


def dealing(self, action):
    """A step that deals actions out: one goes to a body, the other to the cart."""
    aims, _, push = np.split(action, (1, 1))
    pairs = np.concatenate([aims, aims]).reshape(1, 2)
    self.data.mocap_pos[0][:2] = self.data.mocap_pos[0, :2] + 0.01 * pairs[0]
    self.data.ctrl[:] = np.reshape(push, (1, -1))[0]
    self.lib.mj_step(self.model, self.data)
    far = np.reshape(self.data.mocap_pos[0, 0], (1, 1))
    return results(self, action, -abs(self.data.qpos[0] - far[0, 0]))


@pytest.mark.parametrize(
    ("made", "limits"),
    [
        (environment(spread), "(-1.0, 1.0)"),
        (with_actions(environment(moving), [-1, -2], [1, 2]), "([-1.0, -2.0], [1.0, 2.0])"),
        (with_actions(environment(dealing), [-1, -2], [1, 2]), "([-1.0, -2.0], [1.0, 2.0])"),
    ],
)
def test_what_a_step_makes_of_actions_is_written(made, limits, tmp_path, monkeypatch):
    file = tmp_path / "driving.py"
    found = write(made, file)
    assert found.largest < ROUNDING
    assert found.compiled is None
    text = file.read_text()
    assert "def control(self, data, action):" in text
    assert f"action_limits = {limits}" in text
    monkeypatch.chdir(tmp_path)
    mjenv.check_task(imported(file).Task)


def rarely(self, action):
    """A step with a branch that is never taken."""
    self.data.ctrl[:] = action
    self.lib.mj_step(self.model, self.data)
    reward = 1.0 if self.data.qpos[0] < 1e9 else self.data.qpos[1]
    return self.observed(), reward, False, False, {}


def test_choices_that_no_world_met_are_said(tmp_path):
    file = tmp_path / "rare.py"
    found = write(environment(rarely), file)
    (line,) = found.one_sided
    assert "np.where(" in file.read_text().splitlines()[line - 1]
    assert f"np.where of lines {line}" in str(found)


def rewarded(self, action):
    """A step whose reward and infos have numbers that are the same in all worlds."""
    self.data.ctrl[:] = action
    self.lib.mj_step(self.model, self.data)
    cost = np.sum(np.square(action))
    info = dict([("alive", 2.0)], cost=-cost, words="none")
    return self.observed(), 2.0 - cost + 0.5, False, False, info


def test_numbers_that_all_worlds_share_are_terms_and_infos(tmp_path):
    file = tmp_path / "rewarded.py"
    found = write(environment(rewarded), file)
    assert found.left_out == ("words",)
    assert 0 < found.largest < NEAR_SINGLE  # the environment adds in float32
    model = str(file.with_suffix(".xml"))
    envs = mjenv.VectorEnv(task=imported(file).Task, num_envs=2, xml_file=model)
    envs.reset(seed=0)
    _, rewards, _, _, infos = envs.step(np.ones((2, 1)))
    assert rewards.tolist() == [1.5, 1.5]
    assert infos["alive"].tolist() == [2.0, 2.0]
    assert infos["cost"].tolist() == [-1.0, -1.0]


def plain(self, action):
    self.data.ctrl[:] = action
    self.lib.mj_step(self.model, self.data)
    return self.observed(), float(self.data.qpos[0]), False, False, {}


def placed(self, action):
    self.data.ctrl[:] = action
    self.data.qpos[0] = 0.5
    self.lib.mj_step(self.model, self.data)
    return self.observed(), 0.0, False, False, {}


def late(self, action):
    self.data.ctrl[:] = action
    self.lib.mj_step(self.model, self.data)
    self.data.qfrc_applied[:] = 1
    return self.observed(), 0.0, False, False, {}


def remembering(self, action):
    aim = self.data.qpos[0] + action[0]
    self.data.ctrl[:] = aim
    self.lib.mj_step(self.model, self.data)
    return self.observed(), -abs(self.data.qpos[0] - aim), False, False, {}


def between(self, action):
    self.data.ctrl[:] = action
    far = 0.0
    for _ in range(3):
        self.lib.mj_step(self.model, self.data)
        far = far + self.data.qpos[0]
    return self.observed(), far, False, False, {}


def contacts(self, action):
    self.data.ctrl[:] = action
    self.lib.mj_step(self.model, self.data)
    return self.observed(), float(self.data.ncon), False, False, {}


def drawing(self, action):
    self.data.ctrl[:] = action + self.np_random.uniform(-1, 1, 1)
    self.lib.mj_step(self.model, self.data)
    return self.observed(), 0.0, False, False, {}


def heavier(self, action):
    self.data.ctrl[:] = action
    self.model.body_mass[1] = 2
    self.lib.mj_step(self.model, self.data)
    return self.observed(), 0.0, False, False, {}


def deeper(self, action):
    self.data.ctrl[:] = action
    self.lib.mj_step(self.model, self.data)
    self.goals[0][1] = self.data.qpos[0]
    return self.observed(), float(self.goals[0][1]), False, False, {}


def uncontrolled(self, action):
    self.lib.mj_step(self.model, self.data)
    return self.observed(), 0.0, False, False, {}


def truncating(self, action):
    self.data.ctrl[:] = action
    self.lib.mj_step(self.model, self.data)
    return self.observed(), 0.0, False, bool(self.data.qpos[0] > 0), {}


def conditional(self, action):
    self.data.ctrl[:] = action
    if self.data.qpos[0] > 0:
        self.lib.mj_step(self.model, self.data)
    self.lib.mj_step(self.model, self.data)
    return self.observed(), 0.0, False, False, {}


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (placed, r"in placed: found a step that writes data.qpos, expected one of ctrl, mocap_pos"),
        (late, r"in late: found a step that writes data.qfrc_applied after the physics"),
        (remembering, r"found values of the action and of the state before the physics"),
        (between, r"in between: found data that are read between steps of the physics"),
        (contacts, r"in contacts: found data.ncon, expected arrays"),
        (drawing, r"in drawing: found random numbers in a step"),
        (heavier, r"in heavier: found a step that changes model.body_mass, expected a reset"),
        (deeper, r"in deeper: found an assignment to `self.goals\[0\]\[1\]`"),
        (uncontrolled, r"in uncontrolled: found steps of the physics before data.ctrl"),
        (truncating, r"step: found `truncated` of its own"),
        (conditional, r"in conditional: found steps of the physics under an `if`"),
    ],
)
def test_what_a_task_cannot_say_is_refused_with_its_line(step, words, tmp_path):
    file = tmp_path / "refused.py"
    with pytest.raises(NotWritten, match=words):
        write(environment(step), file)
    assert not list(tmp_path.iterdir())


def moved(self):
    """A reset that puts a body and a site elsewhere, one after the other element."""
    self.model.body_pos[1, 0] = self.np_random.uniform(-1, 1)
    self.model.body_pos[1, 1] = self.model.body_pos[1, 0] + 0.5
    self.model.site_pos[0] = self.np_random.uniform(0, 0.2, 3)


def from_the_front(self, action):
    self.data.ctrl[:] = action
    self.lib.mj_step(self.model, self.data)
    return results(self, action, -abs(self.data.site("front").xpos[0]) - self.data.xpos[1, 1])


def test_resets_give_episodes_fields_of_the_model(tmp_path):
    file = tmp_path / "moving.py"
    found = write(environment(from_the_front, moved), file)
    assert found.largest < ROUNDING
    assert found.compiled is None
    assert imported(file).Task.varies == ("body_pos", "site_pos")


def from_the_model(self, action):
    self.data.ctrl[:] = action
    self.lib.mj_step(self.model, self.data)
    return results(self, action, self.model.body_pos[1, 0])


def heavy(self):
    self.model.body_mass[1] = self.np_random.uniform(1, 2)


@pytest.mark.parametrize(
    ("step", "reset", "words"),
    [
        (from_the_model, moved, r"step: found model.body_pos, of which each episode has its own"),
        (plain, heavy, r"reset: Task.varies: 'body_mass': what follows from this field"),
    ],
)
def test_fields_of_the_model_that_tasks_cannot_have_are_refused(step, reset, words, tmp_path):
    with pytest.raises(NotWritten, match=words):
        write(environment(step, reset), tmp_path / "refused.py")
    assert not list(tmp_path.iterdir())


def test_a_file_that_differs_is_not_left(tmp_path, monkeypatch):
    source = writing._source

    def wrong(*args):
        id, text = source(*args)
        return id, text.replace("data.qpos[..., 0]", "data.qpos[..., 1]", 1)

    monkeypatch.setattr(writing, "_source", wrong)
    with pytest.raises(NotWritten, match=r"is .*, expected .* as in the environment"):
        write(environment(plain), tmp_path / "other.py")
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_there_is_kept(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("mine = 1\n")
    with pytest.raises(FileExistsError, match="found a file"):
        write("Swimmer-v5", file)
    assert file.read_text() == "mine = 1\n"
    with pytest.raises(ValueError, match="found no name of a module"):
        write("Swimmer-v5", tmp_path / "no-module.py")


def test_the_command_writes_and_refuses(tmp_path, capsys):
    file = tmp_path / "swimming.py"
    words = ["port", "Swimmer-v5", "--write", str(file), "--check", "10", "--seeds", "2"]
    assert _write(parser().parse_args(words), {}) == 0
    assert "compared with the port and the environment: equal, 2 seeds, 10 steps" in (
        capsys.readouterr().out
    )
    assert _write(parser().parse_args(words), {}) == 1
    assert "Swimmer-v5: not written\n  " in capsys.readouterr().out
    assert _write(parser().parse_args(["port", "A", "B", "--write", "x.py"]), {}) == 2
    assert "found 2 environments and one FILE" in capsys.readouterr().out
