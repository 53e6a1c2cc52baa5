"""Training on a Ray cluster: numbers are those of the settings, whatever is lost on the way."""

import os
import signal
import subprocess
import sys
import time
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from mjenv.training.cluster import worker_pool as worker_pool
from mjenv.training.cluster.ppo import RemoteWorlds
from mjenv.training.cluster.worker import Place, Policy, Worker
from mjenv.training.cluster.worker_pool import Cluster, joined
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.normalization import ObservationNormalizer
from mjenv.training.runs.folders import Run
from mjenv.training.train import make_agent, resume, train
from tests.training.learned import numbers

ENV = "mjenv/Hopper-v5"
SMALL = {"n_envs": 4, "n_steps": 16, "batch_size": 32, "n_epochs": 2, "steps": 640}


def settings(**changes):
    return hyperparameters(ENV, **{**SMALL, **changes})


@pytest.fixture(scope="module")
def two_nodes():
    """A cluster of two machines with one processor each, on this one."""
    ray = pytest.importorskip("ray")
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    cluster = cluster_utils.Cluster(
        initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False}
    )
    # joined before there is another machine, so that it is the first one's
    quiet = {"log_to_driver": False, "logging_level": "ERROR"}
    ray.init(address=cluster.address, namespace="mjenv", **quiet)
    cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    yield cluster
    ray.shutdown()
    cluster.shutdown()


def same(one, other):
    one, other = numbers(one), numbers(other)
    return one.keys() == other.keys() and all((one[k] == other[k]).all() for k in one)


# what a worker does


def make_worker(number=0):
    agent: Any = make_agent(ENV, settings(), 0, {}).model
    place = Place(number, ENV, None, {}, {}, 4, 1, 7)
    normalize = agent.get_vec_normalize_env()
    policy = Policy.of(agent, ObservationNormalizer.of(normalize))
    return Worker(place, agent.actor), policy


@pytest.mark.slow
def test_a_rollout_depends_on_the_state_before_it_alone():
    one, policy = make_worker()
    other, _ = make_worker()
    one.reset(3)
    first = one.sample(policy, 64, 0)
    assert first.episodes
    assert first.ends.sum() == len(first.episodes)
    expected = one.sample(policy, 16, 256)
    other.restore(first.state)
    found = other.sample(policy, 16, 256)
    assert [one[:2] for one in found.episodes] == [one[:2] for one in expected.episodes]
    for name in ("observations", "actions", "log_probs", "rewards", "ends", "sums", "squares"):
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name


@pytest.mark.slow
def test_first_episodes_of_workers_may_end_one_after_the_other():
    elapsed = []
    for number in (0, 1, 1):
        agent: Any = make_agent(ENV, settings(), 0, {}).model
        worker = Worker(Place(number, ENV, None, {}, {}, 4, 1, 7, True), agent.actor)
        worker.reset(3)
        elapsed.append(worker._worlds.envs.unwrapped.elapsed.tolist())
    assert len({*elapsed[0]}) > 1
    assert elapsed[0] != elapsed[1]
    assert elapsed[1] == elapsed[2]


@pytest.mark.slow
def test_noise_is_of_the_worker_and_the_steps_before():
    found = []
    for number, before in ((0, 0), (0, 64), (1, 0)):
        worker, policy = make_worker(number)
        worker.reset(3)
        found.append(worker.sample(policy, 4, before).actions)
    assert not (found[0] == found[1]).all()
    assert not (found[0] == found[2]).all()


# trainings


