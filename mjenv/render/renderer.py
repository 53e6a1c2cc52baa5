"""`Renderer`: pictures of the worlds of a model."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.enums import GEOM_PLANE, GEOM_SPHERE
from mjenv.engine.errors import UnsupportedFeature, nearest
from mjenv.engine.simd import kernel
from mjenv.engine.simd.record import Layout, Record, aligned_zeros
from mjenv.engine.simd.threads import available, share
from mjenv.engine.views import View

from .camera import camera_view
from .sampling import NWORK
from .shade import LIGHT_DIRECTIONAL, draw
from .textures import TEXTURE_2D, TEXTURE_SKYBOX, texture_tables

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

WIDTH = 8  # pixels of a pack
DRAWN = (0, 2, 3, 4, 5, 6)  # geom types with a ray formula
VISIBLE_GROUPS = 3  # groups 0, 1, 2 are drawn, as in MuJoCo

SCENE = Layout(
    "scene",
    [(name, "size") for name in ("nshape", "nlight", "across", "width", "height", "columns", "sky")]
    + [
        (name, "i4")
        for name in (
            "shape_type",
            "shape_texture",
            "light_kind",
            "light_shadow",
            "level_adr",
            "level_width",
        )
    ]
    + [
        (name, "i4")
        for name in (
            "level_height",
            "texture_level0",
            "texture_levels",
            "texture_cube",
            "texture_faces",
        )
    ]
    + [
        (name, "f8")
        for name in (
            "shape_pos",
            "shape_mat",
            "shape_size",
            "shape_bound",
            "shape_veil",
            "shape_rgba",
        )
    ]
    + [
        (name, "f8")
        for name in (
            "shape_texscale",
            "shape_texshift",
            "shape_mirror",
            "shape_emission",
            "shape_specular",
        )
    ]
    + [
        (name, "f8")
        for name in ("shape_shininess", "light_pos", "light_dir", "light_ambient", "light_diffuse")
    ]
    + [
        (name, "f8")
        for name in (
            "light_specular",
            "light_attenuation",
            "light_cutoff",
            "light_exponent",
            "frame",
        )
    ]
    + [(name, "f8") for name in ("centre", "scale", "near", "far", "pixel")]
    + [("texels", "u1"), ("rgb", "u1"), ("depth", "f4"), ("counter", "i8")],
)
WORK = Layout("work", [("width", "size"), ("work", "f8"), ("lane", "f8"), ("out", "f8")])


class Renderer:
    """Draws worlds of a model.

    Args:
        model: the model.
        height: rows of a picture.
        width: columns of a picture.
        nthread: threads that share the picture; None for all processors. Pictures do not depend on
            it.

    Raises:
        ValueError: the size is not positive.
    """

    _made = False  # whether there are all attributes that there will be

    def __init__(
        self, model: "Model", height: int = 480, width: int = 480, nthread: int | None = None
    ):
        if height < 1 or width < 1:
            raise ValueError(f"Renderer: size is {width}x{height}, expected at least 1x1")
        self.model, self.height, self.width = model, height, width
        self.nthread = nthread or available()
        self.rgb = np.zeros((height, width, 3), np.uint8)
        self.depths = np.zeros((height, width), np.float32)
        self.geoms = [
            g
            for g in range(model.ngeom)
            if model.geom_group[g] < VISIBLE_GROUPS and self._alpha(g) > 0.0
        ]
        for g in self.geoms:
            if model.geom_type[g] not in DRAWN:
                raise UnsupportedFeature(
                    f"render: geom {model.geom(g).name or g}: "
                    "meshes and height fields are not drawn yet"
                )
        self.scene = self._scene()
        self.work = [self._work() for _ in range(self.nthread)]
        if not kernel.interpreted():
            entry = kernel.address(draw, (SCENE, 0, False), (WORK, WIDTH, False))
            kernel.progress.done()
            self.run = kernel.callable_at(entry, 2)
        self._made = True

    def __setattr__(self, name: str, value) -> None:
        if self._made and name not in self.__dict__:
            getattr(self, name)
            raise AttributeError(f"Renderer.{name}: cannot be assigned")
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"Renderer: {name}: no such attribute{nearest(name, dir(self))}")

    # ------------------------------------------------------------ scene

    def _alpha(self, geom: int) -> float:
        material = self.model.geom_matid[geom]
        rgba = self.model.geom_rgba[geom]
        if material >= 0 and np.array_equal(rgba, [0.5, 0.5, 0.5, 1.0]):
            rgba = self.model.mat_rgba[material]
        return float(rgba[3])

    def _scene(self) -> Record:
        model, scene = self.model, Record(SCENE)
        n, nlight = len(self.geoms), model.nlight + 1
        for name, value in texture_tables(model).items():
            scene.set_array(name, value)
        # shapes and their materials
        for name in ("pos", "texscale", "texshift", "size"):
            scene.set_array(f"shape_{name}", np.zeros((n, 3)))
        scene.set_array("shape_mat", np.zeros((n, 9)))
        scene.set_array("shape_rgba", np.zeros((n, 4)))
        for name in ("bound", "veil", "mirror", "emission", "specular", "shininess"):
            scene.set_array(f"shape_{name}", np.zeros(n))
        scene.set_array("shape_type", model.geom_type[self.geoms].astype(np.int32))
        scene.set_array("shape_texture", np.full(n, -1, np.int32))
        scene.arrays["shape_size"][:] = model.geom_size[self.geoms]
        bound = model.geom_rbound[self.geoms]
        scene.arrays["shape_bound"][:] = np.where(bound > 0.0, bound, 1e15)
        for k, g in enumerate(self.geoms):
            self._material(scene.arrays, k, g)
        # lights
        for name in ("pos", "dir", "ambient", "diffuse", "specular", "attenuation"):
            scene.set_array(f"light_{name}", np.zeros((nlight, 3)))
        for name in ("cutoff", "exponent"):
            scene.set_array(f"light_{name}", np.zeros(nlight))
        for name in ("kind", "shadow"):
            scene.set_array(f"light_{name}", np.zeros(nlight, np.int32))
        self._lights(scene.arrays)
        # camera, picture and sky
        for name, size in (
            ("frame", 12),
            ("centre", 2),
            ("scale", 1),
            ("near", 1),
            ("far", 1),
            ("pixel", 1),
        ):
            scene.set_array(name, np.zeros(size))
        scene.set_array("rgb", self.rgb)
        scene.set_array("depth", self.depths)
        scene.set_array("counter", np.zeros(1, np.int64))
        skies = np.flatnonzero(model.tex_type == TEXTURE_SKYBOX) if model.ntex else []
        sizes = {
            "nshape": n, "nlight": nlight, "across": -(-self.width // WIDTH), "width": WIDTH,
            "height": self.height, "columns": self.width,
            "sky": int(skies[0]) if len(skies) else -1,
        }  # fmt: skip
        for name, value in sizes.items():
            scene.set_size(name, value)
        # clipping planes
        scene.arrays["near"][0] = model.vis.map.znear * model.stat.extent
        scene.arrays["far"][0] = model.vis.map.zfar * model.stat.extent
        return scene

    def _material(self, arrays: dict[str, np.ndarray], k: int, geom: int) -> None:
        """Colour, gloss and texture of shape k."""
        model = self.model
        material = int(model.geom_matid[geom])
        rgba = model.geom_rgba[geom].astype(np.float64)
        arrays["shape_specular"][k], arrays["shape_shininess"][k] = 0.5, 64.0
        if material >= 0:
            if np.array_equal(rgba, [0.5, 0.5, 0.5, 1.0]):
                rgba = model.mat_rgba[material].astype(np.float64)
            arrays["shape_specular"][k] = model.mat_specular[material]
            arrays["shape_shininess"][k] = max(1.0, 128.0 * model.mat_shininess[material])
            arrays["shape_emission"][k] = model.mat_emission[material]
            if model.geom_type[geom] == GEOM_PLANE:
                arrays["shape_mirror"][k] = model.mat_reflectance[material]
            textures = model.mat_texid[material]
            used = textures[textures >= 0]
            if len(used):
                self._texture(arrays, k, geom, material, int(used[0]))
        arrays["shape_rgba"][k] = rgba
        arrays["shape_veil"][k] = 1.0 - rgba[3]

    def _texture(
        self, arrays: dict[str, np.ndarray], k: int, geom: int, material: int, texture: int
    ) -> None:
        """Map from points of shape k to texture coordinates: scale and shift."""
        model = self.model
        arrays["shape_texture"][k] = texture
        size, repeat = model.geom_size[geom], model.mat_texrepeat[material]
        if model.tex_type[texture] != TEXTURE_2D:
            uniform = model.mat_texuniform[material] or model.geom_type[geom] == GEOM_SPHERE
            arrays["shape_texscale"][k] = (
                1.0 if uniform else 1.0 / np.where(size > 0.0, size, size.max())
            )
            return
        for axis in range(2):
            half = size[axis] if size[axis] > 0.0 else 0.0
            if model.mat_texuniform[material] or half == 0.0:
                arrays["shape_texscale"][k, axis] = repeat[axis]
            else:
                arrays["shape_texscale"][k, axis] = 0.5 * repeat[axis] / half
                arrays["shape_texshift"][k, axis] = 0.5 * repeat[axis]

    def _lights(self, arrays: dict[str, np.ndarray]) -> None:
        """Constants of the model's lights; the last light is the one at the camera."""
        model, n = self.model, self.model.nlight
        head = model.vis.headlight
        for name in ("ambient", "diffuse", "specular"):
            values = arrays[f"light_{name}"]
            if n:
                active = model.light_active[:, None] > 0
                values[:n] = np.where(active, getattr(model, f"light_{name}"), 0.0)
            values[n] = np.array(getattr(head, name)) * (head.active > 0)
        arrays["light_attenuation"][:] = [1.0, 0.0, 0.0]
        arrays["light_cutoff"][:] = -1.0
        if n:
            arrays["light_attenuation"][:n] = model.light_attenuation
            spread = np.where(model.light_cutoff >= 90.0, 180.0, model.light_cutoff)
            arrays["light_cutoff"][:n] = np.where(spread >= 180.0, -1.0, np.cos(np.radians(spread)))
            arrays["light_exponent"][:n] = model.light_exponent
            arrays["light_kind"][:n] = (model.light_type == 1).astype(np.int32) * LIGHT_DIRECTIONAL
            arrays["light_shadow"][:n] = model.light_castshadow

    def _work(self) -> Record:
        work = Record(WORK, WIDTH)
        work.set_size("width", WIDTH)
        work.set_array("work", aligned_zeros((NWORK, WIDTH)))
        work.set_array("lane", aligned_zeros((1, WIDTH)))
        work.set_array("out", aligned_zeros((4, WIDTH)))
        work.arrays["lane"][0] = np.arange(WIDTH)
        return work

    # ------------------------------------------------------------ pictures

    def render(
        self,
        data: "Data",
        world: int = 0,
        camera_id: int = -1,
        camera_name: str | None = None,
        camera_config: dict[str, Any] | None = None,
    ) -> np.ndarray:
        """A picture of one world.

        Args:
            data: the worlds; poses of geoms, cameras and lights must have been computed (`forward`
                or `step`).
            world: which one.
            camera_id: camera of the model; -1 for the free camera.
            camera_name: its name, instead of `camera_id`.
            camera_config: settings of the free camera, as Gymnasium's `default_camera_config`.

        Returns:
            uint8 (height, width, 3).

        Raises:
            KeyError: no camera of that name.
            ValueError: no camera of that number, or an unknown setting.
        """
        self._draw(data, world, camera_id, camera_name, camera_config)
        return self.rgb.copy()

    def depth(
        self,
        data: "Data",
        world: int = 0,
        camera_id: int = -1,
        camera_name: str | None = None,
        camera_config: dict[str, Any] | None = None,
    ) -> np.ndarray:
        """Distances along the optical axis (m), float32 (height, width); arguments of `render`."""
        self._draw(data, world, camera_id, camera_name, camera_config)
        return self.depths.copy()

    def __repr__(self) -> str:
        sizes = f"{self.width} x {self.height} pixels"
        return f"<mjenv.Renderer of '{self.model.modelname}': {sizes}>"

    def _draw(self, data: "Data", world, camera_id, camera_name, camera_config) -> None:
        if isinstance(data, View):
            data, world = data.batch, data._world
        view = camera_view(self.model, data, world, camera_id, camera_name, camera_config)
        arrays, n = self.scene.arrays, self.model.nlight
        arrays["shape_pos"][:] = np.asarray(data.geom_xpos[world]).reshape(-1, 3)[self.geoms]
        arrays["shape_mat"][:] = np.asarray(data.geom_xmat[world]).reshape(-1, 9)[self.geoms]
        if n:
            arrays["light_pos"][:n] = np.asarray(data.light_xpos[world]).reshape(-1, 3)
            arrays["light_dir"][:n] = np.asarray(data.light_xdir[world]).reshape(-1, 3)
        arrays["light_pos"][n], arrays["light_dir"][n] = view.pos, view.forward
        arrays["frame"][:] = np.concatenate([view.right, view.up, view.forward, view.pos])
        arrays["centre"][:] = 0.5 * self.width, 0.5 * self.height
        arrays["scale"][0] = arrays["pixel"][0] = 2.0 * np.tan(0.5 * view.fovy) / self.height
        arrays["counter"][0] = 0
        if kernel.interpreted():
            draw(self.scene, self.work[0])
        else:
            share(lambda k: self.run(self.scene.address, self.work[k].address), self.nthread)


def tile(frames: np.ndarray, columns: int | None = None) -> np.ndarray:
    """Many pictures as one.

    Args:
        frames: (n, height, width, 3).
        columns: pictures side by side; by default about as many as below each other.
    """
    frames = np.asarray(frames)
    n, height, width, depth = frames.shape
    columns = columns or int(np.ceil(np.sqrt(n)))
    rows = -(-n // columns)
    canvas = np.zeros((rows * columns, height, width, depth), frames.dtype)
    canvas[:n] = frames
    return (
        canvas.reshape(rows, columns, height, width, depth)
        .swapaxes(1, 2)
        .reshape(rows * height, columns * width, depth)
    )
