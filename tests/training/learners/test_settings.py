"""Settings of networks, schedules and limits: what they change, and what they may not be."""

import csv
import json
import re
from typing import Any

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

import torch
from torch import nn

from mjenv.commands.cli import main
from mjenv.commands.command_file import read
from mjenv.training.agent import Agent
from mjenv.training.hyperparameters import hyperparameters, names
from mjenv.training.learners.mlp import NormalizedReLU
from mjenv.training.runs.folders import COMMAND, RESULT, Run
from mjenv.training.runs.network import Network
from mjenv.training.runs.warm_start import Start
from mjenv.training.train import make_agent, resume, train

ENV = "mjenv/InvertedPendulum-v5"
PPO = {"n_envs": 4, "n_steps": 8, "batch_size": 16, "n_epochs": 2, "steps": 64}
OFF_POLICY = {"n_envs": 4, "learning_starts": 16, "batch_size": 16, "gradient_steps": 2,
              "buffer_size": 100, "steps": 64}  # fmt: skip
KINDS = {
    "tanh": nn.Tanh, "relu": nn.ReLU, "elu": nn.ELU, "normalized_relu": NormalizedReLU
}  # fmt: skip


def settings(algorithm="PPO", **changes):
    small = PPO if "PPO" in algorithm else OFF_POLICY
    return hyperparameters(ENV, algorithm, **{**small, "net_arch": (8, 4), **changes})


def layers(module, kind):
    return [one for one in module.modules() if isinstance(one, kind)]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("activation", KINDS)
@pytest.mark.parametrize("algorithm", ["PPO", "SB3-PPO", "SAC", "TQC", "TD3", "SB3-SAC"])
def test_networks_are_as_they_are_asked_for(algorithm, activation, tmp_path):
    """They learn, and their agents are read without trust, exported and begun with."""
    chosen = settings(algorithm, activation=activation, critic_arch=(5,))
    run = train(ENV, chosen, tmp_path / "run", seconds=0)
    agent = Agent.load(run)
    policy = agent.model.policy
    if "PPO" in algorithm:
        actor, critics = policy.mlp_extractor.policy_net, [policy.mlp_extractor.value_net]
    else:
        actor, critics = policy.actor, policy.critic.q_networks
        actor = actor.latent_pi if hasattr(actor, "latent_pi") else actor.mu
    assert [one.out_features for one in layers(actor, nn.Linear)][:2] == [8, 4]
    assert len(layers(actor, KINDS[activation])) >= 2
    for critic in critics:
        assert layers(critic, nn.Linear)[0].out_features == 5
        assert len(layers(critic, KINDS[activation])) == 1
    observations = np.zeros((3, 4), np.float32)
    exported = Network.of_agent(agent)
    found = exported(torch.from_numpy(observations)).detach().numpy()
    np.testing.assert_allclose(found, agent.act(observations), atol=1e-5)
    start = Start(run.folder)
    assert start.settings() == {
        "net_arch": [8, 4], "critic_arch": [5], "activation": activation
    }  # fmt: skip
    fresh = make_agent(ENV, settings(algorithm, **start.settings()), 1, {})
    start.give(fresh)
    np.testing.assert_array_equal(fresh.act(observations), agent.act(observations))
    fresh.normalize.venv.close()


def rates(run):
    """Learning rates that were logged."""
    with run.log.open(newline="") as file:
        rows = [row for row in csv.DictReader(file) if row.get("train/learning_rate")]
    return [float(row["train/learning_rate"]) for row in rows]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("algorithm", ["PPO", "SB3-PPO"])
