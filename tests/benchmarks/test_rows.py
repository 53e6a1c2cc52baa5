"""The table of benchmarks is complete, and each part of the runner works. Nothing is timed here."""

import importlib
import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from benchmarks import clock, models, report, rows, runner, stages
from benchmarks.__main__ import main
from benchmarks.models import VARIANTS, model_path, model_text


def result(name, best, unit="steps/s", peer=None):
    kind, model, *nworld = name.split("/")
    subjects = {"mjenv": {"versions": {"python": "3"}, "best": best}}
    ratios = {}
    if peer is not None:
        subjects["peer"] = (
            {"versions": {}, "error": "no such thing"}
            if peer == 0
            else {"versions": {}, "best": peer}
        )
        ratios = {"peer": {"best": best / peer, "median": best / peer}} if peer else {}
    return {
        "name": name,
        "kind": kind,
        "model": model,
        "nworld": int(*nworld or [1]),
        "unit": unit,
        "peers": ["peer"] if peer is not None else [],
        "subjects": subjects,
        "stages": {},
        "ratios": ratios,
    }


def test_names_are_unique():
    names = [row.name for row in rows.ROWS]
    assert len(set(names)) == len(names)


def test_every_row_has_drivers():
    for row in rows.ROWS:
        assert row.kind in rows.KINDS
        for subject in (rows.OURS, *row.peers):
            interpreter, driver = rows.DRIVERS[row.kind, subject]
            module, function = driver.split(":")
            assert interpreter in ("own", "peer")
            assert callable(getattr(importlib.import_module(module), function))


def test_every_goal_names_rows():
    for goal in rows.GOALS:
        found = [r for r in rows.ROWS if r.kind == goal.kind and r.nworld == goal.nworld]
        assert {r.model for r in found} >= set(goal.models)
        assert all(goal.peer is None or goal.peer in r.peers for r in found)


def test_select():
    assert rows.select([]) == rows.ROWS
    assert all(row.kind == "physics" for row in rows.select(["physics"]))
    with pytest.raises(ValueError, match="no row is called 'fysics'; the rows are"):
        rows.select(["fysics"])


def test_model_path_names_where_it_searched():
    assert model_path("half_cheetah").name == "half_cheetah.xml"
    with pytest.raises(FileNotFoundError, match=r"no model half_horse\.xml in .*xml"):
        model_path("half_horse")


def test_ratio_above_one_means_ahead():
    assert runner.ratio(rows.KINDS["physics"], 6.0, 2.0) == 3.0
    assert runner.ratio(rows.KINDS["memory"], 2.0, 6.0) == 3.0


def test_missing_peer_interpreter():
    with pytest.raises(FileNotFoundError, match="--peer-python"):
        runner.interpreters("/no/such/python")


def test_missing_interpreter_of_another_checkout(capsys):
    assert main(["--against", "/no/such/python"]) == 2
    assert "/no/such/python: expected the Python interpreter of another" in capsys.readouterr().err


def test_ratios_to_another_checkout():
    """By the median of rounds, so that a round in which one was interrupted does not count."""
    row = rows.Row("warm_start", "X", 1, peers=(rows.BEFORE,))
    ours, before = (
        SimpleNamespace(name=name, values=values, error=None, versions={})
        for name, values in ((rows.OURS, [1.0, 9.0, 2.0]), (rows.BEFORE, [2.0, 2.0, 3.0]))
    )
    measured = runner._result(row, [ours, before], {})
    assert measured["ratios"][rows.BEFORE]["rounds"] == [2.0, pytest.approx(2 / 9), 1.5]
    text, mean = report.changes([measured, result("single/Ant-v5", 1.0)])
    assert "1.500 times before, by the median of 3 rounds (0.222 to 2.000); best 2.000" in text
    assert mean.split() == ["geometric", "mean", "1.500"]
    assert report.changes([]) == []


def test_processor_time_counts_children(monkeypatch):
    monkeypatch.setenv(clock.PROCESSOR, "1")
    began, shown = clock.now(), time.perf_counter()
    time.sleep(0.3)
    assert clock.now() - began < 0.2 < time.perf_counter() - shown
    busy = "import time\nwhile time.process_time() < 0.5: pass"
    subprocess.run([sys.executable, "-c", busy], check=True)
    if os.name == "posix":
        assert clock.now() - began > 0.4
    monkeypatch.delenv(clock.PROCESSOR)
    assert abs(clock.now() - time.perf_counter()) < 1


