"""Kernels without a compiler: the interpreted engine gives the bits of the compiled one."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mjenv
from tests.engine.reference import XML

CASES = [(name, width) for name in ("half_cheetah", "inverted_pendulum") for width in (1, 8)]
ROOT = Path(__file__).resolve().parents[3]
CODE = """
import sys
from tests.engine.run.test_interpreted import CASES, hexadecimal
for name, width in CASES:
    print(*hexadecimal(name, width))
assert "numba" not in sys.modules and "llvmlite" not in sys.modules
"""


def hexadecimal(name: str, width: int) -> list[str]:
    """Time, positions, velocities and constraint forces after three steps, exactly."""
    model = mjenv.Model.from_xml_path(str(XML / f"{name}.xml"))
    data = mjenv.Data(model, width, width=width, keep=["ncon", "efc_force"], nthread=1)
    rng = np.random.default_rng(7)
    data.qvel[:] = rng.normal(size=data.qvel.shape)
    if name == "half_cheetah":
        data.qpos[:, 1] = -0.2  # feet in the ground
    data.ctrl[:] = rng.uniform(-1, 1, data.ctrl.shape)
    mjenv.step(model, data, 3)
    assert (data.ncon > 0).all() == (name == "half_cheetah")
    columns = [data.time.reshape(width, 1), data.qpos, data.qvel, data.efc_force]
    values = np.concatenate(columns, axis=1)
    assert np.isfinite(values).all()
    return [float(x).hex() for x in values.ravel()]


@pytest.fixture(scope="module")
def interpreted() -> list[list[str]]:
    out = subprocess.run(
        [sys.executable, "-c", CODE],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert out.returncode == 0, out.stderr
    return [line.split() for line in out.stdout.splitlines()]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("case", range(len(CASES)), ids=[f"{n}-{w}" for n, w in CASES])
def test_same_bits(interpreted, case):
    assert interpreted[case] == hexadecimal(*CASES[case])
