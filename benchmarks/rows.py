"""The table of benchmarks: every row that is measured, and the driver of every subject.

A row names a kind of measurement, what it runs (a model or a task), how many worlds, and the
peers of mjenv. Adding a row is one line of `ROWS`; adding a peer is a driver and one line of
`DRIVERS`.
"""

from dataclasses import dataclass
from typing import Any

OURS = "mjenv"
BEFORE = "before"  # mjenv in the interpreter of another checkout


@dataclass(frozen=True)
class Kind:
    """What a kind of row measures.

    Attributes:
        title: heading of its table.
        unit: unit of the figure.
        higher_is_better: direction; a ratio above 1 always means that mjenv is ahead.
    """

    title: str
    unit: str
    higher_is_better: bool


@dataclass(frozen=True)
class Row:
    """One line of the table.

    Attributes:
        kind: key of `KINDS`.
        model: what `models.model_text` knows (physics), a scene, the stem of an MJCF file (memory),
            or a Gymnasium id without prefix.
        nworld: worlds or environments stepped together.
        peers: subjects that mjenv is compared with; keys of `DRIVERS` together with `kind`.
        calls: timed calls of one repeat; every subject does the same number.
        warmup: calls before them, not timed: bodies fall and touch the ground, caches fill.
        nstep: physics steps of a call, with the same controls.
        repeats: how often the row is measured at most.
        path: file of a model of another package, which the runner finds.
    """

    kind: str
    model: str
    nworld: int
    peers: tuple = ()
    calls: int = 1
    warmup: int = 0
    nstep: int = 1
    repeats: int = 100
    path: str = ""

    @property
    def name(self) -> str:
        """Unique name, the one that the command line selects by."""
        return f"{self.kind}/{self.model}" + (f"/{self.nworld}" if self.nworld > 1 else "")


@dataclass(frozen=True)
class Goal:
    """A limit that the project sets for a figure or a ratio.

    Attributes:
        kind: kind of the rows.
        peer: subject that mjenv is compared with, or None for mjenv's own figure.
        nworld: rows with this number of worlds.
        statistic: `geometric mean` or `least`, at least the limit; or `most`, at most the limit.
        limit: the limit.
        models: rows of these models; empty for all.
    """

    kind: str
    peer: str | None
    nworld: int
    statistic: str
    limit: float
    models: tuple = ()


# fmt: off
KINDS = {
    #                     title                                            unit     higher is better
    "physics":       Kind("Physics: steps of all worlds",                  "steps/s", True),
    "arrays":        Kind("Physics, beside engines of arrays on the CPU",  "steps/s", True),
    "scene":         Kind("One scene, one thread",                   "steps/s", True),
    "vector":        Kind("Vector environment: steps of all environments", "steps/s", True),
    "suite":         Kind("The dm_control suite: steps of all environments", "steps/s", True),
    "single":        Kind("Single environment",                            "steps/s", True),
    "cold_start":    Kind("First step, compiled code not in the cache",    "s",       False),
    "warm_start":    Kind("First step, compiled code in the cache",        "s",       False),
    "memory":        Kind("Memory of one more world",                      "bytes",   False),
    "host_share":    Kind("Host part of an environment step",              "%",       False),
}

_PHYSICS = ("mujoco.rollout", "mujoco.batch", "batch.rollout")
_ROLLOUT = ("mujoco.rollout",)
_ARRAYS = ("MJX", "MuJoCo Warp", "Brax", "Brax, springs")
_MEMORY = ("MjData", "mujoco.batch")
_FEW = ("EnvPool", "Gymnasium sync", "Gymnasium async")
_MANY = ("EnvPool",)
_SUITE = ("EnvPool", "dm_control")
_GYM = ("Gymnasium",)
_STEP = ("mj_step",)
_START = ("Gymnasium", "EnvPool")

