"""Commands that list what there is, and compile it."""

import argparse
import subprocess
import sys
import textwrap
from collections.abc import Iterable
from typing import Any

from mjenv.commands.command import Command
from mjenv.commands.options import ENV_HELP
from mjenv.engine.errors import nearest


def environments() -> list[Any]:
    """The rows of the registry."""
    from mjenv.gym.registration import ENVS, ROBOTS

    return [*ENVS, *ROBOTS]


def list_environments(arguments: argparse.Namespace) -> None:
    """The environments with their sizes, all or those whose names contain a word.

    Raises:
        ValueError: there are none.
    """
    import gymnasium

    def wanted(name: str) -> bool:
        return arguments.word.lower() in name.lower()

    # rows of the environments whose name has the word, and tasks of the suite
    chosen = [row for row in environments() if wanted(row.id)]
    tasks = {domain: [*filter(wanted, ids)] for domain, ids in suite_tasks().items()}
    tasks = {domain: ids for domain, ids in tasks.items() if ids}
    if not (chosen or tasks):
        hint = nearest(arguments.word, [*suite_tasks(), *(row.task for row in environments())])
        raise ValueError(f"{arguments.word}: is in the name of no environment{hint}")
    rows = [["environment", "observation", "action", "steps", "solved at"]]
    for row in chosen:
        # sizes are known when the model is compiled
        with gymnasium.make(f"mjenv/{row.id}") as env:
            sizes = [size(space) for space in (env.observation_space, env.action_space)]
        threshold = "" if row.reward_threshold is None else f"{row.reward_threshold:,g}"
        rows.append([row.id, *sizes, str(row.max_episode_steps), threshold])
    if chosen:
        print_columns(rows, right=range(1, 5))
    # the suite has many tasks: one line for each domain
    if tasks:
        between = "\n" * bool(chosen)
        print(f"{between}the dm_control suite, episodes of 1000 steps, of lqr without end:")
    for domain, ids in tasks.items():
        start = f"  {domain + ':':13} "
        text = textwrap.fill(" ".join(ids), 82, break_on_hyphens=False)
        print(textwrap.indent(text, " " * 16).replace(" " * 16, start, 1))


def size(space: Any) -> str:
    """Numbers in a space, those of its parts with a plus between."""
    parts = getattr(space, "spaces", {"": space}).values()
    return "+".join("x".join(map(str, part.shape or ())) for part in parts)


def list_options(sub: argparse.ArgumentParser) -> None:
    """Add the options that choose environments."""
    sub.add_argument(
        "word", metavar="WORD", nargs="?", default="", help="only those whose names contain it"
    )


def suite_tasks() -> dict[str, list[str]]:
    """The environments of the dm_control suite by domain."""
    from mjenv.gym.registration import SUITE

    domains = dict.fromkeys(row.domain for row in SUITE)
    return {name: [row.id for row in SUITE if row.domain == name] for name in domains}


def list_agents(arguments: argparse.Namespace) -> None:
    """The agents that come with mjenv, and the commands that train them."""
    from mjenv.training.portable import names, shipped

    rows = [["environment", "return", "steps", "minutes", "trained with"]]
    for name in names():
        agent = shipped(f"mjenv/{name}")
        assert agent is not None
        info = agent.info
        reached = f"{info['return']:,.1f} +- {info['std']:,.1f}"
        rows.append(
            [name, reached, f"{info['steps']:,}", f"{info['minutes']:.1f}", info["command"]]
        )
    print_columns(rows, right=range(1, 4))


