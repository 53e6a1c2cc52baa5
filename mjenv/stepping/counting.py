"""Work of the host around the physics of a step, compiled: actions in, episodes counted.

Between two calls of the engine, the host's code and data have left the processor's caches. One
compiled loop over the environments is then several times as quick as a dozen numpy calls.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.engine.run.spans import COLUMNS as SPAN_COLUMNS
from mjenv.engine.run.spans import differing
from mjenv.engine.simd.builtin import ARRAY, Argument, builtin
from mjenv.engine.simd.idle import is_idle
from mjenv.engine.simd.immediate import immediate_call_of
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.progress import progress
from mjenv.engine.simd.record import Layout, Record
from mjenv.engine.tables.enums import NWARNING, WARN_BADQACC, WARN_BADQPOS
from mjenv.stepping.episodes import Episodes
from mjenv.stepping.results import BLOCK, MASK, PLACES, Results, StepResult
from mjenv.stepping.simulation_batch import SimulationBatch

LAYOUT = Layout(
    "counting",
    [
        # sizes; a row is an environment that takes part in a step
        ("nenv", "size"),
        ("nrow", "size"),
        ("nu", "size"),
        ("limit", "size"),
        # whether a world that diverges ends its episode
        ("ends_diverged", "size"),
        # whether environments step on after the ends of their episodes
        ("goes_on", "size"),
        # results of a step
        *PLACES,
        # infos of the last states of episodes
        ("final_block", "i8"),
        ("final_mask", "u1"),
        ("final_byte", "u1"),
        # what stays
        ("row", "i8"),
        ("action", "f8"),
        ("ctrl", "f8"),
        ("warning_number", "i4"),
        ("elapsed", "i8"),
        ("returns", "f8"),
        ("ended", "u1"),
        ("live", "u1"),
        ("found", "i8"),
        # of quick steps, see quick_step.py
        ("single", "f4"),
        ("double", "f8"),
        ("refused", "i4"),
        ("told", "i4"),
        ("nspan", "size"),
        *((name, "i8") for name in SPAN_COLUMNS),
    ],
)
KINDS = ((LAYOUT, 0, False),)
(LIVE, BAD, ENDED, DIVERGED, WILD) = range(5)  # places of counts in `found`
_SLOT = {name: entry.slot for name, entry in LAYOUT.entries.items()}
_NROW, _HAS_RESULTS = _SLOT["nrow"], _SLOT["has_results"]
_PLACES = slice(_HAS_RESULTS, _HAS_RESULTS + len(PLACES))
_FINAL = slice(_SLOT["final_block"], _SLOT["final_byte"] + 1)


@kernel
def begin_step(t):
    """Set controls, find which environments are live, and clear what others do not write."""
    # live environments, without warnings so far; how many live actions are not finite
    nlive, bad = 0, 0
    for k in range(t.nrow):
        i = t.row[k]
        here = 1 if t.goes_on else 1 - t.ended[i]
        t.live[k] = here
        nlive += here
        for w in range(WARN_BADQPOS, WARN_BADQACC + 1):
            t.warning_number[i * NWARNING + w] = 0
        # controls
        wrong = 0
        for u in range(i * t.nu, (i + 1) * t.nu):
            x = t.action[u]
            t.ctrl[u] = x
            # of infinities and what is no number, differences are no numbers
            if x - x != 0.0:
                wrong = 1
        bad += wrong * here
    t.found[LIVE] = nlive
    t.found[BAD] = bad
    if t.has_results:
        clear_results(t, nlive)


@kernel
def clear_results(t, nlive):
    """Have zeros where bytecode writes nothing, and say which environments have which infos."""
    if nlive < t.nenv:
        for b in range(t.nblock):
            t.block[b] = 0
        for i in range(t.nenv):
            t.reward[i] = 0.0
            t.terminated[i] = 0
    # infos of the state hold for all, others for live ones
    for n in range(t.nmask):
        for k in range(t.nrow):
            t.mask[n * t.nenv + t.row[k]] = 1 if n < t.nstate else t.live[k]


@kernel
def begin_single(t):
    """Begin a step of all under actions of single precision."""
    for u in range(t.nenv * t.nu):
        t.action[u] = t.single[u]
    begin_again(t)


@kernel
def begin_double(t):
    """Begin a step of all under actions of double precision."""
    for u in range(t.nenv * t.nu):
        t.action[u] = t.double[u]
    begin_again(t)


@kernel
def begin_again(t):
    """Begin a step; refuse it where actions are not finite or a compared model is not as it was."""
    begin_step(t)
    t.refused[0] = 1 if t.found[BAD] != 0 or differing(t) != 0 else 0


@kernel
def end_step(t):
    """Count the step in each environment's episode, and find which of them have ended."""
    nended, ndiverged, nwild = 0, 0, 0
    for k in range(t.nrow):
        i = t.row[k]
        # diverged: reset with a warning; a reward would be that of the jump
        number = 0
        for w in range(WARN_BADQPOS, WARN_BADQACC + 1):
            number += t.warning_number[i * NWARNING + w]
        if number:
            ndiverged += 1
            if t.ends_diverged and t.live[k]:
                t.reward[k] = 0.0
                t.terminated[k] = 1
        # of infinities and what is no number, differences are no numbers
        reward = t.reward[k]
        if reward - reward != 0.0:
            nwild += 1
        # length and return of the episode
        t.elapsed[i] = t.elapsed[i] + t.live[k]
        t.returns[i] = t.returns[i] + t.reward[k]
        # truncated, or ended by the task
        late = 1 if t.limit > 0 and t.elapsed[i] >= t.limit else 0
        t.truncated[k] = late
        ended = 1 if late or t.terminated[k] else 0
        t.ended[i] = ended
        nended += ended
    t.found[ENDED] = nended
    t.found[DIVERGED] = ndiverged
    t.found[WILD] = nwild


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


