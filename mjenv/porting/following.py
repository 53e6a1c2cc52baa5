"""An environment's own `step` on symbols: what it computes, and which calls of physics it makes.

First the environment runs a few episodes with numbers, which shows which of its attributes, and
which fields of the model, resets and steps change. Then `step` runs on symbols, once for each way
through its `if`s.
"""

import linecache
import traceback
from collections.abc import Sequence
from pathlib import Path as File
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.data.data import Data
from mjenv.engine.pipeline.layouts import ELEMENT, MODEL_ARRAYS
from mjenv.engine.tables.fields import LOOKS
from mjenv.porting.attributes import Path, is_number, named, same
from mjenv.porting.choices import join
from mjenv.porting.in_place import ours_by_name
from mjenv.porting.original import Alias, Original, model_numbers, varying_model_fields
from mjenv.porting.paths import AnotherWay, Failed, Paths, is_ours, is_own, joining
from mjenv.porting.substitutes import substituted
from mjenv.porting.symbolic_data import Call, Physics, symbolic
from mjenv.porting.symbols import Follower, Symbol, as_symbol, has_symbols
from mjenv.tracing.arrays import TraceError

EPISODES, STEPS = 4, 3  # with numbers
_ROUNDS = 6  # new attributes are found in this many runs
_SKIPPED = frozenset(
    ("_np_random", "_np_random_seed", "_ezpickle_args", "spec", "np_random_seed", "np_random",
     "low_repr", "high_repr")
)  # fmt: skip
# fields of the model of which worlds may have their own
VARIED = frozenset(row.name for row in MODEL_ARRAYS if ELEMENT[row.type] == "f8") | frozenset(LOOKS)


class Slot(NamedTuple):
    """An attribute that differs between worlds.

    Attributes:
        path: where it is.
        sample: a value of it.
        certain: whether it was a number at all times.
        optional: whether it was None at times, which stands in its column as no number (NaN).
    """

    path: Path
    sample: Any
    certain: bool
    optional: bool = False

    @property
    def field(self) -> str:
        """Its name among the fields that a program reads."""
        return named(self.path)


class Followed(NamedTuple):
    """A traced step.

    Attributes:
        recording: the operations, in sections "0", "1", ... between calls of the physics.
        calls: the calls, with the fields that are written before each; the last is the end.
        slots: attributes that differ between worlds.
        observation, reward, terminated, truncated, info: what the step returns.
        attributes: new values of attributes, by their fields.
        raised: 0, or 1 more than the place in `errors` where a world's way ends in an error.
        errors: these errors.
        action: type and shape of actions.
        varied: fields of the model that differ between worlds.
        opaque: places of objects that episodes change and that the step does not use.
        constants: numbers and objects of all places when it was followed.
        live: places of parts of the data's own arrays.
    """

    recording: Follower
    calls: list[Call]
    slots: list[Slot]
    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    info: dict[str, Any]
    attributes: dict[str, Symbol]
    raised: Any
    errors: list[BaseException]
    action: tuple[np.dtype, tuple[int, ...]]
    varied: tuple[str, ...]
    opaque: frozenset[Path]
    constants: tuple[dict[Path, Any], dict[Path, Any]]
    live: frozenset[Path]

    def changing(self, path: Path) -> bool:
        """True if a path leads to what is not the same in all worlds."""
        own = {slot.path for slot in self.slots} | self.opaque | self.live
        inside = any(path[:k] in own for k in range(1, len(path) + 1))
        return inside or any(key in _SKIPPED for _, key in path)


class NotTraced(ValueError):
    """Why a step cannot be followed, with the line."""


def follow(original: Original, changing: Sequence[Path] = ()) -> Followed:
    """Follow an environment's step.

    Args:
        original: the environment.
        changing: places that are known to change, besides those that a few episodes show.

    Raises:
        NotTraced: it does something that cannot be.
    """
    with ours_by_name():
        slots, opaque, varied = _observed(original, changing)
    template = Data(original.model._twin(), nworld=2)
    for _ in range(_ROUNDS):
        try:
            with ours_by_name():
                found, new = _follow_once(original, slots, opaque, varied, template)
        except TraceError as error:
            raise NotTraced(str(error)) from error
        if not new:
            return found
        slots = slots + new
    raise NotTraced("found attributes that are others in each run of the step")


