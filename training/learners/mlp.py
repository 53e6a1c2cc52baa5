"""Multilayer perceptrons with a manual backward pass, for batches of recurring sizes.

Stable-Baselines3's multilayer perceptrons are worked out by hand, in arrays that stay: automatic
differentiation takes three times as long, most of it for what it allocates. Other modules are left
to it.
"""

from typing import Protocol

import numpy as np
import torch
from torch import Tensor, nn


class Network(Protocol):
    """Maps rows to rows, and a gradient of the outputs to one of the parameters.

    The parameters' `grad` are tensors, which stay the same.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Outputs (n, nout) for inputs (n, nin); they stay as they are until the next call."""
        ...

    def backward(self, dy: Tensor) -> None:
        """Put the parameters' gradient into their `grad`.

        Args:
            dy: derivatives (n, nout) of a loss by the outputs of the last `forward`.
        """
        ...

    def pull(self, dy: Tensor) -> Tensor:
        """Derivatives (n, nin) by the last inputs, from those (n, nout) by the outputs.

        They stay as they are until the next call.
        """
        ...


def network(module: nn.Module) -> Network:
    """The module's fastest form: by hand for linear layers with one activation after each of them.

    The last layer may be linear.
    """
    layers = [one for one in module.modules() if type(one) is not nn.Sequential]
    if layers and isinstance(layers[0], FirstColumns):
        return FirstColumnsNetwork(network(nn.Sequential(*layers[1:])), layers[0].width)
    linear, after = layers[::2], layers[1::2]
    if linear and all(type(one) is nn.Linear and one.bias is not None for one in linear):
        for kind, activation in _ACTIVATIONS.items():
            if all(type(one) is kind and getattr(one, "alpha", 1.0) == 1.0 for one in after):
                return ManualMLP(
                    [one for one in linear if isinstance(one, nn.Linear)],
                    [activation() for _ in after],
                )
    return AutogradNetwork(module)


class NormalizedReLU(nn.Module):
    """ReLU of rows brought to mean 0 and variance 1: layer normalization (Ba et al., 2016) first.

    It has no parameters; the linear layer that follows scales and shifts.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Rows (..., n) of rows (..., n)."""
        return nn.functional.relu(nn.functional.layer_norm(x, x.shape[-1:]))


class _Activation(Protocol):
    """An activation after one layer."""

    def forward(self, x: Tensor, bias: Tensor) -> None:
        """Put y = f(x + bias) in the place of x."""
        ...

    def backward(self, dy: Tensor, y: Tensor) -> None:
        """Put dL/dx in the place of dL/dy, by means of the last y."""
        ...


class _Looped:
    """An activation by compiled loops where tensors are in memory, by torch elsewhere.

    Attributes:
        loop: name of the loop; that of its slope has `_slope` behind it.
    """

    loop: str

    def __init__(self) -> None:
        from mjenv.training.learners import elementwise  # brings numba

        self._put = getattr(elementwise, self.loop)
        self._put_slope = getattr(elementwise, f"{self.loop}_slope")

    def forward(self, x: Tensor, bias: Tensor) -> None:
        if x.is_cpu:
            self._put(x.numpy(), bias.numpy(), *self._kept(x))
        else:
            self._forward(x.add_(bias))

    def backward(self, dy: Tensor, y: Tensor) -> None:
        if dy.is_cpu:
            self._put_slope(dy.numpy(), y.numpy(), *self._kept(y))
        else:
            self._backward(dy, y)

    def _kept(self, x: Tensor) -> tuple[np.ndarray, ...]:
        """What the loops have besides, from one to the other."""
        return ()

    def _forward(self, x: Tensor) -> None:
        raise NotImplementedError

    def _backward(self, dy: Tensor, y: Tensor) -> None:
        raise NotImplementedError


