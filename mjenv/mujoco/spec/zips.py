"""Specs with their files: zip archives, and files that come with an attached spec."""

import os
import warnings
import zipfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mjenv.mujoco.spec.spec import MjSpec
    from mjenv.mujoco.spec.store import Store


def to_zip(spec: "Store", file: Any) -> None:
    """Write a spec and its files to an archive.

    Args:
        spec: the spec.
        file: the archive's name, or a file to write to.
    """
    files = spec.assets
    files[spec.modelname + ".xml"] = spec.to_xml()
    if isinstance(file, str) and os.path.dirname(file):
        os.makedirs(os.path.dirname(file), exist_ok=True)
    with zipfile.ZipFile(file, "w") as archive:
        for name, contents in files.items():
            archive.writestr(zipfile.ZipInfo(name), contents)


def from_zip(kind: "type[MjSpec]", file: Any) -> "MjSpec":
    """Read a spec of a class, and its files, from an archive in which one file is MJCF."""
    if not zipfile.is_zipfile(file):
        raise ValueError(f"File {file} is not a zip file.")
    text, folder, files = None, "", {}
    with zipfile.ZipFile(file) as archive:
        for entry in archive.infolist():
            if entry.filename.endswith("/"):
                continue
            contents = archive.read(entry)
            if entry.filename.endswith(".xml"):
                text, folder = contents, os.path.dirname(entry.filename)
            else:
                files[entry.filename] = contents
    if not text:
        raise ValueError("No XML file found in zip file.")
    assets = {os.path.relpath(name, folder or "."): data for name, data in files.items()}
    return kind.from_string(text.decode(), assets=assets)


def around_name(path: str, prefix: str, suffix: str) -> str:
    """A path with a prefix before the file's name and a suffix before its extension."""
    cut = max(path.rfind("/"), path.rfind("\\")) + 1
    path = path[:cut] + prefix + path[cut:]
    dot = path.rfind(".")
    return path[:dot] + suffix + path[dot:] if dot >= 0 else path + suffix


def take_assets(spec: "Store", child: "Store", prefix: str, suffix: str) -> None:
    """Take in the files of a spec that was attached, under new names."""
    for name, contents in child.assets.items():
        new = around_name(name, prefix, suffix)
        if new in spec.assets and not spec.override_assets:
            raise ValueError(f"Asset {name} already exists in parent spec.")
        spec.assets[new] = contents
    # a spec without assets of its own reads files from the folder, which the other does not
    own = bool(spec._lists["mesh"] or spec._lists["texture"])
    theirs = bool(child._lists["mesh"] or child._lists["texture"])
    for has, one, other in (
        (theirs and not child.assets and spec.assets, "without", "with"),
        (own and child.assets and not spec.assets, "with", "without"),
    ):
        if has:
            warnings.warn(
                f"Attaching a child {one} asset dict to a parent {other} an asset dict might result"
                " in missing assets when attaching again.",
                stacklevel=3,
            )
    if not child.assets:
        return
    # elements name their files as the assets are named now
    renamed = spec if spec._copies else child
    for kind in ("mesh", "texture"):
        count = len(child._lists[kind])
        for element in renamed._lists[kind][-count:] if count else ():
            if element.file:
                element.file = around_name(element.file, prefix, suffix)
