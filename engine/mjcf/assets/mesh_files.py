"""Mesh files: binary STL, Wavefront OBJ and MuJoCo's MSH, with what attributes add to them."""

import os
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from ..text.paths import content_type, decoded, extension, read_asset, users_decoder
from .distinct import distinct
from .first_reads import stamp_of
from .kept import digest, kept
from .obj_files import ObjError, read_obj
from .raw_mesh import FileMesh, RawMesh

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part
    from ..text.element import Element

MSH = "model/vnd.mujoco.msh"
FACES = 200_000  # of an STL file
FARTHEST = 2.0**30  # coordinate in an STL file
MIX = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9], np.uint64)  # odd
LARGEST = (2**31 - 1) // 12  # vertices of an MSH file
# attribute, and the field of a mesh that it gives
FIELDS = (
    ("normal", "normals"),
    ("texcoord", "texcoords"),
    ("face", "faces"),
    ("vertex", "vertices"),
    ("normal", "face_normals"),
)
ADDED = {"face_normals": "normals"}  # normals of triangles contradict normals of vertices
# what a user's decoder may return, and how wide it is
WIDTHS = {"vertex": 3, "face": 3, "normal": 3, "texcoord": 2, "facenormal": 3, "facetexcoord": 3}
# dtype of a triangle in STL: normal, corners, attribute
TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


class MeshFileError(ValueError):
    """A damaged mesh file; the message says what was found."""


def file_mesh(draft: "Draft", part: "Part", inline: RawMesh) -> RawMesh:
    """Data of a mesh that names a file.

    Args:
        draft: the model.
        part: the mesh; its value "file" becomes the name that models keep.
        inline: what its attributes say; they add what the file does not have.

    Raises:
        MjcfError: no such file, an unknown type, damage, or data in both places.
    """
    element = part.element
    asset, contents = read_asset(draft.settings, element, "mesh")
    part.values["file"] = asset.file
    path = os.path.join(element.document.source.folder, asset.path)
    part.values["read"] = path, stamp_of(path, contents)
    # a decoder of the user's comes before the built-in readers
    kind = content_type(element, asset.path)
    where = f"file='{asset.file}'"
    users = users_decoder(element, "mesh", asset.path)
    reader = _msh if kind == MSH else READERS.get(extension(asset.path))
    try:
        if users is not None:
            mesh = _of_user(decoded(element, users, asset, contents))
        elif reader is not None:
            mesh = _read(reader, contents, part)
        else:
            raise MeshFileError(
                f"expected a file .stl, .obj or .msh, found {kind or 'another one'}"
                "; register_decoder adds others"
            )
    except (MeshFileError, ObjError) as error:
        raise element.error(f"{where}: {error}") from None
    # faults of the contents are faults of the element that names the file
    if not np.isfinite(mesh.vertices).all():
        bad = np.flatnonzero(~np.isfinite(mesh.vertices).all(axis=1))
        raise element.error(f"{where}: vertex {bad[0]} is not finite")
    return _merged(element, where, mesh, inline)


def _read(reader: Callable, contents: bytes, part: "Part") -> RawMesh:
    """Data of a mesh file, as its reader returns them."""
    if reader is _msh:
        # depends on the scale, and takes next to no time
        return reader(contents, part)
    return kept((reader.__name__, digest([contents])), lambda: _digested(reader(contents, part)))


def _digested(mesh: RawMesh) -> FileMesh:
    found = FileMesh(*mesh)
    found.digest = digest(mesh)
    return found


def _of_user(given: Any) -> RawMesh:
    """Data of a mesh as a user's decoder returned them, checked."""
    if not isinstance(given, dict) or not given.keys() <= WIDTHS.keys() or "vertex" not in given:
        found = sorted(given) if isinstance(given, dict) else type(given).__name__
        raise MeshFileError(
            f"the decoder returned {found}, expected a dict of vertex and perhaps"
            f" {', '.join(list(WIDTHS)[1:])}"
        )
    # arrays as wide as they have to be
    arrays = {}
    for name, width in WIDTHS.items():
        try:
            array = np.asarray(given.get(name, ()), float)
        except (TypeError, ValueError):
            raise MeshFileError(f"the decoder's {name}: expected numbers") from None
        if array.size and (array.ndim != 2 or array.shape[1] != width):
            raise MeshFileError(f"the decoder's {name}: found {array.shape}, expected (n, {width})")
        arrays[name] = array
    # corners of triangles are places in other arrays
    for name, other in (("face", "vertex"), ("facenormal", "normal"), ("facetexcoord", "texcoord")):
        places, count = arrays[name], len(arrays[other])
        whole = (places == np.floor(places)) & (places >= 0) & (places < count)
        if not whole.all():
            raise MeshFileError(
                f"the decoder's {name}: expected whole numbers from 0 to {count - 1}"
            )
        if name != "face" and places.size and len(places) != len(arrays["face"]):
            raise MeshFileError(f"the decoder's {name}: expected one row for each face")
    # without places of their own, normals and coordinates belong to vertices
    for name, other in (("facenormal", "normal"), ("facetexcoord", "texcoord")):
        if len(arrays[other]) and not len(arrays[name]):
            if len(arrays[other]) != len(arrays["vertex"]):
                raise MeshFileError(f"the decoder's {other}: expected one for each vertex")
            arrays[name] = arrays["face"]
    order = ("vertex", "face", "normal", "texcoord", "facenormal", "facetexcoord")
    return _raw(*(arrays[name] for name in order))


