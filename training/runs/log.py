"""The training log: a table that a resumed training goes on with, TensorBoard, Weights & Biases."""

import csv
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.logger import KVWriter, Logger, TensorBoardOutputFormat

from mjenv.training.films.clips import clip, size_of
from mjenv.training.runs.files import whole
from mjenv.training.runs.folders import BOARD
from mjenv.training.runs.progress import say
from mjenv.training.runs.wandb_log import Board

STEPS = "time/total_timesteps"
GROUPS = ("time", "rollout", "train")  # of columns, in their order


class Log(KVWriter):
    """A row for each update; columns are in order: steps, other times, returns, the learner's."""

    def __init__(self, path: str | Path, steps: int = 0):
        """Write into a file; of the rows that are there those up to `steps` stay."""
        self._path, self._names = Path(path), []
        rows = self._read() if steps and self._path.exists() else []
        kept = [row for row in rows if row.get(STEPS) and float(row[STEPS]) <= steps]
        self._write(kept, {name for row in kept for name, value in row.items() if value})

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, Any], step: int = 0
    ) -> None:
        """Add a row."""
        row = {n: v for n, v in key_values.items() if "csv" not in (key_excluded.get(n) or ())}
        if not row.keys() <= set(self._names):
            self._write(self._read(), row.keys() | set(self._names))
        with self._path.open("a", newline="") as file:
            csv.DictWriter(file, self._names).writerow(row)

    def _read(self) -> list[dict[str, Any]]:
        with self._path.open(newline="") as file:
            return list(csv.DictReader(file))

    def _write(self, rows: list[dict[str, Any]], names: Iterable[str]) -> None:
        """Begin the file again, with rows and columns that there are so far."""
        self._names = sorted(names, key=_place)
        with whole(self._path) as partial, partial.open("w", newline="") as file:
            writer = csv.DictWriter(file, self._names, extrasaction="ignore")
            writer.writeheader()
            writer.writerows(rows)

    def close(self) -> None:
        """Every row is in the file already."""


def _place(name: str) -> tuple[bool, int, str]:
    """Index of a column."""
    group = name.partition("/")[0]
    return name != STEPS, GROUPS.index(group) if group in GROUPS else len(GROUPS), name


class Events(TensorBoardOutputFormat):
    """Stable-Baselines3's file for TensorBoard, which also takes films.

    `SummaryWriter.add_video` needs a moviepy before version 2.
    """

    def show(self, film: Path, step: int) -> None:
        """Write the beginning of a film, as a small animated picture.

        Raises:
            OSError: it cannot be read or written.
        """
        # protobuf makes the class when it is imported
        from tensorboard.compat.proto.summary_pb2 import Summary  # type: ignore[attr-defined]

        picture = clip(film)
        width, height = size_of(picture)
        image = Summary.Image(
            height=height, width=width, colorspace=3, encoded_image_string=picture
        )
        assert self.writer.file_writer is not None
        self.writer.file_writer.add_summary(
            Summary(value=[Summary.Value(tag="film", image=image)]), step
        )
        self.writer.flush()


def show(logger: Logger, film: Path, step: int) -> None:
    """Put a film into the log, wherever films can be seen; one that was given up is in none.

    One that cannot be read or written is left out, and a message says so.
    """
    for one in logger.output_formats if film.exists() else ():
        if isinstance(one, Events | Board):
            try:
                one.show(film, step)
            except OSError as error:
                say(f"log: {error}; the film is left out of it", sys.stderr)


@contextmanager
def logged(model: BaseAlgorithm, folder: Path, project: str | None = None) -> Iterator[None]:
    """Have a model write its log into a folder, behind the rows of the steps that it has done."""
    model.set_logger(logger(folder, model.num_timesteps, project))
    try:
        yield
    finally:
        model.logger.close()


def logger(folder: Path, steps: int = 0, project: str | None = None) -> Logger:
    """Writes progress.csv and TensorBoard's events; rows after `steps` of the file are left out.

    Where there is a project, or was one before, rows go to Weights & Biases too.
    """
    formats: list[KVWriter] = [Log(folder / "progress.csv", steps)]
    formats.append(Events(str(folder)))
    if project is not None or (folder / BOARD).exists():
        formats.append(Board(folder, project))
    return Logger(str(folder), formats)