ROWS = (
    #   kind          model                  nworld  peers     calls warmup nstep repeats
    Row("physics",    "half_cheetah",           512, _PHYSICS,    60,    20,    5),
    Row("physics",    "hopper",                 512, _PHYSICS,    30,    20,    5),
    Row("physics",    "ant",                    512, _PHYSICS,    20,    20,    5),
    Row("physics",    "inverted_pendulum",      512, _PHYSICS,    60,    20,    5),
    Row("physics",    "humanoid",               512, _PHYSICS,    10,    20,    5),
    Row("physics",    "humanoid_newton",        512, _PHYSICS,    10,    20,    5),
    Row("physics",    "hand",                   512, _PHYSICS,    10,    20,    5),
    Row("physics",    "hand_elliptic",          512, _PHYSICS,    10,    20,    5),
    Row("physics",    "arm",                    512, _PHYSICS,    20,    20,    5),
    Row("physics",    "hand_reach",             512, _PHYSICS,     4,     4,   20),
    Row("physics",    "quadruped",              512, _PHYSICS,     5,     5,    4),
    Row("physics",    "dog",                    512, _PHYSICS,     4,     6,    3),
    Row("physics",    "flag",                    64, _ROLLOUT,     4,    10,   10),
    Row("physics",    "jelly",                   64, _ROLLOUT,     4,    10,   10),
    Row("physics",    "trampoline",              64, _ROLLOUT,     4,    10,   10),
    Row("physics",    "ball",                    64, _ROLLOUT,     4,    10,   10),
    Row("physics",    "cable",                   64, _ROLLOUT,     4,    10,   10),
    Row("physics",    "screw",                   64, _ROLLOUT,     2,    10,    5),
    Row("arrays",     "half_cheetah",           512, _ARRAYS,      4,     4,    5, repeats=3),
    Row("arrays",     "hopper",                 512, _ARRAYS,      4,     4,    5, repeats=3),
    Row("arrays",     "ant",                    512, _ARRAYS,      2,     2,    5, repeats=3),
    Row("scene",      "boxes100",                 1, _STEP,       20,    40,   10),
    Row("scene",      "boxes1000",                1, _STEP,        6,    60,    5),
    Row("scene",      "humanoids100",             1, _STEP,       20,    40,    5),
    Row("scene",      "kitchen",                  1, _STEP,       20,    40,    5),
    Row("scene",      "flag",                     1, _STEP,       20,    40,   10),
    Row("scene",      "jelly",                    1, _STEP,       20,    40,   10),
    Row("scene",      "trampoline",               1, _STEP,       20,    40,   10),
    Row("scene",      "ball",                     1, _STEP,       20,    40,   10),
    Row("scene",      "cable",                    1, _STEP,       20,    40,   10),
    Row("scene",      "screw",                    1, _STEP,       20,    40,    5),
    Row("vector",     "HalfCheetah-v5",          64, _FEW,        60,    20),
    Row("vector",     "HalfCheetah-v5",         512, _MANY,       20,    20),
    Row("vector",     "HalfCheetah-v5",        4096, _MANY,        4,    10),
    Row("vector",     "Hopper-v5",               64, _FEW,        60,    20),
    Row("vector",     "Hopper-v5",              512, _MANY,       20,    20),
    Row("vector",     "Hopper-v5",             4096, _MANY,        4,    10),
    Row("vector",     "Walker2d-v5",             64, _MANY,       60,    20),
    Row("vector",     "Walker2d-v5",            512, _MANY,       20,    20),
    Row("vector",     "Walker2d-v5",           4096, _MANY,        4,    10),
    Row("vector",     "Ant-v5",                  64, _FEW,        20,    10),
    Row("vector",     "Ant-v5",                 512, _MANY,       10,    20),
    Row("vector",     "Ant-v5",                4096, _MANY,        2,     5,       repeats=3),
    Row("vector",     "Humanoid-v5",             64, _MANY,       20,    10),
    Row("vector",     "Humanoid-v5",            512, _MANY,       10,    20),
    Row("vector",     "Humanoid-v5",           4096, _MANY,        2,     5,       repeats=3),
    Row("vector",     "InvertedPendulum-v5",     64, _FEW,        60,    20),
    Row("vector",     "InvertedPendulum-v5",    512, _MANY,       40,    20),
    Row("vector",     "InvertedPendulum-v5",   4096, _MANY,        8,    10),
    Row("suite",      "acrobot-swingup",        512, _SUITE,       60,    20),
    Row("suite",      "ball_in_cup-catch",      512, _SUITE,       30,    20),
    Row("suite",      "cartpole-swingup",       512, _SUITE,       60,    20),
    Row("suite",      "cheetah-run",            512, _SUITE,       20,    20),
    Row("suite",      "dog-run",                512, _SUITE,        3,     5),
    Row("suite",      "finger-spin",            512, _SUITE,       30,    20),
    Row("suite",      "fish-swim",              512, _SUITE,       20,    20),
    Row("suite",      "hopper-hop",             512, _SUITE,       20,    20),
    Row("suite",      "humanoid-run",           512, _SUITE,        5,    10),
    Row("suite",      "humanoid_CMU-run",       512, _SUITE,        3,     5),
    Row("suite",      "lqr-lqr_6_2",            512, _SUITE,       20,    20),
    Row("suite",      "manipulator-bring_ball", 512, _SUITE,       10,    10),
    Row("suite",      "pendulum-swingup",       512, _SUITE,       60,    20),
    Row("suite",      "point_mass-easy",        512, _SUITE,       60,    20),
    Row("suite",      "quadruped-run",          512, _SUITE,        5,    10),
    Row("suite",      "reacher-easy",           512, _SUITE,       60,    20),
    Row("suite",      "stacker-stack_2",        512, _SUITE,       10,    10),
    Row("suite",      "swimmer-swimmer6",       512, _SUITE,       20,    20),
    Row("suite",      "walker-run",             512, _SUITE,       10,    20),
    Row("single",     "HalfCheetah-v5",           1, _GYM,      1000,   100),
    Row("single",     "Hopper-v5",                1, _GYM,      1000,   100),
    Row("single",     "Ant-v5",                   1, _GYM,       500,   100),
    Row("single",     "InvertedPendulum-v5",      1, _GYM,      1000,   100),
    Row("cold_start", "HalfCheetah-v5",           1, _START,                      repeats=1),
    Row("warm_start", "HalfCheetah-v5",           1, _START,                      repeats=3),
    Row("memory",     "half_cheetah",          4096, _MEMORY,      1,     1,    5, repeats=1),
    Row("memory",     "ant",                   4096, _MEMORY,      1,     1,    5, repeats=1),
    Row("host_share", "HalfCheetah-v5",         64, (),         200,    60),
    Row("host_share", "HalfCheetah-v5",        512, (),          40,    40),
    Row("host_share", "HalfCheetah-v5",       4096, (),           8,    20),
    Row("host_share", "Hopper-v5",              64, (),         200,    60),
    Row("host_share", "Hopper-v5",             512, (),          40,    40),
    Row("host_share", "Hopper-v5",            4096, (),           8,    20),
    Row("host_share", "Walker2d-v5",            64, (),         200,    60),
    Row("host_share", "Walker2d-v5",           512, (),          40,    40),
    Row("host_share", "Walker2d-v5",          4096, (),           8,    20),
    Row("host_share", "Ant-v5",                 64, (),         100,    30),
    Row("host_share", "Ant-v5",                512, (),          20,    20),
    Row("host_share", "Ant-v5",               4096, (),           4,    10),
    Row("host_share", "Humanoid-v5",            64, (),         100,    30),
    Row("host_share", "Humanoid-v5",           512, (),          20,    20),
    Row("host_share", "Humanoid-v5",          4096, (),           4,    10),
)

