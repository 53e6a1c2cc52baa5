"""Augmented random search: what it plays, how it moves, and what runs of it are good for."""

import json
from types import SimpleNamespace
from typing import ClassVar

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib")
pytest.importorskip("torch")

import torch
from sb3_contrib import ARS
from stable_baselines3.common.logger import Logger
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

import mjenv
from mjenv.commands.cli import main
from mjenv.training.agent import Agent
from mjenv.training.evaluate import evaluate
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.learners.random_search import WideARS, acted
from mjenv.training.runs.folders import Run
from mjenv.training.runs.warm_start import Start
from mjenv.training.train import make_agent, resume, train
from tests.training import tasks_in_groups
from tests.training.learned import numbers

ENV = "mjenv/InvertedPendulum-v5"
HOPPER = "mjenv/Hopper-v5"
SMALL = {"n_delta": 4, "n_top": 2, "steps": 600}


def settings(env=ENV, **changes):
    return hyperparameters(env, "ARS", **{**SMALL, **changes})


def learner(env=ENV, seed=3, env_kwargs=None, **changes):
    agent = make_agent(env, settings(env, **changes), seed, env_kwargs or {})
    agent.model.set_logger(Logger(None, []))
    return agent


class Silent:
    """A callback that asks for nothing."""

    def update_locals(self, _):
        """Know nothing."""

    def on_step(self):
        """Go on."""
        return True


def begun(**changes):
    """A learner before its first iteration, of Hopper."""
    model = learner(HOPPER, **changes).model
    model._setup_learn(1)
    return model


def test_returns_are_those_of_single_environments():
    """Bit for bit: of the policy of each world, from its own seed, to the end of its episode."""
    model = begun(n_delta=2, n_top=1, n_eval_episodes=2, alive_bonus_offset=-0.5)
    policies = np.random.default_rng(0).normal(size=(11, 3, 8)).astype(np.float32)
    found = model._play(policies, Silent())
    episodes, lengths = list(model.ep_info_buffer), []
    for world in range(8):
        env = gymnasium.make(HOPPER)
        observation, _ = env.reset(seed=3 + world)
        total, length, done = 0.0, 0, False
        own = policies[..., world : world + 1]
        while not done:
            column = observation.astype(np.float32)[:, None].clip(-10.0, 10.0)
            action = acted(own, column)[0].clip(-1.0, 1.0)
            observation, reward, terminated, truncated, _ = env.step(action)
            total, length, done = total + (reward - 0.5), length + 1, terminated or truncated
        assert found[world] == total
        lengths.append(length)
    assert len(set(lengths)) > 3  # worlds wait for others
    assert sorted(one["l"] for one in episodes) == sorted(lengths)
    assert model.num_timesteps == sum(lengths)
    rewards = [one["r"] - 0.5 * one["l"] for one in episodes]
    np.testing.assert_allclose(sorted(rewards), sorted(found))
    for one in episodes:
        assert sum(one["terms"].values()) == pytest.approx(one["r"])
    # observations of what was played, and of nothing else, are counted
    assert model.get_vec_normalize_env().obs_rms.count == pytest.approx(sum(lengths), abs=1e-3)
    assert model.get_vec_normalize_env().ret_rms.count < 1.0


def test_perturbations_move_to_an_end():
    """Linearly over the steps, as far as the training has come; else they stay."""
    model = begun(n_delta=2, n_top=1, delta_std=0.4, delta_std_final=0.1)
    played = []

    def play(policies, callback):
        played.append(policies - model.matrix.T[..., None])
        return np.arange(4.0)

    model._play = play
    for share in (0.0, 0.5, 1.0):
        model.share = share
        model._generator = np.random.default_rng(2)
        assert model._search(SimpleNamespace(on_rollout_start=list, on_rollout_end=list))
    first, middle, last = (one[..., :2] for one in played)
    np.testing.assert_allclose(middle / first, 0.25 / 0.4, rtol=1e-3)
    np.testing.assert_allclose(last / first, 0.1 / 0.4, rtol=1e-3)
    model = begun(delta_std=0.4)
    assert model.delta_std_schedule(1.0) == model.delta_std_schedule(0.0) == 0.4


