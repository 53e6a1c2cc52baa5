"""An environment's own `step` on symbols: what it computes, and which calls of physics it makes.

First the environment runs a few episodes with numbers, which shows which of its attributes, and
which fields of the model, resets and steps change. Then `step` runs on symbols, once for each way
through its `if`s.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.data.data import Data
from mjenv.porting.control.effects import Effects
from mjenv.porting.control.joining import joining
from mjenv.porting.control.paths import FEW, MOST, AnotherWay, Failed, Paths
from mjenv.porting.environment.attributes import LeadFound, leading_elsewhere
from mjenv.porting.environment.changing import (
    SKIPPED,
    VARIED,
    Slot,
    observed_with_lists,
    with_new,
)
from mjenv.porting.environment.common_generators import asked
from mjenv.porting.environment.dm_control_tasks import within_episodes
from mjenv.porting.environment.files import keep, load
from mjenv.porting.environment.generators import Refused, Watch, shared_refused
from mjenv.porting.environment.hidden import Hidden
from mjenv.porting.environment.in_place import ours_by_name
from mjenv.porting.environment.logs import LogFound, make_logs, refuse_resets, refuse_used
from mjenv.porting.environment.original import Alias, Form, Original
from mjenv.porting.environment.place_names import Path, named
from mjenv.porting.environment.sharing import SharedFound
from mjenv.porting.environment.watched import ModelChanged
from mjenv.porting.following.given import action_of, attribute_of, field_of
from mjenv.porting.following.kept import key_of
from mjenv.porting.following.results import as_dict, complete, joined
from mjenv.porting.following.snapshot import Snapshot
from mjenv.porting.following.substitutes import substituted
from mjenv.porting.following.symbolic_step import attributes_after, hide, run_method
from mjenv.porting.stand_ins.calls import Call
from mjenv.porting.stand_ins.live_fields import live_fields
from mjenv.porting.stand_ins.random_numbers import Draw
from mjenv.porting.stand_ins.spaces import asked_spaces
from mjenv.porting.stand_ins.symbolic_data import symbolic
from mjenv.porting.stand_ins.symbolic_generators import SymbolicGenerators
from mjenv.porting.stand_ins.symbolic_physics import Physics
from mjenv.porting.symbols import symbol_functions  # noqa: F401  numpy's functions on symbols
from mjenv.porting.symbols.refusals import HelperFound, IndexFound, NotTraced, TooManyWays
from mjenv.porting.symbols.symbol import Follower, Symbol
from mjenv.porting.varying.histories import HistoryFound, Kept
from mjenv.porting.varying.queues import Queue, QueueFound, QueueUsed
from mjenv.porting.varying.rosters import RosterFound
from mjenv.porting.varying.tables import Table, TableFound
from mjenv.tracing.arrays import TraceError

_ROUNDS = 16  # new attributes are found in this many runs
# forms that are tried, one after the other
_FORMS = Form(False, FEW), Form(True, MOST), Form(True, MOST, together=True), Form(False, MOST)


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
        generators: places of the random generator that each world has of its own.
        draws: random numbers it asks for, in their order.
        renewed: numbers of the generators that it makes anew.
        rosters: places of lists and sets of words that each world has of its own, and the words.
        logs: places of lists that become longer, which worlds do not have.
        queues: places of lists whose lengths differ between worlds.
        histories: places of lists that become longer, and are read.
        tables: places of dicts that are filled in any order.
        unfinished: whether a loop has not ended in a world, which has to go on in Python.
        reset: the environment's reset, followed likewise; None if it cannot be.
        why_not_reset: why it cannot be.
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
    generators: frozenset[Path]
    draws: list[Draw]
    renewed: frozenset[int] = frozenset()
    rosters: Mapping[Path, tuple[str, ...]] = {}
    logs: frozenset[Path] = frozenset()
    queues: Mapping[Path, Queue] = {}
    histories: Mapping[Path, Kept] = {}
    tables: Mapping[Path, Table] = {}
    unfinished: Any = False
    reset: "Followed | None" = None
    why_not_reset: str = ""

    def changing(self, path: Path) -> bool:
        """True if a path leads to what is not the same in all worlds."""
        own = {slot.path for slot in self.slots} | self.opaque | self.live | self.generators
        own |= self.rosters.keys() | self.logs | self.queues.keys() | self.histories.keys()
        own |= self.tables.keys()
        inside = any(path[:k] in own for k in range(1, len(path) + 1))
        return inside or any(key in SKIPPED for _, key in path)


def follow_with_helpers(original: Original) -> Followed:
    """Follow an environment's step, and modules of other packages that it gives values to.

    Args:
        original: the environment, which is made anew where there are such modules.

    Raises:
        NotTraced: it does something that cannot be followed.
    """
    while True:
        try:
            return follow(original)
        except HelperFound as error:
            original.follow_too(error.module)


def follow(
    original: Original, changing: Sequence[Path] = (), fields: Sequence[str] = ()
) -> Followed:
    """Follow an environment's step.

    Args:
        original: the environment.
        changing: places that are known to change, besides those that a few episodes show.
        fields: fields of the model likewise.

    Raises:
        HelperFound: it gives values to a module that is not followed.
        NotTraced: it does something else that cannot be.
    """
    if original.not_traced:
        raise NotTraced(original.not_traced)
    with ours_by_name(), asked(original.generators.asked):
        seen = observed_with_lists(original, changing, fields)
    key = key_of(original, *seen)
    kept = None if key is None else load(key)
    if isinstance(kept, str):
        raise HelperFound(kept, "")
    if kept is not None:
        original.places.know_lists(kept)
        constants = original.places.numbers(), original.places.others()
        return kept._replace(constants=constants)
    try:
        found = _in_some_form(original, seen)
    except HelperFound as error:
        if key is not None:
            keep(key, error.module)
        raise
    if key is not None:
        # objects of this environment are no part of it
        keep(key, found._replace(constants=({}, {}), reset=_without_objects(found.reset)))
    return found


def _in_some_form(original: Original, seen: tuple) -> Followed:
    """Follow it as it is, or with the branches of all functions as calls, which has fewer ways.

    Args:
        original: the environment, which notes the form.
        seen: what is known to change, see `observed`.

    Raises:
        NotTraced: none can be followed.
    """
    reasons: list[Exception] = []
    known = original.form
    for form in [known] if known.branched else _FORMS:
        # what has many ways may be known as calls, which is sooner done
        if form == _FORMS[-1] and not isinstance(reasons[0], TooManyWays):
            break
        original.form = form
        try:
            return _follow_anew(original, *seen)
        except HelperFound:
            original.form = known
            raise
        except Exception as error:
            original.form = known
            if not isinstance(error, NotTraced) and not reasons:
                raise
            reasons.append(error)
    if isinstance(reasons[0], TooManyWays) and len(reasons) > 1:
        raise NotTraced(f"{reasons[-1]}; with its `if`s as calls: {reasons[1]}") from None
    raise reasons[0]


def _without_objects(reset: Followed | None) -> Followed | None:
    return None if reset is None else reset._replace(constants=({}, {}))


def _follow_anew(
    original: Original, slots: list[Slot], opaque: frozenset[Path], varied: tuple[str, ...]
) -> Followed:
    """Follow an environment's step, which may not change what nobody looks into."""
    before = Hidden(original)
    try:
        found = _follow_known(original, slots, opaque, varied)
        Hidden(original).refuse_changes(before, opaque)
        return found
    finally:
        before.put_back()


