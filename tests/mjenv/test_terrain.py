"""Terrain: heights of patches, where robots begin, and how tasks stand on it."""

from typing import Any

import numpy as np
import pytest

import mjenv
from mjenv.gym.env import Env
from mjenv.gym.vector import VectorEnv
from mjenv.terrain import KINDS, Terrain, next_level

XML = """
<mujoco>
  <option timestep="0.01"/>
  <worldbody>
    <geom name="floor" type="plane" size="0 0 1" pos="0 0 -1"/>
    <body name="ball" pos="0 0 .1"><freejoint/><geom size=".1" mass="1" condim="3"/></body>
    <body pos="0 0 50">
      <joint name="slide" type="slide" axis="1 0 0" damping="1"/><geom size=".1"/>
    </body>
  </worldbody>
  <actuator><motor joint="slide" gear="3" ctrlrange="-1 1"/></actuator>
</mujoco>
"""


@pytest.mark.parametrize("kind", KINDS)
def test_patches(kind):
    """Flat in the middle, as high as the plain at the edges, higher from level to level."""
    terrain = Terrain((kind,), levels=3, width=6.0, cell=0.1)
    assert terrain.heights.shape == (61, 181)
    assert terrain.places.shape == (3, 1, 3)
    np.testing.assert_allclose(terrain.places[:, 0, :2], [[-6, 0], [0, 0], [6, 0]], atol=1e-12)
    x = np.linspace(-9, 9, 181)
    highest = []
    for level in range(3):
        patch = terrain.heights[:, level * 60 : (level + 1) * 60 + 1]
        away = np.abs(x[level * 60 : (level + 1) * 60 + 1] - terrain.places[level, 0, 0])
        away = np.maximum(away, away[:, None])
        assert (patch[away < 0.59] == terrain.places[level, 0, 2]).all()
        assert (patch[away > 2.99] == 0.0).all()
        assert (patch >= 0.0).all()
        assert patch.max() > 0.0
        highest.append(patch[away > 0.65].max())
    if kind == "stones":
        gaps = [(terrain.heights[:, 60 * k : 60 * k + 61] == 0).mean() for k in range(3)]
        assert gaps[0] < gaps[1] < gaps[2]
    assert highest[0] < highest[1] < highest[2]


def test_steps_of_stairs():
    terrain = Terrain(("stairs",), levels=1, width=6.0, cell=0.1)
    profile = terrain.heights[30, 30:]
    rises = np.diff(profile)
    assert set(np.abs(rises[np.abs(rises) > 1e-9]).round(12)) == {0.12}
    assert profile.max() == pytest.approx(4 * 0.12)


def test_seeds_and_functions():
    rough = [Terrain(("rough",), seed=seed).heights for seed in (0, 0, 1)]
    np.testing.assert_array_equal(rough[0], rough[1])
    assert (rough[0] != rough[2]).any()
    pyramid = Terrain((lambda hard, x, y, rng: hard * np.maximum(2 - np.hypot(x, y), 0),), levels=2)
    np.testing.assert_allclose(pyramid.places[:, 0, 2], [1.0, 2.0])
    np.testing.assert_allclose(pyramid.height([-3.0, 3.0, 4.0, 99.0], 0.0), [1, 2, 1, 0])


def test_next_levels():
    """Success leads higher, failure lower, and neither off the ladder."""
    level, up = np.array([0.0, 1.0, 2.0, 1.0, 2.0, 0.0]), np.array([1, 1, 1, 0, 0, 0], dtype=bool)
    down = np.array([0, 1, 0, 0, 1, 1], dtype=bool)
    np.testing.assert_array_equal(next_level(level, up, down, 3), [1, 2, 2, 1, 1, 0])


def test_boxes():
    """Their tops are the heights of the nearest points, seen from above by rays."""
    terrain = Terrain(("stairs", "stones", "rough"), levels=2)
    spec = mjenv.Spec.from_string("<mujoco><worldbody/></mujoco>")
    geoms = terrain.add_boxes_to(spec, most=4000, conaffinity=1)
    model = spec.compile()
    assert model.ngeom == len(geoms) > 300
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    points = np.random.default_rng(0).uniform(-1.04, 1.04, (400, 2)) * terrain.size
    # rays are not sure at edges, which are half-way between points
    near = np.abs(points / 0.1 - np.floor(points / 0.1) - 0.5).min(axis=1) < 1e-3
    above = np.column_stack([points, np.full(400, 3.0)])[~near]
    distances = [mjenv.ray(model, data, p, [0.0, 0.0, -1.0])[0] for p in above]
    expected = 3.0 - terrain.height(above[:, 0], above[:, 1])
    outside = np.abs(above[:, :2]) > terrain.size + 0.05
    inside = ~outside.any(axis=1)
    np.testing.assert_allclose(np.reshape(distances, -1)[inside], expected[inside], atol=1e-9)
    assert (np.reshape(distances, -1)[~inside] == -1).all()
    assert 5 < (~inside).sum() < 100


def test_neighbours_share_a_box():
    flat = Terrain((lambda hard, x, y, rng: np.where(np.abs(x) < 1.05, 0.3, 0.0),), levels=1)
    spec = mjenv.Spec.from_string("<mujoco><worldbody/></mujoco>")
    base, bar = flat.add_boxes_to(spec)
    assert (base.name, bar.name) == ("terrain", None)
    np.testing.assert_allclose(bar.size, [1.05, 3.05, 0.15])
    np.testing.assert_allclose(bar.pos, [0.0, 0.0, 0.15], atol=1e-12)


