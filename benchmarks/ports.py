"""Steps per second of ports beside their environments: random actions, resets counted, one core.

`python benchmarks/ports.py [TASK ...] --reference PYTHON [--out FILE]`: PYTHON has the packages and
`mujoco`; the environments run there, one world, as their package makes them. On both sides, the
seconds of a step are measured over the same first steps of episodes, those of the physics alone
beside them, and those of a reset. They are put together in the proportion of random play: an
episode's steps and one reset, by the episodes' mean length in the package. Times are of the
processor. The vector environment's own work, infos and copies of observations, is counted.
A FILE that is there is gone on with.

`--envpool PYTHON`, which has EnvPool, measures its environments of the same names beside them, with
one thread: C++ on MuJoCo, `NPOOL` of them in one call.
"""

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NWORLD, NSTEP, NEPISODE, NPOOL = 512, 60, 3, 64
SECONDS = 12.0  # of a port's steps
LONGEST, MOST_STEPS = 1000, 2000  # of an episode, and of all that are run for their length
PHYSICS = ("mj_step", "mj_step1", "mj_step2", "mj_forward", "mj_rnePostConstraint")
Row = dict[str, Any]


def made(target: str) -> Any:
    """The environment as its package makes it."""
    package, _, task = target.partition("/")
    if package == "metaworld":
        from metaworld.env_dict import ALL_V3_ENVIRONMENTS_GOAL_OBSERVABLE as KINDS

        return KINDS[f"{task}-goal-observable"](seed=0)
    if package == "dm_control":
        # its own hooks around its own physics, as its environment calls them
        from mjenv.porting.environment.dm_control_tasks import dm_control_task

        return dm_control_task(task)
    import gymnasium

    for name in ("gymnasium_robotics", "myosuite"):
        try:
            __import__(name)
        except ImportError:
            continue
    return gymnasium.make(target)


def physics_clock() -> list[float]:
    """Have calls of MuJoCo's physics counted: seconds, in a list of one."""
    import mujoco

    spent, clock = [0.0], time.process_time

    def timed(function: Any) -> Any:
        def run(*args: Any, **kwargs: Any) -> Any:
            begin = clock()
            result = function(*args, **kwargs)
            spent[0] += clock() - begin
            return result

        return run

    for name in PHYSICS:
        setattr(mujoco, name, timed(getattr(mujoco, name)))
    return spent


def single(target: str, nstep: int) -> Row:
    """Seconds of a step, of its physics and of a reset of the environment; steps of an episode.

    Args:
        target: the environment.
        nstep: the first steps of an episode that are measured.
    """
    physics, clock = physics_clock(), time.process_time
    env = made(target)
    env.reset(seed=0)
    env.action_space.seed(0)
    limit = getattr(env.spec, "max_episode_steps", None) or getattr(env, "max_path_length", LONGEST)
    spent, steps, whole, ended, taken = [0.0, 0.0, 0.0], 0, 0, 0, 0
    for _ in range(NEPISODE):
        begin = clock()
        env.reset()
        spent[2] += clock() - begin
        over, length = False, 0
        while not over and length < limit and (length < nstep or taken < MOST_STEPS):
            action, before, begin = env.action_space.sample(), physics[0], clock()
            *_, terminated, truncated, _ = env.step(action)
            seconds = clock() - begin
            over, length, taken = terminated or truncated, length + 1, taken + 1
            if length <= nstep:
                spent[0] += seconds
                spent[1] += physics[0] - before
                steps += 1
        # episodes that were cut short here are as long as the package lets them be
        over = over or length >= limit
        whole, ended = whole + length * over, ended + over
    times = {"step": spent[0] / steps, "physics": spent[1] / steps, "reset": spent[2] / NEPISODE}
    return times | {"length": whole / ended if ended else float(limit)}


def ported(target: str, nworld: int) -> Row:
    """The same of its port, for each world; how the port runs, and the steps that were measured."""
    import mjenv.mujoco

    mjenv.mujoco.install()
    from mjenv.porting.vector import PortedVectorEnv

    envs = PortedVectorEnv(target, nworld, nthread=1, max_episode_steps=None, way="traced")
    clock, spent, physics = time.process_time, [], []
    envs.action_space.seed(0)
    envs.reset(seed=0)
    # what is compiled when it is first called
    envs.step(envs.action_space.sample())
    physics_of(envs)
    begin = clock()
    envs.reset(seed=0)
    reset = (clock() - begin) / nworld
    first, length, longest, warm = clock(), 0, 0, True
    while len(spent) < NSTEP - NSTEP // 10 and clock() - first < SECONDS:
        actions = envs.action_space.sample()
        begin = clock()
        envs.step(actions)
        seconds, length = (clock() - begin) / nworld, length + 1
        if warm:
            spent.append(seconds)
        longest, warm = max(longest, length), True
        if envs._ended.any():
            envs.reset()
            length = 0
        elif length % 10 == 5:
            state = envs.save_state()
            physics.append(physics_of(envs))
            envs.restore_state(state)
            warm = False
    physics = physics or [physics_of(envs)]
    resets = "traced" if envs._worlds.reset_program is not None else envs._worlds.why_not_reset
    times = {"step": sum(spent) / len(spent), "physics": sum(physics) / len(physics)}
    return times | {"reset": reset, "resets": resets, "nstep": longest, "nworld": nworld}


