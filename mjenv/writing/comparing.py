"""A task that was written, beside the port and the environment that it was written after."""

import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from mjenv.gym.vector import VectorEnv
from mjenv.porting.checking import NEAR, NEAR_SINGLE, check
from mjenv.porting.running.program import leaves
from mjenv.porting.vector import PortedVectorEnv
from mjenv.writing.values import NotWritten

_OTHERS = 13  # worlds that run beside
_HELD = 25  # steps for which actions stay the same in every second world
_LEAST = 200  # steps beside the port, which take little time


class Compared(NamedTuple):
    """Result of a comparison.

    Attributes:
        largest: difference, relative where numbers are above 1.
        not_compiled: why the task's functions are not compiled; None if they are.
        one_sided: lines of choices by `np.where` of which no world took the other side.
    """

    largest: float
    not_compiled: str | None
    one_sided: tuple[int, ...]


class _Choices:
    """Numpy for a task's module, which notes the conditions of `where`, line by line."""

    def __init__(self) -> None:
        self.seen: dict[int, set[bool]] = {}

    def __getattr__(self, word: str) -> Any:
        return getattr(np, word)

    def where(self, condition: Any, one: Any, other: Any) -> Any:
        """Choose as numpy does."""
        line = sys._getframe(1).f_lineno
        if isinstance(condition, np.ndarray | np.bool_):
            self.seen.setdefault(line, set()).update(np.unique(condition).tolist())
        return np.where(condition, one, other)

    def one_sided(self) -> tuple[int, ...]:
        """Lines whose condition was always the same."""
        return tuple(sorted(line for line, seen in self.seen.items() if len(seen) < 2))


@contextmanager
def imported(path: Path, word: str) -> Iterator[Any]:
    """The class of a task's file, whose module is there while it lasts."""
    name = f"_mjenv_written_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    registered, writes_none = dict(gymnasium.registry), sys.dont_write_bytecode
    try:
        try:
            gymnasium.registry.clear()
            # nothing beside a file that may not stay
            sys.dont_write_bytecode = True
            spec.loader.exec_module(module)
        except Exception as error:
            raise NotWritten(f"{path}: cannot be imported ({error})") from error
        yield getattr(module, word)
    finally:
        sys.dont_write_bytecode = writes_none
        # what the file registers is for those who import it
        gymnasium.registry.clear()
        gymnasium.registry.update(registered)
        del sys.modules[name]


