"""The needed part of a followed step: operations, fields, attributes and results."""

from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.following.following import Followed
from mjenv.porting.running.questions import ask_together
from mjenv.porting.stand_ins.calls import Call
from mjenv.porting.stand_ins.queries import OF_QUERIES
from mjenv.porting.symbols.symbol import Symbol, as_symbol, has_symbols
from mjenv.porting.symbols.symbol_ufuncs import recording_in
from mjenv.porting.varying.choices import Sometimes
from mjenv.porting.varying.rosters import Roster, is_of_words, place_in, words_of
from mjenv.porting.varying.words import is_word, items_of, place_among
from mjenv.stepping.infos import mask_of
from mjenv.tracing.arrays import Load
from mjenv.tracing.assemble import CONTACT


class Output(NamedTuple):
    """An array of results.

    Attributes:
        ids: numbers of their values, (n,).
        shape: in one world.
        dtype: its type.
    """

    ids: np.ndarray
    shape: tuple[int, ...]
    dtype: np.dtype


class Listed(NamedTuple):
    """A word, or a list or a set of them.

    Attributes:
        kind: `str`, `list` or `set`.
        words: that it may be or have.
        places: number of each word's place, (nword,), see `rosters.py`; of a word its number, ().
    """

    kind: type
    words: tuple[str, ...]
    places: Any

    @staticmethod
    def of(value: Any) -> "Listed":
        """That of a word, of a roster, or of a list or set."""
        if is_word(value):
            items = items_of(value)
            return Listed(str, tuple(items), place_among(value, items))
        if isinstance(value, Roster):
            return Listed(value.kind, tuple(value.places), value.numbers())
        numbers = [place_in(value, word) for word in value]
        return Listed(type(value), tuple(value), np.array(numbers, np.int64))


