"""Protocol of the data that programs run for: `Data`, which lies above, has it."""

from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from ..tables.typed_fields import Array
    from .plan import Plan
    from .program import Program


class Host(Protocol):
    """Worlds that stages run for.

    Attributes:
        plan: the plan of these worlds.
        nworld: number of worlds.
        width: lanes of a pack.
        nthread: threads that share the packs.
        inputs_in_use: inputs that have been looked at, which programs gather from then on.
        eq_active: whether equality constraints are on, (nworld, neq).
    """

    plan: "Plan"
    nworld: int
    width: int
    nthread: int
    inputs_in_use: tuple[str, ...]
    eq_active: "Array[np.int32]"

    def connect(self, program: "Program") -> None:
        """Enter the arrays that a program gathers and scatters."""
        ...

    def copy_of_state(self, copies: dict[str, np.ndarray] | None = None) -> dict[str, np.ndarray]:
        """The state of all worlds, in the copies of an earlier call if there are some."""
        ...

    def put_back(self, state: dict[str, np.ndarray]) -> None:
        """Put all worlds into the state of `copy_of_state`."""
        ...

    def copy_of_start(self) -> tuple:
        """All that a call reads and writes: state, inputs, warnings."""
        ...

    def start_again(self, start: tuple, sizes: dict[str, int]) -> None:
        """Go back to `copy_of_start`, with longer lists of contacts and rows."""
        ...

    @property
    def warning(self) -> np.ndarray:
        """Warnings of every world so far: (nworld, 7), fields `lastinfo` and `number`, a copy."""
        ...

    @property
    def warning_numbers(self) -> np.ndarray:
        """Number of warnings of each kind since a world's reset: int (nworld, 7), live."""
        ...
