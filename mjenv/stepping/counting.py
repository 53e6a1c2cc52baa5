"""What the host does around the physics of a step, compiled: actions in, episodes counted.

Between two calls of the engine, the host's code and data have left the processor's caches. One
compiled loop over the environments is then several times as quick as a dozen numpy calls.
"""

import numpy as np

from mjenv.engine.enums import NWARNING, WARN_BADQACC, WARN_BADQPOS
from mjenv.engine.run.formulas import Formulas
from mjenv.engine.simd.kernel import address, callable_at, kernel, progress
from mjenv.engine.simd.record import Layout, Record
from mjenv.stepping.episodes import Episodes
from mjenv.stepping.results import Results
from mjenv.stepping.worlds import Worlds
from mjenv.tracing.task import TracedTask

LAYOUT = Layout(
    "tally",
    [
        # sizes
        ("nenv", "size"),
        ("nu", "size"),
        ("limit", "size"),
        ("nstate", "size"),
        ("nmask", "size"),
        # results of a call, in the order of `Results.addresses`
        ("nblock", "size"),
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
        # places of each info in the block of infos, in bytes, and what an environment has there
        ("info_start", "i8"),
        ("info_size", "i8"),
        ("byte", "u1"),
        # infos of the last states of episodes
        ("final_block", "i8"),
        ("final_mask", "u1"),
        ("final_byte", "u1"),
    ],
)
(LIVE, BAD, ENDED, DIVERGED) = range(4)  # places of counts in `found`
_BYTE, _FINAL = LAYOUT.entries["byte"].slot, LAYOUT.entries["final_block"].slot
_FROM, _TO = LAYOUT.entries["nblock"].slot, LAYOUT.entries["mask"].slot + 1


@kernel
def begin_step(t):
    """Set controls, find which environments are live, and clear what others do not write."""
    # live environments, without warnings so far
    nlive = 0
    for i in range(t.nenv):
        here = 1 - t.ended[i]
        t.live[i] = here
        nlive += here
        for k in range(WARN_BADQPOS, WARN_BADQACC + 1):
            t.warning_number[i * NWARNING + k] = 0
    t.found[LIVE] = nlive
    # controls; how many live actions are not finite
    bad = 0
    for i in range(t.nenv):
        wrong = 0
        for k in range(i * t.nu, (i + 1) * t.nu):
            x = t.formula_action[k]
            t.ctrl[k] = x
            # of infinities and what is no number, differences are no numbers
            if x - x != 0.0:
                wrong = 1
        bad += wrong * t.live[i]
    t.found[BAD] = bad
    # results of the others: zeros
    if nlive < t.nenv:
        for k in range(t.nblock):
            t.block[k] = 0
        for i in range(t.nenv):
            t.reward[i] = 0.0
            t.terminated[i] = 0
    # infos of the state hold for all, others for live ones
    for k in range(t.nmask):
        for i in range(t.nenv):
            t.mask[k * t.nenv + i] = 1 if k < t.nstate else t.live[i]


@kernel
def end_step(t):
    """Count the step in each environment's episode, and find which of them have ended."""
    nended, ndiverged = 0, 0
    for i in range(t.nenv):
        # length and return of the episode
        t.elapsed[i] = t.elapsed[i] + t.live[i]
        t.returns[i] = t.returns[i] + t.reward[i]
        # truncated, or ended by the task
        late = 1 if t.limit > 0 and t.elapsed[i] >= t.limit else 0
        t.truncated[i] = late
        ended = 1 if late or t.terminated[i] else 0
        t.ended[i] = ended
        nended += ended
        # diverged: reset with a warning
        number = 0
        for k in range(WARN_BADQPOS, WARN_BADQACC + 1):
            number += t.warning_number[i * NWARNING + k]
        if number:
            ndiverged += 1
    t.found[ENDED] = nended
    t.found[DIVERGED] = ndiverged


@kernel
def split_infos(t):
    """Move the infos of episodes that have ended: those of the step go, those of the state stay."""
    # infos of final states, for ended episodes only
    for b in range(t.nblock):
        t.final_block[b] = 0
    for k in range(t.nmask):
        for i in range(t.nenv):
            t.final_mask[k * t.nenv + i] = t.ended[i]
    for i in range(t.nenv):
        # copy them; those of the step are cleared in its own results
        if t.ended[i]:
            for k in range(t.nmask):
                n = t.info_size[k]
                start = t.info_start[k] + i * n
                for b in range(start, start + n):
                    t.final_byte[b] = t.byte[b]
                if k >= t.nstate:
                    t.mask[k * t.nenv + i] = 0
                    for b in range(start, start + n):
                        t.byte[b] = 0


class Tally:
    """Counts steps of all environments, for tasks whose functions are formulas.

    Attributes:
        live: (num_envs,) bool, which environments step.
        found: counts of environments: LIVE, BAD, whose action is not finite, ENDED and DIVERGED.
    """

    def __init__(
        self,
        worlds: Worlds,
        episodes: Episodes,
        traced: TracedTask,
        formulas: Formulas,
        limit: int | None,
    ):
        """Enter the arrays that stay.

        Args:
            worlds: the worlds.
            episodes: their episodes.
            traced: what the formulas compute.
            formulas: the same, attached to the worlds.
            limit: steps after which an episode is truncated; None for never.
        """
        self.record = record = Record(LAYOUT)
        self._formulas, self._table = formulas, record.table
        self._asked, count = formulas.action, episodes.num_envs
        self.live, self.found = np.ones(count, bool), np.zeros(4, np.int64)
        # sizes and arrays that compiled code finds by address
        sizes = {
            "nenv": count,
            "nu": self._asked.shape[1],
            "limit": limit or 0,
            "nstate": traced.nstate,
            "nmask": len(traced.results) - 3,
        }
        for name, size in sizes.items():
            record.set_size(name, size)
        arrays = {
            "ctrl": worlds.data.ctrl,
            "formula_action": self._asked,
            "warning_number": worlds.data.warning_numbers,
            "elapsed": episodes.elapsed,
            "returns": episodes.returns,
            "ended": episodes.ended.view(np.uint8),
            "live": self.live.view(np.uint8),
            "found": self.found,
        }
        for name, array in arrays.items():
            record.set_array(name, array)
        # compiled functions
        self._begin, self._end, self._split = (
            callable_at(address(function, (LAYOUT, 0, False)), 1)
            for function in (begin_step, end_step, split_infos)
        )
        progress.done()

    def begin(self, actions: np.ndarray, results: Results) -> list[int]:
        """Begin a step.

        Args:
            actions: (num_envs, nu).
            results: where its results go.

        Returns:
            How many environments are live, and how many of these have actions that are not finite.
        """
        self._asked[...] = actions
        self._table[_FROM:_TO] = results.addresses
        self._formulas.write_to(results.places)
        self._begin(self.record.address)
        return self.found[:2].tolist()

    def end(self) -> list[int]:
        """End the step whose results are there: how many have ended, and how many diverged."""
        self._end(self.record.address)
        return self.found[2:].tolist()

    def split(self, results: Results, final: Results) -> None:
        """Move the infos of the episodes that have ended in a step of all environments.

        Args:
            results: of the step; infos of the state stay there too.
            final: where the infos go, with zeros for all other environments.
        """
        record, table = self.record, self._table
        if "info_start" not in record.arrays:
            record.set_array("info_start", results.starts)
            record.set_array("info_size", results.sizes)
        table[_BYTE] = results.addresses[4]
        table[_FINAL : _FINAL + 2] = final.addresses[4:6]
        table[_FINAL + 2] = final.addresses[4]
        self._split(record.address)
