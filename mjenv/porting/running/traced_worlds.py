"""Worlds whose steps are a program that runs in the threads of the physics."""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.data.data import Data
from mjenv.engine.data.requested_fields import LAZY_INPUTS, LAZY_OUTPUTS
from mjenv.engine.simd.kernel import interpreted
from mjenv.engine.tables.fields import DATA
from mjenv.porting.environment.changing import refuse_sizes
from mjenv.porting.environment.in_place import ours_by_name
from mjenv.porting.environment.model_options import field_of, set_field
from mjenv.porting.environment.original import Original, model_numbers
from mjenv.porting.environment.place_names import Path, named
from mjenv.porting.environment.sharing import put_together
from mjenv.porting.following.following import Followed, follow
from mjenv.porting.running.compiled_step import CompiledStep, refuse_errors
from mjenv.porting.running.constants import Constants, ModelConstants
from mjenv.porting.running.dry_run import dry_run
from mjenv.porting.running.model_fields import ModelFields, names_to_vary
from mjenv.porting.running.program import Program, programs
from mjenv.porting.running.rows import mask_of_worlds, with_masks
from mjenv.porting.running.traced_resets import Started, TracedResets
from mjenv.porting.stand_ins.spaces import refuse_others
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.varying.histories import COUNT, NEWEST
from mjenv.porting.varying.rosters import IN, WORD, is_of_words, place_in

_OF_A_STEP = 16  # elements that a step may add to a list, at least
# what an episode continues from, besides results of the physics
STATE = (
    "time", "qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "qacc_warmstart", "userdata",
    "eq_active", "history",
)  # fmt: skip


class Steps(NamedTuple):
    """Results of a step: arrays with a row for each world.

    Attributes:
        observation: by the keys of dicts that lead to it, () for one array.
        reward: (nworld,), or (nworld, ...) of several objectives.
        terminated, truncated: (nworld,).
        info: by name, each beside its mask, as Gymnasium's vector environments have them.
    """

    observation: dict[tuple, np.ndarray]
    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    info: dict[str, Any]


