"""Names of environments to be ported: what is said where there is none."""

import subprocess
import sys

import gymnasium
import pytest

from mjenv.porting.environment.original import made


@pytest.mark.parametrize("name", ["NoSuch-v0", "metaworlds/reach-v3", "HalfCheetah-v999"])
def test_unknown_environment(name):
    with pytest.raises(ValueError, match="expected an id of Gymnasium or of an installed") as error:
        made(name, {})
    assert str(error.value).startswith(f"{name}: no such environment (")


def test_functions_of_modules(tmp_path, monkeypatch):
    """The module is looked for in the current folder, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "ported_tasks.py").write_text("def make(size):\n    return size\nother = 3\n")
    assert made("ported_tasks:make", {"size": 2}) == 2
    for name in ("mak", "other"):
        with pytest.raises(ValueError, match=f"found no function '{name}' in ported_tasks"):
            made(f"ported_tasks:{name}", {})
    with pytest.raises(ValueError, match="absent_tasks: no such module in"):
        made("absent_tasks:make", {})


def test_environments_that_need_arguments():
    gymnasium.register("Sized-v0", entry_point=lambda size: size)
    try:
        with pytest.raises(ValueError, match=r"not made without arguments .*'size'.*--env"):
            made("Sized-v0", {})
    finally:
        del gymnasium.registry["Sized-v0"]


def test_arguments_of_the_command(tmp_path):
    """They reach the function that makes the environment."""
    (tmp_path / "long_poles.py").write_text(
        "import gymnasium\n"
        "def make(limit):\n"
        "    env = gymnasium.make('InvertedPendulum-v5', max_episode_steps=limit)\n"
        "    print(env.spec.max_episode_steps, 'steps')\n"
        "    return env\n"
    )
    command = [sys.executable, "-m", "mjenv", "port", "long_poles:make", "--env-kwargs", "limit:7"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "7 steps" in found.stdout
    assert "long_poles:make: traced" in found.stdout
