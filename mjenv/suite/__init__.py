"""The dm_control suite: its tasks by name, and as environments with the interface of dm_env.

`load("cheetah", "run", task_kwargs={"random": 0})` gives the TimeSteps that the package dm_control
gives for the same seed; neither it nor dm_env is needed. `gymnasium.make("mjenv/cheetah-run-v0")`
is the same task in Gymnasium.
"""

from mjenv.suite.environment import Environment, PhysicsError
from mjenv.suite.loading import ALL_TASKS, BENCHMARKING, EASY, EXTRA, HARD, TASKS_BY_DOMAIN, load

__all__ = [
    "ALL_TASKS",
    "BENCHMARKING",
    "EASY",
    "EXTRA",
    "HARD",
    "TASKS_BY_DOMAIN",
    "Environment",
    "PhysicsError",
    "load",
]