def test_schedules_of_ppo(algorithm, tmp_path):
    found = {}
    for kind in ("linear", "constant"):
        one = settings(algorithm, learning_rate=1e-3, learning_rate_schedule=kind, steps=160,
                       clip_range=0.3, clip_schedule=kind)  # fmt: skip
        run = train(ENV, one, tmp_path / kind, seconds=0)
        found[kind], model = rates(run), Agent.load(run).model
        # shares of the training that are left
        expected = 0.15 if kind == "linear" else 0.3
        assert model.clip_range(0.5) == pytest.approx(expected)
    assert set(found["constant"]) == {1e-3}
    assert found["linear"] == sorted(found["linear"], reverse=True)
    assert found["linear"][0] > 2.0 * found["linear"][-1]


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["PPO", "SB3-PPO", "SB3-RecurrentPPO"])
def test_schedule_of_the_entropy_bonus(algorithm, tmp_path):
    found = {}
    for kind in ("linear", "constant"):
        one = settings(algorithm, ent_coef=0.01, ent_coef_schedule=kind, steps=160)
        run = train(ENV, one, tmp_path / kind, seconds=0)
        found[kind] = weights(run)
        # the last update, of which the log does not tell, has nothing left of the training
        assert Agent.load(run).model.ent_coef == (0.0 if kind == "linear" else 0.01)
    assert not found["constant"]
    assert found["linear"] == sorted(found["linear"], reverse=True)
    assert 0.01 > found["linear"][0] > 2.0 * found["linear"][-1]


def weights(run):
    """Weights of the entropy that were logged."""
    with run.log.open(newline="") as file:
        rows = [row.get("train/ent_coef") for row in csv.DictReader(file)]
    return [float(weight) for weight in rows if weight]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("algorithm", ["SAC", "SB3-SAC", "FastSAC", "TQC", "SB3-TQC"])
def test_weights_of_the_entropy_that_are_not_learned(algorithm, tmp_path):
    """Fixed, or falling; a training that goes on has them where they were."""
    many = {"steps": 160, "learning_starts": 8, "ent_coef": 0.5}
    for kind, ends in (("linear", 0.0), ("constant", 0.5)):
        one = settings(algorithm, **many, ent_coef_schedule=kind)
        model = Agent.load(train(ENV, one, tmp_path / kind, seconds=0)).model
        assert model.ent_coef_optimizer is None
        assert float(model.ent_coef_tensor) == ends
        assert model.log_ent_coef is None
    learned = make_agent(ENV, settings(algorithm, ent_coef_init=0.3), 0, {})
    assert learned.model.ent_coef_optimizer is not None
    Start(tmp_path / "constant").give(learned)  # weights of networks alone
    learned.normalize.venv.close()


def test_weights_of_the_entropy_that_fall_need_a_start():
    with pytest.raises(ValueError, match="ent_coef_schedule: found 'linear', expected 'constant'"):
        hyperparameters(ENV, "SAC", ent_coef_schedule="linear")
    with pytest.raises(ValueError, match=r"ent_coef: found -1\.0, expected a number from 0"):
        hyperparameters(ENV, "TQC", ent_coef=-1.0)
    with pytest.raises(ValueError, match="ent_coef: no setting of TD3"):
        hyperparameters(ENV, "TD3", ent_coef=0.1)
    with pytest.raises(ValueError, match="ent_coef: found None, expected a number"):
        type(hyperparameters(ENV))(ent_coef=None)


@pytest.mark.parametrize(("algorithm", "share"), [("SAC", 0.25), ("TD3", 0.25)])
def test_schedules_of_off_policy_algorithms(algorithm, share):
    for kind, expected in (("linear", share * 1e-3), ("constant", 1e-3)):
        one = settings(algorithm, learning_rate=1e-3, learning_rate_schedule=kind)
        agent = make_agent(ENV, one, 0, {})
        assert agent.model.lr_schedule(share) == pytest.approx(expected)
        agent.normalize.venv.close()


@pytest.mark.slow
def test_a_limit_on_divergence_ends_the_passes(tmp_path):
    passes = {}
    for limit in (None, 1e-9):
        chosen = settings(n_epochs=8, learning_rate=0.01, target_kl=limit,
                          learning_rate_schedule="constant")  # fmt: skip
        passes[limit] = Agent.load(train(ENV, chosen, tmp_path / str(limit), seconds=0)).model
    assert passes[None]._n_updates == 16
    assert passes[1e-9]._n_updates < 6


