"""Swimmer: three links in a row swim."""

import numpy as np

from mjenv.envs import starts
from mjenv.task.task import Fields, Outcome, Task, sum_squares


class Swimmer(Task):
    """Swim in the direction of x, with small controls (Gymnasium's Swimmer-v5)."""

    xml_file = "swimmer.xml"
    frame_skip = 4
    default_camera_config = None
    forward_reward_weight = 1.0
    ctrl_cost_weight = 1e-4
    reset_noise_scale = 0.1
    exclude_current_positions_from_observation = True

    reset = starts.uniform

    def observation(self, data: Fields):
        skipped = 2 if self.exclude_current_positions_from_observation else 0
        return {"qpos": data.qpos[..., skipped:], "qvel": data.qvel}

    def info(self, data: Fields):
        x, y = data.qpos[..., 0], data.qpos[..., 1]
        return {"x_position": x, "y_position": y, "distance_from_origin": np.sqrt(x * x + y * y)}

    def before(self, data: Fields):
        return data.qpos[..., :2].copy()

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        velocity = (data.qpos[..., :2] - before) / self.dt
        x_velocity, y_velocity = velocity[..., 0], velocity[..., 1]
        reward = {
            "reward_forward": self.forward_reward_weight * x_velocity,
            "reward_ctrl": -self.control_cost(data, action),
        }
        return Outcome(reward, info={"x_velocity": x_velocity, "y_velocity": y_velocity})

    def control_cost(self, data: Fields, action: np.ndarray):
        """Cost of an action (..., nu)."""
        return self.ctrl_cost_weight * sum_squares(action)
