"""Tasks of other packages by their names here: `mjenv/FetchReach-v4` is Gymnasium-Robotics' task.

They are registered where the package is installed, which is not imported for it. A name is made
into worlds by `mjenv.porting`.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from typing import Any, NamedTuple


class Suite(NamedTuple):
    """Tasks of a package.

    Attributes:
        package: the package's module.
        prefix: what stands before a task's name in the name that `mjenv.port` knows it by.
        tasks: their names.
        own: what stands before a task's name here.
    """

    package: str
    prefix: str
    tasks: tuple[str, ...]
    own: str = ""


def _names(*columns: str) -> tuple[str, ...]:
    """All names that have a part of each column; "_" is nothing."""
    parts = [["" if one == "_" else one for one in column.split()] for column in columns]
    return tuple(map("".join, product(*parts)))


_MAPS = (
    "_Open _UMaze _Medium _Large _Open_Diverse_G _Open_Diverse_GR _Medium_Diverse_G "
    "_Medium_Diverse_GR _Large_Diverse_G _Large_Diverse_GR"
)
ROBOTICS = (
    *_names("Fetch", "Reach Push Slide PickAndPlace", "_ Dense", "-v4"),
    *_names("HandReach", "_ Dense", "-v3"),
    *_names("HandManipulate", "BlockFull EggFull PenFull", "_ Dense", "-v1"),
    *_names(
        "HandManipulate",
        "Block BlockRotateZ BlockRotateParallel BlockRotateXYZ Egg EggRotate Pen PenRotate",
        "_ _BooleanTouchSensors _ContinuousTouchSensors", "_ Dense", "-v1",
    ),
    *_names("AdroitHand", "Door Hammer Pen Relocate", "_ Sparse", "-v1"),
    "FrankaKitchen-v1",
    *_names("PointMaze", _MAPS, "_ Dense", "-v3"),
    *_names("AntMaze", _MAPS, "_ Dense", "-v5"),
)  # fmt: skip
METAWORLD = _names(
    "assembly basketball bin-picking box-close button-press-topdown button-press-topdown-wall "
    "button-press button-press-wall coffee-button coffee-pull coffee-push dial-turn disassemble "
    "door-close door-lock door-open door-unlock drawer-close drawer-open faucet-close faucet-open "
    "hammer hand-insert handle-press-side handle-press handle-pull-side handle-pull lever-pull "
    "peg-insert-side peg-unplug-side pick-out-of-hole pick-place pick-place-wall "
    "plate-slide-back-side plate-slide-back plate-slide-side plate-slide push-back push push-wall "
    "reach reach-wall shelf-place soccer stick-pull stick-push sweep-into sweep window-close "
    "window-open",
    "-v3",
)
MYOSUITE = (
    *_names("motorFinger", "Pose Reach", "Fixed Random", "-v0"),
    *_names("myo myoSarc myoFati", "ElbowPose1D6M", "_ Exo", "Fixed Random", "-v0"),
    *_names("myo myoSarc myoFati", "Finger", "Pose Reach", "Fixed Random", "-v0"),
    *_names(
        "myo myoSarc myoFati myoReaf", "Hand", "Pose Reach KeyTurn ObjHold PenTwirl",
        "Fixed Random", "-v0",
    ),
    *_names("myo myoSarc myoFati myoReaf", "HandPose", "0 1 2 3 4 5 6 7 8 9", "Fixed", "-v0"),
    *_names("myo myoSarc myoFati myoReaf", "HandReorient", "8 100 ID OOD", "-v0"),
    *_names(
        "myo myoSarc myoFati", "Leg", "Walk StandRandom HillyTerrainWalk RoughTerrainWalk "
        "StairTerrainWalk", "-v0",
    ),
)  # fmt: skip
DM_CONTROL = (
    *_names("acrobot-swingup", "_ _sparse"),
    "ball_in_cup-catch",
    *_names("cartpole-", "balance balance_sparse swingup swingup_sparse two_poles three_poles"),
    "cheetah-run",
    *_names("dog-", "stand walk trot run fetch"),
    *_names("finger-", "spin turn_easy turn_hard"),
    *_names("fish-", "upright swim"),
    *_names("hopper-", "stand hop"),
    *_names("humanoid-", "stand walk run run_pure_state"),
    *_names("humanoid_CMU-", "stand walk run"),
    *_names("lqr-", "lqr_2_1 lqr_6_2"),
    *_names("manipulator-", "bring_ball bring_peg insert_ball insert_peg"),
    "pendulum-swingup",
    *_names("point_mass-", "easy hard"),
    *_names("quadruped-", "walk run escape fetch"),
    *_names("reacher-", "easy hard"),
    *_names("stacker-", "stack_2 stack_4"),
    *_names("swimmer-", "swimmer6 swimmer15"),
    *_names("walker-", "stand walk run"),
)
MT10 = _names(
    "reach push pick-place door-open drawer-open drawer-close button-press-topdown peg-insert-side "
    "window-open window-close",
    "-v3",
)
ML10 = _names(
    "reach push pick-place door-open drawer-close button-press-topdown peg-insert-side window-open "
    "sweep basketball",
    "-v3",
)
ML10_TEST = _names("drawer-open door-close shelf-place sweep-into lever-pull", "-v3")


class Benchmark(NamedTuple):
    """Tasks of a package that are learned together: `mjenv/<name>`.

    Attributes:
        name: of the environment that has them all.
        package: the package's module.
        tasks: their names, as they are here.
        kwargs: further arguments of `mjenv.MultiVectorEnv`, and of each task.
    """

    name: str
    package: str
    tasks: tuple[str, ...]
    kwargs: dict[str, Any]


_TOGETHER: dict[str, Any] = {"task_id": "one_hot"}
_META: dict[str, Any] = {"partially_observable": True, "goals": "ML10"}
BENCHMARKS = (
    Benchmark("MT10-v3",      "metaworld", MT10,      {**_TOGETHER, "goals": "MT10"}),
    Benchmark("MT50-v3",      "metaworld", METAWORLD, {**_TOGETHER, "goals": "MT50"}),
    Benchmark("ML10-v3",      "metaworld", ML10,      _META),
    Benchmark("ML10-test-v3", "metaworld", ML10_TEST, _META),
)  # fmt: skip
SUITES = (
    Suite("gymnasium_robotics", "", ROBOTICS),
    Suite("metaworld", "metaworld/", METAWORLD),
    Suite("myosuite", "", MYOSUITE),
    Suite("dm_control", "dm_control/", DM_CONTROL, "dm_control-"),
)


def installed() -> Iterator[tuple[str, str]]:
    """Names of tasks of packages that are installed, and how `mjenv.port` knows them."""
    for suite in SUITES:
        if find_spec(suite.package) is not None:
            yield from ((suite.own + name, suite.prefix + name) for name in suite.tasks)


def benchmarks() -> Iterator[tuple[str, dict[str, Any]]]:
    """Names of benchmarks of packages that are installed, and what their environments take."""
    for one in BENCHMARKS:
        if find_spec(one.package) is not None:
            yield one.name, {"tasks": one.tasks, "way": "traced", **one.kwargs}


def advice(name: str) -> str:
    """The package that a task needs; "" for a name that is none of them."""
    known = [(suite.package, tuple(suite.own + one for one in suite.tasks)) for suite in SUITES]
    for package, tasks in (*known, *((one.package, (one.name,)) for one in BENCHMARKS)):
        if name in tasks and find_spec(package) is None:
            return f"it is a task of the package {package}: pip install 'mjenv[suites]'"
    return ""
