"""Steps per second of ports beside their environments: random actions, resets counted, one core.

`python benchmarks/ports.py TASK ... --reference PYTHON`: PYTHON has the packages and `mujoco`; the
environments run there, one world, as their package makes them. On both sides the seconds of a step
and of a reset are measured, and put together in the proportion of random play: an episode's steps
and one reset, by the episodes' mean length in the package. Times are of the processor. The vector
environment's own work, infos and copies of observations, is counted.
"""

import argparse
import json
import subprocess
import sys
import time
from typing import Any

NWORLD, SINGLE_STEPS, LONGEST = 512, 600, 1000


def made(target: str) -> Any:
    """The environment as its package makes it."""
    package, _, task = target.partition("/")
    if package == "metaworld":
        from metaworld.env_dict import ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE as KINDS

        return KINDS[f"{task}-goal-observable"](seed=0)
    import gymnasium

    for name in ("gymnasium_robotics", "myosuite"):
        try:
            __import__(name)
        except ImportError:
            continue
    return gymnasium.make(target)


def single(target: str) -> dict[str, float]:
    """Seconds of a step and of a reset of the environment itself, and steps of an episode."""
    env = made(target)
    clock, steps, resets, spent, lengths = time.process_time, 0, 0, [0.0, 0.0], [0]
    env.reset(seed=0)
    while steps < SINGLE_STEPS or resets < 3:
        begin = clock()
        env.reset()
        spent[1] += clock() - begin
        resets += 1
        lengths.append(0)
        ended = False
        while not ended and lengths[-1] < LONGEST and steps < SINGLE_STEPS * resets / 3:
            action = env.action_space.sample()
            begin = clock()
            *_, terminated, truncated, _ = env.step(action)
            spent[0] += clock() - begin
            steps += 1
            lengths[-1] += 1
            ended = terminated or truncated
            if ended:
                lengths[0] += 1
    # episodes that were cut short here are as long as the package lets them be
    limit = getattr(env.spec, "max_episode_steps", None) or getattr(env, "max_path_length", LONGEST)
    length = steps / lengths[0] if lengths[0] else float(limit)
    return {"step": spent[0] / steps, "reset": spent[1] / resets, "length": length}


def ported(target: str) -> dict[str, Any]:
    """The same of its port, for each world; and how the port runs."""
    import mjenv.mujoco

    mjenv.mujoco.install()
    from mjenv.porting.vector import PortedVectorEnv

    envs = PortedVectorEnv(target, NWORLD, nthread=1, max_episode_steps=None)
    clock, begin = time.process_time, 0.0
    envs.reset(seed=0)
    seconds: list[float] = []
    while len(seconds) < 5:
        actions = envs.action_space.sample()
        live = ~envs._ended
        begin = clock()
        envs.step(actions)
        # steps in which nothing else happens, but for a first one that compiles
        if live.all():
            seconds.append((clock() - begin) / NWORLD)
        else:
            envs.reset()
    begin = clock()
    envs.reset()
    reset = (clock() - begin) / NWORLD
    return {"step": min(seconds[1:]), "reset": reset, "way": envs.report.way}


def rate(times: dict[str, Any], length: float) -> float:
    """Steps per second, resets counted."""
    return length / (length * times["step"] + times["reset"])


def main() -> None:
    """Print a row of a table for each environment."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="+")
    parser.add_argument("--reference", default=sys.executable)
    parser.add_argument("--one", choices=("single", "ported"), help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.one:
        print(json.dumps({"single": single, "ported": ported}[words.one](words.task[0])))
        return
    print("| task | package, steps/s | port, steps/s | times | episode | reset, package and port |")
    print("| --- | --- | --- | --- | --- | --- |")
    for target in words.task:
        found = []
        for python, side in ((words.reference, "single"), (sys.executable, "ported")):
            command = [python, __file__, target, "--one", side]
            told = subprocess.run(command, capture_output=True, text=True)
            found.append(json.loads(told.stdout.splitlines()[-1]) if not told.returncode else None)
        if None in found:
            print(f"| {target} | failed |", flush=True)
            continue
        alone, many = found
        one, other = rate(alone, alone["length"]), rate(many, alone["length"])
        resets = f"{1e3 * alone['reset']:.2f} ms, {1e3 * many['reset']:.2f} ms"
        print(
            f"| {target} | {one:,.0f} | {other:,.0f} | {other / one:.1f} | "
            f"{alone['length']:.0f} | {resets} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
