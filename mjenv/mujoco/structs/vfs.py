"""`MjVfs`: files in memory, which models name."""

import os
from collections.abc import Mapping


class MjVfs:
    """Contents of files by name; a context manager."""

    def __init__(self):
        self._files: dict[str, bytes] | None = {}

    def _open(self) -> dict[str, bytes]:
        if self._files is None:
            raise RuntimeError("MjVfs: it is closed; make another one")
        return self._files

    def __setitem__(self, name: str, content: bytes) -> None:
        files = self._open()
        if name in files:
            raise ValueError(f"MjVfs: {name!r}: found a file of this name; delete it first")
        files[name] = content.encode() if isinstance(content, str) else bytes(content)

    def __delitem__(self, name: str) -> None:
        del self._open()[name]

    def __contains__(self, name: str) -> bool:
        return name in self._open()

    def files(self) -> dict[str, bytes]:
        """All of them."""
        return dict(self._open())

    def close(self) -> None:
        """Forget the files; nothing can be added any more."""
        self._files = None

    def __enter__(self) -> "MjVfs":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def files_of(assets: Mapping[str, bytes] | None, vfs: MjVfs | None) -> dict[str, bytes]:
    """Files in memory that a call was given.

    Raises:
        ValueError: two files of one name in different folders, or both arguments were given.
    """
    if vfs is not None:
        if assets:
            raise ValueError("assets and vfs: found both, expected one of them")
        return vfs.files()
    seen: set[str] = set()
    for path in assets or {}:
        name = os.path.basename(path)
        if name in seen:
            raise ValueError(f"Repeated file name in assets dict: {name}")
        seen.add(name)
    return dict(assets or {})