@pytest.mark.slow
def test_the_numbers_are_those_of_the_settings(tmp_path, two_nodes, capsys):
    """Also where a worker is killed, and where the training stops and goes on."""
    plain = train(ENV, settings(), tmp_path / "plain", seconds=0, cluster=Cluster(2))
    assert plain.config()["workers"] == 2
    again = train(ENV, settings(), tmp_path / "again", seconds=0, cluster=Cluster(2))
    assert same(plain, again)
    # other workers, other numbers
    alone = train(ENV, settings(), tmp_path / "alone", seconds=0, cluster=Cluster(1))
    assert not same(plain, alone)
    # resumed from a checkpoint on the way
    for checkpoint in again.checkpoints[2:]:
        for file in checkpoint.folder.iterdir():
            file.unlink()
        checkpoint.folder.rmdir()
    again.agent.unlink()
    steps = again.checkpoints[-1].steps
    assert steps < 640
    assert same(plain, resume(again.folder, seconds=0))
    assert "resumed after" in capsys.readouterr().out


@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced(tmp_path, two_nodes, capsys, monkeypatch):
    plain = train(ENV, settings(), tmp_path / "plain", seconds=0, cluster=Cluster(2))
    sample, killed = worker_pool.WorkerPool.sample, []

    def and_kill(self, policy, n_steps, before):
        if before == 320:
            killed.append(self.processes()[1])
            os.kill(killed[0], signal.SIGKILL)
        return sample(self, policy, n_steps, before)

    monkeypatch.setattr(worker_pool.WorkerPool, "sample", and_kill)
    wounded = train(ENV, settings(), tmp_path / "wounded", seconds=0, cluster=Cluster(2))
    assert killed
    assert "worker 1 was lost" in capsys.readouterr().err
    assert same(plain, wounded)


@pytest.mark.slow
def test_a_machine_that_joins_takes_the_place_of_one_that_is_lost(tmp_path, two_nodes, monkeypatch):
    plain = train(ENV, settings(), tmp_path / "plain", seconds=0, cluster=Cluster(2))
    sample, replace = worker_pool.WorkerPool.sample, worker_pool.WorkerPool._replace

    def and_lose(self, policy, n_steps, before):
        if before == 320:
            two_nodes.remove_node(next(iter(two_nodes.worker_nodes)), allow_graceful=False)
        return sample(self, policy, n_steps, before)

    def and_join(self, k, error):
        replace(self, k, error)
        two_nodes.add_node(num_cpus=1)

    monkeypatch.setattr(worker_pool.WorkerPool, "sample", and_lose)
    monkeypatch.setattr(worker_pool.WorkerPool, "_replace", and_join)
    moved = train(ENV, settings(), tmp_path / "moved", seconds=0, cluster=Cluster(2))
    assert same(plain, moved)


HEAD = """
from mjenv.training.cluster.worker_pool import Cluster
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.train import train

if __name__ == "__main__":
    settings = hyperparameters({env!r}, **{small!r})
    train({env!r}, settings, {folder!r}, seconds=0, cluster=Cluster(2, {address!r}))
"""


@pytest.mark.slow
def test_a_training_whose_head_is_killed_goes_on_from_its_checkpoint(tmp_path, two_nodes):
    small = {**SMALL, "steps": 12_800}
    plain = train(ENV, settings(**small), tmp_path / "plain", seconds=0, cluster=Cluster(2))
    folder, script = tmp_path / "killed", tmp_path / "head.py"
    address = two_nodes.address
    script.write_text(HEAD.format(env=ENV, small=small, folder=str(folder), address=address))
    head = subprocess.Popen([sys.executable, str(script)])
    while not Run(folder).checkpoints:
        assert head.poll() is None
        time.sleep(0.01)
    head.kill()
    head.wait()
    run = Run.open(folder)
    assert not run.finished
    assert 0 < run.checkpoint().steps < 12_800
    # its workers have gone with it, and leave their processors to others
    assert same(plain, resume(folder, seconds=0))


@pytest.mark.parametrize(("address", "expected"), [(None, "local"), ("auto", "auto")])
def test_without_an_address_there_is_a_cluster_of_its_own(monkeypatch, address, expected):
    """Ray alone would look for one that runs in the machine, also where it was killed."""
    ray = Mock(**{"is_initialized.return_value": False})
    ray.nodes.return_value = [{"Alive": True, "Resources": {"CPU": 2.0}}]
    monkeypatch.setattr(worker_pool, "ray_module", lambda: ray)
    with joined(Cluster(2, address)):
        assert ray.init.call_args.kwargs["address"] == expected
    ray.shutdown.assert_called_once()


