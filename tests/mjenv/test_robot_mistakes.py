"""Mistakes that beginners make with state, terms, terrain, goals and events, and what is said."""

from typing import Any

import numpy as np
import pytest

import mjenv
from mjenv import terms
from mjenv.gym.env import Env
from mjenv.gym.vector import VectorEnv
from mjenv.terrain import Terrain

XML = """
<mujoco>
  <worldbody>
    <body name="ball">
      <freejoint/>
      <geom size=".1"/>
      <body name="arm"><joint name="arm"/><geom name="foot" size=".05" pos=".2 0 0"/></body>
    </body>
  </worldbody>
  <actuator><motor joint="arm" ctrlrange="-1 1"/></actuator>
  <sensor><gyro site="s"/></sensor>
</mujoco>
""".replace('<body name="arm">', '<site name="s"/><body name="arm">')


class Ball(mjenv.Task):
    """A sound task, which each row of the table breaks."""

    state = {"command": np.zeros(2), "level": 0, "steps": 0}
    weights = {"track": 2.0, "power": -0.1}
    groups = {
        "observation": ("gyro",), "achieved_goal": ("place",), "desired_goal": ("command",)
    }  # fmt: skip

    def reset(self, rng):
        return {"command": rng.uniform(-1, 1, 2)}

    def observation(self, data):
        place = data.qpos[..., :2]
        return {"gyro": data.sensordata, "place": place, "command": data.state.command}

    def outcome(self, data, action, before):
        reward = {
            "track": terms.track(data.qpos[..., :2], data.state.command, 0.3),
            "power": terms.power(data.qvel[..., 6:], action),
        }
        return mjenv.Outcome(terms.weighed(reward, self.weights))

    def update(self, data, action, before):
        return {"steps": data.state.steps + 1}

    def due(self, data):
        return data.state.steps >= 2

    def draw(self, rng):
        return {"command": rng.uniform(-1, 1, 2), "steps": 0}

    def compute_reward(self, achieved_goal, desired_goal, info):
        return terms.track(achieved_goal, desired_goal, 0.3)


def outcome(term, name="track"):
    """An outcome of one term of the data."""
    return {"outcome": lambda self, data, action, before: mjenv.Outcome({name: term(data)})}


def kicked(**given):
    kick = mjenv.Kick(of=("arm",), velocity=1.0, every=mjenv.Every(1, unit="steps"), **given)
    return {"randomization": {"kick": kick}}


TERRAIN = Terrain(("rough",), levels=2)