def _follow_known(
    original: Original, slots: list[Slot], opaque: frozenset[Path], varied: tuple[str, ...]
) -> Followed:
    """Follow an environment's step whose changing parts are known."""
    template = Data(original.model._twin(), nworld=2)
    # with what has been found out on another way of following
    opaque |= original.leading
    given = _Given(original, opaque, varied, template, Watch())
    for _ in range(_ROUNDS):
        given, found, new = _found(given, slots)
        if new:
            slots = with_new(slots, new)
            continue
        # what the reset changes, too, differs between worlds
        lists = original.places.known_lists()
        try:
            known = {load.field for load in found.recording.loads}
            known = known.union(*(call.writes for call in found.calls))
            more, reset, new = _found(given._replace(method="reset", known=frozenset(known)), slots)
            why = ""
            if (more.varied, more.opaque) != (given.varied, given.opaque):
                # steps run with these fields, and without these objects, too
                given = given._replace(varied=more.varied, opaque=more.opaque)
                continue
        except HelperFound:
            raise
        except NotTraced as error:
            reset, new, why = None, [], str(error)
            refuse_resets(original.places, why)
        if original.places.known_lists() != lists:
            continue  # words and lists that only resets have shown
        if not new:
            return found._replace(reset=reset, why_not_reset=why)
        slots = with_new(slots, new)
    raise NotTraced("found attributes that are others in each run of the step")


