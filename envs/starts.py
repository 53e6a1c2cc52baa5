"""Initial states that several tasks have: the model's own, plus noise.

The functions are methods: a task names one of them `reset`.
"""

from typing import Any

import numpy as np


def uniform(task: Any, rng: Any) -> tuple[np.ndarray, np.ndarray]:
    """Positions (..., nq) and velocities (..., nv), both with uniform noise."""
    noise = task.reset_noise_scale
    qpos = task.init_qpos + rng.uniform(-noise, noise, task.model.nq)
    qvel = task.init_qvel + rng.uniform(-noise, noise, task.model.nv)
    return qpos, qvel


def normal(task: Any, rng: Any) -> tuple[np.ndarray, np.ndarray]:
    """Positions (..., nq) with uniform noise, velocities (..., nv) with normal noise."""
    noise = task.reset_noise_scale
    qpos = task.init_qpos + rng.uniform(-noise, noise, task.model.nq)
    qvel = task.init_qvel + noise * rng.standard_normal(task.model.nv)
    return qpos, qvel
