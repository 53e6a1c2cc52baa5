"""The command `mjenv` itself: interrupts before the command line has been loaded, and around it."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import mjenv_command
from mjenv.commands import cli

ROOT = Path(__file__).resolve().parents[1]
SLOW = "import time\nprint('loading', flush=True)\ntime.sleep(60)\n"


@pytest.fixture
def handler():
    """The signal's handler, which is as before at the end."""
    before = signal.getsignal(signal.SIGINT)
    yield before
    signal.signal(signal.SIGINT, before)


def test_an_interrupt_while_it_loads(tmp_path):
    (tmp_path / "argparse.py").write_text(SLOW)
    code = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
        "import mjenv_command; mjenv_command.main()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"loading\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT
    assert errors == b""


def test_an_interrupt_outside_of_commands(monkeypatch, capsys, handler):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "main", interrupted)
    assert mjenv_command.main() == 130
    assert capsys.readouterr().err == "mjenv: interrupted\n"


@pytest.mark.parametrize("ours", [signal.default_int_handler, signal.SIG_IGN])
def test_the_handler_is_as_before(ours, monkeypatch, handler):
    monkeypatch.setattr(cli, "main", lambda: 7)
    signal.signal(signal.SIGINT, ours)
    assert mjenv_command.main() == 7
    assert signal.getsignal(signal.SIGINT) is ours