# by the type of actions: kernel, where it finds them, and the type there
TAKERS: dict[Any, tuple[Callable[..., Any], str, str]] = {
    np.dtype(np.float32): (begin_single, "single", "f4"),
    np.dtype(np.float64): (begin_double, "double", "f8"),
}


def not_taken(*_: Any) -> bool:
    """What is called instead where actions are not as expected, or were refused."""
    return False


class Counting:
    """Takes in the actions of a step, and counts it in the episodes of its environments.

    Attributes:
        action: (num_envs, size) float64, what was asked of each environment last.
        found: counts of environments: LIVE, BAD, whose action is not finite, ENDED, DIVERGED and
            WILD, whose reward is not finite.
        counts: the same, to be read number by number.
    """

    # other threads may run while environments are counted
    _is_one = False

    def __init__(self, worlds: SimulationBatch, episodes: Episodes, limit: int | None):
        """Enter the arrays that stay.

        Args:
            worlds: the worlds.
            episodes: their episodes.
            limit: steps after which an episode is truncated; None for never.
        """
        self.record = record = Record(LAYOUT)
        self._table, count = record.table, episodes.num_envs
        self._live, self.found = np.ones(count, bool), np.zeros(5, np.int64)
        self.counts = self.found.data
        # which rows are stepped: all, or those of the last call
        self._every, self._row, self._partial = np.arange(count), np.arange(count), False
        self.action = np.zeros((count, worlds.action_shape[-1]))
        # sizes and arrays that compiled code finds by address
        sizes = {"nenv": count, "nrow": count, "nu": self.action.shape[1], "limit": limit or 0}
        sizes["ends_diverged"] = int(worlds.task.terminate_when_diverged)
        # an environment of its own is told by others that its episode is over
        sizes["goes_on"] = int(worlds.nworld is None)
        for name, size in sizes.items():
            record.set_size(name, size)
        arrays = {
            "row": self._row,
            "action": self.action,
            # actions that the task makes inputs of are no controls
            "ctrl": np.zeros_like(self.action) if worlds.drives else worlds.data.ctrl,
            "warning_number": worlds.data.warning_numbers,
            "elapsed": episodes.elapsed,
            "returns": episodes.returns,
            "ended": episodes.ended.view(np.uint8),
            "live": self._live.view(np.uint8),
            "found": self.found,
            "refused": np.zeros(1, np.int32),
            "told": np.zeros(1, np.int32),
        }
        for name, array in arrays.items():
            record.set_array(name, array)
        self._takers: dict[np.dtype, Callable[[Any], Any]] = {}
        # compiled functions
        self._begin, self._end, self._split = (
            immediate_call_of(function, KINDS, (record,), releases=not self._is_one)
            for function in (begin_step, end_step, split_infos)
        )
        if is_idle():
            # worlds that are not counted would not be stepped
            self._begin = self._count_all
        progress.done()

    def _count_all(self) -> None:
        """All environments are live, where kernels do nothing."""
        self.found[LIVE] = self._table[_NROW]

    def taker(self, dtype: np.dtype) -> Callable[[Any], Any]:
        """What begins a step of all environments under actions of a type.

        It returns None, or False where nothing was done but to set controls: actions have another
        type or shape, are not finite, or a model that is compared has changed.
        """
        found = self._takers.get(dtype)
        if found is None:
            function, place = TAKERS[dtype][0], (__name__, TAKERS[dtype][0].__name__)
            argument = self.argument(dtype)
            found = self._takers[dtype] = builtin(
                not_taken, place, function, KINDS, [self.record], [argument], releases=True
            )
            progress.done()
        return found

    def argument(self, dtype: np.dtype) -> Argument:
        """Actions of a type, as an argument of machine code."""
        _, name, element = TAKERS[dtype]
        return Argument(name, ARRAY, element, self.action.shape[1 if self._is_one else 0 :])

    def begin(
        self, actions: np.ndarray, some: np.ndarray | None, results: Results | None
    ) -> tuple[np.ndarray | None, int, int]:
        """Begin a step.

        Args:
            actions: (n, nu).
            some: (n,) numbers of the environments; None for all.
            results: where bytecode writes its results; None if there are none.

        Returns:
            Which of these environments are live, bool (n,), until the next step; None for all. How
            many are. How many of these have actions that are not finite.
        """
        count, table = len(actions), self._table
        # numbers of the environments are written only when they have changed
        if some is None:
            if self._partial:
                self._row[:] = self._every
        else:
            self._row[:count] = some
            self.action[some] = actions
        self._partial = some is not None
        table[_NROW] = count
        # bytecode writes its results where they are returned from
        if results is None:
            table[_HAS_RESULTS] = 0
        else:
            table[_PLACES] = results.places
        # checks actions, and finds out which environments go on
        taker = self._takers.get(actions.dtype) if some is None else not_taken
        if taker is None and actions.dtype in TAKERS and not is_idle():
            taker = self.taker(actions.dtype)
        if taker is None or taker(actions) is not None:
            if some is None:
                self.action[...] = actions
            self._begin()
        nlive = self.counts[LIVE]
        return None if nlive == count else self._live[:count], nlive, self.counts[BAD]

    def end(
        self, rewards: np.ndarray, terminations: np.ndarray, results: Results | None
    ) -> tuple[np.ndarray, int, int, int]:
        """End the step that was begun.

        Args:
            rewards: (n,) float64, 0 afterwards where a world has diverged and that ends episodes.
            terminations: (n,) bool, True there.
            results: whose arrays these are; None for others.

        Returns:
            Which episodes are truncated, bool (n,), how many have ended, how many environments have
            diverged, and how many rewards are not finite.
        """
        if results is None:
            truncations = np.empty(len(rewards), bool)
            self._enter(rewards, terminations, truncations)
        else:
            truncations = results.truncations
        self._end()
        counts = self.counts
        return truncations, counts[ENDED], counts[DIVERGED], counts[WILD]

    def _enter(self, rewards: np.ndarray, terminations: np.ndarray, truncated: np.ndarray) -> None:
        """Enter where results of numpy are."""
        self.record.set_array("reward", rewards)
        self.record.set_array("terminated", terminations.view(np.uint8))
        self.record.set_array("truncated", truncated.view(np.uint8))

    def split(self, results: Results, final: Results) -> None:
        """Move the infos of the episodes that have ended in a step of all environments.

        Args:
            results: of the step, as it was begun; infos of the state stay there too.
            final: where the infos go, with zeros for all other environments.
        """
        self._table[_PLACES] = results.places
        places = final.places
        self._table[_FINAL] = places[BLOCK], places[MASK], places[BLOCK]
        self._split()


