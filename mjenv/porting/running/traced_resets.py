"""Episodes that start by a program: in all worlds that start, without Python in each of them.

The environment's own reset, followed as its step is. It is compared with the environment before it
is used. Worlds that it leaves to Python are put back as they were: those in which a loop has not
ended, and those that MuJoCo has reset as they had become unstable.
"""

import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mjenv.engine.pipeline.forward import FORWARD
from mjenv.engine.tables.enums import ENBL_SLEEP
from mjenv.porting.environment.states_of_generators import all_copied, content_of
from mjenv.porting.running.compiled_step import CompiledStep, refuse_errors
from mjenv.porting.running.distances import NEAR, NEAR_SINGLE, first_difference, named_parts
from mjenv.porting.running.program import Program, leaves
from mjenv.porting.running.rows import mask_of_worlds, with_masks
from mjenv.porting.stand_ins.calls import RESET

if TYPE_CHECKING:
    from mjenv.porting.running.traced_worlds import TracedWorlds

_SEEDS = (5, 77, 1234)  # of resets that are compared
_NSTEP = 5  # between them
# what every call of the physics computes, where nothing sleeps
_COMPUTED = frozenset(name for stage in FORWARD for name in stage.writes.split()) - {*RESET}


class Started(NamedTuple):
    """Episodes that have started.

    Attributes:
        worlds: their numbers, (n,).
        observation: by the keys of dicts that lead to it, (nworld, ...).
        info: by name, (nworld, ...), each beside its mask.
    """

    worlds: np.ndarray
    observation: dict[tuple, np.ndarray]
    info: dict[str, Any]


class _Apart(Exception):
    """The environment's own reset does something that the program does not."""


