"""Commands about the installation: doctor, cache, completion, and `python -m mjenv`."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from mjenv.commands import doctor, pack_lanes, self_test
from mjenv.commands.cli import main
from mjenv.engine.simd import cache
from mjenv.gym.registration import ENVS, ROBOTS, SUITE

DAY = 86400.0


# ---------------------------------------------------------------- doctor


def test_what_there_is(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path / "here"))
    assert main(["doctor", "--no-test"]) == 0
    lines = dict(line.split(":", 1) for line in capsys.readouterr().out.splitlines())
    assert [*lines] == [
        "mjenv", "python", "packages", "extras", "system", "processor", "registers", "cache",
        "display", "films", "settings",
    ]  # fmt: skip
    for name in ("numba", "numpy", "gymnasium", "scipy", "shtab"):
        assert f" {name} " in lines["packages"]
    assert "MISSING" not in lines["packages"].replace("shtab MISSING", "")
    assert " mujoco 3.8.1" in lines["extras"]
    assert f"{tmp_path / 'here'}: 0 files" in lines["cache"]
    assert f"MJENV_CACHE_DIR={tmp_path / 'here'}" in lines["settings"]


def test_a_cache_that_cannot_be_written_is_said(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert "CANNOT BE WRITTEN" in dict(doctor.surroundings())["cache"]


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ({4: 2.0, 8: 1.0, 16: 0.98}, "the default, 8, is right"),
        ({4: 2.0, 8: 1.0, 16: 0.9}, "16 take 10% less time than the default, 8; make_vec(..., la"),
        ({4: 0.5, 8: 1.0, 16: 1.1}, "4 take 50% less time than the default, 8; make_vec(..., la"),
    ],
)
def test_lanes_are_measured_and_recommended(capsys, monkeypatch, times, words):
    monkeypatch.setattr(pack_lanes, "measured", lambda name: times)
    assert main(["doctor", "--no-test", "--lanes"]) == 0
    lines = dict(line.split(":", 1) for line in capsys.readouterr().out.splitlines())
    assert f"HalfCheetah-v5 {times[4]:.2f} us with 4, " in lines["lanes"]
    assert words in lines["lanes"]


@pytest.mark.slow
def test_every_width_is_measured(monkeypatch):
    monkeypatch.setattr(pack_lanes, "NUM_ENVS", 16)
    found = pack_lanes.measured("HalfCheetah-v5")
    assert [*found] == [4, 8, 16]
    assert all(0.0 < us < 1e6 for us in found.values())


@pytest.mark.slow
def test_self_test(capsys):
    """Every check is right, here and in a process of its own."""
    assert [check.run() != "" for check in self_test.CHECKS] == [True] * len(self_test.CHECKS)
    assert main(["doctor", "--seconds", "500"]) == 0
    lines = capsys.readouterr().out.partition("self-test")[2].splitlines()[1:]
    assert [line.split(":")[0].strip() for line in lines] == [c.name for c in self_test.CHECKS]
    assert all(line.split(":")[1].strip().startswith("ok, ") for line in lines)


def test_a_check_that_fails_is_told(monkeypatch, capsys):
    def wrong():
        raise ValueError("found 1 J, expected 0")

    monkeypatch.setattr(self_test, "CHECKS", (self_test.Check("physics", wrong),))
    self_test.main()
    name, good, words, _ = json.loads(capsys.readouterr().out)
    assert (name, good, words) == ("physics", False, "ValueError: found 1 J, expected 0")


def child(monkeypatch, code):
    """Let the self-test be a program."""
    monkeypatch.setattr(doctor, "SELF_TEST", [sys.executable, "-c", code])


@pytest.mark.slow
def test_a_failed_check_and_a_crash_are_failures(monkeypatch, capsys):
    line = json.dumps(["physics", False, "ValueError: no", 0.5])
    child(monkeypatch, f"import os\nprint({line!r}, flush=True)\nos.abort()")
    assert main(["doctor"]) == 1
    *_, first, second = capsys.readouterr().out.splitlines()
    assert first.split() == ["physics:", "FAILED,", "ValueError:", "no", "(0.5", "s)"]
    assert second.split(":")[0].strip() == "environment"
    assert "FAILED, the process ended with status -6" in second


@pytest.mark.slow
def test_the_self_test_ends_in_time(monkeypatch):
    line = json.dumps(["physics", True, "fine", 0.5])
    child(monkeypatch, f"import time\nprint({line!r}, flush=True)\ntime.sleep(60)")
    start = time.perf_counter()
    first, rest = doctor.self_test(3)
    assert time.perf_counter() - start < 30
    assert first == ("physics", "ok", "fine (0.5 s)")
    assert rest[:2] == (", ".join(check.name for check in self_test.CHECKS[1:]), "not reached")
    assert "--seconds 300" in rest[2]


@pytest.mark.slow
def test_what_is_not_kept_is_not_promised(monkeypatch):
    monkeypatch.setenv("MJENV_CACHE_DIR", "/dev/null/nowhere")
    child(monkeypatch, "import time\ntime.sleep(60)")
    ((_, outcome, words),) = doctor.self_test(1)
    assert outcome == "not reached"
    assert words.endswith("took more than 1 s; run it again with --seconds 300")


def test_an_empty_cache_has_more_time(monkeypatch, tmp_path, capsys):
    """The first self-test of an installation compiles the engine."""
    child(monkeypatch, "pass")
    monkeypatch.setattr(doctor, "CHECKS", ())
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))
    assert main(["doctor"]) == 0
    expected = "self-test, at most 300 s, as the engine is compiled once:"
    assert capsys.readouterr().out.splitlines()[-1] == expected
    assert main(["doctor", "--seconds", "7"]) == 0
    assert "self-test, at most 7 s, as the" in capsys.readouterr().out
    monkeypatch.setattr(doctor, "stored", lambda folder: [Mock(size=1)])
    assert main(["doctor"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "self-test, at most 20 s:"


# ---------------------------------------------------------------- cache


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A cache of five files of 1000 bytes, last used 0, 10, 20, 30, 40 days ago, and a stranger."""
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))
    for k in range(5):
        path = tmp_path / f"stage{k}-{k:032x}.o"
        path.write_bytes(bytes(1000))
        os.utime(path, (time.time() - 10 * k * DAY,) * 2)
    (tmp_path / "letter.o").write_text("not ours")
    return tmp_path


