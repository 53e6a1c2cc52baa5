"""Files that are written at once: as they were, or complete, whatever happens on the way."""

import os
import shutil
from contextlib import suppress


def write_whole(path: str | os.PathLike, content: bytes | bytearray) -> None:
    """Write a file under another name, which it loses when it is complete.

    Links are followed, permissions of a file that is replaced stay. What is no regular file, such
    as a pipe, is written as it is.

    Raises:
        OSError: the file cannot be written.
    """
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.path.isfile(target):
        with open(target, "wb") as file:
            file.write(content)
        return
    folder, name = os.path.split(target)
    partial = os.path.join(folder, f".{name[:200]}.{os.urandom(4).hex()}.part")
    try:
        with open(partial, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            shutil.copymode(target, partial)
        os.replace(partial, target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, os.fspath(path)) from None
    finally:
        with suppress(OSError):
            os.unlink(partial)


def written(lines: list[str], file: str | os.PathLike | None) -> str:
    """Text of lines, which is also written to a file if there is one."""
    text = "\n".join(lines) + "\n"
    if file is not None:
        write_whole(file, text.encode())
    return text
