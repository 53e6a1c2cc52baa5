"""Runs side by side: tables, and the learning curves in one picture."""

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from mjenv.training.runs.curve import read_log, read_minutes
from mjenv.training.runs.files import whole
from mjenv.training.runs.folders import RESULT, Run
from mjenv.training.runs.seeds import Estimate, improvement, interquartile_mean

_COLUMNS = (
    "run", "algorithm", "seeds", "steps", "minutes", "steps/s", "return", "worst", "iqm", "iqm low",
    "iqm high",
)  # fmt: skip
_SEEDS = ("run", "folder", "seed", "steps", "minutes", "return")


@dataclass(frozen=True)
class Group:
    """Runs that differ in nothing but the seed: one run, or those of a folder.

    Attributes:
        name: the folder.
        runs: those that have finished.
    """

    name: str
    runs: list[Run]

    @classmethod
    def open(cls, folder: str | Path) -> "Group":
        """The run in a folder, or the runs in its folders, as `mjenv train --seeds` leaves them.

        Raises:
            FileNotFoundError: there is none that has finished.
        """
        folder = Path(folder)
        inside = sorted(path.parent for path in folder.glob("*/config.json"))
        runs = [Run.open(path) for path in inside] or [Run.open(folder)]
        finished = [run for run in runs if (run.folder / RESULT).exists()]
        if not finished:
            raise FileNotFoundError(
                f"{folder}: has not finished, expected runs that have; "
                f"`mjenv train --resume {folder}` continues one"
            )
        return cls(str(folder), finished)

    @property
    def env_id(self) -> str:
        """The environment of its runs."""
        return self.runs[0].config()["env"]

    def rows(self) -> list[dict[str, Any]]:
        """Results of each run, as rows of a table."""
        results = [json.loads((run.folder / RESULT).read_text()) for run in self.runs]
        return [
            {
                "run": self.name,
                "folder": str(run.folder),
                "seed": run.config().get("seed"),
                "steps": result["steps"],
                "minutes": result["minutes"],
                "return": result["return_mean_after"],
            }
            for run, result in zip(self.runs, results, strict=True)
        ]

    def returns(self) -> np.ndarray:
        """Mean return of the trained agent of each run, (runs,)."""
        return np.array([row["return"] for row in self.rows()], float)

    def row(self) -> dict[str, Any]:
        """Results of all runs: means, the worst return, and the interquartile mean."""
        rows, returns = self.rows(), self.returns()
        steps, minutes = ([row[name] for row in rows] for name in ("steps", "minutes"))
        middle = interquartile_mean(returns)
        return {
            "run": self.name,
            "algorithm": self.runs[0].config()["algorithm"],
            "seeds": len(self.runs),
            "steps": float(np.mean(steps)),
            "minutes": float(np.mean(minutes)),
            "steps/s": float(np.sum(steps) / np.sum(minutes) / 60),
            "return": float(np.mean(returns)),
            "worst": float(np.min(returns)),
            "iqm": middle.value,
            "iqm low": middle.low,
            "iqm high": middle.high,
        }

    def curve(self, over: str = "steps", points: int = 200) -> tuple[np.ndarray, np.ndarray]:
        """Steps or minutes (n,) and each run's mean return of training there (runs, n).

        Args:
            over: "steps", or "minutes" of training, those in which the machine did other work
                among them.
            points: n, from the first that all runs have to the last that all runs have.
        """
        logs = []
        for run in self.runs:
            steps, returns = read_log(run.log)
            if steps.size:
                logs.append((steps if over == "steps" else read_minutes(run.log), returns))
        if not logs:
            return np.empty(0), np.empty((0, 0))
        at = np.linspace(max(x[0] for x, _ in logs), min(x[-1] for x, _ in logs), points)
        return at, np.array([np.interp(at, x, y) for x, y in logs])


def table(groups: Sequence[Group]) -> str:
    """A line for each group, with the interval of its interquartile mean where it has seeds."""
    rows: list[list[str]] = [[*_COLUMNS[:8], "interquartile mean"]]
    for row in (group.row() for group in groups):
        numbers = [f"{row['steps']:,.0f}", f"{row['minutes']:.1f}", f"{row['steps/s']:,.0f}"]
        ends = [f"{row['return']:,.1f}", f"{row['worst']:,.1f}"]
        middle = Estimate(row["iqm"], row["iqm low"], row["iqm high"]).text(",.1f")
        rows.append([row["run"], row["algorithm"], str(row["seeds"]), *numbers, *ends, middle])
    return _columns(rows)


def seeds_table(groups: Sequence[Group]) -> str:
    """A line for each run of groups with several."""
    rows: list[list[str]] = [["run", "seed", "steps", "minutes", "return"]]
    for row in (row for group in groups if len(group.runs) > 1 for row in group.rows()):
        numbers = [f"{row['steps']:,}", f"{row['minutes']:.1f}", f"{row['return']:,.1f}"]
        rows.append([row["folder"], str(row["seed"]), *numbers])
    return _columns(rows) if len(rows) > 1 else ""


def improvements(groups: Sequence[Group]) -> list[str]:
    """Probability that a seed of a group is better than one of another group before it.

    Only of groups of the same environment, of which one at least has several runs.
    """
    return [
        f"{later.name} is better than {former.name} with a probability of "
        + improvement(later.returns(), former.returns()).text(".2f")
        for former, later in combinations(groups, 2)
        if later.env_id == former.env_id and len(later.runs) + len(former.runs) > 2
    ]


def _columns(rows: list[list[str]]) -> str:
    """Rows of words below each other, all but the first column flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, *cells in rows:
        right = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *right]))
    return "\n".join(lines)


def write_tables(path: Path, groups: Sequence[Group]) -> None:
    """The same as comma-separated values: a row for each group, and `<name>-seeds.csv` of runs."""
    _write(path, _COLUMNS, [group.row() for group in groups])
    runs = [row for group in groups for row in group.rows()]
    _write(path.with_stem(f"{path.stem}-seeds"), _SEEDS, runs)


def _write(path: Path, names: Sequence[str], rows: list[dict[str, Any]]) -> None:
    with whole(path) as partial, partial.open("w", newline="") as file:
        writer: Any = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)


def plot(path: str | Path, groups: Sequence[Group]) -> None:
    """Draw each group's mean return over steps and over minutes, and the range of its runs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 4.5), dpi=120, layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    for axes, over in (left, "steps"), (right, "minutes"):
        for group in groups:
            at, returns = group.curve(over)
            if not at.size:
                continue
            (line,) = axes.plot(at, returns.mean(0), linewidth=2, label=group.name)
            if len(returns) > 1:
                low, high = returns.min(0), returns.max(0)
                axes.fill_between(at, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    left.set(xlabel="environment steps", ylabel="mean return of an episode while it explores")
    left.xaxis.set_major_formatter(lambda x, _: f"{x / 1e6:g} M" if x else "0")
    left.legend(loc="best", frameon=False)
    right.set(xlabel="minutes of training")
    with whole(path) as partial:
        figure.savefig(partial)
