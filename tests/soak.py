"""Millions of random steps: every task, with worlds that are made to diverge now and then.

    python tests/soak.py [--steps 10000000] [--num-envs 1000] [--seed 0] [ENV ...]

The worlds of a lane that diverges must be reported; the other lanes must go on with the bits of an
undisturbed copy, and stay finite; memory must not grow. Prints a line for each task; exits with 1
when anything is amiss.
"""

import argparse
import sys
import time
from pathlib import Path

import gymnasium
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

import mjenv  # noqa: E402, F401 (registers the environments)
from mjenv.gym.registration import ENVS  # noqa: E402

EVERY = 50  # steps from one disturbance to the next
CHECKED = 100  # steps at the end in which the undisturbed copy is compared
BAD = (np.nan, np.inf, 1e300, -1e12)


def soak(env_id: str, steps: int, num_envs: int, seed: int) -> str:
    """Step an environment.

    Args:
        env_id: such as "mjenv/Ant-v5".
        steps: environment steps over all worlds.
        num_envs: worlds.
        seed: of worlds, actions and disturbances.

    Returns:
        A line on what happened.

    Raises:
        AssertionError: what is amiss.
    """
    rng = np.random.default_rng(seed)
    envs = gymnasium.make_vec(env_id, num_envs, autoreset_mode="SameStep")
    copy = gymnasium.make_vec(env_id, num_envs, autoreset_mode="SameStep")
    space = envs.single_action_space
    envs.reset(seed=seed)
    lanes = np.arange(num_envs)
    disturbed, reports, episodes, count = np.zeros(num_envs, bool), 0, 0, -(-steps // num_envs)
    # the copy starts from where the worlds are then
    compared = max(0, count - CHECKED)
    memory = began = 0
    for k in range(count):
        if k == compared:
            copy.reset(seed=seed)
            copy.unwrapped.restore_state(envs.unwrapped.save_state())
            disturbed[:] = False
        if k == count // 5:
            memory, began = resident(), k
        if k % EVERY == EVERY // 2:
            chosen = rng.choice(lanes, max(1, num_envs // 100), replace=False)
            envs.unwrapped.data.qvel[chosen] = rng.choice(BAD, (len(chosen), 1))
            disturbed[chosen] = True
        else:
            chosen = lanes[:0]
        actions = rng.uniform(space.low, space.high, (num_envs, *space.shape)).astype(space.dtype)
        found = envs.step(actions)
        reported = np.zeros(num_envs, bool) | found[4].get("diverged", False)
        assert reported[chosen].all(), f"step {k}: lanes {chosen[~reported[chosen]]} not reported"
        reports += int(reported.sum())
        calm = ~reported
        for what, values in zip(("observation", "reward"), found, strict=False):
            bad = np.flatnonzero(calm & ~np.isfinite(values.reshape(num_envs, -1)).all(axis=1))
            assert not len(bad), f"step {k}: {what} of lanes {bad} is not finite"
        episodes += int((found[2] | found[3]).sum())
        if k >= compared:
            for here, there in zip(found[:4], copy.step(actions), strict=False):
                same = (here == there).reshape(num_envs, -1).all(axis=1)
                assert same[~disturbed].all(), f"step {k}: disturbed lanes have changed others"
    grown = resident() - memory if began else 0
    assert grown < 64 << 20, f"memory has grown by {grown >> 20} MB in {count - began} steps"
    envs.close()
    copy.close()
    return (
        f"{count * num_envs:,} steps, {episodes:,} episodes, {reports:,} divergences reported, "
        f"memory {grown / 2**20:+.1f} MB"
    )


def resident() -> int:
    """Memory of this process (bytes)."""
    import resource

    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=10_000_000, help="over all tasks")
    parser.add_argument("--num-envs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("envs", nargs="*", metavar="ENV", help="default: all")
    arguments = parser.parse_args()
    names = arguments.envs or [row.id for row in ENVS]
    failed = 0
    for name in names:
        start = time.perf_counter()
        try:
            line = soak(
                f"mjenv/{name}", arguments.steps // len(names), arguments.num_envs, arguments.seed
            )
        except AssertionError as error:
            failed, line = 1, f"FAILED: {error}"
        print(f"{name}: {line}, {time.perf_counter() - start:.0f} s", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