class _Tanh(_Looped):
    loop = "put_tanh"

    def _forward(self, x: Tensor) -> None:
        x.tanh_()

    def _backward(self, dy: Tensor, y: Tensor) -> None:
        torch.ops.aten.tanh_backward.grad_input(dy, y, grad_input=dy)


class _ReLU(_Looped):
    loop = "put_relu"

    def _forward(self, x: Tensor) -> None:
        x.clamp_(min=0.0)

    def _backward(self, dy: Tensor, y: Tensor) -> None:
        torch.ops.aten.threshold_backward.grad_input(dy, y, 0.0, grad_input=dy)


class _ELU(_Looped):
    loop = "put_elu"

    def _forward(self, x: Tensor) -> None:
        nn.functional.elu_(x)

    def _backward(self, dy: Tensor, y: Tensor) -> None:
        torch.ops.aten.elu_backward.grad_input(dy, 1.0, 1.0, 1.0, True, y, grad_input=dy)


class _NormalizedReLU(_Looped):
    """Keeps z = (x - mean) / deviation: y has it no more where it is negative."""

    loop = "put_normalized_relu"
    _z = _inverse = torch.empty(0)

    def _kept(self, x: Tensor) -> tuple[np.ndarray, ...]:
        if self._z.shape != x.shape:
            self._z, self._inverse = torch.empty_like(x), torch.empty(len(x), 1)
        return self._z.numpy(), self._inverse.numpy()

    def _forward(self, x: Tensor) -> None:
        norm = torch.native_layer_norm(x, [x.shape[1]], None, None, 1e-5)
        self._z, _, self._inverse = norm
        torch.clamp(self._z, min=0.0, out=x)

    def _backward(self, dy: Tensor, y: Tensor) -> None:
        torch.ops.aten.threshold_backward.grad_input(dy, y, 0.0, grad_input=dy)
        # dL/dx = (dL/dz - mean(dL/dz) - z mean(z dL/dz)) / deviation
        along = (dy * y).mean(1, keepdim=True)
        dy.sub_(dy.mean(1, keepdim=True)).addcmul_(self._z, along, value=-1.0)
        dy.mul_(self._inverse)


_ACTIVATIONS: dict[type[nn.Module], type[_Activation]] = {
    nn.Tanh: _Tanh,
    nn.ReLU: _ReLU,
    nn.ELU: _ELU,
    NormalizedReLU: _NormalizedReLU,
}


