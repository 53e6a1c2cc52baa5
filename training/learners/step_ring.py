"""Rings of the steps of a training, and the files that hold these from the first on."""

import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import BinaryIO


class StepRing(ABC):
    """What the last steps of all worlds were; a file has all of them, one after the other.

    Attributes:
        buffer_size: how many steps of all worlds there is room for; the oldest go where there are
            more.
        taken: how many have been taken in, with those that have gone.
        kept: how many of them a file has.
    """

    buffer_size: int
    taken: int = 0
    kept: int = 0

    def write(self, path: Path) -> None:
        """Add what has been taken in since the last time; steps that are there stay as they are.

        Raises:
            OSError: it cannot be written; the next call tries again.
        """
        there = path.exists()
        first = max(self.kept if there else 0, self.taken - self.buffer_size)
        with path.open("r+b" if there else "wb") as file:
            file.seek(first * self.step_bytes)
            for places in self._pieces(first, self.taken):
                self._write_places(file, *places)
            file.flush()
            os.fsync(file.fileno())
        self.kept = self.taken

    def read(self, path: Path, taken: int) -> None:
        """Be as it was when so many steps had been taken in.

        Raises:
            OSError: there is no such file.
            ValueError: it does not hold as many.
        """
        size, expected = path.stat().st_size, taken * self.step_bytes
        if size < expected:
            raise ValueError(
                f"{path}: has {size:,} bytes, expected {expected:,}, those of {taken:,} steps of "
                "all worlds"
            )
        first = max(0, taken - self.buffer_size)
        with path.open("rb") as file:
            file.seek(first * self.step_bytes)
            for places in self._pieces(first, taken):
                self._read_places(file, *places)
        self._count(taken)
        self.kept = taken

    def _count(self, taken: int) -> None:
        self.taken = taken

    def _pieces(self, first: int, last: int) -> list[tuple[int, int]]:
        """Places of the ring, from and to before, of the first step to before the last one."""
        start, count = first % self.buffer_size, last - first
        ahead = min(count, self.buffer_size - start)
        return [(start, start + ahead), (0, count - ahead)]

    @property
    @abstractmethod
    def step_bytes(self) -> int:
        """Size in a file of a step of all worlds."""

    @abstractmethod
    def _write_places(self, file: BinaryIO, first: int, last: int) -> None:
        """Write what lies at some places of the ring."""

    @abstractmethod
    def _read_places(self, file: BinaryIO, first: int, last: int) -> None:
        """Fill some places of the ring."""