class _Given(NamedTuple):
    """What is followed.

    Attributes:
        original: the environment.
        opaque, varied: as of `Followed`.
        template: data of the engine, which say what fields there are.
        watch: the program's random generators.
        method: "step" or "reset".
        known: fields that steps read or write.
    """

    original: Original
    opaque: frozenset[Path]
    varied: tuple[str, ...]
    template: Data
    watch: Watch
    method: str = "step"
    known: frozenset[str] = frozenset()


def _found(given: _Given, slots: list[Slot]) -> tuple[_Given, Any, list[Slot]]:
    """Follow a method; also attributes, and fields of the model, that were to be symbols, too."""
    logs, histories = given.original.places.logs, given.original.places.histories
    while True:
        apart = logs | given.original.leading
        slots = [one for one in slots if not any(one.path[: len(p)] == p for p in apart)]
        slots = [one for one in slots if given.original.places.may_have(one.path, one.sample)]
        try:
            with ours_by_name():
                found = given, *_follow_once(given, slots)
            given.watch.refuse_used()
            return found
        # what has become known, with which it is followed anew
        except ModelChanged as error:
            if error.name not in VARIED:
                raise
            given = given._replace(varied=tuple(sorted({*given.varied, error.name})))
        except RosterFound as error:
            given.original.places.rosters.add(error)
        except QueueFound as error:
            given.original.places.queues.add(error)
        except QueueUsed as error:
            given.original.places.queues.note_used(error, given.method)
        except LogFound as error:
            logs.add(error.path)
        except LeadFound as error:
            given.original.leading |= error.paths
            given = given._replace(opaque=given.opaque | error.paths)
        except SharedFound as error:
            given.original.shared |= error.arrays
        except IndexFound as error:
            given.original.indexed[error.line] = error.code
        except HistoryFound as error:
            histories.add(error)
        except TableFound as error:
            given.original.places.tables.add(error)
        except TooManyWays:
            raise
        except (TraceError, NotTraced) as error:
            # a list may be followed where it has a few lengths, or any number
            places = given.original.places
            if not (histories.give_up_all() or places.queues.have_many_lengths()):
                raise (NotTraced(str(error)) if isinstance(error, TraceError) else error) from error
        except Exception as error:
            # the environment runs nevertheless, and says so
            raise NotTraced(
                f"found an error of mjenv's own, {type(error).__name__}: {error}; please report it"
            ) from error


