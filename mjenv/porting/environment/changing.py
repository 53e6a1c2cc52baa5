"""What episodes change of an environment: attributes, objects, and fields of the model."""

import copy
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.pipeline.layouts import ELEMENT, MODEL_ARRAYS
from mjenv.engine.tables.fields import WITHOUT_LANES
from mjenv.porting.environment.attributes import (
    class_value,
    is_another,
    is_made_by_class,
    is_number,
    leading_elsewhere,
    not_there,
    same,
)
from mjenv.porting.environment.hidden import Hidden
from mjenv.porting.environment.logs import LogFound, grown
from mjenv.porting.environment.original import Alias, Original, model_numbers, varying_model_fields
from mjenv.porting.environment.place_names import Path, named
from mjenv.porting.environment.sharing import Contents
from mjenv.porting.environment.states_of_generators import OLDER
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.symbols.small_numbers import is_small
from mjenv.porting.symbols.symbol import Symbol
from mjenv.porting.varying.queues import BOUND, LENGTH, QueueFound
from mjenv.porting.varying.rosters import IN, RosterFound, is_thing
from mjenv.porting.varying.tables import TableFound
from mjenv.porting.varying.words import is_fixed
from mjenv.tracing.arrays import TraceError

EPISODES, STEPS = 4, 3  # with numbers
SKIPPED = frozenset(
    ("_np_random", "_np_random_seed", "spec", "np_random_seed", "np_random",
     "low_repr", "high_repr", "_reset_next_step")
)  # fmt: skip
# fields of the model of which worlds may have their own
VARIED = frozenset(
    (*(row.name for row in MODEL_ARRAYS if ELEMENT[row.type] == "f8"), *WITHOUT_LANES)
)


class Slot(NamedTuple):
    """An attribute that differs between worlds.

    Attributes:
        path: where it is.
        sample: a value of it.
        certain: whether it was a number at all times.
        optional: whether it was None at times, which stands in its column as no number (NaN).
        truth: whether it was a truth value at times, and a number at others.
    """

    path: Path
    sample: Any
    certain: bool
    optional: bool = False
    truth: bool = False

    @property
    def field(self) -> str:
        """Its name among the fields that a program reads."""
        return named(self.path)


def observed(
    original: Original, changing: Sequence[Path], fields: Sequence[str] = ()
) -> tuple[list[Slot], frozenset[Path], tuple[str, ...]]:
    """Attributes, objects, and fields of the model, that resets and steps change.

    Args:
        original: the environment.
        changing, fields: what is known to change, besides what a few episodes show.

    Raises:
        NotTraced: they change the model, or what is no number.
    """
    # what there is along some random episodes
    made = original.places.numbers()
    episodes = _Episodes(original)
    seen, objects, aliases = episodes.numbers, episodes.others, episodes.aliases
    changed = {*fields, *episodes.fields}
    behind = episodes.changed_behind()
    episodes.refuse_writes()
    original.leading = leading(episodes.objects) | leading(episodes.containers)
    _find_generators(original, episodes.sightings)
    # changes of the model that worlds cannot have of their own are refused
    whole = sorted(changed - VARIED)
    if whole:
        raise NotTraced(
            f"found model.{', model.'.join(whole)} changed by episodes, which worlds cannot have "
            "of their own"
        )
    # parts of the data's arrays are live; what is that at times only cannot be followed
    for path, alias in {path: one for found in aliases for path, one in found.items()}.items():
        if alias.first < 0 or any(found.get(path) != alias for found in aliases):
            raise NotTraced(
                f"found {named(path)}, a part of data.{alias.field} that changes with it, but not "
                "always; copy it where it is kept"
            )
    # attributes that are not always the same become symbols
    slots = []
    for path in seen[-1]:
        inside = any(path[:k] in original.leading for k in range(1, len(path) + 1))
        if any(key in SKIPPED for _, key in path) or path in aliases[-1] or inside:
            continue
        values = episodes.values(path)
        fixed = path not in changing and not original.places.has_lists(path)
        if fixed and all(same(one, values[0]) for one in values):
            continue
        numbers = [one for one in values if is_number(one)]
        if all(map(is_fixed, values)):
            if path not in original.places.rosters:
                words = [one for one in (made.get(path), *values) if is_fixed(one)]
                raise RosterFound(path, named(path), dict.fromkeys(words))
            continue
        if numbers and any(map(is_fixed, values)):
            raise NotTraced(f"found {named(path)}, which is a word at times and a number at others")
        if not numbers:
            raise NotTraced(f"found {named(path)} changed by episodes, which is no number")
        refuse_sizes(path, numbers)
        shapes = {np.shape(one) for one in numbers}
        certain = len(numbers) == len(values) and len(shapes) == 1
        optional = any(one is None for one in values)
        slots.append(
            slot_of(path, _widest(numbers), certain, optional, _is_truth_at_times(numbers))
        )
    opaque = {
        path for found in objects for path, one in found.items()
        if not any(key in SKIPPED for _, key in path) and path not in original.generators.held
        and (
            path in changing or path in behind
            or any(is_another(one, other.get(path)) for other in objects)
        )
    }  # fmt: skip
    return in_order(slots), frozenset(opaque | original.leading), tuple(sorted(changed))


