"""Base of the tasks of planar legs: forward motion is rewarded until they fall."""

import numpy as np

from mjenv.envs import starts
from mjenv.task.task import Fields, Outcome, Task, clip, sum_squares


class Legs(Task):
    """Legs that move in a plane, whose first coordinates are x, z and the angle of the torso.

    Classes that derive from it give the parameters their values and order, and say what is healthy.
    """

    forward_reward_weight: float
    ctrl_cost_weight: float
    healthy_reward: float
    terminate_when_unhealthy: bool
    reset_noise_scale: float
    exclude_current_positions_from_observation: bool

    reset = starts.uniform

    def observation(self, data: Fields):
        skipped = int(self.exclude_current_positions_from_observation)
        return {"qpos": data.qpos[..., skipped:], "qvel": clip(data.qvel, -10.0, 10.0)}

    def info(self, data: Fields):
        return {
            "x_position": data.qpos[..., 0],
            "z_distance_from_origin": data.qpos[..., 1] - self.init_qpos[1],
        }

    def before(self, data: Fields):
        return data.qpos[..., 0].copy()

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        x_velocity = (data.qpos[..., 0] - before) / self.dt
        healthy = self.healthy(data)
        reward = {
            "reward_forward": self.forward_reward_weight * x_velocity,
            "reward_ctrl": -self.control_cost(data, action),
            "reward_survive": self.healthy_reward * healthy,
        }
        terminated = ~healthy if self.terminate_when_unhealthy else False
        return Outcome(reward, terminated, {"x_velocity": x_velocity})

    def control_cost(self, data: Fields, action: np.ndarray):
        """Cost of an action (..., nu)."""
        return self.ctrl_cost_weight * sum_squares(action)

    def healthy(self, data: Fields):
        """True where the legs have not fallen, bool (...)."""
        raise NotImplementedError
