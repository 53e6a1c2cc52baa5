"""All that there is when a method begins, with which what it has left is compared.

A program has arrays for numbers that differ between worlds, and nothing for places that come or go,
for other objects and for arrays that become one. A method that does such things is refused, however
rarely it does them.
"""

from collections import deque
from collections.abc import Collection
from typing import Any

from mjenv.porting.environment.attributes import LeadFound, is_another, is_made_by_class, not_there
from mjenv.porting.environment.changing import SKIPPED
from mjenv.porting.environment.logs import LogFound
from mjenv.porting.environment.original import Original
from mjenv.porting.environment.place_names import NUMBERS_OF_LISTS, Path, named
from mjenv.porting.environment.sharing import SharedFound, sharing_values
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.varying.queues import QueueFound
from mjenv.porting.varying.rosters import is_thing
from mjenv.porting.varying.tables import TableFound


class Snapshot:
    """The places of an environment when a method begins, with symbols where there are some.

    Attributes:
        places: what is at each of them; of sets copies.
    """

    def __init__(self, original: Original):
        """Look at an environment."""
        self._original = original
        self.places = {
            path: value.copy() if type(value) is set else value
            for path, value in original.places._walk()
        }
        self._shared = sharing_values(self.places.items())

    def refuse_changes(self, now: dict[Path, Any], apart: Collection[Path]) -> None:
        """Refuse what no program can do.

        Args:
            now: what is at each place after the method.
            apart: places that are known to change.

        Raises:
            NotTraced: a place is there at times only.
            SharedFound: two arrays are one.
            LogFound: a list has become longer.
            QueueFound: a list or a queue has another length.
            TableFound: a dict has other names, that are no words.
            LeadFound: a place has another object that is not looked into.
        """
        began = self.places
        mine = [p for p in began if not self.is_passed_over(p, apart)]
        theirs = [p for p in now if not self.is_passed_over(p, apart)]
        for path in sorted(set(mine) ^ set(theirs), key=named):
            self._refuse_one_sided(path, now)
        for path in theirs:
            if path in began and self._is_another(path, began[path], now[path]):
                raise LeadFound({path})
        keys = [[p for p in one if p[-1][0] == "[" and p in began and p in now]
                for one in (mine, theirs)]  # fmt: skip
        for path, other in zip(*keys, strict=True):
            if path != other:
                raise NotTraced(f"found {named(path[:-1])} with names in another order at times")
        shared = sharing_values(now.items())
        new = shared.keys() - self._shared.keys() - self._original.shared.keys()
        if new:
            raise SharedFound({path: shared[path] for path in new})

    def is_passed_over(self, path: Path, apart: Collection[Path]) -> bool:
        """True for what is no attribute of its own, or behind what is known to change."""
        if not path or path[-1][1] in SKIPPED or path[-1][0] in NUMBERS_OF_LISTS:
            return True
        ways = [path[:k] for k in range(1, len(path) + 1)]
        return any(way in apart or way in self._original.leading for way in ways)

    def _refuse_one_sided(self, path: Path, now: dict[Path, Any]) -> None:
        """Refuse a place that comes or goes, unless the class has what the object has not."""
        above = now.get(path[:-1])
        if type(above) is list and above is self.places.get(path[:-1]) and path in now:
            raise LogFound(path[:-1])
        queued = path[-1][0] == "[" and isinstance(above, list | deque | dict)
        if queued and (not isinstance(above, dict) or type(path[-1][1]) is str):
            began = sum(p[:-1] == path[:-1] and p[-1][0] == "[" for p in self.places)
            raise QueueFound(path[:-1], named(path[:-1]), (began, len(above or ())), above)
        if queued and is_thing(path[-1][1]):
            raise TableFound(path[:-1], named(path[:-1]), above)
        if not is_made_by_class(self._original.places, path):
            raise NotTraced(not_there(path))

    def _is_another(self, path: Path, old: Any, new: Any) -> bool:
        """True if a place leads to another object that is not looked into."""
        places = self._original.places
        if not places.is_opaque(path, old) and not places.is_opaque(path, new):
            return False
        # sets with the same members
        if isinstance(old, set) and type(old) is type(new):
            return bool(old != new)
        return is_another(new, old)
