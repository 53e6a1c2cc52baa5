"""Access to the parameters and methods of a vector environment's task."""

from typing import Any

import numpy as np

from mjenv.engine.errors import nearest


class Access:
    """The properties of `VectorEnv` that show the physics, the task's form and the generators."""

    num_envs: int
    task: Any
    _episodes: Any
    _stepper: Any
    _worlds: Any

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """An attribute of every environment: a parameter of the task, or one that all share.

        Raises:
            AttributeError: if there is none of this name.
        """
        own = name.removeprefix("_")
        found = self.task if own in self.task.parameters() else self
        return (getattr(found, own if found is self.task else name),) * self.num_envs

    def set_attr(self, name: str, values: Any) -> None:
        """Set a parameter of the task, which all environments share.

        Args:
            name: the parameter.
            values: its value; a list or tuple has one for each environment, all the same.

        Raises:
            AttributeError: if the task has no such parameter.
            ValueError: if there are not as many values as environments, or different ones.
        """
        known, own = list(self.task.parameters()), name.removeprefix("_")
        if own not in known:
            raise AttributeError(
                f"set_attr: {name!r}, expected one of the task's parameters, {known}"
                f"{nearest(str(own), known)}"
            )
        # a list has one value for each environment, but the task is shared
        if isinstance(values, list | tuple):
            if len(values) != self.num_envs:
                raise ValueError(
                    f"set_attr: {len(values)} values, expected one for each of {self.num_envs} "
                    "environments, or a single one that is no list or tuple"
                )
            if any(value != values[0] for value in values):
                raise ValueError(
                    f"set_attr: {name!r}: found different values, expected one: the environments "
                    "share their task; what differs between worlds is declared as `randomization`"
                )
            values = values[0]
        setattr(self.task, own, values)

    @property
    def compiled(self) -> bool:
        """True if the task's functions run as bytecode in the engine."""
        return self._stepper.compiled

    @property
    def data(self) -> Any:
        """The physics of all worlds."""
        return self._worlds.data

    @property
    def np_random(self) -> tuple[np.random.Generator, ...]:
        """The random generator of every environment."""
        self._episodes.seed(None, range(self.num_envs))
        return tuple(self._episodes.generators)

    @property
    def np_random_seed(self) -> tuple[int, ...]:
        """The seed of every environment's random generator."""
        self._episodes.seed(None, range(self.num_envs))
        return tuple(self._episodes.seeds)
