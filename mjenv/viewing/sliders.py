"""Quantities that sliders move: controls, actions and joints of a world, one number each."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mjenv.engine.tables.enums import JNT_HINGE, JNT_SLIDE

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

# without limits: radians of a hinge, metres of a slide, units of a control
WIDE = {JNT_HINGE: np.pi, JNT_SLIDE: 1.0}
CONTROL = 1.0


class Slider(NamedTuple):
    """A number that a slider shows and moves.

    Attributes:
        name: of the actuator or joint.
        low, high: its range.
        get: how it is now.
        set: puts it.
    """

    name: str
    low: float
    high: float
    get: Callable[[], float]
    set: Callable[[float], None]


def control_range(model: "Model") -> tuple[np.ndarray, np.ndarray]:
    """Lowest and highest controls, (nu,) each; -1 and 1 of those without limits."""
    limited = np.asarray(model.actuator_ctrllimited, bool)
    low, high = np.asarray(model.actuator_ctrlrange).reshape(-1, 2).T
    return np.where(limited, low, -CONTROL), np.where(limited, high, CONTROL)


def control_sliders(model: "Model", data: "Data", world: int) -> list[Slider]:
    """Sliders of the controls of a world."""
    low, high = control_range(model)
    names = [model.actuator(k).name or f"actuator {k}" for k in range(model.nu)]
    return [
        _slider_of(names[k], low[k], high[k], lambda: data.ctrl[world], k) for k in range(model.nu)
    ]


def joint_sliders(model: "Model", data: "Data", world: int) -> list[Slider]:
    """Sliders of the hinges (rad) and slides (m) of a world; free and ball joints have none."""
    sliders = []
    for k in range(model.njnt):
        kind = int(model.jnt_type[k])
        if kind not in WIDE:
            continue
        low, high = model.jnt_range[k] if model.jnt_limited[k] else (-WIDE[kind], WIDE[kind])
        name, place = model.joint(k).name or f"joint {k}", int(model.jnt_qposadr[k])
        sliders.append(_slider_of(name, low, high, lambda: data.qpos[world], place))
    return sliders


def array_sliders(
    names: list[str], low: Any, high: Any, row: Callable[[], np.ndarray]
) -> list[Slider]:
    """Sliders of the numbers of a row, (n,).

    Args:
        names: theirs.
        low, high: ranges, (n,); those without ends go from -1 to 1.
        row: the row as it is now.
    """
    low = np.where(np.isfinite(low), low, -CONTROL)
    high = np.where(np.isfinite(high), high, CONTROL)
    return [_slider_of(name, low[k], high[k], row, k) for k, name in enumerate(names)]


def _slider_of(name: str, low: float, high: float, row: Callable[[], np.ndarray], k: int) -> Slider:
    """The slider of a place of a row; an empty range is widened."""
    if not low < high:
        low, high = low - CONTROL, low + CONTROL

    def put(value: float) -> None:
        row()[k] = value

    return Slider(name, float(low), float(high), lambda: float(row()[k]), put)
