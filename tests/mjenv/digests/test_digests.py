"""Environments have the bits that are recorded, whatever the processor and its libraries do."""

import os
import subprocess
import sys

import pytest

from mjenv.commands.cli import main
from mjenv.digests import record
from mjenv.digests.trajectory import of_environment

# another processor: its kernels of BLAS, its registers for numpy, and what kernels are compiled for
OLD_LIBRARIES = {
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
}
PROCESSORS = {
    "SSE": {"NUMBA_CPU_NAME": "x86-64", "NUMBA_CPU_FEATURES": "+sse2"},
    "AVX2": {"NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma"},
}
X86 = pytest.mark.skipif(
    os.uname().machine != "x86_64", reason="these names are of x86-64 processors"
)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", record.names())
def test_recorded_bits(name):
    found = of_environment(f"mjenv/{name}", name in record.PICTURED)
    assert found == record.recorded()[name]


def compared(names, settings) -> str:
    """What `mjenv digests` prints in another process with settings of its own."""
    command = [sys.executable, "-m", "mjenv", "digests", *names]
    environment = {**os.environ, **settings}
    return subprocess.run(command, env=environment, capture_output=True, text=True).stdout


@X86
@pytest.mark.slow
def test_libraries_decide_no_bits():
    names = ["Humanoid-v5", "Ant-v5", "dog-stand-v0", "lqr-lqr_6_2-v0", "swimmer-swimmer15-v0"]
    assert "5 of 5 have the recorded bits" in compared(names, OLD_LIBRARIES)


@X86
@pytest.mark.slow
@pytest.mark.parametrize("processor", PROCESSORS)
def test_registers_decide_no_bits(processor):
    """Kernels compiled for other registers, with and without fused multiplication and addition."""
    names = ["HalfCheetah-v5", "finger-spin-v0"]
    assert "2 of 2 have the recorded bits" in compared(names, PROCESSORS[processor])


@pytest.mark.parametrize("nthread", [1, 2])
def test_threads_decide_no_bits(nthread):
    found = of_environment("mjenv/HalfCheetah-v5", nthread=nthread)
    assert record.difference(found, record.recorded()["HalfCheetah-v5"]) is None


def test_where_trajectories_part():
    expected = {"model": "a", "start": "b", "1": "c", "10": "d", "100": "e"}
    assert record.difference(expected, expected) is None
    assert record.difference({**expected, "model": "x"}, expected) == "model"
    later = {**expected, "10": "x", "100": "y"}
    assert record.difference(later, expected) == "states from step 10 or before"


def test_a_difference_is_an_exit_status(monkeypatch, capsys, tmp_path):
    table = record.recorded()
    row = {**table["cartpole-balance-v0"], "100": "0" * 12, "1000": "0" * 12}
    record.write({**table, "cartpole-balance-v0": row}, tmp_path / "table.txt")
    monkeypatch.setattr(record, "FILE", tmp_path / "table.txt")
    assert main(["digests", "cartpole-balance-v0", "pendulum-swingup-v0"]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].split()[1:4] == ["DIFFERS:", "states", "from"]
    assert printed[1].split() == ["pendulum-swingup-v0", "same"]
    assert printed[2].startswith("1 of 2 have the recorded bits")


def test_record(monkeypatch, capsys, tmp_path):
    table = record.recorded()
    wrong = {**table, "pendulum-swingup-v0": {**table["pendulum-swingup-v0"], "1": "0" * 12}}
    record.write(wrong, tmp_path / "table.txt")
    monkeypatch.setattr(record, "FILE", tmp_path / "table.txt")
    assert main(["digests", "--record", "pendulum-swingup-v0"]) == 0
    assert record.recorded() == table
    assert "recorded 1 environments" in capsys.readouterr().out


def test_unknown_environment(capsys):
    assert main(["digests", "HalfCheeta-v5"]) == 1
    error = capsys.readouterr().err
    assert "HalfCheeta-v5: no such environment of mjenv" in error
    assert "did you mean 'HalfCheetah-v5'?" in error


def test_all_environments_are_recorded():
    assert list(record.recorded()) == record.names()
