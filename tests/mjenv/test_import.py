"""What `import mjenv` gives, and what it does not load."""

import subprocess
import sys

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
    assert set(mjenv.__all__) <= set(dir(mjenv))
    assert mjenv.Task.__module__ == "mjenv.task"


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
