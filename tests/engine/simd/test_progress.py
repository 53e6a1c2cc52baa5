"""What is said of compiling."""

import io

import pytest

from mjenv.engine.simd import progress as module
from mjenv.engine.simd.progress import Progress


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def clock(monkeypatch):
    """Seconds, which tests let pass."""
    now = [1.0]
    monkeypatch.setattr(module.time, "perf_counter", lambda: now[0])
    monkeypatch.setenv("MJENV_QUIET", "0")
    return now


def compile_three(progress, folder, clock, seconds=12.0):
    paths = [folder / name for name in "abc"]
    progress.begin(paths)
    for path in paths:
        progress.note()
        path.touch()
    clock[0] += seconds
    progress.end()
    progress.done()


def test_a_log_has_a_line_at_the_start_and_one_at_each_end(tmp_path, monkeypatch, clock):
    monkeypatch.setattr(module.sys, "stderr", io.StringIO())
    progress = Progress()
    for seconds in (12.0, 3.0, 0.1):
        compile_three(progress, tmp_path, clock, seconds)
    assert module.sys.stderr.getvalue().splitlines() == [
        "mjenv: compiling the engine for this processor, once: 3 stages",
        "mjenv: compiled 3 stages in 12.0 s",
        "mjenv: compiled 3 stages in 3.0 s",
    ]


def test_a_log_has_no_number_where_none_is_known(monkeypatch, clock):
    monkeypatch.setattr(module.sys, "stderr", io.StringIO())
    progress = Progress()
    progress.note()
    progress.done()
    text = module.sys.stderr.getvalue()
    assert text == "mjenv: compiling the engine for this processor, once\n"


def test_a_terminal_has_one_line_that_counts(tmp_path, monkeypatch, clock):
    monkeypatch.setattr(module.sys, "stderr", Terminal())
    progress = Progress()
    compile_three(progress, tmp_path, clock)
    text = module.sys.stderr.getvalue()
    assert text.count("\n") == 1
    shown = [line.strip() for line in text.split("\r")[1:]]
    assert shown[0] == "mjenv: compiling the engine for this processor, once: 0 of 3 stages"
    assert "once: 2 of 3 stages" in shown[-2]
    assert shown[-1] == "mjenv: compiled 3 stages in 12.0 s"


def test_single_stages_are_counted(monkeypatch, clock):
    monkeypatch.setattr(module.sys, "stderr", Terminal())
    progress = Progress()
    progress.note()
    progress.done()
    text = module.sys.stderr.getvalue()
    assert "once: 1 stage " in text
    assert "mjenv: compiled 1 stage in 0.0 s" in text
    progress.note()
    progress.note()
    progress.done()
    text = module.sys.stderr.getvalue()
    assert "once: 2 stages" in text
    assert progress.compiled == 3
    assert text.endswith("\n")
    progress.done()
    assert module.sys.stderr.getvalue() == text


def test_it_can_be_left_out(tmp_path, monkeypatch, clock):
    monkeypatch.setattr(module.sys, "stderr", io.StringIO())
    monkeypatch.setenv("MJENV_QUIET", "1")
    compile_three(Progress(), tmp_path, clock)
    assert not module.sys.stderr.getvalue()
