"""Names in a task's class that were meant to be other ones, and those that are the user's own."""

import gymnasium
import numpy as np
import pytest

import mjenv
from mjenv import terms
from mjenv.gym import registration
from mjenv.gym.environment_classes import _task_of_name

CART = """
<mujoco>
  <worldbody>
    <body><joint name="slide" type="slide" axis="1 0 0"/><geom size=".2"/></body>
  </worldbody>
  <actuator><motor joint="slide" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos joint="slide"/></sensor>
</mujoco>
"""


@pytest.fixture(autouse=True)
def models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cart.xml").write_text(CART)


class Cart(mjenv.Task):
    """Bring the cart to the origin."""

    xml_file = "./cart.xml"
    speed_weight = 1.0

    def outcome(self, data, action, before):
        return mjenv.Outcome({"distance": -np.abs(data.qpos[..., 0])})


def task(**members):
    return type("Mine", (Cart,), members)


def of_data(self, data):
    return {"qpos": data.qpos}


def of_rng(self, rng):
    return {}


def of_step(self, data, action, before):
    return {}


MISSPELT = {
    "obervation": (of_data, "observation"),
    "observations": (of_data, "observation"),
    "Observation": (of_data, "observation"),
    "rest": (of_rng, "reset"),
    "reste": (lambda self, rng, last: {}, "reset"),
    "updat": (of_step, "update"),
    "outcomes": (of_step, "outcome"),
    "infos": (of_data, "info"),
    "deu": (of_data, "due"),
    "draws": (of_rng, "draw"),
    "befor": (of_data, "before"),
    "biuld": (lambda self, spec: None, "build"),
    "compute_rewards": (lambda self, achieved_goal, desired_goal, info: 0.0, "compute_reward"),
    "frameskip": (10, "frame_skip"),
    "frame_skips": (10, "frame_skip"),
    "xmlfile": ("./cart.xml", "xml_file"),
    "randomisation": ({"body_mass": mjenv.Uniform(0.5, 2.0)}, "randomization"),
    "default_camera_confg": ({"distance": 3.0}, "default_camera_config"),
    "keeps": (("xpos",), "keep"),
    "states": ({"command": 0.0}, "state"),
    "stat": (property(lambda self: {"command": 0.0}), "state"),
    "group": ({"policy": ("sensordata",)}, "groups"),
}


@pytest.mark.parametrize("name", MISSPELT)
def test_misspelt_names_are_refused(name):
    value, meant = MISSPELT[name]
    message = rf"^Mine\.{name}: found a name that is none of the .* did you mean '{meant}'\?"
    for refused in (mjenv.check_task, lambda kind: mjenv.register("Mine-v0", kind)):
        with pytest.raises(TypeError, match=message):
            refused(task(**{name: value}))
    assert "Mine-v0" not in gymnasium.registry


def test_names_of_ones_own():
    """Helpers that take something else, values of another type, and names that begin with _."""
    mjenv.check_task(
        task(
            rest=lambda self, data: data.qpos,
            raw=of_data,
            cue=of_data,
            drag=of_data,
            stage=3,
            states=3,
            group="first",
            keeps=2.5,
            _obervation=of_data,
            observe=of_data,
            reward=of_data,
            height=property(lambda self: 1.0),
        ),
        steps=1,
    )


def test_mjenvs_own_tasks_have_no_such_names():
    rows = (*registration.ENVS, *registration.ROBOTS)
    paths = [f"mjenv.envs.{row.module}:{row.task}" for row in rows]
    for path in (*paths, *(row.path for row in registration.SUITE)):
        _task_of_name(path)._check_class()


def test_time_limits_are_not_of_tasks():
    message = r"Mine.max_episode_steps: found 5, .*mjenv.register\(.*max_episode_steps=...\)"
    with pytest.raises(TypeError, match=message):
        mjenv.check_task(task(max_episode_steps=5))


def test_draw_that_is_never_called():
    with pytest.raises(
        TypeError, match=r"Mine: found `draw` without `due`.* write the method `due`"
    ):
        mjenv.check_task(task(draw=lambda self, rng: {"command": 0.0}, state={"command": 0.0}))


def test_what_is_registered_is_a_task():
    for wrong in (int, 3, None, Cart()):
        with pytest.raises(TypeError, match=r"register: 'X-v0': task=.*a subclass of mjenv.Task"):
            mjenv.register("X-v0", wrong)
    assert "X-v0" not in gymnasium.registry


@pytest.mark.parametrize("kind", [mjenv.Env, mjenv.VectorEnv])
def test_misspelt_parameters_of_tasks_in_use(kind):
    found = kind(task=Cart).task
    with pytest.raises(AttributeError, match=r"Cart: .*'sped_weight'.* mean 'speed_weight'\?"):
        found.sped_weight = 3.0
    found.speed_weight, found._sped_weight, found.other = 2.0, 1.0, 3.0
    assert found.speed_weight == 2.0


def test_a_constructor_may_set_what_it_likes():
    class Loaded(Cart):
        def __init__(self, *values, **parameters):
            super().__init__(*values, **parameters)
            self.table = 1.0

    envs = mjenv.VectorEnv(task=Loaded)
    envs.task.table = 2.0
    assert envs.task.table == 2.0


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"rewards": {}}, r"outcome: found mjenv.Outcome\(rewards=...\).* mean 'reward'\?"),
        (
            {"reward": {}, "truncated": True},
            r"truncated=.*; an episode is truncated by",
        ),
        ({"reward": {}, "xyz": 1}, r"expected one of \['reward', 'terminated', 'info', 'unrep"),
    ],
)
def test_misspelt_parts_of_outcomes(names, message):
    with pytest.raises(TypeError, match=message):
        mjenv.check_task(task(outcome=lambda self, data, action, before: mjenv.Outcome(**names)))


def test_weights_that_do_not_fit_are_refused_where_they_are_given():
    def outcome(self, data, action, before):
        reward = {"far": data.qpos[..., 0], "speed": data.qvel[..., 0]}
        return mjenv.Outcome(terms.weighed(reward, self.weights))

    kind = task(outcome=outcome, weights={"far": 1.0, "speed": 1.0})
    for made in (mjenv.Env, mjenv.VectorEnv):
        made(task=kind)
        with pytest.raises(ValueError, match=r"Mine.outcome: weighed: found 'speed', for which"):
            made(task=kind, weights={"far": 1.0})
