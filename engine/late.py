"""Fields that are computed when they are looked at, and forgotten by the next call."""

import numpy as np

from .constraint_inertia import FIELDS as INERTIA
from .constraint_inertia import SOURCES, constraint_inertia
from .errors import FieldError
from .export_sleep import export_awake
from .factor_entries import SOURCES as STRUCTURE
from .factor_entries import factor_entries
from .fields import CONTACT
from .kept import ROWS, why_missing
from .plan import Plan
from .rooms import LISTS
from .stages import AFTER, LISTING

LISTS_OF_SCENES = {(size,) for size in LISTS}


class Contacts:
    """Contacts of every world: arrays of mjContact's fields, (nworld, nconmax, ...).

    The first `ncon[i]` rows of world i count.
    """

    def __init__(self, data: "LateFields"):
        for row in CONTACT:
            setattr(self, row.name, data._arrays[f"contact_{row.name}"])


class LateFields:
    """What `Data` does about such fields.

    Attributes:
        fresh: names of those that belong to the last call.
    """

    _arrays: dict[str, np.ndarray]
    _late: frozenset[str]
    fresh: list[str]
    plan: Plan

    def _new_array(self, name: str) -> np.ndarray:
        raise NotImplementedError

    def _find(self, name: str):
        """A field that is not among the attributes.

        Raises:
            FieldError: the data do not hold it.
        """
        if name in self._late or (name == "contact" and "contact_dist" in self._late):
            return self._look_at(name)
        if name in INERTIA:
            return self._look_at_inertia(name)
        if name == "solver_nnz" and all(source in self._arrays for source in STRUCTURE):
            self.__dict__[name] = factor_entries(self)
            self.fresh.append(name)
            return self.__dict__[name]
        raise FieldError(f"Data.{name}: {why_missing(name)}")

    def _look_at(self, name: str):
        """Compute a late output of the last call, with all that its stage writes."""
        wanted = "contact_dist" if name == "contact" else name
        if wanted not in self.__dict__:
            self._run_late(next(s for s in AFTER if wanted in s.writes.split()))
        if wanted == "contact_dist" and "contact" not in self.__dict__:
            self.__dict__["contact"] = Contacts(self)
            self.fresh.append("contact")
        return self.__dict__[name]

    def _look_at_inertia(self, name: str) -> np.ndarray:
        """Make the inverse inertia of the constraint rows, all its fields."""
        if any(source not in self._arrays for source in SOURCES):
            raise FieldError(f"Data.{name}: {why_missing(name)}")
        self.__dict__.update(constraint_inertia(self))
        self.fresh += INERTIA
        return self.__dict__[name]

    def _run_late(self, stage) -> None:
        fields = self._late.intersection(stage.writes.split())
        if "_blank" in self.__dict__ and stage.kernel is not export_awake:
            for field in fields:
                array = self._arrays[field]
                array.fill(0)
                if self.plan.scene and ROWS[field].shape[:1] in LISTS_OF_SCENES:
                    self._arrays[field] = array[:, :0]
        elif self.plan.scene and stage.kernel in LISTING:
            self.plan.fit_lists(self)
            self._arrays |= {field: self._new_array(field) for field in fields}
            self.plan.disconnect(stage)
            self.plan.run_late(self, stage)
        else:
            self.plan.run_late(self, stage)
        self.__dict__.update({field: self._arrays[field] for field in fields})
        self.fresh += fields

    def forget_late(self) -> None:
        """Drop late outputs, which belong to the call before."""
        for name in self.fresh:
            del self.__dict__[name]
        self.fresh.clear()

    def present_late(self) -> None:
        """Show late outputs as they are, without computing them."""
        self.forget_late()
        for name in self._late:
            self.__dict__[name] = self._arrays[name]
            self.fresh.append(name)
        if "contact_dist" in self._late:
            self.__dict__["contact"] = Contacts(self)
            self.fresh.append("contact")