def _observed(
    original: Original, changing: Sequence[Path]
) -> tuple[list[Slot], frozenset[Path], tuple[str, ...]]:
    """Attributes, objects, and fields of the model, that resets and steps change.

    Raises:
        NotTraced: they change the model, or what is no number.
    """
    # numbers of the environment along some random episodes
    env, model = original.env, model_numbers(original.model)
    seen: list[dict[Path, Any]] = []
    objects: list[dict[Path, Any]] = []
    aliases: list[dict[Path, Alias]] = []
    changed: set[str] = set()
    for seed in range(EPISODES):
        env.reset(seed=seed)
        seen.append(original.places.numbers())
        objects.append(original.places.others())
        aliases.append(original.aliases())
        changed.update(varying_model_fields(model, original.model))
        for _ in range(STEPS):
            env.step(env.action_space.sample())
            seen.append(original.places.numbers())
            objects.append(original.places.others())
            aliases.append(original.aliases())
    changed.update(varying_model_fields(model, original.model))
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
        if any(key in _SKIPPED for _, key in path) or path in aliases[-1]:
            continue
        values = [found[path] for found in seen if path in found]
        if all(same(one, values[0]) for one in values) and path not in changing:
            continue
        numbers = [one for one in values if is_number(one)]
        if not numbers:
            raise NotTraced(f"found {named(path)} changed by episodes, which is no number")
        shapes = {np.shape(one) for one in numbers}
        certain = len(numbers) == len(seen) and len(shapes) == 1
        slots.append(_slot(path, numbers[-1], certain, any(one is None for one in values)))
    opaque = {
        path for found in objects for path, one in found.items()
        if not any(key in _SKIPPED for _, key in path)
        and (path in changing or any(other.get(path) is not one for other in objects))
    }  # fmt: skip
    return slots, frozenset(opaque), tuple(sorted(changed))


def _follow_once(
    original: Original,
    slots: list[Slot],
    opaque: frozenset[Path],
    varied: tuple[str, ...],
    template: Data,
) -> tuple[Followed, list[Slot]]:
    """Follow the step with these attributes as symbols; also those that were to be symbols, too."""
    # what is followed, and how everything is put back afterwards
    recording, inner = Follower(), original.inner
    put_back, before = original.places.saved(), original.places.numbers()
    others, live = original.places.others(), original.aliases()
    space: Any = original.env.action_space
    new: dict[Path, Slot] = {}
    paths = recording.paths = Paths()

    # the step with symbols in place of attributes, action and physics
    def run() -> Any:
        physics = Physics(recording, template, varied)
        paths.state = lambda: (physics.changes(), original.places.contents())
        try:
            for slot in slots:
                symbol = _field_of(recording, slot)
                # whether it is None is a condition: both ways are followed
                missing = slot.optional and _is_nan(symbol)
                original.places.put(slot.path, None if missing else symbol)
            for path in opaque:
                _hide(original, path)
            for path, alias in live.items():
                original.places.put(path, physics.part(alias))
            vars(inner)["_np_random"] = _NoRandomNumbers()
            action = Symbol(recording, _ids(recording, "@action", space.shape), space.dtype)
            with symbolic(original.data, physics, original.model):
                result = _stepped(original.root, action)
                if isinstance(result, Failed):
                    return result
                physics.end()
                kept = {path: original.places.get(path) for path in live}
                if any(not physics.is_part(kept[path], one) for path, one in live.items()):
                    raise TraceError("found a step that replaces a part of the data's arrays")
                attributes = _attributes(original, slots, before, new, live)
            return _as_dict(result, physics.calls, attributes, paths.raised)
        finally:
            put_back()

    # all ways through the step, by the outcomes of its conditions
    ways = None
    with substituted(recording, original.spaces), joining(recording, original):
        while ways is None:
            try:
                ways = paths.all_ways(run)
            except AnotherWay:
                paths.errors.clear()
                new.clear()
    whole = [way for way in ways if not isinstance(way.result, Failed)]
    if not whole:
        raise NotTraced(f"found a step that always fails: {paths.errors[0]}")
    if new:
        return None, list(new.values())  # type: ignore[return-value]
    _complete(recording, [way.result for way in whole], slots)
    for place, way in enumerate(ways):
        if isinstance(way.result, Failed):
            ways[place] = way._replace(result={**whole[0].result, "raised": way.result.number})
    # the ways joined to one program, which selects among them where each result is used
    try:
        calls = []
        for k, call in enumerate(whole[0].result["calls"]):
            recording.go(str(k))
            written = [way._replace(result=way.result["writes"][k]) for way in ways]
            calls.append(call._replace(writes=join(recording, written)))
        results = [way._replace(result=_without_calls(way.result)) for way in ways]
        joined = join(recording, results)
    except TraceError as error:
        raise NotTraced(str(error)) from error
    parts = {name: joined[name] for name in ("observation", "reward", "terminated", "truncated")}
    return Followed(
        recording, calls, slots, info=joined["info"], attributes=joined["attributes"],
        raised=joined["raised"], errors=paths.errors, action=(space.dtype,
        space.shape), varied=varied, opaque=opaque,
        constants=(before, others),
        live=frozenset(live), **parts,
    ), []  # fmt: skip


