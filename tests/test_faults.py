"""The faults of `tests/faults.py`, a few of them: the next start is clean, damage is noticed."""

import os
import subprocess
import sys

import pytest

from mjenv.engine.simd import kernel
from tests import faults

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked"),
    pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled"),
]


def run(*options):
    """The script in a process of its own: it sets what others must not see."""
    command = [sys.executable, faults.__file__, *options]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.mark.slow
def test_compiling(tmp_path):
    found = run("--kills", "6", "--jobs", "compile", "--folder", str(tmp_path))
    assert found.returncode == 0, found.stdout + found.stderr
    assert "compile: 6 kills" in found.stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("job", ["train", "film"])
def test_training_and_films(job, tmp_path):
    pytest.importorskip("stable_baselines3")
    found = run("--kills", "2", "--jobs", job, "--folder", str(tmp_path))
    assert found.returncode == 0, found.stdout + found.stderr


def test_damage_is_noticed(tmp_path, monkeypatch):
    """A file that is read without a look at its digest."""
    path = tmp_path / "faults" / "cache" / "scaled-0.o"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"half")
    job = faults.Compile.__new__(faults.Compile)
    job.folder, job.entries = path.parent, []
    with pytest.raises(AssertionError, match=r"scaled-0\.o is damaged"):
        job.check()
