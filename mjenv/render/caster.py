"""Draws tables of shapes, lights and cameras: the host's side of the ray caster."""

from functools import partial
from typing import NamedTuple
from weakref import ref

import numpy as np

from mjenv.engine.simd import kernel
from mjenv.engine.simd.progress import progress
from mjenv.engine.simd.record import SINGLE, Record, aligned_zeros
from mjenv.engine.simd.signals import watched
from mjenv.engine.simd.threads import share

from .assets import Assets
from .layouts import (
    AT_LOOK,
    HALO,
    KEY_SIDE,
    LANES,
    LIGHT,
    PAINT,
    RAY,
    SCENE,
    SLOTS,
    STOPPED,
    TILE,
    VIEWS,
    WORK,
)
from .nice_style import draw_nice, paint_nice
from .prepare import CAMERA
from .rays import KIND_CONE, KIND_TRIANGLES
from .shade import paint
from .tiles import PARTS, draw


class Shapes(NamedTuple):
    """A table of shapes in W worlds; an array that all worlds share has a first axis of 1.

    Attributes:
        kind: geom types, or KIND_CONE, KIND_TRIANGLES, KIND_TRIANGLE, (n,).
        pos: (W, n, 3), m.
        mat: rotation matrices, (W, n, 9).
        size: as in mjvGeom, (W or 1, n, 3), m.
        rgba: (W or 1, n, 4).
        matter: emission, specular, shininess and reflectance, (W or 1, n, 4).
        shown: whether a shape is there, bool (W or 1, n).
        caster: whether it throws shadows, (n,).
        glows: 1 where light means nothing to it, 2 where it is seen from both sides, (n,).
        mesh: number among the trees of `Assets`, (n,).
        bound: radius of the ball around its triangles, (n,), m.
        texture: -1 where it has none, (n,).
        mapping: how the texture lies on it, (n,).
        texscale: (n, 3).
        object_id: (n,).
        object_type: (n,).
    """

    kind: np.ndarray
    pos: np.ndarray
    mat: np.ndarray
    size: np.ndarray
    rgba: np.ndarray
    matter: np.ndarray
    shown: np.ndarray
    caster: np.ndarray
    glows: np.ndarray
    mesh: np.ndarray
    bound: np.ndarray
    texture: np.ndarray
    mapping: np.ndarray
    texscale: np.ndarray
    object_id: np.ndarray
    object_type: np.ndarray


# numbers as kernels read them
_INTEGERS = (
    *("kind", "caster", "glows", "mesh", "texture", "mapping"),
    *("object_id", "object_type"),
)
_ELEMENTS = {
    **dict.fromkeys(_INTEGERS, np.int32),
    **dict.fromkeys(("size", "rgba", "matter", "bound", "texscale"), np.float32),
    **dict.fromkeys(("pos", "mat"), np.float64),
    "shown": np.uint8,
}


def as_read(shapes: Shapes) -> Shapes:
    """The same table with arrays as kernels read them; those that are so already stay."""
    return Shapes(*(
        np.ascontiguousarray(array, _ELEMENTS[name])
        for name, array in zip(Shapes._fields, shapes, strict=True)
    ))  # fmt: skip


class Stage(NamedTuple):
    """Surroundings of the shapes: lights, cameras, sky, fog.

    Attributes:
        light: (W or 1, nlight, LIGHT), see `light_rows`.
        light_kind: (nlight,).
        light_shadow: whether a light throws shadows, (nlight,).
        camera: (W or 1, CAMERA), see `camera_row`.
        ortho: whether rays are parallel.
        sky: texture of the sky, or -1.
        haze: width, colour and depth of the haze (5,); width 0 for none.
        fog: begin and end (m) and colour (5,), or None.
        corner_reach: how far corners reach that get less light (m), where the style has such.
        skylight: light that comes from all of the sky, red, green, blue, where the style has such.
        shadows, reflections, textures, lights, cull: whether there are any.
        additive: whether what is clear adds its colour, and takes nothing of what is behind it.
    """

    light: np.ndarray
    light_kind: np.ndarray
    light_shadow: np.ndarray
    camera: np.ndarray
    ortho: bool = False
    sky: int = -1
    haze: np.ndarray = np.zeros(5)
    fog: np.ndarray | None = None
    corner_reach: float = 1.0
    skylight: np.ndarray = np.zeros(3)
    shadows: bool = True
    reflections: bool = True
    textures: bool = True
    lights: bool = True
    cull: bool = True
    additive: bool = False


class Pictures(NamedTuple):
    """Arrays for pictures; None for those not wanted.

    Attributes:
        rgb: uint8 (W, height, width, 3).
        depth: float32 (W, height, width), m.
        ids: int32 (W, height, width, 2), object id and type; -1 where there is nothing.
    """

    rgb: np.ndarray | None = None
    depth: np.ndarray | None = None
    ids: np.ndarray | None = None


