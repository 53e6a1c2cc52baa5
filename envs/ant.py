"""Ant: a torso on four legs walks."""

from functools import cached_property

import numpy as np

from mjenv.envs import starts
from mjenv.task.task import Fields, Outcome, Task, all_finite, clip, flat, sum_squares

CAMERA = {"distance": 4.0}


class Ant(Task):
    """Walk in the direction of x without falling or jumping (Gymnasium's Ant-v5).

    The velocity is that of the main body, from its `xpos`, which belongs to the last evaluation of
    the dynamics.
    """

    xml_file = "ant.xml"
    frame_skip = 5
    default_camera_config = CAMERA
    forward_reward_weight = 1
    ctrl_cost_weight = 0.5
    contact_cost_weight = 5e-4
    healthy_reward = 1.0
    main_body = 1
    terminate_when_unhealthy = True
    healthy_z_range = (0.2, 1.0)
    contact_force_range = (-1.0, 1.0)
    reset_noise_scale = 0.1
    exclude_current_positions_from_observation = True
    include_cfrc_ext_in_observation = True

    keep = ("xpos", "cfrc_ext")

    @cached_property
    def main_bodyid(self):
        """Number of the body whose velocity is rewarded."""
        return self.model.body(self.main_body).id

    reset = starts.normal

    def observation(self, data: Fields):
        skipped = 2 if self.exclude_current_positions_from_observation else 0
        first = 1 if self.include_cfrc_ext_in_observation else self.model.nbody
        force = clip(data.cfrc_ext[..., first:, :], *self.contact_force_range)
        return {
            "qpos": data.qpos[..., skipped:],
            "qvel": data.qvel,
            "cfrc_ext": flat(force),
        }

    def info(self, data: Fields):
        x, y = data.qpos[..., 0], data.qpos[..., 1]
        return {"x_position": x, "y_position": y, "distance_from_origin": np.sqrt(x * x + y * y)}

    def before(self, data: Fields):
        return data.xpos[..., self.main_bodyid, :2].copy()

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        velocity = (data.xpos[..., self.main_bodyid, :2] - before) / self.dt
        x_velocity, y_velocity = velocity[..., 0], velocity[..., 1]
        healthy = self.healthy(data)
        reward = {
            "reward_forward": self.forward_reward_weight * x_velocity,
            "reward_ctrl": -self.control_cost(data, action),
            "reward_contact": -self.contact_cost(data),
            "reward_survive": self.healthy_reward * healthy,
        }
        terminated = ~healthy if self.terminate_when_unhealthy else False
        return Outcome(reward, terminated, {"x_velocity": x_velocity, "y_velocity": y_velocity})

    def control_cost(self, data: Fields, action: np.ndarray):
        """Cost of an action (..., nu)."""
        return self.ctrl_cost_weight * sum_squares(action)

    def contact_forces(self, data: Fields):
        """Forces and torques on the bodies within their range, (..., nbody, 6)."""
        return clip(data.cfrc_ext, *self.contact_force_range)

    def contact_cost(self, data: Fields):
        """Cost of forces on the bodies."""
        return self.contact_cost_weight * sum_squares(flat(self.contact_forces(data)))

    def healthy(self, data: Fields):
        """True if the torso's height is inside its range and the state is finite."""
        low, high = self.healthy_z_range
        z = data.qpos[..., 2]
        return (low <= z) & (z <= high) & all_finite(data.qpos) & all_finite(data.qvel)
