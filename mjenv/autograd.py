"""Steps of worlds as functions of PyTorch, differentiated by the exact derivatives of a step.

    from mjenv.autograd import torch_step

    state, sensors = torch_step(model, data, state, ctrl)
    loss(state).backward()  # gradients of the controls, and of the first state

PyTorch comes with `mjenv[train]`; it is imported at the first call.
"""

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.analysis.derivatives import transition_fd
from mjenv.engine.analysis.exact import transition_jacobian
from mjenv.engine.analysis.state import State, get_state, set_state
from mjenv.engine.data.step import step
from mjenv.engine.tables.enums import JNT_BALL, JNT_FREE
from mjenv.system.packages import needed

if TYPE_CHECKING:
    from torch import Tensor

    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model


def torch_step(
    model: "Model", data: "Data", state: "Tensor", ctrl: "Tensor", differences: bool = False
) -> "tuple[Tensor, Tensor]":
    """One step of all worlds, through which PyTorch's gradients go.

    A backward pass multiplies with the Jacobians of the step, which are computed in the forward
    pass where a gradient is asked for. Steps may follow each other, with the same data, before it.
    The gradient with respect to a quaternion is that of a step that normalizes it first: at right
    angles to the quaternion. Second derivatives are refused.

    Args:
        model: the model that the data were made for.
        data: worlds; afterwards they stand behind the step. Their other inputs (applied forces,
            mocap bodies, time) are used as they are.
        state: positions, velocities and activations, (nworld, nq + nv + na), as
            `get_state(model, data, State.PHYSICS)` gives them.
        ctrl: controls, (nworld, nu).
        differences: derivatives by `transition_fd`, for models that have no exact ones.

    Returns:
        The state after the step, (nworld, nq + nv + na), and the sensors of the step, (nworld,
        nsensordata), of the type and on the device of `state`.

    Raises:
        ModuleNotFoundError: PyTorch is not installed.
        ValueError: a tensor of another shape.
        UnsupportedFeature: something in the model has no exact derivatives, and they are asked for.
    """
    for name, tensor, width in (
        ("state", state, model.nq + model.nv + model.na), ("ctrl", ctrl, model.nu),
    ):  # fmt: skip
        if tuple(tensor.shape) != (data.nworld, width):
            raise ValueError(
                f"torch_step: {name}: found shape {tuple(tensor.shape)}, expected"
                f" {(data.nworld, width)}"
            )
    return _function().apply(state, ctrl, model, data, differences)


@cache
def _function() -> Any:
    """The function of PyTorch."""
    with needed("mjenv.autograd"):
        import torch

    def tensor(array: np.ndarray, like: "Tensor") -> "Tensor":
        return torch.from_numpy(array).to(like.device, like.dtype)

    def numbers(given: "Tensor") -> np.ndarray:
        return given.detach().cpu().to(torch.float64).numpy()

    # made here, because its base class is PyTorch's
    class Step(torch.autograd.Function):
        """A step; its Jacobians wait for the backward pass."""

        @staticmethod
        def forward(
            ctx: Any, state: "Tensor", ctrl: "Tensor", model: "Model", data: "Data", near: bool
        ) -> "tuple[Tensor, Tensor]":
            before = numbers(state)
            set_state(model, data, before, State.PHYSICS)
            data.ctrl[:] = numbers(ctrl)
            ctx.model = model
            if any(ctx.needs_input_grad[:2]):
                ctx.slopes = (transition_fd if near else transition_jacobian)(model, data)
            step(model, data)
            after = get_state(model, data, State.PHYSICS)
            ctx.before, ctx.after = before[:, : model.nq], after[:, : model.nq]
            return tensor(after, state), tensor(np.array(data.sensordata), state)

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx: Any, of_state: "Tensor", of_sensors: "Tensor") -> tuple:
            # gradients of states are covectors of the tangent space on the way
            slopes, model = ctx.slopes, ctx.model
            along = to_tangent(model, ctx.after, numbers(of_state))
            sensed = numbers(of_sensors)
            one, two = (
                np.einsum("wi,wij->wj", along, of) + np.einsum("wi,wij->wj", sensed, seen)
                for of, seen in ((slopes.A, slopes.C), (slopes.B, slopes.D))
            )
            found = tensor(from_tangent(model, ctx.before, one), of_state)
            return found, tensor(two, of_state), None, None, None

    return Step


def to_tangent(model: "Model", qpos: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Gradients with respect to numbers of a state, as those with respect to motions of it.

    Args:
        model: the model.
        qpos: positions, (nworld, nq).
        gradient: (nworld, nq + nv + na).

    Returns:
        (nworld, 2 nv + na): positions move by velocities times 1 s.
    """
    moved = np.zeros((len(qpos), model.nv))
    for quat, positions, dofs in _blocks(model):
        there = gradient[:, positions]
        moved[:, dofs] = (
            np.einsum("wi,wij->wj", there, _turns(qpos[:, positions])) if quat else there
        )
    return np.concatenate([moved, gradient[:, model.nq :]], axis=1)


def from_tangent(model: "Model", qpos: np.ndarray, gradient: np.ndarray) -> np.ndarray:
    """Gradients with respect to motions of a state, as those with respect to its numbers.

    Args:
        model: the model.
        qpos: positions, (nworld, nq).
        gradient: (nworld, 2 nv + na).

    Returns:
        (nworld, nq + nv + na); those of quaternions are at right angles to them.
    """
    numbers = np.zeros(qpos.shape)
    for quat, positions, dofs in _blocks(model):
        there = gradient[:, dofs]
        if quat:
            found = qpos[:, positions]
            square = (found * found).sum(axis=1, keepdims=True)
            # the columns are at right angles, each half as long as the quaternion
            there = 4 * np.einsum("wj,wij->wi", there, _turns(found)) / square
        numbers[:, positions] = there
    return np.concatenate([numbers, gradient[:, model.nv :]], axis=1)


def _blocks(model: "Model") -> list[tuple[bool, slice, slice]]:
    """Parts of qpos: whether it is a quaternion, its numbers, its dofs."""
    blocks = []
    for kind, position, dof in zip(
        model.jnt_type.tolist(), model.jnt_qposadr.tolist(), model.jnt_dofadr.tolist(), strict=True
    ):
        if kind == JNT_FREE:
            blocks.append((False, slice(position, position + 3), slice(dof, dof + 3)))
            position, dof = position + 3, dof + 3
        if kind in (JNT_FREE, JNT_BALL):
            blocks.append((True, slice(position, position + 4), slice(dof, dof + 3)))
        else:
            blocks.append((False, slice(position, position + 1), slice(dof, dof + 1)))
    return blocks


def _turns(quat: np.ndarray) -> np.ndarray:
    """Derivatives of quaternions by rotations about the bodies' axes, (nworld, 4, 3) (1/rad)."""
    w, x, y, z = quat.T
    rows = [[-x, -y, -z], [w, -z, y], [z, w, -x], [-y, x, w]]
    return 0.5 * np.moveaxis(np.array(rows), 2, 0)