def left(folder: Path) -> str:
    """Digits of the files that are left."""
    return "".join(sorted(path.name[5] for path in folder.glob("stage*.o")))


def test_cache_is_shown(folder, capsys):
    assert main(["cache"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{folder}: 5 files, 0.0 MB of at most 1,000.0 MB"
    assert [line.split(":")[1].split()[0] for line in lines[1:]] == ["1", "1", "3"]


def test_cache_is_cleared_of_what_is_ours(folder, capsys):
    assert main(["cache", "--clear", "--unused-for", "25"]) == 0
    assert left(folder) == "012"
    assert capsys.readouterr().out.startswith("removed 2 files, 0.0 MB")
    assert main(["cache", "--clear"]) == 0
    assert left(folder) == ""
    assert (folder / "letter.o").exists()


def test_cache_is_trimmed_to_the_limit(folder, monkeypatch, capsys):
    """The oldest go until a tenth of the limit is free."""
    monkeypatch.setenv("MJENV_CACHE_LIMIT", "0.0051")
    assert main(["cache", "--trim"]) == 0
    assert left(folder) == "01234"
    monkeypatch.setenv("MJENV_CACHE_LIMIT", "0.004")
    assert main(["cache", "--trim"]) == 0
    assert left(folder) == "012"


def test_storing_keeps_the_limit(folder, monkeypatch):
    monkeypatch.setenv("MJENV_CACHE_LIMIT", "0.004")
    monkeypatch.setattr(cache, "_swept", set())
    cache.store(folder / f"stage9-{9:032x}.o", b"code")
    assert left(folder) == "0129"


def test_reading_counts_as_use(folder):
    path = folder / f"stage7-{7:032x}.o"
    cache.store(path, b"code")
    os.utime(path, (time.time() - 50 * DAY,) * 2)
    assert cache.read(path) == b"code"
    assert cache.stored(folder)[-1].path == path
    assert cache.stored(folder)[0].path.name[5] == "4"


@pytest.mark.parametrize("text", ["many", "0", "-1", "nan"])
def test_wrong_limit(text, folder, monkeypatch, capsys):
    monkeypatch.setenv("MJENV_CACHE_LIMIT", text)
    assert main(["cache"]) == 1
    expected = f"found {text!r}, expected megabytes, a number above 0"
    assert expected in capsys.readouterr().err


def test_unused_for_is_of_clear(folder, capsys):
    assert main(["cache", "--unused-for", "3"]) == 1
    assert "--unused-for: says what --clear removes; add --clear" in capsys.readouterr().err
    assert left(folder) == "01234"
    with pytest.raises(SystemExit):
        main(["cache", "--clear", "--unused-for", "long"])
    assert "found 'long', expected a number of days" in capsys.readouterr().err


# ---------------------------------------------------------------- completion


def completed(script: str, *words: str) -> list[str]:
    """What bash offers for the last of several words."""
    code = (
        f"source {script}; COMP_WORDS=({' '.join(map(repr, words))}); "
        f"COMP_CWORD={len(words) - 1}; _shtab_mjenv; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    run = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)
    return run.stdout.split()


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes(tmp_path, capsys, monkeypatch):
    pytest.importorskip("shtab")
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "mjenv.bash"
    script.write_text(capsys.readouterr().out)
    assert completed(str(script), "mjenv", "comple") == ["completion"]
    assert completed(str(script), "mjenv", "train", "HalfC") == ["HalfCheetah-v5"]
    assert completed(str(script), "mjenv", "cache", "--cl") == ["--clear"]
    # files too, where a model may be meant
    (tmp_path / "Ants.xml").write_text("")
    monkeypatch.chdir(tmp_path)
    assert set(completed(str(script), "mjenv", "view", "Ant")) == {"Ant-v5", "Ants.xml"}


def test_all_environments_are_offered(capsys):
    pytest.importorskip("shtab")
    assert main(["completion", "zsh"]) == 0
    words = capsys.readouterr().out.split()
    assert {row.id for row in (*ENVS, *ROBOTS, *SUITE)} <= set(words)


# ---------------------------------------------------------------- the module


def test_python_m_mjenv():
    run = subprocess.run(
        [sys.executable, "-m", "mjenv", "--version"], capture_output=True, text=True, check=True
    )
    assert run.stdout.startswith("mjenv ")


@pytest.mark.slow
def test_environments_without_importing_mjenv():
    """Gymnasium imports what stands before the colon; without it, it says what is missing."""
    code = (
        "import gymnasium as gym\n"
        "env = gym.make('mjenv:mjenv/HalfCheetah-v5')\n"
        "envs = gym.make_vec('mjenv:mjenv/Hopper-v5', num_envs=2)\n"
        "print(env.spec.id, envs.num_envs)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["mjenv/HalfCheetah-v5", "2"]
