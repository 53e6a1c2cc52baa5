"""Functions of the state: its size, copies from data to data, keyframes."""

import numpy as np

from mjenv.engine.analysis import state
from mjenv.engine.data.whole_copies import copied_whole
from mjenv.engine.edit.constants import set_keyframe
from mjenv.mujoco.enumerations import mjtState
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.structs import MjData, MjModel

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


def mj_extractState(m: MjModel, src: np.ndarray, srcsig: int, dst: np.ndarray, dstsig: int) -> None:
    """Copy components of a state out of an array of more."""
    dst[:] = state.extract_state(m, src, srcsig, dstsig)


def mj_copyState(m: MjModel, src: MjData, dst: MjData, sig: int) -> None:
    """Copy components of the state from one data to others."""
    state.copy_state(dst.batch.model, src.batch, dst.batch, sig)


def mj_copyData(dest: MjData, m: MjModel, src: MjData) -> None:
    """Copy state, inputs and results from one data to others."""
    if not copied_whole(src.batch, dest.batch):
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
