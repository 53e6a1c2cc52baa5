"""What environments mark in their pictures, such as goals, without a change of the worlds."""

import numpy as np
import pytest

from mjenv.porting.vector import PortedVectorEnv
from mjenv.training.films.recording import play
from tests.mjenv.porting.environments import XML, environment, in_place

MARKED = XML.replace(
    '<body name="target" mocap="true"/>',
    '<site name="goal" size=".1" rgba="1 0 0 1"/>'
    '<body name="ghost"><joint name="ghost" type="slide"/>'
    '<geom size=".1" mass="1" contype="0" conaffinity="0"/></body>',
)


class Renderer:
    """What draws an environment by itself, which nobody asks here."""

    def render(self, mode):
        raise AssertionError("found a picture of the environment's own")


def cart(env):
    return env.data.qpos[:2] + env.data.qvel[:2]


def mark_goal(env):
    number = env.model.site("goal").id
    offset = env.data.site_xpos[number] - env.model.site_pos[number]
    env.model.site_pos[number, 0] = env.goal[0] - offset[0]
    env.lib.mj_forward(env.model, env.data)


def move_ghost(env):
    env.data.qpos[2] = env.goal[1]
    env.lib.mj_forward(env.model, env.data)


def change_type(env):
    env.model.geom_type[1] = 2


def fail(env):
    raise RuntimeError("no display")


def marked(mark):
    """A function that makes an environment whose `render` begins with a function of it."""

    def make():
        env = environment(in_place, xml=MARKED, observe=cart)()

        class Task(type(env)):
            def render(self):
                mark(self)
                return self.mujoco_renderer.render("rgb_array")

        env.__class__, env.mujoco_renderer = Task, Renderer()
        return env

    return make


def ported(mark, **options):
    return PortedVectorEnv(marked(mark), 3, way="traced", max_episode_steps=4, **options)


def run(envs, look=lambda: None):
    """Observations through automatic resets."""
    found = [envs.reset(seed=1)[0]]
    envs.action_space.seed(0)
    for _ in range(9):
        found.append(envs.step(envs.action_space.sample())[0])
        look()
    return found


@pytest.mark.parametrize("mark", [mark_goal, move_ghost])
def test_marks_are_drawn_and_change_nothing(mark):
    envs = ported(mark, render_mode="rgb_array", width=48, height=32)
    plain, pictures, places = ported(mark), [], []

    def look():
        pictures.append(np.stack(envs.render()))
        goals = envs._worlds.attributes["self.goal"]
        site, ghost = envs.model.site("goal").id, envs.model.body("ghost").id
        place = envs.shown.site_xpos[:, site, 0] if mark is mark_goal else (
            envs.shown.xpos[:, ghost, 2]
        )  # fmt: skip
        places.append((place.copy(), goals[:, int(mark is move_ghost)].copy()))

    np.testing.assert_array_equal(run(envs, look), run(plain))
    for place, goal in places:
        np.testing.assert_allclose(place, goal, rtol=0, atol=1e-12)
    assert np.ptp(places[0][0]) > 0.1
    assert not np.array_equal(pictures[0], pictures[5])
    if mark is mark_goal:
        assert "site_pos" not in envs.data.varied
    for one in (envs, plain):
        one.close()


def test_films_have_them():
    envs = ported(mark_goal)
    recording, number = play(envs, seconds=0.2, seed=1), envs.model.site("goal").id
    assert len(np.unique(recording.varied["site_pos"][:, number, 0])) > 3
    envs.close()


@pytest.mark.parametrize(
    ("mark", "reason"), [(change_type, "it changes model.geom_type"), (fail, "Runtime.*no display")]
)
def test_what_cannot_be_shown_is_left_out(mark, reason):
    """Pictures are of the worlds alone, and a warning says so."""
    with pytest.warns(UserWarning, match=f"without what its render marks: {reason}"):
        envs = ported(mark, render_mode="rgb_array", width=48, height=32)
    run(envs)
    assert envs.shown is envs.data
    assert envs.render()[0].shape == (32, 48, 3)
    envs.close()
