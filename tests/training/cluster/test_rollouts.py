"""Episodes of a cluster in files: each is a function of its number, and none is lost."""

import os
import signal
import sys
import threading
import time

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("ray")
pytest.importorskip("pyarrow")

from mjenv.cluster import rollout
from mjenv.training.evaluate import play

pytestmark = pytest.mark.usefixtures("cluster")

ENV = "InvertedPendulum-v5"


def rows(folder):
    parquet = pytest.importorskip("pyarrow.parquet")
    files = sorted(folder.glob("*.parquet"))
    return [row for file in files for row in parquet.read_table(file).to_pylist()]


def still(observations):
    return np.zeros((len(observations), 1))


def test_episodes_are_those_of_one_process(tmp_path):
    totals = rollout(ENV, 10, tmp_path, policy=still, size=4, seed=5, steps=True)
    expected = play("mjenv/InvertedPendulum-v5", still, 10, seed=5)
    found = rows(tmp_path)
    assert [row["episode"] for row in found] == list(range(10))
    assert [row["return"] for row in found] == expected.returns.tolist()
    assert [row["length"] for row in found] == expected.lengths.tolist()
    assert all(row["terminated"] for row in found)
    for row in found:
        assert len(row["observations"]) == 4 * (row["length"] + 1)
        assert len(row["actions"]) == len(row["rewards"]) == row["length"]
    assert totals[:2] == (10, expected.lengths.sum())
    assert totals.shards == 3


def test_files_of_one_process_without_a_cluster_are_the_same(tmp_path, monkeypatch):
    how = {"size": 4, "seed": 5, "steps": True, "env_kwargs": {"reset_noise_scale": 0.05}}
    rollout(ENV, 10, tmp_path / "cluster", **how)
    monkeypatch.setitem(sys.modules, "ray", None)
    rollout(ENV, 10, tmp_path / "here", **how)
    found = [sorted((tmp_path / name).iterdir()) for name in ("cluster", "here")]
    assert len(found[0]) == 4
    for one, other in zip(*found, strict=True):
        assert (one.name, one.read_bytes()) == (other.name, other.read_bytes())


def test_random_actions_depend_on_the_seed_alone(tmp_path):
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        rollout(ENV, 6, tmp_path / name, size=3, seed=seed)
    assert rows(tmp_path / "a") == rows(tmp_path / "b")
    assert rows(tmp_path / "a") != rows(tmp_path / "c")


def test_what_is_missing_is_played(tmp_path):
    rollout(ENV, 6, tmp_path, size=2)
    whole = rows(tmp_path)
    (tmp_path / "part-000001.parquet").unlink()
    assert rollout(ENV, 6, tmp_path, size=2).shards == 1
    assert rows(tmp_path) == whole


def test_a_process_that_is_killed_is_done_again(tmp_path):
    marker = tmp_path / "killed"

    def deadly(observations):
        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return np.zeros((len(observations), 1))

    totals = rollout(ENV, 6, tmp_path / "deadly", policy=deadly, size=2)
    assert marker.exists()
    assert totals.episodes == 6
    rollout(ENV, 6, tmp_path / "plain", policy=still, size=2)
    assert rows(tmp_path / "deadly") == rows(tmp_path / "plain")
    assert not list((tmp_path / "deadly").glob(".*"))


def test_messages(tmp_path):
    with pytest.raises(ValueError, match=r"episodes=0: expected a whole number from 1"):
        rollout(ENV, 0, tmp_path)
    rollout(ENV, 2, tmp_path)
    with pytest.raises(ValueError, match=r"has a rollout with seed 0, expected 3"):
        rollout(ENV, 2, tmp_path, seed=3)
    with pytest.raises(FileNotFoundError):
        rollout(ENV, 2, tmp_path / "other", policy="nothing.npz")


@pytest.mark.slow
def test_machines_that_join_are_used_and_those_that_are_lost_are_not_missed(tmp_path):
    """Three machines: one is there, one joins, and is lost when a third one has joined."""
    import ray
    from ray.cluster_utils import Cluster as Machines

    ray.shutdown()
    machines = Machines(initialize_head=True, head_node_args={"num_cpus": 1})
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    ray.init(address=machines.address, **quiet)
    seen = tmp_path / "seen"
    seen.mkdir()

    def slow(observations):
        (seen / ray.get_runtime_context().get_node_id()).touch()
        time.sleep(0.05)
        return np.zeros((len(observations), 1))

    def many():
        totals.append(rollout(ENV, 60, tmp_path / "far", policy=slow, size=2, seed=3))

    totals = []
    playing = threading.Thread(target=many)
    playing.start()
    try:
        second = machines.add_node(num_cpus=1)
        while len(list(seen.iterdir())) < 2:
            assert playing.is_alive()
            time.sleep(0.05)
        machines.add_node(num_cpus=1)
        machines.remove_node(second, allow_graceful=False)
        playing.join(120)
    finally:
        ray.shutdown()
        machines.shutdown()
    assert len(list(seen.iterdir())) == 3
    assert [one.episodes for one in totals] == [60]
    expected = play("mjenv/InvertedPendulum-v5", still, 60, seed=3)
    found = rows(tmp_path / "far")
    assert [row["episode"] for row in found] == list(range(60))
    assert [row["return"] for row in found] == expected.returns.tolist()
