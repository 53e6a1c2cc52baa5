"""The environments and their registration with Gymnasium; tasks are named by string, not loaded."""

from typing import Any, NamedTuple

import gymnasium


class Row(NamedTuple):
    """One environment: `mjenv/<id>`, made from the class `task` of `mjenv.envs.<module>`."""

    id: str
    module: str
    task: str
    max_episode_steps: int
    reward_threshold: float | None


ENVS = (
    Row("InvertedPendulum-v5", "inverted_pendulum", "InvertedPendulum", 1000, 950.0),
    Row("HalfCheetah-v5",      "half_cheetah",      "HalfCheetah",      1000, 4800.0),
    Row("Hopper-v5",           "hopper",            "Hopper",           1000, 3800.0),
    Row("Ant-v5",              "ant",               "Ant",              1000, 6000.0),
)  # fmt: skip


def register(id: str, task: str | type, max_episode_steps: int | None = None, **spec: Any) -> None:
    """Make a task available to `gymnasium.make` and `gymnasium.make_vec`.

    Args:
        id: name of the environment, such as "Reach-v0" or "lab/Reach-v0".
        task: the subclass of `mjenv.Task`, or its name as "module:Class" (which lets the
            environment's specification be written to JSON).
        max_episode_steps: steps after which an episode is truncated; None for never.
        **spec: other arguments of `gymnasium.register`, such as `reward_threshold` or `kwargs`.
    """
    parameters = {"task": task, **spec.pop("kwargs", {})}
    gymnasium.register(
        id=id,
        entry_point="mjenv.env:Env",
        vector_entry_point="mjenv.vector:VectorEnv",
        max_episode_steps=max_episode_steps,
        kwargs=parameters,
        **spec,
    )


def _register_all() -> None:
    for row in ENVS:
        gymnasium.register(
            id=f"mjenv/{row.id}",
            entry_point=f"mjenv.envs:{row.task}Env",
            vector_entry_point=f"mjenv.envs:{row.task}VectorEnv",
            max_episode_steps=row.max_episode_steps,
            reward_threshold=row.reward_threshold,
        )


_register_all()