class CountingOne(Counting):
    """The same for an environment of its own: numbers instead of arrays of one.

    Attributes:
        written: places of results that were entered last.
    """

    # one is counted in less time than it takes to let others run
    _is_one = True

    def __init__(self, worlds: SimulationBatch, episodes: Episodes):
        super().__init__(worlds, episodes, None)
        self._worlds, self._given = worlds, self.action[0]
        self._shape = worlds.action_shape
        # where numpy's results go, to be counted
        self._reward, self._terminated = np.zeros(1), np.zeros(1, bool)
        self._truncated = np.zeros(1, bool)
        self._enter(self._reward, self._terminated, self._truncated)
        # ends a step
        self.end_one = self._end
        self._own: Any = self._table[_PLACES].copy()
        self.written: Any = None

    def set_control(self, action: np.ndarray, places: Any = None) -> None:
        """Begin a step: copy the action into the controls, and forget warnings.

        Args:
            action: (nu,).
            places: of the results that bytecode writes; None where numpy computes them.

        Raises:
            ValueError: if its shape is wrong or not all of it is finite.
        """
        if places is None:
            places = self._own
        if action.shape != self._shape or action.dtype.kind != "f":
            self._worlds.check_shape(action)
        if places is not self.written:
            self._table[_PLACES] = places
            self.written = places
        self._given[...] = action
        self._begin()
        if self.counts[BAD]:
            self._worlds.refuse_not_finite(action, None)

    def count(self) -> bool:
        """End the step whose results bytecode has written; returns whether the world diverged."""
        self.end_one()
        return self.counts[DIVERGED] > 0

    def count_numbers(self, reward: float, terminated: bool) -> bool:
        """The same with results of numpy."""
        self._table[_PLACES] = self.written = self._own
        self._reward[0], self._terminated[0] = reward, terminated
        return self.count()

    def given_up(self, given: StepResult) -> StepResult:
        """What a step gave that the world has diverged in: no reward, where that ends episodes."""
        observation, reward, _, info = given
        info["diverged"] = True
        if not self._worlds.task.terminate_when_diverged:
            return given
        info.update((name, type(info[name])(0.0)) for name in self._worlds.reward_terms)
        return observation, type(reward)(0.0), True, info
