"""The environments and their registration with Gymnasium; tasks are named by string, not loaded."""

from typing import Any, NamedTuple

import gymnasium


class Row(NamedTuple):
    """One environment: `mjenv/<id>`, made from the class `task` of `mjenv.envs.<module>`."""

    id: str
    module: str
    max_episode_steps: int
    reward_threshold: float | None

    @property
    def task(self) -> str:
        """Name of the class."""
        return self.id.partition("-")[0]


ENVS = (
    Row("InvertedPendulum-v5",       "inverted_pendulum",        1000, 950.0),
    Row("InvertedDoublePendulum-v5", "inverted_double_pendulum", 1000, 9100.0),
    Row("Reacher-v5",                "reacher",                  50,   -3.75),
    Row("Pusher-v5",                 "pusher",                   100,  0.0),
    Row("HalfCheetah-v5",            "half_cheetah",             1000, 4800.0),
    Row("Hopper-v5",                 "hopper",                   1000, 3800.0),
    Row("Walker2d-v5",               "walker2d",                 1000, None),
    Row("Swimmer-v5",                "swimmer",                  1000, 360.0),
    Row("Ant-v5",                    "ant",                      1000, 6000.0),
    Row("Humanoid-v5",               "humanoid",                 1000, None),
    Row("HumanoidStandup-v5",        "humanoid",                 1000, None),
)  # fmt: skip


def register(id: str, task: str | type, max_episode_steps: int | None = None, **spec: Any) -> None:
    """Make a task available to `gymnasium.make` and `gymnasium.make_vec`.

    Args:
        id: name of the environment, such as "Reach-v0" or "lab/Reach-v0".
        task: the subclass of `mjenv.Task`, or its name as "module:Class" (which lets the
            environment's specification be written to JSON).
        max_episode_steps: steps after which an episode is truncated; None for never.
        **spec: other arguments of `gymnasium.register`, such as `reward_threshold` or `kwargs`.

    Raises:
        gymnasium.error.Error: the name is none that Gymnasium takes.
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
