"""What holds for every test: no window opens, and nothing is written outside the test's folder."""

import os
import signal

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

import pytest


@pytest.fixture(autouse=True, scope="session")
def one_compiler_for_each_worker():
    """Workers share what is to be compiled; a second process for each would be in their way."""
    from mjenv.engine.simd import kernel

    if "PYTEST_XDIST_WORKER" in os.environ:
        kernel.available = lambda: 1


@pytest.fixture(autouse=True, scope="session")
def signals_arrive():
    """What starts the tests in the background, or without a terminal, has them ignore signals."""
    for name, action in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        signum = getattr(signal, name, None)
        if signum is not None and signal.getsignal(signum) is signal.SIG_IGN:
            signal.signal(signum, action)


def pytest_collection_modifyitems(items):
    """Files with slow tests come first, so that no worker is left alone with one at the end."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
