"""Abstract geoms, lights and cameras as tables for the ray caster."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.enums import (
    GEOM_BOX,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_MESH,
    GEOM_PLANE,
    GEOM_SDF,
)

from .assets import Assets
from .caster import Shapes
from .layouts import LIGHT
from .rays import KIND_CONE, KIND_TRIANGLE, KIND_TRIANGLES
from .shade import LIGHT_DIRECTIONAL, LIGHT_POINT, LIGHT_SPOT, MAP_CORNERS, MAP_CUBE, MAP_NONE, MAP_PLANE

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model

# kinds of geom that only scenes have (mjtGeom)
ARROW, ARROW1, ARROW2, LINE, LINEBOX, FLEX, SKIN, LABEL, TRIANGLE = range(100, 109)
DECOR = 4  # category of geoms that throw no shadows (mjtCatBit)
WEDGE = 1.75  # radius of an arrow's head, in radii of its shaft
TEXTURE_2D = 0
ROLE_RGB = 1  # place of a material's colour texture (mjtTextureRole)


class Rows:
    """Shapes of one world, one after the other."""

    def __init__(self, model: "Model", assets: Assets):
        self.model, self.assets = model, assets
        self.columns: dict[str, list] = {name: [] for name in Shapes._fields}

    def add(self, kind: int, pos, mat, size, geom: Any, **other) -> None:
        """Add a shape with the colour and numbers of an abstract geom."""
        row = {
            "kind": kind, "pos": pos, "mat": mat, "size": size, "rgba": np.array(geom.rgba),
            "matter": (geom.emission, geom.specular, geom.shininess, geom.reflectance),
            "shown": True, "caster": geom.category != DECOR, "glows": 0, "mesh": 0, "bound": 0.0,
            "texture": -1, "mapping": MAP_NONE, "texscale": (0.0, 0.0, 0.0),
            "object_id": geom.objid, "object_type": geom.objtype,
        } | other  # fmt: skip
        for name, value in row.items():
            self.columns[name].append(value)

    def shapes(self) -> Shapes:
        """All of them as a table of one world."""
        n = len(self.columns["kind"])
        tables = {name: np.array(values) for name, values in self.columns.items()}
        for name, width in (("pos", 3), ("mat", 9), ("size", 3), ("rgba", 4), ("matter", 4)):
            tables[name] = tables[name].reshape(1, n, width)
        tables["shown"] = tables["shown"].reshape(1, n)
        tables["texscale"] = tables["texscale"].reshape(n, 3)
        return Shapes(**tables)


def shapes_of(model: "Model", scene: Any, assets: Assets) -> Shapes:
    """Table of the abstract geoms of a scene."""
    rows = Rows(model, assets)
    for k in range(scene.ngeom):
        add_geom(rows, scene, scene.geoms[k])
    return rows.shapes()


def add_geom(rows: Rows, scene: Any, geom: Any) -> None:
    """Add the shapes that one abstract geom is drawn with."""
    kind = int(geom.type)
    pos, mat = np.array(geom.pos, np.float64), np.array(geom.mat, np.float64).reshape(3, 3)
    size = np.array(geom.size, np.float64)
    if kind in ARROWS:
        add_arrow(rows, geom, kind, pos, mat, size)
    elif kind == LINE:
        # as wide as its size says, in pixels of a picture of the usual height
        radius = max(size[0], 1.0) * 0.0005 * max(size[2], 0.1)
        middle = pos + mat[:, 2] * 0.5 * size[2]
        rows.add(
            GEOM_CYLINDER, middle, mat.ravel(), (radius, radius, 0.5 * size[2]), geom,
            glows=1, caster=False,
        )  # fmt: skip
    elif kind == LINEBOX:
        add_frame(rows, geom, pos, mat, size)
    elif kind == TRIANGLE:
        rows.add(KIND_TRIANGLE, pos, mat.ravel(), size, geom, glows=2)
    elif kind == SKIN:
        add_skin(rows, scene, geom)
    elif kind in (GEOM_MESH, GEOM_SDF):
        if geom.dataid >= 0:
            # meshes have even numbers, their hulls odd ones
            tree = rows.assets.mesh(geom.dataid // 2, bool(geom.dataid % 2))
            add_triangles(rows, tree, pos, mat, size, geom)
    elif kind == GEOM_HFIELD:
        if geom.dataid >= 0:
            add_triangles(rows, rows.assets.hfield(geom.dataid), pos, mat, size, geom)
    elif kind <= GEOM_BOX:
        rows.add(kind, pos, mat.ravel(), size, geom, **texture_of(rows.model, geom, kind, size))
    # labels are drawn over the picture


ARROWS = (ARROW, ARROW1, ARROW2)


def add_arrow(rows: Rows, geom: Any, kind: int, pos, mat, size) -> None:
    """A shaft and one or two heads: an arrow's shaft is a third of its length."""
    unit = size[2] / 6.0
    wide = 1.0 if kind == ARROW1 else WEDGE
    axis = mat[:, 2]
    head = (wide * size[0], wide * size[1], 2.0 * unit)
    shaft = (size[0], size[1], unit)
    if kind == ARROW2:
        shaft, head = (size[0], size[1], 2.0 * unit), (head[0], head[1], 2.0 * unit)
        rows.add(GEOM_CYLINDER, pos, mat.ravel(), shaft, geom)
        rows.add(KIND_CONE, pos + 2.0 * unit * axis, mat.ravel(), head, geom)
        back = mat * np.array([1.0, -1.0, -1.0])
        rows.add(KIND_CONE, pos - 2.0 * unit * axis, back.ravel(), head, geom)
        return
    rows.add(GEOM_CYLINDER, pos + unit * axis, mat.ravel(), shaft, geom)
    rows.add(KIND_CONE, pos + 2.0 * unit * axis, mat.ravel(), head, geom)


