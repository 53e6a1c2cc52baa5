"""InvertedDoublePendulum: a cart balances two poles, one on top of the other."""

import numpy as np

from mjenv.envs import starts
from mjenv.functions import cos, sin
from mjenv.task.task import Fields, Outcome, Task, clip


class InvertedDoublePendulum(Task):
    """Keep the tip of the upper pole above 1 m (Gymnasium's InvertedDoublePendulum-v5)."""

    xml_file = "inverted_double_pendulum.xml"
    frame_skip = 5
    default_camera_config = None
    healthy_reward = 10.0
    reset_noise_scale = 0.1

    _python_floats = ("reward_survive",)
    keep = ("site_xpos", "qfrc_constraint")
    reset = starts.normal

    def observation(self, data: Fields):
        return {
            "cart": data.qpos[..., :1],
            "sin": sin(data.qpos[..., 1:]),
            "cos": cos(data.qpos[..., 1:]),
            "qvel": clip(data.qvel, -10.0, 10.0),
            "qfrc_constraint": clip(data.qfrc_constraint[..., :1], -10.0, 10.0),
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        x, y = data.site_xpos[..., 0, 0], data.site_xpos[..., 0, 2]
        lower, upper = data.qvel[..., 1], data.qvel[..., 2]
        terminated = y <= 1.0
        away = y - 2.0
        reward = {
            "reward_survive": self.healthy_reward * ~terminated,
            "distance_penalty": -(0.01 * (x * x) + away * away),
            "velocity_penalty": -(1e-3 * (lower * lower) + 5e-3 * (upper * upper)),
        }
        return Outcome(reward, terminated)
