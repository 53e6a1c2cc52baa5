"""Kernels without a compiler: the interpreted engine gives the bits of the compiled one."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mjenv
from mjenv.engine.physics.solver.island_strips import FEW_ROWS
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


# a ball lies on a sheet: rows and dofs are lanes of strips
SHEET = """<mujoco><option solver="CG" iterations="4"/><worldbody>
  <flexcomp name="s" type="grid" dim="2" count="6 5 1" spacing=".05 .05 .05" mass="1" radius=".01">
    <edge equality="true"/><contact condim="3" selfcollide="none"/><pin id="0 5"/></flexcomp>
  <body pos="0 0 .06"><freejoint/><geom size=".055"/></body></worldbody></mujoco>"""


def sheet() -> str:
    """Velocities after two steps, exactly."""
    model = mjenv.Model.from_xml_string(SHEET)
    data = mjenv.Data(model, keep=["ncon", "nefc"], nthread=1)
    mjenv.step(model, data, 2)
    assert data.ncon[0] > 0
    assert data.nefc[0] > FEW_ROWS
    return " ".join(float(x).hex() for x in data.qvel[0])


@pytest.mark.slow
def test_large_model_mode_has_the_same_bits():
    code = "from tests.engine.run.test_interpreted import sheet; print(sheet())"
    out = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert out.stdout.strip() == sheet(), out.stderr


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


@pytest.mark.sweep(1)
@pytest.mark.parametrize("case", range(len(CASES)), ids=[f"{n}-{w}" for n, w in CASES])
def test_same_bits(interpreted, case):
    assert interpreted[case] == hexadecimal(*CASES[case])