@pytest.mark.parametrize(
    ("machines", "free", "expected"),
    [
        ((2, 2), 0, "it starts or is at work, at low priority (nice 15) where the machine has"),
        ((2, 2), 1, "it starts or is at work, "),
        ((2, 8), 3, "workers take 4 processors; 3 of 10 are free, others have at least 3"),
        ((2,), 0, "workers take 4 processors, and the cluster has 2; add a machine"),
    ],
)
def test_who_is_waited_for(machines, free, expected, monkeypatch, capsys):
    """A worker that starts holds its processors: that none is free is no lack of them."""
    ray = Mock()
    ray.nodes.return_value = [{"Alive": True, "Resources": {"CPU": float(n)}} for n in machines]
    ray.nodes.return_value += [{"Alive": False, "Resources": {"CPU": 64.0}}]
    ray.available_resources.return_value = {"CPU": float(free)}
    ray.wait.side_effect = [([], ["call"]), (["call"], []), (["call"], [])]
    ray.get.return_value = 5
    monkeypatch.setattr(worker_pool, "ray_module", lambda: ray)
    workers = worker_pool.WorkerPool([Place(k, ENV, None, {}, {}, 1, 2, 0) for k in (0, 1)], Mock())
    assert workers.processes() == [5, 5]
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith(f"waiting for worker 0: {expected}")


# what is refused


class Refusal(Exception):
    """As Ray's own error."""


@pytest.mark.parametrize("error", [ConnectionError("no\nmore"), Refusal("no\nmore")])
def test_a_cluster_that_cannot_be_joined(error, monkeypatch, tmp_path, capsys):
    from mjenv.commands.cli import main

    ray = Mock(**{"is_initialized.return_value": False, "init.side_effect": error})
    ray.exceptions.AuthenticationError = Refusal
    monkeypatch.setattr(worker_pool, "ray_module", lambda: ray)
    words = ["train", "Hopper-v5", "--ray", "10.0.0.1:6379", "--run", str(tmp_path / "run")]
    for mode, hint in (
        (None, "; is it there, and does it want a token? Then set RAY_AUTH_MODE=token, on all "),
        ("token", "\n"),
    ):
        monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
        if mode:
            monkeypatch.setenv("RAY_AUTH_MODE", mode)
        assert main(words) == 1
        assert f"mjenv train: 10.0.0.1:6379: no{hint}" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


def test_messages(tmp_path):
    for workers, changes, text in (
        (3, {}, "3 workers for 4 worlds"),
        (0, {}, "0 workers"),
    ):
        with pytest.raises(ValueError, match=text):
            train(ENV, settings(**changes), tmp_path / "a", cluster=Cluster(workers))
    with pytest.raises(ValueError, match="SAC learns in one process"):
        train(ENV, hyperparameters(ENV, "SAC"), tmp_path / "a", cluster=Cluster(1))
    with pytest.raises(ValueError, match="expected a multiple of the 3 workers"):
        RemoteWorlds(ENV, settings(), 3, 0, {})
    assert not (tmp_path / "a").exists()


def test_options(capsys, tmp_path):
    from mjenv.commands.cli import main

    assert main(["train", "Hopper-v5", "--workers", "2"]) != 0
    assert "add --ray" in capsys.readouterr().err
    assert main(["train", "Hopper-v5", "--ray", "--worlds", "2", "--n-envs", "4"]) != 0
    assert "leave one of them out" in capsys.readouterr().err


@pytest.mark.slow
def test_more_workers_than_processors(two_nodes):
    with pytest.raises(ValueError, match=r"no more than the \d processors"), joined(Cluster(9)):
        pass
