"""The script that trains from pictures, for as little as it can."""

import csv

import numpy as np
import pytest

from mjenv.training import from_pixels


@pytest.mark.slow
def test_an_agent_is_trained_from_pictures(tmp_path, monkeypatch):
    monkeypatch.setattr(from_pixels, "SETTINGS", {**from_pixels.SETTINGS, "n_epochs": 1})
    model = from_pixels.train(512, 0, tmp_path, nworld=4)
    rows = list(csv.DictReader((tmp_path / "curve.csv").open()))
    assert [int(row["steps"]) for row in rows] == [128, 256, 384, 512]
    assert (tmp_path / "agent.zip").exists()
    # it sees the pictures of the worlds: others make it act otherwise
    pictures = np.zeros((2, 32, 64, 3), np.uint8)
    pictures[1, 10:20] = 200
    actions = model.predict(pictures, deterministic=True)[0]
    assert actions[0] != actions[1]
    assert 1.0 <= from_pixels.evaluate(model, 2) <= 1000.0
    from_pixels.plot(tmp_path, after=5.0)
    assert (tmp_path / "curve.png").stat().st_size > 1000