class ManualMLP:
    """Linear layers with an activation after them: h' = f(W h + b)."""

    def __init__(self, layers: list[nn.Linear], activations: list[_Activation]):
        """Of layers that stay where they are.

        Args:
            layers: from the inputs to the outputs.
            activations: one after each layer, or after all but the last one.
        """
        self._layers, self._activations = layers, activations
        # for each number of rows: values of the layers, derivatives by those with an activation, by
        # the inputs, and ones
        self._buffers: dict[int, tuple[list[Tensor], list[Tensor], Tensor, Tensor]] = {}

    def _buffers_for(self, n: int) -> tuple[list[Tensor], list[Tensor], Tensor, Tensor]:
        if n not in self._buffers:
            first = self._layers[0]
            place = first.weight.device
            values = [torch.empty(n, layer.out_features, device=place) for layer in self._layers]
            slopes = [torch.empty_like(value) for value in values[: len(self._activations)]]
            by_x = torch.empty(n, first.in_features, device=place)
            self._buffers[n] = values, slopes, by_x, torch.ones(n, device=place)
        return self._buffers[n]

    @torch.no_grad()
    def forward(self, x: Tensor) -> Tensor:
        """Outputs (n, nout) for inputs (n, nin); they stay as they are until the next call."""
        values = self._buffers_for(len(x))[0]
        self._x = x
        for k, (layer, y) in enumerate(zip(self._layers, values, strict=True)):
            if k < len(self._activations):
                torch.mm(x, layer.weight.T, out=y)
                self._activations[k].forward(y, layer.bias.detach())
            else:
                torch.addmm(layer.bias, x, layer.weight.T, out=y)
            x = y
        return values[-1]

    @torch.no_grad()
    def backward(self, dy: Tensor) -> None:
        """Put the parameters' gradient into their `grad`: dL/dW = dL/dyᵀ h, dL/dh = dL/dy W."""
        values, slopes, _, ones = self._buffers_for(len(dy))
        dy = self._last_slope(dy)
        for k in range(len(self._layers) - 1, -1, -1):
            layer, h = self._layers[k], values[k - 1] if k else self._x
            assert layer.weight.grad is not None
            assert layer.bias.grad is not None
            torch.mm(dy.T, h, out=layer.weight.grad)
            torch.mv(dy.T, ones, out=layer.bias.grad)
            if k:
                dy = torch.mm(dy, layer.weight, out=slopes[k - 1])
                self._activations[k - 1].backward(dy, h)

    @torch.no_grad()
    def pull(self, dy: Tensor) -> Tensor:
        """Derivatives (n, nin) by the last inputs, from those (n, nout) by the outputs.

        They stay as they are until the next call.
        """
        values, slopes, by_x, _ = self._buffers_for(len(dy))
        dy = self._last_slope(dy)
        for k in range(len(self._layers) - 1, 0, -1):
            dy = torch.mm(dy, self._layers[k].weight, out=slopes[k - 1])
            self._activations[k - 1].backward(dy, values[k - 1])
        return torch.mm(dy, self._layers[0].weight, out=by_x)

    def _last_slope(self, dy: Tensor) -> Tensor:
        """Derivatives before the last layer's activation, if it has one."""
        values, slopes = self._buffers_for(len(dy))[:2]
        if len(slopes) < len(values):
            return dy
        self._activations[-1].backward(slopes[-1].copy_(dy), values[-1])
        return slopes[-1]


class FirstColumns(nn.Module):
    """The first columns of rows."""

    def __init__(self, width: int):
        """So many."""
        super().__init__()
        self.width = width

    def forward(self, x: Tensor) -> Tensor:
        """Columns (..., width) of rows (..., n)."""
        return x[..., : self.width]


class FirstColumnsNetwork:
    """A network of the first columns of its inputs."""

    def __init__(self, inner: Network, width: int):
        """Of a network of so many inputs."""
        self._inner, self._width = inner, width

    def forward(self, x: Tensor) -> Tensor:
        """Outputs (n, nout) for inputs (n, nin)."""
        self._nin = x.shape[1]
        return self._inner.forward(x[:, : self._width])

    def backward(self, dy: Tensor) -> None:
        """Put the parameters' gradient into their `grad`."""
        self._inner.backward(dy)

    def pull(self, dy: Tensor) -> Tensor:
        """Derivatives (n, nin) by the last inputs: zeros by those that are not looked at."""
        by_x = self._inner.pull(dy)
        return nn.functional.pad(by_x, (0, self._nin - self._width))


class AutogradNetwork:
    """Any module, by automatic differentiation."""

    def __init__(self, module: nn.Module):
        """Of a module that maps rows to rows."""
        self._module, self._parameters = module, list(module.parameters())

    def forward(self, x: Tensor) -> Tensor:
        """Outputs (n, nout) for inputs (n, nin)."""
        with torch.enable_grad():
            self._x = x.detach().requires_grad_()
            self._y = self._module(self._x)
        return self._y.detach()

    def backward(self, dy: Tensor) -> None:
        """Put the parameters' gradient into their `grad`."""
        if not self._parameters:
            return
        for parameter in self._parameters:
            if parameter.grad is not None:
                parameter.grad.zero_()
        torch.autograd.backward(self._y, dy, inputs=self._parameters)

    def pull(self, dy: Tensor) -> Tensor:
        """Derivatives (n, nin) by the last inputs, from those (n, nout) by the outputs."""
        return torch.autograd.grad(self._y, self._x, dy)[0]