def add_frame(rows: Rows, geom: Any, pos, mat, size) -> None:
    """The twelve edges of a box."""
    radius = 0.002 * float(np.linalg.norm(size))
    for axis in range(3):
        turned = np.roll(mat, 2 - axis, axis=1)
        one, other = (axis + 1) % 3, (axis + 2) % 3
        for first in (-1.0, 1.0):
            for second in (-1.0, 1.0):
                middle = pos + first * size[one] * mat[:, one] + second * size[other] * mat[:, other]
                rows.add(
                    GEOM_CYLINDER, middle, turned.ravel(), (radius, radius, size[axis]), geom,
                    glows=1, caster=False,
                )  # fmt: skip


def add_triangles(rows: Rows, tree: int, pos, mat, size, geom: Any, **other) -> None:
    """A shape made of triangles."""
    texture = texture_of(rows.model, geom, KIND_TRIANGLES, size)
    if texture and texture["mapping"] == MAP_CORNERS and not rows.assets.has_uv(tree):
        texture = {}
    rows.add(
        KIND_TRIANGLES, pos, mat.ravel(), size, geom, mesh=tree,
        bound=rows.assets.radius(tree), **(texture | other),
    )  # fmt: skip


def add_skin(rows: Rows, scene: Any, geom: Any) -> None:
    """A skin: its triangles lie in the world."""
    model, skin = rows.model, int(geom.objid)
    face0, vert0 = int(model.skin_faceadr[skin]), int(scene.skinvertadr[skin])
    face = np.asarray(model.skin_face[face0 : face0 + int(model.skin_facenum[skin])])
    vert = np.asarray(scene.skinvert, np.float64).reshape(-1, 3)[vert0:]
    normal = np.asarray(scene.skinnormal, np.float64).reshape(-1, 3)[vert0:]
    uv0, uv = int(model.skin_texcoordadr[skin]), None
    if uv0 >= 0:
        uv = np.asarray(model.skin_texcoord).reshape(-1, 2)[uv0:][face]
    tree = rows.assets.skin(skin, vert[face], normal[face], uv)
    add_triangles(rows, tree, np.zeros(3), np.eye(3), np.ones(3), geom)


