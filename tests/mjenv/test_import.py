"""What `import mjenv` gives, and what it does not load."""

import importlib
import subprocess
import sys
from pathlib import Path

import gymnasium
import pytest

import mjenv


def test_import_is_light():
    heavy = "numba", "pygame", "torch", "matplotlib", "lxml", "mujoco"
    code = f"import sys, mjenv; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_version():
    assert mjenv.__version__.count(".") == 2


def test_names_are_listed():
    """Every line of the stub names what there is, under the name that it has there."""
    assert set(mjenv.__all__) <= set(dir(mjenv))
    stub = Path(mjenv.__file__).with_suffix(".pyi").read_text()
    # enumerations are all that their module has
    named = [s for s in stub.splitlines() if s.startswith("from mjenv") and "import *" not in s]
    lines = [line.split() for line in named]
    assert [line[3] for line in lines] == [line[5] for line in lines] == mjenv.__all__
    for _, module, _, name, *_ in lines:
        assert getattr(mjenv, name) is getattr(importlib.import_module(module), name)
    assert mjenv.Task.__module__ == "mjenv.task.task"


def test_unknown_name():
    with pytest.raises(AttributeError, match="no attribute 'Modell'; did you mean 'Model'"):
        _ = mjenv.Modell


def test_unknown_environment_class():
    import mjenv.envs

    assert "HopperVectorEnv" in dir(mjenv.envs)
    with pytest.raises(AttributeError, match=r"no attribute 'Hoper', expected one of .*Hopper"):
        _ = mjenv.envs.Hoper


def test_unknown_id():
    with pytest.raises(gymnasium.error.NameNotFound, match="Did you mean: `HalfCheetah`"):
        gymnasium.make("mjenv/HalfCheeta-v5")
