"""The environments and their registration with Gymnasium; tasks are named by string, not loaded.

Gymnasium is not imported for it: they are registered once a program has imported it.
"""

from typing import Any, NamedTuple

from mjenv.gym import suites


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

# robots of mjenv's own
ROBOTS = (
    Row("QuadrupedJoystick-v0",      "robots.quadruped",         1000, None),
    Row("QuadrupedRough-v0",         "robots.rough",             1000, None),
    Row("BipedJoystick-v0",          "robots.biped",             1000, None),
    Row("ArmLift-v0",                "robots.arm",               150,  None),
    Row("HandTurn-v0",               "robots.hand",              300,  None),
    Row("TwoAnts-v0",                "robots.two_ants",          500,  None),
    Row("Go1Velocity-v0",            "robots.go1",               1000, None),
    Row("Go1Rough-v0",               "robots.go1",               1000, None),
    Row("G1Velocity-v0",             "robots.g1",                1000, None),
    Row("G1Tracking-v0",             "robots.tracking",          500,  None),
)  # fmt: skip


class SuiteRow(NamedTuple):
    """A task of the dm_control suite: `mjenv/<domain>-<task>-v0`.

    Its class is that of `mjenv.envs.suite.<domain>` with the name of the task in capitals.
    """

    domain: str
    task: str
    tags: tuple[str, ...] = ()
    max_episode_steps: int | None = 1000

    @property
    def id(self) -> str:
        """Name of the environment, without the prefix."""
        return f"{self.domain}-{self.task}-v0"

    @property
    def path(self) -> str:
        """The class, as "module:Class"."""
        name = "".join(word.capitalize() for word in self.task.split("_"))
        return f"mjenv.envs.suite.{self.domain.lower()}:{name}"


BENCH, EASY, HARD = ("benchmarking",), ("benchmarking", "easy"), ("hard",)
SUITE = (
    SuiteRow("acrobot",     "swingup",        BENCH),
    SuiteRow("acrobot",     "swingup_sparse", BENCH),
    SuiteRow("ball_in_cup", "catch",          EASY),
    SuiteRow("cartpole",    "balance",        BENCH),
    SuiteRow("cartpole",    "balance_sparse", BENCH),
    SuiteRow("cartpole",    "swingup",        BENCH),
    SuiteRow("cartpole",    "swingup_sparse", BENCH),
    SuiteRow("cartpole",    "two_poles"),
    SuiteRow("cartpole",    "three_poles"),
    SuiteRow("cheetah",     "run",            BENCH),
    SuiteRow("dog",         "stand"),
    SuiteRow("dog",         "walk"),
    SuiteRow("dog",         "trot"),
    SuiteRow("dog",         "run"),
    SuiteRow("dog",         "fetch",          HARD),
    SuiteRow("finger",      "spin",           BENCH),
    SuiteRow("finger",      "turn_easy",      BENCH),
    SuiteRow("finger",      "turn_hard",      BENCH),
    SuiteRow("fish",        "upright",        BENCH),
    SuiteRow("fish",        "swim",           BENCH),
    SuiteRow("hopper",      "stand",          BENCH),
    SuiteRow("hopper",      "hop",            BENCH),
    SuiteRow("humanoid",    "stand",          BENCH),
    SuiteRow("humanoid",    "walk",           BENCH),
    SuiteRow("humanoid",    "run",            BENCH),
    SuiteRow("humanoid",    "run_pure_state"),
    SuiteRow("humanoid_CMU", "stand"),
    SuiteRow("humanoid_CMU", "walk"),
    SuiteRow("humanoid_CMU", "run"),
    SuiteRow("lqr",         "lqr_2_1",        max_episode_steps=None),
    SuiteRow("lqr",         "lqr_6_2",        max_episode_steps=None),
    SuiteRow("manipulator", "bring_ball",     ("benchmarking", "hard")),
    SuiteRow("manipulator", "bring_peg",      HARD),
    SuiteRow("manipulator", "insert_ball",    HARD),
    SuiteRow("manipulator", "insert_peg",     HARD),
    SuiteRow("pendulum",    "swingup",        BENCH),
    SuiteRow("point_mass",  "easy",           EASY),
    SuiteRow("point_mass",  "hard"),
    SuiteRow("quadruped",   "walk"),
    SuiteRow("quadruped",   "run"),
    SuiteRow("quadruped",   "escape"),
    SuiteRow("quadruped",   "fetch"),
    SuiteRow("reacher",     "easy",           EASY),
    SuiteRow("reacher",     "hard",           BENCH),
    SuiteRow("stacker",     "stack_2",        HARD),
    SuiteRow("stacker",     "stack_4",        HARD),
    SuiteRow("swimmer",     "swimmer6",       BENCH),
    SuiteRow("swimmer",     "swimmer15",      BENCH),
    SuiteRow("walker",      "stand",          BENCH),
    SuiteRow("walker",      "walk",           BENCH),
    SuiteRow("walker",      "run",            BENCH),
)  # fmt: skip


