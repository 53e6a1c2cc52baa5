"""Observations in groups: a dict for policies, critics and goals instead of one vector."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

import gymnasium
import numpy as np

# groups that rewards of other goals are computed from
GOALS = ("achieved_goal", "desired_goal")


class Groups:
    """Columns of observations by group; a part may be in several.

    Attributes:
        names: of the groups; () where observations are vectors.
        columns: of the observation that each group has.
    """

    def __init__(self, where: str, declared: Any, structure: Mapping[str, int], size: int):
        """Look up what a task declares.

        Args:
            where: name of the task, for messages.
            declared: group -> names of parts of the observation.
            structure: size of each part.
            size: of the observation as policies see it.

        Raises:
            TypeError: something else is declared.
            ValueError: a part that there is not, or none; or observations that have a history.
        """
        where = f"{where}.groups"
        # names of groups, and columns of each part
        if not isinstance(declared, Mapping):
            raise TypeError(
                f"{where}: found {type(declared).__name__}, expected a dict of names and parts of "
                "the observation, such as {'policy': ('gyro', 'joints')}"
            )
        ends = np.cumsum([0, *structure.values()])
        columns = {n: range(a, b) for n, a, b in zip(structure, ends, ends[1:], strict=False)}
        if declared and size != ends[-1]:
            raise ValueError(
                f"{where}: observations have {size} numbers, their parts {ends[-1]}; expected no "
                "history and no parameters among them beside groups"
            )
        self._columns: dict[str, Any] = {}
        self.columns: dict[str, np.ndarray] = {}
        # each part has to be there; its columns are a slice where they are together, a view then
        for group, parts in declared.items():
            if isinstance(parts, str) or not isinstance(parts, Iterable) or not (parts := [*parts]):
                raise TypeError(f"{where}: {group!r} is {parts!r}, expected a tuple of names")
            for part in parts:
                if part not in columns:
                    near = get_close_matches(str(part), list(columns), 1)
                    hint = (
                        f"did you mean {near[0]!r}?" if near else f"expected some of {[*columns]}"
                    )
                    raise ValueError(
                        f"{where}: {group!r} has {part!r}, which is no part of the observation; "
                        f"{hint}"
                    )
            chosen = np.concatenate([np.asarray(columns[part], int) for part in parts])
            self.columns[group] = chosen
            whole = np.array_equal(chosen, np.arange(chosen[0], chosen[0] + len(chosen)))
            self._columns[group] = slice(chosen[0], chosen[-1] + 1) if whole else chosen
        # goals: achieved and desired ones are compared, so they are of one size
        self.names = tuple(self._columns)
        sizes = {n: len(np.arange(size)[self._columns[n]]) for n in GOALS if n in self._columns}
        if sizes and (len(sizes) < len(GOALS) or len(set(sizes.values())) > 1):
            raise ValueError(
                f"{where}: found goals of sizes {sizes}, expected both, {' and '.join(GOALS)}, of "
                "the same size"
            )

    def split(self, observations: np.ndarray) -> Any:
        """Observations (..., size) as a dict of groups, or as they are if there are none."""
        if not self.names:
            return observations
        return {name: observations[..., chosen] for name, chosen in self._columns.items()}

    def space(self, box: gymnasium.spaces.Box) -> gymnasium.Space:
        """The space of what `split` makes of a vector's."""
        if not self.names:
            return box
        low = self.split(box.low)
        return gymnasium.spaces.Dict(
            {n: gymnasium.spaces.Box(-np.inf, np.inf, low[n].shape, box.dtype) for n in self.names}
        )
