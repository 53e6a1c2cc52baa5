"""HalfCheetah: a planar animal runs."""

import numpy as np

from mjenv.envs import starts
from mjenv.task.task import Fields, Outcome, Task, sum_squares

CAMERA = {"distance": 4.0}


class HalfCheetah(Task):
    """Run forward fast, with small controls (Gymnasium's HalfCheetah-v5)."""

    xml_file = "half_cheetah.xml"
    frame_skip = 5
    default_camera_config = CAMERA
    forward_reward_weight = 1.0
    ctrl_cost_weight = 0.1
    reset_noise_scale = 0.1
    exclude_current_positions_from_observation = True

    reset = starts.normal

    def observation(self, data: Fields):
        skipped = int(self.exclude_current_positions_from_observation)
        return {"qpos": data.qpos[..., skipped:], "qvel": data.qvel}

    def info(self, data: Fields):
        return {"x_position": data.qpos[..., 0]}

    def before(self, data: Fields):
        return data.qpos[..., 0].copy()

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        x_velocity = (data.qpos[..., 0] - before) / self.dt
        reward = {
            "reward_forward": self.forward_reward_weight * x_velocity,
            "reward_ctrl": -self.control_cost(data, action),
        }
        return Outcome(reward, info={"x_velocity": x_velocity})

    def control_cost(self, data: Fields, action: np.ndarray):
        """Cost of an action (..., nu)."""
        return self.ctrl_cost_weight * sum_squares(action)
