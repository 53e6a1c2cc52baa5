"""`data.contact` of a world without numbers: what may touch, and symbols for what does.

The engine keeps a slot for each contact that two geoms may have, always of the same geoms, in the
order in which contacts are listed. So the contacts of a world are these slots, each with a symbol
that says whether the world has it. Comparisons of geoms have their answers at once.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mjenv.engine.bytecode.opcodes import CONTACT_SIZES
from mjenv.porting.symbols.symbol import Follower, Symbol, constant
from mjenv.tracing.arrays import BOOL, DOUBLE, INT, TraceError
from mjenv.tracing.assemble import CONTACT

ROWS = "efc_force"  # the field of rows that may be looked up


class Possible:
    """Things that a world may have, in their order.

    Attributes:
        entries: whether the world has each, True or a symbol; and what it is.
    """

    def __init__(self, recording: Follower, entries: list[tuple[Any, Any]]):
        self.recording, self.entries = recording, entries

    def __iter__(self) -> Iterator[Any]:
        # code that is not rewritten: both answers are followed for each
        return (value for there, value in self.entries if there)

    def __bool__(self) -> bool:
        return bool(self.any())

    def any(self) -> Any:
        """Whether the world has one of them."""
        found: Any = False
        for there, _ in self.entries:
            found = there if found is False else np.logical_or(found, there)
        return found

    def number(self) -> Any:
        """How many the world has."""
        total: Any = 0
        for there, _ in self.entries:
            total = total + (1 if there is True else there.astype(INT))
        return total

    def append(self, value: Any) -> None:
        """Have one more thing, which all worlds have."""
        self.entries.append((True, value))

    def copy(self) -> "Possible":
        """The same in a list of its own."""
        return Possible(self.recording, [*self.entries])

    def fill(self, other: Any) -> None:
        """Have what another list has."""
        self.entries = [*other.entries]

    def parts(self) -> Any:
        """What makes it equal to another one of its kind."""
        return self.entries

    def inner(self) -> list[Any]:
        """The things themselves."""
        return [one for _, one in self.entries]

    def mapped(self, now: Callable[[Any], Any]) -> "Possible":
        """The same with others in their places."""
        return Possible(self.recording, [(there, now(one)) for there, one in self.entries])

    def __contains__(self, value: Any) -> bool:
        found: Any = False
        for there, one in self.entries:
            found = np.logical_or(found, np.logical_and(there, one == value))
        return bool(found)

    def __eq__(self, other: Any) -> Any:
        if other is self or not isinstance(other, Possible | list | tuple | dict):
            return other is self
        if isinstance(other, Possible) or other:
            raise TraceError(
                f"found what worlds may have compared with {other!r}, expected its len()"
            )
        return np.logical_not(self.any())

    __hash__ = object.__hash__

    def __len__(self) -> int:
        raise TraceError("found a number of contacts that has to be the same in all worlds")

    def __getitem__(self, index: Any) -> Any:
        raise TraceError(
            f"found [{index!r}] of contacts, which are others in each world; expected a loop"
        )


class Contacts(Possible):
    """All contacts of the world.

    Attributes:
        places: their numbers, once they have been asked for.
    """

    places: Possible | None = None

    def __init__(self, physics: Any):
        """In the section in which they are asked for."""
        recording, tables = physics.recording, physics.contact_tables()
        count = len(tables["slot_cand"])
        on = _read(physics, "on", 0, (count,)) if count else ()
        self.slots = [Contact(physics, tables, slot, on[slot]) for slot in range(count)]
        super().__init__(recording, [(one.there, one) for one in self.slots])

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, Place):
            return index.contact
        begins = isinstance(index, slice) and index.start in (None, 0) and index.step is None
        if begins and isinstance(index.stop, Count):  # [:data.ncon]
            return self.copy()
        return super().__getitem__(index)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise TraceError(
            f"found data.contact.{name}, rows of other things in each world; expected a loop over "
            "data.contact"
        )


class Contact:
    """A contact that the world may have.

    Attributes:
        there: whether it has it.
        slot: its number.
        geom1, geom2, geom, dim: as of mjContact, numbers.
    """

    def __init__(self, physics: Any, tables: dict[str, np.ndarray], slot: int, there: Symbol):
        pair = int(tables["slot_cand"][slot])
        self.there, self.slot, self._physics = there, slot, physics
        self.geom1, self.geom2 = (int(tables[f"cand_geom{k}"][pair]) for k in (1, 2))
        self.geom = np.array([self.geom1, self.geom2], np.int32)
        self.dim = int(tables["slot_dim"][slot])

    @property
    def dist(self) -> Symbol:
        """Distance (m)."""
        return _read(self._physics, "dist", self.slot, ())

    @property
    def pos(self) -> Symbol:
        """Position (m), (3,)."""
        return _read(self._physics, "pos", self.slot, (3,))

    @property
    def frame(self) -> Symbol:
        """Axes of its frame, (9,)."""
        return _read(self._physics, "frame", self.slot, (9,))

    @property
    def efc_address(self) -> "Row":
        """Its first row."""
        return Row(self)

    def rows(self) -> Symbol:
        """Forces of its rows."""
        return _read(self._physics, "rows", self.slot, (CONTACT_SIZES["rows"],))

    def force(self) -> Symbol:
        """Force and torque in its own frame, (6,) (N, N m)."""
        return _read(self._physics, "force", self.slot, (6,))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise TraceError(f"found .{name} of a contact, which cannot be traced")


class Row:
    """The number of a contact's first row; -1 for it has none."""

    def __init__(self, contact: Contact, more: int = 0):
        self._contact, self._more = contact, more

    def __add__(self, more: int) -> "Row":
        return Row(self._contact, self._more + more)

    __radd__ = __add__

    def _has_rows(self, other: Any, least: int) -> Symbol:
        """Comparisons with numbers between which no row lies."""
        if not isinstance(other, int | np.integer) or int(other) != least or self._more:
            raise TraceError(f"found contact.efc_address compared with {other!r}, expected -1 or 0")
        contact = self._contact
        return _read(contact._physics, "has_rows", contact.slot, (), BOOL)

    def __ge__(self, other: Any) -> Any:
        return self._has_rows(other, 0)

    def __gt__(self, other: Any) -> Any:
        return self._has_rows(other, -1)

    def __ne__(self, other: Any) -> Any:
        return self._has_rows(other, -1)

    def __lt__(self, other: Any) -> Any:
        return np.logical_not(self._has_rows(other, 0))

    def __eq__(self, other: Any) -> Any:
        return np.logical_not(self._has_rows(other, -1))

    __hash__ = None  # type: ignore[assignment]

    def force(self, field: str) -> Symbol:
        """The row's force."""
        contact, most = self._contact, CONTACT_SIZES["rows"]
        contact._physics.refuse_gaps(contact)
        if field != ROWS or not 0 <= self._more < most:
            raise TraceError(f"found data.{field}[contact.efc_address], expected data.{ROWS}")
        return contact.rows()[self._more]


