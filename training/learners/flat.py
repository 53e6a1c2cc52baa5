"""Parameters, gradients and moments of Adam as parts of one vector each: a step is a few calls."""

from typing import Any

import torch
from torch import Tensor, nn

PLAIN = {
    "weight_decay": 0,
    "amsgrad": False,
    "maximize": False,
    "capturable": False,
    "differentiable": False,
    "decoupled_weight_decay": False,
}


class FlatParameters:
    """Parameters as parts of one vector.

    Attributes:
        vector: (n,), once they have been gathered.
    """

    def __init__(self, parameters: list[nn.Parameter]):
        """Of parameters that stay where they are until they are gathered."""
        self._parameters = parameters
        self.vector = empty_vector(parameters)

    def gather(self) -> None:
        """Have them be parts of the vector, those that are not: at first, and after loading."""
        pairs = zip(self._parameters, parts(self.vector, self._parameters), strict=True)
        for parameter, part in pairs:
            if parameter.data_ptr() != part.data_ptr():
                parameter.data = part.copy_(parameter.data)


def empty_vector(parameters: list[nn.Parameter]) -> Tensor:
    """A vector with room for all numbers of the parameters."""
    size = sum(parameter.numel() for parameter in parameters)
    return torch.empty(size, device=parameters[0].device)


def flat_gradient(parameters: list[nn.Parameter]) -> Tensor:
    """One vector of which the gradients of all parameters are parts."""
    vector = empty_vector(parameters).zero_()
    for parameter, part in zip(parameters, parts(vector, parameters), strict=True):
        parameter.grad = part
    return vector


def parts(vector: Tensor, parameters: list[nn.Parameter]) -> list[Tensor]:
    """Parts of a vector, in the shapes of the parameters."""
    split: Any = vector.split([parameter.numel() for parameter in parameters])
    pairs = zip(split, parameters, strict=True)
    return [part.view_as(parameter) for part, parameter in pairs]


class FlatAdam:
    """Steps of a policy's optimizer; those of Adam are taken for all parameters at once.

    torch's own step of a dozen small tensors spends nine tenths of its time on finding them. The
    optimizer stays what is saved and loaded: its moments become parts of the vectors here.

    Attributes:
        values: the parameters.
    """

    def __init__(self, parameters: list[nn.Parameter], gradient: Tensor):
        """Of parameters whose gradients are parts of a vector, as `flat_gradient` made it."""
        self._parameters, self._gradient = parameters, gradient
        self.values = FlatParameters(parameters)
        self._first, self._second = torch.empty_like(gradient), torch.empty_like(gradient)
        self._steps = torch.zeros(len(parameters), device=gradient.device)

    def prepare(self, optimizer: torch.optim.Optimizer) -> None:
        """Take over the parameters and the moments as they are: before steps, after loading."""
        self._optimizer = optimizer
        self._plain = _is_plain(optimizer, self._parameters)
        self.values.gather()
        if not self._plain:
            return
        with torch.no_grad():
            state: Any = optimizer.state
            if not state:
                self._steps.zero_()
            for name, vector in (("exp_avg", self._first), ("exp_avg_sq", self._second)):
                for parameter, part in self._pairs(vector):
                    known = state[parameter].get(name)
                    if known is None:
                        part.zero_()
                    elif known.data_ptr() != part.data_ptr():
                        part.copy_(known)
                    state[parameter][name] = part
            # one count for each parameter: who loads them counts each
            for parameter, part in zip(self._parameters, self._steps.unbind(), strict=True):
                known = state[parameter].get("step")
                if known is not None and known.data_ptr() != part.data_ptr():
                    part.copy_(known)
                state[parameter]["step"] = part

    def step(self) -> None:
        """Go one step down the gradient."""
        if not self._plain:
            self._optimizer.step()
            return
        group = self._optimizer.param_groups[0]
        beta1, beta2 = group["betas"]
        self._steps.add_(1.0)
        torch.ops.aten._fused_adam_(
            [self.values.vector], [self._gradient], [self._first], [self._second], [],
            [self._steps[0]], lr=group["lr"], beta1=beta1, beta2=beta2, weight_decay=0.0,
            eps=group["eps"], amsgrad=False, maximize=False,
        )  # fmt: skip

    def _pairs(self, vector: Tensor) -> Any:
        return zip(self._parameters, parts(vector, self._parameters), strict=True)


def _is_plain(optimizer: torch.optim.Optimizer, parameters: list[nn.Parameter]) -> bool:
    """True for torch's Adam of these parameters, without additions, after as many steps of each."""
    groups = optimizer.param_groups
    if type(optimizer) is not torch.optim.Adam or len(groups) != 1:
        return False
    mine = [id(parameter) for parameter in groups[0]["params"]]
    if mine != [id(parameter) for parameter in parameters] or isinstance(groups[0]["lr"], Tensor):
        return False
    steps = {float(state["step"]) for state in optimizer.state.values() if "step" in state}
    return len(steps) <= 1 and all(
        groups[0].get(name, usual) == usual for name, usual in PLAIN.items()
    )
