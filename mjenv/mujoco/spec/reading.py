"""From MJCF and URDF files and texts to specs."""

import os
from typing import TYPE_CHECKING, Any, TypeVar

from mjenv.engine.edit.spec import Spec
from mjenv.engine.errors import MjcfError
from mjenv.engine.mjcf.text.source import Source
from mjenv.mujoco.spec.document_reader import DocumentReader
from mjenv.mujoco.structs.model import MAX_BYTES
from mjenv.mujoco.words.explain import worded

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store

    T = TypeVar("T", bound=Store)


def _files(*dicts: Any) -> dict[str, bytes]:
    """Contents of files as bytes."""
    found: dict[str, bytes] = {}
    for files in dicts:
        for name, contents in dict(files or {}).items():
            found[str(name)] = contents if isinstance(contents, bytes) else str(contents).encode()
    return found


def vfs_files(vfs: Any) -> dict[str, bytes]:
    """The files of a virtual file system."""
    return _files(vfs.files())


def from_file(cls: "type[T]", filename: Any, include: Any, assets: Any, vfs: Any) -> "T":
    """Read a file; see `MjSpec.from_file`."""
    if vfs is not None and (include is not None or assets is not None):
        raise ValueError("Cannot specify both 'vfs' and 'include'/'assets'.")
    path = os.fsdecode(filename)
    files = vfs_files(vfs) if vfs is not None else _files(include)
    folder = os.path.dirname(path)
    source = Source(folder or ".", files, MAX_BYTES)
    found = source.read(os.path.basename(path)) if files else None
    try:
        text = found[1] if found is not None else _contents(path)
    except OSError:
        raise ValueError(f"ParseXML: Error opening file '{path}'") from None
    if not text:
        raise ValueError(f"ParseXML: empty file '{path}'")
    spec = _read(cls, text, os.path.basename(path), source)
    spec.modelfiledir = folder + os.sep if folder and folder[-1] != os.sep else folder
    spec.assets = assets or {}
    return spec


def _contents(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def from_string(cls: "type[T]", xml: Any, include: Any, assets: Any, vfs: Any) -> "T":
    """Read text; see `MjSpec.from_string`."""
    if vfs is not None and (include is not None or assets is not None):
        raise ValueError("Cannot specify both 'vfs' and 'include'/'assets'.")
    if not isinstance(xml, str | bytes):
        raise TypeError(f"from_string: expected text, found {type(xml).__name__}")
    files = vfs_files(vfs) if vfs is not None else _files(include)
    text = xml.encode() if isinstance(xml, str) else xml
    if not text:
        raise ValueError("ParseXML: empty file 'model_.xml'")
    spec = _read(cls, text, "model_.xml", Source(".", files, MAX_BYTES))
    spec.assets = assets or {}
    return spec


def _read(cls: "type[T]", text: bytes, file: str, source: Source) -> "T":
    spec = cls()
    try:
        DocumentReader(spec, Spec._read(text, file, source)).run()
        return spec
    except MjcfError as error:
        raise worded(error, None) from error