def test_policies_move_along_the_best_directions():
    model = begun(n_delta=6, n_top=2, learning_rate=0.3)
    random = np.random.default_rng(1)
    deltas, returns = random.normal(size=(11, 3, 6)), random.normal(size=(2, 6)) * 40.0
    before = random.normal(size=(3, 11)).astype(np.float32)
    model.matrix[:] = before
    model._move(deltas.astype(np.float32), returns)
    kept = sorted(range(6), key=lambda k: max(returns[:, k]))[-2:]
    gradient = sum((returns[0, k] - returns[1, k]) * deltas[..., k].T for k in kept)
    expected = before + 0.3 / (2 * returns[:, kept].std()) * gradient
    np.testing.assert_allclose(model.matrix, expected, atol=1e-5)
    assert not np.allclose(model.matrix, before, atol=1e-2)
    # it is the policy's own
    np.testing.assert_array_equal(model.policy.action_net[0].weight.detach().numpy(), model.matrix)


def test_equal_returns_move_nothing():
    model = begun(n_delta=3, n_top=3)
    model._move(np.ones((11, 3, 3), np.float32), np.full((2, 3), 7.0))
    assert not model.matrix.any()


@pytest.mark.slow
def test_a_pendulum_is_learned():
    agent = learner(n_delta=16, n_top=8, delta_std=0.1, learning_rate=0.1, steps=60_000)
    before = evaluate(ENV, agent.act).mean()
    agent.model.learn(60_000)
    assert before < 100.0
    assert evaluate(ENV, agent.act).mean() > 950.0


@pytest.mark.sweep(1)
@pytest.mark.parametrize("threads", [1, 3])
def test_learning_is_a_function_of_the_seed_alone(threads):
    """Not of threads, of the worlds or of PyTorch."""
    before = torch.get_num_threads()
    found = []
    try:
        for kwargs, count in (({}, before), ({"nthread": threads}, threads)):
            torch.set_num_threads(count)
            model = learner(HOPPER, env_kwargs=kwargs, n_delta=12).model
            model.learn(2_000)
            found.append((model.matrix.copy(), model.num_timesteps))
    finally:
        torch.set_num_threads(before)
    assert found[0][1] == found[1][1]
    np.testing.assert_array_equal(found[0][0], found[1][0])
    other = learner(HOPPER, seed=4, n_delta=12).model
    other.learn(2_000)
    assert not np.array_equal(other.matrix, found[0][0])


@pytest.mark.slow
def test_a_resumed_search_has_the_numbers_of_one_that_was_not_stopped(tmp_path):
    chosen = settings(HOPPER, steps=1_200, learning_rate_schedule="linear")
    how = {"seconds": 0, "seed": 5}
    whole = train(HOPPER, chosen, tmp_path / "whole", **how)
    parts = train(HOPPER, chosen, tmp_path / "parts", minutes=1e-9, **how)
    stopped = [parts.checkpoint("last").steps]
    resume(parts.folder, minutes=1e-9, seconds=0)
    stopped.append(parts.checkpoint("last").steps)
    assert 0 < stopped[0] < stopped[1] < 1_200
    resume(parts.folder, seconds=0)
    expected, found = numbers(whole), numbers(parts)
    assert expected.keys() == found.keys()
    assert "action_net.0.weight" in expected
    for name, value in expected.items():
        assert torch.equal(found[name], value), name
    results = [json.loads((run.folder / "result.json").read_text()) for run in (whole, parts)]
    for name in ("return_before", "return_after", "steps"):
        assert results[0][name] == results[1][name]
    assert parts.episodes.read_text() == whole.episodes.read_text()


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    words = ["train", "InvertedPendulum-v5", "--algorithm", "ARS", "--steps", "600"]
    words += ["--seconds", "0", "--eval-every", "300", "--set", "n_delta:4", "n_top:2"]
    assert main([*words, "--run", str(folder)]) == 0
    return Run.open(folder)


