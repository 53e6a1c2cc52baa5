"""Fields that are computed when they are looked at, and forgotten by the next call."""

from collections.abc import Collection, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from ..errors import FieldError, nearest
from ..physics.capacity import LISTS
from ..pipeline.forward import LISTING
from ..run.in_use import alone
from ..run.mujoco_functions import INERTIA, NO_ISLAND
from ..run.plan import Plan
from ..run.prepared_program import PreparedLook, can_look
from ..tables.fields import CONTACT
from ..tables.typed_fields import ContactFields, ContactsFields, DataFields
from .made import COPIES, MADE_OF, OF_INERTIA, has_inertia
from .memory import MEMORY, memory_of
from .requested_fields import CONTACTS, INTEGERS, ROWS, why_missing

if TYPE_CHECKING:
    from ..pipeline.stage import Stage
    from ..run.host import Host
    from ..simd.record import Record

_CONTACT = tuple(row.name for row in CONTACT)
GROWING_LISTS = {(size,) for size in LISTS}


class Contacts(ContactsFields):
    """Contacts of every world: arrays of mjContact's fields, (nworld, nconmax, ...).

    The first `ncon[i]` rows of world i count; behind them are zeros, unless users write there. Of a
    single world they are a list too, as in MuJoCo: `len(data.contact)`, `data.contact[0].dist`.
    """

    _data: "LazyFields"

    def __init__(self, data: "LazyFields"):
        arrays = {row.name: data._arrays[f"contact_{row.name}"] for row in CONTACT}
        self.__dict__.update(arrays, _data=data)

    def __len__(self) -> int:
        return int(self._counts()[0])

    def __bool__(self) -> bool:
        return bool(np.any(self._numbers()))

    def _numbers(self) -> np.ndarray:
        """Number of contacts of each world: zeros in a model in which nothing can touch."""
        data = self._data
        if not data._arrays["contact_dist"].size:
            return np.zeros(data.nworld, np.int32)
        return data.ncon

    def __getitem__(self, place: int) -> "Contact":
        count = len(self)
        if not -count <= place < count:
            raise IndexError(
                f"Data.contact[{place}]: found {count} contacts, expected an index below that"
            )
        return Contact(self, 0, place % count)

    def _counts(self) -> np.ndarray:
        """Numbers of contacts, if there is one world."""
        counts = self._numbers()
        if len(counts) > 1:
            raise TypeError(
                f"Data.contact: a list of one world only, these are {len(counts)} worlds; expected "
                "fields with a world first: data.contact.dist[world, :data.ncon[world]]"
            )
        return counts

    if not TYPE_CHECKING:

        def __getattr__(self, name: str):
            if name.startswith("_"):
                raise AttributeError(name)
            raise AttributeError(f"Data.contact: {name}: no such field{nearest(name, _CONTACT)}")

        def __setattr__(self, name: str, value: Any) -> None:
            getattr(self, name)[...] = value
            self._data.forget_ends()

    def __repr__(self) -> str:
        counts = self._numbers()
        if len(counts) == 1:
            return f"<{counts[0]} contacts>"
        return f"<contacts of {len(counts)} worlds, {counts.min()} to {counts.max()} each>"


class Contact(ContactFields):
    """One contact of a world, under the names of mjContact's fields."""

    _contacts: Contacts
    _place: tuple[int, int]

    def __init__(self, contacts: Contacts, world: int, place: int):
        self.__dict__.update(_contacts=contacts, _place=(world, place))

    if not TYPE_CHECKING:

        def __getattr__(self, name: str):
            if name.startswith("_"):
                raise AttributeError(name)
            value = getattr(self._contacts, name)[self._place]
            return value.item() if isinstance(value, np.generic) else value

        def __setattr__(self, name: str, value: Any) -> None:
            getattr(self._contacts, name)[self._place] = value

    def __dir__(self):
        return sorted(_CONTACT)

    def __repr__(self) -> str:
        geom1, geom2 = self.geom
        return f"<contact of geoms {geom1} and {geom2}, dist {self.dist:.6g}>"


def _nothing(name: str) -> int:
    """Values of a field where there are no islands, contacts or rows."""
    return -1 if name in NO_ISLAND else 0


def same_place(one: np.ndarray, other: np.ndarray) -> bool:
    """True if two arrays are the same memory."""
    return one.shape == other.shape and one.ctypes.data == other.ctypes.data


# what is known of late outputs without looking, as long as they last
KNOWN = ("_blank", "_emptied", "_no_islands")
NONE: frozenset[str] = frozenset()


@cache
def _with_what_follows(names: tuple[str, ...]) -> frozenset[str]:
    """Fields, and what is made of any late outputs."""
    islands = ("_no_islands",) if "nisland" in names else ()
    return frozenset((*names, "contact", "solver_nnz", *COPIES, *islands))