def test_too_many_boxes():
    spec = mjenv.Spec.from_string("<mujoco><worldbody/></mujoco>")
    with pytest.raises(ValueError, match="boxes, expected at most 2000; add_to makes a height"):
        Terrain(("rough",)).add_boxes_to(spec)


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"kinds": "rough"}, ValueError, "kinds='rough', expected some of ['slope'"),
        ({"kinds": ("stair",)}, ValueError, "no kind 'stair'; did you mean 'stairs'?"),
        ({"kinds": ("rough",), "levels": 0}, ValueError, "found levels=0"),
        ({"kinds": ("rough",), "cell": 2.0}, ValueError, "ten cells or more"),
        ({"kinds": (lambda h, x, y, r: x,)}, TypeError, "expected heights of shape (61, 61)"),
        ({"kinds": (lambda h, x, y, r: 1.0,)}, TypeError, "gave float64 of shape ()"),
    ],
)
def test_mistakes(given, error, message):
    with pytest.raises(error) as found:
        Terrain(**given)
    assert message in str(found.value)


class Drop(mjenv.Task):
    """A ball that falls on patches of several kinds; the level goes up with each episode."""

    frame_skip = 4
    state = {"level": 0, "kind": 0, "steps": 0}

    def __init__(self, *values, **parameters):
        self.terrain = Terrain(("slope", "stairs", "rough"), levels=3)
        super().__init__(*values, **parameters)

    def build(self, spec):
        self.terrain.add_to(spec)

    def reset(self, rng, last):
        level = np.minimum(last.state.level + (last.time > 0), 2).astype(int)
        kind, qpos = rng.integers(3), self.init_qpos + np.zeros((*np.shape(level), 8))
        qpos[..., :3] = self.terrain.places[level, kind] + [0, 0, 0.1]
        return {"qpos": qpos, "level": level, "kind": kind}

    def outcome(self, data, action, before):
        return mjenv.Outcome({"height": data.qpos[..., 2]})

    def update(self, data, action, before):
        return {"steps": data.state.steps + 1}

    def observation(self, data):
        state = data.state
        under = self.terrain.height(data.qpos[..., 0], data.qpos[..., 1])
        return {
            "qpos": data.qpos,
            "under": under[..., None],
            "own": np.stack([state.level, state.kind, state.steps], -1),
        }


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    path = tmp_path_factory.mktemp("task") / "ball.xml"
    path.write_text(XML)
    return {"task": Drop, "xml_file": str(path), "max_episode_steps": 5}


def test_model_has_the_heights(given):
    task = Drop(xml_file=given["xml_file"])
    heights = task.model.hfield_data.reshape(task.terrain.heights.shape)
    np.testing.assert_allclose(
        heights * task.model.hfield_size[0, 2], task.terrain.heights, atol=1e-6
    )
    assert mjenv.check_task(Drop, xml_file=given["xml_file"]) is None


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_levels_last(given, mode):
    """Each episode begins a level higher, on its patch, and lies there; seeds begin anew."""
    envs: Any = VectorEnv(num_envs=4, autoreset_mode=mode, **given)
    env = Env(task=Drop, xml_file=given["xml_file"])
    period = 6 if mode == "NextStep" else 5
    for _ in range(2):
        envs.reset(seed=3)
        env.reset(seed=4)
        assert (envs.task_state.level == 0).all()
        for k in range(2 * period + 3):
            observations = envs.step(np.zeros((4, 1), np.float32))[0]
            assert (envs.task_state.level == np.minimum((k + 1) // period, 2)).all(), k
            fresh = k % period == period - 1
            if not fresh or mode == "SameStep":
                observation = env.step(np.zeros(1, np.float32))[0]
            if fresh:
                observation = env.reset()[0]
            np.testing.assert_array_equal(observations[1], observation)
        terrain, qpos = envs.task.terrain, envs.data.qpos
        ground = terrain.height(qpos[:, 0], qpos[:, 1])
        assert (np.abs(qpos[:, 2] - ground - 0.1) < 0.02).all()


def test_resets_without_a_seed_go_on(given):
    envs: Any = VectorEnv(num_envs=3, **given)
    envs.reset(seed=0)
    envs.step(np.zeros((3, 1), np.float32))
    rows = envs.save_state()
    envs.reset(options={"reset_mask": np.array([True, False, True])})
    np.testing.assert_array_equal(envs.task_state.level, [1, 0, 1])
    envs.reset(seed=[None, 7, 7])
    np.testing.assert_array_equal(envs.task_state.level, [1, 0, 0])
    envs.restore_state(rows)
    envs.reset()
    np.testing.assert_array_equal(envs.task_state.level, [1, 1, 1])


def test_what_episodes_do_not_leave(given):
    class Asks(Drop):
        def reset(self, rng, last):
            return {"qpos": self.init_qpos + 0 * last.xpos}

    with pytest.raises(
        AttributeError, match=r"found last.xpos, expected a field of the final state"
    ):
        VectorEnv(task=Asks, xml_file=given["xml_file"], num_envs=2).reset(seed=0)

    class Other(Drop):
        def reset(self, rng, before):
            return {}

    with pytest.raises(TypeError, match=r"Other.reset: its arguments are \(self, rng, before\)"):
        Other(xml_file=given["xml_file"])
