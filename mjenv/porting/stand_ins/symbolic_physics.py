"""Fields of data as symbols, and the calls of the physics between which a step uses them.

Fields are live, as MuJoCo's arrays are: after a call of the physics, all that was taken of them
before has the values that the call gave.
"""

from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from mjenv.engine.data.requested_fields import INTEGERS, LAZY_INPUTS
from mjenv.engine.tables.enums import (
    DSBL_ACTUATION,
    INT_RK4,
    JNT_HINGE,
    JNT_SLIDE,
    NWARNING,
)
from mjenv.mujoco.enumerations import mjtSensor
from mjenv.porting.environment.model_options import field_of
from mjenv.porting.stand_ins.calls import ASKED, QUERY, RANDOM, RESET, WHEN, Call
from mjenv.porting.stand_ins.queries import Query
from mjenv.porting.stand_ins.random_numbers import (
    FEW,
    PREFIX,
    UNKNOWN,
    Draw,
    range_of,
    sample_of,
    type_of,
)
from mjenv.porting.symbols.symbol import Follower, Symbol
from mjenv.porting.varying.symbolic_contacts import Contact, Contacts, Rows, count_of, tables_of
from mjenv.tracing.arrays import BOOL, DOUBLE, TraceError

# what may be called, and how it is called in all worlds
CALLS = {
    "mj_step": "step", "mj_forward": "forward", "mj_rnePostConstraint": "rne",
    "mj_step1": "first half", "mj_step2": "second half",
}  # fmt: skip
# what a step's second half takes as it finds it; the rest was used in the first half
_OF_SECOND = frozenset(
    ("ctrl", "act", "qfrc_applied", "xfrc_applied", "time", "userdata", "qacc_warmstart")
)  # fmt: skip
# what is as it was for data that follow from the state anyway
_WRITABLE = frozenset(
    ("qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "time", "xfrc_applied",
     "qfrc_applied", "userdata", "qacc_warmstart", "site_xpos", "xpos", "xquat", "eq_active")
)  # fmt: skip


# what the physics leave as it is, as long as they do not reset an unstable world
_STEADY = ("ctrl", "mocap_pos", "mocap_quat", "userdata", "qfrc_applied", "xfrc_applied")


