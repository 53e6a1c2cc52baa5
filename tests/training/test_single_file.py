"""The PPO in one file: short, on the vector environment and torch alone, and it learns."""

import ast
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from mjenv.training import ppo_single_file as single

FILE = Path(single.__file__)


def test_it_is_short_and_stands_alone():
    text = FILE.read_text()
    assert len(text.splitlines()) < 250
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add(node.module)
    standard = {"argparse", "time", "dataclasses", "typing"}
    assert found - standard == {"gymnasium", "numpy", "torch", "mjenv"}


def test_advantages():
    """By their definition, a sum over what follows in the episode."""
    random = torch.Generator().manual_seed(0)
    rewards, ends = torch.randn(5, 2, generator=random), torch.zeros(5, 2, dtype=torch.bool)
    values = torch.randn(6, 2, generator=random)
    ends[2, 0] = True
    found = single.advantages(rewards, values, ends, 0.9, 0.8)
    for world in range(2):
        for t in range(5):
            expected, weight = 0.0, 1.0
            for k in range(t, 5):
                over = bool(ends[k, world])
                value = 0.0 if over else 0.9 * values[k + 1, world]
                expected += weight * (rewards[k, world] + value - values[k, world])
                weight *= 0.9 * 0.8
                if over:
                    break
            assert found[t, world] == pytest.approx(float(expected), abs=1e-5)


def test_normalizer():
    rows = np.random.default_rng(0).normal(3.0, 2.0, (500, 3))
    normalizer = single.Normalizer(3)
    for part in np.split(rows, 5):
        normalizer.update(part)
    np.testing.assert_allclose(normalizer.mean, rows.mean(0), rtol=1e-5)
    np.testing.assert_allclose(normalizer.var, rows.var(0), rtol=1e-4)
    assert normalizer(np.full((1, 3), 1e9)).tolist() == [[10.0, 10.0, 10.0]]


def test_the_command_line(capsys):
    single.main(["InvertedPendulum-v5", "--steps", "64", "--num-envs", "4", "--horizon", "4"])
    assert "64 steps" in capsys.readouterr().out


@pytest.mark.slow
def test_it_learns():
    settings = single.Settings(
        "InvertedPendulum-v5", 200_000, num_envs=64, minibatch=256, epochs=10, log_std=0.0
    )
    agent, normalize, mean = single.train(settings)
    assert mean > 300
    with torch.no_grad():
        assert agent.policy(normalize(np.zeros((1, 4)))).mean.shape == (1, 1)
