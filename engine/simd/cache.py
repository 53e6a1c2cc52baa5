"""Files of compiled code, checked when they are read, and locks on the work of compiling.

A file ends with a digest of its name and of what it holds. A file that was damaged, cut off, or put
in another's place is therefore as good as none: it is compiled again and replaced. That is also why
nothing waits for a disk when files are written: what a power failure leaves half done is found out.

Code that cannot be stored is kept in memory until the process ends. When files take more room than
the limit, those that were read least recently go; whoever needs one compiles it again.
"""

import os
import re
import stat
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

try:
    import fcntl
except ImportError:  # systems without POSIX locks: work may be done twice, with the same result
    fcntl = None

SEAL = 32  # bytes at the end of a file
PROBE = 1 << 18  # bytes; longer than any file
PATIENCE = 300.0  # s; a process that holds a lock for longer has been stopped
STALE = 3600.0  # s; age of files that nobody is still writing
DAY = 86400.0  # s; how exactly a file's time tells when it was last read
LIMIT = 1000.0  # MB, where MJENV_CACHE_LIMIT says nothing else
KEPT = 0.9  # part of the limit that is still full after files have gone
OURS = re.compile(r".+-[0-9a-f]{32}\.o")  # names of files of compiled code

_kept: dict[Path, bytes] = {}  # code that could not be stored
_warned: set[Path] = set()
_swept: set[Path] = set()
_owned: set[Path] = set()  # folders whose owners were looked at


def cache_dir() -> Path:
    """Folder of compiled code: $MJENV_CACHE_DIR, else the user's cache folder.

    Where the user has no home, it is a path at which no folder can be.
    """
    chosen = os.environ.get("MJENV_CACHE_DIR")
    if chosen:
        return Path(os.path.expanduser(chosen))
    root = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(root):
        root = os.path.expanduser("~/.cache")
    return Path(root if os.path.isabs(root) else os.devnull) / "mjenv"


def place_of(name: str, digest: str) -> Path:
    """File of the code of an entry with a name and a key."""
    return cache_dir() / f"{name}-{digest[:32]}.o"


# ---------------------------------------------------------------- files


def _seal(path: Path, code: bytes) -> bytes:
    """Digest of a file's name and content."""
    return blake2b(code, digest_size=SEAL, key=path.name.encode()[-64:]).digest()


def read(path: Path) -> bytes | None:
    """Code that was stored at a path, or kept in memory instead; None if there is none."""
    kept = _kept.get(path)
    if kept is not None:
        return kept
    try:
        content = path.read_bytes() if path.is_file() else b""
    except OSError:
        return None
    code = content[:-SEAL]
    if not code or content[-SEAL:] != _seal(path, code):
        return None
    _warn_of_strangers(path)
    _mark_as_used(path)
    return code


def store(path: Path, code: bytes) -> None:
    """Write code into the cache, all of it at once; keep it in memory where that fails."""
    temporary = _temporary(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path.parent)
        # with the permissions that the user gives to new files, also where others share them
        with open(temporary, "xb") as file:
            file.write(code + _seal(path, code))
        os.replace(temporary, path)
    except OSError as error:
        _kept[path] = code
        _warn(path.parent, error)
    finally:
        with suppress(OSError):
            temporary.unlink()


def unstored() -> dict[Path, bytes]:
    """Code that is kept in memory because it could not be stored."""
    return _kept


def take_over(code: dict[Path, bytes]) -> None:
    """Store code that another process could not, or keep it."""
    for path, found in code.items():
        store(path, found)


def writable(folder: Path) -> bool:
    """True if there is room for files in a folder, which is made if need be."""
    probe = _temporary(folder / "probe")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(probe, "xb") as file:
            file.write(bytes(PROBE))
    except OSError:
        return False
    finally:
        with suppress(OSError):
            probe.unlink()
    return True


def _temporary(path: Path) -> Path:
    """A name beside a path that no other process takes."""
    return path.with_name(f"{path.stem}.{os.urandom(6).hex()}.tmp")


def _warn(folder: Path, error: OSError) -> None:
    """Tell once that code cannot be stored."""
    if folder not in _warned:
        _warned.add(folder)
        warnings.warn(
            f"mjenv: {folder}: cannot store compiled code ({error.strerror or error}); every "
            "process will compile it again; set MJENV_CACHE_DIR to a folder that can be written",
            RuntimeWarning,
            stacklevel=2,
        )


def _warn_of_strangers(path: Path) -> None:
    """Tell once of a folder in which others than the user and root can put code that is run."""
    folder = path.parent
    if folder in _owned or not hasattr(os, "getuid"):
        return
    _owned.add(folder)
    own = (os.getuid(), 0)
    for place in (folder, path):
        with suppress(OSError):
            found = place.stat()
            if found.st_uid not in own or found.st_mode & stat.S_IWOTH:
                warnings.warn(
                    f"mjenv: {place}: found user {found.st_uid} and mode "
                    f"{stat.S_IMODE(found.st_mode):o}, expected compiled code that nobody else can "
                    "change, because it is run; set MJENV_CACHE_DIR to a folder of your own",
                    RuntimeWarning,
                    stacklevel=2,
                )
                return


