"""States of worlds as rows of numbers, by MuJoCo's bit field of components (mjtState).

MuJoCo's documentation, Computation, "The State".
"""

from enum import IntFlag
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import LARGEST, reals, whole
from ..data.request import check_data, worlds_of
from ..data.views import takes_views
from ..model.model import Model

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..data.data import Data


class State(IntFlag):
    """Components of a state, and usual unions of them, with MuJoCo's values."""

    TIME = 1 << 0
    QPOS = 1 << 1
    QVEL = 1 << 2
    ACT = 1 << 3
    HISTORY = 1 << 4
    WARMSTART = 1 << 5
    CTRL = 1 << 6
    QFRC_APPLIED = 1 << 7
    XFRC_APPLIED = 1 << 8
    EQ_ACTIVE = 1 << 9
    MOCAP_POS = 1 << 10
    MOCAP_QUAT = 1 << 11
    USERDATA = 1 << 12
    PLUGIN = 1 << 13
    PHYSICS = QPOS | QVEL | ACT | HISTORY
    FULLPHYSICS = TIME | PHYSICS | PLUGIN
    USER = CTRL | QFRC_APPLIED | XFRC_APPLIED | EQ_ACTIVE | MOCAP_POS | MOCAP_QUAT | USERDATA
    INTEGRATION = FULLPHYSICS | USER | WARMSTART


class Component(NamedTuple):
    """One bit of a state.

    Attributes:
        bit: its flag.
        field: field of the data.
        size: number of elements of a model's states, as (size, factor).
    """

    bit: State
    field: str
    size: tuple[str | None, int]


COMPONENTS = (
    Component(State.TIME,         "time",           (None, 1)),
    Component(State.QPOS,         "qpos",           ("nq", 1)),
    Component(State.QVEL,         "qvel",           ("nv", 1)),
    Component(State.ACT,          "act",            ("na", 1)),
    Component(State.HISTORY,      "history",        ("nhistory", 1)),
    Component(State.WARMSTART,    "qacc_warmstart", ("nv", 1)),
    Component(State.CTRL,         "ctrl",           ("nu", 1)),
    Component(State.QFRC_APPLIED, "qfrc_applied",   ("nv", 1)),
    Component(State.XFRC_APPLIED, "xfrc_applied",   ("nbody", 6)),
    Component(State.EQ_ACTIVE,    "eq_active",      ("neq", 1)),
    Component(State.MOCAP_POS,    "mocap_pos",      ("nmocap", 3)),
    Component(State.MOCAP_QUAT,   "mocap_quat",     ("nmocap", 4)),
    Component(State.USERDATA,     "userdata",       ("nuserdata", 1)),
    Component(State.PLUGIN,       "plugin_state",   ("npluginstate", 1)),
)  # fmt: skip


def state_size(model: Model, spec: int) -> int:
    """Numbers of a state (mj_stateSize).

    Args:
        model: the model.
        spec: components, flags of `State` or of mujoco.mjtState.

    Returns:
        The length of a row of `get_state`.

    Raises:
        ValueError: a bit is set that has no component.
    """
    return sum(_size(model, part) for part in _components(spec, "state_size"))


@takes_views
def get_state(
    model: Model, data: "Data", spec: int, worlds: "ArrayLike | None" = None
) -> np.ndarray:
    """States of worlds as rows (mj_getState).

    Args:
        model: the model that the data were made for.
        data: worlds.
        spec: components, flags of `State`; they stand in the order of their bits.
        worlds: None for all, or an index, indices, or bool (nworld,).

    Returns:
        (n, size) for n worlds.

    Raises:
        ValueError: data of another model, or a bit is set that has no component.
    """
    check_data(model, data, "get_state")
    chosen, parts = worlds_of(data, worlds, "get_state"), _components(spec, "get_state")
    columns = [np.zeros((len(chosen), 0))]
    for part in parts:
        size = _size(model, part)
        if size and _in_use(data, part):
            columns.append(getattr(data, part.field)[chosen].reshape(len(chosen), size))
        else:
            columns.append(np.zeros((len(chosen), size)))
    return np.concatenate(columns, axis=1)


@takes_views
def set_state(
    model: Model, data: "Data", state: "ArrayLike", spec: int, worlds: "ArrayLike | None" = None
) -> None:
    """Put worlds into states (mj_setState).

    Call `forward` to compute what follows from them.

    Args:
        model: the model that the data were made for.
        data: worlds, changed in place.
        state: what `get_state` returns: (n, size) for n worlds, or one row for all of them.
        spec: components of the state.
        worlds: None for all, or an index, indices, or bool (nworld,).

    Raises:
        ValueError: data of another model, a bit is set that has no component, or the state has the
            wrong shape.
    """
    check_data(model, data, "set_state")
    chosen, parts = worlds_of(data, worlds, "set_state"), _components(spec, "set_state")
    state, size = reals(state, "set_state", "state"), state_size(model, spec)
    if state.shape not in ((size,), (1, size), (len(chosen), size)):
        raise ValueError(
            f"set_state: state has shape {state.shape}, expected ({size},) or "
            f"({len(chosen)}, {size})"
        )
    state = np.broadcast_to(state, (len(chosen), size))
    data.plan.forget_rest()
    start = 0
    for part in parts:
        end = start + _size(model, part)
        values = state[:, start:end]
        # inputs that nobody uses cost nothing while they are zero
        if end > start and (_in_use(data, part) or values.any() or np.signbit(values).any()):
            array = getattr(data, part.field)
            if part.bit == State.EQ_ACTIVE:
                values = values != 0
            array[chosen] = values.reshape(len(chosen), *array.shape[1:])
        start = end


