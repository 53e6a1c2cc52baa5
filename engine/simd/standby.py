"""Threads that stand by: for a moment after a call they look for the next one, awake.

To wake a thread takes longer than a short call does, and each side waits for Python's lock. Threads
of the pool (threads.py) that have just had a part in a short call therefore stay in machine code
and look at a word in memory, until another call comes or a moment has passed. A call that finds
enough of them posts their parts there, does its own, and waits for theirs in the same way, all
without Python.

The words of a thread are its box. STATE says whether it is asleep, awaits a call, was taken by one,
or has a part; DONE counts the parts that it has done. Parts are kernels with their records.
"""

import ctypes
import os
import platform
import threading
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from .shared_code import cached_code
from .threads import share

MOMENT = 2.5e-4  # s for which a thread stands by
PATIENCE = 2000  # looks before a call that waits for others lets them have its processor

# a box; what several threads write lies in lines of the cache of its own
STATE, DONE, PART, WORDS = 0, 16, 32, 48
ASLEEP, AWAITS, TAKEN, POSTED = range(4)
# a request: number of boxes, of parts, what gives the processor away, and addresses of arrays
NBOX, NPART, GIVE_WAY, BOXES, PARTS, COUNTS, REQUEST = range(7)
# a part: the kernel, and five arguments: a result and an exception that it lacks, three records
NWORD = 6
NAME, OTHER = "stand_by", "share_parts"
SOURCES = ("standby",)


