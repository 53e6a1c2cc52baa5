"""Dog: it stands, walks, trots, runs, or fetches a ball."""

from functools import cached_property
from typing import Any

import numpy as np

from mjenv.engine.edit.spec import Spec
from mjenv.engine.tables.enums import JNT_HINGE
from mjenv.envs.suite.suite_task import SuiteTask, distance, into_frame, rewarded
from mjenv.rewards import tolerance
from mjenv.task.task import Fields, flat

INF = float("inf")
UPRIGHT = float(np.cos(np.deg2rad(30)))
HEIGHT = 0.9  # share of the height in the initial pose
WALLS = ("wall_px", "wall_py", "wall_nx", "wall_ny")
# bodies whose frames should be upright
FRAMES = ("skull", "torso", "pelvis")


class Stand(SuiteTask):
    """Stand upright, the weight on the paws.

    The model has no bones and no hide, which only the eye would miss; with the package's own file,
    `xml_file="<folder of dm_control>/suite/dog.xml"`, it has.
    """

    xml_file = "suite/dog.xml"
    frame_skip = 3
    floor_size = 15.0
    observe_reward_factors = False

    keep: tuple[str, ...] = ("xmat", "xpos")
    _has_ball = False

    def build(self, spec: Spec):
        spec.geom("floor").size = (self.floor_size, self.floor_size, 0.1)
        if not self._has_ball:
            geoms = [spec.geom(name) for name in ("target", *WALLS)]
            cameras = [spec.camera(name) for name in ("ball", "head")]
            for one in (*geoms, *cameras, spec.body("ball")):
                one.remove()

    def begin(self, world: Any, random: np.random.RandomState):
        half = random.uniform(0, 2 * np.pi) / 2
        world.qpos[3:7] = np.cos(half), 0, 0, np.sin(half)
        # pushed along the floor, and turning
        for dof in (0, 1, 5):
            world.qvel[dof] = 2 * random.randn()
        for actuator, limits in enumerate(self.model.actuator_ctrlrange):
            world.act[actuator] = random.uniform(*limits)

    def observation(self, data: Fields):
        count = int(np.count_nonzero(self.model.jnt_type == JNT_HINGE))
        torso = data.xmat[..., self.body("torso"), :]
        parts = {
            "joint_angles": data.qpos[..., 7 : 7 + count],
            # as the package spells it
            "joint_velocites": data.qvel[..., 6 : 6 + count],
            "torso_pelvis_height": self.heights(data),
            "z_projection": flat(self.vertical(data)),
            "torso_com_velocity": into_frame(self.sensor(data, "torso_linvel"), torso),
            "inertial_sensors": self.sensors(data, "accelerometer", "velocimeter", "gyro"),
            "foot_forces": self.sensors(data, "foot_L", "foot_R", "hand_L", "hand_R"),
            "touch_sensors": self.touch(data),
            "actuator_state": data.act,
        }
        parts |= self.more(data)
        if self.observe_reward_factors:
            factors = [factor[..., None] for factor in self.factors(data).values()]
            parts["reward_factors"] = np.concatenate(factors, axis=-1)
        return parts

    def more(self, data: Fields) -> dict[str, Any]:
        """Parts of the observation that other tasks do not have."""
        return {}

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        return rewarded(**self.factors(data))

    def factors(self, data: Fields) -> dict[str, Any]:
        """Factors of the reward, (...) each."""
        heights, goals = self.heights(data), self.standing
        up, touch = self.vertical(data)[..., 2], np.add.reduce(self.touch(data), axis=-1)
        upright = tolerance(up, (UPRIGHT, INF), UPRIGHT + 1, "linear", 0)
        weight = float(-self.model.opt.gravity[2] * self.model.body_subtreemass[self.body("torso")])
        return {
            "torso": tolerance(heights[..., 0], (goals[0], INF), goals[0]),
            "pelvis": tolerance(heights[..., 1], (goals[1], INF), goals[1]),
            **{f"upright_{name}": upright[..., k] for k, name in enumerate(FRAMES)},
            "touch": tolerance(touch, (weight, INF), weight, "linear", 0.9),
        }

    @cached_property
    def standing(self) -> tuple[float, float]:
        """Heights of torso and pelvis from which on it stands, in meters."""
        torso, pelvis = (HEIGHT * self.initial_height(name) for name in ("torso", "pelvis"))
        return torso, pelvis

    def initial_height(self, name: str) -> float:
        """Height of a body in the initial pose, in which none is turned, in meters."""
        height, body = 0.0, self.body(name)
        while body:
            height += float(self.model.body_pos[body, 2])
            body = int(self.model.body_parentid[body])
        return height

    def heights(self, data: Fields):
        """Heights of torso and pelvis, (..., 2) in meters."""
        parts = [data.xpos[..., self.body(name), 2:] for name in ("torso", "pelvis")]
        return np.concatenate(parts, axis=-1)

    def vertical(self, data: Fields):
        """The vertical in the frames of head, torso and pelvis, (..., 3, 3)."""
        return np.stack([data.xmat[..., self.body(name), 6:] for name in FRAMES], axis=-2)

    def touch(self, data: Fields):
        """Forces on the paws, (..., 4) in N."""
        return self.sensors(data, "palm_L", "palm_R", "sole_L", "sole_R")

    def sensors(self, data: Fields, *names: str):
        """Readings one after the other."""
        return np.concatenate([self.sensor(data, name) for name in names], axis=-1)