class Physics:
    """The fields of one run through a step, and the calls it makes.

    Attributes:
        calls: calls so far, with what was written before each.
        draws: random numbers asked for so far.
        before_call: is told of each call, by its name, and whether actuators have no forces;
            gives a symbol, in which worlds it is made, or None for all.
    """

    before_call: Callable[[str, bool], Symbol | None]

    def __init__(
        self,
        recording: Follower,
        template: Any,
        varied: tuple[str, ...] = (),
        steady: bool = False,
        known: Collection[str] = (),
    ):
        """Begin before the first call.

        Args:
            recording: where operations are recorded.
            template: data of the engine of several worlds, which say what fields there are.
            varied: fields of the model that differ between worlds.
            steady: whether inputs stay as they are through all calls, as they do where worlds that
                become unstable are begun anew in another way.
            known: fields that steps read or write, which a reset has to set.
        """
        self._known, self.before_call = frozenset(known), lambda name, undriven: None
        self.varied, self.draws = varied, []
        self._steady = _STEADY if steady else ()
        self._of_model = {f"model.{n}": field_of(template.model, n)[None] for n in varied}
        self._recording, self._template = recording, template
        self._fields: dict[str, Symbol] = {}
        self._fresh: dict[str, np.ndarray] = {}
        self.calls: list[Call] = []
        self._touched, self._found, self._zeroed, self._no_post = True, None, False, False
        self._halved, self._flags = False, int(template.model.opt.disableflags)
        recording.go("0")

    def field(self, name: str) -> Any:
        """A field, live.

        Raises:
            TraceError: there is no such array of fixed length.
        """
        self._touched = True
        if name in ("contact", "ncon"):
            contacts = self._contacts()
            return contacts if name == "contact" else count_of(contacts)
        if name.startswith("efc_"):
            return Rows(name)
        if name not in self._fields:
            array = self._array(name)
            if name == "nefc" or array is None:
                raise TraceError(
                    f"found data.{name}, whose rows are of other things in each world and step"
                )
            dtype = np.dtype(np.int64) if name in INTEGERS else DOUBLE
            found = Symbol(self._recording, self._read(name).copy(), dtype)
            found.owner = _Owner(name, self)
            self._fields[name] = found
        return self._fields[name]

    @property
    def recording(self) -> Follower:
        """Where operations are recorded."""
        return self._recording

    def of_contacts(self, name: str, start: int, shape: tuple[int, ...]) -> np.ndarray:
        """Numbers of a part of what contacts have, behind the call that has found them.

        Random numbers and questions that come after it have passes of their own, in which there are
        no contacts.
        """
        recording, now = self._recording, self._recording.section
        found = max(k for k, call in enumerate(self.calls, 1) if not call.waits)
        recording.go(str(found))
        ids = recording.part(name, start, shape)
        recording.go(now)
        return ids

    def contact_tables(self) -> dict[str, np.ndarray]:
        """Geoms of contact slots."""
        return tables_of(self._template)

    def refuse_gaps(self, contact: Contact) -> None:
        """Refuse rows of contacts that may have none, where MuJoCo's code reads another row."""
        m, names = self._template.model, ("geom_gap", "geom_margin")
        geoms = [contact.geom1, contact.geom2]
        if m.geom_gap[geoms].any() or m.npair or any(f"model.{n}" in self._of_model for n in names):
            raise TraceError(
                "found data.efc_force[contact.efc_address] of geoms with gap, or of pairs, whose "
                "contacts may have no rows"
            )

    def _contacts(self) -> Contacts:
        """Contacts that the last call of the physics has found."""
        if all(call.waits for call in self.calls):
            raise TraceError(
                "found data.contact before the step's first call of the physics, where contacts "
                "are those of the step before"
            )
        if self._found is None:
            self._found = Contacts(self)
        return self._found

    def part(self, alias: Any) -> Symbol:
        """A part of a field, live as the field is."""
        field, size = self.field(alias.field), int(np.prod(alias.shape))
        ids = field.ids.reshape(-1)[alias.first : alias.first + size].reshape(alias.shape)
        return field.like(ids)

    def is_part(self, value: Any, alias: Any) -> bool:
        """True for what `part` has given."""
        same = isinstance(value, Symbol) and value.shape == alias.shape
        return same and np.shares_memory(value.ids, self.field(alias.field).ids)

    def _read(self, name: str) -> np.ndarray:
        """Numbers of the values that a field has in this section."""
        # forces of contacts are 0 until they are asked for
        left = self._no_post and name in _POST and not self._senses_forces()
        zeroed = left or (self._zeroed and name not in self.state_names())
        if zeroed and name not in self._fresh and not name.startswith("model."):
            zeros = np.zeros(self._array(name).shape[1:])
            self._fresh[name] = np.array(self._recording.constant(zeros))
        if name not in self._fresh:
            shape = self._array(name).shape[1:]
            ids = self._recording.field(name, shape, DOUBLE).ids
            self._fresh[name] = np.array(ids)
        return self._fresh[name]

    def _array(self, name: str) -> Any:
        """The field of the template, or of its model; None for there is none."""
        if name in LAZY_INPUTS:
            return getattr(self._template, name)
        return self._of_model.get(name, self._template._arrays.get(name))

    def written(self) -> dict[str, Symbol]:
        """Fields that have other values than the section began with."""
        return {
            name: field.copy()
            for name, field in self._fields.items()
            if not np.array_equal(field.ids, self._fresh.get(name, field.ids))
        }

    def changes(self) -> tuple:
        """Numbers that tell whether anything has been written or called."""
        written = {name: field.ids.tobytes() for name, field in self.written().items()}
        flags = self._zeroed, self._no_post
        return len(self.calls), len(self.draws), *flags, *sorted(written.items())

    def live_arrays(self) -> list[np.ndarray]:
        """Numbers of the values of fields, which change when the physics are called."""
        return [*(field.ids for field in self._fields.values()), *self._fresh.values()]

    def touch(self) -> None:
        """Know that something has been looked at since the last call."""
        self._touched = True

    def call(self, name: str, nstep: int = 1, flags: int | None = None) -> None:
        """Note a call of the physics, and go on with what it gives.

        Args:
            name: see `CALLS`.
            nstep: number of steps.
            flags: the model's `disableflags` at that time; None for they are as they were.
        """
        undriven = self._is_undriven(name, flags)
        where = self.before_call(name, undriven)
        # the second half of a step is a step, where it sees the state that there is
        if name == "second half":
            # a step that begins with its first half sees what was written before it
            begun = any(call.name == "first half" for call in self.calls[:1])
            self._halved, name = not begun, "step"
            if "qpos" in self._unseen():
                self._step_from_other_positions()
                return
            self._refuse_stale("before mj_step2, which does not see it")
        # calls between which nothing happens are one
        writes = self.written()
        if name == "rne":
            self._add_post(writes)
            return
        if where is not None:
            writes[WHEN] = where
        elif self._joined(name, nstep, not writes and not self._used()):
            return
        # what follows sees what the call gives
        self._zeroed = False
        self.calls.append(Call(name, nstep, False, writes, undriven=undriven))
        self._recording.go(str(len(self.calls)))
        steady = (*self._steady, *LAZY_INPUTS)
        kept = {n: self._fields[n].ids.copy() for n in steady if n in self._fields}
        if self._steady:
            # nor do the physics change the model
            kept |= {n: f.ids.copy() for n, f in self._fields.items() if n.startswith("model.")}
        self._fresh.clear()
        self._fresh |= kept
        self._found = None
        for known, field in self._fields.items():
            field.ids[...] = self._read(known)
        self._touched = False

    def _joined(self, name: str, nstep: int, idle: bool) -> bool:
        """Have a call be a part of the last one, where it can be.

        Args:
            name, nstep: as of `call`.
            idle: whether nothing has been written or looked at since.

        Raises:
            TraceError: it has to be, and cannot be.
        """
        last = self.calls[-1] if self.calls else None
        if not idle or last is None:
            return False
        # steps add up; halves follow the call that they belong to
        if name == "step" and last.name == "step" and not last.post:
            self.calls[-1] = last._replace(nstep=last.nstep + nstep, renewed=False)
        elif name == "first half" and last.name == "step" and not last.post:
            self.calls[-1] = last._replace(renewed=True)
        else:
            return False
        return True

    def _add_post(self, writes: dict[str, Symbol]) -> None:
        """Have forces of contacts follow the last call, whatever else of it has been looked at.

        Raises:
            TraceError: they belong to another state, or have been looked at.
        """
        last, self._no_post = self.calls[-1] if self.calls else None, False
        if last is None or last.name not in ("step", "forward"):
            raise TraceError("found mj_rnePostConstraint, expected mj_step or mj_forward before it")
        read = [*writes, *(name for name in _POST if self._used() and name in self._fresh)]
        if read and not last.post:
            raise TraceError(
                f"found {', '.join(read)} between mj_{last.name} and mj_rnePostConstraint"
            )
        self.calls[-1] = last._replace(post=True)

    def _is_undriven(self, name: str, flags: int | None) -> bool:
        """Whether actuators have no forces in a call.

        Raises:
            TraceError: the model's other features are switched on or off.
        """
        changed = 0 if flags is None else flags ^ self._flags
        undriven = changed == DSBL_ACTUATION and bool((flags or 0) & DSBL_ACTUATION)
        if changed and not (undriven and name == "forward"):
            raise TraceError(
                f"found model.opt.disableflags changed for {name}, expected actuation disabled for "
                "mj_forward alone"
            )
        return undriven

    def _unseen(self) -> list[str]:
        """Fields written since the last call that a step's second half does not see."""
        return sorted(n for n in self.written() if n not in _OF_SECOND)

    def _refuse_stale(self, where: str) -> None:
        """Refuse what was written since the last call that a step's second half does not see."""
        unseen = self._unseen()
        if unseen:
            raise TraceError(f"found {', '.join(unseen)} written {where}")

    def _step_from_other_positions(self) -> None:
        """The second half of a step behind which positions were written.

        Accelerations are those of the positions before, and lead from the written ones.
        """
        m, positions = self._template.model, self._fields["qpos"]
        written = positions.copy()
        positions.ids[...] = self._fresh["qpos"]
        self._refuse_stale("before mj_step2, which does not see it")
        if not np.isin(m.jnt_type, (JNT_SLIDE, JNT_HINGE)).all() or m.opt.integrator == INT_RK4:
            raise TraceError(
                "found qpos written before mj_step2, which does not see it, expected a model of "
                "hinges and slides, and no Runge-Kutta"
            )
        self.call("step")
        positions[...] = written + m.opt.timestep * self.field("qvel")

    def draw(
        self,
        condition: Any,
        kind: type,
        method: str,
        args: tuple,
        options: dict[str, Any],
        generator: int = 0,
    ) -> Symbol:
        """Ask for random numbers, in worlds in which a condition is true.

        Args:
            condition: see above; None for all worlds.
            kind: class of generators.
            method, args, options: as the generator is called.
            generator: its number among those of a world.
        """
        sample, waits = sample_of(kind, method, args, options), [-1]
        if not sample.size:
            return Symbol(self._recording, np.zeros(sample.shape, np.int64), type_of(sample))
        waits += [k for k, call in enumerate(self.calls) if call.name == RANDOM]
        if condition is not None:
            last = self.calls[waits[-1]] if waits[-1] == len(self.calls) - 1 >= 0 else None
            ids = condition.ids.reshape(())
            if last is None or not np.array_equal(last.writes[WHEN].ids, ids):
                # fields have the values of the section before
                asked = {WHEN: Symbol(self._recording, ids, BOOL)}
                self.calls.append(Call(RANDOM, 0, False, asked))
                self._recording.go(str(len(self.calls)))
                waits.append(len(self.calls) - 1)
        name = f"{PREFIX}{len(self.draws)}"
        one = Draw(waits[-1], condition is not None, method, args, options, sample.shape, generator)
        self.draws.append(one)
        ids = self._recording.part(name, 0, sample.shape)
        # whole numbers may be places in lists, which few of them say each on a way of its own
        numbers, bound = range_of(kind, method, args, options), UNKNOWN
        for value in np.ravel(ids).tolist():
            self._recording.few.pop(value, None)
            if numbers is not None and len(numbers) <= FEW:
                self._recording.few[value] = tuple(numbers)
        if numbers is not None:
            bound = max(abs(numbers[0]), abs(numbers[-1]))
        return Symbol(self._recording, np.array(ids), type_of(sample), bound)

    def ask(self, name: str, options: tuple, asked: Any, size: int) -> Symbol:
        """Ask the engine about the data as the last call of the physics has left them.

        Args:
            name, options, size: see `Query`.
            asked: what differs between worlds, (n,).

        Raises:
            TraceError: there is no such call since mj_resetData.
        """
        if self._zeroed:
            raise TraceError(f"found {name} behind mj_resetData, before mj_forward")
        number = sum(call.name == QUERY for call in self.calls)
        query = Query(name, options, number, size)
        self.calls.append(Call(QUERY, 0, False, {ASKED: asked}, query=query))
        self._recording.go(str(len(self.calls)))
        ids = self._recording.part(query.field, 0, (size,))
        return Symbol(self._recording, np.array(ids), DOUBLE)

    def reset(self) -> None:
        """mj_resetData: the state of the model, and zeros in all that follows from it.

        Raises:
            TraceError: that differs between worlds.
        """
        if "model.qpos0" in self._of_model:
            raise TraceError("found mj_resetData, where qpos0 differs between worlds")
        self._touched, self._found = True, None
        # what they have had so far: what has become 0 is to be written
        state = {name: self.field(name) for name in self.state_names()}
        self._zeroed = self._no_post = True
        for name, field in state.items():
            field.ids[...] = self._initial(name)
        for name, field in self._fields.items():
            if not name.startswith("model.") and name not in self.state_names():
                ids = self._recording.constant(np.zeros(field.shape))
                self._fresh[name] = np.array(ids)
                field.ids[...] = ids

    def state_names(self) -> list[str]:
        """Fields that a reset sets, as far as anything may have changed them."""
        arrays = self._template._arrays
        names = [n for n in (*RESET, *_LATE, *_POST) if arrays.get(n) is not None]
        used = self._known | self._fields.keys()
        return [n for n in names if arrays[n].size and (n in RESET or n in used)]

    def _initial(self, name: str) -> np.ndarray:
        """What a field has in data that nobody has used."""
        source = {"mocap_pos": "model.body_pos", "mocap_quat": "model.body_quat"}.get(name, "")
        if source in self._of_model:
            mocap = np.asarray(self._template.model.body_mocapid)
            return self.field(source).ids[np.argsort(mocap)[(mocap < 0).sum() :]]
        ids = self._recording.constant(np.asarray(self._template._arrays[name][0], np.float64))
        return np.array(ids)

    def snapshot(self) -> Any:
        """Values of fields, and the number of calls of the physics."""
        ncall = sum(not call.waits for call in self.calls)
        return ncall, {name: field.ids.copy() for name, field in self._fields.items()}

    def advances(self) -> int:
        """How often the physics have been called by what moves a world."""
        return sum(not call.waits and call.name != "forward" for call in self.calls)

    def forward_where(
        self, undriven: bool, conditions: list[Symbol], befores: list[Any]
    ) -> Symbol | None:
        """Have fields as they are in each world, before mj_forward where conditions are true.

        Args:
            undriven: whether actuators have no forces in it.
            conditions: of one `if` inside another.
            befores: what fields had where each is not true, see `snapshot`; None for what the last
                call has left.

        Returns:
            In which worlds it is called. None for all: in others it changes nothing, as the call
            before was the same, and nothing has been written since.
        """
        # what is computed anyway is no part of the state
        known = {n: f for n, f in self._fields.items() if n in _INPUTS or n.startswith("model.")}
        fresh = {name: self._fresh[name] for name in known if name in self._fresh}
        last = [call for call in self.calls if not call.waits][-1:]
        same = [(call.name, call.undriven) for call in last] == [("forward", undriven)]
        same = same and not any(WHEN in call.writes for call in last)
        first = {} if befores[0] is None else befores[0][1]
        kept = all(np.array_equal(first.get(name, ids), ids) for name, ids in fresh.items())
        # the innermost first
        where: Any = None
        for condition, before in zip(reversed(conditions), reversed(befores), strict=True):
            fields = {} if before is None else before[1]
            for name, field in known.items():
                old = fields.get(name, self._fresh.get(name))
                if old is not None and not np.array_equal(old, field.ids):
                    chosen: Any = np.where(condition, field, field.like(old))
                    field.ids[...] = chosen.ids
            where = condition if where is None else np.logical_and(condition, where)
        return None if same and kept else where

    def was(self, name: str, before: Any) -> Symbol:
        """A field as it was."""
        field, old = self._fields[name], before[1].get(name, self._fresh.get(name))
        return Symbol(self._recording, field.ids.copy() if old is None else old, field.dtype)

    def since(self, before: Any) -> dict[str, Symbol]:
        """Fields that have other values than before, copies."""
        return {
            name: field.copy()
            for name, field in self._fields.items()
            if not np.array_equal(field.ids, self.was(name, before).ids)
        }

    def put_back(self, before: Any) -> None:
        """Have the values of fields that they had."""
        for name, field in self._fields.items():
            field.ids[...] = self.was(name, before).ids

    def choose(self, condition: Symbol, before: Any) -> None:
        """Have fields as they are where a condition is true, else as they were.

        Raises:
            TraceError: the physics have been called.
        """
        ncall, fields = before
        if ncall != sum(not call.waits for call in self.calls):
            # behind the last call, see `forward_where`
            fields = self._fresh
        for name, field in self._fields.items():
            old = fields.get(name, self._fresh.get(name))
            if old is not None and not np.array_equal(old, field.ids):
                chosen: Any = np.where(condition, field, field.like(old))
                field.ids[...] = chosen.ids

    def _senses_forces(self) -> bool:
        """True if sensors have forces of contacts computed in every call."""
        kinds = np.asarray(self._template.model.sensor_type)
        return bool(np.isin(kinds, [int(mjtSensor[f"mjSENS_{n}"]) for n in _WITH_FORCES]).any())

    def _used(self) -> bool:
        return self._touched

    def end(self) -> None:
        """Note what was written after the last call."""
        if self._halved:
            self._refuse_stale("at the end of a step, before the next one's mj_step2")
        self.calls.append(Call("", 0, False, self.written()))


