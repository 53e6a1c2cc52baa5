"""Files of compiled code, and locks, so that processes do not compile the same side by side."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # systems without POSIX locks: work may be done twice, with the same result
    fcntl = None  # type: ignore[assignment]


def cache_dir() -> Path:
    """Folder of compiled code: $MJENV_CACHE_DIR, else the user's cache folder."""
    chosen = os.environ.get("MJENV_CACHE_DIR")
    if chosen:
        return Path(chosen)
    root = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(root) / "mjenv"


def read(path: Path) -> bytes | None:
    """What a file holds; None if there is none."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def store(path: Path, code: bytes) -> None:
    """Write object code into the cache, all of it at once."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
        with os.fdopen(handle, "wb") as file:
            file.write(code)
        os.replace(temporary, path)
    except OSError as error:
        print(f"mjenv: {path.parent}: cannot store compiled code ({error})", file=sys.stderr)


@contextmanager
def alone(path: Path, wait: bool = True) -> Iterator[bool]:
    """While the lock of a file is held: whether this process holds it.

    Where there can be no lock, every process holds it. The lock ends with the process, however
    that ends.

    Args:
        path: the file; the lock is the file beside it with the suffix ".lock".
        wait: wait for a process that holds it; otherwise the answer is False then.
    """
    handle = None
    if fcntl is not None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(path.with_suffix(".lock"), os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)  # type: ignore[arg-type]
            yield False
            return
        except OSError:
            pass
    try:
        yield True
    finally:
        if handle is not None:
            path.with_suffix(".lock").unlink(missing_ok=True)
            os.close(handle)