MUJOCO, NICE = "mujoco", "nice"
# what draws tiles, and what lights points for it
STYLES = {MUJOCO: (draw, paint), NICE: (draw_nice, paint_nice)}
_RECORDS = ((SCENE, SINGLE, True), (WORK, SINGLE, False))
PLANE, BOX = 0, 6
CONVEX = np.isin(np.arange(256), (0, 2, 3, 4, 5, 6, KIND_CONE))  # by kind


class Caster:
    """Draws pictures in threads.

    Args:
        nthread: how many; pictures do not depend on it.
        style: one of `STYLES`.
    """

    def __init__(self, nthread: int, style: str = MUJOCO):
        self.nthread = nthread
        self.kernel, lights = STYLES[style]
        kernel.prepare([(function, *_RECORDS) for function in STYLES[style]])
        self.scene = Record(SCENE, SINGLE)
        self.scene.set_size("paint", kernel.address(lights, *_RECORDS))
        self.scene.set_array("counter", np.zeros(1, np.int64))
        self.kinds: np.ndarray | None = None  # of the shapes that were entered last
        self.work: list[Record] = []
        self.room: tuple[int, ...] = ()
        self._errors: list[BaseException] = []
        me = ref(self)
        self._looking, look = kernel.callback(
            lambda: me()._looked(), lambda error: me()._fail(error)
        )
        self.scene.set_size("look", look)
        if not kernel.interpreted():
            entry = kernel.address(self.kernel, *_RECORDS)
            progress.done()
            self.run = kernel.callable_at(entry, 2)

    def draw(
        self, shapes: Shapes, stage: Stage, assets: Assets, out: Pictures, smooth: bool = True
    ) -> None:
        """Draw all worlds.

        Args:
            shapes: what is there.
            stage: lights, cameras, sky.
            assets: textures and triangles.
            out: arrays to draw into.
            smooth: whether edges are.
        """
        first = next(array for array in out if array is not None)
        nworld, height, width = first.shape[:3]
        n, nlight = len(shapes.kind), len(stage.light_kind)
        shapes = as_read(shapes)
        self._enter_shapes(shapes, assets)
        self._enter_stage(stage, shapes)
        for name, array in zip(("rgb", "depth", "ids"), out, strict=True):
            dtype = {"rgb": np.uint8, "depth": np.float32, "ids": np.int32}[name]
            self.scene.set_array(name, np.zeros(1, dtype) if array is None else array)
            self.scene.set_size(f"want_{name}", array is not None)
        # pixels are stored four at a time where their bytes make whole words
        rgb = self.scene.arrays["rgb"]
        words = width % 4 == 0 and rgb.size % 4 == 0 and rgb.ctypes.data % 4 == 0
        flat = rgb.reshape(-1)
        self.scene.set_array("rgb_word", flat.view(np.int32) if words else np.zeros(1, np.int32))
        self.scene.set_size("words", words)
        # a thread takes a row of tiles, or small pictures as a whole
        band = TILE if nworld < 4 * self.nthread and height > TILE else TILE * -(-height // TILE)
        sizes = {
            "nworld": nworld, "nshape": n, "npack": -(-n // LANES), "nlight": nlight,
            "height": height, "width": width, "smooth": smooth,
            "band": band, "nband": -(-height // band),
        }  # fmt: skip
        for name, value in sizes.items():
            self.scene.set_size(name, value)
        self._reserve_capacity(n, nlight, assets.depth)
        self.scene.arrays["counter"][0] = 0
        if kernel.interpreted():
            self.kernel(self.scene, self.work[0])
            return
        self._draw_bands(nworld * sizes["nband"])

    def _draw_bands(self, nband: int) -> None:
        """Draw bands of tiles in threads; signals are looked for on the way."""
        at = self.work[0].arrays["at"]
        works = self.work[: min(self.nthread, nband)]
        calls = [partial(self.run, self.scene.address, work.address) for work in works]
        run = partial(share, calls, self._stop)
        watched(run, lambda: at.__setitem__(AT_LOOK, 1))
        if self._errors:
            error = self._errors[0]
            self._errors.clear()
            raise error

    def _looked(self) -> None:
        """Called by the thread that is to look for signals, whose handlers have run."""
        self.work[0].arrays["at"][AT_LOOK] = 0

    def _fail(self, error: BaseException) -> None:
        """Have an error of a signal's handler raised when all threads have stopped."""
        self._errors.append(error)
        self._stop()

    def _stop(self) -> None:
        """Have all threads stop after the tile that they draw."""
        self.scene.arrays["counter"][0] = STOPPED

    def _enter_shapes(self, shapes: Shapes, assets: Assets) -> None:
        scene, n = self.scene, len(shapes.kind)
        for name, array in zip(Shapes._fields, shapes, strict=True):
            entry = "shape_mesh" if name == "mesh" else name
            if scene.arrays.get(entry) is not array:
                scene.set_array(entry, array)
        if self.kinds is not shapes.kind:
            self.kinds = shapes.kind
            convex = CONVEX[shapes.kind]
            of_triangles = shapes.kind == KIND_TRIANGLES
            convex[of_triangles] = assets.convex[shapes.mesh[of_triangles]]
            scene.set_array("convex", convex.astype(np.int32))
        for name, step in (
            *(("pos", "pose"), ("size", "size"), ("rgba", "rgba")),
            *(("matter", "matter"), ("shown", "shown")),
        ):
            array = getattr(shapes, name)
            per_shape = 1 if name in ("pos", "shown") else array.shape[-1]
            scene.set_size(f"step_{step}", n * per_shape if len(array) > 1 else 0)
        for name, array in assets.arrays.items():
            if scene.arrays.get(name) is not array:
                scene.set_array(name, array)

    def _enter_stage(self, stage: Stage, shapes: Shapes) -> None:
        scene = self.scene
        scene.set_array("light", np.ascontiguousarray(stage.light, np.float64))
        scene.set_array("light_kind", np.ascontiguousarray(stage.light_kind, np.int32))
        scene.set_array("light_shadow", np.ascontiguousarray(stage.light_shadow, np.int32))
        scene.set_array("camera", np.ascontiguousarray(stage.camera, np.float64))
        scene.set_array("haze", np.ascontiguousarray(stage.haze, np.float32))
        fog = np.zeros(5) if stage.fog is None else stage.fog
        scene.set_array("fog_range", np.ascontiguousarray(fog, np.float32))
        scene.set_array("corner_reach", np.array([stage.corner_reach], np.float32))
        scene.set_array("skylight", np.ascontiguousarray(stage.skylight, np.float32))
        # the first thing that mirrors is the only one
        flat = (shapes.kind == PLANE) | (shapes.kind == BOX)
        mirrors = flat & (shapes.matter[..., 3] > 0.0).any(axis=0)
        first = np.flatnonzero(mirrors)
        # haze belongs to the first endless plane
        endless = (shapes.kind == PLANE) & (shapes.size[0, :, 0] <= 0) & (shapes.size[0, :, 1] <= 0)
        hazy = np.flatnonzero(endless)
        hazed = stage.sky >= 0 and stage.haze[0] > 0 and len(hazy)
        sizes = {
            "step_light": len(stage.light_kind) if len(stage.light) > 1 else 0,
            "step_camera": CAMERA if len(stage.camera) > 1 else 0,
            "ortho": stage.ortho, "sky": stage.sky, "fog": stage.fog is not None,
            "shadows": stage.shadows, "texture_on": stage.textures, "light_on": stage.lights,
            "cull": stage.cull, "additive": stage.additive,
            "haze_shape": int(hazy[0]) if hazed else -1,
            "mirror_shape": int(first[0]) if len(first) and stage.reflections else -1,
        }  # fmt: skip
        for name, value in sizes.items():
            scene.set_size(name, int(value))

    def _reserve_capacity(self, n: int, nlight: int, depth: int) -> None:
        """Have each thread's tables large enough."""
        room = (n, nlight, depth)
        if self.room and all(a <= b for a, b in zip(room, self.room, strict=True)):
            return
        self.room = tuple(max(a, b) for a, b in zip(room, self.room or room, strict=True))
        self.work = [self._work(*self.room) for _ in range(self.nthread)]

    def _work(self, n: int, nlight: int, depth: int) -> Record:
        n, npack = max(n, 1), max(1, -(-n // LANES))
        # arrays shared by the lanes: shapes, cameras, lights
        work = Record(WORK, SINGLE)
        shared = {
            "centre": 3 * n, "turn": 9 * n, "ray": VIEWS * n * RAY, "sight": 12 * VIEWS, "lens": 6,
            "colour": 4 * n, "extent": 3 * n, "matter": 4 * n, "lamp": LIGHT * max(nlight, 1),
            "key": KEY_SIDE * KEY_SIDE,
        }  # fmt: skip
        for name, size in shared.items():
            work.set_array(name, aligned_zeros((size,), np.float32))
        # lists that shapes are sorted into
        for name, size in {
            "at": 8, "clear": n, "around": n, "order": n, "listed": 2 * VIEWS * n + npack,
            "count": 2 * VIEWS, "stack": 2 * depth + 8, "word": LANES,
        }.items():  # fmt: skip
            work.set_array(name, aligned_zeros((size,), np.int32))
        # one number for each lane: rays of a square of pixels
        for name, rows in {
            "lane": 6, "ball": 4 * npack, "caster_ball": 4 * npack, "frame": 4 * VIEWS * npack,
            "fence": 4 * VIEWS * npack, "pack": PARTS * SLOTS, "out": 5, "paint": PAINT,
        }.items():  # fmt: skip
            work.set_array(name, aligned_zeros((rows, LANES), np.float32))
        # a ball of negative radius is seen by nobody: the end of a pack
        for name in ("ball", "caster_ball"):
            work.arrays[name][3::4] = -1.0
        # places of the lanes' pixels in their square
        lane, square = np.arange(LANES), work.arrays["lane"]
        square[0], square[1] = lane % 4, lane // 4
        square[2], square[5] = lane, lane
        return work


assert HALO == 4