def _ids(recording: Follower, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of the values of a field that is the same in all sections."""
    now = recording.section
    recording.go("0")
    ids = recording.field(name, shape, np.dtype(np.float64)).ids
    if now:
        recording.go(now)
    return np.array(ids)


def _field_of(recording: Follower, slot: Slot) -> Symbol:
    """The symbol of an attribute."""
    sample = np.asarray(slot.sample)
    kind = {"b": np.bool_, "i": np.int64, "u": np.int64}.get(sample.dtype.kind, sample.dtype)
    return Symbol(recording, _ids(recording, slot.field, sample.shape), kind)


def _slot(path: Path, sample: Any, certain: bool, optional: bool) -> Slot:
    """Return the slot of an attribute.

    Raises:
        NotTraced: it is None at times, and a whole number at others, for which no NaN can stand.
    """
    if optional and (np.asarray(sample).dtype.kind != "f" or not np.size(sample)):
        raise NotTraced(
            f"found {named(path)}, which is None at times, and no real number at others"
        )
    return Slot(path, sample, certain, optional)


def _is_nan(symbol: Symbol) -> bool:
    """Whether an optional attribute is None: both ways are followed."""
    first: Any = symbol.reshape(-1)[0]
    return bool(first != first)


class _Hidden:
    """In the place of an object that episodes change."""

    def __init__(self, name: str):
        self._name = name

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TraceError(
            f"found {self._name}, an object that episodes change and that is not looked into"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refuse()

    __call__ = __iter__ = __len__ = __getitem__ = __setitem__ = __contains__ = _refuse
    __bool__ = __add__ = __mul__ = __sub__ = __float__ = __eq__ = __lt__ = __gt__ = _refuse
    __hash__ = object.__hash__


def _hide(original: Original, path: Path) -> None:
    """Have a step that uses an object say so."""
    try:
        original.places.get(path)
    except (KeyError, IndexError, TypeError):
        return
    original.places.put(path, _Hidden(named(path)))


class _NoRandomNumbers:
    """In the place of an environment's generator during a step."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise TraceError(f"found np_random.{name} in the step, whose numbers differ each time")


def _stepped(env: Any, action: Symbol) -> Any:
    """Run the step; return its results, or the error of its own that it raises."""
    try:
        return env.step(action)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [f for f in frames if not is_ours(f.filename)]
        last = frames[-1]
        if action.recording.paths.asked and is_own(error):
            return action.recording.paths.failed(error)
        where = theirs[-1] if theirs else last
        text = str(error) if isinstance(error, TraceError) else f"{type(error).__name__}: {error}"
        source = linecache.getline(where.filename, where.lineno or 0).strip()
        raise NotTraced(
            f"{File(where.filename).name}:{where.lineno} in {where.name}: {text}; the line is: "
            f"{source}"
        ) from error


def _attributes(
    original: Original,
    slots: list[Slot],
    before: dict[Path, Any],
    new: dict[Path, Slot],
    live: dict[Path, Alias],
) -> dict[str, Any]:
    """New values of attributes; those that were taken for constants and are none go to `new`."""
    places, known = original.places, {slot.path for slot in slots}
    changed = {}
    for slot in slots:
        value = places.get(slot.path)
        if slot.optional and value is None:
            value = np.full(np.shape(slot.sample), np.nan)
        symbol = as_symbol(original_recording(value), value) if has_symbols(value) else value
        changed[slot.field] = symbol
    for path, value in places._walk():
        if path in known or path in live or not path or path[-1][1] in _SKIPPED:
            continue
        old = before.get(path)
        if isinstance(value, Symbol):
            number = value.recording.numbers(value.ids)
            if number is None or old is None or not np.array_equal(number, old):
                sample = np.zeros(value.shape, value.dtype)
                optional = path in before and old is None
                new[path] = _slot(path, sample if old is None else old, old is not None, optional)
        elif is_number(value) and path in before and not same(value, old):
            new[path] = _slot(path, value, is_number(old), old is None)
    return changed


def original_recording(value: Any) -> Follower:
    """The recording of a value with symbols in it."""
    while not isinstance(value, Symbol):
        value = next(one for one in value if has_symbols(one))
    return value.recording


def _as_dict(
    result: Any, calls: list[Call], attributes: dict[str, Any], raised: Any
) -> dict[str, Any]:
    observation, reward, terminated, truncated, info = result
    return {
        "kinds": [(call.name, call.nstep, call.post) for call in calls],
        "calls": calls,
        "writes": [dict(call.writes) for call in calls],
        "observation": observation, "reward": reward, "terminated": terminated,
        "truncated": truncated, "info": dict(info), "attributes": attributes, "raised": raised,
    }  # fmt: skip


def _without_calls(result: dict[str, Any]) -> dict[str, Any]:
    return {n: v for n, v in result.items() if n not in ("kinds", "calls", "writes")}


def _complete(recording: Follower, results: list[dict], slots: list[Slot]) -> None:
    """Have all ways write the same fields: where one does not, a field stays as it is."""
    if any(result["kinds"] != results[0]["kinds"] for result in results):
        raise NotTraced("found an `if` of a value that decides about calls of the physics")
    for place in range(len(results[0]["writes"])):
        written = {n: w for result in results for n, w in result["writes"][place].items()}
        recording.go(str(place))
        for result in results:
            mine = result["writes"][place]
            for name, like in written.items():
                if name not in mine:
                    ids = recording.field(name, like.shape, like.dtype).ids
                    mine[name] = Symbol(recording, np.array(ids), like.dtype)
            result["writes"][place] = {name: mine[name] for name in written}
    recording.go(str(len(results[0]["writes"]) - 1))
    for result in results:
        result["calls"] = results[0]["calls"]
