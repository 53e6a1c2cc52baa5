"""The learning curve as a picture."""

import csv
from pathlib import Path

import numpy as np

from mjenv.training.runs.files import whole


def read_log(path: str | Path) -> tuple[np.ndarray, np.ndarray]:
    """Steps and mean returns of the updates that saw an episode end, from a run's progress.csv."""
    steps, returns = [], []
    with Path(path).open(newline="") as file:
        for row in csv.DictReader(file):
            if row.get("rollout/ep_rew_mean"):
                steps.append(float(row["time/total_timesteps"]))
                returns.append(float(row["rollout/ep_rew_mean"]))
    return np.array(steps), np.array(returns)


def read_minutes(path: str | Path) -> np.ndarray:
    """Minutes of training at each of the updates of `read_log`, from the same file.

    The clock of a training that was resumed starts again; what was before is added.
    """
    minutes, before, last = [], 0.0, 0.0
    with Path(path).open(newline="") as file:
        for row in csv.DictReader(file):
            elapsed = float(row["time/time_elapsed"])
            if elapsed < last:
                before += last
            last = elapsed
            if row.get("rollout/ep_rew_mean"):
                minutes.append((before + elapsed) / 60)
    return np.array(minutes)


def plot_curve(
    path: str | Path,
    title: str,
    steps: np.ndarray,
    returns: np.ndarray,
    before: float | None = None,
    after: float | None = None,
    evaluated: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
) -> None:
    """Draw returns over steps.

    Args:
        path: the PNG file.
        title: what was trained.
        steps: environment steps at each update, (n,).
        returns: mean return of the last episodes of training, (n,).
        before: mean return of the untrained agent, evaluated without exploration.
        after: the same for the trained agent.
        evaluated: steps (n,), mean returns (n,) and their deviations (n,) of evaluations on the
            way; None for none.
    """
    # imported here: plotting is optional, and slow to import
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4.5), dpi=120, layout="constrained")
    axes = figure.add_subplot()
    axes.plot(steps, returns, color="#1f6feb", linewidth=2, label="while it explores")
    # evaluations on the way with their deviations
    if evaluated is not None and len(evaluated[0]):
        at, means, deviations = evaluated
        colour = "#8250df"
        axes.plot(at, means, ".-", color=colour, linewidth=1, label="evaluated on the way")
        axes.fill_between(
            at, means - deviations, means + deviations, color=colour, alpha=0.15, linewidth=0
        )
    # the untrained and the trained agent
    last = steps[-1] if len(steps) else 1.0
    points = [(0.0, before, "#d1242f", "before"), (last, after, "#1a7f37", "after")]
    for x, value, colour, label in points:
        if value is not None:
            axes.plot([x], [value], "o", color=colour, markersize=8, label=f"{label}: {value:,.0f}")
    axes.set(title=title, xlabel="environment steps", ylabel="mean return of an episode")
    axes.xaxis.set_major_formatter(lambda x, _: f"{x / 1e6:g} M" if x else "0")
    axes.grid(alpha=0.3)
    axes.legend(loc="best", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    with whole(path) as partial:
        figure.savefig(partial)
