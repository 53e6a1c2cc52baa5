"""A biped that walks as it is told to."""

from typing import TYPE_CHECKING

import numpy as np

from mjenv import terms
from mjenv.functions import cos, sin
from mjenv.joystick import Joystick
from mjenv.task.task import Fields, Outcome

if TYPE_CHECKING:
    from mjenv.task.random_streams import Streams


class BipedJoystick(Joystick):
    """Follow velocity commands: forward, sideways (m/s), turning (rad/s), with a gait clock."""

    xml_file = "robots/biped.xml"
    frame_skip = 5
    keep = ("qfrc_actuator",)

    fastest = (0.8, 0.25, 0.8)  # commands go from minus these to these
    pace = 1.6  # steps of each leg in a second
    lift = 0.06  # how high feet go (m)
    weights = {
        "velocity": 1.5, "turning": 0.8, "feet": 0.8, "stance": 0.4, "level": -2.0, "bounce": -0.1,
        "posture": -0.2, "slip": -0.1, "power": -0.001, "smoothness": -0.02, "alive": 0.3,
    }  # fmt: skip

    @property
    def state(self):
        return {**super().state, "phase": 0.0}

    def reset(self, rng: "Streams"):
        noise = np.r_[np.zeros(2), 0.02, np.full(14, 0.05)]
        qpos = self.init_qpos + noise * rng.uniform(-1, 1, self.model.nq)
        return {"qpos": qpos, "phase": rng.uniform(0, 2 * np.pi), **self.draw(rng)}

    def swing(self, data: Fields):
        """Desired heights of feet, as a share of the highest, (..., 2): one leg, then the other."""
        return np.where(self.moving(data)[..., None], terms.strides(data.state.phase), 0.0)

    def observation(self, data: Fields):
        state, phase = data.state, data.state.phase
        return {
            "gravity": terms.down(data.qpos[..., 3:7]),
            "velocity": data.sensordata[..., :3],
            "turning": terms.scaled(data.sensordata[..., 3:6], 0.5, clip=10.0),
            "joints": data.qpos[..., 7:],
            "joint_velocities": terms.scaled(data.qvel[..., 6:], 0.1, clip=30.0),
            "last_action": state.last_action,
            "command": state.command,
            "clock": np.stack([sin(phase), cos(phase)], axis=-1),
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        state, velocity, gyro = data.state, data.sensordata[..., :3], data.sensordata[..., 3:6]
        touch, swing = data.sensordata[..., 6:8] > 1.0, self.swing(data)
        reward = {
            "velocity": terms.track(velocity[..., :2], state.command[..., :2], 0.35),
            "turning": terms.near(gyro[..., 2] - state.command[..., 2], 0.5),
            "feet": terms.track(data.sensordata[..., [10, 13]] - 0.02, self.lift * swing, 0.04),
            "stance": (touch == (swing < 0.1)).mean(axis=-1),
            "level": terms.squares(terms.down(data.qpos[..., 3:7])[..., :2]),
            "bounce": np.square(velocity[..., 2]) + 0.1 * terms.squares(gyro[..., :2]),
            "posture": terms.squares(data.qpos[..., [7, 8, 12, 13]]),
            "slip": terms.slip(touch, data.sensordata[..., 14:]),
            "power": terms.power(data.qfrc_actuator[..., 6:], data.qvel[..., 6:]),
            "smoothness": terms.change(action, state.last_action),
            "alive": 1.0,
        }
        upright = terms.upright(data.qpos[..., 3:7])
        fallen = (upright < 0.6) | (data.qpos[..., 2] < 0.35)
        return Outcome(terms.weighed(reward, self.weights), terminated=fallen)

    def update(self, data: Fields, action: np.ndarray, before: Fields):
        phase = terms.clock(data.state.phase, self.pace, self.dt)
        return {**super().update(data, action, before), "phase": phase}
