"""Walker2d: two planar legs walk."""

from mjenv.envs.legs import Legs
from mjenv.task.task import Fields

CAMERA = {"trackbodyid": 2, "distance": 4.0, "lookat": (0.0, 0.0, 1.15), "elevation": -20.0}


class Walker2d(Legs):
    """Walk forward without falling, with small controls (Gymnasium's Walker2d-v5)."""

    xml_file = "walker2d_v5.xml"
    frame_skip = 4
    default_camera_config = CAMERA
    forward_reward_weight = 1.0
    ctrl_cost_weight = 1e-3
    healthy_reward = 1.0
    terminate_when_unhealthy = True
    healthy_z_range = (0.8, 2.0)
    healthy_angle_range = (-1.0, 1.0)
    reset_noise_scale = 5e-3
    exclude_current_positions_from_observation = True

    def healthy(self, data: Fields):
        """True if height and angle of the torso are inside their ranges."""
        z, angle = data.qpos[..., 1], data.qpos[..., 2]
        (z_low, z_high), (angle_low, angle_high) = self.healthy_z_range, self.healthy_angle_range
        return (z_low < z) & (z < z_high) & (angle_low < angle) & (angle < angle_high)