def print_columns(rows: list[list[str]], right: Iterable[int]) -> None:
    """Print rows of words, those of some columns flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if k in right else cell.ljust(width)
            for k, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def prepare(arguments: argparse.Namespace) -> int:
    """Compile what environments need: alone, among several, for training, evaluation and films."""
    from mjenv.engine.simd.cache import cache_dir, unstored
    from mjenv.engine.simd.progress import progress, stages
    from mjenv.gym.lookup import environment_id, refuse_vector_only

    # the count is made in another process, which compiles nothing
    names = [environment_id(name) for name in arguments.env or [row.id for row in environments()]]
    for name in names:
        refuse_vector_only(name)
    if arguments.missing:
        print(_missing(names))
        return 0
    total = _count_elsewhere(arguments.env)
    print(f"mjenv prepare: {stages(total)} to compile", flush=True)
    # what other processes have compiled meanwhile counts as done
    start = progress.compiled
    for number, env_id in enumerate(names, 1):
        progress.done()
        before = progress.compiled
        _use(env_id)
        progress.done()
        count = progress.compiled - before
        done = f"{stages(count)} compiled" if count else "nothing left to compile"
        left = max(0, total - progress.compiled + start)
        done += f", {left} of {total} left" * (number < len(names) and left > 0)
        place = f" ({number} of {len(names)})" * (len(names) > 1)
        print(f"{env_id}{place}: ready, {done}", flush=True)
    # a cache that cannot be written makes the command pointless: it fails
    lost = len(unstored())
    if lost:
        print(
            f"mjenv prepare: {cache_dir()}: {stages(lost)} could not be stored and will be compiled"
            " again; set MJENV_CACHE_DIR to a folder that can be written",
            file=sys.stderr,
        )
    return 1 if lost else 0


def _count_elsewhere(names: list[str]) -> int:
    """Number of missing stages, counted by a process in which all of them do nothing.

    Raises:
        RuntimeError: that process failed; with what it said.
    """
    command = [sys.executable, "-m", "mjenv", "prepare", "--missing", *names]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode:
        said = (result.stderr or result.stdout).strip().rpartition("\n")[2]
        raise RuntimeError(f"mjenv prepare: the missing stages could not be counted: {said}")
    return int(result.stdout.split()[-1])


def _missing(names: list[str]) -> int:
    """Number of stages that environments need and that are not compiled yet."""
    from mjenv.engine.simd.idle import idle

    with idle() as missing:
        for env_id in names:
            _use(env_id)
    return len(missing)


def _use(env_id: str) -> None:
    """Do what everything does that runs an environment."""
    from mjenv.training.films.film import preview
    from mjenv.training.films.shot import Shot

    _use_alone(env_id)
    _use_together(env_id)
    preview(env_id, Shot((64, 48)), {})


def _use_alone(env_id: str) -> None:
    """Do what single environments do: steps with bytecode too, pictures, saved states."""
    import gymnasium

    with gymnasium.make(env_id, render_mode="rgb_array") as env:
        for _ in range(2):
            env.reset(seed=0)
            for _ in range(3):
                env.step(env.action_space.sample())
        env.render()
        own: Any = env.unwrapped
        own.restore_state(own.save_state())


def _use_together(env_id: str) -> None:
    """Do what trainings, evaluations and your own loops do: more worlds than fit into a pack."""
    import gymnasium
    import numpy as np

    for observation_dtype in (np.float64, np.float32):
        envs: Any = gymnasium.make_vec(env_id, 17, observation_dtype=observation_dtype)
        envs.reset(seed=0)
        envs.step(envs.action_space.sample())
        # some of the worlds: the ends of episodes, saved states, batches
        envs.reset(options={"reset_mask": np.arange(17) < 3})
        envs.unwrapped.restore_state(envs.unwrapped.save_state())
        envs.unwrapped.step_some(envs.action_space.sample()[:3], range(3))
        envs.close()


def prepare_options(sub: argparse.ArgumentParser) -> None:
    """Add the options that choose environments."""
    sub.add_argument("env", metavar="ENV", nargs="*", help=f"{ENV_HELP}; all of mjenv's by default")
    sub.add_argument(
        "--missing", action="store_true", help="print how many stages are missing, and end"
    )


COMMANDS = (
    Command("envs", list_environments, "list the environments", list_options),
    Command("agents", list_agents, "list the agents that come with mjenv, and what trains them"),
    Command(
        "prepare",
        prepare,
        "compile what environments need, ahead of time",
        prepare_options,
    ),
)
