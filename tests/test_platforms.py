"""Systems that lack what only Unix or Linux has: another way is taken, or a message says so."""

import os
import signal
import subprocess
import sys
import time

import pytest

import mjenv
from mjenv.engine.run import timers
from mjenv.engine.simd import cache, threads

# what Windows has not; libraries are loaded before it goes
WITHOUT = """
import ctypes, json, os, signal, sys, time
import gymnasium, numba, numpy
import llvmlite.binding

for name in ("fcntl", "resource", "pwd", "grp", "termios", "posix"):
    sys.modules[name] = None
for module, names in ((os, ("sched_getaffinity", "sched_setaffinity", "register_at_fork", "uname",
                            "fork", "getuid", "getloadavg", "sysconf")),
                      (signal, ("SIGHUP", "SIGKILL", "SIGALRM", "pthread_kill")),
                      (time, ("CLOCK_MONOTONIC", "clock_gettime"))):
    for name in names:
        vars(module).pop(name, None)

import mjenv, mjenv.commands.cli, mjenv.system.interruption
from mjenv.commands import doctor
"""


def run(code: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + code], capture_output=True, text=True, timeout=300
    )


def test_the_package_loads_and_steps_without_what_only_unix_has():
    code = """
model = mjenv.Model.from_xml_string(
    '<mujoco><worldbody><body><joint type="slide"/><geom size=".1"/></body></worldbody></mujoco>')
data = mjenv.Data(model, 16)
mjenv.step(model, data, 10)
with mjenv.system.interruption.Interruption():
    assert len(mjenv.system.interruption.SIGNALS) == 2
assert dict(doctor.hardware())["system"]
print(float(data.qpos[3, 0]))
"""
    done = run(code)
    assert done.returncode == 0, done.stderr
    # it falls for ten steps of 2 ms: 1 + 2 + ... + 10 times g h^2
    assert float(done.stdout) == pytest.approx(-9.81 * 0.002**2 * 55)


def test_threads_are_counted_where_there_is_no_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert threads.available() == os.cpu_count()


def test_code_is_cached_without_locks(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "fcntl", None)
    with cache.alone(tmp_path / "stage.o", wait=False) as held:
        assert held
    assert not list(tmp_path.iterdir())


def test_timers_say_what_is_missing(monkeypatch):
    monkeypatch.delattr(time, "CLOCK_MONOTONIC")
    timers.clock.cache_clear()
    try:
        with pytest.raises(mjenv.UnsupportedFeature, match="no clock_gettime; expected data wit"):
            timers.clock(0)
    finally:
        timers.clock.cache_clear()


class TestTraining:
    """Folders of runs and files that are written at once."""

    @pytest.fixture(autouse=True)
    def needs_training(self):
        pytest.importorskip("stable_baselines3")

    def test_runs_are_claimed_without_locks(self, tmp_path, monkeypatch):
        from mjenv.training.runs import lock as claims

        monkeypatch.setattr(claims, "fcntl", None)
        close, remove, order = os.close, claims.remove, []
        monkeypatch.setattr(os, "close", lambda handle: order.append("close") or close(handle))
        monkeypatch.setattr(claims, "remove", lambda path: order.append("remove") or remove(path))
        with claims.held(tmp_path / "run"):
            assert (tmp_path / "run" / ".lock").exists()
        assert order == ["close", "remove"]  # Windows removes no file that is open
        assert not (tmp_path / "run").exists()

    def test_files_are_written_without_handles_of_folders(self, tmp_path, monkeypatch):
        from mjenv.training.runs import files

        monkeypatch.setattr(files, "WINDOWS", True)
        opened = []
        real = os.open
        monkeypatch.setattr(os, "open", lambda p, *a: opened.append((p, *a)) or real(p, *a))
        with files.whole(tmp_path / "log.csv") as path:
            path.write_text("a,b\n")
        assert (tmp_path / "log.csv").read_text() == "a,b\n"
        assert opened
        assert not [p for p, *_ in opened if os.path.isdir(p)]
        assert all(flags & os.O_RDWR for _, flags in opened)  # fsync needs files to be writable

    def test_processes_are_left_alone_where_asking_ends_them(self, tmp_path, monkeypatch):
        from mjenv.training.runs import files

        monkeypatch.setattr(files, "WINDOWS", True)
        monkeypatch.setattr(os, "kill", lambda pid, signum: pytest.fail("Windows would end it"))
        old, new = tmp_path / ".log.1234567.part.csv", tmp_path / ".log.7654321.part.csv"
        old.touch()
        new.touch()
        past = time.time() - 2 * files.DAY
        os.utime(old, (past, past))
        files.remove_leftovers(tmp_path / "log.csv")
        assert new.exists()
        assert not old.exists()


def test_memory_says_what_it_needs(monkeypatch):
    from mjenv.benchmarks import memory

    monkeypatch.setitem(sys.modules, "resource", None)
    with pytest.raises(RuntimeError, match="rows of memory: this system has no module resource"):
        memory._peak()


def test_signals_are_those_of_the_system():
    from mjenv.system.interruption import SIGNALS

    assert {signal.SIGINT, signal.SIGTERM} <= set(SIGNALS)


@pytest.mark.parametrize(
    ("groups", "files", "expected"),
    [
        ("0::/", {"cpu.max": "150000 100000"}, 2),
        ("0::/a/b", {"a/b/cpu.max": "max 100000", "a/cpu.max": "300000 100000"}, 3),
        ("0::/a", {"a/cpu.max": "1000 100000", "cpu.max": "max 100000"}, 1),
        ("4:cpu,cpuacct:/c", {
            "cpu,cpuacct/c/cpu.cfs_quota_us": "400000",
            "cpu,cpuacct/c/cpu.cfs_period_us": "100000",
        }, 4),
        ("4:cpu:/", {"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ("0::/", {}, None),
    ],
)  # fmt: skip
def test_processors_of_a_container(groups, files, expected, tmp_path, monkeypatch):
    """Quotas of control groups count, in both versions of Linux's files."""
    for name, text in {"groups": groups, **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"{text}\n")
    read = threads._lines
    monkeypatch.setattr(
        threads,
        "_lines",
        lambda path: read(path.replace("/proc/self/cgroup", f"{tmp_path}/groups")),
    )
    monkeypatch.setattr(threads, "GROUPS", str(tmp_path))
    monkeypatch.setattr(threads.os, "sched_getaffinity", lambda _: range(64), raising=False)
    threads._allowed.cache_clear()
    try:
        assert threads.available() == (expected or 64)
    finally:
        threads._allowed.cache_clear()
