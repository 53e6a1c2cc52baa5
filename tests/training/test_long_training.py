"""Long trainings: rows of a table that one option takes, refused where there is none."""

import pytest

from mjenv.commands.cli import parsed
from mjenv.commands.training import settings_of
from mjenv.training.hyperparameters import hyperparameters
from mjenv.training.long_training import LONG, long_training


@pytest.mark.parametrize("env", LONG)
def test_long_training_has_more_steps_than_usual(env):
    row = long_training(f"mjenv/{env}")
    assert row.steps > hyperparameters(env, row.algorithm).steps
    assert long_training(env, row.algorithm) == row


def test_batches_divide_the_samples_of_an_update():
    for row in LONG.values():
        if row.algorithm == "PPO":
            assert row.n_envs * row.n_steps % row.batch_size == 0


def test_other_tasks_and_algorithms_are_refused():
    with pytest.raises(ValueError, match="--long: Pusher-v5 has no long training, expected one of"):
        long_training("mjenv/Pusher-v5")
    with pytest.raises(ValueError, match="that of Swimmer-v5 is by ARS, found --algorithm PPO"):
        long_training("mjenv/Swimmer-v5", "PPO")


def test_option_takes_the_row_and_typed_settings_replace_it():
    words = ["train", "Walker2d-v5", "--long", "--steps", "4096", "--set", "gamma:0.9"]
    found = settings_of(parsed(words), "mjenv/Walker2d-v5", None, None)
    usual = LONG["Walker2d-v5"].to_dict()
    assert found.to_dict() == {**usual, "steps": 4096, "gamma": 0.9}
