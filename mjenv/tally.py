"""What the host does around the physics of a step, compiled: actions in, episodes counted.

Between two calls of the engine, the host's code and data have left the processor's caches. One
compiled loop over the environments is then several times as quick as a dozen numpy calls.
"""

from typing import Any

import numpy as np

from mjenv.engine.enums import NWARNING, WARN_BADQACC, WARN_BADQPOS
from mjenv.engine.kernel import address, callable_at, kernel, progress
from mjenv.engine.record import Layout, Record
from mjenv.episodes import Episodes
from mjenv.worlds import Worlds

LAYOUT = Layout(
    "tally",
    [
        # sizes
        ("nenv", "size"),
        ("nu", "size"),
        ("limit", "size"),
        ("single", "size"),
        ("nstate", "size"),
        ("nmask", "size"),
        ("nblock", "size"),
        # actions of a call
        ("action_single", "f4"),
        ("action_double", "f8"),
        # results of a call, in the order of `Results.addresses`
        ("reward", "f8"),
        ("terminated", "u1"),
        ("truncated", "u1"),
        ("block", "i8"),
        ("mask", "u1"),
        # what stays
        ("ctrl", "f8"),
        ("formula_action", "f8"),
        ("warning_number", "i4"),
        ("elapsed", "i8"),
        ("returns", "f8"),
        ("ended", "u1"),
        ("live", "u1"),
        ("found", "i8"),
    ],
)
(LIVE, BAD, ENDED, DIVERGED) = range(4)  # places of counts in `found`
_RESULTS = LAYOUT.entries["reward"].slot
_ACTIONS = LAYOUT.entries["action_single"].slot


@kernel
def begin_step(t):
    """Set controls, find which environments are live, and clear what others do not write."""
    nlive = 0
    for i in range(t.nenv):
        here = 1 - t.ended[i]
        t.live[i] = here
        nlive += here
        for k in range(WARN_BADQPOS, WARN_BADQACC + 1):
            t.warning_number[i * NWARNING + k] = 0
    t.found[LIVE] = nlive
    bad = 0
    for i in range(t.nenv):
        wrong = 0
        for k in range(i * t.nu, (i + 1) * t.nu):
            x = t.action_single[k] if t.single else t.action_double[k]
            t.ctrl[k] = x
            t.formula_action[k] = x
            # of infinities and what is no number, differences are no numbers
            if x - x != 0.0:
                wrong = 1
        bad += wrong * t.live[i]
    t.found[BAD] = bad
    if nlive < t.nenv:
        for k in range(t.nblock):
            t.block[k] = 0
        for i in range(t.nenv):
            t.reward[i] = 0.0
            t.terminated[i] = 0
    for k in range(t.nmask):
        for i in range(t.nenv):
            t.mask[k * t.nenv + i] = 1 if k < t.nstate else t.live[i]


@kernel
def end_step(t):
    """Count the step in each environment's episode, and find which of them have ended."""
    nended, ndiverged = 0, 0
    for i in range(t.nenv):
        t.elapsed[i] = t.elapsed[i] + t.live[i]
        t.returns[i] = t.returns[i] + t.reward[i]
        late = 1 if t.limit > 0 and t.elapsed[i] >= t.limit else 0
        t.truncated[i] = late
        ended = 1 if late or t.terminated[i] else 0
        t.ended[i] = ended
        nended += ended
        number = 0
        for k in range(WARN_BADQPOS, WARN_BADQACC + 1):
            number += t.warning_number[i * NWARNING + k]
        if number:
            ndiverged += 1
    t.found[ENDED] = nended
    t.found[DIVERGED] = ndiverged


class Tally:
    """Counts steps of all environments, for tasks whose functions are formulas.

    Attributes:
        live: (num_envs,) bool, which environments step.
        found: counts of environments: LIVE, BAD, whose action is not finite, ENDED and DIVERGED.
    """

    def __init__(
        self, worlds: Worlds, episodes: Episodes, traced: Any, asked: np.ndarray, limit: int | None
    ):
        """Enter the arrays that stay.

        Args:
            worlds: the worlds.
            episodes: their episodes.
            traced: what the formulas compute.
            asked: (num_envs, nu) actions as the formulas see them.
            limit: steps after which an episode is truncated; None for never.
        """
        self.record = record = Record(LAYOUT)
        count = episodes.num_envs
        self.live, self.found = np.ones(count, bool), np.zeros(4, np.int64)
        sizes = {
            "nenv": count,
            "nu": asked.shape[1],
            "limit": limit or 0,
            "nstate": traced.nstate,
            "nmask": len(traced.results) - 3,
        }
        for name, size in sizes.items():
            record.set_size(name, size)
        arrays = {
            "ctrl": worlds.data.ctrl,
            "formula_action": asked,
            "warning_number": worlds.data.warning_numbers,
            "elapsed": episodes.elapsed,
            "returns": episodes.returns,
            "ended": episodes.ended.view(np.uint8),
            "live": self.live.view(np.uint8),
            "found": self.found,
        }
        for name, array in arrays.items():
            record.set_array(name, array)
        self._begin, self._end = (
            callable_at(address(function, (LAYOUT, 0, False)), 1)
            for function in (begin_step, end_step)
        )
        progress.done()

    def begin(self, actions: np.ndarray, results: Any) -> None:
        """Begin a step.

        Args:
            actions: (num_envs, nu) float32 or float64, C-contiguous.
            results: where its results go.
        """
        table = self.record.table
        table[_ACTIONS : _ACTIONS + 2] = actions.ctypes.data
        table[_RESULTS : _RESULTS + 5] = results.addresses
        self.record.set_size("single", int(actions.itemsize == 4))
        self.record.set_size("nblock", results.nblock)
        self._begin(self.record.address)

    def end(self) -> None:
        """End the step whose results are there."""
        self._end(self.record.address)
