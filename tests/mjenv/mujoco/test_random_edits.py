"""Random edits between random functions, by `tests/fuzz_stages.py`, beside the reference."""

import pytest

import mjenv.mujoco as ours
from tests import fuzz_stages
from tests.mjenv.mujoco.scenes import XML

MODELS = ["humanoid.xml", "ant.xml", "suite/fish.xml", "suite/manipulator.xml"]


@pytest.mark.slow
@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", MODELS)
def test_random_edits_count_as_in_the_reference(name):
    found = [fuzz_stages.run(str(XML / name), seed) for seed in range(6)]
    assert [case for case in found if isinstance(case, fuzz_stages.Difference)] == []
    assert found.count(None) >= 3


def test_differences_are_found(monkeypatch):
    monkeypatch.setattr(ours, "mj_passive", lambda m, d: None)
    monkeypatch.setattr(fuzz_stages, "CALLS", ["passive", "fwdAcceleration"])
    found = [fuzz_stages.run(str(XML / "ant.xml"), seed) for seed in range(3)]
    assert any("qfrc_passive" in case.fields for case in found if case)
