"""Skins: triangles that bodies move, for pictures only; from attributes or from SKN files."""

from typing import TYPE_CHECKING

import numpy as np

from ..geometry.pose import normalize
from ..text.element import Element
from ..text.paths import extension, read_asset
from .singles import singles
from .skin_files import Bone, Skin, SkinFileError, read_skn

if TYPE_CHECKING:
    from ...model.model import Model
    from ..draft.draft import Draft, Part

GROUPS = 6
COLUMNS = {"vertex": 3, "texcoord": 2, "face": 3}  # numbers of a row


def compile_skin(draft: "Draft", part: "Part") -> None:
    """Set `data`, `bodies` (ids of the bodies of the bones) and `matid` of a skin.

    Raises:
        MjcfError: missing or contradicting data, unknown bodies, vertices that nothing moves.
    """
    values, element = part.values, part.element
    if not 0 <= values["group"] < GROUPS:
        raise element.error(f"group='{values['group']}': expected 0 to {GROUPS - 1}")
    # data of a file or of attributes, and whether it is complete
    filed = bool(values.get("file"))
    skin = _from_file(draft, part) if filed else _inline(element)
    nvert, ntexcoord, nface, nbone = map(len, skin)
    if not (nvert and nface and nbone):
        raise element.error(
            "expected vertices, faces and bones, in attributes or a file, found"
            f" {nvert} vertices, {nface} faces and {nbone} bones"
        )
    if ntexcoord not in (0, nvert):
        raise element.error(f"texcoord: expected {nvert} rows as of vertex, found {ntexcoord}")
    # faults of a bone are faults of its element, if it has one
    places = [element] * nbone if filed else element.children
    bones = list(zip(skin.bones, places, strict=True))
    values["bodies"] = [draft.find("body", bone.body, at, "body").id for bone, at in bones]
    name = values.get("material")
    values["matid"] = draft.find("material", name, element, "material").id if name else -1
    # the weights of a vertex add up to one
    total = _total_weight(element, nvert, bones)
    values["data"] = skin._replace(bones=[_normalized(bone, total) for bone in skin.bones])


def _inline(element: Element) -> Skin:
    """A skin that attributes and bones describe."""
    rows = {}
    for name, count in COLUMNS.items():
        given = element.values.get(name) or ()
        if excess := len(given) % count:
            raise element.error(f"{name}: expected rows of {count} numbers, found {excess} more")
        numbers = singles(element, name) if given and name != "face" else np.array(given, np.int32)
        rows[name] = numbers.reshape(-1, count)
    bones = [
        Bone(
            bone.values["body"],
            singles(bone, "bindpos"),
            singles(bone, "bindquat"),
            np.array(bone.values["vertid"], np.int32),
            singles(bone, "vertweight"),
        )
        for bone in element.children
    ]
    return Skin(rows["vertex"], rows["texcoord"], rows["face"], bones)


def _from_file(draft: "Draft", part: "Part") -> Skin:
    """A skin of an SKN file."""
    values, element = part.values, part.element
    given = [name for name in COLUMNS if values.get(name)] + ["bone"] * bool(element.children)
    if given:
        raise element.error(f"{given[0]}: the file has the data, expected them in one place")
    asset, contents = read_asset(draft.settings, element, "skin")
    values["file"] = asset.file
    where = f"file='{asset.file}'"
    if extension(asset.file).lower() != ".skn":
        raise element.error(
            f"{where}: expected a file .skn, found {extension(asset.file) or 'no extension'}"
        )
    try:
        return read_skn(contents)
    except SkinFileError as error:
        raise element.error(f"{where}: {error}") from None


def _total_weight(element: Element, nvert: int, bones: list[tuple[Bone, Element]]) -> np.ndarray:
    """Sum of the weights of each vertex over the bones, (nvert,) float32."""
    total = np.zeros(nvert, np.float32)
    for bone, place in bones:
        if not 0 < len(bone.vertid) == len(bone.weight):
            raise place.error(
                "vertid and vertweight: expected as many numbers in both, found"
                f" {len(bone.vertid)} and {len(bone.weight)}"
            )
        outside = (bone.vertid < 0) | (bone.vertid >= nvert)
        if outside.any():
            raise place.error(
                f"vertid: {bone.vertid[outside][0]}: expected vertices from 0 to {nvert - 1}"
            )
        np.add.at(total, bone.vertid, bone.weight)
    loose = np.flatnonzero(total <= 1e-15)
    if loose.size:
        raise element.error(f"vertex {loose[0]}: expected bones with a positive weight in total")
    return total


def _normalized(bone: Bone, total: np.ndarray) -> Bone:
    """A bone with its parts of the whole as weights, and a unit quaternion."""
    quat, _ = normalize(tuple(bone.quat.tolist()))
    weight = bone.weight / total[bone.vertid]
    return bone._replace(quat=np.array(quat, np.float32), weight=weight)


def sizes(draft: "Draft") -> dict[str, int]:
    """Sizes of the arrays that hold skins."""
    skins = [part["data"] for part in draft.parts["skin"]]
    return {
        "nskinvert": sum(len(skin.vertices) for skin in skins),
        "nskintexvert": sum(len(skin.texcoords) for skin in skins),
        "nskinface": sum(len(skin.faces) for skin in skins),
        "nskinbone": sum(len(skin.bones) for skin in skins),
        "nskinbonevert": sum(len(bone.vertid) for skin in skins for bone in skin.bones),
    }


def fill(model: "Model", draft: "Draft") -> None:
    """Write all skins."""
    # rows of the arrays that all skins share, by the size that counts them
    first: dict[str, int] = dict.fromkeys(("vert", "texcoord", "face", "bone", "bonevert"), 0)
    for part in draft.parts["skin"]:
        k, skin = part.id, part["data"]
        model.skin_matid[k] = part["matid"]
        rows = {
            "vert": {"vert": skin.vertices},
            "texcoord": {"texcoord": skin.texcoords},
            "face": {"face": skin.faces},
            "bone": {
                "bonebodyid": part["bodies"],
                "bonebindpos": [bone.pos for bone in skin.bones],
                "bonebindquat": [bone.quat for bone in skin.bones],
                "bonevertnum": [len(bone.vertid) for bone in skin.bones],
            },
            "bonevert": {
                "bonevertid": np.concatenate([bone.vertid for bone in skin.bones]),
                "bonevertweight": np.concatenate([bone.weight for bone in skin.bones]),
            },
        }
        counts = rows["bone"]["bonevertnum"]
        rows["bone"]["bonevertadr"] = first["bonevert"] + np.cumsum(counts) - counts
        # each block goes behind those of the skins before
        for name, columns in rows.items():
            count = len(next(iter(columns.values())))
            for column, values in columns.items():
                getattr(model, f"skin_{column}")[first[name] : first[name] + count] = values
            # MuJoCo's structure has no address or number for some of them
            if name != "bonevert":
                getattr(model, f"skin_{name}adr")[k] = first[name]
            if name not in ("bonevert", "texcoord"):
                getattr(model, f"skin_{name}num")[k] = count
            first[name] += count
        if not len(skin.texcoords):
            model.skin_texcoordadr[k] = -1
