"""Lists as users were shown them, to tell what they have edited since."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from ..run.spans import Copies, Span
from ..tables.fields import CONTACT, DATA

if TYPE_CHECKING:
    from ..pipeline.stage import Stage

_LENGTHS = {row.name: row.shape[0] for row in DATA if row.shape}
_LENGTHS |= {f"contact_{row.name}": "ncon" for row in CONTACT}
COUNTS = frozenset({"ncon", "nefc", "nJ"})  # lengths that change from step to step


class ShownLists:
    """Copies of the fields that stages make for users, as long as these fields last.

    Attributes:
        fields: those that are copied.
    """

    def __init__(self, fields: frozenset[str]):
        """Copy nothing yet.

        Args:
            fields: names of those that may be edited.
        """
        self.fields = fields
        self._copies: dict[str, tuple[tuple[str, ...], list[Any], Copies]] = {}
        self._noted: set[str] = set()

    def note(self, arrays: dict[str, np.ndarray], stage: "Stage", new: Iterable[str]) -> None:
        """Copy fields that a stage has made.

        Args:
            arrays: those of the data by name.
            stage: what has made them.
            new: those of its fields that are made now; the others may hold edits.
        """
        new = self.fields.intersection(new)
        if not new:
            return
        names, copies = self._find(arrays, stage)
        if len(new) == len(names):
            copies.copy()
        else:
            for name, other in zip(names, copies.others, strict=True):
                if name in new:
                    other[...] = _span(arrays, name).array
        self._noted |= new

    def forget(self, names: Iterable[str]) -> None:
        """Fields are dropped."""
        self._noted.difference_update(names)

    def knows(self, names: Iterable[str]) -> bool:
        """True if all of these fields are copied."""
        return self._noted.issuperset(names)

    def copies(self, arrays: dict[str, np.ndarray], stage: "Stage") -> Copies:
        """Copies of the fields of a stage."""
        return self._find(arrays, stage)[1]

    def edited(self, arrays: dict[str, np.ndarray], stage: "Stage") -> list[str]:
        """Fields of a stage that are not as they were copied, of those that last."""
        names, copies = self._find(arrays, stage)
        return [names[k] for k in copies.differing() if names[k] in self._noted]

    def move(self, arrays: dict[str, np.ndarray]) -> None:
        """Keep copies where lists have become other arrays, with what they held and more room."""
        for stage, (names, known, copies) in self._copies.items():
            if all(there() is arrays[name] for there, name in zip(known, names, strict=True)):
                continue
            new = Copies([_span(arrays, name) for name in names])
            for old, other in zip(copies.others, new.others, strict=True):
                n = min(len(old), len(other))
                other[:n] = old[:n]
            self._copies[stage] = names, [ref(arrays[name]) for name in names], new

    def _find(
        self, arrays: dict[str, np.ndarray], stage: "Stage"
    ) -> tuple[tuple[str, ...], Copies]:
        """Names and copies of the fields of a stage; made anew where arrays are other ones."""
        found = self._copies.get(stage.name)
        if found is not None:
            names, known, copies = found
            if all(there() is arrays.get(name) for there, name in zip(known, names, strict=True)):
                return names, copies
        names = tuple(n for n in stage.writes.split() if n in self.fields and n in arrays)
        copies = Copies([_span(arrays, name) for name in names])
        self._copies[stage.name] = names, [ref(arrays[name]) for name in names], copies
        self._noted.difference_update(names)
        return names, copies


def _span(arrays: dict[str, np.ndarray], name: str) -> Span:
    """The memory of a field of the only world."""
    array, length = arrays[name], _LENGTHS.get(name)
    if length not in COUNTS:
        return Span(array)
    return Span(array[0], arrays[str(length)])
