"""Files of compiled code: what is read, what happens where none can be written, and locks."""

import os
import pwd
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import pytest

from mjenv.engine.simd import cache, missing
from mjenv.engine.simd.cache import alone, cache_dir, read, store

pytest.importorskip("fcntl")

HOLD = """
import sys, time
from pathlib import Path
from mjenv.engine.simd.cache import alone
with alone(Path(sys.argv[1])) as held:
    print(held, flush=True)
    time.sleep(float(sys.argv[2]))
"""


@pytest.fixture
def holder(tmp_path):
    """Starts a process that holds the lock of a file for some seconds; returns it and the file."""
    started = []

    def start(seconds):
        path = tmp_path / "cache" / "stage.o"
        code = f"import sys; sys.path[:] = {sys.path!r}\n{HOLD}"
        child = subprocess.Popen(
            [sys.executable, "-c", code, str(path), str(seconds)], stdout=subprocess.PIPE, text=True
        )
        started.append(child)
        assert child.stdout.readline() == "True\n"
        return child, path

    yield start
    for child in started:
        child.kill()
        child.wait()
        child.stdout.close()


def test_a_lock_is_held_by_one_process(holder):
    _, path = holder(60)
    with alone(path, wait=False) as held:
        assert not held
    with alone(path.with_name("other.o"), wait=False) as held:
        assert held


@pytest.mark.slow
def test_waiting_ends_with_the_other_process(holder):
    child, path = holder(1)
    start = time.monotonic()
    with alone(path) as held:
        assert held
        assert time.monotonic() - start > 0.5
    assert not list(path.parent.iterdir())
    child.wait()


def test_a_lock_ends_with_its_process(holder):
    child, path = holder(60)
    child.kill()
    child.wait()
    with alone(path, wait=False) as held:
        assert held


def test_where_nothing_can_be_written_nobody_waits(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with alone(file / "stage.o", wait=False) as held:
        assert held


def test_what_another_process_has_compiled_is_read(tmp_path, monkeypatch):
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(missing, "place_of", lambda *_: tmp_path / "stage.o")
    monkeypatch.setattr(missing, "digest", lambda *_: "")
    monkeypatch.setattr(missing, "compiled", lambda *_: pytest.fail("compiled twice"))
    real = missing.alone

    def compiled_meanwhile(path, wait):
        store(path, b"code")
        return real(path, wait)

    monkeypatch.setattr(missing, "alone", compiled_meanwhile)
    assert missing.object_code(lambda: None, ()) == b"code"


CODE = bytes(range(256)) * 40


@pytest.fixture
def path(tmp_path):
    return tmp_path / "cache" / "stage-0123456789abcdef.o"


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


DAMAGES = {
    "empty": lambda content: b"",
    "half": lambda content: content[: len(content) // 2],
    "short": lambda content: content[:-1],
    "longer": lambda content: content + b"x",
    "one bit": lambda content: content[:99] + bytes([content[99] ^ 1]) + content[100:],
    "seal only": lambda content: content[-cache.SEAL :],
    "zeros": lambda content: bytes(len(content)),
    "text": lambda content: b"not an object file",
    "without seal": lambda content: content[: -cache.SEAL],
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_what_is_damaged_is_not_read_but_replaced(path, damage):
    store(path, CODE)
    assert read(path) == CODE
    path.write_bytes(damage(path.read_bytes()))
    assert read(path) is None
    store(path, CODE)
    assert read(path) == CODE
    assert names(path.parent) == [path.name]


def test_a_file_in_the_place_of_another_is_not_read(path):
    other = path.with_name("stage-fedcba9876543210.o")
    store(path, CODE)
    shutil.copy(path, other)
    assert read(other) is None
    os.replace(path, other)
    assert read(path) is None


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_what_is_no_file_is_not_read(path, make):
    path.parent.mkdir()
    make(path)
    assert read(path) is None


def test_files_are_for_those_whom_the_user_lets_read(path):
    before = os.umask(0o027)
    try:
        store(path, CODE)
        with alone(path.with_name("other.o")):
            mode = path.with_name("other.lock").stat().st_mode
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o750
    assert stat.S_IMODE(mode) == 0o640


def test_where_nothing_can_be_written_code_is_kept_with_one_warning(tmp_path):
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "mjenv"
    with pytest.warns(RuntimeWarning) as caught:
        [store(folder / f"{k}.o", CODE) for k in range(3)]
    assert len(caught) == 1
    assert str(caught[0].message).startswith(
        f"mjenv: {folder}: cannot store compiled code (Not a directory); every process will"
    )
    assert [read(folder / f"{k}.o") for k in range(4)] == [CODE, CODE, CODE, None]
    assert not cache.writable(folder)


def test_a_disk_that_is_full_for_a_while(path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        with pytest.warns(RuntimeWarning, match="No space left"):
            store(path, CODE)
    assert not list(path.parent.iterdir())
    assert read(path) == CODE
    other = path.with_name("other.o")
    store(other, CODE)
    assert names(path.parent) == [other.name]
    assert cache.writable(path.parent)


def test_what_killed_processes_left_is_removed(path, monkeypatch):
    monkeypatch.setattr(cache, "_swept", set())
    path.parent.mkdir()
    half, old, young, lock = (
        path.with_name(n) for n in (f"{path.stem}.0.tmp", "a.0.tmp", "b.0.tmp", "c.lock")
    )
    for file in (half, old, young, lock):
        file.write_bytes(b"half")
    past = time.time() - 2 * cache.STALE
    for file in (old, lock):
        os.utime(file, (past, past))
    with alone(path) as held:
        assert held
        store(path, CODE)
    assert names(path.parent) == sorted([path.name, young.name])


def test_no_home(monkeypatch):
    def unknown(_):
        raise KeyError("uid")

    for name in ("HOME", "XDG_CACHE_HOME", "MJENV_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(pwd, "getpwuid", unknown)
    assert cache_dir().parent == Path(os.devnull)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_dir().parent == Path(os.devnull)
    monkeypatch.setenv("HOME", "/somewhere")
    assert cache_dir() == Path("/somewhere/.cache/mjenv")


def as_nobody(work) -> int:
    """Exit status of a process of another user that does some work."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgid(65534)
            os.setuid(65534)
            status = 0 if work() else 2
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be another user")
def test_a_folder_of_another_user():
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        check_folder_of_another_user(Path(folder) / "cache" / "stage.o")


def check_folder_of_another_user(path):
    store(path, CODE)
    other = path.with_name("other.o")
    other.with_suffix(".lock").write_bytes(b"")

    def use() -> bool:
        with warnings.catch_warnings(record=True) as caught, alone(other, wait=False) as held:
            warnings.simplefilter("always")
            store(other, CODE)
            store(path.with_name("third.o"), CODE)
        return held and read(path) == CODE and read(other) == CODE and len(caught) == 1

    assert as_nobody(use) == 0
    assert names(path.parent) == sorted([path.name, "other.lock"])
    with alone(other, wait=False) as held:
        assert held
        assert as_nobody(lambda: not alone(other, wait=False).__enter__()) == 0
