"""Run folders, hyperparameters and learning curves."""

import pytest

pytest.importorskip("stable_baselines3")

from mjenv.training.hyperparameters import DEFAULTS, hyperparameters
from mjenv.training.runs.curve import plot_curve, read_log
from mjenv.training.runs.folders import CONFIG, Run
from mjenv.training.settings import SoftActorCritic


def test_settings_of_algorithms():
    assert hyperparameters("mjenv/Hopper-v5", "SAC", n_envs=2) == SoftActorCritic(n_envs=2)
    assert hyperparameters("mjenv/Other-v0") == DEFAULTS
    with pytest.raises(ValueError, match=r"found 'DDPG', expected one of"):
        hyperparameters("mjenv/Hopper-v5", "DDPG")
    with pytest.raises(ValueError, match="gama: no setting of PPO; did you mean 'gamma'"):
        hyperparameters("mjenv/Hopper-v5", gama=0.9)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("steps", 0, "a whole number from 1"),
        ("steps", 1.5, "a whole number from 1"),
        ("n_envs", True, "a whole number from 1"),
        ("batch_size", 1, "a whole number from 2"),
        ("learning_rate", -1e-3, "a number above 0"),
        ("learning_rate", float("nan"), "a number above 0"),
        ("gamma", 1.5, "a number from 0 to 1"),
        ("net_arch", (64, 0), "widths of layers"),
        ("net_arch", "64", "widths of layers"),
    ],
)
def test_settings_that_make_no_sense(name, value, expected):
    with pytest.raises(ValueError, match=f"{name}: found .*, expected {expected}"):
        hyperparameters("mjenv/Hopper-v5", **{name: value})


def test_an_update_needs_samples():
    with pytest.raises(ValueError, match="expected two samples"):
        hyperparameters("mjenv/Hopper-v5", n_envs=1, n_steps=1)
    assert hyperparameters("mjenv/Hopper-v5", net_arch=[8, 8]).net_arch == (8, 8)


def test_a_configuration_that_is_none(tmp_path):
    for text in ("{}", "[]", "half a fi"):
        (tmp_path / CONFIG).write_text(text)
        with pytest.raises(ValueError, match=r"config\.json: no configuration of a run"):
            Run.open(tmp_path).config()


def test_no_run(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no config\.json there.*mjenv train"):
        Run.open(tmp_path)


def test_hyperparameters():
    """A row of the table, changed where a value is given."""
    assert hyperparameters("mjenv/Unknown-v0") == DEFAULTS
    changed = hyperparameters("mjenv/HalfCheetah-v5", steps=10, n_envs=None)
    assert changed.steps == 10
    assert changed.n_envs == hyperparameters("mjenv/HalfCheetah-v5").n_envs


def test_tasks_of_the_suite_have_a_row():
    assert hyperparameters("mjenv/hopper-hop-v0").init_at_random_ep_len
    assert hyperparameters("mjenv/dog-stand-v0").steps < hyperparameters("mjenv/dog-fetch-v0").steps
    # episodes without an end cannot end one after the other
    assert not hyperparameters("mjenv/lqr-lqr_2_1-v0").init_at_random_ep_len


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
