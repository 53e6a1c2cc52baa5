"""Start-up drivers: seconds from the start of an interpreter to the end of the first step.

A cold start gives mjenv an empty cache of compiled code, as on a fresh machine. Peers are
compiled before they are installed, so that their cold and warm starts are the same measurement.
"""

import os
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

from .clock import now

if TYPE_CHECKING:
    from mjenv.benchmarks.rows import Row


_GYM = """
import gymnasium
{extra}
env = gymnasium.make("{task}")
env.reset(seed=0)
env.step(env.action_space.sample())
"""

_ENVPOOL = """
import envpool
import numpy
env = envpool.make("{task}", env_type="gymnasium", num_envs=1)
env.reset()
env.step(numpy.zeros((1, *env.action_space.shape)))
"""


def mjenv_cold(row: "Row", nthread: int):
    """Seconds to the first step of mjenv with nothing compiled."""
    code = _GYM.format(extra="import mjenv", task=f"mjenv/{row.model}")

    def repeat():
        with tempfile.TemporaryDirectory(prefix="mjenv-cold-") as folder:
            caches = ("MJENV_CACHE_DIR", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")
            return _seconds(code, dict.fromkeys(caches, folder))

    return repeat


def mjenv_warm(row: "Row", nthread: int):
    """Seconds to the first step of mjenv from the cache; the first run, not timed, fills it."""
    return _warm(_GYM.format(extra="import mjenv", task=f"mjenv/{row.model}"))


def gymnasium(row: "Row", nthread: int):
    """Seconds to the first step of Gymnasium's environment."""
    return _warm(_GYM.format(extra="", task=row.model))


def envpool(row: "Row", nthread: int):
    """Seconds to the first step of EnvPool's environment."""
    return _warm(_ENVPOOL.format(task=row.model))


def _warm(code: str):
    _seconds(code, {})
    return lambda: _seconds(code, {})


def _seconds(code: str, environment: dict) -> float:
    """Time of a Python process that runs the code, in the folder of the worker.

    Raises:
        RuntimeError: the process failed; the message ends with its last line.
    """
    began = now()
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    elapsed = now() - began
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1])
    return elapsed