MIX = "mjenv.multi.environment:MultiVectorEnv"  # of environments of several tasks
# what these wrappers of `gymnasium.make` refuse, the environments refuse themselves
UNWRAPPED: dict[str, Any] = {"order_enforce": False, "disable_env_checker": True}


def register(id: str, task: str | type, max_episode_steps: int | None = None, **spec: Any) -> None:
    """Make a task available to `gymnasium.make` and `gymnasium.make_vec`.

    Args:
        id: name of the environment, such as "Reach-v0" or "lab/Reach-v0".
        task: the subclass of `mjenv.Task`, or its name as "module:Class" (which lets the
            environment's specification be written to JSON).
        max_episode_steps: steps after which an episode is truncated; None for never.
        **spec: other arguments of `gymnasium.register`, such as `reward_threshold` or `kwargs`.

    Raises:
        TypeError: the task is something else, or its class has misspelt names.
        gymnasium.error.Error: the name is none that Gymnasium takes.
    """
    from gymnasium.envs.registration import register as register_with_gymnasium

    if not isinstance(task, str):
        _check_class(id, task)
    parameters = {"task": task, **spec.pop("kwargs", {})}
    register_with_gymnasium(
        id=id,
        entry_point="mjenv.gym.env:Env",
        vector_entry_point="mjenv.gym.vector:VectorEnv",
        max_episode_steps=max_episode_steps,
        kwargs=parameters,
        **spec,
    )


def _check_class(id: str, task: Any) -> None:
    """Refuse what is no class of a task, or one with names that have no effect."""
    from mjenv.task.task import Task

    if not (isinstance(task, type) and issubclass(task, Task)):
        raise TypeError(
            f"register: {id!r}: task={task!r}, expected a subclass of mjenv.Task or its name as "
            "'module:Class'"
        )
    task._check_class()


def register_all() -> None:
    """Register the environments of the tables."""
    from gymnasium.envs.registration import register as register_with_gymnasium

    for row in ENVS:
        register_with_gymnasium(
            id=f"mjenv/{row.id}",
            entry_point=f"mjenv.envs:{row.task}Env",
            vector_entry_point=f"mjenv.envs:{row.task}VectorEnv",
            max_episode_steps=row.max_episode_steps,
            reward_threshold=row.reward_threshold,
            **UNWRAPPED,
        )
    for row in ROBOTS:
        path = f"mjenv.envs.{row.module}:{row.task}"
        register(f"mjenv/{row.id}", path, row.max_episode_steps, **UNWRAPPED)
    for task in SUITE:
        register(f"mjenv/{task.id}", task.path, task.max_episode_steps, **UNWRAPPED)
    register_with_gymnasium(id="mjenv/Multi-v0", vector_entry_point=MIX)
    for name, kwargs in suites.benchmarks():
        register_with_gymnasium(id=f"mjenv/{name}", vector_entry_point=MIX, kwargs=kwargs)
    for name, target in suites.installed():
        register_with_gymnasium(
            id=f"mjenv/{name}",
            vector_entry_point="mjenv.porting.vector:PortedVectorEnv",
            kwargs={"target": target},
        )
