"""Digests of the bits of an environment over a thousand steps.

The actions are uniform numbers of PCG64, which are integers times a power of two, so that no
library of elementary functions decides them. What differs is told apart by where it begins: in the
compiled model (numpy, LAPACK), in the first observation (numpy's generators), in the steps (the
engine's kernels), or in the picture.
"""

from hashlib import blake2b
from typing import Any

import gymnasium
import numpy as np

import mjenv  # registers the environments
from mjenv.engine.model.model import ARRAYS, Model, Structure

NWORLD = 9  # one pack, and one world on its own
CHECKPOINTS = (1, 10, 100, 1000)  # steps after which a digest is taken
ALONE = ("mjenv/quadruped-escape-v0",)  # draws its terrain, which worlds of one engine share
SEED = 20
SIZE = 6  # bytes of a digest
PICTURE: dict[str, Any] = {"width": 160, "height": 120}
PICTURED_AT = 20  # step


def of_environment(name: str, pictures: bool = False, **settings: Any) -> dict[str, str]:
    """Digests of an environment's model and of its worlds over a thousand steps.

    Args:
        name: as `gymnasium.make_vec` takes it.
        pictures: whether to draw a picture too.
        **settings: further arguments of the environment, such as `nthread`.

    Returns:
        The digest by what it is of: "model", "start" (first observations), the number of steps
        ("1" to "1000": observations, rewards and ends of episodes until then, and the positions
        and velocities after it), and "picture".
    """
    envs: Any = gymnasium.make_vec(name, num_envs=1 if name in ALONE else NWORLD, **settings)
    try:
        # the model before it is stepped, and the first observations
        data = envs.unwrapped._worlds.data
        found = {"model": of_model(envs.unwrapped.task.model)}
        running = blake2b(digest_size=SIZE)
        observations, _ = envs.reset(seed=SEED)
        _add(running, observations)
        found["start"] = running.hexdigest()
        # actions are drawn from a generator whose bits do not depend on the version of numpy
        rng = np.random.Generator(np.random.PCG64(SEED))
        for step in range(1, CHECKPOINTS[-1] + 1):
            *results, _ = envs.step(_actions(envs.action_space, rng))
            for array in results:
                _add(running, array)
            # a digest of everything until now, and the state at this point
            if step in CHECKPOINTS:
                state = running.copy()
                _add(state, (data.qpos, data.qvel))
                found[str(step)] = state.hexdigest()
    finally:
        envs.close()
    if pictures:
        found["picture"] = of_picture(name)
    return found


def of_picture(name: str) -> str:
    """Digest of a picture of one world in motion."""
    env: Any = gymnasium.make(name, render_mode="rgb_array", **PICTURE)
    try:
        env.reset(seed=SEED)
        rng = np.random.Generator(np.random.PCG64(SEED))
        for _ in range(PICTURED_AT):
            env.step(_actions(env.action_space, rng))
        running = blake2b(digest_size=SIZE)
        _add(running, env.render())
    finally:
        env.close()
    return running.hexdigest()


def of_model(model: Model) -> str:
    """Digest of all arrays and options of a compiled model, but for where its files lie."""
    running = blake2b(digest_size=SIZE)
    for field in ARRAYS:
        if field.name != "paths":
            _add(running, getattr(model, field.name))
    for structure in (model.opt, model.stat, model.vis):
        _add(running, vars(structure))
    return running.hexdigest()


def _actions(space: Any, rng: np.random.Generator) -> Any:
    """Uniform numbers within the bounds of a space, and within -1 and 1 where it has none."""
    low = np.where(np.isfinite(space.low), space.low, -1.0)
    high = np.where(np.isfinite(space.high), space.high, 1.0)
    return (low + rng.random(space.shape) * (high - low)).astype(space.dtype)


def _add(running: Any, value: Any) -> None:
    """Add the bits of arrays, however they are put together."""
    if isinstance(value, Structure):
        value = vars(value)
    if isinstance(value, dict):
        for name in sorted(value):
            running.update(name.encode())
            _add(running, value[name])
    elif isinstance(value, (tuple, list)):
        for part in value:
            _add(running, part)
    elif value is not None:
        running.update(np.ascontiguousarray(value).tobytes())
