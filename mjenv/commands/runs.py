"""Commands about runs: what their agents reach, how they compare, files of agents."""

import argparse
from pathlib import Path
from typing import Any

from mjenv.commands.actor import on_one_thread
from mjenv.commands.command import Command
from mjenv.commands.options import (
    AGENT_HELP,
    add_checkpoint_option,
    add_environment_options,
    add_trust_option,
    env_kwargs,
)
from mjenv.commands.values import positive, seed


def evaluate(arguments: argparse.Namespace) -> None:
    """Evaluate the agent of a run."""
    import numpy as np

    from mjenv.training.agent import Agent
    from mjenv.training.evaluate import play
    from mjenv.training.runs.folders import EVAL, Run

    on_one_thread()
    run = Run.open(arguments.run)
    agent = Agent.load(run, arguments.checkpoint, arguments.trust)
    # the environment as it was trained, but for what the command says
    env_id, recorded = run.environment(arguments.trust)
    given = env_kwargs(arguments)
    options = {**recorded, **given}
    episodes = play(env_id, agent.act, arguments.episodes, arguments.seed, options)
    # results are kept beside the checkpoint, so that tables and pages can show them
    found = episodes.summary()
    saved = run if arguments.checkpoint is None else run.checkpoint(arguments.checkpoint)
    terms = {name: float(np.nanmean(x)) for name, x in episodes.terms.items()}
    written = {name: repr(value) for name, value in options.items()}
    tasks = {name: one.summary() for name, one in episodes.of_tasks().items()}
    several = {"tasks": tasks} if tasks else {}
    saved.write(EVAL, {**found, "terms": terms, "env_kwargs": written, **several})
    # what differs from training is said: the number cannot be compared with that of the run
    for name, value in given.items():
        before = repr(recorded[name]) if name in recorded else "its default"
        if before != repr(value):
            print(f"not as it was trained: {name}={value!r} instead of {before}")
    print(
        f"{env_id}: return {found['mean']:,.1f} +- {found['std']:,.1f} "
        f"({found['min']:,.1f} to {found['max']:,.1f}) in {found['episodes']} episodes"
    )
    # several agents: returns say little, so they also play against others
    if agent.view.agents:
        print(f"won {found['success']:.0%} of the episodes against random actions")
        against = contests(run, agent, arguments, options)
        saved.write(EVAL, {**found, "terms": terms, "env_kwargs": written, "against": against})
    elif "success" in found:
        print(f"success: {found['success']:.0%} of the episodes")
    for line in episodes.table():
        print(line)


def contests(
    run: Any, agent: Any, arguments: argparse.Namespace, options: dict[str, Any]
) -> dict[int, float]:
    """Print how often an agent beats those on the way to it; steps of these -> share."""
    from mjenv.training.agent import Agent
    from mjenv.training.evaluate import play

    env_id, _ = run.environment(arguments.trust)
    won = {}
    for checkpoint in run.checkpoints:
        rival = Agent.load(run, checkpoint.steps, arguments.trust).act
        count = arguments.episodes, arguments.seed, options
        found = play(env_id, agent.act, *count, rival=rival).summary()
        won[checkpoint.steps] = found["success"]
        print(f"won {found['success']:.0%} against the agent after {checkpoint.steps:,} steps")
    return won


def eval_options(sub: argparse.ArgumentParser) -> None:
    """Whose agent, and how many episodes."""
    sub.add_argument("run", metavar="RUN", help="folder of the run")
    add_checkpoint_option(sub)
    add_trust_option(sub)
    sub.add_argument("--episodes", type=positive, default=16, help="how many (default: 16)")
    sub.add_argument(
        "--seed", type=seed, default=1_000_000, help="seed of the first episode (default: 1000000)"
    )
    add_environment_options(sub)


def compare(arguments: argparse.Namespace) -> None:
    """Tabulate and plot runs."""
    show_comparison(arguments.runs, arguments.output)


def show_comparison(folders: list[Path], picture: Path) -> None:
    """Print tables of runs, and write them and their curves beside each other."""
    from mjenv.training.compare import Group, improvements, plot, seeds_table, table, write_tables

    groups = [Group.open(folder) for folder in folders]
    plot(picture, groups)
    write_tables(picture.with_suffix(".csv"), groups)
    for text in (table(groups), seeds_table(groups), "\n".join(improvements(groups))):
        if text:
            print(text, end="\n\n")
    print(f"learning curves: {picture}")


def compare_options(sub: argparse.ArgumentParser) -> None:
    """Add the options that choose runs, and the picture."""
    sub.add_argument("runs", metavar="RUN", nargs="+", type=Path, help="folders, also of --seeds")
    sub.add_argument(
        "--output",
        type=Path,
        default=Path("comparison.png"),
        metavar="FILE",
        help="the picture (default: comparison.png); tables go into .csv files beside it",
    )


def export(arguments: argparse.Namespace) -> None:
    """Write the agent of a run as a file for programs without mjenv."""
    from mjenv.training.export import write_agent
    from mjenv.training.runs.files import check_place

    output = arguments.output
    if output is None:
        if not Path(arguments.what).is_dir():
            raise ValueError(f"--output: expected a file for the agent of {arguments.what}")
        output = Path(arguments.what) / "agent.npz"
    check_place(output)
    info = write_agent(arguments.what, output, arguments.episodes, arguments.trust)
    print(f"{output}: {info}")


def export_options(sub: argparse.ArgumentParser) -> None:
    """Add the options that choose an agent, and the file."""
    sub.add_argument("what", metavar="RUN|ENV", help=AGENT_HELP)
    sub.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help=".npz for numpy, .onnx, or .pt for TorchScript (default: RUN/agent.npz)",
    )
    sub.add_argument(
        "--episodes",
        type=positive,
        default=20,
        help="episodes that are played to measure its return (default: 20)",
    )
    add_trust_option(sub)


COMMANDS = (
    Command("eval", evaluate, "evaluate the agent of a run, without exploration", eval_options),
    Command(
        "compare",
        compare,
        "tabulate runs and their seeds, with intervals, and plot their learning curves",
        compare_options,
    ),
    Command(
        "export", export, "write an agent as a file for programs without mjenv", export_options
    ),
)
