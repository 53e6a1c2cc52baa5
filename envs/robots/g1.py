"""Unitree's G1, a humanoid, that walks as it is told to."""

from typing import Any

import numpy as np

from mjenv import terms
from mjenv.envs.robots.unitree import Unitree
from mjenv.envs.robots.velocity import MJLAB, NOISE, Velocity, disturbances
from mjenv.randomization.distributions import Uniform
from mjenv.task.task import Fields

FRICTION = Uniform(
    (0.3, 0.005, 0.0001), (1.2, 0.005, 0.0001), "set",
    of=tuple(f"{side}_foot{k}_collision" for side in ("left", "right") for k in (1, 2)),
    each=False, when="start",
)  # fmt: skip


def begun(data: Fields) -> Any:
    """True where an episode is older than 3 s: who cannot stand yet is not pushed."""
    return data.time > 3.0


class G1(Unitree):
    """Base of the tasks of this robot."""

    xml_file = "robots/g1.xml"

    _name, _trunk, _feet = "g1", "pelvis", ("left", "right")
    _shapes = "pelvis_collision", "left_foot1_collision"

    def self_collision(self, data: Fields):
        """4 where parts of the robot press on one another with more than 10 N, else 0, (...)."""
        force = data.sensor("self_collision").data[..., 1:]
        return np.where(terms.squares(force) > 100.0, 4.0, 0.0)


class G1Velocity(G1, Velocity):
    """Unitree's G1 follows velocity commands: forward, sideways, turning.

    Rewards, weights and groups of observations are those of mjlab's velocity task on flat ground.
    """

    pose_standing = {"": 0.05}
    pose_walking = {
        "hip_pitch": 0.3, "hip_roll|hip_yaw": 0.15, "knee": 0.35, "ankle_pitch": 0.25,
        "ankle_roll": 0.1, "waist_yaw": 0.2, "waist_roll": 0.08, "waist_pitch": 0.1,
        "shoulder_pitch|shoulder_roll": 0.15, "shoulder_yaw": 0.1, "elbow": 0.15, "wrist": 0.3,
    }  # fmt: skip
    pose_running = {
        "hip_pitch": 0.5, "hip_roll|hip_yaw": 0.2, "knee": 0.6, "ankle_pitch": 0.35,
        "ankle_roll": 0.15, "waist_yaw": 0.3, "waist_roll": 0.08, "waist_pitch": 0.2,
        "shoulder_pitch": 0.5, "shoulder_roll": 0.2, "shoulder_yaw": 0.15, "elbow": 0.35,
        "wrist": 0.3,
    }  # fmt: skip
    fastest = (1.0, 0.5, 1.0)
    limit_angle = 40.0  # who leans so far does not come back: hardly a sample is of a fall
    weights = {
        **Velocity.weights, "upright": 1.0, "pose": 0.5, "body_ang_vel": -0.05,
        "angular_momentum": -0.01, "self_collisions": -0.5, "feet": 3.0, "stance": 2.0,
        "bounce": -0.2,
    }  # fmt: skip
    pace, lift = 1.4, 0.1
    _turn = (1.0, -1.0)
    _mjlab = {
        **Velocity._mjlab,
        "limit_angle": 70.0,
        "weights": {
            **MJLAB,
            "body_ang_vel": -0.05,
            "angular_momentum": -0.02,
            "self_collisions": -1.0,
        },
    }
    randomization = disturbances("torso_link", FRICTION, NOISE, where=begun)

    def body(self, data: Fields):
        return data.sensor("torso_quat").data, data.sensor("torso_ang_vel").data

    def terms(self, data: Fields, action: np.ndarray):
        return {
            **super().terms(data, action),
            "angular_momentum": terms.squares(data.sensor("angular_momentum").data),
            "self_collisions": self.self_collision(data),
        }
