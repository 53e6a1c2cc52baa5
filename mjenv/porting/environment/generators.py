"""Random generators of an environment: those that each world has of its own, and others.

Each world has its own `np_random`. An adapter may hold a generator of the task as that, which the
task then has in other places, too. Further generators that the environment's objects hold
(`self.rng`) are found while it runs some episodes, which also show how resets seed them
(own_generators.py): each world has one of them, too, and one for each of `numpy.random` and
`random`, if the environment asks these (common_generators.py). What other environments, modules or
classes hold as well is shared by whatever uses it, so that a step that asks it cannot be traced.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding

from mjenv.porting.environment.attributes import Places, StandIn
from mjenv.porting.environment.common_generators import COMMON, drawn, lent, seeded
from mjenv.porting.environment.own_generators import KEPT, Own, same_numbers, twin_of
from mjenv.porting.environment.place_names import Path, named
from mjenv.porting.environment.states_of_generators import (
    KINDS,
    content_of,
    copied,
    in_words,
    is_fresh,
    set_state,
    state_of,
)
from mjenv.tracing.arrays import TraceError

_NAME = "_np_random"


class Generators:
    """An environment's generators.

    Those of a world are a list: its own `np_random`, one for each of `own`, and one for each of
    `COMMON`, which is None where the environment does not ask it.

    Attributes:
        paths: further places at which its own `np_random` is held.
        own: further generators that each world has of its own.
        asked: modules of `COMMON` that it asks, as far as anyone knows.
    """

    def __init__(self, inner: Any, places: Places):
        """Find them.

        Args:
            inner: the environment.
            places: what its objects hold.
        """
        self._inner, self._places = inner, places
        main = self.main
        found = places.others() if main is not None else {}
        self.paths = tuple(p for p, one in found.items() if one is main and p[-1] != (".", _NAME))
        self.own: tuple[Own, ...] = ()
        self.asked: set[str] = set()
        # as the environment was made
        self.first = {path: copied(one) for path, one in self.others().items()}

    @property
    def main(self) -> Any:
        """The generator that each world has of its own; None for it is made when it is seeded."""
        return vars(self._inner).get(_NAME)

    @main.setter
    def main(self, generator: Any) -> None:
        vars(self._inner)[_NAME] = generator
        for path in self.paths:
            self._places.put(path, generator)

    @property
    def kind(self) -> type:
        """The class of the generator that each world has."""
        old = isinstance(self.main, np.random.RandomState)
        return np.random.RandomState if old else np.random.Generator

    @property
    def held(self) -> frozenset[Path]:
        """All places of generators that each world has of its own."""
        return frozenset((*self.paths, *(path for one in self.own for path in one.paths)))

    def of_worlds(self, nworld: int) -> list[list[Any]]:
        """Generators of worlds whose first episodes have no seed."""
        firsts = [self.first.get(one.paths[0]) for one in self.own]
        return [
            [
                main,
                *(one.begun(first) for one, first in zip(self.own, firsts, strict=True)),
                *(drawn(name) if name in self.asked else None for name in COMMON),
            ]
            for main in self._mains(nworld)
        ]

    def note_asked(self, draws: Iterable[Any], worlds: list[list[Any]]) -> None:
        """Give worlds what a program asks and no episode has asked before.

        Args:
            draws: what the program asks, see `Draw`.
            worlds: lists of generators.
        """
        first, names = 1 + len(self.own), [*COMMON]
        new = {names[one.generator - first] for one in draws if one.generator >= first}
        for name in sorted(new - self.asked):
            self.asked.add(name)
            for generators in worlds:
                generators[first + names.index(name)] = drawn(name)

    def _mains(self, nworld: int) -> list[Any]:
        main = copied(self.main)
        if not self.paths:
            return [copied(main) for _ in range(nworld)]
        # others than the first are drawn from a generator that the environment was made with
        draw = main.integers if isinstance(main, np.random.Generator) else main.randint
        return [copied(self.main), *(self._seeded(int(draw(1 << 31))) for _ in range(nworld - 1))]

    def _seeded(self, seed: int | None) -> Any:
        """A generator for a world that begins with a seed."""
        older = self.kind is np.random.RandomState
        return np.random.RandomState(seed) if older else seeding.np_random(seed)[0]

    @property
    def seedable(self) -> bool:
        """True if it is known what a reset with a seed makes of all of them."""
        return all(one.seeding is not None for one in self.own)

    def starting(
        self, generators: list[Any], seed: int | None, renewed: frozenset[int]
    ) -> list[Any] | None:
        """Generators of a world whose next episode starts with a seed; None for nobody knows.

        Args:
            generators: those that it has.
            seed: of the reset; None for they go on.
            renewed: numbers of those that a reset without a seed makes anew.
        """
        main = generators[0]
        if seed is not None or main is None:
            main = self._seeded(seed)
        if seed is not None and not self.seedable:
            return None
        rest: list[Any] = []
        for k, (one, old) in enumerate(zip(self.own, generators[1:], strict=False)):
            if seed is not None and one.seeding != KEPT:
                rest.append(one.seeded(seed))
            elif old is None:
                return None
            else:
                rest.append(one.renewed(old) if k in renewed and seed is None else old)
        return [main, *rest, *self._common(generators, seed).values()]

    def _common(self, generators: list[Any], seed: int | None) -> dict[str, Any]:
        """Those like generators of modules, by the module, as a reset begins."""
        common = dict(zip(COMMON, generators[1 + len(self.own) :], strict=True))
        if seed is not None:
            common |= {name: seeded(name, seed) for name in self.asked}
        return common

    @contextmanager
    def lent(self, generators: list[Any], seed: int | None) -> Iterator[None]:
        """While it lasts, the environment uses the generators of a world, which go on in the list.

        Args:
            generators: of the world.
            seed: of the reset that follows; None for none.
        """
        own, common = generators[1 : 1 + len(self.own)], self._common(generators, seed)
        # what resets do not seed
        if seed is not None:
            own = [
                one.seeded(seed) if one.of_space else old
                for one, old in zip(self.own, own, strict=True)
            ]
        self.put([generators[0], *own])
        with lent({name: one for name, one in common.items() if one is not None}):
            yield
        generators[:] = [*self.taken(), *common.values()]

    def put(self, generators: list[Any]) -> None:
        """Have the environment use the generators of a world."""
        self.main = generators[0]
        for one, generator in zip(self.own, generators[1:], strict=False):
            for path in one.paths:
                try:
                    self._places.get(path[:-1])
                except (KeyError, IndexError, TypeError):
                    continue  # what holds it is not there before the first reset
                self._places.put(path, generator)

    def taken(self) -> list[Any]:
        """The generators that the environment holds now."""
        return [self.main, *(one if isinstance(one, KINDS) else None for one in self.at_places())]

    def at_places(self) -> list[Any]:
        """What is now at the places of `own`; None for nothing."""
        found: list[Any] = []
        for one in self.own:
            try:
                found.append(self._places.get(one.paths[0]))
            except (KeyError, IndexError, TypeError):
                found.append(None)
        return found

    def others(self) -> dict[Path, Any]:
        """Further generators, which worlds would share."""
        known = self.held
        return {
            path: one for path, one in self._places.others().items()
            if isinstance(one, KINDS) and one is not self.main and path not in known
        }  # fmt: skip

    def seen(self) -> dict[Path, tuple[Any, str]]:
        """All further generators, and their states in words."""
        self.own = ()
        return {path: (one, in_words(one)) for path, one in self.others().items()}

    def find_own(self, original: Any, sightings: list[tuple[int, dict[Path, Any]]]) -> None:
        """Find those that episodes use, which worlds have of their own from now on.

        Args:
            original: the environment.
            sightings: seeds of resets, and what `seen` has given after each.

        Raises:
            TraceError: one is shared by environments, or is not always the same one.
        """
        self.own = ()
        now = self.others()
        fresh = {path for path, one in now.items() if is_fresh(one)}
        used = [
            path for path, one in now.items()
            if path not in fresh and not same_numbers(one, self.first.get(path))
        ]  # fmt: skip
        if not used:
            return
        # places that hold the same one
        groups: dict[int, list[Path]] = {}
        for path in sorted(used, key=repr):
            groups.setdefault(id(now[path]), []).append(path)
        for paths in groups.values():
            for _, seen in sightings:
                if len({id(seen.get(path, (None, ""))[0]) for path in paths}) > 1:
                    raise TraceError(
                        f"found {', '.join(map(named, paths))}, which is one generator at times"
                    )
        twin = twin_of(original)
        found = []
        for paths in groups.values():
            seen = [(n, *one.get(paths[0], (None, ""))) for n, one in sightings]
            of_space = isinstance(self._places.get(paths[0][:-1]), gymnasium.Space)
            found.append(Own.of(paths, seen, self.first.get(paths[0]), twin, of_space))
            if found[-1].shared:
                raise TraceError(refusal(named(paths[0])))
        self.own = tuple(found)

    def saved(self) -> Callable[[], None]:
        """Return a function that has the further generators go on from where they are."""
        states = [(one, state_of(one)) for one in self.others().values()]

        def put_back() -> None:
            for one, state in states:
                set_state(one, state)

        return put_back


class Refused(StandIn):
    """In the place of a generator that worlds would share, of its module, or of its methods."""

    def __init__(self, name: str):
        self.stands_for = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise TraceError(refusal(self.stands_for))

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise TraceError(refusal(self.stands_for))


def is_random(value: Any) -> bool:
    """True for generators, their methods, and modules that have one."""
    if isinstance(value, ModuleType):
        return value.__name__ in COMMON
    return isinstance(value, KINDS) or isinstance(getattr(value, "__self__", None), KINDS)


@contextmanager
def shared_refused(kinds: Iterable[type]) -> Iterator[None]:
    """While it lasts, generators of classes and of spaces refuse.

    Args:
        kinds: classes of the environment's objects.
    """
    held: list[tuple[type, str, Any]]
    held = [(k, n, v) for k in kinds for n, v in vars(k).items() if isinstance(v, KINDS)]
    new: list[Any] = [Refused(f"{kind.__name__}.{name}") for kind, name, _ in held]
    held.append((gymnasium.Space, "np_random", gymnasium.Space.np_random))
    new.append(property(_of_space))
    for (owner, name, _), value in zip(held, new, strict=True):
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in held:
            setattr(owner, name, value)


def _of_space(space: gymnasium.Space) -> Any:
    """What stands for a space's generator, where each world has one of its own."""
    found = vars(space).get(_NAME)
    return found if isinstance(found, StandIn) else Refused("a space")


class Watch:
    """All generators of the program: a method that is followed must not ask them for numbers.

    Their numbers would be the same in all worlds and steps. Most are refused where they are asked;
    those of other packages, or of functions, are found here.
    """

    def __init__(self) -> None:
        found = [one for one in gc.get_objects() if type(one) in KINDS]
        # those of the modules may be where the collector does not look
        found += COMMON.values()
        self._states = [(one, content_of(one)) for one in found]

    def refuse_used(self) -> None:
        """Refuse what was followed, if a generator has other numbers to come.

        Raises:
            TraceError: one has.
        """
        for one, before in self._states:
            if content_of(one) != before:
                raise TraceError(refusal(f"a {type(one).__name__} outside of the environment"))


def refusal(name: str) -> str:
    """Why a generator cannot be asked in traced worlds."""
    return (
        f"found random numbers of {name}, a generator that worlds would share; expected those of "
        "self.np_random, which each world has of its own"
    )
