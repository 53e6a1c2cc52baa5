"""Rays and distances in steps and resets: asked of the engine for all worlds at once."""

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import XML, environment, plain

ROOM = XML.replace(
    '<body name="target"',
    '<geom name="wall" type="box" pos="1 0 .5" size=".1 1 .5"/>'
    '<geom name="ball" type="sphere" pos="-.8 .3 .4" size=".2"/><body name="target"',
)
ANGLES = np.linspace(0.0, 2.0 * np.pi, 7)[:-1]


def moved(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.count += 1


def looks_around(self, action):
    moved(self, action)
    seen, geom = np.full(len(ANGLES), 2.0), np.zeros(1, np.int32)
    for k, angle in enumerate(ANGLES):
        frame = self.data.xmat[1].reshape(3, 3)
        way = frame @ np.array([np.cos(angle), np.sin(angle), 0.0])
        dist = self.lib.mj_ray(self.model, self.data, self.data.xpos[1], way, None, 1, 1, geom)
        if dist >= 0:
            seen[k] = min(dist, 2.0) + 10.0 * geom[0]
    return plain(self, action, seen.sum(), self.count >= 7, {"seen": seen})


def bounces(self, action):
    """Rays that begin where others have ended, between rays that nothing has to wait for."""
    moved(self, action)
    total, normal = 0.0, np.zeros(3)
    for k, angle in enumerate(ANGLES):
        start = self.data.xpos[1] + np.array([0.0, 0.0, 0.01 * k])
        way = np.array([np.cos(angle), np.sin(angle), 0.05])
        dist = self.lib.mj_ray(self.model, self.data, start, way, None, 1, 1, None, normal)
        if k == 2 and dist > 0:
            back = way - 2 * (way @ normal) * normal
            again = self.lib.mj_ray(
                self.model, self.data, start + 0.99 * dist * way, back, None, 1, -1, None
            )
            total += 3.0 * again
        total += (k + 1) * dist
    return plain(self, action, total, self.count >= 7)


def casts_many(self, action):
    moved(self, action)
    ways = np.stack([np.cos(ANGLES), np.sin(ANGLES), np.zeros(len(ANGLES))], axis=1)
    dist, geoms = np.zeros(len(ANGLES)), np.zeros(len(ANGLES), np.int32)
    groups = np.ones(6, np.uint8)
    self.lib.mj_multiRay(
        self.model, self.data, self.data.xpos[1], ways.ravel(), groups, 1, 1, geoms, dist, None,
        len(ANGLES), 5.0,
    )  # fmt: skip
    return plain(self, action, np.where(dist < 0, 3.0, dist).sum() + geoms.sum(), self.count >= 7)


def keeps_away(self, action):
    moved(self, action)
    (wall, ball), cart = (self.model.geom(n).id for n in ("wall", "ball")), 1
    ends = np.zeros(6)
    gap = self.lib.mj_geomDistance(self.model, self.data, cart, wall, 0.6 + action[0], ends)
    near = self.lib.mj_geomDistance(self.model, self.data, cart, ball, 2.0, None)
    reward = gap - near
    if gap < 0.5:
        reward -= 1.0 + np.linalg.norm(ends[:3] - ends[3:])
    return plain(self, action, reward, self.count >= 7)


def asks_where_it_moves(self, action):
    moved(self, action)
    reward = 0.0
    if self.data.qvel[0] > 0:
        point, way = self.data.xpos[1], np.array([1.0, 0.0, 0.0])
        geom = np.zeros(1, np.int32)
        reward = self.lib.mj_ray(self.model, self.data, point, way, None, 1, 1, geom)
    return plain(self, action, reward)


STEPS = [looks_around, bounces, casts_many, keeps_away, asks_where_it_moves]


@pytest.mark.parametrize("step", STEPS)
def test_answers_are_those_of_each_world(step):
    found = check(environment(step, xml=ROOM), nseed=3, nstep=20, way="traced")
    assert not found.first
    assert found.largest < 1e-12


def test_rays_of_a_loop_are_asked_at_once():
    """Those that wait for no answers: in the second step two have to."""
    calls = [
        [call.query for call in PortedVectorEnv(make, 2, way="traced")._worlds.program.calls]
        for make in (environment(step, xml=ROOM) for step in (looks_around, bounces))
    ]
    asked = [[1 + len(one.others) for one in found if one] for found in calls]
    assert asked[0] == [6]
    assert sum(asked[1]) == 7
    assert len(asked[1]) < 7


@pytest.mark.parametrize("step", [looks_around, keeps_away])
def test_some_of_the_worlds_may_step(step):
    """Worlds that begin anew do not step: of them nothing is asked."""
    target, nworld = environment(step, xml=ROOM), 3
    ported = PortedVectorEnv(target, nworld, way="traced")
    alone = PortedVectorEnv(target, nworld, way="world by world")
    for envs in (ported, alone):
        envs.reset(seed=0)
    rng = np.random.default_rng(0)
    for k in range(20):
        actions = rng.uniform(-1, 1, (nworld, 1)).astype(np.float32)
        some = np.array([0, 2]) if k % 3 == 0 else None
        steps = []
        for envs in (ported, alone):
            stepped = envs.step(actions) if some is None else envs.step_some(actions[some], some)
            steps.append(stepped)
        for mine, theirs in zip(steps[0][:4], steps[1][:4], strict=True):
            np.testing.assert_allclose(mine, theirs, atol=1e-12)


def starts_at_a_distance(self):
    self.lib.mj_forward(self.model, self.data)
    geom = np.zeros(1, np.int32)
    start, way = self.data.xpos[1], np.array([1.0, 0.0, 0.0])
    ahead = self.lib.mj_ray(self.model, self.data, start, way, None, 1, 1, geom)
    self.goal = np.array([ahead, self.np_random.uniform(0, ahead)])


def asks_too_early(self):
    geom = np.zeros(1, np.int32)
    start, way = np.array([0.0, 0.0, 0.5]), np.array([1.0, 0.0, 0.0])
    self.goal = np.full(2, self.lib.mj_ray(self.model, self.data, start, way, None, 1, 1, geom))


def to_the_goal(self, action):
    moved(self, action)
    return plain(self, action, self.goal @ self.data.qpos, self.count >= 5)


def test_resets_ask_behind_forward_dynamics():
    target = environment(to_the_goal, starts_at_a_distance, ROOM)
    assert "reset: Python" not in str(report(target))
    found = check(target, nseed=4, nstep=20, way="traced")
    assert not found.first


def test_before_forward_dynamics_resets_are_python():
    target = environment(to_the_goal, asks_too_early, ROOM)
    assert "found mj_ray behind mj_resetData, before mj_forward" in str(report(target))
    assert not check(target, nseed=3, nstep=12).first


def writes_into_numbers(self, action):
    moved(self, action)
    self.lib.mj_geomDistance(self.model, self.data, 1, 2, 1.0, ENDS)
    return plain(self, action)


ENDS = np.zeros(6)


def test_answers_go_into_arrays_of_the_step():
    with pytest.raises((NotTraced, ValueError), match="mj_geomDistance written into an array"):
        PortedVectorEnv(environment(writes_into_numbers, xml=ROOM), 2, way="traced")
