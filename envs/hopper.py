"""Hopper: a planar leg hops."""

import numpy as np

from mjenv.envs import starts
from mjenv.task import Outcome, Task, all_within, clip, sum_squares

CAMERA = {"trackbodyid": 2, "distance": 3.0, "lookat": (0.0, 0.0, 1.15), "elevation": -20.0}


class Hopper(Task):
    """Hop forward without falling, with small controls (Gymnasium's Hopper-v5)."""

    xml_file = "hopper.xml"
    frame_skip = 4
    default_camera_config = CAMERA
    forward_reward_weight = 1.0
    ctrl_cost_weight = 1e-3
    healthy_reward = 1.0
    terminate_when_unhealthy = True
    healthy_state_range = (-100.0, 100.0)
    healthy_z_range = (0.7, float("inf"))
    healthy_angle_range = (-0.2, 0.2)
    reset_noise_scale = 5e-3
    exclude_current_positions_from_observation = True

    reset = starts.uniform

    def observation(self, data):
        skipped = int(self.exclude_current_positions_from_observation)
        return {"qpos": data.qpos[..., skipped:], "qvel": clip(data.qvel, -10.0, 10.0)}

    def info(self, data):
        return {
            "x_position": data.qpos[..., 0],
            "z_distance_from_origin": data.qpos[..., 1] - self.init_qpos[1],
        }

    def before(self, data):
        return data.qpos[..., 0].copy()

    def outcome(self, data, action, before):
        x_velocity = (data.qpos[..., 0] - before) / self.dt
        healthy = self.healthy(data)
        reward = {
            "reward_forward": self.forward_reward_weight * x_velocity,
            "reward_ctrl": -self.ctrl_cost_weight * sum_squares(action),
            "reward_survive": self.healthy_reward * healthy,
        }
        terminated = ~healthy if self.terminate_when_unhealthy else False
        return Outcome(reward, terminated, {"x_velocity": x_velocity})

    def healthy(self, data):
        """Whether height, angle and every other coordinate are inside their ranges."""
        state = np.concatenate((data.qpos[..., 2:], data.qvel), axis=-1)
        healthy = all_within(state, *self.healthy_state_range)
        z, angle = data.qpos[..., 1], data.qpos[..., 2]
        (z_low, z_high), (angle_low, angle_high) = self.healthy_z_range, self.healthy_angle_range
        upright = (z_low < z) & (z < z_high) & (angle_low < angle) & (angle < angle_high)
        return healthy & upright
