"""Random generators of an environment: the one that each world has of its own, and others.

Each world has its own `np_random`. An adapter may hold a generator of the task as that, which the
task then has in other places, too. All others are shared by whatever uses them, so that a step that
asks them cannot be traced.
"""

import gc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from random import Random, seed
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
from gymnasium.utils import seeding

from mjenv.porting.attributes import Path, Places, named
from mjenv.tracing.arrays import TraceError

KINDS = (np.random.Generator, np.random.RandomState, Random)
_NAME = "_np_random"


class Generators:
    """An environment's generators.

    Attributes:
        paths: further places at which its own `np_random` is held.
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

    def seeded(self, seed: int | None) -> Any:
        """A generator for a world that begins with a seed."""
        older = self.kind is np.random.RandomState
        return np.random.RandomState(seed) if older else seeding.np_random(seed)[0]

    def of_worlds(self, nworld: int) -> list[Any]:
        """Generators of worlds whose first episodes have no seed."""
        main = copied(self.main)
        if not self.paths:
            return [copied(main) for _ in range(nworld)]
        # others than the first are drawn from a generator that the environment was made with
        draw = main.integers if isinstance(main, np.random.Generator) else main.randint
        return [copied(self.main), *(self.seeded(int(draw(1 << 31))) for _ in range(nworld - 1))]

    def others(self) -> dict[Path, Any]:
        """Further generators, which worlds would share."""
        known = {*self.paths}
        return {
            path: one for path, one in self._places.others().items()
            if isinstance(one, KINDS) and one is not self.main and path not in known
        }  # fmt: skip

    def saved(self) -> Callable[[], None]:
        """Return a function that has the further generators go on from where they are."""
        states = [(one, state_of(one)) for one in self.others().values()]

        def put_back() -> None:
            for one, state in states:
                set_state(one, state)

        return put_back

    def states(self) -> dict[Path, str]:
        """States of the further generators, in words; "" for those that nothing has asked yet."""
        found = self.others()
        return {p: "" if is_fresh(one) else repr(state_of(one)) for p, one in found.items()}


class Refused:
    """In the place of a generator that worlds would share, of its module, or of its methods."""

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise TraceError(refusal(self._name))

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise TraceError(refusal(self._name))


def is_random(value: Any) -> bool:
    """True for generators, their methods, and modules that have one."""
    if isinstance(value, ModuleType):
        return value.__name__ in ("random", "numpy.random")
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
    new.append(property(lambda self: Refused("a space")))
    for (owner, name, _), value in zip(held, new, strict=True):
        setattr(owner, name, value)
    try:
        yield
    finally:
        for owner, name, value in held:
            setattr(owner, name, value)


class Watch:
    """All generators of the program: a method that is followed must not ask them for numbers.

    Their numbers would be the same in all worlds and steps. Most are refused where they are asked;
    those of other packages, or of functions, are found here.
    """

    def __init__(self) -> None:
        found = [one for one in gc.get_objects() if type(one) in KINDS]
        # those of the modules may be where the collector does not look
        found += [np.random.random.__self__, seed.__self__]
        self._states = [(one, repr(state_of(one))) for one in found]

    def refuse_used(self) -> None:
        """Refuse what was followed, if a generator has other numbers to come.

        Raises:
            TraceError: one has.
        """
        for one, before in self._states:
            if repr(state_of(one)) != before:
                raise TraceError(refusal(f"a {type(one).__name__} outside of the environment"))


def refusal(name: str) -> str:
    """Why a generator cannot be asked in traced worlds."""
    return (
        f"found random numbers of {name}, a generator that worlds would share; expected those of "
        "self.np_random, which each world has of its own"
    )


def refuse_used(before: dict[Path, str], after: dict[Path, str]) -> str:
    """Why worlds cannot share the environment's other generators; "" if nothing has used them.

    Those that have only been seeded, as `seed` methods do with spaces, are not used.
    """
    used = [path for path, state in after.items() if state and before.get(path) != state]
    return refusal(named(used[0])) if used else ""


def is_fresh(generator: Any) -> bool:
    """True for a generator that has its seed's state: its first number is yet to come."""
    if not isinstance(generator, np.random.Generator):
        return False
    bits: Any = generator.bit_generator
    fresh = type(bits)(bits.seed_seq)
    return repr(fresh.state) == repr(bits.state)


def state_of(generator: Any) -> Any:
    """A generator's state."""
    if isinstance(generator, np.random.RandomState):
        return generator.get_state(legacy=False)
    return generator.getstate() if isinstance(generator, Random) else generator.bit_generator.state


def set_state(generator: Any, state: Any) -> None:
    """Have a generator go on from a state."""
    if isinstance(generator, np.random.RandomState):
        generator.set_state(state)
    elif isinstance(generator, Random):
        generator.setstate(state)
    else:
        generator.bit_generator.state = state


def copied(generator: Any) -> Any:
    """A generator of its own with the same state; None for None."""
    if generator is None:
        return None
    if isinstance(generator, np.random.RandomState):
        other: Any = np.random.RandomState()
    else:
        other = np.random.Generator(type(generator.bit_generator)())
    set_state(other, state_of(generator))
    return other