@pytest.mark.sweep(1)
@pytest.mark.parametrize("algorithm", ["PPO", "SB3-PPO"])
def test_rewards_are_normalized_or_not(algorithm, tmp_path):
    for on in (True, False):
        chosen = settings(algorithm, normalize_rewards=on)
        run = train(ENV, chosen, tmp_path / str(on), seconds=0)
        agent = Agent.load(run)
        assert agent.normalize.norm_reward is on
        assert agent.normalize.norm_obs


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("activation", "gelu", "one of tanh, relu, elu"),
        ("learning_rate_schedule", "cosine", "one of constant, linear"),
        ("clip_schedule", 1, "one of constant, linear"),
        ("ent_coef_schedule", "cosine", "one of constant, linear"),
        ("target_kl", 0.0, "a number above 0, or None"),
        ("critic_arch", (0,), "widths of layers, such as .*, or None"),
        ("normalize_rewards", 1, "true or false"),
        ("noise_correlation", 1.0, "a number from 0 to below 1"),
        ("training_env_kwargs", 0.5, "a dict of keyword arguments, of numbers and words, or None"),
        ("training_env_kwargs", {"worlds": {2, 3}}, "a dict of keyword arguments"),
    ],
)
def test_settings_that_make_no_sense(name, value, expected):
    with pytest.raises(ValueError, match=re.escape(f"{name}: found {value!r}")):
        hyperparameters(ENV, **{name: value})
    with pytest.raises(ValueError, match=f"expected {expected}"):
        hyperparameters(ENV, **{name: value})


@pytest.mark.sweep(1)
@pytest.mark.parametrize("last", [-1.5, None])
def test_deviations_of_actions_may_move_to_an_end(last, tmp_path):
    chosen = settings(steps=320, log_std_init=-0.5, log_std_final=last, ent_coef=0.1)
    run = train(ENV, chosen, tmp_path / "run", seconds=0)
    with run.log.open(newline="") as file:
        found = [float(row["train/std"]) for row in csv.DictReader(file) if row["train/std"]]
    steps = np.diff(np.log(found))
    assert len(steps) > 5
    if last is None:
        assert np.ptp(steps) > 1e-4
    else:
        np.testing.assert_allclose(steps, (last + 0.5) * 32 / 320, atol=1e-4)


def test_noise_that_goes_on_is_not_of_stable_baselines3():
    with pytest.raises(ValueError, match=r"noise_correlation: found 0\.9, which SB3-PPO has not"):
        hyperparameters(ENV, "SB3-PPO", noise_correlation=0.9)
    with pytest.raises(ValueError, match=r"log_std_final: found 0\.0, which SB3-PPO has not"):
        hyperparameters(ENV, "SB3-PPO", log_std_final=0.0)
    model = make_agent(ENV, settings(noise_correlation=0.9), 0, {}).model
    assert model.noise_correlation == 0.9


def test_worlds_of_the_training_may_be_others_than_those_of_evaluations(tmp_path):
    """Episodes of three steps while it learns, whole ones before and after, and so when resumed."""
    given = ["training_env_kwargs:{'max_episode_steps': 3}", "n_steps:8", "batch_size:16"]
    words = ["--set", *given, "--n-envs", "4", "--seconds", "0", "--run", str(tmp_path / "run")]
    assert main(["train", "InvertedPendulum-v5", "--steps", "64", *words]) == 0
    run = Run(tmp_path / "run")
    for steps in (64, 128):
        if steps == 128:
            resume(run.folder, steps=128, seconds=0)
        with run.log.open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["rollout/ep_len_mean"] for row in rows} - {""} == {"3.0"}
        assert int(rows[-1]["time/total_timesteps"]) == steps
        result = json.loads((run.folder / RESULT).read_text())
        assert min(result["return_before"] + result["return_after"]) > 3
    # a run is repeated by its command file, its agent plays in the environment as it is
    assert run.environment()[1] == {}
    again = read(run.folder / COMMAND)
    assert again["hyperparameters"]["training_env_kwargs"] == {"max_episode_steps": 3}
    words = ["--config", str(run.folder / COMMAND), "--run", str(tmp_path / "again")]
    assert main(["train", *words, "--steps", "64"]) == 0
    repeated = Run(tmp_path / "again").config()["hyperparameters"]
    assert repeated == {**run.config()["hyperparameters"], "steps": 64}


