"""A hand that turns a cube with its fingers."""

from typing import TYPE_CHECKING

import numpy as np

from mjenv import terms
from mjenv.task.task import Fields, Outcome, Task, clip

if TYPE_CHECKING:
    from mjenv.task.random_streams import Streams


class HandTurn(Task):
    """Turn a cube in the hand about the vertical, left or right by command, without dropping it."""

    xml_file = "robots/hand.xml"
    frame_skip = 8
    keep = ("qfrc_actuator",)

    fastest = 1.5  # turns beyond it are not rewarded (rad/s)
    seconds = 4.0  # between commands
    weights = {
        "spin": 1.0, "middle": -30.0, "tilt": -0.1, "posture": -0.005, "power": -0.001,
        "smoothness": -0.003,
    }  # fmt: skip

    @property
    def state(self):
        return {"direction": 1.0, "last_action": np.zeros(self.model.nu), "steps": 0}

    def reset(self, rng: "Streams"):
        noise = np.r_[np.full(12, 0.1), 0.005, 0.005, np.zeros(5)]
        qpos = self.init_qpos + noise * rng.uniform(-1, 1, self.model.nq)
        turn = rng.uniform(-np.pi, np.pi)
        qpos[..., 15], qpos[..., 18] = np.cos(turn / 2), np.sin(turn / 2)
        return {"qpos": qpos, **self.draw(rng)}

    def draw(self, rng: "Streams"):
        return {"direction": np.where(rng.uniform() < 0.5, -1.0, 1.0), "steps": 0}

    def due(self, data: Fields):
        return data.state.steps * self.dt >= self.seconds

    def observation(self, data: Fields):
        state, cube = data.state, data.qpos[..., 12:]
        return {
            "joints": data.qpos[..., :12],
            "joint_velocities": terms.scaled(data.qvel[..., :12], 0.1, clip=20.0),
            "cube": terms.scaled(cube[..., :3] - [0.0, 0.0, 0.03], 20.0, clip=0.1),
            "ahead": terms.rotate(cube[..., 3:], np.eye(3)[0]),
            "spin": terms.scaled(data.sensordata[..., 3:6], 0.5, clip=10.0),
            "last_action": state.last_action,
            "direction": state.direction[..., None],
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        state, cube = data.state, data.sensordata[..., :3]
        off, spin = terms.squares(cube[..., :2]), state.direction * data.sensordata[..., 5]
        reward = {
            "spin": clip(spin, -self.fastest, self.fastest),
            "middle": off,
            "tilt": 1.0 - terms.upright(data.qpos[..., 15:19]),
            "posture": terms.squares(data.qpos[..., :12]),
            "power": terms.power(data.qfrc_actuator[..., :12], data.qvel[..., :12]),
            "smoothness": terms.change(action, state.last_action),
        }
        lost = (off > 0.05**2) | (cube[..., 2] > 0.06)
        return Outcome(terms.weighed(reward, self.weights), terminated=lost)

    def update(self, data: Fields, action: np.ndarray, before: Fields):
        return {"last_action": action, "steps": data.state.steps + 1}

    def info(self, data: Fields):
        return {"direction": data.state.direction}