class Program:
    """Computations of a step between calls of the physics, without those that nobody needs.

    Attributes:
        followed: what it was made of.
        sections: instructions of each section.
        loads: for each section, what it reads.
        observation, info: results by the keys of dicts that lead to them, `Output`s or constants.
            Infos that some worlds have are beside their masks, with "_" before the name.
        attributes: likewise, by name.
        reward, terminated, truncated, raised: likewise.
        writes: for each section, what it writes into fields.
        slots: attributes that differ between worlds.
        words: infos that are words, or lists or sets of them, their kinds and words likewise.
        left_out: names of infos that are neither numbers nor words.
        calls: the calls between sections; steps between which nothing happens are one.
        draws: random numbers, by the numbers of calls here; -1: at the beginning.
    """

    def __init__(self, followed: Followed, also: Collection[str] = ()):
        """Leave out what nobody needs.

        Args:
            followed: the step.
            also: attributes that are needed besides those that it reads.
        """
        self.followed = followed
        recording = followed.recording
        # what goes out
        self.writes = [
            {name: _output(value) for name, value in call.writes.items()} for call in followed.calls
        ]
        named = leaves(followed.observation)
        self.observation = {name: _output(value) for name, value in named.items()}
        infos, masks = _parted(leaves(followed.info))
        self.info = {way: _output(v) for way, v in infos.items() if _is_numeric(v)}
        listed = {way: Listed.of(v) for way, v in infos.items() if is_listed(v)}
        self.words = {n: (one.kind, one.words) for n, one in listed.items()}
        self.info |= {n: _output(one.places) for n, one in listed.items()}
        self.left_out = [".".join(map(str, way)) for way in infos if way not in self.info]
        known = [way for way in masks if way in self.info]
        self.info |= {(*way[:-1], mask_of(way[-1])): _output(masks[way]) for way in known}
        self.reward, self.terminated, self.truncated, self.raised, self.unfinished = map(
            _output,
            (followed.reward, followed.terminated, followed.truncated, followed.raised,
             followed.unfinished),
        )  # fmt: skip
        # what of the operations that needs
        attributes = {n: _output(v) for n, v in followed.attributes.items()}
        names = [str(k) for k in range(len(followed.calls))]
        certain = {slot.field for slot in followed.slots if slot.certain} | set(also)
        remembered = {n: o for n, o in attributes.items() if isinstance(o, Output)}
        needed = self._needed(remembered, certain)
        self.sections = [
            [one for one in recording.sections[name] if one.target in needed] for name in names
        ]
        self.loads = [self._loads(name) for name in names]
        calls = [*followed.calls]
        moved = ask_together(calls, self.sections, self.loads, self.writes)
        self.calls, places = self._joined_steps(calls)
        places = {old: places[new] for old, new in moved.items() if new in places}
        self.draws = [draw._replace(call=places[draw.call]) for draw in followed.draws]
        read = {load.field for loads in self.loads for load in loads}
        # resets may read what no step does
        self.slots = [slot for slot in followed.slots if slot.field in certain | read]
        self.attributes = {slot.field: attributes[slot.field] for slot in self.slots}

    def infos(self, found: dict[tuple, np.ndarray]) -> dict[str, Any]:
        """Infos of worlds of their own, of results; in dicts where the environment has them so."""
        infos: dict[str, Any] = {}
        for way, array in found.items():
            inner = infos
            for name in way[:-1]:
                inner = inner.setdefault(name, {})
            words = self.words.get(way)
            inner[way[-1]] = array.copy() if words is None else words_of(array, *words)
        return infos

    def _joined_steps(self, given: list[Call]) -> tuple[list[Call], dict[int, int]]:
        """Calls of which steps without anything between them are one; where each has gone."""
        kept = [0]  # sections
        calls: list[Call] = []
        places = {-1: -1}
        for k, call in enumerate(given[:-1]):
            idle = not (self.sections[k] or self.loads[k] or self.writes[k])
            if calls and idle and calls[-1].name == call.name == "step":
                calls[-1] = call._replace(nstep=calls[-1].nstep + call.nstep, renewed=call.renewed)
                kept[-1] = k + 1
            else:
                calls.append(call)
                kept.append(k + 1)
            places[k] = len(calls) - 1
        for name in ("sections", "loads", "writes"):
            setattr(self, name, [getattr(self, name)[k] for k in kept])
        return [*calls, given[-1]], places

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of the data that are read."""
        return self._fields(len(self.calls))

    @property
    def first_fields(self) -> tuple[str, ...]:
        """Those that are read before all worlds have their results computed."""
        computed = (
            k for k, call in enumerate(self.calls)
            if call.name in ("step", "forward") and not call.of_some
        )  # fmt: skip
        return self._fields(next(computed, len(self.calls)))

    def _fields(self, last: int) -> tuple[str, ...]:
        """Fields of the data that are read in sections up to one."""
        names = {load.field.partition(".")[0] if load.field.startswith(CONTACT) else load.field
                 for loads in self.loads[: last + 1] for load in loads}  # fmt: skip
        if any(call.query for call in self.calls[:last]):
            names |= {*OF_QUERIES}
        return tuple(sorted(n for n in names if not n.startswith(("self", "@", "model."))))

    @property
    def noperation(self) -> int:
        """Number of operations."""
        return sum(map(len, self.sections))

    def _outputs(self) -> Iterator[Output]:
        for group in (*self.writes, self.observation, self.info):
            yield from (one for one in group.values() if isinstance(one, Output))
        ends = (self.reward, self.terminated, self.truncated, self.raised, self.unfinished)
        for one in ends:
            if isinstance(one, Output):
                yield one

    def _needed(self, attributes: dict[str, Output], certain: set[str]) -> set[int]:
        """First values of the operations that results need.

        Of attributes, these are the certain ones, and those that are read.
        """
        recording = self.followed.recording
        code = [one for k in range(len(self.followed.calls)) for one in recording.sections[str(k)]]
        wanted = self._wanted = np.zeros(recording.nvalue, bool)
        for output in self._outputs():
            _want(wanted, output.ids)
        loads = {load.field: load for load in recording.loads}
        done = certain & attributes.keys()
        for name in done:
            _want(wanted, attributes[name].ids)
        while True:
            needed = set()
            for one in reversed(code):
                # results that are rounded are computed in place
                if wanted[one.target : one.target + one.size].any():
                    needed.add(one.target)
                    for ids in one.operands:
                        _want(wanted, ids)
            more = [
                name for name, output in attributes.items()
                if name not in done and name in loads
                and wanted[loads[name].first :][: loads[name].size].any()
            ]  # fmt: skip
            if not more:
                return needed
            for name in more:
                done.add(name)
                _want(wanted, attributes[name].ids)

    def _loads(self, section: str) -> list[Load]:
        """Fields that a section reads, from the first to the last element that is wanted."""
        found = []
        for load in self.followed.recording.loads:
            used = np.flatnonzero(self._wanted[load.first : load.first + load.size])
            if load.section == section and len(used):
                low, high = int(used[0]), int(used[-1]) + 1
                part = {"first": load.first + low, "size": high - low, "start": load.start + low}
                found.append(load._replace(**part))
        return found


def programs(followed: Followed) -> tuple[Program, Program | None]:
    """Programs of a step and of a reset, with the same attributes."""
    step = Program(followed)
    if followed.reset is None:
        return step, None
    reset = Program(followed.reset)
    while True:
        names = [{slot.field for slot in one.slots} for one in (step, reset)]
        if names[0] == names[1]:
            return step, reset
        both = names[0] | names[1]
        step, reset = Program(followed, both), Program(followed.reset, both)


def leaves(value: Any, way: tuple = ()) -> dict[tuple, Any]:
    """Values in dicts of dicts, by the keys that lead to it; () for what is no dict."""
    if not isinstance(value, dict):
        return {way: value}
    return {k: v for name, one in value.items() for k, v in leaves(one, (*way, name)).items()}


def _output(value: Any) -> Any:
    """Results, or what is the same for all worlds."""
    if isinstance(value, list | tuple) and has_symbols(value):
        value = as_symbol(recording_in(value), value)
    if not isinstance(value, Symbol):
        return value
    return Output(value.ids.reshape(-1), value.shape, value.dtype)


def _want(wanted: np.ndarray, ids: np.ndarray) -> None:
    """Mark values that are no constants."""
    flat = ids.reshape(-1)
    wanted[flat[flat >= 0]] = True


def _parted(infos: dict[tuple, Any]) -> tuple[dict[tuple, Any], dict[tuple, Any]]:
    """Infos, and which worlds have those that not all have."""
    masks = {way: one.there for way, one in infos.items() if isinstance(one, Sometimes)}
    return {w: v.value if isinstance(v, Sometimes) else v for w, v in infos.items()}, masks


def is_listed(value: Any) -> bool:
    """True for a word, and for a list or a set of words."""
    return isinstance(value, Roster) or is_word(value) or is_of_words(value)


def _is_numeric(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_numeric, value)) and len(value) > 0
    return isinstance(value, Symbol | np.ndarray | int | float | np.generic)
