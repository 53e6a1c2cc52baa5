"""Runs side by side: a table, and the learning curves in one picture."""

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mjenv.training.curve import read_log
from mjenv.training.files import whole
from mjenv.training.runs import RESULT, Run

_COLUMNS = ("run", "algorithm", "seeds", "steps", "minutes", "steps/s", "return", "worst")


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
                f"`mjenv train --resume {folder}` goes on with one"
            )
        return cls(str(folder), finished)

    def row(self) -> dict[str, Any]:
        """What has come out: means over the runs, and the worst one's return."""
        results = [json.loads((run.folder / RESULT).read_text()) for run in self.runs]
        returns = [result["return_mean_after"] for result in results]
        steps, minutes = ([result[name] for result in results] for name in ("steps", "minutes"))
        return {
            "run": self.name,
            "algorithm": self.runs[0].config()["algorithm"],
            "seeds": len(self.runs),
            "steps": float(np.mean(steps)),
            "minutes": float(np.mean(minutes)),
            "steps/s": float(np.sum(steps) / np.sum(minutes) / 60),
            "return": float(np.mean(returns)),
            "worst": float(np.min(returns)),
        }

    def curve(self, points: int = 200) -> tuple[np.ndarray, np.ndarray]:
        """Steps (n,) and each run's mean return of training there (runs, n)."""
        logs = [read_log(run.log) for run in self.runs]
        logs = [log for log in logs if log[0].size]
        if not logs:
            return np.empty(0), np.empty((0, 0))
        steps = np.linspace(max(x[0] for x, _ in logs), min(x[-1] for x, _ in logs), points)
        return steps, np.array([np.interp(steps, x, y) for x, y in logs])


def table(groups: Sequence[Group]) -> str:
    """A line for each group."""
    rows: list[list[str]] = [list(_COLUMNS)]
    for row in (group.row() for group in groups):
        numbers = [f"{row['steps']:,.0f}", f"{row['minutes']:.1f}", f"{row['steps/s']:,.0f}"]
        ends = [f"{row['return']:,.1f}", f"{row['worst']:,.1f}"]
        rows.append([row["run"], row["algorithm"], str(row["seeds"]), *numbers, *ends])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for name, *cells in rows:
        right = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
        lines.append("  ".join([name.ljust(widths[0]), *right]))
    return "\n".join(lines)


def write_table(path: str | Path, groups: Sequence[Group]) -> None:
    """The same as comma-separated values."""
    with whole(path) as partial, partial.open("w", newline="") as file:
        writer: Any = csv.DictWriter(file, _COLUMNS)
        writer.writeheader()
        writer.writerows(group.row() for group in groups)


def plot(path: str | Path, groups: Sequence[Group]) -> None:
    """Draw each group's mean return over steps, and the range of its runs."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    for group in groups:
        steps, returns = group.curve()
        if not steps.size:
            continue
        (line,) = axes.plot(steps, returns.mean(0), linewidth=2, label=group.name)
        if len(returns) > 1:
            low, high = returns.min(0), returns.max(0)
            axes.fill_between(steps, low, high, alpha=0.2, color=line.get_color(), linewidth=0)
    axes.set(xlabel="environment steps", ylabel="mean return of an episode while it explores")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x / 1e6:g} M" if x else "0")
    axes.grid(alpha=0.3)
    axes.legend(loc="best", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    with whole(path) as partial:
        figure.savefig(partial)
