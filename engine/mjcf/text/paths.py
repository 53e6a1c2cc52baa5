"""Search for the files that a model names: MuJoCo's rules for folders, names and types."""

import os
import re
from collections.abc import Mapping
from typing import NamedTuple

from ...resources import Decoder, decoder_of, has_provider
from .element import Element
from .hints import file_hint

# kind of asset: the folder of <compiler> that its files are read from, and the one that is looked
# into first when an included file names it
FOLDERS = {
    "mesh": ("meshdir", "meshdir"),
    "texture": ("texturedir", "texturedir"),
    "hfield": ("meshdir", "assetdir"),
    "skin": ("meshdir", "assetdir"),
}
TYPES = {
    ".stl": "model/stl",
    ".obj": "model/obj",
    ".ply": "model/ply",
    ".msh": "model/vnd.mujoco.msh",
    ".png": "image/png",
    ".ktx": "image/ktx",
}


class Asset(NamedTuple):
    """A file that an element names.

    Attributes:
        file: its name as MuJoCo keeps it, in `paths` of a model and in names of assets.
        path: where it is read from, seen from the folder of the model.
    """

    file: str
    path: str


def written_name(element: Element, kind: str, attribute: str = "file") -> str:
    """Name of a file that an element names: with its folder, where that is an included file's.

    Args:
        element: what names the file, by an attribute that is there.
        kind: key of `FOLDERS`.
        attribute: which attribute.
    """
    file = reduced(element.values[attribute])
    if _root(file) or not _included(element):
        return file
    place = combined(folder(element, FOLDERS[kind][1]), file)
    found = element.document.source.read(place)
    return file if found is not None else combined(element.folder, file)


def asset_path(settings: Mapping, element: Element, kind: str, attribute: str = "file") -> Asset:
    """Name and place of a file that an element names.

    Args:
        settings: those of the compiler; `strippath` drops folders from names.
        element: what names the file, by an attribute that is there.
        kind: key of `FOLDERS`.
        attribute: which attribute.
    """
    file = written_name(element, kind, attribute)
    if settings["strippath"] == "true":
        file = basename(file)
    elif file != reduced(element.values[attribute]):
        # the folder of an included file is seen from where the main file is not
        start = element.document.source.folder
        return Asset(file, os.path.relpath(file, start) if start and not _root(file) else file)
    return Asset(file, combined(folder(element, FOLDERS[kind][0]), file))


def read_asset(
    settings: Mapping, element: Element, kind: str, attribute: str = "file"
) -> tuple[Asset, bytes]:
    """A file that an element names, with its contents.

    Raises:
        MjcfError: there is no such file.
    """
    asset = asset_path(settings, element, kind, attribute)
    found = element.document.source.read(asset.path)
    if found is None:
        name = element.values[attribute]
        hint = file_hint(element.document.source, asset.path)
        place = f"{attribute}='{name}': no such file, expected it at '{asset.path}'"
        error = element.error(place + hint)
        error.missing = asset.path
        raise error
    return asset, found[1]


def folder(element: Element, name: str) -> str:
    """A folder of <compiler>: `meshdir` and `texturedir` are `assetdir` where they are not set."""
    settings = element.settings
    return settings.get(name) or settings.get("assetdir") or ""


def content_type(element: Element, file: str) -> str:
    """Type of a file as type/subtype: given, or by its extension; "" where neither says it."""
    given = element.values.get("content_type")
    if not given:
        return TYPES.get(extension(file).lower(), "")
    kind, semicolon, parameter = given.partition(";")
    if "/" not in kind[:-1] or (semicolon and ("=" not in parameter or "=" in kind)):
        return ""
    return kind


def users_decoder(element: Element, kind: str, file: str) -> Decoder | None:
    """Decoder that a user has registered for a file's format; None if there is none."""
    return decoder_of(kind, element.values.get("content_type") or "", extension(file))


def decoded(element: Element, decoder: Decoder, asset: Asset, contents: bytes):
    """A file as a user's decoder reads it.

    Raises:
        MjcfError: the decoder says that something is wrong with it.
    """
    try:
        return decoder.decode(contents, asset.file)
    except ValueError as error:
        raise element.error(f"file='{asset.file}': {error}") from None


def basename(file: str) -> str:
    """Part of a path behind the last separator."""
    return re.split(r"[/\\]", file)[-1]


def stem(file: str) -> str:
    """Name of an asset that is named after its file."""
    name = basename(file)
    return name.rpartition(".")[0] if "." in name else name


def extension(file: str) -> str:
    """From the last dot on, or ""."""
    return file[file.rindex(".") :] if "." in file else ""


def reduced(path: str) -> str:
    """A path with `/` between its parts, without `.`, and without `..` where it can go."""
    root = _root(path)
    *inner, last = re.split(r"[/\\]", path[len(root) :])
    parts: list[str] = []
    for part in inner:
        if part == ".." and parts and parts[-1] != "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return root + "/".join([*parts, last])


def combined(start: str, path: str) -> str:
    """A path seen from a folder; an absolute one stays what it is."""
    if _root(path):
        return reduced(path)
    if start and start[-1] not in "/\\":
        start += "/"
    return reduced(start + path)


def _root(path: str) -> str:
    """Start of an absolute path: a separator, a drive or a provider; "" for relative paths."""
    if path[:1] in ("/", "\\"):
        return path[0]
    if has_provider(path):
        return path[: path.index(":") + 1]
    at = path.find(":/") if ":/" in path else path.find(":\\")
    return path[: at + 2] if at >= 0 else ""


def _included(element: Element) -> bool:
    """True if an element stands in a file that another one includes."""
    main = element.document.file
    return bool(main) and element.file != main
