"""Unitree's Go1, a quadruped, that walks as it is told to: on a floor, and on rough terrain."""

import re
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from mjenv.envs.robots.velocity import MJLAB, NOISE, Velocity, disturbances, symmetric
from mjenv.randomization.channels import Channel
from mjenv.randomization.distributions import Uniform
from mjenv.task.task import Fields
from mjenv.terrain import Terrain, next_level

if TYPE_CHECKING:
    from mjenv.engine.edit.spec import Spec
    from mjenv.task.random_streams import Streams

FEET = ("FR", "FL", "RR", "RL")
FRICTION = Uniform(
    (0.3, 0.005, 0.0001), (1.5, 0.005, 0.0001), "set",
    of=tuple(f"{foot}_foot_collision" for foot in FEET), each=False, when="start",
)  # fmt: skip


COLLISIONS = {"shank_collision": -0.1, "trunk_head_collision": -0.1}
DISTURBANCES = disturbances("trunk", FRICTION, NOISE)


class Go1Velocity(Velocity):
    """Unitree's Go1 follows velocity commands: forward, sideways, turning.

    Rewards, weights and groups of observations are those of mjlab's velocity task on flat ground.
    """

    xml_file = "robots/go1.xml"
    pose_standing = {"hip|thigh": 0.05, "calf": 0.1}
    pose_walking = {"hip|thigh": 0.3, "calf": 0.6}
    pose_running = {"hip|thigh": 0.3, "calf": 0.6}
    randomization = DISTURBANCES

    _name, _trunk, _feet = "go1", "trunk", FEET
    _sole, _turn = 0.023, (1.0, -1.0, -1.0, 1.0)
    _shapes = "trunk_collision", "FR_foot_collision"


class Go1Rough(Go1Velocity):
    """Unitree's Go1 on slopes, stairs, bumps and stepping stones, whose level rises with success.

    Rewards, weights, groups of observations and the rule for the level are those of mjlab's
    velocity task on rough terrain. An episode ends where a thigh touches the ground.
    """

    kinds = ("slope", "stairs", "rough", "stones")
    levels = 6
    # the ground that is seen, from the trunk: length and width, and the distance of points (m)
    scan = (1.6, 1.0, 0.2)
    scan_noise = 0.1
    weights = {**Go1Velocity.weights, **COLLISIONS}
    randomization = {
        **DISTURBANCES,
        "observation": Channel(
            noise={n: symmetric(x) for n, x in {**NOISE, "height_scan": 0.02}.items()}
        ),
    }

    _mjlab = {**Go1Velocity._mjlab, "weights": {**MJLAB, **COLLISIONS}}
    _policy = (*Go1Velocity._policy, "height_scan")
    # names of sensors of what must not touch the ground, and patterns of geoms
    _touching = {"thigh": "_thigh_collision", "shank": "_calf_collision", "trunk": "trunk|head"}

    @cached_property
    def terrain(self) -> Terrain:
        return Terrain(self.kinds, self.levels)

    @cached_property
    def points(self):
        """Points at which the ground is seen, from the trunk (m), (2, n)."""
        length, width, apart = self.scan
        sides = [np.arange(round(side / apart) + 1) * apart - side / 2 for side in (length, width)]
        return np.array(np.meshgrid(*sides)).reshape(2, -1)

    @cached_property
    def slopes(self):
        """Slopes along both axes of a plane through heights at the points are sums with these."""
        return self.points / np.square(self.points).sum(axis=-1, keepdims=True)

    @cached_property
    def geoms(self):
        """Names of the geoms that are sensed, for each kind of `_touching`."""
        named = [self.model.geom(k).name for k in range(self.model.ngeom)]
        return {
            kind: [name for name in named if "_collision" in name and re.search(pattern, name)]
            for kind, pattern in self._touching.items()
        }

    def build(self, spec: "Spec"):
        self.terrain.add_to(spec, material="floor", contype=0, conaffinity=1)
        spec.geom("floor").pos = 0, 0, -0.02
        for geom in spec.body(self._trunk).walk("geom"):
            name = geom.name or ""
            if "_collision" in name and any(re.search(p, name) for p in self._touching.values()):
                spec.sensor.add_contact(
                    name=f"{name}_ground", geom1=name, body2="world", data="force",
                    reduce="netforce",
                )  # fmt: skip

    @property
    def state(self):
        # the level and kind of the patch, and where the episode began
        return {**super().state, "level": 0, "kind": 0, "home": np.zeros(2)}

    def reset(self, rng: "Streams", last: Fields, *, level: int | None = None):
        chosen, kind = self.patch(rng, last)
        if level is not None:
            chosen = np.broadcast_to(level, np.shape(chosen))
        begun, place = super().reset(rng), self.terrain.place(chosen, kind)
        qpos = begun["qpos"] + np.concatenate([place, np.zeros((*place.shape[:-1], 16))], axis=-1)
        return {**begun, "qpos": qpos, "level": chosen, "kind": kind, "home": qpos[..., :2]}

    def patch(self, rng: "Streams", last: Fields):
        """Level and kind of the next patch: up where it got to the edge, down where it stayed."""
        state = last.state
        far = np.sqrt(np.square(last.qpos[..., :2] - state.home).sum(axis=-1))
        asked = np.sqrt(np.square(state.command[..., :2]).sum(axis=-1)) * last.time
        up = far > self.terrain.size[0] / self.levels
        level = next_level(state.level, up, far < 0.5 * asked, self.levels)
        return np.where(last.time > 0.0, level, 0), rng.integers(len(self.kinds))

    def foot_height(self, data: Fields):
        place = self.of_feet(data, "pos")
        return place[..., 2] - self.terrain.height(place[..., 0], place[..., 1])

    def observation(self, data: Fields):
        scan = self.terrain.below(data.qpos, self.points) / 5.0
        return {**super().observation(data), "height_scan": scan, "true_height_scan": scan}

    def tilt(self, data: Fields, quat: np.ndarray):
        # from the ground's normal, in the trunk's frame
        below = self.terrain.below(data.qpos, self.points)
        return super().tilt(data, quat) - (below[..., None, :] * self.slopes).sum(axis=-1)

    def forces(self, data: Fields, kind: str):
        """Forces (..., n) with which geoms of a kind touch the ground."""
        force = [data.sensor(f"{name}_ground").data for name in self.geoms[kind]]
        return np.stack([np.sqrt(np.square(one).sum(axis=-1)) for one in force], axis=-1)

    def terms(self, data: Fields, action: np.ndarray):
        hit = {kind: (self.forces(data, kind) > 10.0).any(axis=-1) for kind in ("shank", "trunk")}
        return {
            **super().terms(data, action),
            "shank_collision": np.where(hit["shank"], 4.0, 0.0),
            "trunk_head_collision": np.where(hit["trunk"], 4.0, 0.0),
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        outcome = super().outcome(data, action, before)
        return outcome._replace(terminated=(self.forces(data, "thigh") > 10.0).any(axis=-1))

    def info(self, data: Fields):
        return {**super().info(data), "terrain_level": data.state.level}