# "own": the interpreter that runs the benchmarks; "peer": the one of --peer-python, where given.
# That of --against has all of mjenv's own.
DRIVERS = {
    # (kind, subject)                  (interpreter, module:function)
    ("physics",    "mjenv"):           ("own",  "benchmarks.physics:mjenv"),
    ("physics",    "mujoco.rollout"):  ("own",  "benchmarks.physics:mujoco_rollout"),
    ("physics",    "mujoco.batch"):    ("peer", "benchmarks.physics:mujoco_batch"),
    ("physics",    "batch.rollout"):   ("peer", "benchmarks.physics:mujoco_batch_rollout"),
    ("arrays",     "mjenv"):           ("own",  "benchmarks.physics:mjenv"),
    ("arrays",     "MJX"):             ("peer", "benchmarks.array_engines:mjx"),
    ("arrays",     "MuJoCo Warp"):     ("peer", "benchmarks.array_engines:mujoco_warp"),
    ("arrays",     "Brax"):            ("peer", "benchmarks.array_engines:brax"),
    ("arrays",     "Brax, springs"):   ("peer", "benchmarks.array_engines:brax_springs"),
    ("scene",      "mjenv"):           ("own",  "benchmarks.scenes:mjenv"),
    ("scene",      "mj_step"):         ("own",  "benchmarks.scenes:mujoco_step"),
    ("vector",     "mjenv"):           ("own",  "benchmarks.environments:mjenv_vector"),
    ("vector",     "EnvPool"):         ("peer", "benchmarks.environments:envpool_vector"),
    ("vector",     "Gymnasium sync"):  ("own",  "benchmarks.environments:gymnasium_sync"),
    ("vector",     "Gymnasium async"): ("own",  "benchmarks.environments:gymnasium_async"),
    ("suite",      "mjenv"):           ("own",  "benchmarks.environments:mjenv_suite"),
    ("suite",      "EnvPool"):         ("peer", "benchmarks.environments:envpool_suite"),
    ("suite",      "dm_control"):      ("own",  "benchmarks.environments:dm_control_suite"),
    ("single",     "mjenv"):           ("own",  "benchmarks.environments:mjenv_single"),
    ("single",     "Gymnasium"):       ("own",  "benchmarks.environments:gymnasium_single"),
    ("cold_start", "mjenv"):           ("own",  "benchmarks.startup:mjenv_cold"),
    ("cold_start", "Gymnasium"):       ("own",  "benchmarks.startup:gymnasium"),
    ("cold_start", "EnvPool"):         ("peer", "benchmarks.startup:envpool"),
    ("warm_start", "mjenv"):           ("own",  "benchmarks.startup:mjenv_warm"),
    ("warm_start", "Gymnasium"):       ("own",  "benchmarks.startup:gymnasium"),
    ("warm_start", "EnvPool"):         ("peer", "benchmarks.startup:envpool"),
    ("memory",     "mjenv"):           ("own",  "benchmarks.memory:mjenv"),
    ("memory",     "MjData"):          ("own",  "benchmarks.memory:mjdata"),
    ("memory",     "mujoco.batch"):    ("peer", "benchmarks.memory:mujoco_batch"),
    ("host_share", "mjenv"):           ("own",  "benchmarks.environments:mjenv_host_share"),
}