def in_order(slots: list[Slot]) -> list[Slot]:
    """Attributes in the order in which they are given: what is in a queue behind its length."""
    first = {BOUND: 0, LENGTH: 1, IN: 1}
    return sorted(slots, key=lambda slot: first.get(slot.path[-1][0], 2))


def with_new(slots: list[Slot], new: list[Slot]) -> list[Slot]:
    """More attributes, or others in the place of those at the same places."""
    replaced = {one.path for one in new}
    return in_order([*(one for one in slots if one.path not in replaced), *new])


def leading(objects: list[dict[Path, Any]]) -> set[Path]:
    """Places that lead to one object or another."""
    first, *others = objects
    return {path for one in others for path in leading_elsewhere(first, one)}


class _Episodes:
    """What there is along a few random episodes, after each reset and each step.

    Attributes:
        numbers, others, aliases: of the environment, see `Places` and `Original`.
        objects, containers: where it leads, see `Places.objects`.
        fields: names of fields of the model that have changed.
        sightings: seeds, and the random generators after a reset with each.
        hidden: what nobody looks into, after the first episode and those behind it.
    """

    def __init__(self, original: Original):
        self._original, self._lists = original, dict[Path, Any]()
        self.numbers: list[dict[Path, Any]] = []
        self.others: list[dict[Path, Any]] = []
        self.aliases: list[dict[Path, Alias]] = []
        self.objects: list[dict[Path, Any]] = []
        self.containers: list[dict[Path, Any]] = []
        self.sightings: list[tuple[int, Any]] = []
        self.hidden: list[Hidden] = []
        self.fields: set[str] = set()
        self._written: set[Path] = set()
        env, model = original.env, model_numbers(original.model)
        # the same actions each time, so that followed steps are found again on disk
        actions = copy.deepcopy(env.action_space)
        actions.seed(0)
        begun: dict[Path, int] = {}
        queued: list[dict[Path, int]] = []
        for seed in range(EPISODES):
            contents = Contents(original.places._walk(), original.shared)
            env.reset(seed=seed)
            self._written |= contents.written(original.places._walk())
            # the first episode has filled what is kept to be found again
            last = seed == EPISODES - 1
            self.hidden += [Hidden(original, last)] if seed else []
            self.sightings.append((seed, original.generators.seen()))
            self._lists = self._lists or original.places.lists()
            self._look()
            self.fields.update(varying_model_fields(model, original.model))
            lengths = original.places.lengths()
            original.places.histories.note(lengths)
            grown(begun, lengths)
            begun = lengths
            queued.append({path: len(original.places.get(path)) for path in original.places.queues})
            for _ in range(STEPS):
                env.step(actions.sample())
                before, lengths = lengths, original.places.lengths()
                grown(before, lengths)
                self._look()
            self.hidden.append(Hidden(original, last or not seed))
        original.places.queues.growing = {
            path for path in original.places.queues
            if all(a[path] < b[path] for a, b in pairwise(queued))
            and getattr(original.places.get(path), "maxlen", None) is None
        }  # fmt: skip
        self.fields.update(varying_model_fields(model, original.model))

    def _look(self) -> None:
        original, places = self._original, self._original.places
        places.queues.refuse_others()
        places.refuse_others(self._lists)
        self.numbers.append(places.numbers())
        self.others.append(places.others())
        self.aliases.append(original.aliases())
        self.objects.append(places.objects())
        self.containers.append(places.objects(containers=True))
        original.note_shared()

    def values(self, path: Path) -> list[Any]:
        """What there was at a place, each time; what the class has where an object had nothing.

        Raises:
            NotTraced: there was nothing at times.
        """
        there = [path in one for one in self.numbers]
        if all(there):
            return [one[path] for one in self.numbers]
        default = class_value(self._original.places, path)
        if default is not None:
            return [one.get(path, default) for one in self.numbers]
        # what a class caches is made when it is asked for
        if is_made_by_class(self._original.places, path):
            return [one[path] for one in self.numbers if path in one]
        # the first step of all may make it, or what it is in
        top = self._first_missing(path)
        late, is_named = all(there[1:]) and not there[0], self._is_named(top)
        if not (late and is_named):
            self._find_queue(top)
        if not late or not (top[-1][0] == "." or is_named):
            raise NotTraced(not_there(top))
        self._original.late.add(path)
        return [one[path] for one in self.numbers[1:]]

    def _find_queue(self, path: Path) -> None:
        """Have a list, a queue or a dict of several lengths, if a place is in one.

        Raises:
            QueueFound: it is.
            TableFound: it is a dict of what is no word.
        """
        places, top = self._original.places, path[:-1]
        value = places.get(top) if path[-1][0] == "[" else None
        known = places.queues.get(top)
        if known is not None and known.has(path[-1][1]):
            return
        if isinstance(value, dict) and not self._is_named(path) and is_thing(path[-1][1]):
            at = {p: one for seen in self.numbers for p, one in seen.items() if p[:-1] == top}
            raise TableFound(top, named(top), value | {p[-1][1]: one for p, one in at.items()})
        if isinstance(value, list | deque) or (isinstance(value, dict) and self._is_named(path)):
            inner = [dict.fromkeys(p[: len(path)] for p in seen) for seen in self.numbers]
            keys = [[p[-1][1] for p in one if p[:-1] == top and p[-1][0] == "["] for one in inner]
            if isinstance(value, dict):
                value = copy.copy(value)
                for name in max(keys, key=len):
                    value.setdefault(name)
            raise QueueFound(top, named(top), {*map(len, keys)}, value)

    def _is_named(self, path: Path) -> bool:
        """True for what a dict has by a word."""
        kind, key = path[-1]
        return (
            kind == "["
            and type(key) is str
            and isinstance(self._original.places.get(path[:-1]), dict)
        )

    def _first_missing(self, path: Path) -> Path:
        """The shortest way to a place that leads to nothing after the first reset, or itself."""
        first = (self.numbers[0], self.others[0], self.objects[0], self.containers[0])
        known = {one[:k] for found in first for one in found for k in range(len(one) + 1)}
        return next((path[:k] for k in range(1, len(path)) if path[:k] not in known), path)

    def refuse_writes(self) -> None:
        """Refuse resets that write into arrays which share memory at times.

        Raises:
            NotTraced: one does.
        """
        for path in sorted(self._written & self._original.parted, key=named):
            raise NotTraced(
                f"found a reset that writes into {named(path)}, an array that shares memory with "
                f"{named(self._original.shared[path])} at times; copy it where one is made of the "
                "other"
            )

    def changed_behind(self) -> set[Path]:
        """Places of objects that are not looked into, and behind which something has changed.

        Raises:
            NotTraced: something changes that worlds share.
        """
        first, *others = self.hidden
        for hidden in others:
            hidden.refuse_shared(first)
        return {path for hidden in others for path in hidden.changed_objects(first)}


