"""Humanoid: a humanoid walks, or stands up from lying on its back."""

import numpy as np

from mjenv.envs import starts
from mjenv.task.task import Fields, Outcome, Task, clip, flat, sum_squares

CAMERA = {"trackbodyid": 1, "distance": 4.0, "lookat": (0.0, 0.0, 2.0), "elevation": -20.0}
CAMERA_BELOW = {**CAMERA, "lookat": (0.0, 0.0, 0.8925)}


class _Body(Task):
    """Observations of the humanoid in both tasks, and its initial states.

    Inertias, velocities and forces of bodies are those of the last stage of the integrator.
    """

    exclude_current_positions_from_observation: bool
    include_cinert_in_observation: bool
    include_cvel_in_observation: bool
    include_qfrc_actuator_in_observation: bool
    include_cfrc_ext_in_observation: bool

    keep = (
        "xipos",
        "cinert",
        "cvel",
        "qfrc_actuator",
        "cfrc_ext",
        "ten_length",
        "ten_velocity",
    )
    reset = starts.uniform

    def observation(self, data: Fields):
        skipped = 2 if self.exclude_current_positions_from_observation else 0
        bodies, dofs = self.model.nbody, self.model.nv
        # what is left out is a part of size zero
        cinert = 1 if self.include_cinert_in_observation else bodies
        cvel = 1 if self.include_cvel_in_observation else bodies
        force = 6 if self.include_qfrc_actuator_in_observation else dofs
        cfrc_ext = 1 if self.include_cfrc_ext_in_observation else bodies
        return {
            "qpos": data.qpos[..., skipped:],
            "qvel": data.qvel,
            "cinert": flat(data.cinert[..., cinert:, :]),
            "cvel": flat(data.cvel[..., cvel:, :]),
            "qfrc_actuator": data.qfrc_actuator[..., force:],
            "cfrc_ext": flat(data.cfrc_ext[..., cfrc_ext:, :]),
            "ten_length": data.ten_length[..., :0],
            "ten_velocity": data.ten_velocity[..., :0],
        }


class Humanoid(_Body):
    """Walk in the direction of x without falling (Gymnasium's Humanoid-v5)."""

    xml_file = "humanoid.xml"
    frame_skip = 5
    default_camera_config = CAMERA
    forward_reward_weight = 1.25
    ctrl_cost_weight = 0.1
    contact_cost_weight = 5e-7
    contact_cost_range = (-float("inf"), 10.0)
    healthy_reward = 5.0
    terminate_when_unhealthy = True
    healthy_z_range = (1.0, 2.0)
    reset_noise_scale = 1e-2
    exclude_current_positions_from_observation = True
    include_cinert_in_observation = True
    include_cvel_in_observation = True
    include_qfrc_actuator_in_observation = True
    include_cfrc_ext_in_observation = True

    def info(self, data: Fields):
        x, y = data.qpos[..., 0], data.qpos[..., 1]
        return {
            "x_position": x,
            "y_position": y,
            "tendon_length": data.ten_length,
            "tendon_velocity": data.ten_velocity,
            "distance_from_origin": np.sqrt(x * x + y * y),
        }

    def before(self, data: Fields):
        return self.mass_center(data)

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        velocity = (self.mass_center(data) - before) / self.dt
        x_velocity, y_velocity = velocity[..., 0], velocity[..., 1]
        healthy = self.healthy(data)
        reward = {
            "reward_survive": self.healthy_reward * healthy,
            "reward_forward": self.forward_reward_weight * x_velocity,
            "reward_ctrl": -self.control_cost(data, action),
            "reward_contact": -self.contact_cost(data),
        }
        terminated = ~healthy if self.terminate_when_unhealthy else False
        return Outcome(reward, terminated, {"x_velocity": x_velocity, "y_velocity": y_velocity})

    def control_cost(self, data: Fields, action: np.ndarray):
        """Cost of an action (..., nu)."""
        return self.ctrl_cost_weight * sum_squares(data.ctrl)

    def contact_cost(self, data: Fields):
        """Cost of forces on the bodies, within its range."""
        cost = self.contact_cost_weight * sum_squares(flat(data.cfrc_ext))
        return clip(cost, *self.contact_cost_range)

    def healthy(self, data: Fields):
        """True if the torso's height is inside its range."""
        low, high = self.healthy_z_range
        z = data.qpos[..., 2]
        return (low < z) & (z < high)

    def mass_center(self, data: Fields):
        """Horizontal position of the center of mass, (..., 2) in meters."""
        mass = self.model.body_mass
        return np.add.reduce(mass[:, None] * data.xipos[..., :2], axis=-2) / mass.sum()


class HumanoidStandup(_Body):
    """Rise from lying on the back (Gymnasium's HumanoidStandup-v5).

    `uph_cost_weight` has no effect, as in Gymnasium, unless `mended` is set: then it is the weight
    of the height, and the constant part of the reward is reported as `reward_alive`.
    """

    xml_file = "humanoidstandup.xml"
    frame_skip = 5
    default_camera_config = CAMERA_BELOW
    uph_cost_weight = 1
    ctrl_cost_weight = 0.1
    impact_cost_weight = 0.5e-6
    impact_cost_range = (-float("inf"), 10.0)
    reset_noise_scale = 1e-2
    exclude_current_positions_from_observation = True
    include_cinert_in_observation = True
    include_cvel_in_observation = True
    include_qfrc_actuator_in_observation = True
    include_cfrc_ext_in_observation = True
    mended = False
    _by_keyword = (*Task._by_keyword, "mended")

    def info(self, data: Fields):
        return {
            "x_position": data.qpos[..., 0],
            "y_position": data.qpos[..., 1],
            "z_distance_from_origin": data.qpos[..., 2] - self.init_qpos[2],
            "tendon_length": data.ten_length,
            "tendon_velocity": data.ten_velocity,
        }

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        rise = data.qpos[..., 2] / self.model.opt.timestep
        impact_cost = self.impact_cost_weight * sum_squares(flat(data.cfrc_ext))
        reward = {
            "reward_linup": self.uph_cost_weight * rise if self.mended else rise,
            "reward_quadctrl": -self.ctrl_cost_weight * sum_squares(data.ctrl),
            "reward_impact": -clip(impact_cost, *self.impact_cost_range),
        }
        if self.mended:
            return Outcome({**reward, "reward_alive": np.ones_like(rise)})
        return Outcome(reward, unreported=1.0)
