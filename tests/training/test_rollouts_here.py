"""Rollouts in one process: without Ray, with the files of a cluster."""

import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("pyarrow")

import pyarrow.parquet as parquet

from mjenv.cluster import rollout
from mjenv.training.cluster import rollouts
from mjenv.training.evaluate import play

ENV = "InvertedPendulum-v5"


@pytest.fixture(autouse=True)
def no_ray(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)


def rows(folder):
    files = sorted(folder.glob("*.parquet"))
    return [row for file in files for row in parquet.read_table(file).to_pylist()]


def test_episodes(tmp_path):
    totals = rollout(
        ENV, 10, tmp_path, policy=lambda x: np.zeros((len(x), 1)), size=4, seed=5, steps=True
    )
    expected = play("mjenv/InvertedPendulum-v5", lambda x: np.zeros((len(x), 1)), 10, seed=5)
    found = rows(tmp_path)
    assert [row["return"] for row in found] == expected.returns.tolist()
    assert [len(row["observations"]) for row in found] == [4 * (n + 1) for n in expected.lengths]
    assert totals == (10, expected.lengths.sum(), expected.returns.mean(), 3)


def test_what_is_missing_is_played(tmp_path, monkeypatch):
    real, calls = rollouts.write_shard, []

    def stopped(job, env_id, k, *rest, **named):
        calls.append(k)
        if calls == [0, 1]:
            raise KeyboardInterrupt
        return real(job, env_id, k, *rest, **named)

    monkeypatch.setattr(rollouts, "write_shard", stopped)
    with pytest.raises(KeyboardInterrupt):
        rollout(ENV, 6, tmp_path, size=2)
    assert rollout(ENV, 6, tmp_path, size=2).shards == 2
    assert calls == [0, 1, 1, 2]
    assert [row["episode"] for row in rows(tmp_path)] == list(range(6))


def test_an_address_needs_ray(tmp_path):
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'mjenv\[ray\]'"):
        rollout(ENV, 2, tmp_path, address="auto")


SCRIPT = """
import numpy as np
import mjenv

class Swing(mjenv.Task):
    xml_file = "inverted_pendulum.xml"

    def observation(self, data):
        return {"qpos": data.qpos, "qvel": data.qvel}

    def outcome(self, data, action, before):
        return mjenv.Outcome(reward={"alive": np.ones(data.nworld)})

print("registers")
mjenv.register("Swing-v0", Swing, max_episode_steps=5)

import pyarrow.parquet as parquet

from mjenv.cluster import rollout
print(rollout("Swing-v0", 3, "swings").steps)
"""


def test_a_task_of_a_script_is_not_imported_again(tmp_path):
    """It needs no guard: no other process imports it."""
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.stdout == "registers\n15\n", done.stderr
