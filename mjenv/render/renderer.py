"""`Renderer`: pictures of the worlds of a model, with the names of `mujoco.Renderer`."""

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.arguments import whole
from mjenv.engine.data.views import View
from mjenv.engine.errors import a_or_an, nearest
from mjenv.engine.run.in_use import check_idle
from mjenv.engine.simd.threads import available

from ..visual.cameras import eye_in_model, mjv_averageCamera
from ..visual.names import CAMERA, CAT
from ..visual.scene import MjvScene
from ..visual.settings import MjvCamera, MjvOption, mjv_defaultFreeCamera
from ..visual.update import mjv_updateScene
from . import official
from .assets import Assets
from .caster import MUJOCO, NICE, STYLES, Caster, Pictures
from .surroundings import camera_rows, stage
from .tables import StaticTable, shapes_of, shapes_of_worlds
from .worlds import cameras_of_worlds, is_plain, lights_of_worlds
from .writing import write

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

    from ..visual.settings import MjvGLCamera

# what models that can be drawn by the same renderer have in common
_COUNTED = (
    "nbody",
    "njnt",
    "ngeom",
    "nsite",
    "ncam",
    "nlight",
    "nflex",
    "nskin",
    "ntendon",
    "nu",
    "nsensor",
)
RGB, DEPTH, SEGMENTATION = "rgb", "depth", "segmentation"
PLACE = {RGB: "rgb", DEPTH: "depth", SEGMENTATION: "ids"}
KINDS = {RGB: (np.uint8, (3,)), DEPTH: (np.float32, ()), SEGMENTATION: (np.int32, (2,))}


