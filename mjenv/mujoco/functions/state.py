"""Functions of the state: its size, copies, keyframes."""

from typing import NamedTuple

import numpy as np

from mjenv.engine.analysis import state
from mjenv.engine.edit.constants import set_keyframe
from mjenv.engine.tables.enumerations import mjtState
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.structs import MjData, MjModel

_EQ_ACTIVE = int(mjtState.mjSTATE_EQ_ACTIVE)
_END = 1 << int(mjtState.mjNSTATE)


def mj_stateSize(m: MjModel, sig: int) -> int:
    """Numbers of a state of some components (mjtState)."""
    known = m._calls().setdefault("mj_stateSize", {})
    found = known.get(sig)
    if found is None:
        found = known[sig] = _state_size(m, sig)
    return found


def _state_size(m: MjModel, sig: int) -> int:
    if sig < 0:
        raise FatalError(f"mj_stateSize: invalid state signature {sig} < 0")
    if sig >= _END:
        raise FatalError(f"mj_stateSize: invalid state signature {sig} >= 2^mjNSTATE")
    return state.state_size(m, sig)


class _Parts(NamedTuple):
    """Where the components of a state are: a part of the state, and an array of the data."""

    spans: tuple[tuple[slice, np.ndarray], ...]
    inputs: int


def _parts(d: MjData, sig: int) -> _Parts:
    """The components of a state, for data: found once, as arrays stay where they are."""
    known = d._direct.setdefault("state", {})
    found = known.get(sig)
    # forces that are looked at first get arrays of their own
    if found is None or found.inputs != len(d.batch.inputs_in_use):
        spans, start = [], 0
        for part in state.COMPONENTS:
            if sig & part.bit:
                array = np.asarray(getattr(d.batch, part.field)).reshape(-1)
                spans.append((slice(start, start + array.size), array))
                start += array.size
        spans = tuple(span for span in spans if span[1].size)
        found = known[sig] = _Parts(spans, len(d.batch.inputs_in_use))
    return found


def mj_getState(m: MjModel, d: MjData, state_: np.ndarray, sig: int) -> None:
    """Copy components of the state into an array."""
    for place, array in _parts(d, sig).spans:
        state_[place] = array


def mj_setState(m: MjModel, d: MjData, state_: np.ndarray, sig: int) -> None:
    """Set components of the state from an array."""
    for place, array in _parts(d, sig).spans:
        array[:] = state_[place]
    d.batch.plan.forget_rest()
    if sig & _EQ_ACTIVE:
        d.eq_active = d.eq_active != 0


def mj_extractState(m: MjModel, src: np.ndarray, srcsig: int, dst: np.ndarray, dstsig: int) -> None:
    """Copy components of a state out of an array of more."""
    dst[:] = state.extract_state(m, src, srcsig, dstsig)


def mj_copyState(m: MjModel, src: MjData, dst: MjData, sig: int) -> None:
    """Copy components of the state from one data to others."""
    state.copy_state(dst.batch.model, src.batch, dst.batch, sig)


def mj_copyData(dest: MjData, m: MjModel, src: MjData) -> None:
    """Copy state, inputs and results from one data to others."""
    state.copy_data(dest.batch, dest.batch.model, src.batch)


def mj_setKeyframe(m: MjModel, d: MjData, k: int) -> None:
    """Store the state as a keyframe of the model."""
    if k >= m.nkey:
        raise FatalError(
            f"mj_setKeyframe: index must be smaller than {m.nkey} (keyframes allocated in model)"
        )
    if k < 0:
        raise FatalError("mj_setKeyframe: keyframe index cannot be negative")
    set_keyframe(d.batch.model, d.batch, k)
