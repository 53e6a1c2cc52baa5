"""Files and folders that are whole or not there, whatever happens while they are written."""

import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

WINDOWS = os.name == "nt"
DAY = 86400.0  # s; where processes cannot be asked for, no file is written for longer


@contextmanager
def whole(path: str | Path) -> Iterator[Path]:
    """Have a file or a folder written under another name, which it loses when it is complete.

    What processes that were killed have left of the same file is removed.

    Args:
        path: the file or folder; a file that is there is replaced, a folder must not be there.

    Yields:
        The path to write to, with the same suffix.
    """
    # the other name has the number of the process: two processes do not meet
    path = Path(path)
    remove_leftovers(path)
    # renaming is atomic; syncing before it keeps a power cut from leaving an empty file
    partial = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield partial
        _sync(partial)
        os.replace(partial, path)
        _sync_one(path.parent)
    except OSError as error:
        # messages name the file that was asked for
        remove(partial)
        if error.filename in (partial, str(partial)):
            raise OSError(error.errno, error.strerror, str(path)) from None
        raise
    except BaseException:
        remove(partial)
        raise


def check_place(path: str | Path) -> None:
    """Find out whether a file can be made, and folders on the way to it; nothing is left.

    Raises:
        OSError: they cannot.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(f"{path}: is a folder, expected the name of a file")
    made = missing(path.parent)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path.parent):
            pass
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        remove_empty(made)


def missing(path: Path) -> list[Path]:
    """A folder and those on the way to it that are not there, the innermost first."""
    return [folder for folder in (path, *path.parents) if not folder.exists()]


def remove_empty(folders: list[Path]) -> None:
    """Remove folders, the innermost first, up to one that holds something."""
    try:
        for folder in folders:
            folder.rmdir()
    except OSError:
        pass


def remove(path: Path) -> None:
    """Remove a file or a folder, if it is there; a folder loses its name first."""
    if path.is_dir() and not path.is_symlink():
        nameless = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
        if path.name != nameless.name:
            path = path.rename(nameless)
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def remove_leftovers(path: Path) -> None:
    """Remove what processes that are no more have left of a file that they were writing."""
    name = re.compile(rf"\.{re.escape(path.stem)}\.(\d+)\.part{re.escape(path.suffix)}")
    for found in path.parent.glob(".*.part*"):
        match = name.fullmatch(found.name)
        if match and not _being_written(found, int(match[1])):
            remove(found)


def _being_written(path: Path, pid: int) -> bool:
    """True if the process that has begun a file may still be at it."""
    if WINDOWS:  # os.kill would end the process there, or interrupt this one
        return time.time() - path.stat().st_mtime < DAY
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _sync(path: Path) -> None:
    """Have the disk hold a file, or the files of a folder, before names point to it."""
    for file in path.rglob("*") if path.is_dir() else ():
        _sync_one(file)
    _sync_one(path)


def _sync_one(path: Path) -> None:
    if WINDOWS and path.is_dir():
        return  # folders cannot be opened there
    handle = os.open(path, os.O_RDWR if WINDOWS else os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
