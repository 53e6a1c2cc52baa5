"""Tasks of other packages, ported by pointing; each is skipped where its package is absent."""

import pytest

from mjenv.porting.checking import NEAR_SINGLE, check
from mjenv.porting.porting import TRACED, report

ROBOTICS = (
    "FetchReach-v4", "FetchPush-v4", "HandReach-v3", "HandManipulateBlock-v1", "AntMaze_UMaze-v5",
    "PointMaze_UMaze-v3", "AdroitHandDoor-v1", "AdroitHandPen-v1",
)  # fmt: skip
# tasks and how far apart: rewards of the second are in float32
METAWORLD = {"metaworld/reach-v3": 1e-12, "metaworld/drawer-close-v3": NEAR_SINGLE}


def compared(target: str, tolerance: float = 1e-12) -> None:
    """The task is traced, and its steps are those of the package."""
    found = report(target)
    assert (found.way, found.reason) == (TRACED, "")
    difference = check(target, nseed=2, nstep=20)
    assert not difference.first
    assert difference.largest < tolerance


@pytest.mark.slow
@pytest.mark.parametrize("target", ROBOTICS)
def test_gymnasium_robotics(target):
    pytest.importorskip("gymnasium_robotics")
    compared(target)


@pytest.mark.slow
@pytest.mark.parametrize(("target", "tolerance"), METAWORLD.items(), ids=METAWORLD)
def test_metaworld(target, tolerance):
    pytest.importorskip("metaworld")
    compared(target, tolerance)