_WALKERS = ("half_cheetah", "hopper", "ant")
_RUNNING_TASKS = ("HalfCheetah-v5", "Hopper-v5", "Walker2d-v5", "Ant-v5", "Humanoid-v5")

# What the project asks of itself: mjenv against a peer; its own figure where there is no peer.
GOALS = (
    #    kind          peer           worlds  statistic         limit  models
    Goal("physics",    "mujoco.batch",   512, "geometric mean",   5.0, _WALKERS),
    Goal("physics",    "mujoco.batch",   512, "least",            3.5, ("humanoid",)),
    Goal("physics",    "mujoco.batch",   512, "least",            3.5, ("humanoid_newton",)),
    Goal("physics",    "mujoco.batch",   512, "least",            2.0, ("hand",)),
    Goal("physics",    "mujoco.batch",   512, "least",            2.0, ("hand_elliptic",)),
    Goal("physics",    "mujoco.batch",   512, "least",            3.0, ("arm",)),
    Goal("physics",    "mujoco.batch",   512, "least",            3.0, ("hand_reach",)),
    Goal("physics",    "mujoco.batch",   512, "least",            3.0, ("quadruped",)),
    Goal("physics",    "mujoco.batch",   512, "least",            3.0, ("dog",)),
    Goal("scene",      "mj_step",          1, "least",            1.0),
    Goal("vector",     "EnvPool",         64, "geometric mean",   7.5, _RUNNING_TASKS),
    Goal("vector",     "EnvPool",        512, "geometric mean",   6.0, _RUNNING_TASKS),
    Goal("vector",     "EnvPool",       4096, "geometric mean",   6.0, _RUNNING_TASKS),
    Goal("suite",      "EnvPool",        512, "geometric mean",   6.0),
    Goal("suite",      "EnvPool",        512, "least",            1.0),
    Goal("single",     "Gymnasium",        1, "least",            1.0),
    Goal("cold_start", None,               1, "most",            30.0),
    Goal("warm_start", None,               1, "most",             2.0),
    Goal("host_share", None,              64, "most",            15.0),
    Goal("host_share", None,             512, "most",            15.0),
    Goal("host_share", None,            4096, "most",            15.0),
)
# fmt: on


def driver(kind: str, subject: str) -> tuple[str, str]:
    """Interpreter of a subject of a kind of rows, and its driver as `module:function`."""
    if subject == BEFORE:
        return "against", DRIVERS[kind, OURS][1]
    return DRIVERS[kind, subject]


def select(patterns: Any) -> tuple:
    """Rows whose name contains one of the patterns; all rows without patterns.

    Raises:
        ValueError: a pattern that no row's name contains.
    """
    for pattern in patterns:
        if not any(pattern in row.name for row in ROWS):
            names = "\n  ".join(row.name for row in ROWS)
            raise ValueError(f"benchmarks: no row is called {pattern!r}; the rows are\n  {names}")
    return tuple(row for row in ROWS if not patterns or any(p in row.name for p in patterns))
