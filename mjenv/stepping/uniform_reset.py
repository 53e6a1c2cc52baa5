"""Vectorized resets with uniform noise, drawn by compiled code from numpy's own generators.

A world's generator is numpy's PCG64. Its state is read and written where numpy keeps it, so that a
row has the bits of `Generator.uniform`, and the generator goes on as if numpy had drawn. Whether
the processor and numpy's build have that state in the expected form is tried out once.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.data.chosen_worlds import CHOSEN_KIND, ChosenWorlds
from mjenv.engine.simd.immediate import immediate_call_of
from mjenv.engine.simd.kernel import interpreted, kernel
from mjenv.engine.simd.lanes import ints_at
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
        ("state", "i8"),
        ("word", "i8"),
        ("init_qpos", "f8"),
        ("init_qvel", "f8"),
        # low end and width of the noise
        ("number", "f8"),
        ("qpos", "f8"),
        ("qvel", "f8"),
    ],
)
DRAWING_KIND = (LAYOUT, 0, False)
MASK = 0xFFFFFFFF
# words of PCG64's multiplier, the lowest first
M0, M1, M2, M3 = 0x9FCCF645, 0x4385DF64, 0x1FC65DA4, 0x2360ED05
EVERY = slice(None)  # worlds
UNIT = 1.0 / 9007199254740992.0  # 2**-53


@kernel
def low(x):
    """The lower half of a product of two words of 32 bits."""
    return x & MASK


@kernel
def high(x):
    """The upper half of a product of two words of 32 bits."""
    return (x >> 32) & MASK


@kernel
def next_double(w):
    """PCG64 XSL-RR 128/64 of O'Neill (2014): the next number in [0, 1).

    Args:
        w: eight words: the state, then the increment, the lowest word first.
    """
    a, b, c, d = w[0], w[1], w[2], w[3]
    x = low(a * M0) + w[4]
    w[0] = low(x)
    x = high(x) + high(a * M0) + low(a * M1) + low(b * M0) + w[5]
    w[1] = low(x)
    x = high(x) + high(a * M1) + high(b * M0) + low(a * M2) + low(b * M1) + low(c * M0) + w[6]
    w[2] = low(x)
    x = high(x) + high(a * M2) + high(b * M1) + high(c * M0) + w[7]
    x = x + low(a * M3) + low(b * M2) + low(c * M1) + low(d * M0)
    w[3] = low(x)
    right, left = w[0] ^ w[2], w[1] ^ w[3]
    turn = w[3] >> 26
    if turn >= 32:
        turn = turn - 32
        right, left = left, right
    first = low((left >> turn) | (right << (32 - turn)))
    second = low((right >> turn) | (left << (32 - turn)))
    return UNIT * ((first << 21) | (second >> 11))


@kernel
def draw_rows(w, s):
    """Draw the states of the chosen worlds, as `starts.uniform` does."""
    for k in range(w.nchosen):
        i = w.chosen[k]
        # state of the world's own generator
        words = ints_at(s.state[i])
        for j in range(8):
            s.word[j] = words[j] & MASK
        # the initial state, with uniform noise
        for j in range(s.nq):
            s.qpos[i * s.nq + j] = s.init_qpos[j] + (
                s.number[0] + s.number[1] * next_double(s.word)
            )
        for j in range(s.nv):
            s.qvel[i * s.nv + j] = s.init_qvel[j] + (
                s.number[0] + s.number[1] * next_double(s.word)
            )
        # back into the generator
        for j in range(4):
            words[j] = s.word[j]


def state_address(generator: np.random.Generator) -> int:
    """Address of the state of a generator of numpy; 0 if it is none of PCG64."""
    bits = generator.bit_generator
    if type(bits) is not np.random.PCG64:
        return 0
    # the first member of the structure points to the state and the increment
    place = np.ctypeslib.as_array(_words_at(bits.ctypes.state_address), (1,))
    return int(place[0])


def _words_at(place: int):
    import ctypes

    return ctypes.cast(place, ctypes.POINTER(ctypes.c_int64))


class UniformReset:
    """Draws initial states of tasks whose `reset` is `starts.uniform`.

    Attributes:
        data: the worlds.
        record: of `draw_rows`.
        draws_all: whether all generators are those that it can draw from.
    """

    def __init__(self, task: Task, data: "Data"):
        """Enter the arrays of the worlds."""
        self._task: Any = task
        self.data, count = data, data.nworld
        # the kernel's view of the worlds, filled once
        self.record = record = Record(LAYOUT)
        self._known: list[Any] = [None] * count
        self._revision: Any = None
        self.draws_all = False
        self._one: Generators | None = None
        self._every = np.arange(count)
        self._state, self._number = np.zeros(count, np.int64), np.zeros(2)
        nq, nv = data.model.nq, data.model.nv
        self._shapes = {"qpos": (nq,), "qvel": (nv,)}
        record.set_size("nq", nq)
        record.set_size("nv", nv)
        # arrays that do not move as long as the data live
        arrays = {"state": self._state, "word": np.zeros(8, np.int64), "number": self._number}
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
        # where each generator has its state
        if isinstance(worlds, slice):
            worlds = self._every[worlds]
        if not (self.draws_all or self._state[worlds].all()):
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
            Whether compiled code draws what the task's `reset` would, from generators of numpy's.
        """
        task = self._task
        if getattr(type(task).reset, "noise", "") != "uniform" or "reset" in vars(task):
            return False
        noise = task.reset_noise_scale
        if type(noise) not in (float, int) or "qpos0" in self.data.varied or not _as_numpy():
            return False
        self._number[:] = -noise, noise - -noise
        arrays = self.record.arrays
        for name, shape in self._shapes.items():
            # one world lives in memory that may be made anew
            if arrays[name] is not getattr(self.data, name):
                self.record.set_array(name, getattr(self.data, name))
            # the task's own arrays, if they are as kernels read them
            row = getattr(task, f"init_{name}")
            if arrays.get(f"init_{name}") is not row:
                row = np.ascontiguousarray(row, np.float64)
                if row.shape != shape:
                    row = np.broadcast_to(row, shape).copy()
                self.record.set_array(f"init_{name}", row)
        if self._revision is not generators.revision:
            self._look_at(generators)
        return True

    @property
    def reads_live(self) -> bool:
        """True if it reads initial states where the task has them, changed in place or not."""
        arrays, task = self.record.arrays, self._task
        return arrays["init_qpos"] is task.init_qpos and arrays["init_qvel"] is task.init_qvel

    def draw_one(self, generator: Any) -> bool:
        """The same of the only world."""
        if self._one is None or self._one[0] is not generator:
            self._one = Generators([generator])
        return self.draw(self._one, EVERY)

    def _look_at(self, generators: Generators) -> None:
        """Find the states of generators that were not there before."""
        known = self._known
        for i, generator in enumerate(generators):
            if known[i] is not generator:
                known[i] = generator
                self._state[i] = 0 if generator is None else state_address(generator)
        self.draws_all = bool(self._state.all())
        self._revision = generators.revision


