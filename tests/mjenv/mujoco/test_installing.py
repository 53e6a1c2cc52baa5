"""`install()` and `python -m mjenv.mujoco`: programs that import `mujoco`, with it or without."""

import subprocess
import sys

import pytest


def run(*words):
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


PROGRAM = """
import sys
import mujoco
from mujoco import mjtObj
import mujoco._enums
import importlib.metadata
print(mujoco.__name__, importlib.metadata.version("mujoco"), *sys.argv[1:])
assert mujoco._enums.mjtObj is mjtObj is mujoco.mjtObj
from mujoco._render import MjrContext, mjr_render
assert (MjrContext, mjr_render) == (mujoco.MjrContext, mujoco.mjr_render)
assert sys.modules["mujoco"].__spec__.name == "mjenv.mujoco"
assert "gymnasium" not in sys.modules
"""


def test_script(tmp_path):
    script = tmp_path / "program.py"
    script.write_text("import beside\n" + PROGRAM)
    (tmp_path / "beside.py").write_text("")
    assert run("-m", "mjenv.mujoco", str(script), "--x", "1") == [
        "mjenv.mujoco", "3.8.1", "--x", "1",
    ]  # fmt: skip


def test_module(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); "
    code += "sys.argv = ['', '-m', 'program', 'y']; from mjenv.mujoco.__main__ import main; main()"
    assert run("-c", code) == ["mjenv.mujoco", "3.8.1", "y"]


def test_inside_a_program():
    assert run("-c", "import mjenv.mujoco; mjenv.mujoco.install()\n" + PROGRAM)[1] == "3.8.1"


def test_too_late():
    code = "import mujoco, mjenv.mujoco; mjenv.mujoco.install()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "mujoco is imported already" in done.stderr


def test_nothing_to_run():
    done = subprocess.run([sys.executable, "-m", "mjenv.mujoco"], capture_output=True, text=True)
    assert done.returncode == 1
    assert "usage: python -m mjenv.mujoco script.py" in done.stderr


@pytest.mark.sweep(1)
@pytest.mark.parametrize("line", ["from mujoco import mine", "import mujoco.mine as mine"])
def test_modules_of_other_distributions(line, tmp_path):
    """Such as `mujoco.mjx`, which stands in the folder of an installed `mujoco`."""
    folder = tmp_path / "mujoco" / "mine"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("from mujoco.mine.inner import NAME")
    (folder / "inner.py").write_text("import mujoco\nNAME = mujoco.MjModel.__module__")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import mjenv.mujoco as ours\n"
    code += "assert not hasattr(ours, 'mine'); ours.install()\n"
    code += f"{line}\nprint(mine.NAME, mine.__name__); import mujoco; assert mujoco.mine is mine"
    assert run("-c", code) == ["mjenv.mujoco.structs.model", "mujoco.mine"]
