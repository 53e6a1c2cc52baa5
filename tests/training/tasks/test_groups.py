"""Observations in groups: an actor that sees less than its critic, from training to its files."""

import json

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import torch

from mjenv.commands.cli import main
from mjenv.system.interruption import Interrupted
from mjenv.training.agent import Agent
from mjenv.training.cluster.ppo import RemoteWorlds
from mjenv.training.cluster.worker import Place, Policy, Worker
from mjenv.training.evaluate import evaluate
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.mlp import FirstColumns, network
from mjenv.training.learners.normalization import ObservationNormalizer
from mjenv.training.portable import Portable
from mjenv.training.runs.folders import Run
from mjenv.training.tasks.view import View, view_of
from mjenv.training.train import make_agent, resume, train
from tests.training import tasks_in_groups
from tests.training.learned import numbers
from tests.training.runs.test_resume import stop_at

ENV = "tests.training.tasks_in_groups:Hidden-v0"
SMALL = {"n_envs": 4, "n_steps": 16, "batch_size": 32, "n_epochs": 2, "net_arch": (8,)}


def settings(algorithm="PPO", **changes):
    small = SMALL if algorithm.endswith("PPO") else {"net_arch": (8,), "learning_starts": 50}
    return hyperparameters(ENV, algorithm, **{**small, "steps": 256, **changes})


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of a few updates."""
    return train(ENV, settings(), tmp_path_factory.mktemp("hidden"), seconds=0)


COLUMNS = {
    "state": np.array([0, 1]),
    "privileged_state": np.array([2, 3, 0, 1]),
    "left": np.array([4]),
}


def test_groups_are_found_by_their_names_or_named():
    view = view_of("X", COLUMNS)
    assert view == View(("state",), "privileged_state", (0, 1), 2)
    assert view_of("X", COLUMNS, "left", "state") == View(("left",), "state", (0, 1), 1)
    # a critic that sees the same is none
    assert view_of("X", COLUMNS, "state", "state") == View(("state",), "", (), 2)
    assert view_of("X", {}) == View()
    for one in (view, View(("state",), "", (), 2), View()):
        assert View.from_dict(json.loads(json.dumps(one.to_dict()))) == one


def test_rows_have_what_the_actor_sees_first():
    view = view_of("X", COLUMNS)
    seen = {"state": np.array([[1.0, 2.0]]), "privileged_state": np.array([[3.0, 4.0, 1.0, 2.0]])}
    assert view.row(seen).tolist() == [[1, 2, 3, 4]]
    assert view.padded(seen, 4).tolist() == [[1, 2, 0, 0]]
    with pytest.raises(ValueError, match=r"found observations of \['left'\], expected a dict with"):
        view.seen({"left": seen["state"]})
    with pytest.raises(ValueError, match="found observations of one vector, expected a dict with"):
        view.seen(seen["state"])


@pytest.mark.parametrize(
    ("columns", "names", "message"),
    [
        (COLUMNS, ["sate"], "X: actor_group: found 'sate', which is no group .* mean 'state'"),
        (COLUMNS, [None, "y"], "critic_group: found 'y', .* expected one of"),
        ({}, ["state"], "but observations are one vector; .* leave it out"),
        (
            {"left": COLUMNS["left"]},
            [],
            r"have groups \['left'\], none of which is called actor, policy, state, obs; say which "
            "one the actor sees: --set actor_group:NAME",
        ),
    ],
)
def test_unknown_groups_are_refused(columns, names, message):
    with pytest.raises(ValueError, match=message):
        view_of("X", columns, *names)


def test_gradients_of_a_network_that_sees_the_first_columns():
    layers = torch.nn.Linear(2, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)
    module = torch.nn.Sequential(FirstColumns(2), *layers)
    x, dy = torch.randn(6, 5, requires_grad=True), torch.randn(6, 3)
    parameters = list(module.parameters())
    expected = torch.autograd.grad(module(x), [x, *parameters], dy)
    for one in parameters:
        one.grad = torch.zeros_like(one)
    by_hand = network(module)
    torch.testing.assert_close(by_hand.forward(x.detach()), module(x))
    by_hand.backward(dy)
    found = [by_hand.pull(dy), *(one.grad for one in parameters)]
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one, other)


@pytest.mark.parametrize("algorithm", ["PPO", "SB3-PPO"])
def test_the_actor_sees_its_group_alone_and_the_critic_both(algorithm):
    agent = make_agent(ENV, settings(algorithm), 0, {})
    policy = agent.model.policy
    rows = torch.randn(5, 4)
    others = rows.clone()
    others[:, 2:] = 7.0
    first, second = (policy.get_distribution(x).mode() for x in (rows, others))
    assert torch.equal(first, second)
    assert not torch.isclose(*(policy.predict_values(x) for x in (rows, others))).any()
    agent.normalize.close()


def test_a_run_remembers_what_its_agent_sees(run, capsys):
    view = {"actor": ["state"], "width": 2, "critic": "privileged_state", "rest": [0, 1]}
    assert run.config()["view"] == view
    agent, seen = Agent.load(run), {"state": np.array([[0.1, 0.2]])}
    assert np.array_equal(agent.act(seen), agent.act({**seen, "privileged_state": np.ones((1, 4))}))
    one = agent.act({"state": seen["state"][0]})
    np.testing.assert_allclose(one, agent.act(seen)[0], rtol=1e-5)
    result = json.loads((run.folder / "result.json").read_text())
    assert evaluate(run.environment()[0], agent.act).tolist() == result["return_after"]
    # both parts are normalized, each by its own means
    assert agent.normalize.obs_rms.mean.shape == (4,)
    assert agent.normalize.obs_rms.count > 250
    assert main(["eval", str(run.folder), "--episodes", "2"]) == 0
    assert "in 2 episodes" in capsys.readouterr().out


def test_a_resumed_training_has_the_same_bits(tmp_path, run, monkeypatch):
    with monkeypatch.context() as patch:
        stop_at(patch, 100)
        with pytest.raises(Interrupted):
            train(ENV, settings(), tmp_path, seconds=0)
    parts = resume(tmp_path, seconds=0)
    expected, found = numbers(run), numbers(parts)
    assert expected.keys() == found.keys()
    assert all(torch.equal(found[name], value) for name, value in expected.items())


def test_files_of_the_agent_see_the_actors_group(run, tmp_path, capsys):
    agent, seen = Agent.load(run), np.array([[0.1, -0.2], [0.0, 0.3]])
    expected = agent.act({"state": seen})
    for name in ("agent.npz", "agent.pt"):
        file = tmp_path / name
        assert main(["export", str(run.folder), "--output", str(file), "--episodes", "2"]) == 0
    portable = Portable.load(tmp_path / "agent.npz")
    # a file rounds weights to multiples of 2^-20
    np.testing.assert_allclose(portable.act({"state": seen}), expected, atol=1e-5)
    network = torch.jit.load(str(tmp_path / "agent.pt"))
    np.testing.assert_allclose(
        network(torch.tensor(seen, dtype=torch.float32)).detach().numpy(), expected, atol=1e-6
    )
    film = tmp_path / "film.gif"
    options = ["--output", str(film), "--seconds", "0.2", "--size", "64x48"]
    for what in (str(run.folder), str(tmp_path / "agent.npz")):
        assert main(["record", what, *options]) == 0
    capsys.readouterr()


def test_the_command_takes_names_of_groups(tmp_path, capsys, monkeypatch):
    words = [f"{name}:{value}".replace(" ", "") for name, value in SMALL.items()]
    words += ["steps:64", "critic_group:right"]
    options = ["--run", str(tmp_path / "run"), "--seconds", "0", "--set", *words]
    env = ENV.replace("Hidden", "Sides")
    assert main(["train", env, *options]) == 1
    assert "say which one the actor sees: --set actor_group:NAME" in capsys.readouterr().err
    assert main(["train", env, *options, "actor_group:left"]) == 0
    said = capsys.readouterr().out
    assert "the actor sees left (2 numbers), the critic right too (2 more)" in said
    # or as an attribute of the task
    kwargs = ["--env-kwargs", "actor_group:left"]
    monkeypatch.setattr(tasks_in_groups.Sides, "actor_group", None, raising=False)
    assert main(["train", env, *options, "--overwrite", *kwargs]) == 0
    assert Run.open(tmp_path / "run").config()["view"]["actor"] == ["left"]


def test_off_policy_algorithms_see_the_actors_group(tmp_path):
    run = train(ENV, settings("SAC", steps=100), tmp_path, seconds=0)
    agent = Agent.load(run)
    assert agent.view == View(("state",), "", (), 2)
    assert agent.model.observation_space.shape == (2,)
    assert agent.act({"state": np.zeros((3, 2))}).shape == (3, 1)


def test_the_environment_is_as_it_was():
    envs = gymnasium.make_vec(ENV, 2)
    assert set(envs.reset(seed=0)[0]) == {"state", "privileged_state"}


def test_worlds_of_a_worker_are_rows_of_the_same_view():
    agent = make_agent(ENV, settings(), 0, {})
    worlds = RemoteWorlds(ENV, settings(), 2, 0, {})
    assert worlds.view == agent.view
    assert worlds.observation_space == agent.normalize.venv.observation_space
    place = Place(1, *worlds._describe, 1, 0)
    worker = Worker(place, agent.model.actor)
    assert worker.reset(5)["observations"].shape == (2, 4)
    policy = Policy.of(agent.model, ObservationNormalizer.of(agent.normalize))
    part = worker.sample(policy, 3, 0)
    # the actor has seen the first two columns alone
    seen = torch.as_tensor(part.observations)
    noise = worker._noise(part, policy, 0)
    with torch.no_grad():
        mean = agent.model.actor(torch.cat([seen[..., :2], 0 * seen[..., 2:]], -1))
    torch.testing.assert_close(torch.as_tensor(part.actions), mean + noise)
    agent.normalize.close()


@pytest.mark.slow
def test_workers_of_a_cluster_see_the_same(tmp_path):
    pytest.importorskip("ray")
    from mjenv.training.cluster.worker_pool import Cluster

    run = train(ENV, settings(), tmp_path, seconds=0, cluster=Cluster(2))
    assert run.config()["view"]["critic"] == "privileged_state"
    assert Agent.load(run).act({"state": np.zeros((3, 2))}).shape == (3, 1)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Hidden-v0", "Reach-v0"])
def test_settings_are_searched_for(name, tmp_path):
    pytest.importorskip("optuna")
    from mjenv.training.tune import tune

    tune(ENV.replace("Hidden-v0", name), tmp_path, trials=1, minutes=0.02)
    best = json.loads((tmp_path / "best.json").read_text())
    assert hyperparameters(ENV, **best["hyperparameters"]).actor_group is None
