"""The training log as a file of comma-separated values, which a resumed training goes on with."""

import csv
from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import (
    CSVOutputFormat,
    KVWriter,
    Logger,
    TensorBoardOutputFormat,
)

from mjenv.training.board import Board
from mjenv.training.runs import BOARD

STEPS = "time/total_timesteps"


class Log(CSVOutputFormat):
    """Stable-Baselines3's log, but rows of a training before may stay."""

    def __init__(self, path: str | Path, steps: int = 0):
        """Write into a file; of the rows that are there those up to `steps` stay."""
        rows: list[dict[str, Any]] = []
        path = Path(path)
        if steps and path.exists():
            with path.open(newline="") as file:
                rows += csv.DictReader(file)
        super().__init__(str(path))
        for row in rows:
            if row.get(STEPS) and float(row[STEPS]) <= steps:
                self.write({name: value for name, value in row.items() if value}, {})


def logger(folder: Path, steps: int = 0, project: str | None = None) -> Logger:
    """Writes progress.csv and TensorBoard's events; rows after `steps` of the file are left out.

    Where there is a project, or was one before, rows go to Weights & Biases too.
    """
    formats: list[KVWriter] = [Log(folder / "progress.csv", steps)]
    formats.append(TensorBoardOutputFormat(str(folder)))
    if project is not None or (folder / BOARD).exists():
        formats.append(Board(folder, project))
    return Logger(str(folder), formats)