def _follow_once(given: _Given, slots: list[Slot]) -> tuple[Followed, list[Slot]]:
    """Follow a method with these attributes as symbols; also those that were to be symbols, too."""
    # what is followed, and how everything is put back afterwards
    original, opaque, varied = given.original, given.opaque, given.varied
    recording, resets = Follower(), given.method == "reset"
    put_back, before = original.places.saved(), original.places.numbers()
    others, live = original.places.others(), original.aliases()
    leads = [original.places.objects(containers) for containers in (False, True)]
    space: Any = original.env.action_space
    new: dict[Path, Slot] = {}
    paths = recording.paths = Paths()
    paths.indexed, paths.follows = original.indexed, original._follows
    paths.is_theirs, objects = original.is_theirs, original.objects()
    paths.most = original.form.most
    kinds: list[Any] = []

    # the step with symbols in place of attributes, action and physics
    def run() -> Any:
        physics = Physics(recording, given.template, varied, resets, given.known)
        paths.state = lambda kept: _state(physics, original, kept)
        paths.live = lambda: [*physics.live_arrays(), *original.places.arrays()]
        paths.touch = physics.touch
        paths.unfinished = False
        effects = paths.effects = Effects(recording, original, physics, resets)
        try:
            used, unused = _put_symbols(given, recording, physics, slots, live)
            snapshot = Snapshot(original)
            generators = SymbolicGenerators(original.generators, physics, effects)
            paths.made, paths.common = generators.made if resets else None, generators.common
            # the method itself
            args = () if resets else (action_of(recording, space),)
            named_fields = live_fields(objects)
            refused, spaces = shared_refused(original.kinds()), asked_spaces()
            with symbolic(original.data, physics, original.model), named_fields, refused, spaces:
                # asked for here, where the environment's functions are those that are followed
                method = getattr(original.root, given.method)
                method = method if resets else within_episodes(method, objects)
                result = run_method(method, args, paths)
                if isinstance(result, Failed):
                    return result
                effects.refuse_lists()
                effects.refuse_parted()
                if resets:
                    original.places.histories.refuse_kept()
                _refuse_elsewhere(original, leads, opaque)
                paths.note_wrong(original.places)
                physics.end()
                _refuse_replaced(original, physics, live)
                refuse_used(original.places, unused)
                attributes = attributes_after(original, used, before, snapshot, new, live, opaque)
                for slot in slots:
                    attributes.setdefault(slot.field, field_of(recording, slot))
                physics.draws, renewed = generators.resolved()
            found = (result[0], 0.0, False, False, result[1]) if resets else result
            way = as_dict(found, physics, attributes, paths, renewed)
            # ways with other calls are no program: the next ones need not be followed
            kinds.append(way["kinds"])
            if kinds[-1] != kinds[0] and not new:
                raise NotTraced("found an `if` of a value that decides about calls of the physics")
            return way
        finally:
            put_back()

    # all ways through the step, by the outcomes of its conditions
    ways = None
    joined_ways = joining(recording, original, resets)
    with substituted(recording, original.spaces), joined_ways:
        while ways is None:
            try:
                ways = paths.all_ways(run)
            except AnotherWay:
                new.clear()
                kinds.clear()
    whole = [way for way in ways if not isinstance(way.result, Failed)]
    if not whole:
        raise NotTraced(f"found a {given.method} that always fails: {paths.errors[0]}")
    if new:
        return None, list(new.values())  # type: ignore[return-value]
    complete(recording, [way.result for way in whole])
    for place, way in enumerate(ways):
        if isinstance(way.result, Failed):
            ways[place] = way._replace(result={**whole[0].result, "raised": way.result.number})
    calls, parts = joined(recording, whole[0].result["calls"], ways)
    return Followed(
        recording, calls, slots, errors=paths.errors, varied=varied, opaque=opaque,
        action=(space.dtype, (0,) if resets else space.shape), constants=(before, others),
        live=frozenset(live), generators=original.generators.held,
        draws=whole[0].result["draws"], renewed=whole[0].result["renewed"],
        **original.places.lists_of_followed(), **parts,
    ), []  # fmt: skip


def _put_symbols(
    given: _Given,
    recording: Follower,
    physics: Physics,
    slots: list[Slot],
    live: Mapping[Path, Alias],
) -> tuple[list[Slot], list[Path]]:
    """Have symbols in the place of numbers, and what says so in that of what has none.

    Returns:
        The attributes that are symbols now, and queues that the method leaves alone.
    """
    original = given.original
    original.places.rosters.make(recording)
    original.places.histories.make(recording)
    original.places.tables.make(recording)
    make_logs(original.places, given.method)
    unused = original.places.queues.unused(given.method)
    left = {one.path for one in slots if any(one.path[: len(p)] == p for p in unused)}
    used = [one for one in slots if one.path not in left]
    for slot in used:
        original.put(slot.path, attribute_of(recording, original, slot))
    if given.method == "step":
        original.places.histories.begin_step()
    for path in given.opaque:
        hide(original, path)
    for path, alias in live.items():
        original.places.put(path, physics.part(alias))
    for path in original.generators.others():
        original.places.put(path, Refused(named(path)))
    return used, unused


def _refuse_elsewhere(original: Original, leads: list[dict], opaque: frozenset[Path]) -> None:
    """Refuse places that lead to other objects than before.

    Raises:
        LeadFound: there are some.
    """
    now = (original.places.objects(containers) for containers in (False, True))
    found = set[Path]().union(*map(leading_elsewhere, leads, now)) - opaque
    if found:
        raise LeadFound(found)


def _refuse_replaced(original: Original, physics: Physics, live: Mapping[Path, Any]) -> None:
    """Refuse a method that puts something else where a part of the data's arrays was."""
    places = original.places
    if any(not physics.is_part(places.get(path), alias) for path, alias in live.items()):
        raise TraceError("found a step that replaces a part of the data's arrays")


def _state(physics: Physics, original: Original, kept: list[Any]) -> tuple[Any, Any]:
    """What functions may change: its contents, and where it is."""
    contents, addresses = original.places.contents(kept)
    return (physics.changes(), contents), addresses
