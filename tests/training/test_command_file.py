"""Trainings whose options stand in a file, and runs that are repeated from the file they have."""

import json

import pytest

pytest.importorskip("stable_baselines3")
pytest.importorskip("torch")

from mjenv import Uniform
from mjenv.commands.cli import main
from mjenv.system import packages
from mjenv.training.runs.folders import Run
from mjenv.training.train import train
from tests.training.learned import numbers

yaml = pytest.importorskip("yaml")

SMALL = {"n_steps": 8, "batch_size": 16, "n_epochs": 1, "net_arch": [8]}
CONTENT = """
env: InvertedPendulum-v5
steps: 64
n-envs: 4
seed: 3
seconds: 0
hyperparameters:
  n_steps: 8
  batch_size: 16
  n_epochs: 1
  net_arch: [8]
  learning_rate: 1e-3    # which YAML takes for a string
  normalize_rewards: false
env_kwargs: {reset_noise_scale: 0.05}
randomization: {body_mass: "Uniform(0.8, 1.2)"}
eval_every: 32
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "pendulum.yaml"
    path.write_text(CONTENT)
    return path


def test_options_stand_in_a_file(file, tmp_path):
    assert main(["train", "--config", str(file), "--run", str(tmp_path / "run")]) == 0
    run = Run(tmp_path / "run")
    config = run.config()
    assert (config["env"], config["seed"]) == ("mjenv/InvertedPendulum-v5", 3)
    settings = config["hyperparameters"]
    assert (settings["steps"], settings["n_envs"], settings["net_arch"]) == (64, 4, [8])
    assert (settings["learning_rate"], settings["normalize_rewards"]) == (1e-3, False)
    assert run.environment()[1] == {
        "reset_noise_scale": 0.05, "randomization": {"body_mass": Uniform(0.8, 1.2)}
    }  # fmt: skip
    assert config["evaluations"] == {"every": 32, "episodes": 16}
    assert not run.video.exists()


@pytest.mark.slow
def test_typed_options_replace_those_of_the_file(file, tmp_path):
    typed = ["--steps", "32", "--seed", "0", "--set", "learning_rate:0.002", "n_epochs=2"]
    words = ["InvertedDoublePendulum-v5", "--config", str(file), "--randomization", "{}", *typed]
    assert main(["train", *words, "--run", str(tmp_path / "run")]) == 0
    run = Run(tmp_path / "run")
    config = run.config()
    assert (config["env"], config["seed"]) == ("mjenv/InvertedDoublePendulum-v5", 0)
    settings = config["hyperparameters"]
    assert (settings["steps"], settings["n_epochs"], settings["n_steps"]) == (32, 2, 8)
    assert settings["learning_rate"] == 0.002
    assert run.environment()[1]["randomization"] == {}


@pytest.mark.slow
@pytest.mark.parametrize("algorithm", ["PPO", "TD3"])
def test_a_run_is_repeated_from_its_own_file(algorithm, file, tmp_path):
    off_policy = {"learning_starts": 16, "batch_size": 16, "buffer_size": 100, "gradient_steps": 2}
    content = yaml.safe_load(CONTENT)
    content |= {"algorithm": algorithm, "size": [64, 48], "seconds": 0.1}
    content["hyperparameters"] = SMALL if algorithm == "PPO" else {**off_policy, "net_arch": [8]}
    file = tmp_path / "other.json"
    file.write_text(json.dumps(content))
    one, two = (Run(tmp_path / name) for name in ("one", "two"))
    assert main(["train", "--config", str(file), "--run", str(one.folder)]) == 0
    own = str(one.folder / "command.json")
    assert main(["train", "--config", own, "--run", str(two.folder)]) == 0
    first, second = numbers(one), numbers(two)
    assert first.keys() == second.keys()
    assert all((first[name] == second[name]).all() for name in first)
    assert one.evaluations.read_text() == two.evaluations.read_text()
    assert one.config() == two.config()
    commands = [json.loads((run.folder / "command.json").read_text()) for run in (one, two)]
    assert commands[0] == commands[1]
    assert commands[0]["size"] == [64, 48]
    assert one.video.stat().st_size > 0


@pytest.mark.slow
def test_a_run_that_began_with_an_agent_is_repeated(file, tmp_path):
    base = str(tmp_path / "base")
    assert main(["train", "--config", str(file), "--run", base]) == 0
    words = ["--config", str(file), "--from", base, "--checkpoint", "best", "--run"]
    one, two = (Run(tmp_path / name) for name in ("one", "two"))
    assert main(["train", *words, str(one.folder)]) == 0
    own = str(one.folder / "command.json")
    assert main(["train", "--config", own, "--run", str(two.folder)]) == 0
    assert two.config()["start"] == one.config()["start"]
    assert two.config()["start"]["checkpoint"] == "best"
    first, second = numbers(one), numbers(two)
    assert all((first[name] == second[name]).all() for name in first)


def test_trainings_of_scripts_have_such_a_file_too(tmp_path):
    from mjenv.training.hyperparameters import hyperparameters

    settings = hyperparameters("InvertedPendulum-v5", n_envs=4, steps=32, **SMALL)
    run = train("InvertedPendulum-v5", settings, tmp_path / "run", seconds=0, minutes=3)
    command = json.loads((run.folder / "command.json").read_text())
    assert command["env"] == "mjenv/InvertedPendulum-v5"
    assert (command["steps"], command["minutes"], command["seconds"]) == (32, 3, 0)
    assert command["hyperparameters"]["net_arch"] == [8]
    assert "wandb" not in command
    run.clear()
    assert not (run.folder / "command.json").exists()


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("x.yaml", "stps: 3", "x.yaml: stps: no option of a command file; did you mean 'steps'?"),
        ("x.yaml", "trust: true", "x.yaml: trust: no option of a command file"),
        ("x.yaml", "steps: many", "x.yaml: argument --steps: found 'many', expected a whole"),
        ("x.yaml", "overwrite: 1", "x.yaml: overwrite: found 1, expected true or false"),
        ("x.yaml", "set: [a]", "x.yaml: set: found ['a'], expected values by their names"),
        ("x.yaml", "seed: [1]", "x.yaml: seed: found [1], expected one value"),
        (
            "x.yaml",
            "algorithm: DQN",
            "x.yaml: argument --algorithm: found 'DQN', expected one of PPO, SAC",
        ),
        ("x.yaml", "a: [", "x.yaml: cannot be read: while parsing"),
        ("x.yaml", "!!python/object/apply:os.mkdir [executed]", "x.yaml: cannot be read: could"),
        ("x.yaml", "- a", "x.yaml: found list, expected options by their names"),
        ("x.json", "{", "x.json: cannot be read: Expecting"),
        ("x.toml", "", "x.toml: suffix is '.toml', expected one of ['.yaml', '.yml', '.json']"),
        ("x.json", '{"set": {"gama": 1}}', "gama: no setting of PPO; did you mean 'gamma'?"),
    ],
)
def test_mistakes(name, text, said, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    words = ["InvertedPendulum-v5", "--run", "run", "--steps", "64"]
    assert (
        main(["train", "--config", name, *(words if "argument --steps" not in said else [])]) == 1
    )
    assert said in capsys.readouterr().err
    assert not (tmp_path / "run").exists()
    assert not (tmp_path / "executed").exists()


def test_a_package_that_is_missing(file, monkeypatch, capsys):
    def load(name, what):
        raise packages.missing(name, what)

    monkeypatch.setattr("mjenv.commands.command_file.packages.load", load)
    assert main(["train", "--config", str(file)]) == 1
    said = capsys.readouterr().err
    assert f"yaml: not installed, --config {file} needs it; pip install 'mjenv[train]'" in said
    assert main(["train", "--config", "nowhere.json"]) == 1
    assert "nowhere.json: no such file" in capsys.readouterr().err