# what a task has instead of what is right, and a part of the message
TABLE: dict[str, tuple[dict[str, Any], str]] = {
    # state
    "state is not declared": (
        {"state": {}, **{n: getattr(mjenv.Task, n) for n in ("update", "due", "draw", "reset")}},
        "Broken.observation: found data.state, but no arrays are declared; declare them: state = ",
    ),
    "state is a list": ({"state": ["command"]}, "Broken.state: found list, expected a dict"),
    "state has no initial value": ({"state": {"command": None}}, "'command' is None, expected its"),
    "state is a truth": (
        {"state": {**Ball.state, "standing": True}},
        "'standing' is True, expected numbers, as arrays are float64: write 0.0 or 1.0, and data.",
    ),
    "a name of state is a field's": (
        {"state": {**Ball.state, "qpos": 0.0}},
        "Broken.state: 'qpos' is the name of a field that `reset` gives, expected one of your own",
    ),
    "a name of state is a dict's": (
        {"state": {**Ball.state, "values": 0.0}},
        "Broken.state: found the name 'values', which data.state has as a dict has, expected ano",
    ),
    "state is written in a function": (
        outcome(lambda data: setattr(data.state, "level", 1)),
        "found an assignment to data.state.level, expected functions that only read; give new",
    ),
    "an array of state is written in a function": (
        outcome(lambda data: np.add(data.state.command, 1, out=data.state.command)[..., 0]),
        "Broken.outcome: output array is read-only: found an assignment to an array",
    ),
    "state is kept in self": (
        {"count": 0, "update": lambda self, *a: setattr(self, "count", self.count + 1) or {}},
        "found a function that changes self.count",
    ),
    "update returns nothing": (
        {"update": lambda *a: None}, "Broken.update: returned nothing, expected a dict of new"
    ),
    "update has a wrong name": (
        {"update": lambda *a: {"comand": 0.0}}, "which `state` does not declare; did you mean 'com"
    ),
    "update gives a wrong shape": (
        {"update": lambda s, data, a, b: {"command": data.state.steps}}, "'command' has shape "
    ),
    "due counts": ({"due": lambda self, data: data.state.steps}, "Broken.due: returned float64"),
    "draw is missing": ({"draw": mjenv.Task.draw}, "write the method `draw`, too"),
    "draw forgets the worlds": (
        {"draw": lambda self, rng: {"command": np.zeros(3)}}, "'command' has shape (3,), expected"
    ),
    # what the last episode has left
    "last has no derived fields": (
        {"reset": lambda self, rng, last: {"qpos": last.xpos}},
        "reset: found last.xpos, expected a field of the final state: qpos, qvel, ",
    ),
    "the second argument has another name": (
        {"reset": lambda self, rng, before: {}}, "Broken.reset: its arguments are (self, rng, bef"
    ),
    # terrain
    "levels are real numbers": (
        {"reset": lambda s, rng, last: {"level": TERRAIN.places[last.state.level, 0, 0]}},
        "Broken.reset: found real numbers as indices, expected integers; arrays of `state` are",
    ),
    "build returns a model": (
        {"build": lambda self, spec: mjenv.Spec()}, "expected nothing: it changes the spec"
    ),
    # terms
    "a term has no weight": ({"weights": {"track": 1.0}}, "found 'power', for which there is no"),
    "a weight has no term": (
        {"weights": {**Ball.weights, "powers": 1.0}}, "found 'powers', for which there is no term;"
    ),
    "three numbers of a quaternion": (
        outcome(lambda data: terms.upright(data.qpos[..., 3:6])), "expected quaternions (..., 4)"
    ),
    "contact is a force": (
        outcome(lambda data: terms.landed(data.qvel, data.qvel, 0.2)),
        "contact: found an array of float64, expected bool: compare forces, such as",
    ),
    "a limit below zero": (
        outcome(lambda data: terms.scaled(data.qvel[..., 0], 1.0, clip=-1.0)),
        "scaled: clip is -1.0, expected a number above 0",
    ),
    "a width of zero": (
        outcome(lambda data: terms.near(data.qvel[..., 0], 0.0)),
        "near: width is 0.0, expected a number above 0",
    ),
    "widths of their own": (
        outcome(lambda data: terms.track(data.qvel[..., :2], 0.0, [0.2, 0.3])),
        "track: width is [0.2, 0.3], expected a number above 0",
    ),
    "a term is not summed": (
        outcome(lambda data: terms.near(data.qvel, 1.0)),
        "Broken.outcome: reward 'track' has shape ",
    ),
    "a term has the name of an info": (
        {**outcome(lambda data: data.qvel[..., 0]), "info": lambda s, data: {"track": 1.0}},
        "'track' is both in the method info and in reward of outcome",
    ),
    # goals
    "a group has an unknown part": (
        {"groups": {**Ball.groups, "observation": ("giro",)}},
        "'observation' has 'giro', which is no part of the observation; did you mean 'gyro'?",
    ),
    "goals of different sizes": (
        {"groups": {**Ball.groups, "achieved_goal": ("gyro",)}},
        "found goals of sizes {'achieved_goal': 3, 'desired_goal': 2}, expected both, ",
    ),
    "one goal alone": (
        {"groups": {"desired_goal": ("command",)}},
        "found goals of sizes {'desired_goal': 2}, expected both, achieved_goal and desired_goal",
    ),
    "goals give nothing": (
        {"compute_reward": lambda self, a, b, info: None},
        "Broken.compute_reward: returned nothing for goals of shape ",
    ),
    "goals have no reward": (
        {"compute_reward": mjenv.Task.compute_reward}, "write the method `compute_reward`"
    ),
    "rewards of goals are not summed": (
        {"compute_reward": lambda self, a, b, info: np.square(a - b)},
        "Broken.compute_reward: returned shape ",
    ),
    "a level that there is not": (
        {"reset": lambda s, rng: {"qpos": np.r_[TERRAIN.place(-1, 0), s.init_qpos[3:]]}},
        "Terrain.place: level is -1, expected whole numbers from 0 to 1",
    ),
    "a level between levels": (
        {"reset": lambda s, rng: {"qpos": np.r_[TERRAIN.place(0.5, 0), s.init_qpos[3:]]}},
        "Terrain.place: level is 0.5, expected whole numbers from 0 to 1",
    ),
    # events
    "a push without a force": (
        {"randomization": {"push": mjenv.Push(of=("arm",))}},
        "'push': found no force and no torque, expected one of them",
    ),
    "a force that is no number": (
        {"randomization": {"push": mjenv.Push(of=("arm",), force=(np.nan, 0, 0))}},
        "'push': force: found (nan, 0, 0), expected finite numbers",
    ),
    "a condition is no function": (kicked(where=True), "where=True, expected a function of the"),
    "a condition is no truth": (
        kicked(where=lambda data: data.qpos[..., 0]), "'kick': where gave float64 of shape "
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def xml_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("task") / "ball.xml"
    path.write_text(XML)
    return str(path)


def play(task, num_envs, xml_file):
    """All that a task is asked for."""
    given: Any = {"task": task, "xml_file": xml_file}
    envs: Any = Env(**given) if num_envs is None else VectorEnv(num_envs=num_envs, **given)
    observations, infos = envs.reset(seed=0)
    action = np.zeros(1 if num_envs is None else (num_envs, 1), np.float32)
    for _ in range(4):
        observations, *_, infos = envs.step(action)
    goals = observations["achieved_goal"], observations["desired_goal"]
    return envs.compute_reward(*goals, infos)


@pytest.mark.parametrize("num_envs", [None, 3])
def test_what_is_right(num_envs, xml_file):
    assert np.shape(play(Ball, num_envs, xml_file)) == (() if num_envs is None else (3,))


# what is added up over axes that are those of the worlds
NUMBERS = {
    "track of numbers": lambda data: terms.track(data.qvel[..., 0], data.state.level, 0.3),
    "squares of numbers": lambda data: terms.squares(data.qvel[..., 0]),
    "power of numbers": lambda data: terms.power(data.qvel[..., 6], 2.0),
    "distance of numbers": lambda data: terms.distance(data.qpos[..., 0], data.qpos[..., 1]),
    "a sum over all axes": lambda data: np.square(data.qvel).sum(),
    "a mean over the first axis": lambda data: np.mean(data.qvel, axis=0),
}


@pytest.mark.parametrize("mistake", NUMBERS)
def test_worlds_are_not_added_up(mistake, xml_file):
    task = type("Broken", (Ball,), outcome(NUMBERS[mistake]))
    message = r"^Broken.outcome \(\w+.py:\d+\): found a sum .* which has to do with other worlds"
    with pytest.raises(TypeError, match=message):
        VectorEnv(task=task, xml_file=xml_file, num_envs=3)


@pytest.mark.sweep(20)
@pytest.mark.parametrize("num_envs", [None, 3])
@pytest.mark.parametrize("mistake", TABLE)
def test_mistakes(mistake, num_envs, xml_file):
    members, message = TABLE[mistake]
    task = type("Broken", (Ball,), members)
    with pytest.raises(Exception) as found:  # noqa: PT011
        play(task, num_envs, xml_file)
    assert message in str(found.value)
