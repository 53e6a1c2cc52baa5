"""Processes that need the same compiled code: one compiles, the others wait or go on."""

import subprocess
import sys
import time

import pytest

from mjenv.engine import kernel
from mjenv.engine.object_files import alone

pytest.importorskip("fcntl")

HOLD = """
import sys, time
from pathlib import Path
from mjenv.engine.object_files import alone
with alone(Path(sys.argv[1])) as held:
    print(held, flush=True)
    time.sleep(float(sys.argv[2]))
"""


@pytest.fixture
def holder(tmp_path):
    """Starts a process that holds the lock of a file for some seconds; returns it and the file."""
    started = []

    def start(seconds):
        path = tmp_path / "cache" / "stage.o"
        code = f"import sys; sys.path[:] = {sys.path!r}\n{HOLD}"
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(path), str(seconds)], stdout=subprocess.PIPE, text=True
        )
        started.append(child)
        assert child.stdout.readline() == "True\n"
        return child, path

    yield start
    for child in started:
        child.kill()
        child.wait()
        child.stdout.close()


def test_a_lock_is_held_by_one_process(holder):
    _, path = holder(60)
    with alone(path, wait=False) as held:
        assert not held
    with alone(path.with_name("other.o"), wait=False) as held:
        assert held


def test_waiting_ends_with_the_other_process(holder):
    child, path = holder(1)
    start = time.monotonic()
    with alone(path) as held:
        assert held
        assert time.monotonic() - start > 0.5
    assert not list(path.parent.iterdir())
    child.wait()


def test_a_lock_ends_with_its_process(holder):
    child, path = holder(60)
    child.kill()
    child.wait()
    with alone(path, wait=False) as held:
        assert held


def test_where_nothing_can_be_written_nobody_waits(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with alone(file / "stage.o", wait=False) as held:
        assert held


def test_what_another_process_has_compiled_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(kernel, "_path", lambda *_: tmp_path / "stage.o")
    monkeypatch.setattr(kernel, "_compile", lambda *_: pytest.fail("compiled twice"))
    real = kernel.alone

    def compiled_meanwhile(path, wait):
        (tmp_path / "stage.o").write_bytes(b"code")
        return real(path, wait)

    monkeypatch.setattr(kernel, "alone", compiled_meanwhile)
    assert kernel._object_code(None, ()) == b"code"
