"""RLlib trains with docs/run_rllib.py: vector environments in its runners, saved and restored.

Needs the extra `rllib`.
"""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("ray.rllib")

pytestmark = pytest.mark.usefixtures("cluster")

EXAMPLE = Path(__file__).resolve().parents[3] / "docs" / "run_rllib.py"


@pytest.fixture(scope="module")
def config():
    """The example's, with less to do."""
    spec = importlib.util.spec_from_file_location("run_rllib", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    small = {"train_batch_size_per_learner": 256, "minibatch_size": 64, "num_epochs": 2}
    return module.config.env_runners(num_envs_per_env_runner=8).training(**small)


def test_the_example_is_short():
    assert len(EXAMPLE.read_text().splitlines()) <= 30


def weights(algorithm):
    state = algorithm.get_module().state_dict()
    return {name: value.numpy().copy() for name, value in state.items()}


@pytest.mark.slow
def test_it_trains_and_is_restored(config, tmp_path):
    from ray.rllib.algorithms.ppo import PPO

    algorithm = config.build_algo()
    runners = algorithm.env_runner_group
    kinds = runners.foreach_env_runner(
        lambda runner: (type(runner.env.unwrapped).__name__, runner.env.num_envs),
        local_env_runner=False,
    )
    assert kinds == [("HalfCheetahVectorEnv", 8)] * 2
    before = weights(algorithm)
    first = algorithm.train()
    assert first["env_runners"]["num_env_steps_sampled_lifetime"] == 256
    trained = weights(algorithm)
    assert any((before[name] != trained[name]).any() for name in before)
    algorithm.save_to_path(tmp_path)
    algorithm.stop()

    restored = PPO.from_checkpoint(tmp_path)
    assert restored.iteration == 1
    found = weights(restored)
    assert all(np.array_equal(found[name], trained[name]) for name in trained)
    again = restored.train()
    assert again["training_iteration"] == 2
    assert again["env_runners"]["num_env_steps_sampled_lifetime"] == 512
    restored.stop()