def test_arguments_of_the_training_are_those_of_its_environment(tmp_path):
    for given, expected in {
        "num_envs": "training_env_kwargs: num_envs is chosen by training; leave it out",
        "reset_noise": "did you mean",
    }.items():
        with pytest.raises((ValueError, TypeError), match=expected):
            train(ENV, settings(training_env_kwargs={given: 3}), tmp_path / "run", seconds=0)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_noise_of_each_world(correlation):
    """Deviations from world to world, and what goes on from step to step."""
    chosen = {"noise": 0.1, "noise_most": 0.8, "noise_correlation": correlation, "n_envs": 4}
    settings = hyperparameters(ENV, "FastSAC", **chosen, buffer_size=100)
    noise: Any = make_agent(ENV, settings, 0, {}).model.action_noise
    np.random.seed(0)  # noqa: NPY002  noise of actions has it
    found = np.array([noise() for _ in range(20_000)])[100:, :, 0]
    np.testing.assert_allclose(found.std(0), [0.1, 0.2, 0.4, 0.8], rtol=0.03)
    np.testing.assert_allclose(found.mean(0) / found.std(0), 0.0, atol=0.04)
    for one in found.T:
        assert np.corrcoef(one[1:], one[:-1])[0, 1] == pytest.approx(correlation, abs=0.03)


def test_noise_that_makes_no_sense():
    for noise in (0.0, 0.5):
        with pytest.raises(
            ValueError, match=rf"noise_most: found 0\.3 with noise {noise}, expected"
        ):
            hyperparameters(ENV, "SAC", noise=noise, noise_most=0.3)


def test_settings_that_sac_does_not_have():
    for name in ("clip_schedule", "target_kl", "normalize_rewards"):
        with pytest.raises(ValueError, match=f"{name}: no setting of SAC"):
            hyperparameters(ENV, "SAC", **{name: None})


def test_the_command_takes_and_lists_them(tmp_path, capsys):
    words = ["activation:elu", "target_kl:0.02", "normalize_rewards:false", "critic_arch:[8]"]
    words += ["clip_schedule:linear", "n_steps:8", "batch_size:16", "net_arch:[8]", "n_envs:4"]
    options = ["--steps", "64", "--seconds", "0", "--run", str(tmp_path / "run"), "--set", *words]
    assert main(["train", "InvertedPendulum-v5", *options]) == 0
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    said = capsys.readouterr().out
    said = " ".join(said.split())
    common = names("PPO")[:1]
    assert common == ["training_env_kwargs"]
    assert f"Settings of all algorithms: {', '.join(common)}. Of PPO: " in said
    assert f"Of PPO: {', '.join(names('PPO')[1:])}." in said
    shared = names("TD3")[1:]
    assert f"Of SAC, FastSAC, TQC and TD3: {', '.join(shared)};" in said
    weights = {*common, "ent_coef_init", "ent_coef", "ent_coef_schedule"}
    assert {*names("SAC")} - {*shared} == {*names("FastSAC")} - {*shared} == weights
    assert {*names("TQC")} - {*names("SAC")} == {"dropped"}
    assert f"Of ARS: {', '.join(names('ARS')[1:])}." in said
