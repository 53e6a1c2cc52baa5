"""Mistakes in new tasks, and what is said about them."""

import numpy as np
import pytest

import mjenv
import mjenv.envs
from mjenv.engine.errors import MjcfError

CART = """
<mujoco>
  <worldbody>
    <body name="cart">
      <joint name="slide" type="slide" axis="1 0 0" damping="1"/>
      <geom type="box" size=".2 .1 .1" mass="1"/>
    </body>
  </worldbody>
  <actuator><motor joint="slide" ctrlrange="-1 1"/></actuator>
  {sensors}
</mujoco>
"""
SENSORS = '<sensor><jointpos joint="slide"/><jointvel joint="slide"/></sensor>'


@pytest.fixture(autouse=True)
def models(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cart.xml").write_text(CART.format(sensors=SENSORS))
    (tmp_path / "blind.xml").write_text(CART.format(sensors=""))
    (tmp_path / "broken.xml").write_text("<mujoco><worldbody><body></mujoco>")


class Cart(mjenv.Task):
    """Bring the cart to the origin."""

    xml_file = "./cart.xml"
    frame_skip = 5

    def reset(self, rng):
        return rng.uniform(-1.0, 1.0, self.model.nq), self.init_qvel

    def outcome(self, data, action, before):
        x = data.qpos[..., 0]
        return mjenv.Outcome({"distance": -(x * x)}, np.abs(x) > 0.9)


def task(**members):
    return type("Mine", (Cart,), members)


def run(kind, num_envs=3):
    """A step in a vector environment, or in a single one."""
    if num_envs is None:
        env, action = mjenv.Env(task=kind), np.zeros(1)
    else:
        env, action = mjenv.VectorEnv(task=kind, num_envs=num_envs), np.zeros((num_envs, 1))
    env.reset(seed=0)
    return env.step(action)


def test_a_right_task():
    """It observes the sensors of the model, since it says nothing else."""
    mjenv.check_task(Cart)
    mjenv.check_task(Cart, frame_skip=2)
    assert run(Cart)[0].shape == (3, 2)
    assert run(Cart, None)[0].shape == (2,)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["HalfCheetah", "Ant", "Humanoid", "Pusher"])
def test_bundled_tasks(name):
    mjenv.check_task(getattr(mjenv.envs, name), steps=3)


def test_models():
    with pytest.raises(ValueError, match="Mine: xml_file is not set, expected the name of a model"):
        run(task(xml_file=""))
    with pytest.raises(FileNotFoundError, match=r"xml_file='./cat.xml': no such file in"):
        run(task(xml_file="./cat.xml"))
    with pytest.raises(MjcfError, match=r"broken.xml"):
        run(task(xml_file="./broken.xml"))
    with pytest.raises(TypeError, match=r"Mine.model: found 'a.xml', but this is the name of"):
        run(task(model="a.xml"))


def test_names_that_are_taken():
    with pytest.raises(TypeError, match=r"Mine.dt: found 0.1, but tasks have a method or property"):
        run(task(dt=0.1))
    with pytest.raises(TypeError, match="choose another name for the parameter"):
        run(task(reset=3))
    with pytest.raises(TypeError, match=r"Mine.keep: found 'xpos', expected a tuple of names: \("):
        run(task(keep="xpos"))


def test_arguments_of_methods():
    message = r"Mine.reset: its arguments are \(self\), expected \(self, rng\)"
    with pytest.raises(TypeError, match=message):
        run(task(reset=lambda self: None))
    with pytest.raises(TypeError, match=r"Mine.outcome: .*expected \(self, data, action, before\)"):
        run(task(outcome=lambda self, data: None))


def test_constructor_that_does_not_call_the_class_above():
    def init(self, *values, **parameters):
        self.speed = 3.0

    with pytest.raises(
        TypeError, match=r"Mine.__init__: it has not compiled the model; call super"
    ):
        run(task(__init__=init))


def test_tasks_by_name():
    with pytest.raises(ValueError, match=r"task='tasks.Cart': expected 'module:Class'"):
        mjenv.Env(task="tasks.Cart")
    with pytest.raises(ValueError, match="has no 'Ants'; did you mean 'Ant'"):
        mjenv.Env(task="mjenv.envs.ant:Ants")


@pytest.mark.parametrize("num_envs", [None, 3])
def test_observations(num_envs):
    def observing(parts, **members):
        return task(observation=lambda self, data: parts(data), **members)

    with pytest.raises(
        TypeError, match=r"Mine.observation: returned an array .*expected a dict of"
    ):
        run(observing(lambda data: data.qpos), num_envs)
    shape = r"\(\)" if num_envs is None else r"\(3,\)"
    with pytest.raises(ValueError, match=rf"observation: 'x' has shape {shape}, expected \(.*size"):
        run(observing(lambda data: {"x": data.qpos[..., 0]}), num_envs)
    with pytest.raises(ValueError, match=r"'body' has shape .*flat"):
        run(observing(lambda data: {"body": data.xpos}, keep=("xpos",)), num_envs)
    with pytest.raises(ValueError, match=r"no numbers in it; .*or give the model sensors"):
        run(task(xml_file="./blind.xml"), num_envs)
    with pytest.raises(ValueError, match=r"Data: keep='xposs': .*did you mean 'xpos'"):
        run(task(keep=("xposs",)), 3)


