"""Vectorized resets with noise, drawn by compiled code from numpy's own generators.

The functions in C that `Generator.random` and `Generator.standard_normal` run are called by their
addresses, in numpy's library: a row has the bits of these methods, and the generator goes on as if
it had been called. Where the library does not export them, numpy draws.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.data.chosen_worlds import CHOSEN_KIND, ChosenWorlds
from mjenv.engine.simd.immediate import immediate_call_of
from mjenv.engine.simd.kernel import interpreted, kernel
from mjenv.engine.simd.lanes import call_fill, record_word
from mjenv.engine.simd.progress import progress
from mjenv.engine.simd.record import Layout, Record
from mjenv.stepping.episodes import Generators
from mjenv.task.task import Task

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data

LAYOUT = Layout(
    "starts",
    [
        ("nq", "size"),
        ("nv", "size"),
        # how many numbers are uniform, and how many normal behind them
        ("nuniform", "size"),
        ("nnormal", "size"),
        # addresses of what draws such numbers, and of what it draws from in each world
        ("fill", "i8"),
        ("generator", "i8"),
        ("drawn", "f8"),
        ("init_qpos", "f8"),
        ("init_qvel", "f8"),
        # low end and width of uniform noise, deviation of normal noise
        ("number", "f8"),
        ("qpos", "f8"),
        ("qvel", "f8"),
    ],
)
DRAWING_KIND = (LAYOUT, 0, False)
DRAWN = LAYOUT.entries["drawn"].slot
EVERY = slice(None)  # worlds
FILLS = "random_standard_uniform_fill", "random_standard_normal_fill"  # of numpy, in C


@kernel
def draw_rows(w, s):
    """Draw the states of the chosen worlds, as `starts.uniform` or `starts.normal` does."""
    at = record_word(s, DRAWN)
    for k in range(w.nchosen):
        i = w.chosen[k]
        call_fill(s.fill[0], s.generator[i], s.nuniform, at)
        if s.nnormal:
            call_fill(s.fill[1], s.generator[i], s.nnormal, at + 8 * s.nuniform)
        # the initial state, with noise
        for j in range(s.nq):
            s.qpos[i * s.nq + j] = s.init_qpos[j] + noise(s, j)
        for j in range(s.nv):
            s.qvel[i * s.nv + j] = s.init_qvel[j] + noise(s, s.nq + j)


@kernel
def noise(s, j):
    """Noise of one number of the state, of what was drawn for it."""
    if j < s.nuniform:
        return s.number[0] + s.number[1] * s.drawn[j]
    return s.number[2] * s.drawn[j]


class NoiseReset:
    """Draws initial states of tasks whose `reset` is `starts.uniform` or `starts.normal`.

    Attributes:
        data: the worlds.
        record: of `draw_rows`.
        draws_all: whether there is a generator for each world.
    """

    def __init__(self, task: Task, data: "Data"):
        """Enter the arrays of the worlds."""
        self._task: Any = task
        self.data, count = data, data.nworld
        # the kernel's view of the worlds, filled once
        self.record = record = Record(LAYOUT)
        self._known: list[Any] = [None] * count
        self._revision: Any = None
        # what was entered
        self._last: tuple[Any, ...] = ()
        self.draws_all = False
        self._one: Generators | None = None
        self._every = np.arange(count)
        self._generator, self._number = np.zeros(count, np.int64), np.zeros(3)
        nq, nv = data.model.nq, data.model.nv
        self._shapes = {"qpos": (nq,), "qvel": (nv,)}
        record.set_size("nq", nq)
        record.set_size("nv", nv)
        # arrays that do not move as long as the data live
        arrays = {"generator": self._generator, "number": self._number, "drawn": np.zeros(nq + nv)}
        for name, array in arrays.items():
            record.set_array(name, array)
        for name in self._shapes:
            record.set_array(name, getattr(data, name))
        self._worlds = ChosenWorlds(count)
        self._run: Callable[[], Any] | None = None

    def draw(self, generators: Generators, worlds: np.ndarray | slice) -> bool:
        """Draw the states of worlds, if compiled code draws what the task's `reset` would.

        Args:
            generators: those of all worlds.
            worlds: indices of those that start, or a slice.

        Returns:
            Whether that was possible; if not, nothing has been drawn.
        """
        if not self.enter(generators):
            return False
        # where each generator is
        if isinstance(worlds, slice):
            worlds = self._every[worlds]
        if not (self.draws_all or self._generator[worlds].all()):
            return False
        self._worlds.enter(worlds)
        if self._run is None:
            self._run = _bound(self._worlds, self.record)
        self._run()
        return True

    def enter(self, generators: Generators) -> bool:
        """Enter where states are drawn from: generators, and what the task starts with.

        Args:
            generators: those of all worlds.

        Returns:
            Whether compiled code draws what the task's `reset` would, from the generators of numpy
            that there are.
        """
        task = self._task
        scale: Any = getattr(task, "reset_noise_scale", None)
        known = (
            task._revision,
            type(task).reset,
            generators.revision,
            scale if type(scale) in (float, int) else None,
        )
        if known == self._last and self.reads_live:
            return True
        self._last = ()
        kind = getattr(type(task).reset, "noise", "")
        if not kind or "reset" in vars(task):
            return False
        fills = _fills()
        if type(scale) not in (float, int) or "qpos0" in self.data.varied or fills is None:
            return False
        self._number[:] = -scale, scale - -scale, scale
        record, arrays, nv = self.record, self.record.arrays, self._shapes["qvel"][0]
        record.set_array("fill", fills)
        record.set_size("nnormal", nv if kind == "normal" else 0)
        record.set_size("nuniform", len(arrays["drawn"]) - (nv if kind == "normal" else 0))
        for name, shape in self._shapes.items():
            # one world lives in memory that may be made anew
            if arrays[name] is not getattr(self.data, name):
                record.set_array(name, getattr(self.data, name))
            # the task's own arrays, if they are as kernels read them
            row = getattr(task, f"init_{name}")
            if arrays.get(f"init_{name}") is not row:
                row = np.ascontiguousarray(row, np.float64)
                if row.shape != shape:
                    row = np.broadcast_to(row, shape).copy()
                record.set_array(f"init_{name}", row)
        if self._revision is not generators.revision:
            self._look_at(generators)
        self._last = known
        return True

    @property
    def reads_live(self) -> bool:
        """True if it reads and writes arrays where task and data have them now."""
        arrays, task, data = self.record.arrays, self._task, self.data
        return (
            arrays["init_qpos"] is task.init_qpos
            and arrays["init_qvel"] is task.init_qvel
            and arrays["qpos"] is data.qpos
            and arrays["qvel"] is data.qvel
        )

    def draw_one(self, generator: Any) -> bool:
        """The same of the only world."""
        if self._one is None or self._one[0] is not generator:
            self._one = Generators([generator])
        return self.draw(self._one, EVERY)

    def _look_at(self, generators: Generators) -> None:
        """Find generators that were not there before."""
        known = self._known
        for i, generator in enumerate(generators):
            if known[i] is not generator:
                known[i] = generator
                self._generator[i] = address_of(generator)
        self._revision, self.draws_all = generators.revision, bool(self._generator.all())


def address_of(generator: Any) -> int:
    """Where numpy's functions in C find what a generator draws from; 0 if it is none of numpy."""
    if type(generator) is not np.random.Generator:
        return 0
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return pointer(generator.bit_generator.capsule, b"BitGenerator") or 0


