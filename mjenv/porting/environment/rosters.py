"""Words, and lists and sets of them, that change, among the places of an environment."""

from typing import Any

from mjenv.porting.environment.place_names import Path, Reached, named
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.symbols.symbol import Symbol
from mjenv.porting.varying.rosters import (
    IN,
    WORD,
    WRONG,
    RealLists,
    Roster,
    RosterFound,
    is_of_words,
    place_in,
)
from mjenv.porting.varying.words import Word, has_members, is_word, items_of, place_among
from mjenv.tracing.arrays import TraceError

_MOST_WORDS = 100  # of a list or a set


class Rosters(dict[Path, tuple[str, ...]]):
    """The words that they may be or have, by their paths."""

    def __init__(self, places: Reached):
        """None is known."""
        super().__init__()
        self._places, self._lists = places, RealLists()

    # ------------------------------------------------------------ what is known

    def add(self, found: RosterFound) -> None:
        """Have a list or a set of words change from now on."""
        words = tuple(dict.fromkeys((*self.get(found.path, ()), *found.words)))
        if len(words) > _MOST_WORDS:
            name = named(found.path)
            raise NotTraced(f"found {name} with more than {_MOST_WORDS} words")
        self[found.path] = words

    def learn(self) -> bool:
        """Take up words that no episode before has shown; returns whether there are any."""
        found = False
        for path, words in [*self.items()]:
            value = self._places.get(path)
            more = [w for w in (items_of(value) if is_word(value) else value) if w not in words]
            if more:
                self.add(RosterFound(path, named(path), more))
                found = True
        return found

    def members(self, path: Path) -> int:
        """How many members of an enumeration an attribute may be; 0 if it is something else."""
        words = self.get(path[:-1], ()) if path[-1][0] == WORD else ()
        return len(words) if has_members(words) else 0

    def number_of(self, path: Path, value: Any) -> Any:
        """A value as the attribute at a path has it: of a word the number of its place."""
        return self._place_of(path[:-1], value) if path[-1][0] == WORD else value

    def _place_of(self, path: Path, word: Any) -> Any:
        """Number of a word's place among those that an attribute may be."""
        words = self[path]
        if more := [one for one in items_of(word) if one not in words]:
            raise RosterFound(path, named(path), more)
        return place_among(word, words)

    # ------------------------------------------------------------ what is in them

    def make(self, recording: Any) -> None:
        """Have rosters in the place of lists and sets that change."""
        for path, words in self.items():
            value = self._places.get(path)
            if is_word(value):
                continue
            roster = Roster.of(recording, named(path), value, words, path)
            # a list may have been filled by steps before
            roster.order = roster.order if roster.kind is set else None
            self._places.put(path, roster)

    def inside(self, path: Path, value: Any) -> list[tuple[tuple[str, Any], Any]]:
        """The places of the words, see `Places`."""
        words = self[path]
        if isinstance(value, Roster):
            return [*(((IN, w), value.places[w]) for w in words), ((WRONG, ""), value.wrong)]
        if is_word(value):
            return [((WORD, ""), self._place_of(path, value))]
        if not is_of_words(value):
            name = named(path)
            raise NotTraced(f"found {name}, {value!r}, expected words, each of them once")
        more = [word for word in value if word not in words]
        if more:
            raise RosterFound(path, named(path), more)
        return [*(((IN, w), place_in(value, w)) for w in words), ((WRONG, ""), False)]

    def part(self, path: Path, value: Any, kind: str, word: str) -> Any:
        """The place of a word, or whether something is wrong; see `Roster`."""
        if kind == IN:
            return value.places[word] if isinstance(value, Roster) else place_in(value, word)
        if kind == WRONG:
            return isinstance(value, Roster) and value.wrong
        return self._place_of(path, value)

    def put(self, path: Path, kind: str, word: str, new: Any) -> None:
        """Have another place of a word.

        Args:
            path: of the word, the list or the set.
            kind: of the step behind it.
            word: of which the place is.
            new: a number, or a symbol.
        """
        if kind == WORD:
            words = self[path]
            new = Word(words, new) if isinstance(new, Symbol) else words[int(new)]
            self._places.put(path, new)
            return
        owner = self._places.get(path)
        if isinstance(owner, Roster):
            if kind == IN:
                owner.places[word] = new
            else:
                owner.wrong = new
        elif isinstance(new, Symbol):
            name = named((*path, (kind, word)))
            raise TraceError(f"found {name} made anew, and changed where values say so")
        elif kind == IN:
            self._lists.put(path, owner, word, new)