def _merged(element: "Element", where: str, mesh: RawMesh, inline: RawMesh) -> RawMesh:
    """Data of a file, and those of attributes where the file has none."""
    if not any(map(len, inline)):
        return mesh
    for name, field in FIELDS:
        if len(getattr(inline, ADDED.get(field, field))) and len(getattr(mesh, field)):
            raise element.error(f"{name}: {where} has them too, expected them in one place")
    return RawMesh(*(a if len(a) else b for a, b in zip(mesh, inline, strict=True)))


def _raw(
    vertices: Any,
    faces: Any,
    normals: Any = (),
    texcoords: Any = (),
    face_normals: Any = (),
    face_texcoords: Any = (),
) -> RawMesh:
    """Arrays of the right types and shapes."""
    return RawMesh(
        np.asarray(vertices, np.float32).reshape(-1, 3),
        np.asarray(normals, np.float32).reshape(-1, 3),
        np.asarray(texcoords, np.float32).reshape(-1, 2),
        np.asarray(faces, np.int32).reshape(-1, 3),
        np.asarray(face_normals, np.int32).reshape(-1, 3),
        np.asarray(face_texcoords, np.int32).reshape(-1, 3),
    )


def _stl(contents: bytes, part: "Part") -> RawMesh:
    """Binary STL: vertices with equal bits are one, in the order in which they appear."""
    if len(contents) < 84:
        raise MeshFileError(f"expected 84 bytes or more, found {len(contents)}")
    count = int.from_bytes(contents[80:84], "little", signed=True)
    if not 1 <= count <= FACES:
        raise MeshFileError(
            f"expected 1 to {FACES} triangles, found {count}; text files are not read"
        )
    if len(contents) != 84 + 50 * count:
        raise MeshFileError(
            f"{count} triangles: expected {84 + 50 * count} bytes, found {len(contents)}"
        )
    corners = np.frombuffer(contents, TRIANGLE, offset=84)["corners"].reshape(-1, 3)
    if (np.abs(corners) > FARTHEST).any():
        raise MeshFileError(f"expected coordinates up to {FARTHEST:.0f}")
    columns = np.ascontiguousarray(corners.T).view(np.uint32)
    # groups of equal corners, in whatever order, by one number that tells most of them apart
    first, place = distinct(columns[0] * MIX[0] + columns[1] * MIX[1] + columns[2] * MIX[2])
    if not np.array_equal(columns[:, first][:, place], columns):
        first, place = distinct(*columns)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return _raw(corners[first[order]], rank[place])


def _msh(contents: bytes, part: "Part") -> RawMesh:
    """MuJoCo's format: four counts, vertices, normals, texture coordinates, triangles."""
    if len(contents) < 16:
        raise MeshFileError(f"expected 16 bytes or more, found {len(contents)}")
    counts = np.frombuffer(contents, "<i4", 4).tolist()
    nvert, nnormal, ntexcoord, nface = counts
    if nvert < 4 or nface < 0 or nnormal not in (0, nvert) or ntexcoord not in (0, nvert):
        raise MeshFileError(
            f"expected at least 4 vertices, and as many normals and texture coordinates or none,"
            f" found {nvert}, {nnormal} and {ntexcoord} with {nface} triangles"
        )
    size = 16 + 12 * nvert + 12 * nnormal + 8 * ntexcoord + 12 * nface
    if max(nvert, nface) >= LARGEST or len(contents) != size:
        raise MeshFileError(f"expected {size} bytes, found {len(contents)}")
    ends = np.cumsum([0, 3 * nvert, 3 * nnormal, 2 * ntexcoord, 3 * nface])
    words = np.frombuffer(contents, "<u4", offset=16)
    vertices, normals, texcoords, faces = (
        words[a:b].view("<f4" if b < ends[-1] or not nface else "<i4") for a, b in pairwise(ends)
    )
    sx, sy, sz = part["scale"]
    corners = faces.reshape(-1, 3)
    if sx * sy * sz <= 0:
        # only the vertices of the triangles are turned over
        corners = corners[:, [0, 2, 1]]
    return _raw(vertices, corners, normals, texcoords, faces, faces if ntexcoord else ())


def _obj(contents: bytes, part: "Part") -> RawMesh:
    """The first object of a Wavefront file; corners may have no normals or coordinates, -1."""
    obj = read_obj(contents)
    texcoords = obj.texcoords
    for k, name, array in ((1, "texture coordinates", texcoords), (2, "normal", obj.normals)):
        places = obj.corners[..., k]
        outside = places[(places < -1) | (places >= len(array))]
        if len(array) and outside.size:
            raise MeshFileError(
                f"{name} {outside[0] + 1} of a triangle: expected places from 1 to {len(array)}"
            )
    texcoords[:, 1] = 1 - texcoords[:, 1]
    return _raw(
        obj.vertices,
        obj.corners[..., 0],
        obj.normals,
        texcoords,
        obj.corners[..., 2] if len(obj.normals) else (),
        obj.corners[..., 1] if len(texcoords) else (),
    )


# by extension, in these spellings, as MuJoCo's decoders
READERS = {".stl": _stl, ".STL": _stl, ".obj": _obj, ".OBJ": _obj}