def _bound(worlds: ChosenWorlds, record: Record) -> Callable[[], Any]:
    """The compiled function."""
    kinds = CHOSEN_KIND, DRAWING_KIND
    run = immediate_call_of(draw_rows, kinds, (worlds.record, record))
    progress.done()
    return run


@cache
def _fills() -> np.ndarray | None:
    """Addresses of numpy's functions; None if they are not there, or not what its methods run."""
    if interpreted():
        return None
    try:
        library = ctypes.CDLL(np.random._generator.__file__)  # type: ignore[attr-defined]
        functions = [getattr(library, name) for name in FILLS]
    except (AttributeError, OSError):
        return None
    # their numbers beside those of the methods, and the generators afterwards
    ours, theirs = (np.random.default_rng(7) for _ in range(2))
    drawn = np.zeros(40)
    place, count = ctypes.c_void_p(address_of(ours)), ctypes.c_ssize_t(len(drawn))
    for function, method in zip(functions, (theirs.random, theirs.standard_normal), strict=True):
        function(place, count, ctypes.c_void_p(drawn.ctypes.data))
        if drawn.tobytes() != method(len(drawn)).tobytes():
            return None
    if ours.bit_generator.state != theirs.bit_generator.state:
        return None
    return np.array([ctypes.cast(f, ctypes.c_void_p).value for f in functions], np.int64)