class Renderer:
    """Draws worlds of a model: one with `update_scene` and `render`, many with `render_worlds`.

    Args:
        model: the model, which may be one of the package `mujoco`. Its colours, sizes, lights and
            cameras are read for each picture; after changes of textures, meshes or height fields,
            call `upload_texture`, `upload_mesh` or `upload_hfield`.
        height: rows of a picture.
        width: columns of a picture.
        max_geom: maximum number of abstract geoms of a scene.
        nthread: threads that share the work; None for all processors. Pictures do not depend on it.
            Threads that share a renderer take turns.
        smooth: whether edges are anti-aliased, with four samples per pixel. In a model with
            `<quality offsamples="0"/>` they are only with style="nice".
        style: "mujoco" for pictures like MuJoCo's; "nice" for films and papers: soft shadows,
            ambient occlusion, light of a sky instead of the camera's, a sun where no light casts
            shadows, and filmic tone mapping, at a fourth to a thirtieth of the speed.
        limited: whether the size is limited by `<global offwidth="640" offheight="480"/>`
            (model.vis.global_), as in MuJoCo's renderer; False for any size.

    Raises:
        ValueError: the size is not positive or too large, or there is no such style.
    """

    _made = False  # whether there are all attributes that there will be

    def __init__(
        self,
        model: "Model | Any",
        height: int = 240,
        width: int = 320,
        max_geom: int = 10000,
        nthread: int | None = None,
        smooth: bool = True,
        style: str = MUJOCO,
        limited: bool = True,
    ):
        self._official: Any = None
        # an official MjModel is read as one of ours
        if official.is_official(model, "MjModel"):
            self._official, model = model, official.model_of(model)
        height, width = _size(model, height, width, limited)
        max_geom = whole(max_geom, "Renderer", "max_geom")
        nthread = available() if nthread is None else whole(nthread, "Renderer", "nthread", 1)
        if style not in STYLES:
            raise ValueError(f"Renderer: style={style!r}, expected one of {sorted(STYLES)}")
        # what is drawn, and how
        self._model, self._height, self._width = model, height, width
        self._max_geom, self._smooth = max_geom, smooth
        self._kind, self._style = RGB, style
        self._closed, self._limited = False, limited
        # what stays the same between pictures
        self._scene = MjvScene(model, max_geom)
        self._assets = Assets(model)
        self._static = StaticTable(model, self._assets)
        self._caster = Caster(nthread, style)
        self._turn = threading.RLock()
        self._made = True

    # ------------------------------------------------------------ what there is

    @property
    def model(self) -> "Model | Any":
        """The model."""
        return self._model if self._official is None else self._official

    @property
    def scene(self) -> MjvScene:
        """Scene of the next picture; geoms may be added to it after `update_scene`."""
        return self._scene

    @property
    def height(self) -> int:
        """Rows of a picture."""
        return self._height

    @property
    def width(self) -> int:
        """Columns of a picture."""
        return self._width

    def resize(self, height: int, width: int) -> None:
        """Draw pictures of another size from now on.

        Args:
            height: rows.
            width: columns.

        Raises:
            ValueError: the size is not positive, or too large.
        """
        self._height, self._width = _size(self._model, height, width, self._limited)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._made and name not in self.__dict__:
            getattr(self, name)
            raise AttributeError(f"Renderer.{name}: cannot be assigned; make another Renderer")
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str):
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(f"Renderer: {name}: no such attribute{nearest(name, dir(self))}")

    def __repr__(self) -> str:
        sizes = f"{self.width} x {self.height} pixels"
        return f"<mjenv.Renderer of '{self.model.modelname}': {sizes}>"

    def __reduce__(self):
        arguments = (self._model, self._height, self._width, self._max_geom)
        last = (self._caster.nthread, self._smooth, self._style, self._limited)
        return _remake, (self._kind, *arguments, *last)

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Free all memory; pictures can no longer be drawn. Closing twice is no error."""
        if self._closed:
            return
        self._closed = True
        del self._assets, self._static, self._caster

    # ------------------------------------------------------------ what is drawn

    def enable_depth_rendering(self) -> None:
        """Draw distances from the camera's plane, float32 (height, width), m."""
        self._kind = DEPTH

    def disable_depth_rendering(self) -> None:
        """Draw colours again."""
        self._kind = RGB

    def enable_segmentation_rendering(self) -> None:
        """Draw object numbers and types (mjtObj), int32 (height, width, 2); -1 for nothing."""
        self._kind = SEGMENTATION

    def disable_segmentation_rendering(self) -> None:
        """Draw colours again."""
        self._kind = RGB

    def upload_texture(self, texture: int) -> None:
        """Draw a texture of the model as it is now."""
        self._refuse_closed("upload_texture")
        _check_number("upload_texture", texture, self._model.ntex)
        self._assets.upload_textures()

    def upload_mesh(self, mesh: int) -> None:
        """Draw a mesh of the model as it is now."""
        self._refuse_closed("upload_mesh")
        _check_number("upload_mesh", mesh, self._model.nmesh)
        self._assets.upload_mesh(mesh)

    def upload_hfield(self, hfield: int) -> None:
        """Draw a height field of the model as it is now."""
        self._refuse_closed("upload_hfield")
        _check_number("upload_hfield", hfield, self._model.nhfield)
        self._assets.upload_hfield(hfield)

    # ------------------------------------------------------------ one world

    def update_scene(
        self,
        data: "Data | Any",
        camera: int | str | MjvCamera | Any = -1,
        scene_option: MjvOption | None = None,
        world: int = 0,
    ) -> None:
        """Update the scene from one world.

        Args:
            data: the worlds; poses must have been computed (`forward` or `step`). With a model of
                `mujoco` itself, its data.
            camera: number or name of a camera of the model, -1 for the free camera, or a camera of
                one's own.
            scene_option: what is drawn; None for the default.
            world: which world.

        Raises:
            KeyError: no camera of that name.
            ValueError: no camera of that number, or no such world.
        """
        self._refuse_closed("update_scene")
        data = self._worlds_of(data)
        if isinstance(data, View):
            data, world = data.batch, data._world
        self._refuse_others(data, "update_scene")
        option = official.own_option(scene_option) or MjvOption()
        # a scene may be read by another thread while it is made
        with self._turn:
            self._scene.status = 0
            self._assets.see_terrain(data, world)
            mjv_updateScene(
                self._model, data, option, None, self.camera_of(camera),
                int(CAT.mjCAT_ALL), self._scene, world=world,
            )  # fmt: skip

    def camera_of(self, camera: int | str | MjvCamera) -> MjvCamera:
        """The camera that a name, a number or a camera stands for."""
        camera = official.own_camera(camera)
        if isinstance(camera, MjvCamera):
            return camera
        if isinstance(camera, str):
            number = self._model.camera(camera).id
        elif isinstance(camera, int | np.integer):
            number = int(camera)
        else:
            raise TypeError(
                f"render: camera is {a_or_an(type(camera).__name__)}, expected a number, a name or "
                "an MjvCamera"
            )
        if not -1 <= number < self._model.ncam:
            raise ValueError(
                f"render: camera={number}, expected -1 (free) to {self._model.ncam - 1}"
            )
        found = MjvCamera()
        if number < 0:
            mjv_defaultFreeCamera(self._model, found)
        else:
            found.type, found.fixedcamid = int(CAMERA.mjCAMERA_FIXED), number
        return found

    def render(self, *, out: np.ndarray | None = None) -> np.ndarray:
        """Draw the scene.

        Args:
            out: array to draw into; None for a new one.

        Returns:
            uint8 (height, width, 3); with depth rendering float32 (height, width), m; with
            segmentation int32 (height, width, 2).

        Raises:
            ValueError: there is no scene yet, or the array is of another shape or type.
        """
        self._refuse_closed("render")
        eyes = self._scene.camera
        if eyes[0].frustum_far <= 0.0:
            raise ValueError("render: there is no scene yet; call update_scene first")
        picture = self._room(out, (self._height, self._width), "render")
        self.draw_scene(self._scene, Pictures(**{PLACE[self._kind]: picture[None]}))
        return picture

    def draw_scene(self, scene: MjvScene, out: Pictures, segments: bool = False) -> None:
        """Draw a scene of the model into several kinds of pictures at once.

        Args:
            scene: geoms, lights and cameras; `update_scene` makes the renderer's own.
            out: arrays to draw into, one picture of any size each.
            segments: whether numbers of geoms in the scene (segid) are drawn in the place of those
                of objects; geoms without one are left out.
        """
        self._refuse_closed("draw_scene")
        with self._turn:
            self._draw_eyes(scene, out, segments)

    def _draw_eyes(self, scene: MjvScene, out: Pictures, segments: bool = False) -> None:
        """Draw what is midway between the eyes, or what each sees, into pictures of one world."""
        eyes = scene.camera
        if not scene.stereo:
            self._draw_view(scene, mjv_averageCamera(eyes[0], eyes[1]), out, segments)
            return
        # what the left eye sees, beside what the right one sees
        half = next(array.shape[2] for array in out if array is not None) // 2
        for array, nothing in zip(out, (0, eyes[0].frustum_far, -1), strict=True):
            if array is not None:
                array[:, :, 2 * half :] = nothing
        for k in range(2 if half else 0):
            place = slice(k * half, (k + 1) * half)
            view = Pictures(*(None if a is None else a[:, :, place].copy() for a in out))
            self._draw_view(scene, eyes[k], view, segments)
            for array, part in zip(out, view, strict=True):
                if array is not None:
                    array[:, :, place] = part

    def _draw_view(
        self, scene: MjvScene, eye: "MjvGLCamera", out: Pictures, segments: bool
    ) -> None:
        """Draw what an eye sees of the scene into pictures of one world."""
        size = next(array.shape[1:3] for array in out if array is not None)
        scale = scene.scale if scene.enabletransform else 1.0
        eye = eye_in_model(eye, scene)
        cameras = np.array([tuple(getattr(eye, n) for n in eye.DTYPE.fields or ())], eye.DTYPE)
        lights = scene.light_table[None, : scene.nlight].copy()
        lights["attenuation"] *= scale ** np.arange(3)
        row = camera_rows(cameras, *size)[0]
        shapes = shapes_of(self._model, scene, self._assets, row, segments)
        self._draw(shapes, lights, cameras, scene.flags, out, scale)
        if out.depth is not None and scale != 1.0:
            out.depth[...] *= scale
        if out.rgb is not None:
            write(scene, row, out.rgb[0])

    # ------------------------------------------------------------ many worlds

    def render_worlds(
        self,
        data: "Data | Any",
        camera: int | str | MjvCamera | Any = -1,
        scene_option: MjvOption | None = None,
        *,
        worlds: np.ndarray | slice | None = None,
        out: np.ndarray | None = None,
    ) -> np.ndarray:
        """Draw many worlds at once, in parallel threads.

        Args:
            data: the worlds; poses must have been computed (`forward` or `step`). With a model of
                `mujoco` itself, its data, or a list of them.
            camera: see `update_scene`; its pose is that of each world.
            scene_option: what is drawn; None for the default.
            worlds: indices or a slice; None for all.
            out: array to draw into; None for a new one.

        Returns:
            (n, height, width, 3), or the shape of depth or segmentation rendering.

        Raises:
            KeyError: no camera of that name.
            ValueError: no camera of that number, or the array is of another shape or type.
        """
        self._refuse_closed("render_worlds")
        data = self._worlds_of(data)
        if isinstance(data, View):
            data, worlds = data.batch, np.array([data._world])
        worlds = np.arange(data.nworld)[slice(None) if worlds is None else worlds]
        size = (len(worlds), self._height, self._width)
        pictures = self._room(out, size, "render_worlds")
        self.draw_worlds(
            data, camera, scene_option, worlds, Pictures(**{PLACE[self._kind]: pictures})
        )
        return pictures

    def draw_worlds(
        self,
        data: "Data",
        camera: int | str | MjvCamera,
        scene_option: MjvOption | None,
        worlds: np.ndarray,
        out: Pictures,
    ) -> None:
        """Draw several kinds of pictures of worlds at once.

        Args:
            data: the worlds.
            camera: as for `update_scene`.
            scene_option: what is drawn; None for the default.
            worlds: their numbers, (n,).
            out: arrays to draw into, one picture for each number.
        """
        self._refuse_others(data, "render_worlds")
        option = official.own_option(scene_option) or MjvOption()
        camera = self.camera_of(camera)
        if not len(worlds):
            return
        with self._turn:
            self._draw_some(data, camera, option, worlds, out)

    # ------------------------------------------------------------ parts

    def _worlds_of(self, data: Any) -> Any:
        """The worlds that data stand for: those of `mujoco` itself are seen by their arrays."""
        if not official.official_data(data):
            return data
        if self._official is not None:
            official.refresh(self._model, self._official)
        return official.OfficialWorlds(data, self._model)

    def _draw_some(
        self, data: "Data", camera: MjvCamera, option: MjvOption, worlds: np.ndarray, out: Pictures
    ) -> None:
        """Draw worlds of one's own model, of which there are some."""
        if self._scene.stereo or not is_plain(self._model, option):
            for k, world in enumerate(worlds):
                self.update_scene(data, camera, option, int(world))
                parts = (None if a is None else a[k : k + 1] for a in out)
                self._draw_eyes(self._scene, Pictures(*parts))
            return
        # worlds with terrain of their own are drawn one after the other
        if "hfield_data" in data.varied and len(worlds) > 1:
            for k in range(len(worlds)):
                parts = (None if a is None else a[k : k + 1] for a in out)
                self._draw_some(data, camera, option, worlds[k : k + 1], Pictures(*parts))
            return
        self._assets.see_terrain(data, int(worlds[0]))
        # all worlds need no copies of their poses
        whole = len(worlds) == data.nworld and (np.diff(worlds) == 1).all()
        chosen = slice(None) if whole else worlds
        shapes = shapes_of_worlds(self._static.of(option, data), data, chosen)
        cameras = cameras_of_worlds(self._model, data, chosen, camera)
        lights = lights_of_worlds(self._model, data, chosen, cameras)
        self._draw(shapes, lights, cameras, self._scene.flags, out)

    def _draw(
        self, shapes: Any, lights: Any, cameras: Any, flags: np.ndarray, out: Pictures,
        scale: float = 1.0,
    ) -> None:  # fmt: skip
        """Draw shapes; the scale is that of lengths of the model in its room."""
        size = next(array.shape[1:3] for array in out if array is not None)
        around = stage(self._model, lights, cameras, flags, size, self._style == NICE)
        if around.fog is not None:
            around.fog[:2] /= scale
        smooth = self._smooth and (self._style == NICE or self._model.vis.quality.offsamples > 0)
        self._caster.draw(shapes, around, self._assets, out, smooth)

    def _room(self, out: np.ndarray | None, size: tuple[int, ...], where: str) -> np.ndarray:
        """The array to draw into."""
        dtype, last = KINDS[self._kind]
        shape = (*size, *last)
        if out is None:
            return np.empty(shape, dtype)
        fits = isinstance(out, np.ndarray) and out.shape == shape and out.dtype == dtype
        if not fits or not out.flags.c_contiguous or not out.flags.writeable:
            found = (
                f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
            )
            raise ValueError(
                f"{where}: out is {found}, expected a contiguous, writable {np.dtype(dtype)} "
                f"array {shape}"
            )
        return out

    def _refuse_others(self, data: "Data", where: str) -> None:
        # copies of a model are as good
        other = data.model
        if other is not self._model:
            for name in _COUNTED:
                if getattr(other, name) != getattr(self._model, name):
                    raise ValueError(
                        f"{where}: data of another model: its {name} is {getattr(other, name)}, "
                        f"expected {getattr(self._model, name)}"
                    )
        check_idle(data.plan, where)

    def _refuse_closed(self, where: str) -> None:
        if self._closed:
            raise RuntimeError(f"{where}: the renderer is closed; make another Renderer")


def _remake(kind: str, *arguments: Any) -> Renderer:
    """A renderer that was pickled; its scene is empty."""
    renderer = Renderer(*arguments)
    renderer._kind = kind
    return renderer


def _size(model: "Model", height: int, width: int, limited: bool) -> tuple[int, int]:
    """Height and width, no larger than the model says where they are limited."""
    height = whole(height, "Renderer", "height", 1)
    width = whole(width, "Renderer", "width", 1)
    buffer = model.vis.global_
    for what, found, most in (
        ("width", width, buffer.offwidth),
        ("height", height, buffer.offheight),
    ):
        if limited and found > most:
            raise ValueError(
                f"Image {what} {found} > framebuffer {what} {most}. Either reduce the image {what} "
                "or specify a larger offscreen framebuffer in the model XML using the clause:\n"
                f'<visual>\n  <global off{what}="my_{what}"/>\n</visual>\n'
                f"or model.vis.global_.off{what} = {found}, or Renderer(..., limited=False)"
            )
    return height, width


def _check_number(where: str, number: int, count: int) -> None:
    if not 0 <= number < count:
        raise ValueError(f"{where}: found {number}, expected 0 to {count - 1}")


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
