"""Quadruped: four legs walk, run, climb out of a bowl, or fetch a ball."""

from typing import Any

import numpy as np

from mjenv.engine.edit.spec import Spec
from mjenv.engine.tables.enums import JNT_HINGE
from mjenv.envs.suite.suite_task import SuiteTask, Trials, into_frame, rewarded
from mjenv.functions import exp, log
from mjenv.rewards import tolerance
from mjenv.task.task import Fields, sum_squares

INF = float("inf")
ATTEMPTS = 10_000
SMOOTHNESS = 0.15  # of terrain: 0 is bumpy, 1 smooth
BUMP = 2  # m, the width of a bump
WALLS = ("wall_px", "wall_py", "wall_nx", "wall_ny")


class Walk(SuiteTask):
    """Walk forward at 0.5 m/s, the torso upright."""

    xml_file = "suite/quadruped.xml"
    frame_skip = 4
    speed = 0.5
    floor_size = 10.0

    keep = ("xmat", "xpos", "ncon")
    _shapes: tuple[tuple[str, tuple[int, ...]], ...] = (("torso_upright", ()),)
    _needs: tuple[str, ...] = ()

    def build(self, spec: Spec):
        spec.geom("floor").size = (self.floor_size, self.floor_size, 0.5)
        if "ball" not in self._needs:
            for one in (*map(spec.geom, WALLS), spec.body("ball"), spec.site("target")):
                one.remove()
        if "terrain" not in self._needs:
            for one in (spec.geom("terrain"), *spec.all("rangefinder")):
                one.remove()

    def begin(self, world: Any, random: np.random.RandomState) -> Trials:
        turn = random.randn(4)
        yield from self.place(world, turn / np.sqrt(sum_squares(turn)))

    def place(self, world: Any, turn: np.ndarray, x: float = 0.0, y: float = 0.0) -> Trials:
        """Place the torso with a turn (4,), as low as nothing touches the floor."""
        z = 0.0
        for _ in range(ATTEMPTS):
            world.qpos[:7] = x, y, z, *turn
            yield
            if world.ncon == 0:
                return
            z += 0.01
        raise RuntimeError(
            f"quadruped: found contacts at all of {ATTEMPTS} heights, expected one without"
        )

    def observation(self, data: Fields):
        # positions and velocities of the legs follow those of the torso
        count = int(np.count_nonzero(self.model.jnt_type == JNT_HINGE))
        legs = data.qpos[..., 7 : 7 + count], data.qvel[..., 6 : 6 + count]
        return {
            "egocentric_state": np.concatenate((*legs, data.act), axis=-1),
            "torso_velocity": self.sensor(data, "velocimeter"),
            "torso_upright": self.upright(data)[..., None],
            "imu": np.concatenate(
                [self.sensor(data, name) for name in ("imu_accel", "imu_gyro")], axis=-1
            ),
            "force_torque": arcsinh(self.forces(data)),
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        speed, goal = self.sensor(data, "velocimeter")[..., 0], self.speed
        move = tolerance(speed, (goal, INF), goal, value_at_margin=0.5, sigmoid="linear")
        return rewarded(upright=self.standing(data), move=move)

    def upright(self, data: Fields):
        """Cosine of the torso's tilt, (...)."""
        return data.xmat[..., self.body("torso"), 8]

    def standing(self, data: Fields, degrees: float = 0.0):
        """1 where the torso tilts no more than some degrees, 0 upside down, (...)."""
        least = float(np.cos(np.deg2rad(degrees)))
        return tolerance(self.upright(data), (least, INF), 1 + least, "linear", 0)

    def forces(self, data: Fields):
        """Forces, then torques of the toes, (..., 24)."""
        legs = ("front_left", "front_right", "back_right", "back_left")
        names = [f"{kind}_toe_{leg}" for kind in ("force", "torque") for leg in legs]
        return np.concatenate([self.sensor(data, name) for name in names], axis=-1)

    def seen(self, data: Fields, vectors: Any):
        """Vectors (..., 3) in the torso's frame."""
        return into_frame(vectors, data.xmat[..., self.body("torso"), :])


class Run(Walk):
    """Run forward at 5 m/s, the torso upright."""

    speed = 5.0
    floor_size = 100.0


class Fetch(Walk):
    """Bring a ball to the middle of the yard."""

    floor_size = 15.0

    keep = ("xmat", "xpos", "site_xpos", "ncon")
    _needs = ("ball",)

    def begin(self, world: Any, random: np.random.RandomState) -> Trials:
        half = random.uniform(0, 2 * np.pi) / 2
        turn = np.array((np.cos(half), 0, 0, np.sin(half)))
        most = 0.9 * self.floor_size
        yield from self.place(world, turn, *random.uniform(-most, most, size=2))
        (ball,), (moving,) = self.qposadr("ball_root"), self.dofadr("ball_root")
        world.qpos[ball : ball + 2] = random.uniform(-most, most, size=2)
        world.qpos[ball + 2] = 2
        world.qvel[moving : moving + 2] = 5 * random.randn(2)

    def observation(self, data: Fields):
        torso, ball = (data.xpos[..., self.body(name), :] for name in ("torso", "ball"))
        (moving,) = self.dofadr("ball_root")
        state = (
            ball - torso,
            data.qvel[..., moving : moving + 3] - data.qvel[..., :3],
            data.qvel[..., moving + 3 : moving + 6],
        )
        target = data.site_xpos[..., self.site("target"), :]
        return {
            **super().observation(data),
            "ball_state": np.concatenate([self.seen(data, row) for row in state], axis=-1),
            "target_position": self.seen(data, target - torso),
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        model, yard = self.model, self.floor_size * np.sqrt(2)
        ball = data.xpos[..., self.body("ball"), :]
        workspace, target = (self.site(name) for name in ("workspace", "target"))
        reach, fetch = (
            np.sqrt(sum_squares((data.site_xpos[..., site, :] - ball)[..., :2]))
            for site in (workspace, target)
        )
        near = model.site_size[workspace, 0] + model.geom_size[self.geom("ball"), 0]
        reached = tolerance(reach, (0, near), yard, "linear", 0)
        fetched = tolerance(fetch, (0, model.site_size[target, 0]), yard, "linear", 0)
        return rewarded(upright=self.standing(data), fetch=reached * (0.5 + 0.5 * fetched))


class Escape(Walk):
    """Climb out of a bowl with bumps."""

    floor_size = 40.0

    keep = ("xmat", "xpos", "site_xpos", "ncon")
    _needs = ("terrain",)
    varies = ("hfield_data",)

    def begin(self, world: Any, random: np.random.RandomState) -> Trials:
        from scipy.ndimage import zoom

        model = self.model
        count = int(model.hfield_nrow[0])
        # a bowl, as deep as a cosine
        rows, columns = np.ogrid[-1 : 1 : count * 1j, -1 : 1 : count * 1j]
        radius = np.clip(np.sqrt(columns**2 + rows**2), 0.04, 1)
        bowl = 0.5 - np.cos(2 * np.pi * radius) / 2
        # bumps, drawn coarsely and made smooth
        coarse = int(2 * model.hfield_size[0, 0] / BUMP)
        bumps = random.uniform(SMOOTHNESS, 1, (coarse, coarse))
        smooth: Any = zoom(bumps, count / float(coarse))
        world.hfield_data[:] = (bowl * smooth).reshape(-1)
        yield from super().begin(world, random)

    def observation(self, data: Fields):
        rays = [self.sensor(data, f"rf_{row}{k}") for row in range(4) for k in range(5)]
        lengths = np.concatenate(rays, axis=-1)
        return {
            **super().observation(data),
            "origin": self.seen(data, -data.xpos[..., self.body("torso"), :]),
            "rangefinder": np.where(lengths == -1.0, 1.0, tanh(lengths)),
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        size = self.model.hfield_size[0, 0]
        away = np.sqrt(sum_squares(data.site_xpos[..., self.site("workspace"), :]))
        escape = tolerance(away, (size, INF), size, "linear", 0)
        return rewarded(upright=self.standing(data, 20), escape=escape)


def arcsinh(x: Any) -> Any:
    """The inverse of the hyperbolic sine."""
    size = np.abs(x)
    return np.sign(x) * log(size + np.sqrt(np.square(size) + 1.0))


def tanh(x: Any) -> Any:
    """Hyperbolic tangent of what is not negative."""
    shrunk = exp(-2.0 * np.abs(x))
    return (1.0 - shrunk) / (1.0 + shrunk)
