"""Steps of environments: the same call again and again, its program looked up once."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ..run.execution import execute
from ..run.in_use import refuse_busy
from ..run.program import first_program, forward_program

if TYPE_CHECKING:
    from ..run.program import Program
    from .stored_fields import StoredFields


class PreparedStep:
    """Advances worlds, or computes their forward dynamics, as `step` and `forward` do.

    Attributes:
        data: the worlds.
        program: what the last call has run.
    """

    program: "Program"

    def __init__(
        self,
        data: "StoredFields",
        nstep: int = 0,
        post: bool = False,
        renewed: bool = False,
        first: bool = False,
    ):
        """Look up nothing yet.

        Args:
            data: worlds.
            nstep: number of steps, 0 for forward dynamics.
            post: also compute what `step` computes with it.
            renewed: after the last step, also compute what depends on position and velocity alone.
            first: compute that alone, the first half of a step.
        """
        self.data: Any = data
        self._nstep, self._post = nstep, post
        self._renewed, self._first = renewed and nstep > 0, first
        self._plan, self._choice = data.plan, None

    def __call__(self, worlds: np.ndarray | None = None) -> None:
        """Run, after `Plan.refresh`.

        Args:
            worlds: indices, one or more; None for all.
        """
        data, plan = self.data, self._plan
        # no other call from here on, see run/in_use.py
        if plan.idle:
            plan.idle = False
        else:
            refuse_busy(plan, "step")
        try:
            if plan.choice is not self._choice:
                if self._first:
                    program = plan.program(first_program, data.kept)
                else:
                    kind = self._post, self._nstep > 0, self._renewed
                    program = plan.program(forward_program, data.kept, *kind)
                self.program, self._choice = program, plan.choice
            if data.fresh:
                data.forget_lazy()
            execute(data, self.program, self._nstep, worlds)
        finally:
            plan.idle = True