class TracedResets:
    """Resets of traced worlds.

    Attributes:
        why_not: why they are not used; "" if they are.
        seedless: why they are used for episodes without a seed only; "" if for all.
    """

    def __init__(self, worlds: "TracedWorlds", program: Program):
        """Assemble the program."""
        self._worlds, self._program, self.why_not = worlds, program, ""
        self.seedless = ""
        self._step = CompiledStep(program, worlds.data, worlds._read, worlds._written)
        self._first, self._compared, self._comparing = True, 0, False
        self._moves = any(call.name == "step" for call in program.calls)
        # results that nothing reads before they are computed anew: resets may leave what was there
        read = {*worlds.program.first_fields, *program.first_fields}
        sleeps = bool(worlds.data.model.opt.enableflags & ENBL_SLEEP)
        self._renewed = frozenset() if sleeps else _COMPUTED - read

    def begin(self, worlds: list[int], seeds: list) -> Started | None:
        """Start episodes; worlds that are not among those that have started are as they were."""
        owner = self._worlds
        able = [w for w in worlds if self._first or owner._begun[w]]
        if self.seedless:
            able = [w for w in able if seeds[w] is None]
        generators, renewed = owner._generators, self._program.followed.renewed
        starting = owner._original.generators.starting
        begun = {w: starting(generators[w], seeds[w], renewed) for w in able}
        able = [w for w in able if begun[w] is not None]
        if not able:
            return None
        chosen = np.asarray(able, np.int64)
        for world in able:
            generators[world] = begun[world]
        # what worlds are put back to that are left to Python
        may_fail = self._moves or not _never(self._program.unfinished)
        before = [array[chosen] for array in owner.arrays] if may_fail else []
        held = [all_copied(generators[w]) for w in able] if may_fail else []
        warned = owner.data.warning_numbers[chosen] if may_fail else None
        self._run(chosen if len(chosen) < len(owner._begun) else None, chosen)
        left = self._left(chosen, warned)
        if left.any():
            for array, rows in zip(owner.arrays, before, strict=True):
                array[chosen[left]] = rows[left]
            for k in np.flatnonzero(left).tolist():
                generators[able[k]] = held[k]
        owner.data._warnings[:, chosen] = 0
        step, done = self._step, chosen[~left]
        begun_there = mask_of_worlds(done, len(owner._begun))
        infos = with_masks(self._program.infos(step.info), begun_there)
        return Started(done, step.observation, infos)

    def _run(self, worlds: np.ndarray | None, chosen: np.ndarray) -> None:
        """Run the program in worlds, and have their attributes as it leaves them."""
        owner, step = self._worlds, self._step
        for name, array in step.attributes.items():
            array[chosen] = owner.attributes[name][chosen]
        owner._fields.enter()
        step.generators = owner._generators
        step(worlds)
        refuse_errors(self._program, step, worlds)
        step.take_attributes(worlds)
        for name, array in step.attributes.items():
            owner.attributes[name][chosen] = array[chosen]
        owner._begun[chosen] = True
        owner.data.plan.forget_rest()

    def _left(self, chosen: np.ndarray, warned: np.ndarray | None) -> np.ndarray:
        """Which worlds are left to Python."""
        nworld = len(self._worlds._begun)
        unfinished = np.broadcast_to(np.reshape(self._step.unfinished, (-1,)), nworld)
        left = unfinished[chosen] != 0
        if warned is not None:
            left = left | (self._worlds.data.warning_numbers[chosen] != warned).any(axis=1)
        return left

    # ------------------------------------------------------------ beside the environment

    def refuse(self, names: list[str]) -> None:
        """Say what a reset in Python has changed that the program takes for constant."""
        if self._comparing:
            raise _Apart(f"found {', '.join(names)} changed by the environment's own reset only")

    def compare(self) -> None:
        """Run the environment's reset in one world, and the program; say how they differ.

        Steps in between may have shown what needs another program, whose reset is compared then.
        """
        owner = self._worlds
        fresh = [array.copy() for array in owner.arrays]
        generators, self._comparing = all_copied(owner._generators[0]), True
        try:
            # a first reset, and one after it
            self._first = not self._difference(fresh, _SEEDS[0])
            put_back(owner, fresh)
            owner.start(0, _SEEDS[0], None)
            self._step_about()
            if owner._resets is not self:
                return
            begun = [array.copy() for array in owner.arrays]
            found = [self._difference(begun, seed) for seed in _SEEDS[1:]]
            self.why_not = next((one for one in found if one), "")
            # one that seeds its generator twice draws the same numbers twice, with a seed only
            if self.why_not and not any(self._difference(begun, None) for _ in _SEEDS):
                self.seedless, self.why_not = self.why_not, ""
            if not self._compared:
                self.why_not = "found no reset of those compared that ended in few turns of a loop"
        except _Apart as error:
            self.why_not = str(error)
        finally:
            self._comparing = False
            if owner._resets is self:
                put_back(owner, fresh)
            owner._generators[0] = generators
            owner._original.renew()

    def _step_about(self) -> None:
        """Some steps in the first world."""
        owner = self._worlds
        # the same actions in every program
        space: Any = copy.deepcopy(owner._original.env.action_space)
        space.seed(_SEEDS[0])
        actions = np.zeros((len(owner._begun), *space.shape), space.dtype)
        for _ in range(_NSTEP):
            actions[0] = space.sample()
            owner.step(actions, np.array([0]))

    def _difference(self, state: list[np.ndarray], seed: int | None) -> str:
        """Both resets from a state; the first difference in words, "" for none."""
        owner = self._worlds
        put_back(owner, state)
        # by the environment
        generators = all_copied(owner._generators[0])
        observation, _ = owner.start(0, seed, None)
        theirs = {n: np.array(x) for n, x in named_parts(leaves(observation)).items()}
        theirs |= self._contents()
        drawn = [content_of(one) for one in owner._generators[0]]
        # by the program
        put_back(owner, state)
        owner._generators[0] = generators
        nworld = len(owner._begun)
        first, self._first = self._first, True
        found = self.begin([0], [seed] * nworld)
        self._first = first
        if found is None or not len(found.worlds):
            return ""
        self._compared += 1
        ours = {name: x[0] for name, x in named_parts(found.observation).items()}
        ours |= self._contents()
        # what differs
        near = NEAR_SINGLE if self._is_single() else NEAR
        observed = {n: theirs.pop(n) for n in [*theirs] if n.startswith("observation")}
        words = first_difference(ours, observed, near) or first_difference(ours, theirs, NEAR)
        if words:
            return f"found {words} of the environment's own reset"
        if [content_of(one) for one in owner._generators[0]] != drawn:
            return "found other random numbers asked for than by the environment's own reset"
        return ""

    def _is_single(self) -> bool:
        return any(array.dtype == np.float32 for array in self._step.observation.values())

    def _contents(self) -> dict[str, np.ndarray]:
        """What an episode goes on from, in the first world."""
        owner = self._worlds
        # some are computed when they are looked at
        names = [n for n, _ in owner._copied if n not in self._renewed]
        found = {f"data.{n}": np.array(owner._read(n)[0]) for n in names}
        found |= {n: a[0].copy() for n, a in owner.attributes.items()}
        return found | {f"model.{n}": a[0].copy() for n, a in owner._fields.values.items()}


def put_back(worlds: "TracedWorlds", arrays: list[np.ndarray]) -> None:
    """Have worlds in a state of before."""
    for array, before in zip(worlds.arrays, arrays, strict=True):
        array[...] = before
    worlds._fields.stale = True
    worlds.data.plan.forget_rest()


def _never(output: Any) -> bool:
    """True for what is false in all worlds."""
    return isinstance(output, bool | np.bool_ | np.ndarray) and not np.any(output)
