"""Callbacks of a training run: the progress bar, the reward's terms and the time limit."""

import csv
import sys
import time
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from stable_baselines3.common.callbacks import BaseCallback
from tqdm import tqdm

from mjenv.training.learners.resumable import Resumable
from mjenv.training.runs.progress_bar import bar


def say(text: str, file: TextIO | None = None) -> None:
    """Print to the standard output or another file; that nobody reads it any more is no error."""
    with suppress(OSError):
        print(text, file=sys.stdout if file is None else file, flush=True)


class ProgressBar(BaseCallback):
    """Shows steps, steps per second, the time left and the mean return of the last episodes."""

    def __init__(self, steps: int):
        """A bar over `steps` environment steps."""
        super().__init__()
        self.steps = steps
        self._bar: tqdm | None = None

    def _on_training_start(self) -> None:
        with suppress(OSError):  # of a terminal that is closed
            start = min(self.num_timesteps, self.steps)
            self._bar = bar(20.0, initial=start, total=self.steps, unit=" steps", unit_scale=True)

    def _on_step(self) -> bool:
        if self._bar is not None:
            with suppress(OSError):
                self._bar.update(min(self.num_timesteps, self.steps) - self._bar.n)
        return True

    def _on_rollout_end(self) -> None:
        if self.model.ep_info_buffer and self._bar is not None:
            mean = np.mean([episode["r"] for episode in self.model.ep_info_buffer])
            self._bar.set_postfix_str(f"return while exploring {mean:,.0f}", refresh=False)

    def close(self) -> None:
        """Leave the bar as it is."""
        if self._bar is not None:
            with suppress(OSError):
                self._bar.close()


class RewardTerms(BaseCallback):
    """Logs the mean sum of each of the reward's terms in the last episodes, as `rollout/<term>`."""

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        episodes = [one["terms"] for one in self.model.ep_info_buffer or () if "terms" in one]
        for name in episodes[-1] if episodes else ():
            sums = np.array([terms[name] for terms in episodes])
            own = ~np.isnan(sums)  # of several tasks some have no such term
            if own.any():
                self.logger.record(f"rollout/{name}", float(sums[own].mean()))


class TaskResults(BaseCallback):
    """Logs the return, length and success of the last episodes of each of several tasks.

    Their columns are `rollout/<task>/return`, `.../length` and, of tasks that tell it,
    `.../success`.
    """

    def __init__(self, kept: int = 100):
        """Of the last `kept` episodes of each task."""
        super().__init__()
        self._kept = kept
        self._last: dict[str, deque[tuple[float, float, float]]] = {}

    def _on_step(self) -> bool:
        if np.any(self.locals.get("dones", False)):
            for info in self.locals["infos"]:
                task = info.get("episode", {}).get("task")
                if task is not None:
                    rows = self._last.setdefault(task, deque(maxlen=self._kept))
                    one = info["episode"]
                    rows.append((one["r"], one["l"], float(info.get("is_success", np.nan))))
        return True

    def _on_rollout_end(self) -> None:
        for task, rows in self._last.items():
            means = np.array(rows).mean(axis=0).tolist()
            for name, mean in zip(("return", "length", "success"), means, strict=True):
                if not np.isnan(mean):
                    self.logger.record(f"rollout/{task}/{name}", mean)


class EpisodeTable(BaseCallback):
    """Writes a row for each episode that ends: steps, return, length, and sums of its terms.

    Where there are several tasks, also which it was.

    Steps are those of the training, over all worlds, when the episode ended.
    """

    def __init__(self, path: Path, steps: int = 0):
        """Write into a file of comma-separated values; rows up to `steps` that are there stay."""
        super().__init__()
        self._path, self._rows = path, []
        self._names: list[str] | None = None
        kept: list[dict[str, Any]] = []
        if steps and path.exists():
            with path.open(newline="") as file:
                kept = [row for row in csv.DictReader(file) if int(row["steps"]) <= steps]
        path.unlink(missing_ok=True)
        self._write(kept)

    def _on_step(self) -> bool:
        if np.any(self.locals.get("dones", False)):
            for info in self.locals["infos"]:
                if "episode" in info:
                    one = info["episode"]
                    row = {"steps": self.num_timesteps, "return": one["r"], "length": one["l"]}
                    row |= {"task": one["task"]} if "task" in one else {}
                    self._rows.append({**row, **one.get("terms", {})})
        return True

    def _on_rollout_end(self) -> None:
        rows, self._rows = self._rows, []
        self._write(rows)

    def _on_training_end(self) -> None:
        self._on_rollout_end()

    def _write(self, rows: list[dict[str, Any]]) -> None:
        if not rows:
            return
        first = self._names is None
        self._names = self._names or list(rows[0])
        with self._path.open("a", newline="") as file:
            writer = csv.DictWriter(file, self._names)
            if first:
                writer.writeheader()
            writer.writerows({n: written(value) for n, value in row.items()} for row in rows)


def written(value: Any) -> Any:
    """A value in a table: nothing for numbers that there are not."""
    if not isinstance(value, float):
        return value
    return "" if np.isnan(value) else f"{value:.6g}"


class Deadline(BaseCallback):
    """Stops the training after some minutes."""

    def __init__(self, minutes: float):
        """A limit of `minutes` from the start of the training."""
        super().__init__()
        self.minutes = minutes

    def _on_training_start(self) -> None:
        self._end, self._start = time.monotonic() + 60 * self.minutes, self.num_timesteps

    def _on_rollout_start(self) -> None:
        learned = self.num_timesteps > self._start
        if isinstance(self.model, Resumable) and learned and time.monotonic() >= self._end:
            self.model.halting = True

    def _on_step(self) -> bool:
        # what can be resumed stops between rollouts
        return isinstance(self.model, Resumable) or time.monotonic() < self._end
