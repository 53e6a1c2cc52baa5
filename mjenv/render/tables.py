"""Abstract geoms, and the geoms and sites of many worlds, as tables for the ray caster."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.tables.enums import (
    GEOM_CYLINDER,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_PLANE,
    GEOM_SDF,
    GEOM_SPHERE,
)

from ..visual.flexes import edge_frames
from ..visual.model_geoms import Shapes as ModelShapes
from ..visual.model_geoms import model_shapes
from ..visual.names import CAT, GEOM, OBJ
from ..visual.settings import MjvOption
from .assets import Assets
from .caster import Shapes, as_read
from .rays import KIND_CONE, KIND_TRIANGLE, KIND_TRIANGLES
from .shade import MAP_CORNERS, MAP_CUBE, MAP_NONE, MAP_PLANE

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

    from ..visual.scene import MjvScene

# kinds of geom that only scenes have
ARROW, ARROW1, ARROW2, LINE, LINEBOX, SKIN, LABEL, TRIANGLE, FLEX, NONE = (
    int(GEOM[f"mjGEOM_{name}"])
    for name in (
        *("ARROW", "ARROW1", "ARROW2", "LINE", "LINEBOX"),
        *("SKIN", "LABEL", "TRIANGLE", "FLEX", "NONE"),
    )
)
DECOR = int(CAT.mjCAT_DECOR)
OBJ_GEOM = int(OBJ.mjOBJ_GEOM)
WEDGE = 1.75  # radius of an arrow's head, in radii of its shaft
BOX_LINES = 1.5  # width of a frame's lines (pixels)
TEXTURE_2D = 0
ROLE_RGB = 1  # place of a material's colour texture (mjtTextureRole)

# how the shapes of a scene are seen
PLAIN, UNLIT, TWO_SIDED = range(3)


def blank(n: int) -> dict[str, np.ndarray]:
    """Columns of n shapes of one world that say nothing yet."""
    return {
        "kind": np.zeros(n, np.int32), "pos": np.zeros((1, n, 3)), "mat": np.zeros((1, n, 9)),
        "size": np.zeros((1, n, 3)), "rgba": np.zeros((1, n, 4)), "matter": np.zeros((1, n, 4)),
        "shown": np.ones((1, n), bool), "caster": np.ones(n, bool), "glows": np.zeros(n, np.int32),
        "mesh": np.zeros(n, np.int32), "bound": np.zeros(n), "texture": np.full(n, -1),
        "mapping": np.full(n, MAP_NONE), "texscale": np.zeros((n, 3)),
        "object_id": np.zeros(n, np.int32), "object_type": np.zeros(n, np.int32),
    }  # fmt: skip


# ---------------------------------------------------------------- a scene


def shapes_of(
    model: "Model", scene: "MjvScene", assets: Assets, camera: np.ndarray, segments: bool = False
) -> Shapes:
    """Table of the abstract geoms of a scene.

    Args:
        model: the model.
        scene: the scene.
        assets: textures and triangles.
        camera: row of the camera, see `camera_rows`; lines are as wide as it sees pixels.
        segments: whether shapes have the numbers of geoms in the scene (segid) for those of
            objects; geoms without one are left out.
    """
    rows = scene.geom_table[: scene.ngeom]
    if segments:
        rows = rows[rows["segid"] >= 0]
    shapes, places = _shapes_of_rows(model, scene, assets, camera, rows)
    return shapes._replace(object_id=rows["segid"][places]) if segments else shapes


def _shapes_of_rows(
    model: "Model", scene: "MjvScene", assets: Assets, camera: np.ndarray, rows: np.ndarray
) -> tuple[Shapes, np.ndarray]:
    """Table of geoms, and for each of its shapes the geom that it is of."""
    simple = rows["type"] <= GEOM_SDF
    columns = of_rows(rows[simple])
    finish(model, assets, columns, rows["dataid"][simple], rows["matid"][simple],
           rows["texcoord"][simple])  # fmt: skip
    if simple.all():
        return Shapes(**columns), np.arange(len(rows))
    # the other geoms are made of several shapes; all stay in their order
    places = list(np.flatnonzero(simple))
    parts = [columns]
    for place in np.flatnonzero(~simple):
        for part in composed(model, scene, rows[place], assets, camera):
            parts.append(part)
            places += [place] * len(part["kind"])
    order = np.argsort(places, kind="stable")
    joined = {}
    for name, first in columns.items():
        axis = 1 if name in PER_WORLD else 0
        joined[name] = np.take(np.concatenate([p[name] for p in parts], axis), order, axis)
        joined[name] = joined[name].astype(first.dtype)
    return Shapes(**joined), np.array(places, int)[order]


PER_WORLD = ("pos", "mat", "size", "rgba", "matter", "shown")


def of_rows(rows: np.ndarray) -> dict[str, np.ndarray]:
    """Columns of geoms of one world, still without textures and triangles."""
    n = len(rows)
    columns = blank(n)
    columns["kind"][:] = rows["type"]
    columns["pos"][0], columns["mat"][0] = rows["pos"], rows["mat"].reshape(n, 9)
    columns["size"][0], columns["rgba"][0] = rows["size"], rows["rgba"]
    for k, name in enumerate(("emission", "specular", "shininess", "reflectance")):
        columns["matter"][0, :, k] = rows[name]
    columns["caster"][:] = rows["category"] != DECOR
    columns["object_id"][:], columns["object_type"][:] = rows["objid"], rows["objtype"]
    return columns


def finish(
    model: "Model",
    assets: Assets,
    columns: dict[str, np.ndarray],
    dataid: np.ndarray,
    matid: np.ndarray,
    texcoord: np.ndarray,
) -> None:
    """Find the triangles and the textures of shapes, given numbers of data and of materials."""
    kind, size = columns["kind"], columns["size"][0]
    for row in np.flatnonzero((kind == GEOM_MESH) | (kind == GEOM_SDF) | (kind == GEOM_HFIELD)):
        number = int(dataid[row])
        if number < 0:
            columns["shown"][:, row] = False
        elif kind[row] == GEOM_HFIELD:
            columns["mesh"][row] = assets.hfield(number)
        else:
            # meshes have even numbers, their hulls odd ones
            columns["mesh"][row] = assets.mesh(number // 2, bool(number % 2))
        columns["bound"][row] = assets.radius(int(columns["mesh"][row]))
        kind[row] = KIND_TRIANGLES
    lay_textures(model, assets, columns, matid, texcoord, size)


def lay_textures(
    model: "Model",
    assets: Assets,
    columns: dict[str, np.ndarray],
    matid: np.ndarray,
    texcoord: np.ndarray,
    size: np.ndarray,
) -> None:
    """Set how the textures of materials lie on shapes."""
    if not model.ntex or not (matid >= 0).any():
        return
    texture = np.where(matid >= 0, np.asarray(model.mat_texid)[matid, ROLE_RGB], -1)
    with_one = texture >= 0
    columns["texture"][:] = texture
    flat = with_one & (np.asarray(model.tex_type)[texture] == TEXTURE_2D)
    uniform = np.asarray(model.mat_texuniform)[matid].astype(bool)
    # builtin shapes get their textures before they are scaled, the others after
    scaled = (columns["kind"] == KIND_TRIANGLES) | (columns["kind"] == GEOM_PLANE)
    sized = np.where(size > 0.0, size, 1.0)
    # along axes: half a picture for every repetition of the size, or of a metre
    repeat = np.asarray(model.mat_texrepeat)[matid]
    share = np.where(uniform[:, None], 1.0, 1.0 / sized[:, :2])
    scale = columns["texscale"]
    scale[flat, 0] = (0.5 * repeat[:, 0] * share[:, 0])[flat]
    scale[flat, 1] = (-0.5 * repeat[:, 1] * share[:, 1])[flat]
    cube = with_one & ~flat
    factor = np.where(uniform[:, None], sized, 1.0) / np.where(scaled[:, None], 1.0, sized)
    scale[cube] = factor[cube]
    columns["mapping"][flat], columns["mapping"][cube] = MAP_PLANE, MAP_CUBE
    own = with_one & (np.asarray(texcoord) != 0)
    columns["mapping"][own] = MAP_CORNERS
    scale[own] = np.array([assets.density(int(tree)) for tree in columns["mesh"][own]])[:, None]


def composed(
    model: "Model", scene: "MjvScene", row: np.ndarray, assets: Assets, camera: np.ndarray
) -> list[dict[str, np.ndarray]]:
    """Shapes that one geom is made of."""
    kind, size = int(row["type"]), row["size"].astype(np.float64)
    pos, mat = row["pos"].astype(np.float64), row["mat"].astype(np.float64)
    if kind in (ARROW, ARROW1, ARROW2):
        return arrow(row, kind, pos, mat, size)
    if kind == LINE:
        middle = pos + 0.5 * size[2] * mat[:, 2]
        radius = pixels(camera, middle, size[0])
        return [one(row, GEOM_CYLINDER, middle, mat, (radius, radius, 0.5 * size[2]), UNLIT)]
    if kind == LINEBOX:
        return edges(row, pos, mat, size, pixels(camera, pos, BOX_LINES))
    if kind == TRIANGLE:
        return [one(row, KIND_TRIANGLE, pos, mat, size, TWO_SIDED)]
    if kind == SKIN:
        return [skin(model, scene, row, assets)]
    if kind == FLEX:
        return flex(model, scene, row, assets)
    # labels are written over the picture
    return []


def one(
    row: np.ndarray,
    kind: int,
    pos: np.ndarray,
    mat: np.ndarray,
    size: np.ndarray | tuple,
    glows: int = PLAIN,
) -> dict[str, np.ndarray]:
    """One shape with the colour and the numbers of a geom."""
    columns = of_rows(row[None])
    columns["kind"][:], columns["glows"][:] = kind, glows
    columns["pos"][0, 0], columns["mat"][0, 0], columns["size"][0, 0] = pos, mat.ravel(), size
    columns["caster"][:] &= glows != UNLIT
    return columns


def arrow(
    row: np.ndarray, kind: int, pos: np.ndarray, mat: np.ndarray, size: np.ndarray
) -> list[dict[str, np.ndarray]]:
    """A shaft of a third of the size, of two thirds between two heads; heads of a sixth."""
    unit, axis = size[2] / 6.0, mat[:, 2]
    wide = 1.0 if kind == ARROW1 else WEDGE
    head = (wide * size[0], wide * size[1], unit)
    if kind == ARROW2:
        back = mat * np.array([1.0, -1.0, -1.0])
        return [
            one(row, GEOM_CYLINDER, pos, mat, (size[0], size[1], 2.0 * unit)),
            one(row, KIND_CONE, pos + 2.0 * unit * axis, mat, head),
            one(row, KIND_CONE, pos - 2.0 * unit * axis, back, head),
        ]
    return [
        one(row, GEOM_CYLINDER, pos + unit * axis, mat, (size[0], size[1], unit)),
        one(row, KIND_CONE, pos + 2.0 * unit * axis, mat, head),
    ]


def pixels(camera: np.ndarray, place: np.ndarray, width: float) -> float:
    """Radius of a line as wide as some pixels where it is (m)."""
    depth = float((place - camera[9:12]) @ camera[6:9])
    return 0.5 * max(width, 1.0) * float(camera[12]) * max(depth, float(camera[14]))


def edges(
    row: np.ndarray, pos: np.ndarray, mat: np.ndarray, size: np.ndarray, radius: float
) -> list[dict[str, np.ndarray]]:
    """The twelve edges of a box."""
    found = []
    for axis in range(3):
        turned = np.roll(mat, 2 - axis, axis=1)
        a, b = (axis + 1) % 3, (axis + 2) % 3
        for x in (-size[a], size[a]):
            for y in (-size[b], size[b]):
                middle = pos + x * mat[:, a] + y * mat[:, b]
                found.append(
                    one(row, GEOM_CYLINDER, middle, turned, (radius, radius, size[axis]), UNLIT)
                )
    return found


def skin(
    model: "Model", scene: "MjvScene", row: np.ndarray, assets: Assets
) -> dict[str, np.ndarray]:
    """A skin; its triangles lie in the world."""
    number = int(row["objid"])
    face0, vert0 = int(model.skin_faceadr[number]), int(scene.skinvertadr[number])
    face = np.asarray(model.skin_face[face0 : face0 + int(model.skin_facenum[number])])
    vert = scene.skinvert.reshape(-1, 3)[vert0:].astype(np.float64)
    normal = scene.skinnormal.reshape(-1, 3)[vert0:]
    uv0, uv = int(model.skin_texcoordadr[number]), None
    if uv0 >= 0:
        uv = np.asarray(model.skin_texcoord).reshape(-1, 2)[uv0:][face]
    tree = assets.moving(("skin", number), vert[face], normal[face], uv)
    columns = one(row, KIND_TRIANGLES, np.zeros(3), np.eye(3), np.ones(3), TWO_SIDED)
    columns["mesh"][:], columns["bound"][:] = tree, assets.radius(tree)
    lay_textures(
        model, assets, columns, row["matid"][None], np.array([uv0 >= 0]), columns["size"][0]
    )
    return columns


def flex(
    model: "Model", scene: "MjvScene", row: np.ndarray, assets: Assets
) -> list[dict[str, np.ndarray]]:
    """A deformable: spheres and cylinders without textures, faces that lie in the world."""
    number, radius = int(row["objid"]), float(row["size"][0])
    used = int(scene.flexfaceused[number])
    found = []
    if radius > 0 and not (scene.flexskinopt and used):
        if scene.flexvertopt:
            first = int(scene.flexvertadr[number])
            vert = scene.flexvert.reshape(-1, 3)[first:][: int(scene.flexvertnum[number])]
            found.append(several(row, GEOM_SPHERE, vert, np.eye(3), np.full(3, radius)))
        if scene.flexedgeopt:
            middle, frame, half = edge_frames(scene, number)
            size = np.stack([np.full(len(half), radius), np.full(len(half), radius), half], 1)
            found.append(several(row, GEOM_CYLINDER, middle, frame, size))
    if used:
        found.append(flex_faces(model, scene, row, assets, used))
    return found


def several(
    row: np.ndarray, kind: int, pos: np.ndarray, mat: np.ndarray, size: np.ndarray
) -> dict[str, np.ndarray]:
    """Shapes of one kind with the colour and the numbers of a geom."""
    n = len(pos)
    columns = of_rows(np.repeat(row[None], n))
    columns["kind"][:] = kind
    columns["pos"][0], columns["size"][0] = pos, size
    columns["mat"][0] = np.reshape(mat, (-1, 9))
    return columns


def flex_faces(
    model: "Model", scene: "MjvScene", row: np.ndarray, assets: Assets, used: int
) -> dict[str, np.ndarray]:
    """The faces of a deformable."""
    number, first = int(row["objid"]), int(scene.flexfaceadr[int(row["objid"])])
    corners, normals = (
        array.reshape(-1, 3, 3)[first : first + used]
        for array in (scene.flexface, scene.flexnormal)
    )
    uv = None
    if row["texcoord"]:
        uv = scene.flextexcoord.reshape(-1, 3, 2)[first : first + used]
    tree = assets.moving(("flex", number), corners.astype(np.float64), normals, uv)
    columns = one(row, KIND_TRIANGLES, np.zeros(3), np.eye(3), np.ones(3))
    columns["mesh"][:], columns["bound"][:] = tree, assets.radius(tree)
    textured = np.array([bool(row["texcoord"])])
    lay_textures(model, assets, columns, row["matid"][None], textured, columns["size"][0])
    return columns


# ---------------------------------------------------------------- many worlds


# all that shapes without poses are made of
OF_SHAPES = (
    *(f"geom_{name}" for name in (
        "bodyid", "group", "matid", "rgba", "size", "rbound", "type", "dataid", "contype",
        "conaffinity",
    )),
    *(f"site_{name}" for name in ("bodyid", "group", "matid", "rgba", "size", "type")),
    *(f"mat_{name}" for name in (
        "emission", "specular", "shininess", "reflectance", "rgba", "texid", "texrepeat",
        "texuniform",
    )),
    *("body_weldid", "body_mocapid", "body_rootid", "tex_type", "mesh_texcoordadr",
      "mesh_graphadr"),
)  # fmt: skip


class StaticTable:
    """The shapes of a model without their poses, made again when what they are made of changed.

    Args:
        model: the model.
        assets: textures and triangles.
    """

    def __init__(self, model: "Model", assets: Assets):
        self.model, self.assets = model, assets
        self._made_of: tuple = ()
        self._table: tuple[ModelShapes, Shapes] | None = None

    def of(self, option: MjvOption, data: "Data") -> "tuple[ModelShapes, Shapes]":
        """Shapes of all worlds, and their table for the ray caster."""
        if not data.varied.keys().isdisjoint(OF_SHAPES):
            return self._make(option, data)
        model = self.model
        made_of = (
            option._row.tobytes(), float(model.vis.map.alpha), self.assets.version,
            *(getattr(model, name).tobytes() for name in OF_SHAPES),
        )  # fmt: skip
        if self._table is None or made_of != self._made_of:
            self._made_of, self._table = made_of, self._make(option, data)
        return self._table

    def _make(self, option: MjvOption, data: "Data") -> "tuple[ModelShapes, Shapes]":
        static = model_shapes(self.model, option, data)
        n = len(static.objid)
        columns = blank(n)
        columns["kind"][:] = static.type
        columns["object_id"][:], columns["object_type"][:] = static.objid, static.objtype
        columns["caster"][:] = static.category != DECOR

        def per_world(array: np.ndarray, ndim: int) -> np.ndarray:
            """With a first axis for worlds."""
            return array if array.ndim > ndim else array[None]

        columns["size"], columns["rgba"] = per_world(static.size, 2), per_world(static.rgba, 2)
        matter = [
            per_world(getattr(static, name), 1)
            for name in ("emission", "specular", "shininess", "reflectance")
        ]
        columns["matter"] = np.stack(np.broadcast_arrays(*matter), axis=-1)
        columns["shown"] = columns["rgba"][..., 3] != 0.0
        finish(self.model, self.assets, columns, static.dataid, static.texid, static.texcoord)
        return static, as_read(Shapes(**columns))


def shapes_of_worlds(table: "tuple[ModelShapes, Shapes]", data: "Data", worlds: Any) -> Shapes:
    """Table of the model's geoms and sites in many worlds.

    Args:
        table: what does not depend on poses.
        data: the worlds.
        worlds: which of them: indices or a slice.
    """
    static, shapes = table
    n = len(static.objid)
    places, turns = [], []
    for first, last, kind in ((0, static.ngeom, "geom"), (static.ngeom, n, "site")):
        if last > first:
            ids = static.objid[first:last]
            places.append(getattr(data, f"{kind}_xpos")[worlds][:, ids])
            turn = getattr(data, f"{kind}_xmat")[worlds]
            turns.append(turn.reshape(len(turn), -1, 9)[:, ids])
    own = {
        name: getattr(shapes, name)[worlds]
        for name in ("size", "rgba", "matter", "shown")
        if len(getattr(shapes, name)) > 1
    }
    if places:
        # rounded as in the geoms of a scene, so that pictures are the same
        own["pos"] = np.concatenate(places, axis=1).astype(np.float32).astype(np.float64)
        own["mat"] = np.concatenate(turns, axis=1).astype(np.float32).astype(np.float64)
    return shapes._replace(**own)
