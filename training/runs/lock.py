"""Claims: a run's folder is held by one process, and left behind only with something in it."""

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mjenv.training.runs.files import missing, remove, remove_empty
from mjenv.training.runs.folders import CONFIG, Run

try:
    import fcntl
except ImportError:  # not on Unix
    fcntl = None

_LOCK = ".lock"


@contextmanager
def claim(env_id: str, folder: str | Path | None = None, overwrite: bool = False) -> Iterator[Run]:
    """Hold the folder of a new run; what an earlier run left in it stays until `Run.clear`.

    A folder that holds no agent and no checkpoint, as a training leaves it that was killed at its
    start, may be claimed as an empty one. A new folder that is still empty in the end is removed.

    Args:
        env_id: the environment, for the folder's name.
        folder: where to; by default runs/<environment>-<time>.
        overwrite: whether a run that lies there may be replaced.

    Raises:
        FileExistsError: the folder holds other files, or a run that may not be replaced, or
            another process trains in it.
        OSError: the folder cannot be written.
    """
    run = Run(free_folder(env_id) if folder is None else Path(folder))
    with held(run.folder):
        _refuse_others(run, overwrite)
        yield run


@contextmanager
def held(path: Path) -> Iterator[None]:
    """Hold a folder, which is made if need be; a new one that is empty in the end is removed.

    Raises:
        FileExistsError: another process has it.
        OSError: it cannot be written.
    """
    made = missing(path)
    try:
        handle = _lock(path)
    except OSError:
        remove_empty(made)
        raise
    try:
        yield
    finally:
        # removed while it is held: who has opened it since sees that the name is gone; without
        # locks nothing is held, and Windows removes no file that is open
        if fcntl is None:
            os.close(handle)
        remove(path / _LOCK)
        remove_empty(made)
        if fcntl is not None:
            os.close(handle)


def free_folder(env_id: str) -> Path:
    """A name that no other run has."""
    stem = f"{env_id.rpartition('/')[2].replace(':', '-')}-{time.strftime('%Y%m%d-%H%M%S')}"
    path, count = Path("runs") / stem, 1
    while path.exists():
        count += 1
        path = Path("runs") / f"{stem}-{count}"
    return path


def _lock(path: Path) -> int:
    """Make the folder and lock it; the lock ends with the process at the latest.

    Where there are no locks, nothing is held.
    """
    while True:
        if path.exists() and not path.is_dir():
            raise FileExistsError(f"{path}: is a file, expected a folder or nothing")
        path.mkdir(parents=True, exist_ok=True)
        try:
            handle = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
        except FileNotFoundError:
            continue  # another process has just given the folder up
        if fcntl is None:
            return handle
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                os.close(handle)
                raise FileExistsError(
                    f"{path}: another process trains in it; choose another folder, or wait"
                ) from None
            # a file system without locks: nothing is held, as before there were claims
        if _still(handle, path / _LOCK):
            return handle
        os.close(handle)


def _still(handle: int, path: Path) -> bool:
    """True if a path still names the open file."""
    try:
        there, mine = path.stat(), os.fstat(handle)
    except FileNotFoundError:
        return False
    return (there.st_dev, there.st_ino) == (mine.st_dev, mine.st_ino)


def _refuse_others(run: Run, overwrite: bool) -> None:
    """Refuse a folder with files of others, or with a run that is not to be replaced."""
    names = {path.name for path in run.folder.iterdir()} - {_LOCK}
    if not names:
        return
    try:
        if CONFIG not in names:
            raise ValueError
        run.config()
    except ValueError:
        raise FileExistsError(
            f"{run.folder}: holds other files, expected an empty folder; choose another"
        ) from None
    if not overwrite and (run.agent.exists() or run.checkpoints):
        raise FileExistsError(
            f"{run.folder}: holds a run already; choose another folder or pass --overwrite"
        )