def _sweep(folder: Path) -> None:
    """Remove what processes that were killed have left behind, and what is beyond the limit."""
    if folder in _swept:
        return
    _swept.add(folder)
    trim(folder)
    past = time.time() - STALE
    for entry in os.scandir(folder):
        if entry.name.endswith((".tmp", ".lock")):
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_mtime < past:
                    os.unlink(entry.path)


# ---------------------------------------------------------------- room


class Stored(NamedTuple):
    """A file of compiled code.

    Attributes:
        path: where it is.
        size: bytes.
        used: when it was last read or written, to a day; s since the epoch.
    """

    path: Path
    size: int
    used: float


def limit() -> float:
    """Most bytes of compiled code that are kept: $MJENV_CACHE_LIMIT megabytes, else 1000.

    Raises:
        ValueError: the variable is no number above 0.
    """
    text = os.environ.get("MJENV_CACHE_LIMIT", "")
    try:
        megabytes = float(text or LIMIT)
    except ValueError:
        megabytes = 0.0
    if not megabytes > 0:
        raise ValueError(f"MJENV_CACHE_LIMIT: found {text!r}, expected megabytes, a number above 0")
    return megabytes * 1e6


def stored(folder: Path) -> list[Stored]:
    """The files of compiled code in a folder, those first that were used least recently."""
    found = []
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if OURS.fullmatch(entry.name):
                with suppress(OSError):
                    status = entry.stat(follow_symlinks=False)
                    found.append(Stored(Path(entry.path), status.st_size, status.st_mtime))
    return sorted(found, key=lambda file: (file.used, file.path))


def remove(files: list[Stored]) -> list[Stored]:
    """Remove files of compiled code; those that are gone now."""
    gone = []
    for file in files:
        with suppress(OSError):
            file.path.unlink()
            gone.append(file)
    return gone


def trim(folder: Path) -> list[Stored]:
    """Remove what was used least recently, where files take more room than the limit.

    Processes that have read a file do not need it any more, so that any may go at any time.

    Returns:
        What was removed.
    """
    files, most = stored(folder), limit()
    room = sum(file.size for file in files)
    surplus = []
    if room > most:
        for file in files:
            if room <= KEPT * most:
                break
            surplus.append(file)
            room -= file.size
    return remove(surplus)


def _mark_as_used(path: Path) -> None:
    """Let a file's time tell that it was read, at most once a day."""
    with suppress(OSError):
        if time.time() - path.stat().st_mtime > DAY:
            os.utime(path)


# ---------------------------------------------------------------- locks


@contextmanager
def alone(path: Path, wait: bool = True) -> Iterator[bool]:
    """While the lock of a file is held: whether this process holds it.

    Where there can be no lock, every process holds it. The lock ends with the process, however
    that ends.

    Args:
        path: the file; the lock is the file beside it with the suffix ".lock".
        wait: wait for a process that holds it; otherwise the answer is False then.
    """
    try:
        handle = _lock(path.with_suffix(".lock"), wait)
        held = True
    except BlockingIOError:
        handle, held = None, False
    except OSError:
        handle, held = None, True
    try:
        if handle is not None:
            _remove_halves(path)
        yield held
    finally:
        if handle is not None:
            with suppress(OSError):
                path.with_suffix(".lock").unlink()
            # closing is not enough where a process was forked meanwhile
            fcntl.flock(handle, fcntl.LOCK_UN)
            os.close(handle)


def _lock(file: Path, wait: bool) -> int | None:
    """Descriptor of a lock that is held; None where there can be none, or after `PATIENCE`.

    Raises:
        BlockingIOError: another process holds it.
        OSError: there can be no such file.
    """
    if fcntl is None:
        return None
    file.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + PATIENCE
    while True:
        handle = _open(file)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # who held it before may have removed the file since it was opened
            if os.path.samestat(os.fstat(handle), os.stat(file)):
                return handle
        except FileNotFoundError:
            pass
        except OSError as error:
            os.close(handle)
            if not isinstance(error, BlockingIOError) or not wait:
                raise
            if time.monotonic() > end:
                return None
            time.sleep(0.02)
            continue
        os.close(handle)


def _open(file: Path) -> int:
    """Open a lock file, which may be another user's."""
    try:
        return os.open(file, os.O_RDWR | os.O_CREAT, 0o666)
    except PermissionError:
        return os.open(file, os.O_RDONLY)


def _remove_halves(path: Path) -> None:
    """Remove what processes that were killed while they wrote a file have left of it."""
    for half in path.parent.glob(f"{path.stem}.*.tmp"):
        with suppress(OSError):
            half.unlink()