def _bound(worlds: ChosenWorlds, record: Record) -> Callable[[], Any]:
    """The compiled function."""
    kinds = CHOSEN_KIND, DRAWING_KIND
    run = immediate_call_of(draw_rows, kinds, (worlds.record, record))
    progress.done()
    return run


@cache
def _as_numpy() -> bool:
    """True if compiled code draws what numpy draws, and leaves its generator in the same state."""
    if interpreted():
        return False
    # whether the state lies in memory as it is taken to
    ours, theirs = (np.random.default_rng(7) for _ in range(2))
    place = state_address(ours)
    if not place:
        return False
    state = theirs.bit_generator.state["state"]
    words = [state[name] >> 32 * k & MASK for name in ("state", "inc") for k in range(4)]
    if np.ctypeslib.as_array(_words_at(place), (4,)).view(np.uint32).tolist() != words:
        return False
    # draw as compiled code does, and compare
    record, drawn, zeros = Record(LAYOUT), np.zeros(40), np.zeros(40)
    for name, entry in LAYOUT.entries.items():
        if entry.element != "size":
            record.set_array(name, np.zeros(8, entry.element))
    record.set_array("qpos", drawn)
    record.set_array("init_qpos", zeros)
    record.arrays["number"][1] = 1.0
    record.arrays["state"][0] = place
    record.set_size("nq", len(drawn))
    chosen = ChosenWorlds(1)
    chosen.enter(np.zeros(1, np.int64))
    _bound(chosen, record)()
    same = drawn.tobytes() == theirs.random(len(drawn)).tobytes()
    return same and ours.bit_generator.state == theirs.bit_generator.state