# what mj_resetData sets where anything uses it
_LATE = ("xfrc_applied", "qfrc_applied")
_INPUTS = frozenset((*RESET, *_LATE))
# what no call computes that is not asked to, or has such sensors
_POST = ("cacc", "cfrc_int", "cfrc_ext")
_WITH_FORCES = ("ACCELEROMETER", "FORCE", "TORQUE", "FRAMELINACC", "FRAMEANGACC")


class Warnings:
    """The warnings of a world: how often each was given."""

    def __init__(self, physics: Physics, place: Any = ...):
        self._physics, self._place = physics, place

    def __getitem__(self, place: Any) -> "Warnings":
        return Warnings(self._physics, int(place))

    @property
    def number(self) -> Symbol:
        """The number of warnings of this kind."""
        recording = self._physics._recording
        ids = recording.field("@warning", (NWARNING,), DOUBLE).ids
        return Symbol(recording, np.array(ids), np.int64)[self._place]


class _Owner:
    """Says what may be written."""

    def __init__(self, name: str, physics: Physics):
        self._name, self._physics = name, physics

    def refuse_writes(self) -> None:
        """Refuse writes into what a step does not take from there."""
        self._physics._touched = True
        if self._name not in _WRITABLE and not self._name.startswith("model."):
            raise TraceError(f"found an assignment to data.{self._name}, a result of the physics")
