"""Statistics of seeds: intervals are those of all samples that can be drawn, and are printed."""

import csv
import itertools
import json

import numpy as np
import pytest

pytest.importorskip("stable_baselines3")

from mjenv.commands.cli import main
from mjenv.training.compare import Group
from mjenv.training.runs import seeds
from mjenv.training.runs.curve import read_minutes
from mjenv.training.runs.seeds import Estimate, improvement, interquartile_mean

RETURNS = np.array([100.0, 130.0, 135.0, 150.0, 400.0])
OTHERS = np.array([90.0, 120.0, 130.0, 140.0])


def test_interquartile_mean():
    found = interquartile_mean(RETURNS)
    assert found.value == (130.0 + 135.0 + 150.0) / 3
    drawn = [sorted(x)[1:4] for x in itertools.product(RETURNS, repeat=5)]
    low, high = np.percentile(np.mean(drawn, 1), [2.5, 97.5])
    assert (found.low, found.high) == pytest.approx((low, high), rel=0.03)
    # the outlier moves the mean, not this
    assert found.value < RETURNS.mean() - 40


def test_improvement():
    found = improvement(RETURNS, OTHERS)
    wins = [(x > y) + (x == y) / 2 for x in RETURNS for y in OTHERS]
    assert found.value == pytest.approx(np.mean(wins))
    assert found.low < found.value < found.high
    assert improvement(OTHERS, RETURNS).value == pytest.approx(1 - found.value)
    assert improvement(OTHERS, OTHERS).value == 0.5
    assert improvement(OTHERS + 1000, OTHERS) == (1.0, 1.0, 1.0)
    table = np.reshape(wins, (5, 4))
    rng = np.random.default_rng(1)
    drawn = [
        table[np.ix_(rng.integers(5, size=5), rng.integers(4, size=4))].mean() for _ in range(9999)
    ]
    assert (found.low, found.high) == pytest.approx(np.percentile(drawn, [2.5, 97.5]), abs=0.03)


def test_the_same_seeds_have_the_same_interval():
    assert interquartile_mean(RETURNS) == interquartile_mean(RETURNS)


def test_one_seed_has_no_interval():
    found = interquartile_mean(RETURNS[:1])
    assert found.value == 100.0
    assert found.text(",.1f") == "100.0"
    assert np.isnan([found.low, found.high]).all()
    assert improvement(RETURNS[:1], OTHERS).text(".2f") == "0.25"
    assert Estimate(1234.5, 1000.0, 1500.0).text(",.1f") == "1,234.5 (1,000.0 to 1,500.0)"


def folder(place, env, returns):
    """Runs as `mjenv train --seeds` leaves them, of which the comparison reads little."""
    for k, value in enumerate(returns):
        run = place / f"seed-{k}"
        run.mkdir(parents=True)
        (run / "config.json").write_text(json.dumps({"env": env, "algorithm": "PPO", "seed": k}))
        result = {"return_mean_after": value, "steps": 1000, "minutes": 0.5}
        (run / "result.json").write_text(json.dumps(result))
        names = "time/total_timesteps,time/time_elapsed,rollout/ep_rew_mean"
        rows = f"{names}\n500,{12 * (k + 1)},1\n1000,{30 * (k + 1)},2\n"
        (run / "progress.csv").write_text(rows)
    return str(place)


def test_comparison(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    one, other = (folder(tmp_path / name, "mjenv/Hopper-v5", r) for name, r in
                  (("one", OTHERS), ("other", RETURNS)))  # fmt: skip
    apart = folder(tmp_path / "apart", "mjenv/Ant-v5", [1.0])
    assert main(["compare", one, other, apart]) == 0
    table, runs, better, last = capsys.readouterr().out.split("\n\n")
    heads, *rows = table.splitlines()
    assert heads.endswith("interquartile mean")
    middle = seeds.interquartile_mean(RETURNS)
    assert rows[1].endswith(f"138.3 ({middle.low:,.1f} to {middle.high:,.1f})")
    assert rows[2].split()[-2:] == ["1.0", "1.0"]
    heads, *rows = runs.splitlines()
    assert heads.split() == ["run", "seed", "steps", "minutes", "return"]
    assert len(rows) == 9
    assert rows[4].split() == [f"{other}/seed-0", "0", "1,000", "0.5", "100.0"]
    # the third is of another environment
    chance = improvement(RETURNS, OTHERS).text(".2f")
    assert better == f"{other} is better than {one} with a probability of {chance}"
    assert last == "learning curves: comparison.png\n"
    with open("comparison.csv", newline="") as file:
        first, second, third = csv.DictReader(file)
    assert float(second["iqm low"]) == middle.low
    assert (first["seeds"], third["iqm high"]) == ("4", "nan")
    with open("comparison-seeds.csv", newline="") as file:
        table = [*csv.DictReader(file)]
    assert [float(row["return"]) for row in table] == [*OTHERS, *RETURNS, 1.0]
    assert [row["seed"] for row in table][:5] == ["0", "1", "2", "3", "0"]


def test_single_runs_are_compared_without_intervals(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    places = [folder(tmp_path / name, "mjenv/Hopper-v5", [2.0]) for name in "ab"]
    assert main(["compare", *places]) == 0
    assert len(capsys.readouterr().out.split("\n\n")) == 2


def test_curves_over_steps_and_over_minutes(tmp_path):
    group = Group.open(folder(tmp_path / "one", "mjenv/Hopper-v5", [1.0, 2.0]))
    steps, returns = group.curve("steps", 3)
    assert [*steps] == [500, 750, 1000]
    assert returns.tolist() == [[1, 1.5, 2], [1, 1.5, 2]]
    # from 24 seconds, when the second has its first row, to 30, when the first has its last
    minutes, returns = group.curve("minutes", 3)
    assert minutes == pytest.approx([24 / 60, 27 / 60, 30 / 60])
    assert returns[0] == pytest.approx([1 + 12 / 18, 1 + 15 / 18, 2])
    assert returns[1] == pytest.approx([1, 1 + 3 / 36, 1 + 6 / 36])


def test_minutes_before_a_training_was_resumed_are_added(tmp_path):
    names = "time/total_timesteps,time/time_elapsed,rollout/ep_rew_mean\n"
    rows = "1,6,\n2,60,1\n3,120,2\n4,30,3\n5,90,\n6,30,4\n"
    (tmp_path / "progress.csv").write_text(names + rows)
    # 120 seconds, then 90, then 30
    assert read_minutes(tmp_path / "progress.csv").tolist() == [1.0, 2.0, 2.5, 4.0]