class Walk(Stand):
    """Walk forward at 1 m/s."""

    speed = 1.0

    def factors(self, data: Fields):
        torso, goal = data.xmat[..., self.body("torso"), :], self.speed
        speed = into_frame(self.sensor(data, "torso_linvel"), torso)[..., 0]
        forward = tolerance(speed, (goal, 2 * goal), max(1.0, goal), "linear", 0)
        return {**super().factors(data), "forward": (4 * forward + 1) / 5}


class Trot(Walk):
    """Trot forward at 3 m/s."""

    speed = 3.0
    floor_size = 45.0


class Run(Walk):
    """Run forward at 9 m/s."""

    speed = 9.0
    floor_size = 135.0


class Fetch(Stand):
    """Catch a ball that is thrown, and bring it to the target."""

    floor_size = 10.0

    keep = ("xmat", "xpos", "site_xpos", "site_xmat", "geom_xpos", "cvel", "subtree_com")
    _has_ball = True

    def begin(self, world: Any, random: np.random.RandomState):
        super().begin(world, random)
        # somewhere around, thrown up and more or less toward the middle
        azimuth = random.uniform(0, 2 * np.pi)
        toward = np.array((np.sin(azimuth), np.cos(azimuth)))
        height, speed = random.uniform(0, 3), random.uniform(0, 5)
        direction = -toward + 0.05 * random.randn(2)
        (ball,), (moving,) = self.qposadr("ball_root"), self.dofadr("ball_root")
        world.qpos[ball : ball + 3] = *(0.75 * self.floor_size * toward), 0.05
        upward = np.sqrt(-2 * self.model.opt.gravity[2] * height)
        world.qvel[moving : moving + 3] = *(speed * direction), upward

    def more(self, data: Fields):
        head, ball, target = self.site("head"), self.geom("ball"), self.geom("target")
        frame, place = data.site_xmat[..., head, :], data.site_xpos[..., head, :]
        away = data.geom_xpos[..., ball, :] - place
        head_moves = self.moving(data, int(self.model.site_bodyid[head]), place)
        ball_moves = self.moving(data, self.body("ball"), data.geom_xpos[..., ball, :])
        state = into_frame(away, frame), into_frame(ball_moves - head_moves, frame)
        return {
            "ball_state": np.concatenate(state, axis=-1),
            "target_position": into_frame(data.geom_xpos[..., target, :] - place, frame),
        }

    def moving(self, data: Fields, body: int, place: Any):
        """Velocity of a place on a body, (..., 3) in m/s."""
        turning, linear = data.cvel[..., body, :3], data.cvel[..., body, 3:]
        arm = place - data.subtree_com[..., int(self.model.body_rootid[body]), :]
        return linear + cross(turning, arm)

    def factors(self, data: Fields):
        model, mouth = self.model, ("upper_bite", "lower_bite")
        ball, target = (data.geom_xpos[..., self.geom(n), :] for n in ("ball", "target"))
        upper, lower = (distance(ball, data.site_xpos[..., self.site(n), :]) for n in mouth)
        bite = float(model.site_size[self.site("upper_bite"), 0])
        reached = tolerance(0.5 * (upper + lower), (0, bite), 2, "reciprocal")
        size, away = float(model.geom_size[self.geom("target"), 0]), distance(ball, target)
        fetched = tolerance(away, (0, size), self.floor_size, "reciprocal")
        return {
            **super().factors(data),
            # it may let go of the ball at the target
            "reach": np.where(away < 2 * size, 1.0, (6 * reached + 1) / 7),
            "fetch": (fetched + 1) / 2,
        }


def cross(a: Any, b: Any) -> Any:
    """Vector products of vectors (..., 3)."""
    (ax, ay, az), (bx, by, bz) = ([v[..., i : i + 1] for i in range(3)] for v in (a, b))
    return np.concatenate((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx), axis=-1)