@pytest.mark.filterwarnings("ignore::DeprecationWarning:torch")
def test_what_a_run_is_good_for(run, tmp_path, capsys):
    """It is evaluated, exported in all ways, begun with, and read by sb3-contrib."""
    agent, x = Agent.load(run), np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    expected = agent.act(x)
    assert run.evaluations.read_text().count("\n") > 1
    assert main(["eval", str(run.folder), "--episodes", "2"]) == 0
    for suffix in (".npz", ".pt", ".onnx"):
        if suffix == ".onnx":
            pytest.importorskip("onnx")
        assert main(["export", str(run.folder), "--output", str(tmp_path / f"a{suffix}")]) == 0
    scripted = torch.jit.load(str(tmp_path / "a.pt"))(torch.from_numpy(x)).detach().numpy()
    np.testing.assert_allclose(scripted, expected, atol=1e-5)
    session = pytest.importorskip("onnxruntime").InferenceSession(str(tmp_path / "a.onnx"))
    (inferred,) = session.run(["action"], {"observation": x})
    np.testing.assert_allclose(inferred, expected, atol=1e-5)
    for what in (run.folder, tmp_path / "a.npz"):
        fresh = make_agent(ENV, settings(), 1, {})
        Start(what).give(fresh)
        np.testing.assert_allclose(fresh.act(x), expected, atol=1e-5)
        fresh.normalize.venv.close()
    words = ["train", ENV, "--algorithm", "ARS", "--from", str(tmp_path / "a.npz"), "--seconds"]
    words += ["0", "--steps", "100", "--set", "n_delta:4", "--run", str(tmp_path / "second")]
    assert main(words) == 0
    theirs = ARS.load(run.agent, device="cpu")
    normalized = agent.normalize.normalize_obs(x)
    np.testing.assert_array_equal(theirs.predict(normalized, deterministic=True)[0], expected)
    capsys.readouterr()
    words[words.index("--from") + 1] = "InvertedPendulum-v5"
    assert main([*words, "--overwrite"]) == 1
    assert "expected a linear policy for a training with ARS" in capsys.readouterr().err


def test_settings(capsys):
    assert settings(n_eval_episodes=3).n_envs == 24
    for name, value, said in (
        ("n_top", 5, "n_top: found 5, expected at most n_delta, 4"),
        ("n_top", 0, "n_top: found 0, expected a whole number from 1, or None"),
        ("delta_std", 0.0, "delta_std: found 0.0, expected a number above 0"),
        ("delta_std_final", 0.0, "delta_std_final: found 0.0, expected a number above 0, or None"),
        ("n_eval_episodes", 0, "n_eval_episodes: found 0, expected a whole number from 1"),
        ("gamma", 0.9, "gamma: no setting of ARS; "),
        ("net_arch", (8,), "net_arch: no setting of ARS; "),
    ):
        with pytest.raises(ValueError, match=said):
            settings(**{name: value})
    words = ["train", "Hopper-v5", "--algorithm", "ARS"]
    for more, said in (
        (["--n-envs", "64"], "n_envs: no setting of ARS; "),
        (["--demonstrations", "x"], "demonstrations: found ARS, which cannot start from them"),
    ):
        assert main([*words, *more]) == 1
        assert said in capsys.readouterr().err


class Endless(tasks_in_groups.Hidden):
    """A task whose episodes may have no end."""

    groups: ClassVar[dict[str, tuple[str, ...]]] = {}


def test_tasks_that_it_does_not_learn(tmp_path):
    mjenv.register("Endless-v0", Endless)
    for env, kwargs, said in (
        ("Endless-v0", {}, "episodes may have no end, expected a task with max_epis"),
        ("mjenv/Multi-v0", {"tasks": ["Hopper-v5", "HalfCheetah-v5"]}, "several tasks"),
        (f"{tasks_in_groups.__name__}:Reach-v0", {}, "in groups, achieved_goal, desired_goal"),
        (f"{tasks_in_groups.__name__}:Hidden-v0", {}, "in groups, privileged_state, state"),
        ("mjenv/TwoAnts-v0", {}, "observations are in groups, "),
        (ENV, {"pixels": {"height": 8, "width": 8}}, "observations "),
    ):
        with pytest.raises(ValueError, match=f"{env}: .*{said}.* for ARS; leave --algorithm out"):
            train(env, settings(), tmp_path / "run", seconds=0, env_kwargs=kwargs)
    assert not (tmp_path / "run").exists()


def test_arguments_of_the_class():
    for policy, options, said in (
        ("MlpPolicy", {}, r"policy is 'MlpPolicy' .*expected 'LinearPolicy'"),
        ("LinearPolicy", {"policy_kwargs": {"with_bias": True}}, r"expected .* without options"),
        ("LinearPolicy", {"n_delta": 2, "n_top": 3}, "n_top is 3, expected at most n_delta, 2"),
    ):
        with pytest.raises(ValueError, match=said):
            WideARS(policy, "InvertedPendulum-v5", **options)
    model = WideARS("LinearPolicy", "InvertedPendulum-v5", n_delta=2, n_eval_episodes=3)
    assert model.n_envs == 12
    model.n_eval_episodes = 1
    with pytest.raises(ValueError, match="found 12 worlds, expected 4: 1 for each of 2 directions"):
        model.learn(1)
    other = WideARS("LinearPolicy", VecNormalize(DummyVecEnv([lambda: gymnasium.make(ENV)])))
    with pytest.raises(TypeError, match=r"expected a NativeVecEnv; sb3_contrib\.ARS takes"):
        other.learn(1)
