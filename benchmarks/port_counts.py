"""Tasks of other packages that are traced, and that are equal to the package's own on this engine.

`nice -n 19 python benchmarks/port_counts.py [TASK ...] [--out FILE]` takes a process for each, so
that one cannot disturb another, and writes a row as soon as it is known. A FILE that is there is
gone on with.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

SECONDS = 1200  # for one task
NSEED, NSTEP = 3, 100
GYMNASIUM = (
    "Ant-v5", "HalfCheetah-v5", "Hopper-v5", "Humanoid-v5", "HumanoidStandup-v5",
    "InvertedDoublePendulum-v5", "InvertedPendulum-v5", "Pusher-v5", "Reacher-v5", "Swimmer-v5",
    "Walker2d-v5",
)  # fmt: skip
ROBOTICS = (
    "FetchReach-v4", "FetchPush-v4", "FetchSlide-v4", "FetchPickAndPlace-v4", "HandReach-v3",
    "HandManipulateBlock-v1", "HandManipulateBlock_ContinuousTouchSensors-v1",
    "HandManipulateEgg-v1", "HandManipulatePen-v1", "AdroitHandDoor-v1", "AdroitHandHammer-v1",
    "AdroitHandPen-v1", "AdroitHandRelocate-v1", "FrankaKitchen-v1", "PointMaze_UMaze-v3",
    "AntMaze_UMaze-v5",
)  # fmt: skip
MYOSUITE = (
    "myoElbowPose1D6MFixed-v0", "myoElbowPose1D6MRandom-v0", "myoElbowPose1D6MExoRandom-v0",
    "myoFingerPoseFixed-v0", "myoFingerPoseRandom-v0", "myoFingerReachFixed-v0",
    "myoFingerReachRandom-v0", "motorFingerPoseFixed-v0", "motorFingerReachRandom-v0",
    "myoHandPoseFixed-v0", "myoHandPoseRandom-v0", "myoHandReachFixed-v0", "myoHandReachRandom-v0",
    "myoHandKeyTurnFixed-v0", "myoHandObjHoldFixed-v0", "myoHandPenTwirlFixed-v0",
    "myoHandReorient8-v0", "myoLegWalk-v0", "myoLegStandRandom-v0", "myoLegRoughTerrainWalk-v0",
)  # fmt: skip


def tasks() -> tuple[str, ...]:
    """All that are counted."""
    from mjenv.gym.suites import DM_CONTROL, METAWORLD

    metaworld = [f"metaworld/{name}" for name in METAWORLD]
    dm_control = [f"dm_control/{name}" for name in DM_CONTROL]
    return (*GYMNASIUM, *ROBOTICS, *metaworld, *MYOSUITE, *dm_control)


def found(target: str) -> dict[str, object]:
    """One task: its report, and what a comparison finds."""
    import mjenv.mujoco

    mjenv.mujoco.install()
    from mjenv.porting.checking import check
    from mjenv.porting.porting import report

    told = report(target)
    row: dict[str, object] = {"task": target, "way": told.way, "reason": told.reason}
    row["lines"] = list(told.lines)
    if told.way == "traced":
        difference = check(target, NSEED, NSTEP)
        row |= {"difference": difference.first, "largest": difference.largest}
    return row


def asked(target: str) -> dict[str, object]:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--one", target]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return {"task": target, "way": "none", "reason": f"took more than {SECONDS} s"}
    if done.returncode:
        last = [*done.stderr.strip().splitlines(), ""][-2 if done.stderr.strip() else -1]
        return {"task": target, "way": "none", "reason": last.strip()}
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Print a row for each task."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="*")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.one:
        print(json.dumps(found(words.one)))
        return
    before = []
    if words.out is not None and words.out.exists():
        before = [json.loads(line) for line in words.out.read_text().splitlines()]
    known = {row["task"] for row in before}
    for target in words.task or tasks():
        if target in known:
            continue
        row = asked(target)
        equal = "" if "largest" not in row else f"{row['difference'] or 'equal'} {row['largest']}"
        print(f"{target:46} {row['way']:15} {equal} {row['reason']}", flush=True)
        if words.out is not None:
            with words.out.open("a") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
