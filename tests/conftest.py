"""What holds for every test: no window opens, and nothing is written outside the test's folder."""

import os

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
