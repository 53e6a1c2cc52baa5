"""A quadruped that follows a joystick."""

from typing import TYPE_CHECKING

import numpy as np

from mjenv import terms
from mjenv.joystick import Joystick
from mjenv.task.task import Fields, Outcome

if TYPE_CHECKING:
    from mjenv.task.random_streams import Streams


class QuadrupedJoystick(Joystick):
    """Follow velocity commands: forward, sideways (m/s) and turning (rad/s); one in ten is 0."""

    xml_file = "robots/quadruped.xml"
    frame_skip = 5
    keep = ("qfrc_actuator",)

    fastest = (1.0, 0.4, 1.0)  # commands go from minus these to these
    step_time = 0.25  # that a foot should be in the air (s)
    weights = {
        "velocity": 1.5, "turning": 0.8, "feet": 1.0, "level": -1.0, "bounce": -0.5,
        "posture": -0.05, "slip": -0.05, "power": -0.001, "smoothness": -0.02,
    }  # fmt: skip

    @property
    def state(self):
        return {**super().state, "air": np.zeros(4)}

    def reset(self, rng: "Streams"):
        qpos = self.init_qpos + 0.05 * rng.uniform(-1, 1, self.model.nq)
        return {"qpos": qpos, **self.draw(rng)}

    def touch(self, data: Fields):
        """Feet that touch the floor: bool (..., 4)."""
        return data.sensordata[..., 6:10] > 1.0

    def observation(self, data: Fields):
        state = data.state
        return {
            "gravity": terms.down(data.qpos[..., 3:7]),
            "velocity": data.sensordata[..., :3],
            "turning": data.sensordata[..., 3:6],
            "joints": data.qpos[..., 7:],
            "joint_velocities": terms.scaled(data.qvel[..., 6:], 0.1),
            "last_action": state.last_action,
            "command": state.command,
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        state, velocity, gyro = data.state, data.sensordata[..., :3], data.sensordata[..., 3:6]
        touch, moving = self.touch(data), self.moving(data)
        torque, joint_velocity = data.qfrc_actuator[..., 6:], data.qvel[..., 6:]
        upright = terms.upright(data.qpos[..., 3:7])
        reward = {
            "velocity": terms.track(velocity[..., :2], state.command[..., :2], 0.35),
            "turning": terms.near(gyro[..., 2] - state.command[..., 2], 0.5),
            "feet": np.where(moving, terms.landed(state.air, touch, self.step_time), 0.0),
            "level": terms.squares(terms.down(data.qpos[..., 3:7])[..., :2]),
            "bounce": np.square(velocity[..., 2]) + 0.04 * terms.squares(gyro[..., :2]),
            "posture": np.where(moving, 1.0, 6.0) * terms.squares(data.qpos[..., 7:]),
            "slip": terms.slip(touch, data.sensordata[..., 10:]),
            "power": terms.power(torque, joint_velocity),
            "smoothness": terms.change(action, state.last_action),
        }
        reward = terms.weighed(reward, self.weights)
        return Outcome(reward, terminated=(upright < 0.3) | (data.qpos[..., 2] < 0.15))

    def update(self, data: Fields, action: np.ndarray, before: Fields):
        air = terms.air_time(data.state.air, self.touch(data), self.dt)
        return {**super().update(data, action, before), "air": air}
