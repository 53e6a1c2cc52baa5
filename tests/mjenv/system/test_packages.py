"""What is said when a package is not installed: what needs it, and the extra that brings it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from mjenv.commands.cli import explain, main
from mjenv.system import packages

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")

PROJECT = tomllib.loads((Path(__file__).resolve().parents[3] / "pyproject.toml").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
TOOLS = ("clients", "dev", "docs")  # of those who work on mjenv; nothing of it imports them
CALLED = {"pyyaml": "yaml", "rsl_rl_lib": "rsl_rl"}  # that are imported under another name
IMPORTED = {"pytest": None, "pytest_xdist": None}  # by the tests alone


def names(extra):
    """What a package of an extra is imported as; without mjenv's own."""
    found = [re.split(r"[\[<>=;, ]", one)[0].replace("-", "_") for one in EXTRAS[extra]]
    found = [CALLED.get(name, name) for name in found]
    return [name for name in found if name != "mjenv" and name not in IMPORTED]


def test_every_package_of_an_extra_has_its_row():
    offered = {name for extra in EXTRAS if extra not in TOOLS for name in names(extra)}
    assert offered == set(packages.EXTRAS)
    for name, extra in packages.EXTRAS.items():
        assert name in names(extra)


def test_an_error_without_a_name_keeps_its_text():
    assert explain(ModuleNotFoundError("Ray is far away")) == "Ray is far away"
    assert explain(packages.missing("ray.tune", "a search")) == (
        "ray: not installed, a search needs it; pip install 'mjenv[ray]'"
    )
    error = ModuleNotFoundError("No module named 'torch'", name="torch.nn")
    assert explain(error) == (
        "torch: not installed, this command needs it; pip install 'mjenv[train]'"
    )


@pytest.mark.parametrize(
    ("argv", "package", "expected"),
    [
        (["train", "Hopper-v5", "--ray"], "ray", "ray: not installed, a cluster needs it"),
        (["tune", "Hopper-v5", "--ray"], "ray", "ray: not installed, a cluster needs it"),
        (["tune", "Hopper-v5"], "optuna", "optuna: not installed, a search needs it"),
    ],
)
def test_commands(argv, package, expected, tmp_path, monkeypatch, capsys):
    pytest.importorskip("stable_baselines3")
    pytest.importorskip("optuna")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    assert main(argv) == 1
    text = capsys.readouterr().err
    assert text == f"mjenv {argv[0]}: {expected}; pip install 'mjenv[{packages.EXTRAS[package]}]'\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("module", "package", "extra"),
    [
        ("mjenv.sb3", "stable_baselines3", "train"),
        ("mjenv.cluster", "torch", "train"),
        ("mjenv.zoo", "pettingzoo", "zoo"),
    ],
)
def test_modules(module, package, extra):
    code = f"import sys; sys.modules[{package!r}] = None; import {module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    expected = f"{package}: not installed, {module} needs it; pip install 'mjenv[{extra}]'"
    assert done.stderr.splitlines()[-1] == f"mjenv.system.packages.MissingPackageError: {expected}"


def test_a_rollout_without_parquet(tmp_path, monkeypatch):
    pytest.importorskip("stable_baselines3")
    from mjenv.cluster import rollout

    monkeypatch.setitem(sys.modules, "pyarrow", None)
    expected = r"pyarrow: not installed, a rollout needs it; pip install 'mjenv\[minari\]'"
    with pytest.raises(packages.MissingPackageError, match=expected):
        rollout("Hopper-v5", 2, tmp_path / "rows")
    assert not list(tmp_path.iterdir())
