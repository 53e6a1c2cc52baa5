"""The interrupts of `tests/interrupts.py`, a few of them."""

import os
import random
import subprocess
import sys

import pytest

from mjenv.engine.simd import kernel
from tests import interrupts

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "killpg"), reason="processes are interrupted in groups"),
    pytest.mark.skipif(kernel.interpreted(), reason="nothing is compiled"),
]


@pytest.mark.slow
@pytest.mark.parametrize("job", [*interrupts.JOBS])
def test_a_few(job, tmp_path):
    if interrupts.JOBS[job].script is interrupts.COMMAND:
        pytest.importorskip("stable_baselines3")
    # a machine that tests are run on is busy
    options = ("--number", "2", "--limit", "3", "--jobs", job, "--folder", str(tmp_path))
    command = [sys.executable, interrupts.__file__, *options]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr
    assert f"{job}: 2 interrupts" in found.stdout
    assert not list(tmp_path.iterdir())


IGNORES = """
    import signal, time
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("ready", flush=True)
    time.sleep({seconds})
    raise SystemExit({status})
"""


@pytest.mark.parametrize(
    ("status", "amiss"), [(3, "ended with status 3"), (130, "took .* s to end")]
)
def test_what_is_amiss_is_noticed(status, amiss, tmp_path):
    job = interrupts.Job(IGNORES.format(seconds=0.3, status=status), 0.0)
    with pytest.raises(AssertionError, match=amiss):
        interrupts.interrupt(job, tmp_path, random.Random(0), 0.1)


@pytest.mark.slow
def test_processes_that_are_left_are_noticed(tmp_path):
    script = """
        import subprocess, sys, time
        subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
        try:
            print("ready", flush=True)
            # a signal just before a sleep does not end it
            for _ in range(1500):
                time.sleep(0.02)
        except KeyboardInterrupt:
            print("ended", flush=True)
            sys.exit(130)
    """
    # the other one is not sent the signal
    rng = random.Random(next(s for s in range(99) if alone(s)))
    with pytest.raises(AssertionError, match="still runs"):
        interrupts.interrupt(interrupts.Job(script, 0.0), tmp_path, rng, 5.0)


def alone(seed):
    """Whether the process alone gets the signal, with a seed."""
    rng = random.Random(seed)
    rng.randrange(1 << 30)
    rng.uniform(0.0, 0.0)
    return rng.random() < 0.5
