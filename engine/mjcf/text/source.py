"""Sources of the files that documents name."""

import os
from pathlib import Path

from ...errors import MjcfError, UnsupportedFeature
from ...resources import has_provider, provided

LARGEST = 1 << 30  # bytes of a file
MAX_BYTES = 1 << 29  # of all arrays, and of all pictures and height fields, if nothing is said


class Source:
    """Source of files: a folder on disk, or a dict from names to bytes.

    Attributes:
        folder: folder of the main file; relative names start there.
        assets: file contents by name, tried first: by the whole name, then by what stands behind
            its last separator, in any case.
        max_bytes: memory that a model may take.
    """

    def __init__(
        self,
        folder: str = "",
        assets: dict[str, bytes] | None = None,
        max_bytes: int | None = None,
    ):
        self.folder = folder
        self.max_bytes = MAX_BYTES if max_bytes is None else max_bytes
        self.assets = {os.path.normpath(k): v for k, v in (assets or {}).items()}
        self._short = {os.path.basename(k).lower(): k for k in reversed(self.assets)}

    def read(self, name: str, folder: str = "") -> tuple[str, bytes] | None:
        """Find a file by name.

        Args:
            name: as in the model.
            folder: folder of the file that names it, tried after the main folder.

        Returns:
            The path and the contents, or None when there is no such file.
        """
        # providers of the user's come first
        if has_provider(name):
            found = provided(name)
            return None if found is None else (name, found)
        # assets given as bytes, by any of the paths or the name alone
        paths = [os.path.join(base, name) for base in dict.fromkeys((self.folder, folder))]
        keys = {os.path.normpath(path): path for path in (name, *paths)}
        keys |= {self._short.get(os.path.basename(name.replace("\\", "/")).lower(), ""): name}
        for key, path in keys.items():
            if key in self.assets:
                contents = self.assets[key]
                return path, contents if isinstance(contents, bytes) else str(contents).encode()
        # files
        for path in paths:
            if self.folder and os.path.isfile(path):
                if os.path.getsize(path) > LARGEST:
                    raise UnsupportedFeature(f"{path}: a file of more than 1 GB is not read")
                try:
                    return path, Path(path).read_bytes()
                except OSError as error:
                    raise MjcfError(f"{path}: cannot be read: {error.strerror}") from None
        return None
