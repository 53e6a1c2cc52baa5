"""Agents as files that need numpy alone, and those that come with mjenv."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

from mjenv.commands.cli import main, parser
from mjenv.randomization.literals import read_pairs
from mjenv.training import portable
from mjenv.training.agent import Agent
from mjenv.training.export import command, played
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.portable import SHIPPED, Portable, names, shipped
from mjenv.training.settings import SoftActorCritic
from mjenv.training.train import train

ENV = "mjenv/InvertedPendulum-v5"
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    settings = hyperparameters(ENV, n_envs=4, n_steps=16, batch_size=32, steps=640)
    folder = tmp_path_factory.mktemp("runs") / "run"
    return train(ENV, settings, folder, seconds=0, seed=3, env_kwargs={"reset_noise_scale": 0.02})


@pytest.mark.slow
def test_a_file_acts_as_its_run(run, tmp_path, capsys):
    path = tmp_path / "agent.npz"
    assert main(["export", str(run.folder), "--output", str(path), "--episodes", "2"]) == 0
    assert f"{path}: return" in capsys.readouterr().out
    agent, original = Portable.load(path), Agent.load(run)
    observations = np.random.default_rng(0).normal(size=(50, 4))
    np.testing.assert_allclose(agent.act(observations), original.act(observations), atol=1e-5)
    np.testing.assert_allclose(agent.act(observations[0]), original.act(observations[0]), atol=1e-5)
    info = agent.info
    assert (info["env"], info["seed"], info["steps"]) == (ENV, 3, 640)
    assert info["env_kwargs"] == {"reset_noise_scale": "0.02"}
    assert info["episodes"] == 2
    assert agent.curve.shape[0] == 2
    with pytest.raises(ValueError, match="found 5 observations, expected 4"):
        agent.act(np.zeros(5))
    # its command is what made it
    words = shlex.split(info["command"])
    assert words[:4] == ["mjenv", "train", "InvertedPendulum-v5", "--seed"]
    parsed = parser().parse_args(words[1:])
    assert "n_envs=4" in parsed.hyperparameters
    assert parsed.env_kwargs == ["reset_noise_scale=0.02"]
    # and the window and the film take it
    film = ["--output", str(tmp_path / "film.gif"), "--seconds", "0.1", "--size", "64x48"]
    assert main(["record", str(path), *film]) == 0
    assert "an agent of 640 steps" in capsys.readouterr().out


def test_sums_do_not_depend_on_their_order():
    agent = shipped("mjenv/Humanoid-v5")
    rng = np.random.default_rng(0)
    observations = rng.normal(scale=3.0, size=(50, agent.mean.size))
    expected = agent.act(observations)
    single = np.array([agent.act(observation) for observation in observations])
    np.testing.assert_array_equal(single, expected)
    # the inputs of each layer in another order, and sums of halves
    layers = [(weight.T, bias) for weight, bias in agent._layers]
    x = np.clip((observations - agent.mean) / agent.deviation, -agent.limit, agent.limit)
    for k, (weight, bias) in enumerate(layers):
        x = np.rint((portable._tanh(x) if k else x) * 2**20) / 2**20
        order = rng.permutation(x.shape[-1])
        first, second = np.split(order, [len(order) // 3])
        x = x[:, second] @ weight[:, second].T + x[:, first] @ weight[:, first].T + bias
    np.testing.assert_array_equal(np.clip(x.astype(np.float32), agent.low, agent.high), expected)


def test_the_tangent():
    x = np.concatenate([np.linspace(-20.0, 20.0, 100_001), [0.0, 1e-9, np.inf, -np.inf]])
    found = portable._tanh(x)
    np.testing.assert_allclose(found, np.tanh(x), rtol=0, atol=1e-7)
    assert np.isnan(portable._tanh(np.array([np.nan])))


@pytest.mark.slow
def test_the_window_shows_it(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    main(["export", str(run.folder), "--episodes", "1"])
    for what in (run.folder, run.folder / "agent.npz"):
        assert main(["watch", str(what), "--frames", "2"]) == 0


def test_a_file_needs_numpy_alone(run, tmp_path):
    path = tmp_path / "agent.npz"
    main(["export", str(run.folder), "--output", str(path), "--episodes", "1"])
    code = (
        "import sys; from mjenv.training.portable import Portable; import numpy as np; "
        f"print(Portable.load({str(path)!r}).act(np.zeros(4)).shape); "
        "assert not {'torch', 'stable_baselines3'} & set(sys.modules)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "(1,)\n"


def test_agents_that_cannot_be_written(tmp_path, capsys):
    sac = SoftActorCritic(steps=40, n_envs=4, learning_starts=20, net_arch=(8,))
    train(ENV, sac, tmp_path / "sac", seconds=0)
    assert main(["export", str(tmp_path / "sac")]) == 1
    assert "a policy of SAC, expected a perceptron" in capsys.readouterr().err
    assert not (tmp_path / "sac" / "agent.npz").exists()


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (["export", "run", "--output", "agent.txt"], "suffix is '.txt', expected one of ['.npz'"),
        (["record", "none.npz"], "none.npz: no such file"),
        (["record", "bad.npz"], "bad.npz: is no agent"),
        (["watch", "Other-v0"], "no agent of it comes with mjenv, only of"),
    ],
)
def test_mistakes(argv, expected, run, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.npz").write_bytes(b"PK")
    (tmp_path / "run").symlink_to(run.folder)
    spec = gymnasium.spec(ENV)
    monkeypatch.setitem(gymnasium.registry, "mjenv/Other-v0", spec)
    assert main(argv) == 1
    assert expected in capsys.readouterr().err


def test_commands():
    settings = hyperparameters("mjenv/Ant-v5").to_dict()
    config = {"env": "mjenv/Ant-v5", "algorithm": "PPO", "seed": 0, "env_kwargs": {}}
    assert command({**config, "hyperparameters": settings}) == "mjenv train Ant-v5"
    changed = {**settings, "gamma": 0.5, "net_arch": [8, 8]}
    expected = "mjenv train Ant-v5 --set gamma=0.5 --set 'net_arch=(8,8)'"
    assert command({**config, "hyperparameters": changed}) == expected
    # as a shell takes it
    margin = {"training_env_kwargs": {"healthy_z_range": [0.2, 0.95]}}
    words = shlex.split(command({**config, "hyperparameters": {**settings, **margin}}))
    assert words[-2] == "--set"
    found = read_pairs("--set", [words[-1]])
    again = hyperparameters("mjenv/Ant-v5", **found)
    assert again.training_env_kwargs == {"healthy_z_range": (0.2, 0.95)}
    start = {"agent": "runs/ant", "env": "mjenv/Ant-v5", "steps": 100}
    from_another = {**config, "start": start, "hyperparameters": settings}
    assert command(from_another) == "mjenv train Ant-v5 --from runs/ant"


# those that come with mjenv


def test_they_are_small():
    assert sum(path.stat().st_size for path in SHIPPED.glob("*.npz")) < 3_000_000
    assert "HalfCheetah-v5" in names()


@pytest.mark.parametrize("name", names())
def test_they_say_where_they_come_from(name):
    agent = shipped(f"mjenv/{name}")
    assert agent.info["env"] == f"mjenv/{name}"
    assert agent.info["command"].startswith(f"mjenv train {name}")
    assert agent.info["minutes"] > 0
    assert agent.info["episodes"] >= 20
    assert agent.curve.shape[1] > 5


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_they_reach_what_they_say(name):
    # to the digit: neither the engine's numbers nor the agent's differ by machine
    agent = shipped(f"mjenv/{name}")
    found = played(agent, f"mjenv/{name}", agent.info["env_kwargs"], agent.info["episodes"])
    assert found["return"] == pytest.approx(agent.info["return"], rel=1e-9)
    assert found["std"] == pytest.approx(agent.info["std"], rel=1e-6, abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in names() if name.endswith("-v5")])
def test_they_reach_it_in_gymnasiums_own_environments_too(name):
    pytest.importorskip("mujoco")
    agent = shipped(f"mjenv/{name}")
    returns = []
    with gymnasium.make(name) as env:
        for seed in range(5):
            observation, _ = env.reset(seed=seed)
            total, over = 0.0, False
            while not over:
                observation, reward, terminated, truncated, _ = env.step(agent.act(observation))
                total, over = total + float(reward), terminated or truncated
            returns.append(total)
    spread = 3.0 * agent.info["std"] / 5**0.5
    assert np.mean(returns) == pytest.approx(agent.info["return"], rel=0.1, abs=spread)


def test_there_is_none_for_others(monkeypatch, tmp_path):
    monkeypatch.setattr(portable, "SHIPPED", tmp_path)
    assert shipped("mjenv/HalfCheetah-v5") is None
    assert names() == []


def as_said(text, value):
    """Whether a number is what a text says, to its digits."""
    _, _, digits = text.partition(".")
    return f"{value:,.{len(digits)}f}" == text


def test_the_guide_says_what_agents_reach():
    rows = re.findall(
        r"^\| (\w+-v\d) \| .* \| (\S+) ± (\S+) \| (\S+) M \| (\S+) \| (\d+) \|$",
        (DOCS / "curves.md").read_text(),
        re.MULTILINE,
    )
    assert {row[0] for row in rows} == set(names())
    for env_id, *texts, seed in rows:
        info = shipped(f"mjenv/{env_id}").info
        found = info["return"], info["std"], info["steps"] / 1e6, info["minutes"]
        for text, value in zip(texts, found, strict=True):
            assert as_said(text, value), (env_id, text, value)
        assert int(seed) == info["seed"], env_id


def test_the_gallery_says_what_agents_reach():
    text = (DOCS / "gallery.md").read_text()
    captions = re.findall(r">(\w+-v\d), return (\S+) after (\S+) minutes", text)
    assert len(captions) == 5
    for env_id, *texts in captions:
        info = shipped(f"mjenv/{env_id}").info
        assert as_said(texts[0], info["return"]), env_id
        assert as_said(texts[1], info["minutes"]), env_id
