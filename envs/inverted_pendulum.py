"""InvertedPendulum: a cart balances a pole."""

import numpy as np

from mjenv.envs import starts
from mjenv.task.task import Fields, Outcome, Task, all_finite

CAMERA = {"trackbodyid": 0, "distance": 2.04}


class InvertedPendulum(Task):
    """Keep the pole within 0.2 rad of upright (Gymnasium's InvertedPendulum-v5)."""

    xml_file = "inverted_pendulum.xml"
    frame_skip = 2
    default_camera_config = CAMERA
    reset_noise_scale = 0.01

    reset = starts.uniform

    def observation(self, data: Fields):
        return {"qpos": data.qpos, "qvel": data.qvel}

    def outcome(self, data: Fields, action: np.ndarray, before: Fields):
        # not a number is not within the limit either
        upright = np.abs(data.qpos[..., 1]) <= 0.2
        alive = upright & all_finite(data.qpos + data.qvel)
        return Outcome({"reward_survive": alive * 1}, terminated=~alive)
