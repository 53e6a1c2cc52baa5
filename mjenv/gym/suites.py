"""Tasks of other packages by their names here: `mjenv/FetchReach-v4` is Gymnasium-Robotics' task.

They are registered where the package is installed, which is not imported for it. A name is made
into worlds by `mjenv.porting`.
"""

from collections.abc import Iterator
from importlib.util import find_spec
from itertools import product
from typing import NamedTuple


class Suite(NamedTuple):
    """Tasks of a package.

    Attributes:
        package: the package's module.
        prefix: what stands before a task's name in the name that `mjenv.port` knows it by.
        tasks: their names.
    """

    package: str
    prefix: str
    tasks: tuple[str, ...]


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
SUITES = (
    Suite("gymnasium_robotics", "", ROBOTICS),
    Suite("metaworld", "metaworld/", METAWORLD),
    Suite("myosuite", "", MYOSUITE),
)


def installed() -> Iterator[tuple[str, str]]:
    """Names of tasks of packages that are installed, and how `mjenv.port` knows them."""
    for suite in SUITES:
        if find_spec(suite.package) is not None:
            yield from ((name, suite.prefix + name) for name in suite.tasks)


def advice(name: str) -> str:
    """The package that a task needs; "" for a name that is none of them."""
    for suite in SUITES:
        if name in suite.tasks and find_spec(suite.package) is None:
            return f"it is a task of the package {suite.package}: pip install 'mjenv[suites]'"
    return ""