def pooled(target: str, nstep: int) -> Row:
    """The same of EnvPool's environment, for each of those in one call; {} if it has none.

    Args:
        target: the environment.
        nstep: the first steps of an episode that are measured.
    """
    import envpool
    import numpy as np

    names = {_plain(name): name for name in envpool.list_all_envs()}
    found = names.get(_plain(target))
    if found is None:
        return {}
    envs = envpool.make(found, env_type="gymnasium", num_envs=NPOOL, num_threads=1, seed=0)
    random, space, clock = np.random.default_rng(0), envs.action_space, time.process_time
    shape, spent = (NPOOL, *space.shape), {}
    envs.reset()
    begin = clock()
    envs.reset()
    spent["reset"] = (clock() - begin) / NPOOL
    begin = clock()
    for _ in range(nstep):
        envs.step(random.uniform(space.low, space.high, shape).astype(space.dtype))
    return spent | {"step": (clock() - begin) / NPOOL / nstep}


def _plain(name: str) -> str:
    """A task's name as letters and digits: packages write it in several ways."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


def physics_of(envs: Any) -> float:
    """Seconds of a step's calls of the physics alone, for each world."""
    step, clock = envs._worlds._step, time.process_time
    step._bytecode.choose(None, None)
    begin = clock()
    for turn in step._turns:
        if hasattr(turn.advance, "_nstep"):
            turn.advance(None)
    return (clock() - begin) / envs.num_envs


# in the order in which they are measured
SIDES = {"port": ported, "package": single, "envpool": pooled}


def rate(times: Row, length: float) -> float:
    """Steps per second, resets counted."""
    return length / (length * times["step"] + times["reset"])


def measured(row: Row, pythons: dict[str, str], nworld: int) -> Row:
    """The sides of a task that are not known, in processes of their own, one after the other."""
    for side in (side for side in SIDES if side in pythons and side not in row):
        number = nworld if side == "port" else row["port"]["nstep"]
        command = [pythons[side], __file__, row["task"], "--one", side, "--number", str(number)]
        told = subprocess.run(command, capture_output=True, text=True)
        if told.returncode:
            lines = told.stderr.strip().splitlines()
            return row | {"failed": lines[-1] if lines else f"{side}: no result"}
        row = row | {side: json.loads(told.stdout.splitlines()[-1])}
    return row


def shown(row: Row) -> str:
    """A row of the table."""
    if "failed" in row:
        return f"| {row['task']} | {row['failed'][:100]} |"
    alone, many = row["package"], row["port"]
    one, other = (rate(times, alone["length"]) for times in (alone, many))
    us = [f"{1e6 * side[n]:.0f}" for n in ("step", "physics") for side in (alone, many)]
    engine = f"{alone['physics'] / many['physics']:.1f}" if many["physics"] else ""
    resets = f"{1e3 * alone['reset']:.2f} ms, {1e3 * many['reset']:.2f} ms"
    pool = row.get("envpool")
    third = f"{rate(pool, alone['length']):,.0f}" if pool else ""
    return (
        f"| {row['task']} | {one:,.0f} | {other:,.0f} | {other / one:.1f} | {us[0]}, {us[1]} | "
        f"{us[2]}, {us[3]} | {engine} | {alone['length']:.0f} | {resets} | {third} |"
    )


def main() -> None:
    """Print a row of a table for each environment."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("task", nargs="*")
    parser.add_argument("--reference", default=sys.executable)
    parser.add_argument("--worlds", type=int, default=NWORLD)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--envpool")
    parser.add_argument("--one", choices=SIDES, help=argparse.SUPPRESS)
    parser.add_argument("--number", type=int, help=argparse.SUPPRESS)
    words = parser.parse_args()
    if words.one:
        print(json.dumps(SIDES[words.one](words.task[0], words.number)))
        return
    from port_counts import tasks

    # a later row of a task goes on with an earlier one
    before = []
    if words.out is not None and words.out.exists():
        before = [json.loads(line) for line in words.out.read_text().splitlines()]
    known = {row["task"]: row for row in before}
    pythons = {"port": sys.executable, "package": words.reference, "envpool": words.envpool}
    pythons = {side: python for side, python in pythons.items() if python}
    print(
        "| task | package, steps/s | port, steps/s | times | us of a step, package and port | "
        "of that physics | times, physics | episode | reset, package and port | EnvPool |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    for target in words.task or tasks():
        old = known.get(target, {"task": target})
        row = old if "failed" in old else measured(old, pythons, words.worlds)
        print(shown(row), flush=True)
        if words.out is not None and row is not old:
            with words.out.open("a") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
