"""Compiling can be interrupted, and no process is left behind."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from mjenv.engine.simd import kernel, processes

pytestmark = [
    pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled"),
    pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked up in /proc"),
]
SCRIPT = """
    import mjenv
    m = mjenv.Model.from_xml_string("<mujoco><worldbody><geom type='plane' size='5 5 1'/>"
        "<body pos='0 0 1'><freejoint/><geom size='.1'/></body></worldbody></mujoco>")
    d = mjenv.Data(m, 8)
    print("ready", flush=True)
    mjenv.step(m, d)
"""


def children_of(parent):
    """Numbers of the processes that a process has started and that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def gone(numbers, seconds):
    """Whether processes have ended after some time at most."""
    end = time.monotonic() + seconds
    while any(Path(f"/proc/{n}").exists() for n in numbers) and time.monotonic() < end:
        time.sleep(0.02)
    return not any(Path(f"/proc/{n}").exists() for n in numbers)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_compiling_ends_with_all_processes(tmp_path, number):
    environment = {**os.environ, "MJENV_CACHE_DIR": str(tmp_path), "MJENV_QUIET": "1"}
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(SCRIPT)], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    began = time.monotonic()
    while not (children := children_of(process.pid)):
        assert time.monotonic() - began < 60
        time.sleep(0.02)
    time.sleep(2.0)
    sent = time.monotonic()
    process.send_signal(number)
    _, errors = process.communicate(timeout=60)
    assert time.monotonic() - sent < 2.0
    assert process.returncode == -number
    assert ("KeyboardInterrupt" in errors) == (number == signal.SIGINT)
    assert gone(children, 3.0)
    # and what was being stored
    assert not [path.name for path in tmp_path.iterdir() if ".o." in path.name]


def test_what_travels():
    def local(m, d):
        pass

    assert processes.can_travel((kernel.kernel,))
    assert not processes.can_travel((kernel.kernel(local),))


def test_a_process_that_cannot_start(monkeypatch):
    """Then this one compiles."""
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert processes.start([]) is None


def test_a_process_that_fails_has_nothing_to_say():
    child = processes.start([(processes.start, "no record")])
    looked = []
    assert processes.wait([child], lambda: looked.append(1)) == []
    assert looked
    assert child.returncode not in (0, None)
