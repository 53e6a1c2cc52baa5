"""The pickles of a run's folder, read without executing what stands in them.

A pickle is a program that names classes and functions and calls them. This reader finds none but
those that runs are made of: arrays, spaces, random generators, statistics, schedules and classes of
policies. Whatever else a file names is refused, before anything of it has happened.
"""

import base64
import collections
import importlib
import io
import json
import pickle
import types
from pathlib import Path
from typing import Any, ClassVar
from zipfile import ZipFile

import numpy as np
import torch
from gymnasium import spaces
from numpy.random import PCG64, Generator, SeedSequence
from stable_baselines3.common import noise, utils
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.buffers import BaseBuffer
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.running_mean_std import RunningMeanStd
from stable_baselines3.common.type_aliases import TrainFreq, TrainFrequencyUnit
from stable_baselines3.common.vec_env import VecNormalize

from mjenv.training.learners.mlp import NormalizedReLU

SERIALIZED = ":serialized:"  # where Stable-Baselines3 keeps a pickle in the JSON of an agent


class UntrustedError(ValueError):
    """A file would execute code, and nobody has said that it may."""


NUMBERS = "biuf"  # kinds of types that are plain numbers


def _dtype(code: str, *options: Any) -> np.dtype:
    """A type of plain numbers: of others, bytes of a file would be taken for addresses."""
    made = np.dtype(code, *options)
    if made.kind not in NUMBERS:
        raise UntrustedError(f"has an array of {made}")
    return made


def _empty(*_: Any) -> np.ndarray:
    """An array that is filled next."""
    return np.ndarray((0,), np.int8)


# what may be named, and what stands for it
_ARRAYS: dict[tuple[str, str], Any] = {
    ("numpy", "dtype"): _dtype,
    ("numpy", "ndarray"): "an array",  # which is only told to `_reconstruct`
    **{("numpy", name): getattr(np, name) for name in ("float32", "float64", "int32", "int64")},
}
_OWN = (
    collections.deque, spaces.Box, spaces.Dict, PCG64, Generator, SeedSequence, RunningMeanStd,
    VecNormalize, TrainFreq, TrainFrequencyUnit, noise.NormalActionNoise,
    noise.OrnsteinUhlenbeckActionNoise, noise.VectorizedActionNoise,
    utils.FloatSchedule, utils.ConstantSchedule, utils.LinearSchedule,
)  # fmt: skip
# functions of numpy, by the last part of their module's name: the rest depends on the version
_NUMPYS = {
    "multiarray": ("scalar",),
    "numeric": ("_frombuffer",),
    "_pickle": ("__generator_ctor", "__bit_generator_ctor"),
    "bit_generator": ("SeedSequence", "__pyx_unpickle_SeedSequence"),
    "_pcg64": ("PCG64",),
}
# packages whose classes of these kinds may be named
# modules whose classes stand in agents of before they were sorted into folders
_MOVED = {
    f"mjenv.training.{name}": f"mjenv.training.learners.{name}"
    for name in ("actors", "finite", "off_policy", "ppo", "replay", "rollout", "update")
}
_PACKAGES = ("mjenv.training.", "stable_baselines3.", "sb3_contrib.", "torch.nn.modules.")
_KINDS = (
    BasePolicy, BaseBuffer, torch.nn.Tanh, torch.nn.ReLU, torch.nn.ELU, torch.nn.SiLU,
    NormalizedReLU,
)  # fmt: skip


_BUILD: Any = pickle._Unpickler.dispatch[pickle.BUILD[0]]  # fills an object


class _Reader(pickle._Unpickler):
    """An unpickler of what runs are made of."""

    dispatch: ClassVar[dict[int, Any]] = dict(pickle._Unpickler.dispatch)
    stack: list[Any]

    def find_class(self, module: str, name: str) -> Any:
        """Class or function that a pickle names.

        Raises:
            UntrustedError: it is not among what runs are made of.
        """
        module = _MOVED.get(module, module)
        if (module, name) in _ARRAYS:
            return _ARRAYS[module, name]
        if module.startswith("numpy.") and name == "_reconstruct":
            return _empty
        for one in _OWN:
            if (one.__module__, one.__qualname__) == (module, name):
                return one
        if module.startswith("numpy.") and name in _NUMPYS.get(module.rpartition(".")[2], ()):
            # numpy 2 calls numpy.core numpy._core
            place = module.replace("numpy.core.", "numpy._core.")
            return getattr(importlib.import_module(place), name)
        if module.startswith(_PACKAGES) and name.isidentifier():
            found = getattr(importlib.import_module(module), name, None)
            if isinstance(found, type) and issubclass(found, _KINDS):
                return found
        raise UntrustedError(f"names {module}.{name}")

    def _build(self) -> None:
        """Fill an object: never a class or a function, and types of numbers stay what they are."""
        made, state = self.stack[-2], self.stack[-1]
        fixed = type, types.FunctionType, types.BuiltinFunctionType, types.ModuleType
        strange = isinstance(made, fixed)
        if isinstance(made, np.dtype):
            plain = made.kind in NUMBERS and state[1] in ("<", "|", "=")
            strange = not plain or tuple(state[2:5]) != (None,) * 3 or any(state[7:])
        if strange:
            raise UntrustedError(f"changes {made!r}")
        _BUILD(self)

    dispatch[pickle.BUILD[0]] = _build


def loads(content: bytes, where: str, trust: bool = False) -> Any:
    """The object of a pickle.

    Args:
        content: the pickle.
        where: the file, for messages.
        trust: whether anything may be executed.

    Raises:
        UntrustedError: something would be.
    """
    if trust:
        return pickle.loads(content)
    try:
        return _Reader(io.BytesIO(content)).load()
    except UntrustedError as error:
        raise UntrustedError(
            f"{where}: {error}, expected numbers, spaces and policies alone: anything else would "
            "be executed; pass --trust (trust=True) if you trust who made the run"
        ) from None


def load(path: Path, trust: bool = False) -> Any:
    """The object of a file; see `loads`."""
    return loads(path.read_bytes(), str(path), trust)


def load_learner(kind: Any, path: Path, trust: bool = False, **how: Any) -> BaseAlgorithm:
    """A learner from a file of Stable-Baselines3's: JSON with pickles in it, and tensors.

    Tensors are read by torch, which executes nothing for them.

    Args:
        kind: class of the learner.
        path: the file.
        trust: whether anything may be executed.
        **how: further arguments of the class's `load`.

    Raises:
        UntrustedError: something would be.
        KeyError: the file has no settings of a learner.
    """
    content = path.read_bytes()
    with ZipFile(io.BytesIO(content)) as archive:
        data = json.loads(archive.read("data"))
    pickles = {n: v[SERIALIZED] for n, v in data.items() if isinstance(v, dict) and SERIALIZED in v}
    objects = {
        name: loads(base64.b64decode(text), f"{path}: {name}", trust)
        for name, text in pickles.items()
    }
    return kind.load(io.BytesIO(content), custom_objects=objects, device="cpu", **how)
