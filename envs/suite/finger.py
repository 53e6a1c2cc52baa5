"""Finger: a spinner is spun, or turned until its tip is at a target."""

from typing import Any

import numpy as np

from mjenv.envs.suite.suite_task import SuiteTask, Trials, distance, randomize_joints, rewarded
from mjenv.functions import log
from mjenv.task.task import Fields

SPEED = 15.0  # rad/s
ATTEMPTS = 1000


class Spin(SuiteTask):
    """Keep the spinner turning at 15 rad/s."""

    xml_file = "suite/finger.xml"
    frame_skip = 2

    keep = ("ncon",)

    def edit(self):
        self.model.site_rgba[[self.site("target"), self.site("tip")], 3] = 0
        self.model.dof_damping[self.dofadr("hinge")] = 0.03

    def begin(self, world: Any, random: np.random.RandomState) -> Trials:
        for _ in range(ATTEMPTS):
            randomize_joints(world, random)
            yield
            if world.ncon == 0:
                return
        raise RuntimeError(
            f"finger: found contacts in all of {ATTEMPTS} random states, expected one without"
        )

    def observation(self, data: Fields):
        return {
            "position": self.sensors(data, "proximal", "distal", "tip"),
            "velocity": self.sensors(
                data, "proximal_velocity", "distal_velocity", "hinge_velocity"
            ),
            "touch": log(1.0 + self.sensors(data, "touchtop", "touchbottom")),
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        speed = self.sensor(data, "hinge_velocity")[..., 0]
        return rewarded(spinning=np.where(speed <= -SPEED, 1.0, 0.0))

    def sensors(self, data: Fields, *names: str):
        """Readings one after the other; places in the plane, from the spinner."""
        readings = [self.sensor(data, name) for name in names]
        center = self.sensor(data, "spinner")[..., ::2]
        flat = [r if r.shape[-1] == 1 else r[..., ::2] - center for r in readings]
        return np.concatenate(flat, axis=-1)


class TurnEasy(Spin):
    """Turn the tip of the spinner to within 7 cm of the target."""

    target_size = 0.07

    varies = ("site_pos",)
    _shapes = (("dist_to_target", ()),)

    def edit(self):
        self.model.site_size[self.site("target"), 0] = self.target_size

    def begin(self, world: Any, random: np.random.RandomState) -> Trials:
        angle = random.uniform(-np.pi, np.pi)
        # the hinge is in the middle of the spinner
        center = self.model.body_pos[self.body("spinner")]
        radius = self.model.geom_size[self.geom("cap1")].sum()
        target = world.site_pos[self.site("target")]
        target[::2] = center[::2] + radius * np.array([np.sin(angle), np.cos(angle)])
        yield from super().begin(world, random)

    def observation(self, data: Fields):
        return {
            **super().observation(data),
            "target_position": self.sensors(data, "target"),
            "dist_to_target": self.away(data)[..., None],
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        return rewarded(at_target=np.where(self.away(data) <= 0, 1.0, 0.0))

    def away(self, data: Fields):
        """Distance from the tip to the surface of the target, (...)."""
        places = (self.sensors(data, name) for name in ("target", "tip"))
        return distance(*places) - self.target_size


class TurnHard(TurnEasy):
    """Turn the tip of the spinner to within 3 cm of the target."""

    target_size = 0.03