class TracedWorlds:
    """Many worlds of an environment whose step has been followed.

    Attributes:
        data: the physics.
        attributes: what differs between worlds of the environment's own, by name (nworld, ...).
    """

    def __init__(
        self,
        original: Original,
        followed: Followed,
        nworld: int,
        nthread: int | None,
        drawn: bool = False,
    ):
        """Make the worlds, in the model's initial state.

        Args:
            original: the environment.
            followed: its step and its reset.
            nworld: how many.
            nthread: threads of the physics; None for the engine's choice.
            drawn: whether there are pictures of them, for which all fields are kept.

        Raises:
            NotTraced: there is no compiled code.
        """
        if interpreted():
            raise NotTraced("found NUMBA_DISABLE_JIT, expected compiled code")
        self._original, self._nworld, self._nthread = original, nworld, nthread
        self._drawn = drawn
        self._space = original.env.action_space
        # what a reset has changed that no episode before had
        self._changing: list[Path] = []
        self._rare: list[str] = []
        self._begun = np.zeros(nworld, bool)
        self._generators: list[list[Any]] = []
        self._build(followed)
        self._generators = original.generators.of_worlds(nworld)
        # a traced reset is that of the environment, or is not used
        compared = None
        while self._resets is not None and self._resets is not compared:
            compared = self._resets
            compared.compare()
        if compared is not None and compared.why_not:
            self.why_not_reset, self._resets = compared.why_not, None
        # nor is a traced step that is another one
        if words := dry_run(self):
            raise NotTraced(words)

    @property
    def nstep(self) -> int:
        """Steps of the physics in a step of the environment."""
        return sum(call.nstep for call in self.program.calls if call.name == "step")

    def _build(self, followed: Followed) -> None:
        """Make worlds that run programs, in the model's initial state."""
        original, nworld = self._original, self._nworld
        self.program, reset = programs(followed)
        program, self._reset_program = self.program, reset
        for one in (program, reset):
            original.generators.note_asked(one.draws if one else (), self._generators)
        self.why_not_reset = followed.why_not_reset
        self._model = original.model._twin()
        self.data = Data(
            self._model,
            nworld=nworld,
            keep=None if self._drawn else self._kept(),
            vary=names_to_vary(program.followed.varied),
            nthread=self._nthread,
        )
        # what has to stay as it was when the step was followed
        original.renew()
        self._is_as_made = True
        self._constants = Constants(
            original.places, program.followed.changing, *program.followed.constants
        )
        varied = program.followed.varied
        self._of_model = ModelConstants(original.model, original.spaces, varied)
        self._fields = ModelFields(self._model, self.data)
        # the step, and attributes of each world
        self._step = CompiledStep(program, self.data, self._read, self._written)
        self.attributes = self._step.attributes
        for slot in program.slots:
            self.attributes[slot.field][...] = self._first(slot)
        # of a world; one number in an array is a number
        shape = np.shape(followed.reward)
        plain = original.reward_space is None and np.prod(shape) == 1
        self.reward_shape: tuple[int, ...] = () if plain else shape
        self._copied = self._copies()
        for world in range(nworld):
            self._take(world)
        self._resets = None if reset is None else TracedResets(self, reset)

    def _first(self, slot: Any) -> Any:
        """An attribute as it is before any episode."""
        try:
            value = self._original.places.get(slot.path)
        except (KeyError, IndexError):
            value = None
        return _fitting(slot, value)

    def _kept(self) -> tuple[str, ...]:
        # instructions read contacts where the engine has them: lists of them are for nobody
        known = {row.name for row in DATA} - {"contact"}
        return tuple(n for n in self._names() if n in known and n not in LAZY_INPUTS)

    def _names(self) -> list[str]:
        """Fields that programs read."""
        reset = self._reset_program.fields if self._reset_program else ()
        return [*dict.fromkeys((*self.program.fields, *reset))]

    def _copies(self) -> list[tuple[str, np.ndarray]]:
        """Arrays that a world takes from the environment's data after a reset."""
        # forces that an environment has set in episodes, whoever reads them
        used = self._original.data.batch.inputs_in_use
        for name in used:
            getattr(self.data, name)
        names = dict.fromkeys((*STATE, *used, *self._names()))
        found = [(n, self.data._arrays.get(n)) for n in names]
        return [(n, a) for n, a in found if a is not None and a.size]

    @property
    def reset_program(self) -> Program | None:
        """The program by which episodes start; None where that is Python."""
        return None if self._resets is None else self._reset_program

    @property
    def seedless(self) -> str:
        """Why episodes with a seed start by Python; "" if they do not."""
        return "" if self._resets is None else self._resets.seedless

    # ------------------------------------------------------------ episodes

    def begin(self, worlds: list[int], seeds: list, options: Any) -> Started | None:
        """Start episodes by the program, in those of some worlds where that can be.

        Args:
            worlds: their numbers.
            seeds: a seed or None for each world of all.
            options: as of `reset`; with some, nothing is started.
        """
        if self._resets is None or options or not worlds:
            return None
        return self._resets.begin(worlds, seeds)

    def start(self, world: int, seed: int | None, options: Any) -> tuple[Any, dict[str, Any]]:
        """Start an episode in a world: the environment's own `reset`.

        Returns:
            What it returned.
        """
        original = self._original
        env, generators = original.env, original.generators
        if not self._begun[world]:
            # as it was made: attributes may not be there yet
            original.renew()
            self._begun[world], self._is_as_made = True, False
        else:
            self.enter(world)
        # its reset, and what it leaves
        with ours_by_name(), generators.lent(self._generators[world], seed):
            observation, info = env.reset(seed=seed, options=options)
        learned = self.take(world)
        # what was taken for a constant and is none
        fields = self._of_model.changed()
        changed = self._constants.changed()
        if self._resets is not None and (changed or fields):
            self._resets.refuse([f"model.{n}" for n in fields] + list(map(named, changed)))
        if changed or fields or learned:
            observation, info = copy.deepcopy((observation, info))
            self._follow_anew(changed, fields, world)
        return observation, info

    def _follow_anew(self, changed: list[Path], fields: list[str], world: int) -> None:
        """Have a program for which these attributes and fields differ between worlds, from now on.

        Args:
            changed: the attributes, which have been the same in all worlds.
            fields: the fields of the model likewise.
            world: the one that has other ones since its reset.

        Raises:
            NotTraced: the step cannot be followed with them.
        """
        # the worlds as they are
        places, copied, known = self._original.places, dict(self._copied), self.attributes
        varied, constants = self._fields.values, self._constants
        there = {p: copy.copy(one) if is_of_words(one) else one for p, one in places._walk()}
        values = {path: there[path] for path in changed if path in there}
        model = model_numbers(self._original.model)
        self._rare += fields
        followed = follow(self._original, [*self._changing, *changed], self._rare)
        # an attribute that other worlds do not have cannot be one of theirs
        missing = [
            named(path) for path in changed
            if path not in values or not constants.knows(path) or not followed.changing(path)
        ]  # fmt: skip
        refused = self.why_not_reset if self._resets is None else ""
        self._build(followed)
        if refused:
            # it was not that of the environment
            self.why_not_reset, self._resets = refused, None
        self._changing += changed
        missing += [n for n, _ in self._copied if n not in copied]
        if missing:
            raise NotTraced(
                f"found {', '.join(map(named, changed))} changed by a reset, for the first time; "
                f"the step then needs {', '.join(missing)}: expected way='world by world'"
            )
        # they go on with the other program
        for name, array in self._copied:
            array[...] = copied[name]
        for name, array in self._fields.values.items():
            if name in varied:
                array[...] = varied[name]
            else:
                array[world] = model[name]
        self._fields.stale, number_of = True, places.rosters.number_of
        for slot in self.program.slots:
            array = self.attributes[slot.field]
            if slot.field in known:
                # of lists the newest elements are at the end
                before = known[slot.field]
                (array[:, -before.shape[1] :] if before.ndim > 1 else array)[...] = before
                continue
            # what was a constant of all worlds, and what this one has instead
            path = slot.path[:-1] if slot.path[-1][0] == WORD else slot.path
            if constants.knows(path):
                array[...] = _fitting(slot, number_of(slot.path, constants.value(path)))
            if path in values:
                array[world] = _fitting(slot, number_of(slot.path, values[path]))
            elif slot.path[-1][0] == IN and path[:-1] in there:
                array[world] = place_in(there[path[:-1]], slot.path[-1][1])
            elif places.has_lists(path) and path in there:
                array[world] = _fitting(slot, there[path])

    @property
    def arrays(self) -> list[np.ndarray]:
        """All that next steps and episodes depend on, (nworld, ...), besides random generators."""
        own = [*self.attributes.values(), *self._fields.arrays, self._begun]
        return [array for _, array in self._copied] + own

    def enter(self, world: int) -> None:
        """Give the environment the state of a world, and its attributes."""
        places, together, rows = self._original.places, self._original.together, {}
        if self._is_as_made:
            self._constants.put_missing()
            self._is_as_made = False
        for slot in self.program.slots:
            row = self.attributes[slot.field][world]
            missing = slot.optional and np.isnan(row).any()
            value = None if missing else _as(slot.sample, row)
            if slot.path in together and isinstance(value, np.ndarray):
                rows[slot.path] = value
            else:
                self._original.put(slot.path, value)
        put_together(places.get, places.put, rows)
        data = self._original.data
        for name, array in self._copied:
            if name in STATE:
                getattr(data.batch, name)[0] = array[world]
        for name, array in self._fields.values.items():
            set_field(self._original.model, name, array[world])

    def take(self, world: int) -> bool:
        """Give a world the state of the environment, and its attributes.

        Returns:
            Whether words and lengths have been learned that no episode before has shown.

        Raises:
            NotTraced: an attribute has another shape than before.
        """
        self._take(world)
        places = self._original.places
        learned = places.rosters.learn() | places.queues.learn() | places.tables.learn()
        for slot in self.program.slots:
            try:
                value = places.get(slot.path)
            except KeyError:  # also NotThere
                if slot.path not in self._original.late:
                    raise
                continue
            shape = np.shape(slot.sample)
            if value is not None and np.shape(value) != shape:
                raise NotTraced(
                    f"found {slot.field} of shape {np.shape(value)} after a reset, expected "
                    f"{shape} as before"
                )
            if value is not None:
                refuse_sizes(slot.path, (slot.sample, value))
            self.attributes[slot.field][world] = value
        return learned

    def _take(self, world: int) -> None:
        """Give a world the state of the environment."""
        batch = self._original.data.batch
        for name, array in self._copied:
            if name in LAZY_OUTPUTS:
                # of the other worlds, too: what is there is not computed anew until they go on
                getattr(self.data, name)
            array[world] = getattr(batch, name)[0]
        for name, array in self._fields.values.items():
            array[world] = field_of(self._original.model, name)
        self._fields.stale = True
        self.data._warnings[:, world] = 0
        self.data.plan.forget_rest()

    # ------------------------------------------------------------ steps

    def step(self, actions: np.ndarray, worlds: np.ndarray | None) -> Steps:
        """Advance worlds by a step.

        Args:
            actions: (nworld, ...).
            worlds: numbers of those that step; None for all. Rows of others mean nothing.
        """
        refuse_others(self._space, actions, worlds)
        self._fit_lists(worlds)
        step, shape = self._step, (self._nworld, -1)
        self._fields.enter()
        # actions have the numbers of their type
        step.action[...] = np.asarray(actions, self.program.followed.action[0]).reshape(shape)
        step.generators = self._generators
        warned = self.data.warning_numbers.copy() if self._original.ends_unstable else None
        step(worlds)
        self._refuse_errors(worlds)
        step.take_attributes(worlds)
        rows: Any = (step.reward, step.terminated, step.truncated)
        kinds, one = (np.float64, np.bool_, np.bool_), ()
        reward, terminated, truncated = (
            np.array(row, kind).reshape(self._nworld, *shape)
            for row, kind, shape in zip(rows, kinds, (self.reward_shape, one, one), strict=True)
        )
        info = self.program.infos(step.info)
        # worlds that the physics have put back into the initial state
        if warned is not None and (self.data.warning_numbers != warned).any():
            info["diverged"] = (self.data.warning_numbers != warned).any(axis=1)
            reward[info["diverged"]], terminated[info["diverged"]] = 0.0, True
        info = with_masks(info, mask_of_worlds(worlds, self._nworld))
        return Steps(step.observation, reward, terminated, truncated, info)

    def _fit_lists(self, worlds: np.ndarray | None) -> None:
        """Follow the step anew where lists have fewer elements than ever, or are nearly full.

        Args:
            worlds: that step; None for all.

        Raises:
            NotTraced: there are too many.
        """
        known, histories = self.program.followed.histories, self._original.places.histories
        if not known:
            return
        chosen = slice(None) if worlds is None else worlds
        counts = {p: self.attributes[named((*p, (COUNT, "")))][chosen] for p in known}
        fewer = {p: int(one.min()) for p, one in counts.items() if (one < known[p].least).any()}
        for path, least in fewer.items():
            histories.have_fewer(path, least)
        whole = {p: int(one.max()) + _OF_A_STEP for p, one in counts.items() if p in self._whole}
        self._grow(whole, bool(fewer))

    def _grow(self, rooms: dict[Path, int], grown: bool = False) -> None:
        """Have room for so many elements of lists at least; follow anew if that is new."""
        histories = self._original.places.histories
        for path, room in rooms.items():
            while histories[path].room < room:
                histories.grow(path)
                grown = True
        if grown:
            self._follow_anew([], [], 0)

    @property
    def _whole(self) -> dict[Path, int]:
        """Lists of which all elements are kept, and the room for these."""
        known = self.program.followed.histories
        return {path: kept.room for path, kept in known.items() if kept.whole}

    @property
    def rooms(self) -> np.ndarray:
        """The room for elements of each list of which all are kept, (nworld, nlist)."""
        rooms = np.array([*self._whole.values()], np.int64)
        return np.broadcast_to(rooms, (self._nworld, len(rooms))).copy()

    def have_rooms(self, rooms: np.ndarray) -> None:
        """Have as much room as a saved state at least, see `rooms`, (nlist,)."""
        self._grow(dict(zip(self._whole, rooms.tolist(), strict=True)))

    def with_rooms(self, rooms: np.ndarray, arrays: list[np.ndarray]) -> list[np.ndarray]:
        """Arrays in the place of those of lists that had less room when they were saved.

        Args:
            rooms: for each of these lists, (nlist,).
            arrays: of the worlds, among others.
        """
        found = {id(array): array[:, -room:] for array, room in self._newest_and(rooms)}
        return [found.get(id(array), array) for array in arrays]

    def empty_rooms_beyond(self, rooms: np.ndarray) -> None:
        """Have nothing beyond the room that they had, see `with_rooms`."""
        for array, room in self._newest_and(rooms):
            array[:, :-room] = 0

    def _newest_and(self, rooms: np.ndarray) -> list[tuple[np.ndarray, int]]:
        arrays = [self.attributes[named((*path, (NEWEST, "")))] for path in self._whole]
        return [*zip(arrays, rooms.tolist(), strict=True)]

    def _read(self, name: str) -> Any:
        """A field of all worlds."""
        if name == "@warning":
            return self.data.warning_numbers
        if name.startswith("model."):
            return self._fields.values[name[6:]]
        return getattr(self.data, name)

    def _written(self) -> None:
        """Fields of the model have been written by a step."""
        self._fields.stale = True
        self._fields.enter()

    def _refuse_errors(self, worlds: np.ndarray | None) -> None:
        """Raise the environment's own error where a world's way ends in one."""
        refuse_errors(self.program, self._step, worlds)


def _fitting(slot: Any, value: Any) -> Any:
    """What an attribute's array takes: NaN for None, the sample for what cannot be one."""
    if value is None:
        return np.nan if slot.optional else slot.sample
    return value if np.shape(value) == np.shape(slot.sample) else slot.sample


def _as(sample: Any, row: np.ndarray) -> Any:
    """A row of numbers in the type of an attribute."""
    if isinstance(sample, np.ndarray):
        return row.astype(sample.dtype)
    return type(sample)(row.item())


def chosen(worlds: Sequence[int], nworld: int) -> np.ndarray | None:
    """Numbers of worlds, None where they are all."""
    return None if len(worlds) == nworld else np.asarray(worlds, np.int64)