def compared(
    target: Any,
    kwargs: dict[str, Any],
    path: Path,
    word: str,
    limit: int | None,
    single: bool,
    seeds: int,
    steps: int,
) -> Compared:
    """Compare a task with the port, and the port with the environment.

    Args:
        target: the environment.
        kwargs: what it is made with.
        path: of the task.
        word: its class.
        limit: steps after which its episodes are truncated.
        single: whether the environment computes its reward in float32.
        seeds: 0, 1, ...; further worlds run beside.
        steps: with random actions.

    Raises:
        NotWritten: they differ, with where.
    """
    nworld = seeds + _OTHERS
    # an environment of each, with observations of one shape
    ported = PortedVectorEnv(target, nworld, **kwargs)
    try:
        with imported(path, word) as task:
            written = VectorEnv(task=task, num_envs=nworld, max_episode_steps=limit)
            # the same by numpy, to see which sides of choices worlds take
            choices = _Choices()
            vars(sys.modules[task.__module__])["np"] = choices
            beside = VectorEnv(task=task, num_envs=nworld, max_episode_steps=limit, compiled=False)
    except NotWritten:
        raise
    except Exception as error:
        raise NotWritten(f"{path.name}: no environment can be made of it ({error})") from error
    mine_space, space = written.single_observation_space, ported.single_observation_space
    if not _same_structure(mine_space, space):
        raise NotWritten(f"{path.name}: found observations {mine_space}, expected {space}")
    # the same seeds
    largest = 0.0
    observed, infos = _asked(path, lambda: written.reset(seed=0))
    theirs, infos_too = ported.reset(seed=0)
    _asked(path, lambda: beside.reset(seed=0))
    single |= any(array.dtype == np.float32 for array in leaves(theirs).values())
    near = NEAR_SINGLE if single else NEAR
    apart = _difference(observed, theirs, near, f"{path.name}: reset: observation")
    largest = max(largest, apart, _infos(infos, infos_too, near, f"{path.name}: reset: info"))
    # the same actions
    box: Any = ported.single_action_space
    actions_of = np.random.default_rng(0)
    low, high = np.clip(box.low, -1, None), np.clip(box.high, None, 1)
    held = actions_of.uniform(low, high, (nworld, *box.shape)).astype(box.dtype)
    for step in range(max(steps, _LEAST)):
        actions = actions_of.uniform(low, high, (nworld, *box.shape)).astype(box.dtype)
        # actions that stay bring worlds further than noise does
        held = actions if step % _HELD == 0 else held
        actions[::2] = held[::2]
        mine = _asked(path, lambda a=actions: written.step(a))
        port = ported.step(actions)
        _asked(path, lambda a=actions: beside.step(a))
        where = f"{path.name}: step {step}: "
        for one, other, what in zip(mine[:4], port[:4], _RESULTS, strict=True):
            largest = max(largest, _difference(one, other, near, f"{where}{what}"))
        largest = max(largest, _infos(mine[4], port[4], near, f"{where}info"))
    # the port itself is right, too
    found = check(target, seeds, steps, **kwargs)
    if found.first:
        raise NotWritten(f"{path.name}: the port differs from the environment: {found.first}")
    largest = max(largest, found.largest)
    return Compared(largest, written.compile_error, choices.one_sided())


_RESULTS = ("observation", "reward", "terminated", "truncated")


def _asked(path: Path, run: Any) -> Any:
    try:
        return run()
    except Exception as error:
        raise NotWritten(f"{path.name}: its environment fails: {error}") from error


def _same_structure(one: Any, other: Any) -> bool:
    if hasattr(other, "spaces"):
        return hasattr(one, "spaces") and set(one.spaces) == set(other.spaces) and all(
            _same_structure(one.spaces[n], other.spaces[n]) for n in other.spaces
        )  # fmt: skip
    return bool(one.shape == other.shape)


def _difference(one: Any, other: Any, near: float, where: str) -> float:
    """The largest difference of two results.

    Raises:
        NotWritten: it is above rounding.
    """
    if isinstance(other, dict):
        return max(_difference(one[n], other[n], near, f"{where} {n!r}") for n in other)
    mine, theirs = np.asarray(one, np.float64), np.asarray(other, np.float64)
    same = (mine == theirs) | (np.isnan(mine) & np.isnan(theirs))
    apart = np.where(same, 0.0, np.abs(mine - theirs) / np.maximum(1.0, np.abs(theirs)))
    apart = np.where(np.isnan(apart), np.inf, apart)
    largest = float(apart.max(initial=0.0))
    if largest > near:
        at = np.unravel_index(int(apart.argmax()), apart.shape)
        world = [int(k) for k in at]
        raise NotWritten(
            f"{where}{world} is {mine[at]!r}, expected {theirs[at]!r} as in the environment"
        )
    return largest


def _infos(mine: dict[str, Any], theirs: dict[str, Any], near: float, where: str) -> float:
    """The largest difference of infos that are numbers.

    Raises:
        NotWritten: one is missing, or differs.
    """
    largest = 0.0
    for word, value in theirs.items():
        array = np.asarray(value)
        if word.startswith(("_", "final")) or array.dtype.kind not in "fiub":
            continue
        if word not in mine:
            raise NotWritten(f"{where}: found no {word!r}, which the environment reports")
        present = theirs.get(f"_{word}")
        rows = slice(None) if present is None else np.asarray(present, bool)
        largest = max(
            largest,
            _difference(np.asarray(mine[word])[rows], array[rows], near, f"{where} {word!r}"),
        )
    return largest
