"""Records what dm_control gives, for machines without it: `python record.py [domain ...]`.

Needs dm_control 1.0.41 with mujoco 3.8.1. A file per domain, recorded/<domain>.npz, has for each
task the models as they are loaded, and TimeSteps of two episodes of 25 random actions from each of
two seeds: the first nine and the last; and how far these are arbitrary.
"""

import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).parent / "recorded"
SEEDS, EPISODES, STEPS = (0, 1), 2, 25
# which TimeSteps are kept: later ones differ where contacts are chaotic
KEPT = (*range(9), STEPS)
DISTURBED, SPREAD = 4, "spread"
LARGEST = 5000  # elements of a field of the model; of larger ones, a hash is kept


def actions_of(seed: int, episode: int, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The actions (25, nu) of an episode."""
    random = np.random.RandomState(1000 + 10 * seed + episode)
    return random.uniform(np.maximum(low, -1e3), np.minimum(high, 1e3), (STEPS, len(low)))


def play(env, seed: int, disturb: Callable[[], None] | None = None) -> dict[str, np.ndarray]:
    """Observations by key (episodes, kept, ...), rewards and discounts, of a fresh environment.

    Args:
        env: the environment.
        seed: of the actions.
        disturb: called before each step.
    """
    spec = env.action_spec()
    rows: dict[str, list] = {}
    for episode in range(EPISODES):
        steps = [env.reset()]
        for action in actions_of(seed, episode, spec.minimum, spec.maximum):
            if disturb is not None:
                disturb()
            steps.append(env.step(action))
        for k in KEPT:
            for key, value in steps[k].observation.items():
                rows.setdefault(f"observation/{key}", []).append(value)
            rows.setdefault("reward", []).append(steps[k].reward if k else 0.0)
            rows.setdefault("discount", []).append(steps[k].discount if k else 0.0)
    return {
        name: np.array(row, np.float64).reshape(EPISODES, len(KEPT), *np.shape(row[0]))
        for name, row in rows.items()
    }


def spread_of(make: Callable, seed: int, played: dict[str, np.ndarray]) -> np.ndarray:
    """How far MuJoCo's own TimeSteps move when positions change by rounding: (episodes, kept)."""
    spread = np.zeros((EPISODES, len(KEPT)))
    for number in range(DISTURBED):
        env, random = make(), np.random.RandomState(number)

        def disturb(env=env, random=random) -> None:
            qpos = env.physics.data.qpos
            qpos *= 1 + 2e-16 * random.randint(-2, 3, len(qpos))

        for name, values in play(env, seed, disturb).items():
            away = np.abs(values - played[name]).reshape(*spread.shape, -1)
            spread = np.maximum(spread, away.max(axis=-1))
    return spread


def fields_of(model) -> tuple[str, np.ndarray]:
    """The fields of a mujoco.MjModel: JSON of their names and places, and their numbers.

    A place is the start and shape among the numbers, or the hash of a field that is large or text.
    """
    places, numbers, start = {}, [], 0
    for owner, prefix in ((model, ""), (model.opt, "opt."), (model.stat, "stat.")):
        for name in dir(owner):
            value = getattr(owner, name)
            if name[0] == "_" or not isinstance(value, np.ndarray | int | float | bytes):
                continue
            array = np.asarray(value)
            if array.size > LARGEST or array.dtype.kind not in "biuf":
                places[prefix + name] = hash_of(array)
                continue
            places[prefix + name] = [start, list(array.shape)]
            numbers.append(array.astype(np.float64).reshape(-1))
            start += array.size
    return json.dumps(places), np.concatenate(numbers)


def hash_of(array: np.ndarray) -> str:
    """A hash of an array's bits."""
    return hashlib.sha256(array.tobytes()).hexdigest()


def record(domain: str, suite) -> None:
    """Write the file of a domain."""
    found, models = {}, {}
    for name in suite.TASKS_BY_DOMAIN[domain]:
        for seed in SEEDS:

            def make(name=name, seed=seed):
                env = suite.load(domain, name, {"random": seed})
                # nothing is drawn
                type(env.physics).contexts = None
                return env

            env = make()
            if seed == SEEDS[0]:
                places, numbers = fields_of(env.physics.model.ptr)
                same = models.setdefault((places, numbers.tobytes()), name)
                found[f"{name}/model"] = np.array(same)
                if same == name:
                    found[f"{name}/places"] = np.frombuffer(places.encode(), np.uint8)
                    found[f"{name}/numbers"] = numbers
            played = play(env, seed)
            for key, values in played.items():
                found[f"{name}/{seed}/{key}"] = values
            found[f"{name}/{seed}/{SPREAD}"] = spread_of(make, seed, played)
    RECORDED.mkdir(exist_ok=True)
    np.savez_compressed(RECORDED / f"{domain}.npz", **found)


if __name__ == "__main__":
    os.environ["MUJOCO_GL"] = "disabled"
    from dm_control import suite as dm_suite

    for one in sys.argv[1:] or dm_suite.TASKS_BY_DOMAIN:
        record(one, dm_suite)
