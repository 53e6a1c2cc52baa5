"""An arm that reaches for a cube and lifts it to a place."""

from typing import TYPE_CHECKING

import numpy as np

from mjenv import terms
from mjenv.task.task import Fields, Outcome, Task, clip

if TYPE_CHECKING:
    from mjenv.task.random_streams import Streams


class ArmLift(Task):
    """Grasp a cube with two fingers, and hold it at a goal in the air."""

    xml_file = "robots/arm.xml"
    frame_skip = 8

    # shares of episodes that begin above the floor, with the fingers around the cube, and with it
    starts = (0.6, 0.2, 0.2)
    spread = (0.05, 0.1, 0.0)  # of places of the cube, to both sides (m)
    weights = {
        "reach": 0.5, "grasp": 0.5, "lift": 1.5, "goal": 3.0, "speed": -0.002, "smoothness": -0.005,
    }  # fmt: skip

    @property
    def state(self):
        return {"goal": np.zeros(3), "last_action": np.zeros(self.model.nu)}

    def reset(self, rng: "Streams"):
        start, spread = rng.choice(3, p=self.starts), np.asarray(self.spread)
        cube = np.r_[np.zeros(7), spread, np.zeros(4)] * rng.uniform(-1, 1, 14)
        arm = np.r_[np.full(5, 0.1), np.zeros(9)] * rng.uniform(-1, 1, 14)
        qpos = self.model.key_qpos[start] + np.where(start == 0, (cube + arm).T, 0.0).T
        turn = 0.5 * rng.uniform(-0.5, 0.5) * (start == 0)
        qpos[..., 10], qpos[..., 13] = np.cos(turn), np.sin(turn)
        goal = rng.uniform([0.25, -0.1, 0.1], [0.35, 0.1, 0.25])
        return {"qpos": qpos, "goal": goal, "mocap_pos": goal[..., None, :]}

    def places(self, data: Fields):
        """Positions of the middle between the fingers and of the cube, (..., 3) each."""
        return data.sensordata[..., :3], data.sensordata[..., 3:6]

    def observation(self, data: Fields):
        (grip, cube), state = self.places(data), data.state
        return {
            "joints": terms.scaled(data.qpos[..., :7], np.r_[np.ones(5), 20.0, 20.0]),
            "joint_velocities": terms.scaled(data.qvel[..., :7], 0.2, clip=10.0),
            "reach": terms.scaled(cube - grip, 5.0),
            "cube": terms.scaled(cube, 5.0),
            "turn": terms.rotate(data.qpos[..., 10:14], np.eye(3)[0]),
            "goal": terms.scaled(state.goal - cube, 5.0),
            "touch": terms.scaled(data.sensordata[..., 6:8], 0.2, clip=10.0),
            "last_action": state.last_action,
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        (grip, cube), state = self.places(data), data.state
        apart, touch = terms.distance(grip, cube), data.sensordata[..., 6:8] > 0.1
        lifted = clip((cube[..., 2] - 0.022) / 0.05, 0.0, 1.0)
        away = terms.distance(cube, state.goal)
        reward = {
            "reach": terms.near(apart, 0.15),
            "grasp": touch.all(axis=-1) & (apart < 0.03),
            "lift": lifted,
            "goal": lifted * (0.5 * terms.near(away, 0.15) + 0.5 * terms.near(away, 0.04)),
            "speed": terms.squares(data.qvel[..., :5]),
            "smoothness": terms.change(action, state.last_action),
        }
        reward = terms.weighed(reward, self.weights)
        lost = np.abs(cube[..., 0] - 0.3) + np.abs(cube[..., 1]) > 0.4
        return Outcome(reward, terminated=lost, info={"distance": away})

    def update(self, data: Fields, action: np.ndarray, before: Fields):
        return {"last_action": action}
