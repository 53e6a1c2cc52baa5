"""Swimmer: a chain of links swims to a target in a plane."""

from typing import Any

import numpy as np

from mjenv.engine.edit.spec import Spec
from mjenv.envs.suite.suite_task import SuiteTask, into_frame, randomize_joints, rewarded
from mjenv.rewards import tolerance
from mjenv.task.task import Fields, sum_squares


class Swimmer6(SuiteTask):
    """Bring the nose of a chain of six links to the target."""

    xml_file = "suite/swimmer.xml"
    frame_skip = 15
    num_links = 6

    keep = ("geom_xpos", "xmat")
    varies = ("geom_pos", "light_pos")

    def build(self, spec: Spec):
        parent, most = spec.body("head"), 360.0 / self.num_links
        for number in range(self.num_links - 1):
            link = parent.add_body(name=f"segment_{number}", pos=(0, 0.1, 0))
            for kind in ("visual", "inertial"):
                link.add_geom(name=f"{kind}_{number}", class_=kind)
            link.add_site(name=f"site_{number}")
            link.add_joint(name=f"joint_{number}", range=(-most, most))
            spec.actuator.add_motor(name=f"motor_{number}", joint=f"joint_{number}")
            spec.sensor.add_velocimeter(name=f"velocimeter_{number}", site=f"site_{number}")
            spec.sensor.add_gyro(name=f"gyro_{number}", site=f"site_{number}")
            parent = link
        # long chains are seen from farther away
        for name in ("tracking1", "tracking2"):
            camera = spec.camera(name)
            camera.pos = np.array(camera.pos) * (self.num_links / 6.0)

    def begin(self, world: Any, random: np.random.RandomState):
        randomize_joints(world, random)
        size = 0.3 if random.rand() < 0.2 else 2
        target = random.uniform(-size, size, size=2)
        world.geom_pos[self.geom("target"), :2] = target
        world.light_pos[self.model.light("target_light").id, :2] = target

    def observation(self, data: Fields):
        # sensors of all links, from the head's on: linear, then angular velocity
        start = int(self.model.sensor_adr[self.model.sensor("head_vel").id])
        linear = [data.sensordata[..., k : k + 2] for k in self.links(start)]
        turning = [data.sensordata[..., k + 5 : k + 6] for k in self.links(start)]
        moving = [part for pair in zip(linear, turning, strict=True) for part in pair]
        return {
            "joints": data.qpos[..., 3:],
            "to_target": self.to_target(data),
            "body_velocities": np.concatenate(moving, axis=-1),
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        size = self.model.geom_size[self.geom("target"), 0]
        away = np.sqrt(sum_squares(self.to_target(data)))
        return rewarded(near=tolerance(away, (0, size), margin=5 * size, sigmoid="long_tail"))

    def links(self, start: int):
        """Addresses of the sensors of each link."""
        return range(start, start + 6 * self.num_links, 6)

    def to_target(self, data: Fields):
        """From nose to target in the head's frame, (..., 2) in meters."""
        nose, target = self.geom("nose"), self.geom("target")
        away = data.geom_xpos[..., target, :] - data.geom_xpos[..., nose, :]
        return into_frame(away, data.xmat[..., self.body("head"), :])[..., :2]


class Swimmer15(Swimmer6):
    """Bring the nose of a chain of fifteen links to the target."""

    num_links = 15
