"""Steps per second of ports beside their environments, on one core.

`python benchmarks/ports.py ENV ... --reference PYTHON`: PYTHON has the packages and `mujoco`; the
environments run there, one world, as their package makes them. Times are of the processor.
"""

import argparse
import subprocess
import sys
import time

STEPS, NWORLD = 60, 512


def single(target: str) -> float:
    """Steps per second of the environment itself."""
    package, _, task = target.partition("/")
    if package == "metaworld":
        from metaworld.env_dict import ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE as KINDS

        env = KINDS[f"{task}-goal-observable"](seed=0)
    else:
        import gymnasium

        for name in ("gymnasium_robotics", "myosuite"):
            try:
                __import__(name)
            except ImportError:
                continue
        env = gymnasium.make(target)
    env.reset(seed=0)
    actions = [env.action_space.sample() for _ in range(500)]
    count, begin = 0, time.process_time()
    for action in actions:
        _, _, terminated, truncated, _ = env.step(action)
        count += 1
        if terminated or truncated:
            env.reset()
    return count / (time.process_time() - begin)


def ported(target: str) -> tuple[float, float, str]:
    """Steps per second of the port without and with resets, and the way it goes."""
    import mjenv.mujoco

    mjenv.mujoco.install()
    import numpy as np

    from mjenv.porting.vector import PortedVectorEnv

    envs = PortedVectorEnv(target, NWORLD, nthread=1)
    begin = time.process_time()
    envs.reset(seed=0)
    resets = time.process_time() - begin
    space = envs.single_action_space
    actions = np.stack([space.sample() for _ in range(NWORLD)])
    worlds = envs._worlds
    for _ in range(2):
        worlds.step(actions, None)
    begin = time.process_time()
    for _ in range(STEPS):
        worlds.step(actions, None)
    seconds = (time.process_time() - begin) / STEPS
    return NWORLD / seconds, NWORLD / resets, envs.report.way


def main() -> None:
    """Print a row for each environment."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("env", nargs="+")
    parser.add_argument("--reference", default=sys.executable)
    parser.add_argument("--single", action="store_true", help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.single:
        print(single(words.env[0]))
        return
    for target in words.env:
        told = subprocess.run(
            [words.reference, __file__, target, "--single"], capture_output=True, text=True
        )
        alone = float(told.stdout.split()[-1]) if not told.returncode else float("nan")
        steps, resets, way = ported(target)
        print(
            f"{target:32} {alone:9.0f} {steps:10.0f} steps/s: {steps / alone:5.1f} times; "
            f"resets {resets:7.0f}/s; {way}",
            flush=True,
        )


if __name__ == "__main__":
    main()
