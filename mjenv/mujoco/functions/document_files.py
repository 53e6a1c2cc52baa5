"""Files that a document names: included documents, meshes, textures, height fields, skins."""

import os

# elements whose files lie in a folder of their own, and the attribute of <compiler> that has it
_FOLDERS = {
    "mesh": "meshdir", "skin": "meshdir", "texture": "texturedir", "hfield": "assetdir",
    "flexcomp": "meshdir", "include": "", "model": "assetdir",
}  # fmt: skip
_DOCUMENTS = (".xml", ".mjcf", ".urdf")


def document_files(filename: str) -> list[str]:
    """A document and the files that it names, also those of documents that it includes; sorted.

    Args:
        filename: MJCF or URDF.

    Raises:
        OSError: a document cannot be read.
        ValueError: a document is no XML.
    """
    found: list[str] = []
    waiting = [filename]
    while waiting:
        path = waiting.pop(0)
        if path not in found:
            found.append(path)
            if path.endswith(_DOCUMENTS):
                waiting += _named(path)
    return sorted(found)


def _named(path: str) -> list[str]:
    """Files that one document names, as paths."""
    from lxml import etree  # pyright: ignore[reportAttributeAccessIssue]

    try:
        root = etree.parse(path).getroot()
    except etree.XMLSyntaxError as error:
        raise ValueError(f"{path}: {error}") from None
    settings: dict[str, str] = {}
    for compiler in root.iter("compiler"):
        settings.update(compiler.attrib)
    folder, named = os.path.dirname(path), []
    for element in root.iter():
        if isinstance(element.tag, str):
            given = [value for key, value in element.attrib.items() if key.startswith("file")]
            named += [_place(folder, element.tag, settings, file) for file in given]
    return named


def _place(folder: str, tag: str, settings: dict[str, str], file: str) -> str:
    """The path of a file that an element names."""
    attribute = _FOLDERS.get(tag, "")
    below = (settings.get(attribute) or settings.get("assetdir", "")) if attribute else ""
    return os.path.normpath(os.path.join(folder, below, file)) if folder or below else file
