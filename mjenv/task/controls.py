"""Inputs of the physics that a task makes of actions, with its method `control`."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.task.task import CONTROLS, Task

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data

_BOUNDS = "a pair of numbers or of arrays (size,)"


def has_control(task: Task) -> bool:
    """True if a task makes inputs of actions, rather than give them to the actuators."""
    return type(task).control is not Task.control


def action_limits(task: Task) -> tuple[np.ndarray, np.ndarray] | None:
    """Lowest and highest actions of a task, (size,) each; None for the actuators' ranges.

    Raises:
        TypeError: it has limits, but no method that they are of.
        ValueError: they are none.
    """
    where, limits = f"{type(task).__name__}.action_limits", task.action_limits
    if limits is None:
        return None
    if not has_control(task):
        raise TypeError(
            f"{where}: found limits, but the actuators get actions as they are, within their "
            "ctrlrange; write the method `control`, which makes controls of actions"
        )
    # numbers are the limits of as many actions as there are actuators
    try:
        low, high = (np.array(bound, np.float32) for bound in limits)
        if not (low.ndim or high.ndim):
            low = np.full(task.model.nu, low, np.float32)
        low, high = (np.array(bound) for bound in np.broadcast_arrays(low, high))
    except (TypeError, ValueError):
        raise ValueError(f"{where}: found {limits!r}, expected {_BOUNDS}") from None
    if low.ndim != 1 or not low.size or not (low < high).all():
        raise ValueError(
            f"{where}: found {low.tolist()} and {high.tolist()}, expected {_BOUNDS}, the lower "
            "ones first"
        )
    return low, high


def action_size(task: Task) -> int:
    """Numbers of an action."""
    limits = action_limits(task)
    return int(task.model.nu) if limits is None else len(limits[0])


def inputs(task: Task, data: "Data", given: Any, lead: tuple[int, ...]) -> dict[str, Any]:
    """What `control` gave, by field, each of the shape of that field in every world.

    Args:
        task: the task.
        data: its physics.
        given: controls, or a dict of fields.
        lead: () for one world, (n,) for n.

    Raises:
        TypeError: it is nothing, or has a field that is no input.
        ValueError: a field has another shape.
    """
    where = f"{type(task).__name__}.control"
    if given is None:
        raise TypeError(
            f"{where}: returned None, expected controls (..., nu) or a dict of some of "
            f"{', '.join(CONTROLS)}"
        )
    named = given if isinstance(given, dict) else {"ctrl": given}
    unknown = [name for name in named if name not in CONTROLS]
    if unknown:
        raise TypeError(f"{where}: found {unknown[0]!r}, expected some of {', '.join(CONTROLS)}")
    # fields in one order, whatever that of the dict is
    found = {name: named[name] for name in CONTROLS if name in named}
    for name, value in found.items():
        # values that are traced stay as they are
        found[name] = value = value if hasattr(value, "shape") else np.asarray(value)
        shape = (*lead, *getattr(data, name).shape[1:])
        if lead and value.shape == shape[len(lead) :]:
            # the same in all worlds
            found[name] = value = np.broadcast_to(value, shape)
        if value.shape != shape:
            raise ValueError(
                f"{where}: {name} has shape {value.shape}, expected {shape}"
                + ("" if name == "ctrl" else "; all of it, as data has it where nothing changes")
            )
    return found
