"""Files of a user's own: places that they come from, and formats that they are written in."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from .errors import MjcfError

KINDS = ("mesh", "texture", "hfield", "model")
_PREFIX = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+")  # of a URI; one letter is a drive
_TYPE = re.compile(r"[^/;=\s]+/[^/;=\s]+")
# formats that the package reads itself
_OWN = {
    "mesh": (".stl", ".obj", ".msh"),
    "texture": (".png", ".ktx"),
    "hfield": (".png",),
    "model": (".xml", ".urdf", ".mjcf"),
}


class Decoder(NamedTuple):
    """A reader of files of a format.

    Attributes:
        content_type: such as "model/gltf-binary"; "": it has none.
        extension: such as ".glb".
        decode: of the contents and the name: the asset.
    """

    content_type: str
    extension: str
    decode: Callable[[bytes, str], Any]


ENCODERS: dict[str, Callable[[Any], bytes]] = {}
PROVIDERS: dict[str, Callable[[str], bytes]] = {}
DECODERS: dict[str, list[Decoder]] = {kind: [] for kind in KINDS}


def register_resource_provider(prefix: str, read: Callable[[str], bytes] | None) -> None:
    """Have a function read the files whose names begin with a prefix and a colon.

    From then on `file="prefix:name"` in MJCF is what `read("prefix:name")` returns, for every kind
    of file: meshes, textures, height fields, skins, models and what is included. Folders of
    <compiler> do not stand before such names.

    Args:
        prefix: letters, digits, `+`, `-` and `.`, two at least, in any case.
        read: returns the contents as bytes. An OSError or a KeyError of it says that there is no
            such file. None takes the provider away.

    Raises:
        ValueError: no such prefix, or there is a provider for it.
        TypeError: no function.
    """
    where = f"register_resource_provider: {prefix!r}"
    if not isinstance(prefix, str) or not _PREFIX.fullmatch(prefix):
        raise ValueError(f"{where}: expected two or more letters, digits, '+', '-' or '.'")
    key = prefix.lower()
    if read is None:
        PROVIDERS.pop(key, None)
        return
    if not callable(read):
        raise TypeError(f"{where}: found a {type(read).__name__}, expected a function")
    if key in PROVIDERS:
        raise ValueError(
            f"{where}: this prefix has a provider; remove it by registering None first"
        )
    PROVIDERS[key] = read


def register_decoder(
    kind: str, extension: str, decode: Callable[[bytes, str], Any] | None, content_type: str = ""
) -> None:
    """Have a function read a format of files that MJCF names.

    | kind | what `decode(contents, name)` returns |
    | --- | --- |
    | mesh | a dict of `vertex` (n, 3), perhaps `face` (f, 3), `normal` (k, 3), `texcoord` (k, 2), |
    |      | `facenormal` and `facetexcoord` (f, 3); without these two they belong to vertices |
    | texture | an array (height, width, channels) of uint8, the upper row first |
    | hfield | heights (nrow, ncol), the front row first |
    | model | MJCF text, or an object with `to_xml()` such as a `Spec` |

    Args:
        kind: a kind of the table.
        extension: such as ".glb", in any case.
        decode: the function; a ValueError of it says what is wrong with a file. None takes the
            decoder of this extension away.
        content_type: attribute `content_type` that names the format too, such as "model/glb".

    Raises:
        ValueError: no such kind, extension or type, or a format that is read already.
        TypeError: no function.
    """
    where = f"register_decoder: {kind!r}, {extension!r}"
    if kind not in KINDS:
        raise ValueError(f"{where}: expected one of {', '.join(map(repr, KINDS))}")
    if not isinstance(extension, str) or not re.fullmatch(r"\.\w+", extension):
        raise ValueError(f"{where}: expected an extension such as '.glb'")
    if content_type and not _TYPE.fullmatch(content_type):
        raise ValueError(f"{where}: content_type={content_type!r}: expected type/subtype")
    key, rows = extension.lower(), DECODERS[kind]
    if decode is None:
        rows[:] = [row for row in rows if row.extension != key]
        return
    if not callable(decode):
        raise TypeError(f"{where}: found a {type(decode).__name__}, expected a function")
    if key in _OWN[kind] or any(row.extension == key for row in rows):
        raise ValueError(f"{where}: this format is read already; expected another extension")
    rows.append(Decoder(content_type, key, decode))


def register_encoder(extension: str, encode: Callable[[Any], bytes] | None) -> None:
    """Have `Spec.to_file` write a format of a user's own.

    Args:
        extension: of the files, such as ".own", in any case; not ".xml".
        encode: returns the contents of the file, bytes, of a `Spec`. None takes the encoder away.

    Raises:
        ValueError: no such extension, or one that is written already.
        TypeError: no function.
    """
    where = f"register_encoder: {extension!r}"
    if not isinstance(extension, str) or not re.fullmatch(r"\.\w+", extension):
        raise ValueError(f"{where}: expected an extension such as '.own'")
    key = extension.lower()
    if encode is None:
        ENCODERS.pop(key, None)
        return
    if not callable(encode):
        raise TypeError(f"{where}: found a {type(encode).__name__}, expected a function")
    if key in (".xml", ".mjcf") or key in ENCODERS:
        raise ValueError(f"{where}: this format is written already; expected another extension")
    ENCODERS[key] = encode


def encoded(spec: Any, extension: str) -> bytes | None:
    """A spec in the format of an extension; None: nobody has registered it.

    Raises:
        TypeError: what the encoder returned is no file.
    """
    encode = ENCODERS.get(extension.lower())
    if encode is None:
        return None
    found = encode(spec)
    if not isinstance(found, bytes | bytearray | memoryview):
        raise TypeError(
            f"the encoder of {extension!r} returned {type(found).__name__}, expected bytes"
        )
    return bytes(found)


def has_provider(name: str) -> bool:
    """True if a file's name begins with the prefix of a provider."""
    prefix, colon, _ = name.partition(":")
    return bool(colon) and prefix.lower() in PROVIDERS


def provided(name: str) -> bytes | None:
    """The file of a name with the prefix of a provider; None: there is none.

    Raises:
        MjcfError: what the provider returned is no file.
    """
    try:
        found = PROVIDERS[name.partition(":")[0].lower()](name)
    except (OSError, KeyError):
        return None
    if not isinstance(found, bytes | bytearray | memoryview):
        raise MjcfError(
            f"{name}: the resource provider returned {type(found).__name__}, expected bytes"
        )
    return bytes(found)


def decoder_of(kind: str, content_type: str, extension: str) -> Decoder | None:
    """The user's decoder of a format: by the type that is given, else by the extension."""
    for row in DECODERS[kind]:
        if content_type == row.content_type if content_type else extension.lower() == row.extension:
            return row
    return None


def model_text(decoder: Decoder, contents: bytes, file: str) -> bytes:
    """The MJCF text that a user's decoder of models makes of a file.

    Raises:
        ValueError: the decoder says what is wrong with the file, or returns something else.
    """
    given = decoder.decode(contents, file)
    given = given.to_xml() if hasattr(given, "to_xml") else given
    if not isinstance(given, str | bytes):
        found = type(given).__name__
        raise ValueError(f"the decoder returned {found}, expected MJCF text or a Spec")
    return given.encode() if isinstance(given, str) else given