def texture_of(model: "Model", geom: Any, kind: int, size) -> dict[str, Any]:
    """How the texture of an abstract geom's material lies on it."""
    material = int(geom.matid)
    if material < 0:
        return {}
    texture = int(model.mat_texid[material][ROLE_RGB])
    if texture < 0:
        return {}
    if geom.texcoord:
        return {"texture": texture, "mapping": MAP_CORNERS, "texscale": (1.0, 1.0, 1.0)}
    uniform = bool(model.mat_texuniform[material])
    # builtin shapes have their textures before they are scaled, the others after
    scaled = kind in (KIND_TRIANGLES, GEOM_PLANE)
    if model.tex_type[texture] == TEXTURE_2D:
        repeat = model.mat_texrepeat[material]
        scale = [float(repeat[k]) for k in range(2)]
        for k in range(2):
            if size[k] > 0.0 and not (uniform if scaled else False):
                scale[k] = scale[k] / size[k] if scaled or not uniform else scale[k]
        return {
            "texture": texture, "mapping": MAP_PLANE,
            "texscale": (0.5 * scale[0], -0.5 * scale[1], 0.0),
        }  # fmt: skip
    factor = np.array(size) if uniform else np.ones(3)
    if not scaled:
        factor = factor / np.array(size)
    return {"texture": texture, "mapping": MAP_CUBE, "texscale": tuple(factor)}


def light_rows(scene: Any, shadow_clip: float, shadow_scale: float, znear: float, zfar: float):
    """Rows of a scene's lights for the ray caster.

    Returns:
        (rows (1, n, LIGHT), kinds (n,), whether they throw shadows (n,)).
    """
    n = scene.nlight
    rows, kind, shadow = np.zeros((1, n, LIGHT)), np.zeros(n, int), np.zeros(n, int)
    for k in range(n):
        light, row = scene.lights[k], rows[0, k]
        kind[k] = LIGHT_KINDS[int(light.type)]
        shadow[k] = int(light.castshadow)
        row[0:3], row[3:6] = light.pos, light.dir
        row[6:9], row[9:12], row[12:15] = light.ambient, light.diffuse, light.specular
        row[15:18] = light.attenuation
        cutoff = float(light.cutoff)
        row[18] = np.cos(np.radians(cutoff)) if cutoff < 180.0 else -1.0
        row[19] = light.exponent
        if kind[k] == LIGHT_DIRECTIONAL:
            row[15:18], row[18], row[19] = (1.0, 0.0, 0.0), -1.0, 0.0
            row[20] = shadow_clip
        elif kind[k] == LIGHT_SPOT:
            angle = min(2.0 * cutoff * shadow_scale, 160.0)
            row[20], row[21] = np.tan(np.radians(0.5 * angle)), 1.0
        row[22:24] = znear, zfar
    return rows, kind, shadow


LIGHT_KINDS = {0: LIGHT_SPOT, 1: LIGHT_DIRECTIONAL, 2: LIGHT_POINT, 3: LIGHT_POINT}


def camera_row(camera: Any, width: int, height: int) -> np.ndarray:
    """A camera of a scene for pictures of a size: (1, CAMERA)."""
    forward, up = np.array(camera.forward, np.float64), np.array(camera.up, np.float64)
    right = np.cross(forward, up)
    near = float(camera.frustum_near)
    # what the image plane spans; at distance 1 for rays that spread
    scale = 1.0 if camera.orthographic else 1.0 / near
    top, bottom = camera.frustum_top * scale, camera.frustum_bottom * scale
    half = camera.frustum_width * scale or 0.5 * (top - bottom) * width / height
    centre = camera.frustum_center * scale
    lens = (
        2.0 * half / width, (top - bottom) / height, near, float(camera.frustum_far),
        centre - half, top,
    )  # fmt: skip
    return np.concatenate([right, up, forward, np.array(camera.pos, np.float64), lens])[None]