class Rows:
    """`data.efc_force`, which may be looked up at the rows of contacts."""

    def __init__(self, field: str):
        self._field = field

    def __getitem__(self, index: Any) -> Symbol:
        if isinstance(index, Row):
            return index.force(self._field)
        if isinstance(index, slice) and isinstance(index.start, Row) and index.step is None:
            stop = index.stop
            if isinstance(stop, Row) and stop._contact is index.start._contact:
                rows = range(index.start._more, stop._more)
                forces: Any = [Row(stop._contact, k).force(self._field) for k in rows]
                stacked: Any = np.stack(forces)
                return stacked
        raise TraceError(
            f"found data.{self._field}, whose rows are of other things in each world and step; "
            "expected them at contact.efc_address"
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self[name]

    __array__ = __iter__ = __len__ = property(lambda self: self["all"])  # type: ignore[assignment]


class Place(Symbol):
    """The number of a contact in its world, in loops over `range(data.ncon)`."""

    __slots__ = ("contact",)
    contact: Any


class Count(Symbol):
    """`data.ncon`."""

    __slots__ = ("contacts",)
    contacts: Any


def count_of(contacts: Contacts) -> Count:
    """The number of contacts, a symbol that loops know."""
    recording = contacts.recording
    there = [there.ids for there, _ in contacts.entries]
    if there:
        ones = Symbol(recording, np.stack(there), BOOL).astype(INT)
        total: Any = np.sum(ones)
    else:
        total = constant(recording, 0)
    made = Count(recording, total.ids, INT)
    made.contacts = contacts
    return made


def numbers(contacts: Contacts) -> Possible:
    """Numbers of the contacts in their world, by which they are found again."""
    if contacts.places is not None:
        return contacts.places
    total: Any = constant(contacts.recording, np.asarray(0))
    entries = []
    for there, contact in contacts.entries:
        place = Place(contacts.recording, np.array(total.ids), INT)
        place.contact = contact
        entries.append((there, place))
        total = total + there.astype(INT)
    contacts.places = Possible(contacts.recording, entries)
    return contacts.places


def tables_of(data: Any) -> dict[str, np.ndarray]:
    """Geoms of contact slots of data.

    Raises:
        TraceError: slots are of other geoms in each step.
    """
    plan, m = data.plan, data.model
    if plan.large_model or m.nflex or plan.hooks.functions:
        raise TraceError(
            "found data.contact of a model with many geoms, deformables or contact filters, whose "
            "slots are of other geoms in each step"
        )
    return {n: plan.tables[n] for n in ("slot_cand", "slot_dim", "cand_geom1", "cand_geom2")}


def _read(
    physics: Any, what: str, slot: int, shape: tuple[int, ...], dtype: Any = DOUBLE
) -> Symbol:
    """Numbers of contact slots, from one on."""
    start = slot * CONTACT_SIZES[what]
    ids = physics.of_contacts(CONTACT + what, start, shape)
    return Symbol(physics.recording, np.array(ids), BOOL if what == "on" else dtype)
