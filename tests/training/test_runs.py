"""Run folders, hyperparameters and learning curves."""

import pytest

pytest.importorskip("stable_baselines3")

from mjenv.training.curve import plot_curve, read_log
from mjenv.training.hyperparameters import DEFAULTS, SoftActorCritic, hyperparameters
from mjenv.training.runs import CONFIG, Run


def test_a_run_is_found_again(tmp_path):
    run = Run.create("mjenv/HalfCheetah-v5", tmp_path / "run")
    run.write(CONFIG, {"env": "mjenv/HalfCheetah-v5"})
    assert Run.open(tmp_path / "run").config() == {"env": "mjenv/HalfCheetah-v5"}
    assert run.checkpoints.is_dir()


def test_default_folder_names_the_environment(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Run.create("mjenv/Ant-v5").folder.match("runs/Ant-v5-*")


def test_a_run_is_replaced_only_when_told_so(tmp_path):
    run = Run.create("mjenv/Ant-v5", tmp_path)
    run.write(CONFIG, {})
    with pytest.raises(FileExistsError, match=r"holds a run already; .* --overwrite"):
        Run.create("mjenv/Ant-v5", tmp_path)
    Run.create("mjenv/Ant-v5", tmp_path, overwrite=True)
    assert not (tmp_path / CONFIG).exists()


def test_settings_of_algorithms():
    assert hyperparameters("mjenv/Hopper-v5", "SAC", n_envs=2) == SoftActorCritic(n_envs=2)
    assert hyperparameters("mjenv/Hopper-v5") == DEFAULTS
    with pytest.raises(ValueError, match=r"found 'DDPG', expected one of"):
        hyperparameters("mjenv/Hopper-v5", "DDPG")


def test_other_files_are_never_removed(tmp_path):
    (tmp_path / "thesis.tex").write_text("text")
    with pytest.raises(FileExistsError, match="holds other files"):
        Run.create("mjenv/Ant-v5", tmp_path, overwrite=True)
    with pytest.raises(FileExistsError, match="is a file"):
        Run.create("mjenv/Ant-v5", tmp_path / "thesis.tex", overwrite=True)
    assert (tmp_path / "thesis.tex").exists()


def test_no_run(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no config\.json there.*mjenv train"):
        Run.open(tmp_path)


def test_hyperparameters():
    """A row of the table, changed where a value is given."""
    assert hyperparameters("mjenv/Unknown-v0") == DEFAULTS
    changed = hyperparameters("mjenv/HalfCheetah-v5", steps=10, n_envs=None)
    assert changed.steps == 10
    assert changed.n_envs == hyperparameters("mjenv/HalfCheetah-v5").n_envs


def test_batches_divide_the_samples_of_an_update():
    from mjenv.training.hyperparameters import TABLE

    for row in (DEFAULTS, *TABLE.values()):
        assert row.n_envs * row.n_steps % row.batch_size == 0


def test_curve(tmp_path):
    """Rows without a finished episode are left out; the picture is a PNG."""
    log = tmp_path / "progress.csv"
    log.write_text("rollout/ep_rew_mean,time/total_timesteps\n,64\n-5.5,128\n10,192\n")
    steps, returns = read_log(log)
    assert steps.tolist() == [128, 192]
    assert returns.tolist() == [-5.5, 10]
    for content in ((steps, returns), (steps[:0], returns[:0])):
        plot_curve(tmp_path / "curve.png", "title", *content, before=-7.0, after=12.0)
        assert (tmp_path / "curve.png").read_bytes()[:4] == b"\x89PNG"
