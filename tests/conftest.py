"""What holds for every test: no window opens, and nothing is written outside the test's folder."""

import gc
import os
import signal
from pathlib import Path

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("SDL_AUDIODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("MPLBACKEND", "Agg")

import pytest

# folders of tests that follow environments, compile them and compare them, for seconds each; a few
# of each folder stay quick
COMPILING, FEW = [Path(__file__).parent / "mjenv" / name for name in ("porting", "writing")], 8


@pytest.fixture(autouse=True, scope="session")
def one_compiler_for_each_worker():
    """Workers share what is to be compiled; a second process for each would be in their way."""
    from mjenv.engine.simd import missing

    if "PYTEST_XDIST_WORKER" in os.environ:
        missing.available = lambda: 1


@pytest.fixture(autouse=True, scope="session")
def signals_arrive():
    """What starts the tests in the background, or without a terminal, has them ignore signals."""
    for name, action in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        signum = getattr(signal, name, None)
        if signum is not None and signal.getsignal(signum) is signal.SIG_IGN:
            signal.signal(signum, action)


@pytest.fixture(autouse=True)
def code_that_a_test_could_not_store_is_forgotten():
    """What a test keeps in memory, because its folder cannot be written, is not another's loss."""
    from mjenv.engine.simd import cache

    before = dict(cache.unstored())
    yield
    for path in cache.unstored().keys() - before.keys():
        del cache.unstored()[path]


@pytest.fixture
def own_resources(monkeypatch):
    """A test begins without providers, decoders and encoders; its own go with it."""
    from mjenv.engine import resources

    for table in (resources.PROVIDERS, resources.ENCODERS):
        for key in list(table):
            monkeypatch.delitem(table, key)
    for kind in resources.DECODERS:
        monkeypatch.setitem(resources.DECODERS, kind, [])
    yield
    resources.PROVIDERS.clear()
    resources.ENCODERS.clear()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What collection makes stays to the end: looking for garbage in it takes time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Cases of sweeps are marked, and tests that compile; files with slow tests come first.

    So that no worker is left alone with one of them at the end.
    """
    sweeps = {}
    for item in items:
        sweep = item.get_closest_marker("sweep")
        if item.path.parent in COMPILING:
            sweeps.setdefault((item.path.parent, FEW), []).append(item)
        elif sweep:
            sweeps.setdefault((item.path, item.originalname, *sweep.args), []).append(item)
    for (*_, quick), cases in sweeps.items():
        spread = {len(cases) * k // quick for k in range(quick)}
        for k, case in enumerate(cases):
            if k not in spread:
                case.add_marker("slow")
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
