"""Values of signed distance fields: from compiled code, or functions of users in plain Python."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..model.plugin_config import plugin_config
from ..physics.collision.sdf_shapes import STEP, evaluate_field
from ..physics.rays.signed_distance import STRIPS
from ..shapes.user_shapes import with_users
from ..simd import kernel
from ..simd.meaning import is_kernel
from ..tables import plugin_kinds

if TYPE_CHECKING:
    from ..model.model import Model
    from .plan import Plan
    from .scratch import Scratch


def attach_fields(plan: "Plan", scratch: "Scratch") -> None:
    """Let the stages of a thread ask for distances and gradients of fields."""
    compiled = with_users(evaluate_field, plan.model.plugin.tolist())
    address = kernel.address(compiled, *plan.records)
    shapes = shapes_in_python(plan.model)
    if shapes:
        call = _asker(plan.model, scratch, shapes, compiled, address)
        keep, address = kernel.callback(call, scratch.fail)
        scratch.callbacks.append(keep)
    scratch.data.arrays["sdf_call"][0] = address


def shapes_in_python(model: "Model") -> dict[int, tuple[Callable, np.ndarray]]:
    """Functions of plugin instances that are plain Python, with the numbers of their settings."""
    found = {}
    for instance, place in enumerate(model.plugin.tolist()):
        kind = plugin_kinds.kind_at(place)
        if kind.distance is not None and not is_kernel(kind.distance):
            config = plugin_config(model, instance)
            found[instance] = kind.distance, plugin_kinds.setting_numbers(kind, config)
    return found


def _asker(
    model: "Model", scratch: "Scratch", shapes: dict, compiled: Callable, address: int
) -> Callable[[], None]:
    """A function of no arguments that answers the question in a thread's scratch."""
    arrays = scratch.data.arrays
    asked, point, answer = (arrays[f"sdf_{name}"] for name in ("asked", "point", "answer"))
    points, wanted, answers = (arrays[f"sdf_{name}"] for name in ("points", "wanted", "answers"))
    others: Any = None if kernel.interpreted() else kernel.callable_at(address, 2)

    def call() -> None:
        geom, _, question = asked.ravel().tolist()
        instance = int(model.geom_plugin[geom])
        if instance not in shapes:
            if others is None:
                compiled(scratch.model, scratch.data)
            else:
                others(scratch.model.address, scratch.data.address)
            return
        function, numbers = shapes[instance]
        try:
            if question < STRIPS:
                found = _answer(function, numbers, point.ravel().tolist(), bool(question))
                answer.ravel()[: len(found)] = found
                return
            for k in np.flatnonzero(wanted[0] > 0):
                x = points[:, k].tolist()
                found = _answer(function, numbers, x, question > STRIPS)
                answers[: len(found), k] = found
        except BaseException as error:
            # raised when the stages have returned
            scratch.fail(error)
            answer.fill(1.0)
            answers.fill(1.0)

    return call


def _answer(
    function: Callable, numbers: np.ndarray, point: Any, wants_gradient: bool
) -> list[float]:
    """Distance of a point by a user's function, or the difference quotients there."""
    x, y, z = point
    here = float(function(numbers, (x, y, z)))
    if not wants_gradient:
        return [here]
    moved = ((x + STEP, y, z), (x, y + STEP, z), (x, y, z + STEP))
    return [(float(function(numbers, p)) - here) / STEP for p in moved]
