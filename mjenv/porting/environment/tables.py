"""Dicts that methods fill in any order, among the places of an environment; see tables.py."""

from typing import Any

from mjenv.porting.environment.place_names import Path, Reached, named, there_or_made
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.symbols.symbol import Symbol
from mjenv.porting.varying.registers import Register
from mjenv.porting.varying.rosters import IN
from mjenv.porting.varying.tables import Table, TableFound, in_places, places_of


class Tables(dict[Path, Table]):
    """What is known of them, by their paths."""

    def __init__(self, places: Reached):
        """None is known."""
        super().__init__()
        self._places = places
        self._put: dict[Path, dict[Any, int]] = {}

    def add(self, found: TableFound) -> None:
        """Have a dict of more names from now on."""
        self._places.queues.pop(found.path, None)
        self[found.path] = self.get(found.path, Table({}, None)).with_names(found)

    def has(self, path: Path) -> bool:
        """True for what is in one of them."""
        return any(path[:k] in self for k in range(len(path)))

    def refuse_others(self) -> None:
        """Refuse names that are not known.

        Raises:
            TableFound: there are some.
        """
        for path in self:
            self.inside(path, self._places.get(path))

    def learn(self) -> bool:
        """Take up names that no episode before has shown; returns whether there are any."""
        try:
            self.refuse_others()
            return False
        except TableFound as error:
            self.add(error)
            self.learn()
            return True

    # ------------------------------------------------------------ what is in them

    def make(self, recording: Any) -> None:
        """Have what stands for them in the place of dicts."""
        for path, table in self.items():
            self._places.put(path, table.register(recording, self._places.get(path)))

    def inside(self, path: Path, value: Any) -> list[tuple[tuple[str, Any], Any]] | None:
        """The places of names, and what is there, see `Places`; None for a stand-in.

        Raises:
            NotTraced: there is something else.
            TableFound: it has other names.
        """
        if not isinstance(value, Register | dict):
            if hasattr(value, "stands_for"):
                return None
            raise NotTraced(f"found {named(path)}, {value!r}, expected a dict")
        zeros = self[path].zeros
        register = isinstance(value, Register)
        at, places = (value.at, value.names.places) if register else (value, {})
        if any(name not in zeros for name in at):
            raise TableFound(path, named(path), value)
        places = places if register else places_of(value, zeros)
        inner = [(("[", name), at.get(name, zero)) for name, zero in zeros.items()]
        return [*(((IN, name), places.get(name, 0)) for name in zeros), *inner]

    def part(self, path: Path, value: Any, kind: str, name: Any) -> Any:
        """The place of a name, or what is there."""
        if kind == IN:
            if isinstance(value, Register):
                return value.names.places.get(name, 0)
            return places_of(value, (name,))[name]
        at = value.at if isinstance(value, Register) else value
        return at[name] if name in at else self[path].zeros[name]

    def is_behind(self, path: Path) -> bool:
        """True for what is at a name that a dict does not have."""
        for k, (kind, name) in enumerate(path):
            if kind == "[" and path[:k] in self:
                value = self._places.get(path[:k])
                if isinstance(value, dict) and name not in value:
                    return True
        return False

    def put(self, path: Path, kind: str, name: Any, new: Any) -> None:
        """Have another place of a name, or something else there.

        Args:
            path: of the dict.
            kind: of the step behind it.
            name: of which.
            new: numbers, or symbols.
        """
        value = there_or_made(self._places, path, self[path].like)
        if isinstance(new, Symbol) and not isinstance(value, Register):
            value = self[path].register(new.recording, value)
            self._places.put(path, value)
        if isinstance(value, Register):
            if kind == IN:
                value.names.places[name], value.names.order = new, None
            else:
                value.at[name] = new
        elif kind == IN:
            # one by one, but for others that have their places yet
            places = self._put.setdefault(path, {})
            places[name] = int(new)
            in_places(value, places_of(value, self[path].zeros) | places, self[path].zeros)
        else:
            value[name] = new
