"""Views of one world in place of data: what environments show as their physics.

Public functions of (model, data, ...) take a view too. They work on its world alone then, and
their results have no world axis, as the view's own arrays have none.
"""

import inspect
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

if TYPE_CHECKING:
    # what takes data takes a view, and a view has all that data have
    from .data import Data as Viewed
else:
    Viewed = object

# what advances or fills all worlds, and cannot leave any out
_WHOLE = frozenset({"rollout", "init_ctrl_history", "init_sensor_history"})
# what changes nothing in data
_READING = frozenset(
    (
        *("ray", "multi_ray", "ray_mesh", "ray_hfield", "ray_flex", "ray_skin"),
        *("geom_distance", "contact_force"),
        *("jac", "jac_body", "jac_body_com", "jac_geom", "jac_site", "jac_subtree_com"),
        *("jac_point_axis", "jac_dot", "angmom_mat", "mul_jac_vec", "mul_jac_t_vec"),
        *("full_m", "mul_m", "solve_m", "mul_m2", "solve_m2", "local_to_global"),
        *("object_velocity", "object_acceleration", "read_ctrl", "read_sensor", "get_state"),
    )
)

Function = TypeVar("Function", bound=Callable)


class View(Viewed):
    """One world of data.

    Attributes:
        batch: the data of all worlds.
        plan: None, which tells it from data.
    """

    plan: Any = None
    batch: Any
    _world: int
    _repeats = False


class Locked:
    """Data, or a view of them, that only functions which read may have.

    Attributes:
        _inner: the data, or the view.
    """

    _inner: Any


def takes_views(function: Function) -> Function:
    """Let a function of data, and on request of `mask`, `worlds` or `world`, take views of one."""
    parameters = inspect.signature(function).parameters
    choice = next((name for name in ("mask", "worlds", "world") if name in parameters), None)

    @wraps(function)
    def call(*args: Any, **kwargs: Any):
        # locked data are for reading
        if any(isinstance(x, Locked) for x in (*args, *kwargs.values())):
            if function.__name__ not in _READING:
                raise TypeError(
                    f"{function.__name__}: found the data that a task's function sees, which can "
                    "only be read, expected functions that change nothing"
                )
            args = tuple(x._inner if isinstance(x, Locked) else x for x in args)
            kwargs = {n: x._inner if isinstance(x, Locked) else x for n, x in kwargs.items()}
        # without a view the function is called as it is
        views = [x for x in (*args, *kwargs.values()) if isinstance(x, View)]
        if not views:
            return function(*args, **kwargs)
        batch, world = views[0].batch, views[0]._world
        where = function.__name__
        if any(view._world != world for view in views):
            raise ValueError(f"{where}: views of different worlds, expected views of the same")
        if function.__name__ in _WHOLE and batch.nworld > 1:
            raise ValueError(
                f"{where}: a view of one of {batch.nworld} worlds, expected the data of all: "
                "view.batch"
            )
        args = tuple(x.batch if isinstance(x, View) else x for x in args)
        kwargs = {n: x.batch if isinstance(x, View) else x for n, x in kwargs.items()}
        # its argument for worlds is chosen by the view, and nobody else
        if choice is not None and batch.nworld > 1:
            if kwargs.get(choice) is not None or len(args) > [*parameters].index(choice):
                raise ValueError(f"{where}: {choice}: expected none, a view is of one world")
            kwargs[choice] = {"mask": mask_of(views[0]), "worlds": [world]}.get(choice, world)
        # results lose the axis of worlds, as one does not see it in a view
        result = function(*args, **kwargs)
        chosen = 0 if choice == "worlds" else world
        return result if choice == "world" else _without_worlds(result, chosen)

    return cast(Function, call)


def mask_of(view: View) -> np.ndarray:
    """The world of a view among those of its data, bool (nworld,)."""
    mask = np.zeros(view.batch.nworld, bool)
    mask[view._world] = True
    return mask


def _without_worlds(result: Any, world: int):
    """Result of a function for one of the worlds."""
    if isinstance(result, np.ndarray) and result.ndim:
        return result[world]
    if isinstance(result, tuple):
        parts = (_without_worlds(part, world) for part in result)
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return result