class Names(list[str]):
    """Names that may come and go.

    Attributes:
        change: another object after each change; machine code looks at it and at the number of
            names, see simd/ready_calls.py.
    """

    __slots__ = ("change",)

    def __init__(self) -> None:
        super().__init__()
        self.change = object()

    def append(self, name: str) -> None:
        """Add a name."""
        super().append(name)
        self.change = object()

    def extend(self, names: Iterable[str]) -> None:
        """Add names."""
        super().extend(names)
        self.change = object()

    def clear(self) -> None:
        """Have none."""
        super().clear()
        self.change = object()

    def leave_out(self, names: Collection[str]) -> None:
        """Have all but these."""
        self[:] = [name for name in self if name not in names]
        self.change = object()


class LazyFields(DataFields):
    """Lazy fields of `Data`: computed when they are read.

    Attributes:
        fresh: names of those that belong to the last call.
    """

    _arrays: dict[str, np.ndarray]
    _lazy: frozenset[str]
    _in_place: bool
    nworld: int
    varied: dict[str, np.ndarray]
    fresh: Names
    plan: Plan

    def _new_array(self, name: str) -> np.ndarray:
        raise NotImplementedError

    def forget_ends(self) -> None:
        """Take lists to hold something everywhere."""
        raise NotImplementedError

    def _find(self, name: str) -> Any:
        """A field that is not among the attributes.

        Raises:
            FieldError: the data do not hold it.
        """
        if name in self._lazy or (name == "contact" and "contact_dist" in self._lazy):
            return self._look_at(name)
        if name == "contact" and "contact_dist" in self._arrays:
            # a model in which nothing can touch
            return Contacts(self)
        if name in MADE_OF:
            return self._make(name)
        if name in MEMORY:
            return memory_of(name, self.nworld, (*self._arrays.values(), *self.varied.values()))
        raise FieldError(f"Data.{name}: {why_missing(name)}")

    def _look_at(self, name: str):
        """Compute a late output of the last call, with all that its stage writes."""
        look = self.plan.prepared.looks.get(name)
        if look is not None and self._look_again(look):
            return self.__dict__[name]
        wanted = self._lazy.intersection(CONTACTS) if name == "contact" else {name}
        missing = next((field for field in wanted if field not in self.__dict__), None)
        if missing is not None:
            stage = next(s for s in self.plan.after if missing in s.writes.split())
            self._run_lazy(stage)
            if look is None:
                self._prepare_look(stage)
        if "contact_dist" in wanted and "contact" not in self.__dict__:
            self.__dict__["contact"] = Contacts(self)
            self.fresh.append("contact")
        return self.__dict__[name]

    def _look_again(self, look: PreparedLook) -> bool:
        """Compute the late outputs of a stage that is ready to run; false if it is not."""
        host: Any = self
        own, fields = self.__dict__, look.fields
        # what is known of some of them is for `_compute_lazy`
        if not (own.keys().isdisjoint(fields) and own.keys().isdisjoint(KNOWN) and look.run(host)):
            return False
        arrays = self._arrays
        own.update((field, arrays[field]) for field in fields)
        self.fresh.extend(fields)
        return True

    def _prepare_look(self, stage: "Stage") -> None:
        """Have a stage of late outputs ready to run, if it does nothing else."""
        plan, program = self.plan, self.plan.programs.get(stage)
        if program is None or not self._in_place or plan.large_model or not can_look(plan, program):
            return
        fields = self._lazy.intersection(stage.writes.split())
        look = PreparedLook(cast("Host", self), stage, program, fields)
        plan.prepared.looks.update(dict.fromkeys(fields, look))

    def _make(self, name: str) -> np.ndarray:
        """Make a field of other results, and those that are made with it."""
        made = MADE_OF[name]
        if any(source not in self._arrays for source in made.sources):
            raise FieldError(f"Data.{name}: {why_missing(name)}")
        self.__dict__.update(made.make(self))
        self.fresh.extend(made.fields)
        return self.__dict__[name]

    def _run_lazy(self, stage: "Stage") -> None:
        name = stage.writes.split()[0]
        alone(self.plan, f"Data.{name}", self._compute_lazy, stage)

    def _compute_lazy(self, stage: "Stage") -> None:
        data = cast("Host", self)
        fields = self._lazy.intersection(stage.writes.split())
        # what a single stage of the pipeline has left as it was
        held = {field: self.__dict__[field].copy() for field in fields if field in self.__dict__}
        emptied = self.__dict__.get("_emptied", NONE).intersection(fields).difference(held)
        if "_blank" in self.__dict__ and stage.name != "export_awake":
            for field in fields:
                array = self._arrays[field]
                array.fill(0)
                if self.plan.large_model and ROWS[field].shape[:1] in GROWING_LISTS:
                    self._arrays[field] = array[:, :0]
        elif "_no_islands" in self.__dict__ and stage.name == "export_islands":
            for field in fields:
                self._arrays[field].fill(_nothing(field))
        elif self.plan.large_model and stage.name in LISTING:
            self.plan.fit_lists(data)
            for field in fields:
                new, old = self._new_array(field), self._arrays[field]
                # the array that there was, if its length stays, and its place in the scratch
                if new.shape != old.shape or not (field in INTEGERS or same_place(new, old)):
                    self._arrays[field] = new
            self.plan.disconnect(stage)
            self.plan.run_lazy(data, stage)
        elif len(emptied) + len(held) < len(fields):
            self.plan.run_lazy(data, stage)
        for field in emptied:
            self._arrays[field].fill(_nothing(field))
        for field, array in held.items():
            if self._arrays[field].shape == array.shape:
                self._arrays[field][...] = array
            else:
                self._arrays[field] = array
        self.__dict__.update({field: self._arrays[field] for field in fields})
        self.fresh.extend(fields.difference(held))

    def forget_lazy(self) -> None:
        """Drop late outputs, which belong to the call before."""
        self._drop(self.fresh)
        self.fresh.clear()

    def _drop(self, names: Iterable[str]) -> None:
        """Have fields computed anew when they are looked at."""
        for name in names:
            del self.__dict__[name]

    def show_held(self) -> None:
        """After a call, bring arrays up to date that users hold: where data do so, see held.py."""

    def take_edits(self, where: str) -> None:
        """Before a single stage, put edits of late outputs where it finds them, where data do so.

        See edited_results.py.
        """

    def lists_to_compare(self, where: str) -> "list[Record] | None":
        """Memory of lists whose edits a single stage would have to find.

        Returns:
            Records of `spans.Copies`; None where edits are found otherwise.
        """
        return []

    def hold_lazy(self) -> None:
        """Compute all late outputs of the last call, before something is edited for the next."""
        for name in sorted(self._lazy):
            getattr(self, name)

    def settle_lazy(self, names: Collection[str] | None = None, gone: Collection[str] = ()) -> None:
        """Compute late outputs, so that they stay as they are until `stale_lazy`.

        Args:
            names: stages that compute them, and `INERTIA`; None for all.
            gone: fields that need not stay, unless all do.
        """
        own = self.__dict__
        if "_blank" in own or names is None:
            names, gone = None, ()
        late, emptied = self.plan.late, own.get("_emptied", NONE)
        for name in late if names is None else names:
            if name in late:
                stage, fields = late[name]
                missing = fields.difference(own, gone)
                if missing and not emptied.issuperset(missing & self._lazy):
                    self._run_lazy(stage)
        if "_blank" in own:
            del own["_blank"]
            self.fresh.leave_out(("_blank",))
        wanted = (names is None or INERTIA in names) and "nA" not in own
        if wanted and self._lazy.issuperset(OF_INERTIA[:2]) and has_inertia(self.plan.model.opt):
            self._make("nA")

    def stale_lazy(self, names: tuple[str, ...]) -> None:
        """Have late outputs computed anew when they are looked at."""
        if self.fresh:
            self._forget(names)
            self._show_empty(self.__dict__.get("_emptied", NONE).difference(names))

    def empty_lazy(self, names: tuple[str, ...]) -> None:
        """Show late outputs as those of nothing until the next call."""
        if names:
            self._forget(names)
            self._show_empty(self.__dict__.get("_emptied", NONE) | self._lazy.intersection(names))

    def _forget(self, names: tuple[str, ...]) -> None:
        """Drop late outputs, with what is made of them."""
        stale = _with_what_follows(names).intersection(self.fresh)
        if stale:
            self._drop(stale)
            self.fresh.leave_out(stale)

    def _show_empty(self, names: frozenset[str]) -> None:
        """Show these late outputs as those of nothing."""
        own = self.__dict__
        if names != own.get("_emptied", NONE):
            own["_emptied"] = names
            self.fresh.leave_out(("_emptied",))
            self.fresh.append("_emptied")

    def leave_no_islands(self, mask: np.ndarray | None) -> None:
        """Show no islands until the next call: inverse dynamics look for none.

        Where islands are no late outputs, their stage does so.
        """
        if "nisland" in self._lazy and (mask is None or np.any(mask)):
            self.__dict__["_no_islands"] = True
            self.fresh.append("_no_islands")

    def present_lazy(self) -> None:
        """Show late outputs as they are, without computing them."""
        self.forget_lazy()
        for name in self._lazy:
            self.__dict__[name] = self._arrays[name]
            self.fresh.append(name)
        if "contact_dist" in self._lazy:
            self.__dict__["contact"] = Contacts(self)
            self.fresh.append("contact")
