"""Tasks of Meta-World as environments whose episodes draw their goals."""

import importlib
import pickle
from functools import cache
from typing import Any

import gymnasium
import numpy as np

from mjenv.porting.environment.files import digest_of, keep, load


def metaworld_task(
    task: str,
    *,
    partially_observable: bool = False,
    goals: str | None = None,
    goal_seed: int = 0,
    **kwargs: Any,
) -> gymnasium.Env:
    """Make a task of Meta-World.

    Args:
        task: its name, such as "reach-v3".
        partially_observable: whether the goal is left out of observations, as in meta-learning.
        goals: benchmark of which each episode has one of its 50 goals, such as "MT10"; None to
            draw a new one from all that there are.
        goal_seed: of that benchmark.
        **kwargs: of its class.
    """
    seen = "hidden" if partially_observable else "observable"
    module = importlib.import_module("metaworld.env_dict")
    kinds = getattr(module, f"ALL_V3_ENVIRONMENTS_GOAL_{seen.upper()}")
    kind = kinds[f"{task}-goal-{seen}"]
    known = None if goals is None else _known_goals(goals, goal_seed, task)

    def reset(self: Any, seed: int | None = None, options: Any = None) -> Any:
        """As of the task, which takes seeds elsewhere."""
        if seed is not None:
            self.seed(seed)
        if known is not None:
            self._last_rand_vec = known[self.np_random.choice(len(known))]
        return kind.reset(self, seed=seed, options=options)

    members = {"reset": reset, "__module__": kind.__module__, "__doc__": kind.__doc__}
    env = kind(**{"seed": 0, **kwargs})
    env.__class__ = type(kind.__name__, (kind,), members)
    # each episode draws its goal
    env._freeze_rand_vec, env.seeded_rand_vec = known is not None, True
    return env


def _known_goals(benchmark: str, seed: int, task: str) -> np.ndarray:
    """Goals of a task in a benchmark, (ngoal, size).

    Raises:
        ValueError: it has no such task, or there is no such benchmark.
    """
    module = importlib.import_module("metaworld")
    if not isinstance(benchmark, str) or not hasattr(module, benchmark):
        raise ValueError(f"goals={benchmark!r}, expected a benchmark of Meta-World, such as 'MT10'")
    found = _goals(benchmark, seed)
    if task not in found:
        raise ValueError(f"goals={benchmark!r}: has no task {task}, expected one of {[*found]}")
    return found[task]


@cache
def _goals(benchmark: str, seed: int) -> dict[str, np.ndarray]:
    """Goals of all tasks of a benchmark, of training and tests."""
    # Meta-World makes all tasks for them, and has each reset 50 times
    key = digest_of(("metaworld",), ("goals", benchmark, seed), np.__version__)
    kept = None if key is None else load(key)
    if kept is not None:
        return kept
    goals = _drawn_goals(benchmark, seed)
    if key is not None:
        keep(key, goals)
    return goals


def _drawn_goals(benchmark: str, seed: int) -> dict[str, np.ndarray]:
    made = getattr(importlib.import_module("metaworld"), benchmark)(seed=seed)
    found: dict[str, list[np.ndarray]] = {}
    for task in (*made.train_tasks, *made.test_tasks):
        found.setdefault(task.env_name, []).append(pickle.loads(task.data)["rand_vec"])
    return {name: np.array(vectors) for name, vectors in found.items()}