def extract_state(model: Model, src: "ArrayLike", srcspec: int, dstspec: int) -> np.ndarray:
    """Some components of states (mj_extractState).

    Args:
        model: the model.
        src: states with the components of srcspec, (..., size).
        srcspec: components that the states have.
        dstspec: components to extract, a subset of srcspec.

    Returns:
        (..., state_size(model, dstspec)), a copy.

    Raises:
        ValueError: dstspec is not a subset of srcspec, or the states have the wrong shape.
    """
    src = reals(src, "extract_state", "src")
    size = sum(_size(model, part) for part in _components(srcspec, "extract_state"))
    if src.shape[-1:] != (size,):
        raise ValueError(f"extract_state: src has shape {src.shape}, expected (..., {size})")
    wanted = {part.bit for part in _components(dstspec, "extract_state")}
    missing = int(dstspec) & ~int(srcspec)
    if missing:
        raise ValueError(f"extract_state: dstspec: {State(missing)!r}: expected bits of srcspec")
    columns, start = [np.zeros((*src.shape[:-1], 0))], 0
    for part in _components(srcspec, "extract_state"):
        end = start + _size(model, part)
        if part.bit in wanted:
            columns.append(src[..., start:end])
        start = end
    return np.concatenate(columns, axis=-1)


@takes_views
def copy_state(
    model: Model, src: "Data", dst: "Data", spec: int, worlds: "ArrayLike | None" = None
) -> None:
    """Copy components of the state from worlds to the same worlds of other data (mj_copyState).

    Args:
        model: the model that both were made for.
        src: worlds to copy.
        dst: worlds to change; as many.
        spec: components.
        worlds: None for all, or an index, indices, or bool (nworld,).

    Raises:
        ValueError: data of another model, or other numbers of worlds.
    """
    _check_both(model, src, dst, "copy_state")
    set_state(model, dst, get_state(model, src, spec, worlds), spec, worlds)


@takes_views
def copy_data(dst: "Data", model: Model, src: "Data", worlds: "ArrayLike | None" = None) -> None:
    """Copy state, inputs, results and warnings to other data (mj_copyData).

    The order of the arguments is that of mj_copyData; another one is refused rather than copied the
    wrong way. Fields that only one of the two keeps are left out. `copy.deepcopy` makes new data.

    Args:
        dst: worlds to change.
        model: the model that both were made for.
        src: worlds to copy; as many.
        worlds: None for all, or an index, indices, or bool (nworld,).

    Raises:
        TypeError: arguments in another order.
        ValueError: data of another model, or other numbers of worlds.
    """
    if isinstance(dst, Model) or not isinstance(model, Model):
        found = ", ".join(type(x).__name__ for x in (dst, model, src))
        raise TypeError(
            f"copy_data: found ({found}), expected (dst, model, src) as in mj_copyData, "
            "or keywords: copy_data(model=model, src=data, dst=copy)"
        )
    _check_both(model, src, dst, "copy_data")
    chosen = worlds_of(dst, worlds, "copy_data")
    copy_state(model, src, dst, State.INTEGRATION, chosen)
    for name, array in src._arrays.items():
        if name in dst._arrays and array.size:
            dst.take(name, chosen, getattr(src, name)[chosen])
    dst.present_lazy()
    for mine, theirs in (
        (src._warn_number, dst._warn_number),
        (src._warn_info, dst._warn_info),
    ):
        theirs[chosen] = mine[chosen]


def _components(spec: int, where: str) -> list[Component]:
    spec = int(spec) if hasattr(spec, "name") else whole(spec, where, "spec", -LARGEST)
    if not 0 <= spec < 1 << len(COMPONENTS):
        raise ValueError(
            f"{where}: spec={spec}: expected flags of State, below {1 << len(COMPONENTS)}"
        )
    return [part for part in COMPONENTS if spec & part.bit]


def _size(model: Model, part: Component) -> int:
    name, factor = part.size
    return factor * (1 if name is None else int(getattr(model, name)))


def _in_use(data: "Data", part: Component) -> bool:
    """True if anybody has looked at an input that most users never touch; true for others."""
    return part.field not in ("qfrc_applied", "xfrc_applied") or part.field in data.inputs_in_use


def _check_both(model: Model, src: "Data", dst: "Data", where: str) -> None:
    check_data(model, src, where)
    check_data(model, dst, where)
    if src.nworld != dst.nworld:
        raise ValueError(
            f"{where}: dst has {dst.nworld} worlds, expected {src.nworld}, as many as src"
        )
