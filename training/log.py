"""The training log: a table that a resumed training goes on with, TensorBoard, Weights & Biases."""

import csv
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.logger import (
    CSVOutputFormat,
    KVWriter,
    Logger,
    TensorBoardOutputFormat,
)

from mjenv.training.board import Board
from mjenv.training.clips import clip, size_of
from mjenv.training.progress import say
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


class Events(TensorBoardOutputFormat):
    """Stable-Baselines3's file for TensorBoard, which also takes films.

    `SummaryWriter.add_video` needs a moviepy before version 2.
    """

    def show(self, film: Path, step: int) -> None:
        """Write the beginning of a film, as a small animated picture.

        Raises:
            OSError: it cannot be read or written.
        """
        from tensorboard.compat.proto.summary_pb2 import Summary

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