class Box:
    """The words of one thread of the pool."""

    def __init__(self) -> None:
        self._words = np.zeros(2 * WORDS, np.int64)
        # from a line of the cache on
        self.address = -(-self._words.ctypes.data // 128) * 128
        self.words = self._words[(self.address - self._words.ctypes.data) // 8 :]

    def stand_by(self) -> None:
        """Do parts of calls, as long as each comes within a moment; called by its thread."""
        stand, _ = _functions()
        stand(self.address, _looks())


class Team:
    """The threads that stand by at times.

    Attributes:
        boxes: one for each.
        places: their addresses.
    """

    def __init__(self) -> None:
        self.boxes: list[Box] = []
        self.places = np.zeros(0, np.int64)
        self._lock, self._own = threading.Lock(), threading.local()

    def stand_by(self) -> None:
        """Do so, in a thread that may not have done it before."""
        box = getattr(self._own, "box", None)
        if box is None:
            box = self._own.box = Box()
            with self._lock:
                self.boxes.append(box)
                # calls under way look at the array of before
                self.places = np.array([one.address for one in self.boxes], np.int64)
        box.stand_by()


_team = Team()


def _renew() -> None:
    global _team
    _team = Team()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


class ShortCall:
    """A short call that threads share: those that stand by take part in it without being woken."""

    def __init__(self, calls: Sequence[Any], stop: Callable[[], object], team: Team | None = None):
        """Note the parts.

        Args:
            calls: what `kernel.call_of` gives for compiled kernels, of three records each; each
                ends by itself when there is nothing left to do. The first is the caller's.
            stop: as for `share`.
            team: None for that of the pool.
        """
        self._calls, self._stop, self._team = calls, stop, team
        self._own, *others = (_part(call) for call in calls)
        self._parts = np.array(others, np.int64)
        self._places: np.ndarray | None = None
        self._words = np.zeros(REQUEST, np.int64)
        self._words[NPART], self._words[GIVE_WAY] = len(others), _give_way()
        self._words[PARTS] = self._parts.ctypes.data
        _, function = _functions()
        _looks()  # while nobody waits for a thread
        self._share = partial(function, self._words.ctypes.data, self._own.ctypes.data)

    def __call__(self) -> None:
        """Do all parts and wait for them, see `share`."""
        team = self._team or _team
        places = team.places
        if places is not self._places:
            # for each box, the number of parts that its thread has done when it has done this one
            self._places, self._counts = places, np.zeros(len(places), np.int64)
            self._words[NBOX], self._words[BOXES] = len(places), places.ctypes.data
            self._words[COUNTS] = self._counts.ctypes.data
        if not self._share():
            share(self._calls, self._stop, team.stand_by)


def _part(call: Any) -> np.ndarray:
    """The words of a part."""
    entry = ctypes.cast(call.func, ctypes.c_void_p).value
    words = [entry, *call.args]
    assert len(words) == NWORD, len(words)
    return np.array(words, np.int64)


@cache
def _functions() -> tuple[Callable[..., None], Callable[..., int]]:
    """What a thread that stands by runs, and what a call does."""
    address, engine = cached_code(NAME, _text, SOURCES)
    word = ctypes.c_int64
    stand = ctypes.CFUNCTYPE(None, word, word)(address)
    take_parts = ctypes.CFUNCTYPE(word, word, word)(engine.get_function_address(OTHER))
    return stand, take_parts


@cache
def _looks() -> int:
    """How often a thread looks in a moment.

    It is measured by the time of this thread alone, where the system tells it finely: other threads
    may have the interpreter, or the processor, when looks that are timed end.
    """
    fine = time.get_clock_info("thread_time").resolution < 1e-6
    clock = time.thread_time if fine else time.perf_counter
    box, number, times = Box(), 1000, []
    stand, _ = _functions()
    for _ in range(5):
        start = clock()
        stand(box.address, number)
        times.append(clock() - start)
    return max(int(number * MOMENT / max(min(times), 1e-6)), 1)


@cache
def _give_way() -> int:
    """Address of a function of the system that lets other threads have the processor."""
    if platform.system() == "Windows":
        function: Any = ctypes.WinDLL("kernel32").SwitchToThread  # type: ignore[attr-defined]
    else:
        function = ctypes.CDLL(None).sched_yield
    return ctypes.cast(function, ctypes.c_void_p).value or 0


# ---------------------------------------------------------------- machine code


def _text() -> str:
    """Both functions, as LLVM's text."""
    from llvmlite import ir

    module = ir.Module(NAME)
    _Stand(module).write()
    _Share(module).write()
    return str(module)


class _Code:
    """Writes a function of words."""

    def __init__(self, module: Any, name: str, narg: int, returns: bool):
        from llvmlite import ir

        self.ir, self.word, self.half = ir, ir.IntType(64), ir.IntType(32)
        result = self.word if returns else ir.VoidType()
        self.function = ir.Function(module, ir.FunctionType(result, [self.word] * narg), name)
        self.at = ir.IRBuilder(self.function.append_basic_block("start"))

    def number(self, value: int) -> Any:
        return self.ir.Constant(self.word, value)

    def block(self, name: str) -> Any:
        return self.function.append_basic_block(name)

    def place(self, address: Any, index: int = 0) -> Any:
        """Pointer to a word behind an address."""
        there = self.at.add(address, self.number(8 * index))
        return self.at.inttoptr(there, self.word.as_pointer())

    def load(self, address: Any, index: int = 0) -> Any:
        return self.at.load(self.place(address, index), typ=self.word)

    def store(self, address: Any, index: int, value: Any) -> None:
        self.at.store(value, self.place(address, index))

    def look(self, box: Any, index: int) -> Any:
        """A word that another thread may write; what it has written before is seen from then on."""
        return self.at.load_atomic(self.place(box, index), "acquire", 8, typ=self.word)

    def tell(self, box: Any, index: int, value: Any) -> None:
        """Write a word for another thread, behind all that was written before."""
        self.at.store_atomic(value, self.place(box, index), "release", 8)

    def change(self, box: Any, old: int, new: int) -> Any:
        """Change a state that is as expected, at once; whether it was."""
        pair = self.at.cmpxchg(
            self.place(box, STATE), self.number(old), self.number(new), "acq_rel", "acquire"
        )
        return self.at.extract_value(pair, 1)

    def run(self, part: Any) -> None:
        """Run the kernel of a part."""
        words = [self.load(part, k) for k in range(1, NWORD)]
        kind = self.ir.FunctionType(self.half, [self.word] * len(words))
        entry = self.at.inttoptr(self.load(part, 0), kind.as_pointer())
        self.at.call(entry, words)

    def wait(self) -> None:
        """Tell the processor that this is a loop of looks."""
        x86, arm = ("x86_64", "amd64"), ("arm64", "aarch64")
        machine = platform.machine().lower()
        if machine in x86 + arm:
            name = "llvm.x86.sse2.pause" if machine in x86 else "llvm.aarch64.hint"
            given = [] if machine in x86 else [self.half]
            known = self.function.module.globals.get(name)
            kind = self.ir.FunctionType(self.ir.VoidType(), given)
            hint = known or self.ir.Function(self.function.module, kind, name)
            self.at.call(hint, [self.ir.Constant(self.half, 1) for _ in given])

    def loop(self, count: Any, body: Callable[[Any], None]) -> None:
        """Run a body for 0, 1, ... below a count."""
        before = self.at.block
        head, inside, behind = (self.block(name) for name in ("head", "inside", "behind"))
        self.at.branch(head)
        self.at.position_at_end(head)
        k = self.at.phi(self.word)
        k.add_incoming(self.number(0), before)
        self.at.cbranch(self.at.icmp_signed("<", k, count), inside, behind)
        self.at.position_at_end(inside)
        body(k)
        k.add_incoming(self.at.add(k, self.number(1)), self.at.block)
        self.at.branch(head)
        self.at.position_at_end(behind)


class _Stand(_Code):
    """stand_by(box, looks)."""

    def __init__(self, module: Any):
        super().__init__(module, NAME, 2, returns=False)

    def write(self) -> None:
        at, (box, looks) = self.at, self.function.args
        again, look, part, idle, leave, left = (
            self.block(name) for name in ("again", "look", "part", "idle", "leave", "left")
        )
        self.tell(box, STATE, self.number(AWAITS))
        at.branch(again)
        at.position_at_end(again)
        at.branch(look)
        at.position_at_end(look)
        n = at.phi(self.word)
        n.add_incoming(self.number(0), again)
        posted = at.icmp_signed("==", self.look(box, STATE), self.number(POSTED))
        at.cbranch(posted, part, idle)
        # a part is there
        at.position_at_end(part)
        self.run(self.load(box, PART))
        self.tell(box, DONE, at.add(self.load(box, DONE), self.number(1)))
        self.tell(box, STATE, self.number(AWAITS))
        at.branch(again)
        # nothing yet
        at.position_at_end(idle)
        self.wait()
        following = at.add(n, self.number(1))
        n.add_incoming(following, idle)
        at.cbranch(at.icmp_signed("<", following, looks), look, leave)
        # one that a call takes in this moment stays
        at.position_at_end(leave)
        at.cbranch(self.change(box, AWAITS, ASLEEP), left, again)
        at.position_at_end(left)
        at.ret_void()


class _Share(_Code):
    """share_parts(request, own part): 1, or 0 if too few threads stand by."""

    def __init__(self, module: Any):
        super().__init__(module, OTHER, 2, returns=True)

    def write(self) -> None:
        at, (request, own) = self.at, self.function.args
        self.nbox, self.npart = self.load(request, NBOX), self.load(request, NPART)
        self.boxes, self.parts = self.load(request, BOXES), self.load(request, PARTS)
        self.counts, self.request = self.load(request, COUNTS), request
        self.ready = at.alloca(self.word)
        at.store(self.number(0), self.ready)
        self.loop(self.nbox, self.count)
        few, enough = self.block("few"), self.block("enough")
        at.cbranch(at.icmp_signed("<", at.load(self.ready, typ=self.word), self.npart), few, enough)
        at.position_at_end(few)
        at.ret(self.number(0))
        at.position_at_end(enough)
        at.store(self.number(0), self.ready)
        self.loop(self.nbox, self.post)
        self.run(own)
        self.loop(self.nbox, self.await_part)
        at.ret(self.number(1))

    def box(self, k: Any) -> Any:
        """Address of a box."""
        return self.load(self.at.add(self.boxes, self.at.shl(k, self.number(3))))

    def count(self, k: Any) -> None:
        """Count a thread that stands by."""
        at = self.at
        awaits = at.icmp_signed("==", self.look(self.box(k), STATE), self.number(AWAITS))
        more = at.add(at.load(self.ready, typ=self.word), at.zext(awaits, self.word))
        at.store(more, self.ready)

    def post(self, k: Any) -> None:
        """Post the next part to a thread, if it still stands by."""
        at, box, there = (
            self.at,
            self.box(k),
            self.at.add(self.counts, self.at.shl(k, self.number(3))),
        )
        self.store(there, 0, self.number(0))
        done = at.load(self.ready, typ=self.word)
        with (
            at.if_then(at.icmp_signed("<", done, self.npart)),
            at.if_then(self.change(box, AWAITS, TAKEN)),
        ):
            part = at.add(self.parts, at.mul(done, self.number(8 * NWORD)))
            self.store(box, PART, part)
            self.store(there, 0, at.add(self.load(box, DONE), self.number(1)))
            self.tell(box, STATE, self.number(POSTED))
            at.store(at.add(done, self.number(1)), self.ready)

    def await_part(self, k: Any) -> None:
        """Wait until a thread has done its part, if it has one."""
        at, box = self.at, self.box(k)
        count = self.load(at.add(self.counts, at.shl(k, self.number(3))))
        before = at.block
        look, wait, give, following, done = (
            self.block(name) for name in ("look", "wait", "give", "following", "done")
        )
        at.branch(look)
        at.position_at_end(look)
        n = at.phi(self.word)
        n.add_incoming(self.number(0), before)
        at.cbranch(at.icmp_signed(">=", self.look(box, DONE), count), done, wait)
        at.position_at_end(wait)
        self.wait()
        more = at.add(n, self.number(1))
        at.cbranch(at.icmp_signed("<", more, self.number(PATIENCE)), following, give)
        at.position_at_end(give)
        kind = self.ir.FunctionType(self.half, [])
        at.call(at.inttoptr(self.load(self.request, GIVE_WAY), kind.as_pointer()), [])
        at.branch(following)
        at.position_at_end(following)
        n.add_incoming(more, following)
        at.branch(look)
        at.position_at_end(done)
