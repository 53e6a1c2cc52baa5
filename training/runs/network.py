"""Agents as networks from raw observations to actions, as files: TorchScript and ONNX."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib.ars.policies import ARSPolicy
from torch import Tensor, nn
from torch.distributions import Distribution

from mjenv.training.agent import Agent
from mjenv.training.learners.mlp import FirstColumns, NormalizedReLU
from mjenv.training.learners.own_networks import is_own
from mjenv.training.learners.picture_networks import PicturePolicy
from mjenv.training.portable import Portable
from mjenv.training.runs.files import check_place, whole

TORCHSCRIPT, ONNX = ".pt", ".onnx"
OPSET, IR = 17, 8  # which runtimes since 2022 read
OBSERVATION, ACTION = "observation", "action"
REMEMBERS = "{}: found a recurrent policy, expected a multilayer perceptron for a file"
# what an activation is in ONNX, one operator after the other
OPERATORS: dict[type[nn.Module], tuple[str, ...]] = {
    nn.Tanh: ("Tanh",),
    nn.ReLU: ("Relu",),
    nn.ELU: ("Elu",),
    NormalizedReLU: ("LayerNormalization", "Relu"),
}


class Whole(nn.Module):
    """A policy with networks of a user: its most likely actions for normalized observations."""

    def __init__(self, policy: Any):
        super().__init__()
        self.policy = policy

    def forward(self, observation: Tensor) -> Tensor:
        """Actions (n, nact), in their range, for observations (n, nobs)."""
        actions = self.policy._predict(observation, deterministic=True)
        if self.policy.squash_output:
            space = self.policy.action_space
            low, high = torch.as_tensor(space.low), torch.as_tensor(space.high)
            actions = low + 0.5 * (actions + 1.0) * (high - low)
        return actions


def layers_of(policy: Any) -> list[Any]:
    """Layers from normalized observations to actions, of PPO's policies and those of ARS.

    They are none for others.
    """
    if isinstance(policy, ARSPolicy):
        return [*policy.action_net]
    extractor = getattr(policy, "mlp_extractor", None)
    layers = [] if extractor is None else [*extractor.policy_net, policy.action_net]
    # without what picks columns for an actor that sees less
    return layers[bool(layers) and isinstance(layers[0], FirstColumns) :]


def bias_of(layer: nn.Linear) -> Tensor:
    """The bias of a layer, (nout,), zeros where it has none."""
    return layer.weight.new_zeros(layer.out_features) if layer.bias is None else layer.bias


class Network(nn.Module):
    """The most likely actions for observations, whose normalization is inside.

    Args:
        layers: linear ones, with activations of `OPERATORS` between them.
        mean: of observations, (nobs,).
        deviation: of observations, (nobs,).
        limit: normalized observations are clipped to -limit ... limit.
        low: the least actions, (nact,).
        high: the greatest actions, (nact,).
    """

    mean: Tensor
    deviation: Tensor
    low: Tensor
    high: Tensor

    def __init__(self, layers: list[nn.Module], mean: Any, deviation: Any, limit: float, low: Any,
                 high: Any):  # fmt: skip
        super().__init__()
        self.layers, self.limit = nn.Sequential(*layers), float(limit)
        named = {"mean": mean, "deviation": deviation, "low": low, "high": high}
        for name, value in named.items():
            self.register_buffer(name, torch.as_tensor(np.asarray(value, np.float32)))

    def forward(self, observation: Tensor) -> Tensor:
        """Actions (n, nact) for observations (n, nobs), float32."""
        x = torch.clamp((observation - self.mean) / self.deviation, -self.limit, self.limit)
        return torch.minimum(torch.maximum(self.layers(x), self.low), self.high)

    @classmethod
    def of_agent(cls, agent: Agent) -> "Network":
        """That of a trained agent.

        Raises:
            ValueError: its policy is no perceptron.
        """
        policy: Any = agent.model.policy
        space, normalize = policy.action_space, agent.normalize
        low, high = space.low, space.high
        if hasattr(policy, "lstm_actor"):
            raise ValueError(REMEMBERS.format("export"))
        if isinstance(policy, PicturePolicy):
            raise ValueError(
                "export: found an agent that acts by the last pictures, expected one that sees "
                "vectors; `Agent.load` reads it where mjenv is"
            )
        if is_own(policy):
            layers: list[nn.Module] = [Whole(policy)]
        elif hasattr(policy, "actor"):
            # off-policy algorithms squash actions, and then stretch them to their range
            stretch = nn.Linear(low.size, low.size)
            with torch.no_grad():
                stretch.weight.copy_(torch.diag(torch.as_tensor(0.5 * (high - low))))
                stretch.bias.copy_(torch.as_tensor(0.5 * (high + low)))
            actor = policy.actor
            if isinstance(actor.mu, nn.Sequential):  # TD3's, squashed by its last layer
                layers = [*actor.mu, stretch]
            else:
                layers = [*actor.latent_pi, actor.mu, nn.Tanh(), stretch]
        else:
            layers = layers_of(policy)
        known = (nn.Linear, Whole, *OPERATORS)
        strange = [type(layer).__name__ for layer in layers if type(layer) not in known]
        if strange:
            raise ValueError(
                f"export: the policy has {strange[0]}, expected a perceptron: linear layers with "
                "tanh, ReLU, ELU or normalized ReLU between them"
            )
        # the normalization becomes part of the network
        size = getattr(layers[0], "in_features", policy.observation_space.shape[0])
        if not normalize.norm_obs:
            return cls(layers, np.zeros(size), np.ones(size), np.inf, low, high)
        rms: Any = normalize.obs_rms
        deviation = np.sqrt(rms.var[:size] + normalize.epsilon)
        return cls(layers, rms.mean[:size], deviation, normalize.clip_obs, low, high)

    @classmethod
    def of_portable(cls, agent: Portable) -> "Network":
        """That of an agent's file."""
        layers: list[nn.Module] = []
        for weight, bias in zip(agent.weights, agent.biases, strict=True):
            layer = nn.Linear(weight.shape[1], weight.shape[0])
            with torch.no_grad():
                layer.weight.copy_(torch.as_tensor(weight))
                layer.bias.copy_(torch.as_tensor(bias))
            layers += [layer, nn.Tanh()]
        return cls(layers[:-1], agent.mean, agent.deviation, agent.limit, agent.low, agent.high)

    def save(self, path: str | Path, info: dict[str, Any]) -> None:
        """Write it into a file: `.pt` for TorchScript, `.onnx` for ONNX.

        Args:
            path: the file.
            info: what else the file says, as "env"; the extra file "info.json" of TorchScript, the
                metadata of ONNX.

        Raises:
            ValueError: another suffix, or networks of a user for ONNX.
            OSError: the file cannot be written.
            ModuleNotFoundError: ONNX is asked for and not installed.
        """
        path = Path(path)
        kinds = {TORCHSCRIPT: self._torchscript, ONNX: self._onnx}
        if path.suffix not in kinds:
            raise ValueError(f"{path}: suffix is {path.suffix!r}, expected one of {list(kinds)}")
        if path.suffix == ONNX and isinstance(self.layers[0], Whole):
            raise ValueError(
                f"{path}: the agent has networks of its own, expected a perceptron for ONNX; write "
                f"a file of TorchScript, {path.with_suffix(TORCHSCRIPT)}"
            )
        check_place(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as partial:
            kinds[path.suffix](partial, {name: str(value) for name, value in info.items()})

    def _torchscript(self, path: Path, info: dict[str, str]) -> None:
        example = torch.zeros(1, self.mean.numel())
        checks = Distribution._validate_args  # which a trace cannot follow
        Distribution.set_default_validate_args(False)
        try:
            traced = torch.jit.trace(self.eval(), example)
        finally:
            Distribution.set_default_validate_args(checks)
        torch.jit.save(traced, str(path), _extra_files={"info.json": json.dumps(info)})

    def _onnx(self, path: Path, info: dict[str, str]) -> None:
        import onnx
        from onnx import TensorProto, helper, numpy_helper

        # arrays by name, and what is done with them
        arrays = {
            name: getattr(self, name).numpy() for name in ("mean", "deviation", "low", "high")
        }
        limit = np.float32(self.limit)
        arrays |= {"least": -limit, "most": limit}
        steps = [("Sub", ["mean"], {}), ("Div", ["deviation"], {}), ("Clip", ["least", "most"], {})]
        for k, layer in enumerate(self.layers):
            if isinstance(layer, nn.Linear):
                names = [f"weight{k}", f"bias{k}"]
                values = (layer.weight, bias_of(layer))
                arrays |= zip(names, (v.detach().numpy() for v in values), strict=True)
                steps.append(("Gemm", names, {"transB": 1}))
                width = layer.out_features
            for operator in OPERATORS.get(type(layer), ()):
                if operator == "LayerNormalization":
                    arrays[f"ones{k}"] = np.ones(width, np.float32)
                    steps.append((operator, [f"ones{k}"], {"epsilon": 1e-5}))
                else:
                    steps.append((operator, [], {}))
        steps += [("Max", ["low"], {}), ("Min", ["high"], {})]
        # one after the other
        nodes, last = [], OBSERVATION
        for k, (operator, names, options) in enumerate(steps):
            result = ACTION if k == len(steps) - 1 else f"x{k}"
            nodes.append(helper.make_node(operator, [last, *names], [result], **options))
            last = result
        ends = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT, ["n", size])
            for name, size in ((OBSERVATION, self.mean.numel()), (ACTION, self.low.numel()))
        ]
        constants = [numpy_helper.from_array(np.asarray(v), n) for n, v in arrays.items()]
        graph = helper.make_graph(nodes, "agent", ends[:1], ends[1:], constants)
        versions = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=versions, producer_name="mjenv")
        model.ir_version = IR
        helper.set_model_props(model, info)
        onnx.checker.check_model(model)
        onnx.save(model, str(path))
