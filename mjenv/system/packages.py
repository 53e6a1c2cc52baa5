"""Packages that come with extras of mjenv, and what to say when one is not installed."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

# what is imported -> the smallest extra that brings it
EXTRAS = {
    "dm_control":         "suites",
    "gymnasium_robotics": "suites",
    "ipykernel":          "notebooks",
    "jax":                "libraries",
    "matplotlib":         "train",
    "metaworld":          "suites",
    "minari":             "minari",
    "mujoco":             "test",
    "myosuite":           "suites",
    "nbclient":           "notebooks",
    "onnx":               "onnx",
    "onnxruntime":        "onnx",
    "optuna":             "tune",
    "pettingzoo":         "zoo",
    "pyarrow":            "minari",
    "ray":                "ray",
    "rsl_rl":             "libraries",
    "sb3_contrib":        "train",
    "skrl":               "libraries",
    "stable_baselines3":  "train",
    "tensorboard":        "train",
    "tensordict":         "libraries",
    "tianshou":           "libraries",
    "torch":              "train",
    "torchrl":            "libraries",
    "viser":              "browser",
    "yaml":               "train",
}  # fmt: skip


class MissingPackageError(ModuleNotFoundError):
    """A package is not installed; the message says what needs it, and what installs it."""


def missing(name: str, what: str) -> MissingPackageError:
    """The error for a package that is not installed.

    Args:
        name: what is imported, such as "ray.tune".
        what: what needs it.
    """
    package = name.partition(".")[0]
    source = f"'mjenv[{EXTRAS[package]}]'" if package in EXTRAS else package
    text = f"{package}: not installed, {what} needs it; pip install {source}"
    return MissingPackageError(text, name=name)


@contextmanager
def needed(what: str) -> Iterator[None]:
    """Say what needs a package, where an import inside the `with` statement does not find it.

    Raises:
        MissingPackageError: a package is not installed.
    """
    try:
        yield
    except MissingPackageError:
        raise
    except ModuleNotFoundError as error:
        if error.name is None:
            raise
        raise missing(error.name, what) from error


def load(name: str, what: str) -> Any:
    """Import a module of a package that comes with an extra, for what needs it.

    Raises:
        MissingPackageError: it is not installed.
    """
    with needed(what):
        return importlib.import_module(name)