@pytest.mark.slow
def test_another_checkout_is_measured_by_these_drivers(tmp_path, monkeypatch):
    """Its interpreter finds a mjenv of its own, although these benchmarks stand beside one."""
    (tmp_path / "other" / "mjenv").mkdir(parents=True)
    (tmp_path / "other" / "mjenv" / "__init__.py").write_text("raise SystemExit('other mjenv')")
    log = tmp_path / "python"
    log.write_text(f'#!/bin/sh\nPYTHONPATH={tmp_path / "other"} exec {sys.executable} "$@"\n')
    log.chmod(0o755)
    pythons = runner.interpreters(None, str(log))
    row = rows.Row("physics", "half_cheetah", 2, peers=(rows.BEFORE,))
    subject = runner.Subject(rows.BEFORE, row, pythons, nthread=1)
    subject.wait()
    subject.close()
    assert subject.error == "process ended with status 1"
    # without it the same mjenv is on both sides
    pythons = runner.interpreters(None, sys.executable)
    subject = runner.Subject(rows.BEFORE, row, pythons, nthread=1)
    subject.wait()
    subject.measure()
    subject.close()
    assert subject.error is None
    assert len(subject.values) == 1


@pytest.mark.slow
def test_a_row_measured_in_worker_processes():
    pytest.importorskip("mujoco")
    row = replace(
        rows.select(["physics/half_cheetah"])[0],
        peers=("mujoco.rollout",),
        nworld=2,
        calls=1,
        warmup=1,
        nstep=1,
    )
    pythons = {"own": sys.executable, "peer": sys.executable}
    measured = runner.measure(row, pythons, nthread=1, repeats=2)
    peer = measured["subjects"]["mujoco.rollout"]
    assert len(peer["values"]) == 2
    assert min(peer["values"]) > 0
    times = measured["stages"]
    assert "kinematics" in times
    assert min(times.values()) >= 0
    assert peer["versions"]["mujoco"]
    assert "values" in measured["subjects"]["mjenv"] or "error" in measured["subjects"]["mjenv"]
    json.dumps(measured)


def test_a_variant_differs_from_its_model():
    for name, (other, _, new) in VARIANTS.items():
        assert new in model_text(name)
        assert model_text(name) != model_text(other)


def test_rows_of_packages_that_are_missing_are_skipped(capsys, monkeypatch):
    monkeypatch.setitem(models.OUTSIDE, "dog", ("no_such_package", "dog.xml"))
    assert main(["physics/dog", "--quick"]) == 0
    output = capsys.readouterr().out
    assert "physics/dog/16: skipped: the package no_such_package is not installed" in output


def test_models_of_other_packages(monkeypatch):
    """The runner finds the file, so that an interpreter without the package can read it too."""
    monkeypatch.setitem(models.OUTSIDE, "dog", ("benchmarks", "dog.xml"))
    assert models.outside_path("dog") == str(models.ROOT / "benchmarks" / "dog.xml")
    assert models.outside_path("ant") == ""
    for row in rows.ROWS:
        assert row.path == ""


def test_stages_that_take_most():
    times = {"kinematics": 1e-6, "newton": 6e-6, "never": 0.0, "rne": 3e-6}
    assert stages.longest(times) == [
        ("newton", pytest.approx(0.6), pytest.approx(6.0)),
        ("rne", pytest.approx(0.3), pytest.approx(3.0)),
        ("kinematics", pytest.approx(0.1), pytest.approx(1.0)),
    ]
    assert stages.longest(dict.fromkeys("abcdefgh", 1e-6))[-1][0] == "f"
    expected = "10 us per world and step: newton 60% 6 us, rne 30% 3 us, kinematics 10% 1 us"
    assert stages.line(times).strip() == expected
    assert stages.table([result("single/Ant-v5", 1.0)]) == ""


def test_failed_subject_gives_its_message():
    row = rows.Row("physics", "half_horse", 1)
    subject = runner.Subject("mujoco.rollout", row, {"own": sys.executable}, nthread=1)
    subject.wait()
    subject.measure()
    subject.close()
    assert "half_horse" in subject.error or "mujoco" in subject.error
    assert subject.values == []


def test_written_files(tmp_path):
    results = [
        result("physics/ant/512", 2.5e6, peer=5e5),
        result("physics/hopper/512", 2.5e6, peer=0),
        result("warm_start/HalfCheetah-v5", 1.25, "s"),
    ]
    results[0]["stages"] = {"rne": 1e-6, "newton": 3e-6}
    report.write(tmp_path, results, report.machine(2, results))
    text = (tmp_path / "results.md").read_text()
    assert "| ant | 512 | 2.5 M steps/s | 500 k steps/s (5.00x) |" in text
    assert "| hopper | 512 | 2.5 M steps/s | not measured |" in text
    assert "| ant | 512 | 4 us | newton 75% 3, rne 25% 1 |" in text
    assert "Not measured: peer (no such thing)" in text
    assert "warm_start, most of HalfCheetah-v5: 1.25 s (goal: 2) reached" in text
    content = json.loads((tmp_path / "results.json").read_text())
    assert [row["name"] for row in content["rows"]] == [r["name"] for r in results]
    assert content["machine"]["threads"] == 2


def test_command_line(capsys):
    assert main(["--list", "single"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "single/HalfCheetah-v5"
    assert main(["--list", "nothing"]) == 2
    assert "no row is called 'nothing'" in capsys.readouterr().err
