"""Operations of a stage: counted as often as they stand in the source, once for all lanes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from mjenv.benchmarks.lanes import WIDTH
from mjenv.benchmarks.operations import STEPS

FOLDER = Path(__file__).parents[2]


@pytest.mark.slow
def test_stages_of_a_pack(tmp_path):
    path, model = tmp_path / "state.npz", "inverted_pendulum"
    state = {"qpos": 2, "qvel": 2, "qacc_warmstart": 2, "ctrl": 1}
    values = {name: np.full((WIDTH, size), 0.1) for name, size in state.items()}
    np.savez(path, model=model, time=np.zeros(WIDTH), **values)
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.operations", "--count", str(path)],
        cwd=FOLDER,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(FOLDER)},
        stdout=subprocess.PIPE,
        check=True,
    )
    found = json.loads(done.stdout)
    stage = {name: found[name]["arithmetic"] / STEPS for name in ("passive", "rne", "kinematics")}
    assert stage["passive"] < stage["rne"] < stage["kinematics"]
    # one division for each of two dofs, in each of the four evaluations of RK4
    assert found["factor_m"]["division"] == 2 * 4 * STEPS
    assert "division" not in found["rne"]
    assert 0 < found["all"]["line"] <= sum(v["line"] for k, v in found.items() if k != "all")
