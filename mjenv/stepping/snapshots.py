"""Environments as flat rows of numbers: physics, what tasks remember, generators, episodes."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.error import Error

from mjenv.engine.analysis.state import State, get_state, set_state, state_size
from mjenv.engine.data.step import forward
from mjenv.engine.tables.fields import CONTACT
from mjenv.stepping.episodes import Episodes
from mjenv.stepping.simulation_batch import SimulationBatch

_WORD = (1 << 64) - 1
_EPISODE = 12  # words of an episode with Gymnasium's generator: see `_episode`
_TWISTER = 315  # more words where the generator is a RandomState: 624 of 32 bits, and three numbers
# what stands for the generator where another one is saved
_NO_GENERATOR = np.random.Generator(np.random.PCG64(0))


class Snapshots:
    """Saves and restores environments as rows of 64-bit words, (n, size) uint64.

    A row has all that the next steps depend on: the state of the physics with its warm start, the
    inputs, the derived fields that the task reads, the model's fields that are drawn anew, the
    random generator, and the episode's length, return and end. It is the same for single and
    vector environments of one model.
    """

    def __init__(self, worlds: SimulationBatch, episodes: Episodes):
        self._worlds, self._episodes = worlds, episodes
        self._physics = state_size(worlds.task.model, State.INTEGRATION)
        self._own = _EPISODE + (_TWISTER if worlds.task._generator else 0)
        self._measure()

    def _measure(self) -> None:
        """Find how long rows are; lists of contacts of large models become longer."""
        self._sizes = [int(np.prod(array.shape[1:])) for array in self._remembered()]
        self.size = self._own + self._physics + sum(self._sizes)

    def _remembered(self) -> list[np.ndarray]:
        """Derived fields that the task reads, and fields of the model that differ."""
        data = self._worlds.data
        names = ("sensordata", *self._worlds.task.keep)
        arrays = [getattr(data, name) for name in names if name != "contact"]
        if "contact" in names:
            arrays += [data.ncon, *(getattr(data.contact, row.name) for row in CONTACT)]
        arrays += data.varied.values()
        return [*arrays, *self._worlds.disturbances.remembered()]

    def save(self, envs: Sequence[int] | np.ndarray) -> np.ndarray:
        """Rows (n, size) of some environments."""
        model, data = self._worlds.task.model, self._worlds.data
        self._episodes.seed(None, envs)
        self._measure()
        rows = np.empty((len(envs), self.size), np.uint64)
        for row, i in zip(rows, envs, strict=True):
            row[: self._own] = self._episode(i)
        physics = [get_state(model, data, State.INTEGRATION, envs)]
        for array, size in zip(self._remembered(), self._sizes, strict=True):
            physics.append(np.asarray(array[envs], np.float64).reshape(len(envs), size))
        rows[:, self._own :] = np.concatenate(physics, axis=1).view(np.uint64)
        return rows

    def restore(self, rows: np.ndarray, envs: Sequence[int] | np.ndarray) -> None:
        """Put environments into the states of rows: one for each, or one for all of them.

        Raises:
            ValueError: rows of the wrong shape or type, or of another model.
        """
        self._measure()
        rows = self._checked(np.atleast_2d(rows), len(envs))
        model, data = self._worlds.task.model, self._worlds.data
        for row, i in zip(rows, envs, strict=True):
            self._set_episode(i, [int(word) for word in row[: self._own]])
        numbers = np.ascontiguousarray(rows[:, self._own :]).view(np.float64)
        self._set_physics(numbers, envs)
        if self._worlds.keeps_all:
            # other fields follow from the state
            mask = np.zeros(data.nworld, dtype=bool)
            mask[envs] = True
            forward(model, data, mask=mask)
            self._set_physics(numbers, envs)
        self._worlds.disturbances.adopt(self._episodes.generators, envs)

    def _set_physics(self, numbers: np.ndarray, envs: Sequence[int] | np.ndarray) -> None:
        model, data = self._worlds.task.model, self._worlds.data
        start = self._physics
        set_state(model, data, numbers[:, :start], State.INTEGRATION, envs)
        for array, size in zip(self._remembered(), self._sizes, strict=True):
            array[envs] = numbers[:, start : start + size].reshape(len(envs), *array.shape[1:])
            start += size

    def _checked(self, rows: np.ndarray, count: int) -> np.ndarray:
        where = "restore_state: rows"
        if rows.dtype != np.uint64:
            raise ValueError(f"{where} are of type {rows.dtype}, expected uint64 from save_state")
        if rows.shape not in ((count, self.size), (1, self.size)):
            raise ValueError(
                f"{where} have shape {rows.shape}, expected {(count, self.size)} or "
                f"{(1, self.size)}: rows of the same task with the same arguments"
            )
        if np.any(rows[:, 0] != np.uint64(self._signature)):
            raise ValueError(f"{where} are of another model, expected rows of this environment's")
        return np.broadcast_to(rows, (count, self.size))

    @property
    def _signature(self) -> int:
        return int(self._worlds.task.model.signature) & _WORD

    def _episode(self, i: int) -> list[int]:
        """The words of an environment that are not physics."""
        episodes = self._episodes
        # one of the two kinds of generators; the words of the other one say nothing
        generator = episodes.generators[i]
        twister = _words_of(generator) if self._own > _EPISODE else []
        saved = (_NO_GENERATOR if twister else generator).bit_generator.state
        if saved["bit_generator"] != "PCG64":
            raise Error(
                f"save_state: the random generator of environment {i} is a "
                f"{saved['bit_generator']}, expected numpy's PCG64"
            )
        state, increment = saved["state"]["state"], saved["state"]["inc"]
        seed = int(episodes.seeds[i]) & (1 << 128) - 1
        times = np.array([episodes.returns[i], time.perf_counter() - episodes.begun[i]])
        return [
            self._signature,
            *(state & _WORD, state >> 64, increment & _WORD, increment >> 64),
            saved["has_uint32"] << 32 | saved["uinteger"],
            *(seed & _WORD, seed >> 64),
            int(episodes.elapsed[i]),
            int(episodes.ended[i]) | int(episodes.unstarted[i]) << 1,
            *map(int, times.view(np.uint64)),
            *twister,
        ]

    def _set_episode(self, i: int, words: list[int]) -> None:
        episodes = self._episodes
        words, twister = words[:_EPISODE], words[_EPISODE:]
        _, low, high, low_inc, high_inc, left, seed, seed_high, elapsed, flags, *times = words
        generator: Any = np.random.Generator(np.random.PCG64())
        generator.bit_generator.state = {
            "bit_generator": "PCG64",
            "state": {"state": high << 64 | low, "inc": high_inc << 64 | low_inc},
            "has_uint32": left >> 32,
            "uinteger": left & 0xFFFFFFFF,
        }
        if twister:
            generator = self._worlds.task._generator(0)
            _set_words(generator, twister)
        episodes.generators[i], episodes.seeds[i] = generator, seed_high << 64 | seed
        episodes.elapsed[i], episodes.fresh[i] = elapsed, False
        episodes.ended[i], episodes.unstarted[i] = flags & 1, flags >> 1
        episodes.returns[i], seconds = np.array(times, np.uint64).view(np.float64)
        episodes.begun[i] = time.perf_counter() - seconds


def _words_of(random: np.random.RandomState) -> list[int]:
    """The state of a RandomState: 315 words of 64 bits."""
    _, key, place, has_gauss, gauss = random.get_state(legacy=True)
    number = int(np.float64(gauss).view(np.uint64))
    return [
        *map(int, np.asarray(key, np.uint32).view(np.uint64)),
        int(place),
        int(has_gauss),
        number,
    ]


def _set_words(random: np.random.RandomState, words: list[int]) -> None:
    """Put a RandomState into the state that was saved."""
    *key, place, has_gauss, number = words
    gauss = float(np.uint64(number).view(np.float64))
    random.set_state(("MT19937", np.array(key, np.uint64).view(np.uint32), place, has_gauss, gauss))