def observed_with_lists(
    original: Original, changing: Sequence[Path], fields: Sequence[str] = ()
) -> tuple[list[Slot], frozenset[Path], tuple[str, ...]]:
    """The same, with lists and sets that are found to change: of words, or longer and longer."""
    while True:
        try:
            return observed(original, changing, fields)
        except LogFound as error:
            original.places.logs.add(error.path)
        except RosterFound as error:
            original.places.rosters.add(error)
        except QueueFound as error:
            original.places.queues.add(error)
        except TableFound as error:
            original.places.tables.add(error)


def _find_generators(original: Original, sightings: list[tuple[int, Any]]) -> None:
    """Find the generators that worlds have of their own."""
    generators = original.generators
    if any(isinstance(one, OLDER) for one in generators.others().values()):
        # those do not tell their seeds: whether the same one begins anew with the same numbers
        last = sightings[-1][0]
        original.env.reset(seed=last)
        sightings = [*sightings, (last, generators.seen())]
    try:
        generators.find_own(original, sightings)
    except TraceError as error:
        raise NotTraced(str(error)) from None


def _widest(numbers: list[Any]) -> Any:
    """The last of some numbers, in a type that takes all of them."""
    kinds, last = {np.asarray(one).dtype.kind for one in numbers}, numbers[-1]
    if len(kinds) == 1 or np.asarray(last).dtype.kind == "f":
        return last
    whole = kinds <= {"i", "u"}
    if isinstance(last, np.ndarray):
        return last.astype(np.int64 if whole else np.float64)
    return int(last) if whole else float(last)


def _is_truth_at_times(numbers: list[Any]) -> bool:
    """True for numbers of which some are truth values, and others are not."""
    return len({np.asarray(one).dtype.kind == "b" for one in numbers}) == 2


def refuse_sizes(path: Path, values: Iterable[Any]) -> None:
    """Refuse whole numbers of several sizes, which begin anew elsewhere.

    Raises:
        NotTraced: some have fewer bits than others.
    """
    types = {one.dtype if isinstance(one, Symbol) else np.asarray(one).dtype for one in values}
    if len(types) > 1 and any(map(is_small, types)):
        raise NotTraced(
            f"found {named(path)}, of type {' or '.join(sorted(map(str, types)))}, expected one"
        )


def slot_of(path: Path, sample: Any, certain: bool, optional: bool, truth: bool = False) -> Slot:
    """Return the slot of an attribute.

    Raises:
        NotTraced: it is None at times, and an array without elements at others.
    """
    if optional and not np.size(sample):
        raise NotTraced(f"found {named(path)}, which is None at times, expected numbers at others")
    return Slot(path, sample, certain, optional, truth)
