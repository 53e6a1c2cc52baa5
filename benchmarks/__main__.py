"""Command line of the benchmarks: `python -m benchmarks [NAME ...]`, also `mjenv bench`."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mjenv.training.runs.files import check_place

from . import models, report, rows, runner, stages

# in a checkout they are a package of their own
PROGRAM = "mjenv bench" if __name__.startswith("mjenv.") else "python -m benchmarks"


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the rows whose names contain one of the given words, all by default.

    Args:
        argv: arguments of the command line; None for those of the process.

    Returns:
        Exit status: 0, or 2 for an invalid argument.
    """
    arguments = _parser().parse_args(argv)
    try:
        selected = rows.select(arguments.names)
        pythons = runner.interpreters(arguments.peer_python, arguments.against)
    except (ValueError, FileNotFoundError) as error:
        print(error, file=sys.stderr)
        return 2
    if arguments.output is not None:
        try:
            check_place(arguments.output / "results.md")
        except OSError as error:
            print(f"--output: {error.filename}: {error.strerror}", file=sys.stderr)
            return 2
    if arguments.list:
        print("\n".join(row.name for row in selected))
        return 0
    results = []
    for row in selected:
        if arguments.quick:
            row = replace(row, nworld=min(row.nworld, 16), calls=2, warmup=1, repeats=1)
        if arguments.against is not None:
            row = replace(row, peers=(rows.BEFORE,))
        try:
            row = replace(row, path=models.outside_path(row.model))
        except ModuleNotFoundError as error:
            print(f"{row.name}: skipped: {error}")
            continue
        results.append(runner.measure(row, pythons, arguments.threads, arguments.repeats))
        print(report.line(results[-1]), flush=True)
        if results[-1]["stages"]:
            print(stages.line(results[-1]["stages"]), flush=True)
    description = report.machine(arguments.threads, results)
    closing = report.goals if arguments.against is None else report.changes
    print("\n".join(["", *closing(results)]))
    _print_missing(results)
    everything = not (arguments.names or arguments.quick or arguments.against)
    checkout = (models.ROOT / "pyproject.toml").exists()
    folder = arguments.output or (Path(__file__).parent if everything and checkout else None)
    if folder is not None:
        report.write(folder, results, description)
        print(f"written: {folder / 'results.md'}, {folder / 'results.json'}")
    return 0


def _print_missing(results: Any) -> None:
    """Say once why each subject could not be measured."""
    for name, error in dict.fromkeys(
        (name, figure["error"])
        for result in results
        for name, figure in result["subjects"].items()
        if "error" in figure
    ):
        print(f"{name}: not measured: {error}", file=sys.stderr)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=PROGRAM, description=main.__doc__.splitlines()[0])
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="part of the names of the rows to measure"
    )
    parser.add_argument(
        "--peer-python",
        metavar="PATH",
        help="interpreter with mujoco 4.0 and envpool (default: $MJENV_PEER_PYTHON, else this one)",
    )
    parser.add_argument(
        "--against",
        metavar="PYTHON",
        help="interpreter of another checkout of mjenv: measured in turns with this one, in "
        "processor time, instead of the peers",
    )
    parser.add_argument(
        "--threads", type=int, default=2, help="threads of every subject (default: 2)"
    )
    parser.add_argument("--repeats", type=int, default=5, help="interleaved repeats (default: 5)")
    parser.add_argument(
        "--output",
        type=Path,
        metavar="FOLDER",
        help="where results.md and .json go; "
        "in a checkout a run of all rows writes into benchmarks/, others only print",
    )
    parser.add_argument(
        "--quick", action="store_true", help="few worlds and calls: try the rows out"
    )
    parser.add_argument("--list", action="store_true", help="only print the names of the rows")
    return parser


if __name__ == "__main__":
    sys.exit(main())
