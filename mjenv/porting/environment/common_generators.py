"""Generators of the program, which the functions of `numpy.random` and of `random` ask.

What an environment asks of them is other numbers each time, whatever seed its reset has. Here each
world has its own of them, too, and a reset with a seed is as if `numpy.random.seed` and
`random.seed` had been called with it before.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from types import ModuleType
from typing import Any

import numpy as np

from mjenv.porting.environment.states_of_generators import content_of, set_state, state_of

# by the module whose functions are their methods
COMMON: dict[str, Any] = {
    "numpy.random": np.random.random.__self__, "random": random.random.__self__,
}  # fmt: skip
_SEEDS = 1 << 32  # of numpy's


def seeded(name: str, seed: int) -> Any:
    """A generator like that of a module, as it is after its function `seed`."""
    return type(COMMON[name])(seed % _SEEDS)


def drawn(name: str) -> Any:
    """The same for a world that begins without a seed: seeded by the module's own."""
    own = COMMON[name]
    draw = own.randrange if isinstance(own, random.Random) else own.randint
    return seeded(name, int(draw(1 << 31)))


@contextmanager
def lent(generators: Mapping[str, Any]) -> Iterator[None]:
    """While it lasts, functions of modules ask these generators; the program's go on afterwards.

    Args:
        generators: by the module.
    """
    before = {name: state_of(COMMON[name]) for name in generators}
    for name, one in generators.items():
        set_state(COMMON[name], state_of(one))
    try:
        yield
    finally:
        for name, one in generators.items():
            set_state(one, state_of(COMMON[name]))
            set_state(COMMON[name], before[name])


@contextmanager
def asked(names: set[str]) -> Iterator[None]:
    """While it lasts, modules have seeded generators; those that were asked are added to `names`.

    The same numbers come each time, and the program's own generators go on as if nothing had been.
    """
    generators = {name: seeded(name, 0) for name in COMMON}
    before = {name: content_of(one) for name, one in generators.items()}
    try:
        with lent(generators):
            yield
    finally:
        names |= {n for n, one in generators.items() if content_of(one) != before[n]}


class Alone:
    """Those of one environment that runs beside others: as if it were alone in the program."""

    def __init__(self, names: set[str]):
        """Have none yet; they are seeded by a reset, or by the program's own.

        Args:
            names: modules that environments like it ask, as far as anyone knows; others are added.
        """
        self._names = names
        self._generators: dict[str, Any] = {}

    @contextmanager
    def lent(self, seed: int | None = None, every: bool = True) -> Iterator[None]:
        """While it lasts, modules ask these.

        Args:
            seed: of a reset, with which they begin anew.
            every: whether modules may be asked that are not known to be.
        """
        if seed is not None:
            self._generators = {name: seeded(name, seed) for name in COMMON}
        if not self._generators:
            self._generators = {name: drawn(name) for name in COMMON}
        used = {name: self._generators[name] for name in (COMMON if every else self._names)}
        unknown = used.keys() - self._names
        before = {name: content_of(used[name]) for name in unknown}
        with lent(used):
            yield
        self._names |= {name for name in unknown if content_of(used[name]) != before[name]}


class CommonModule:
    """In the place of a module while a method is followed: its functions ask each world's own."""

    def __init__(self, name: str, real: ModuleType, generator: Callable[[str], Any]):
        """Stand for a module.

        Args:
            name: of the module.
            real: the module.
            generator: gives what stands for the generator of a module, of this name.
        """
        self._name, self._real, self._generator = name, real, generator

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._real, name)
        if getattr(real, "__self__", None) is not COMMON[self._name]:
            return real
        return getattr(self._generator(self._name), name)


def module_of(method: Any) -> str:
    """The module whose generator a method is of; "" for another one's."""
    owner = getattr(method, "__self__", None)
    return next((name for name, one in COMMON.items() if one is owner), "")
