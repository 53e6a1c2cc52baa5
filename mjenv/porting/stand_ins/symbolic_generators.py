"""Generators of an environment while a method of it is followed."""

from typing import Any

import numpy as np

from mjenv.porting.environment.common_generators import COMMON
from mjenv.porting.environment.generators import Generators
from mjenv.porting.environment.place_names import named
from mjenv.porting.stand_ins.random_numbers import Draw, SymbolicGenerator
from mjenv.tracing.arrays import TraceError


class SymbolicGenerators:
    """What stands for those that a world has of its own, and for those that a reset makes.

    Attributes:
        common: what stands for those of modules, by the module.
    """

    def __init__(self, generators: Generators, physics: Any, effects: Any):
        """Put them where the environment's are.

        Args:
            generators: of the environment.
            physics: records what they are asked.
            effects: says in which worlds.
        """
        self._generators, self._physics, self._effects = generators, physics, effects
        self._made: list[SymbolicGenerator] = []
        kinds = [generators.kind, *(one.kind for one in generators.own)]
        names = ["np_random", *(named(one.paths[0]) for one in generators.own)]
        generators.put([
            self._one(kind, number, name)
            for number, (kind, name) in enumerate(zip(kinds, names, strict=True))
        ])  # fmt: skip
        self.common = {
            name: self._one(type(real), number, name)
            for number, (name, real) in enumerate(COMMON.items(), len(kinds))
        }

    def _one(self, kind: type, number: int, name: str) -> SymbolicGenerator:
        def draw(*asked: Any) -> Any:
            return self._physics.draw(self._effects.condition, *asked)

        return SymbolicGenerator(draw, kind, number, name)

    def made(self, name: str) -> SymbolicGenerator:
        """One that a reset makes without a seed, as numpy's function or class of this name does.

        Raises:
            TraceError: some worlds would make it, and others would not.
        """
        if self._effects.condition is not None:
            raise TraceError(f"found numpy.random.{name} in an `if` or a loop of values")
        kind = np.random.RandomState if name == "RandomState" else np.random.Generator
        self._made.append(self._one(kind, -1 - len(self._made), f"numpy.random.{name}()"))
        return self._made[-1]

    def resolved(self) -> tuple[list[Draw], frozenset[int]]:
        """What was asked, by numbers of a world's generators, and which of them were made anew.

        Raises:
            TraceError: one that was made is at no place where the environment has one.
        """
        numbers: dict[int, int] = {}
        for k, one in enumerate(self._generators.at_places(), 1):
            if not isinstance(one, SymbolicGenerator) or (one.number != k and one.number >= 0):
                name = named(self._generators.own[k - 1].paths[0])
                raise TraceError(f"found {name} replaced by another generator")
            if one.number < 0:
                numbers[one.number] = k
        if len(numbers) < len(self._made):
            raise TraceError(
                "found a generator made without a seed, expected it at a place where the "
                "environment holds one after every reset"
            )
        asked = self._physics.draws
        if any(draw.generator in numbers.values() for draw in asked):
            raise TraceError("found a generator asked for numbers before another one replaces it")
        asked = [d._replace(generator=numbers.get(d.generator, d.generator)) for d in asked]
        return asked, frozenset(numbers.values())
