"""Functions that copy the state into an array and back."""

from collections.abc import Callable, Iterator
from functools import update_wrapper
from typing import NamedTuple

import numpy as np

from mjenv.engine.analysis.state import COMPONENTS
from mjenv.engine.direct.states import state_functions
from mjenv.mujoco.callbacks import Installed
from mjenv.mujoco.functions.wrapping import wrapped
from mjenv.mujoco.structs import MjData, MjModel


class _Parts(NamedTuple):
    """The components of a state: arrays of the data.

    Attributes:
        arrays: in their order, kept alive.
        gather, scatter: fill the state's array from them, and set them from it; they return
            something else than None where it is no array of the right type and size.
        inputs: inputs that were looked at by then: forces get arrays of their own.
    """

    arrays: tuple[np.ndarray, ...]
    gather: Callable[[np.ndarray], object]
    scatter: Callable[[np.ndarray], object]
    inputs: tuple[str, ...]


def _no_state(*given: object) -> bool:
    return False


def _parts(d: MjData, sig: int) -> _Parts:
    """The components of a state, for data: found once, as arrays stay where they are."""
    known = d._direct.setdefault("state", {})
    found = known.get(sig)
    if found is None or found.inputs is not d.batch.inputs_in_use:
        chosen = [part.field for part in COMPONENTS if sig & part.bit]
        # looking at inputs brings them into use
        fields = [np.asarray(getattr(d.batch, name)).reshape(-1) for name in chosen]
        arrays = tuple(field for field in fields if field.size)
        functions = state_functions(arrays, (__name__, "_no_state"), _no_state)
        found = known[sig] = _Parts(arrays, *functions, d.batch.inputs_in_use)
    return found


def _spans(arrays: tuple[np.ndarray, ...]) -> Iterator[tuple[slice, np.ndarray]]:
    """Arrays with their parts of a state."""
    start = 0
    for array in arrays:
        yield slice(start, start + array.size), array
        start += array.size


def _get(m: MjModel, d: MjData, state: np.ndarray, sig: int) -> None:
    """Copy components of the state into an array."""
    for span, array in _spans(_parts(d, sig).arrays):
        state[span] = array


def _set(m: MjModel, d: MjData, state: np.ndarray, sig: int) -> None:
    """Set components of the state from an array."""
    for span, array in _spans(_parts(d, sig).arrays):
        array[:] = state[span]
        if array.dtype.kind == "i":
            array[:] = array != 0
    d.batch.plan.forget_rest()


_checked_get, _checked_set = wrapped("mj_getState", _get), wrapped("mj_setState", _set)


def mj_getState(m: MjModel, d: MjData, state: np.ndarray, sig: int) -> None:
    """Copy components of the state into an array."""
    if type(d) is MjData and d._model is m and d._callbacks is Installed.last:
        parts = d._direct.get("state", {}).get(sig)
        there = parts is not None and parts.inputs is d.batch.inputs_in_use
        if there and parts.gather(state) is None:
            return
    _checked_get(m, d, state, sig)


def mj_setState(m: MjModel, d: MjData, state: np.ndarray, sig: int) -> None:
    """Set components of the state from an array."""
    if type(d) is MjData and d._model is m and d._callbacks is Installed.last:
        parts, batch = d._direct.get("state", {}).get(sig), d.batch
        there = parts is not None and parts.inputs is batch.inputs_in_use
        if there and parts.scatter(state) is None:
            batch.plan.forget_rest()
            return
    _checked_set(m, d, state, sig)


for _function, _like in ((mj_getState, _checked_get), (mj_setState, _checked_set)):
    vars(update_wrapper(_function, _like))["checks_itself"] = True
