"""Initial states that several tasks have: the model's own, plus noise.

The functions are methods: a task names one of them `reset`, and is their `self`.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from mjenv.task.random_streams import Streams


def uniform(self: Any, rng: "Streams") -> tuple[np.ndarray, np.ndarray]:
    """Positions (..., nq) and velocities (..., nv), both with uniform noise."""
    noise, nq = self.reset_noise_scale, self.model.nq
    # one draw has the numbers of two
    drawn = rng.uniform(-noise, noise, nq + self.model.nv)
    return self.init_qpos + drawn[..., :nq], self.init_qvel + drawn[..., nq:]


def normal(self: Any, rng: "Streams") -> tuple[np.ndarray, np.ndarray]:
    """Positions (..., nq) with uniform noise, velocities (..., nv) with normal noise."""
    noise = self.reset_noise_scale
    qpos = self.init_qpos + rng.uniform(-noise, noise, self.model.nq)
    qvel = self.init_qvel + noise * rng.standard_normal(self.model.nv)
    return qpos, qvel


# compiled code may draw these, with the same bits: see mjenv/stepping/noise_reset.py
vars(uniform)["noise"], vars(normal)["noise"] = "uniform", "normal"