def test_fields_that_are_not_kept():
    kind = task(observation=lambda self, data: {"x": data.xpos[..., 1, :]})
    message = r"Mine.observation: .*xpos.*; name the field in the task: keep = \('xpos',\)"
    with pytest.raises(Exception, match=message):
        run(kind, 200)
    kind = task(observation=kind.observation, keep=("xquat",))
    with pytest.raises(Exception, match=r"keep = \('xquat', 'xpos'\)"):
        run(kind, 200)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("num_envs", [None, 3])
def test_initial_states(num_envs):
    def starting(state):
        return task(reset=lambda self, rng: state(self, rng))

    with pytest.raises(TypeError, match=r"Mine.reset: returned nothing, expected qpos and qvel"):
        run(starting(lambda self, rng: None), num_envs)
    with pytest.raises(ValueError, match=r"Mine.reset: qvel has shape \(2,\), expected .*\(1,\)"):
        run(starting(lambda self, rng: (self.init_qpos, np.zeros(2))), num_envs)


@pytest.mark.slow
@pytest.mark.parametrize("num_envs", [None, 3])
def test_outcomes(num_envs):
    def ending(outcome):
        return task(outcome=lambda self, data, action, before: outcome(data))

    for outcome, error, message in (
        (
            lambda data: data.qpos[..., 0],
            (TypeError),
            r"outcome: returned .*expected mjenv.Outcome",
        ),
        (lambda data: mjenv.Outcome(1.0), TypeError, "reward is a float, expected a dict of terms"),
        (lambda data: mjenv.Outcome({}), TypeError, "reward is a dict, expected a dict of terms"),
        (
            lambda data: mjenv.Outcome({"near": np.zeros((*data.qpos.shape, 2))}),
            ValueError,
            r"outcome: reward 'near' has shape .*one number for each world; sum over axis=-1",
        ),
        (
            lambda data: mjenv.Outcome({"near": 1.0}, np.zeros((7, 7), bool)),
            ValueError,
            r"terminated has shape \(7, 7\), expected",
        ),
        (
            lambda data: mjenv.Outcome({"near": 1.0}, data.qpos[..., 0]),
            TypeError,
            "terminated is of type float64, expected bool",
        ),
    ):
        with pytest.raises(error, match=message):
            run(ending(outcome), num_envs)


def test_branches():
    def outcome(self, data, action, before):
        if data.qpos[..., 0] > 0.5:
            return mjenv.Outcome({"far": -1.0})
        return mjenv.Outcome({"near": 1.0})

    run(task(outcome=outcome), None)
    message = r"Mine.outcome: found `if`, .* with values of many worlds.*write numpy.where"
    with pytest.raises(ValueError, match=message):
        run(task(outcome=outcome))
    with pytest.raises(ValueError, match=message):
        mjenv.check_task(task(outcome=outcome))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("num_envs", [None, 3])
def test_views_from_before_the_step(num_envs):
    before = task(before=lambda self, data: {"x": data.qpos[..., 0]})
    with pytest.raises(ValueError, match=r"Mine.before: returned a view of data.qpos.*\.copy\(\)"):
        run(before, num_envs)
    run(task(before=lambda self, data: data.qpos.copy()), num_envs)


@pytest.mark.slow
def test_what_only_comparison_finds():
    def mixing(self, data):
        return {"x": data.qpos - data.qpos.mean()}

    with pytest.raises(
        TypeError, match=r"over axis=None of an array of shape \(..., 1\), which has"
    ):
        mjenv.check_task(task(observation=mixing))

    def mixing(self, data):
        return {"x": np.sort(data.qpos, axis=0)}

    with pytest.raises(
        ValueError, match=r"observation of world 0 is .* among 3 worlds and .* alone"
    ):
        mjenv.check_task(task(observation=mixing))

    generator = np.random.default_rng()
    elsewhere = task(reset=lambda self, rng: (generator.uniform(-1, 1, 1), self.init_qvel))
    with pytest.raises(ValueError, match=r"Mine.reset: the same seed gave different observations"):
        mjenv.check_task(elsewhere)

    def moving(self, rng):
        self.init_qpos[...] += 0.1
        return self.init_qpos, self.init_qvel

    with pytest.raises(
        TypeError, match=r"Mine.reset: found a function that changes self.init_qpos"
    ):
        mjenv.check_task(task(reset=moving))
