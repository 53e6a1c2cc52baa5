"""Recorded worlds as a page for browsers: one file, to be turned, stopped and slowed down in it.

The page is viser's player (three.js), which needs no server and no network. Bodies are frames that
move; their geoms and sites hang on them.
"""

import html
import io
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from PIL import Image

import mjenv.training.films.meshes as solids
from mjenv.mju import mat2quat
from mjenv.render.renderer import Renderer
from mjenv.training.films.cameras import camera_of, check_camera
from mjenv.training.films.recording import Recording, Replay
from mjenv.training.films.shot import FPS, PAGE, is_page
from mjenv.training.films.writer import progress
from mjenv.training.runs.files import check_place, whole
from mjenv.visual.cameras import mjv_averageCamera
from mjenv.visual.names import GEOM, OBJ
from mjenv.visual.settings import MjvOption

if TYPE_CHECKING:
    import viser

# which bodies geoms and sites hang on
CARRIERS = {int(OBJ.mjOBJ_GEOM): "geom_bodyid", int(OBJ.mjOBJ_SITE): "site_bodyid"}
HEIGHT = 480  # of the frame in a notebook (pixels)
# the player turns around things of about this size (m), and models are shown in it
EXTENT = 3.0
SKIN = int(GEOM.mjGEOM_SKIN)
LINE, THIN = int(GEOM.mjGEOM_LINE), 0.002


def write_page(
    recording: Recording,
    path: str | Path,
    camera: Sequence[str] = (),
    fps: float = FPS,
    seconds: float | None = None,
    world: int = 0,
) -> int:
    """Write a page that shows one world of a recording.

    Args:
        recording: the recording.
        path: the file, `.html`.
        camera: words for where it is seen from at first, see
            `mjenv.training.films.cameras.check_camera`; where that camera goes along with a
            body, the page does.
        fps: most poses per second.
        seconds: length; None for that of the recording.
        world: which world.

    Returns:
        The number of poses.

    Raises:
        ValueError: there is no such camera or world, or a number is invalid.
        OSError: the file cannot be written.
        ModuleNotFoundError: viser is not installed.
    """
    path = Path(path)
    if not is_page(path):
        raise ValueError(f"page: {str(path)!r} ends with {path.suffix!r}, expected {PAGE}")
    # refused before the page is made, which takes a while
    check_place(path)
    text, count = page(recording, camera, fps, seconds, world)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as partial:
        partial.write_text(text, encoding="utf-8")
    return count


def page(
    recording: Recording,
    camera: Sequence[str] = (),
    fps: float = FPS,
    seconds: float | None = None,
    world: int = 0,
) -> tuple[str, int]:
    """The text of a page, and the number of its poses; the arguments are those of `write_page`."""
    if not 0 <= world < recording.nworld:
        raise ValueError(f"page: world is {world}, expected 0 to {recording.nworld - 1}")
    if not fps > 0:
        raise ValueError(f"page: fps is {fps}, expected more than 0")
    if seconds is not None and not seconds > 0:
        raise ValueError(f"page: seconds is {seconds}, expected more than 0")
    check_camera(recording.model, camera)
    # times of poses, in steps of physics
    timestep = float(recording.model.opt.timestep)
    stride = max(1, math.ceil(1.0 / (timestep * fps) - 1e-9))
    last = recording.nstep * (len(recording) - 1)
    if seconds is not None:
        last = min(last, round(seconds / timestep))
    count = 1 + last // stride
    # the player records what it is told
    with server() as player, progress(count, "page", " poses") as bar:
        record = player.get_scene_serializer()
        stage = Stage(player, recording, camera, world)
        for k in range(count):
            stage.show(k * stride)
            record.insert_sleep(timestep * stride)
            bar.update()
        text = record.as_html()
    title = recording.info.get("env") or recording.model.modelname
    return text.replace("<title>Viser</title>", f"<title>{html.escape(title)}</title>"), count


def notebook(recording: Recording) -> str:
    """The page inside another one, as notebooks show it."""
    try:
        text, _ = page(recording)
    except ModuleNotFoundError as error:
        text = f"{recording!r}\n{error.name}: not installed; pip install 'mjenv[browser]'"
        return f"<pre>{html.escape(text)}</pre>"
    quoted = html.escape(text, quote=True)
    return f'<iframe srcdoc="{quoted}" width="100%" height="{HEIGHT}" style="border:0"></iframe>'


@contextmanager
def server() -> "Iterator[viser.ViserServer]":
    """viser's scene, which belongs to a server; it listens on this machine while pages are made."""
    import viser

    with redirect_stdout(io.StringIO()):
        found = viser.ViserServer(host="127.0.0.1", verbose=False)
    try:
        yield found
    finally:
        with redirect_stdout(io.StringIO()):
            found.stop()


class Stage:
    """A world of a recording in viser's scene.

    Args:
        player: viser.
        recording: the recording.
        camera: words for the camera.
        world: which world.
    """

    def __init__(
        self, player: "viser.ViserServer", recording: Recording, camera: Sequence[str], world: int
    ):
        model, seen = recording.model, recording.info.get("look", {})
        self._player, self._recording, self._world = player, recording, world
        self._scale = EXTENT / max(float(model.stat.extent), 1e-6)
        self._replay = Replay(recording.only(world))
        self._renderer = Renderer(model, 90, 160, limited=False)
        self._camera = camera_of(model, self._replay.data, camera, seen)
        self._option = MjvOption()
        for flag, on in seen.get("flags", {}).items():
            self._option.flags[int(flag)] = on
        places = recording.states[:, world, 1 : 1 + min(3, model.nq)]
        self._reach = 20.0 * float(model.stat.extent) + float(np.abs(places).max(initial=0.0))
        # frames of bodies, and what hangs on them or on nothing
        player.scene.set_up_direction("+z")
        self._root = player.scene.add_frame("/world", show_axes=False)
        self._bodies: list[Any] = []
        self._hanging: list[Any] = []
        self._loose: dict[tuple[int, int], Any] = {}
        self._last: dict[Any, np.ndarray] = {}
        self._begin: np.ndarray | None = None
        self._looks = -1
        if model.nskin:
            warnings.warn("page: skins are not shown", stacklevel=4)

    def show(self, time: int) -> None:
        """Show the world at a time, in steps of physics from the first row."""
        self._replay.go(time)
        data, model = self._replay.data, self._recording.model
        self._renderer.update_scene(data, self._camera, self._option)
        scene = self._renderer.scene
        rows = scene.geom_table[: scene.ngeom]
        rows = rows[rows["type"] != SKIN]
        carried = np.isin(rows["objtype"], list(CARRIERS))
        # the camera stands still, and the world goes by
        eye = mjv_averageCamera(scene.camera[0], scene.camera[1])
        place = np.array(eye.pos, np.float64)
        if self._begin is None:
            self._begin = place
            self._look_from(eye)
        self._put(self._root, self._begin - place, None)
        # bodies, and once what hangs on them
        for k in range(len(self._bodies), model.nbody):
            self._bodies.append(self._player.scene.add_frame(f"/world/{k}", show_axes=False))
        for node, pos, quat in zip(self._bodies, data.xpos[0], data.xquat[0], strict=True):
            self._put(node, pos, quat)
        looks = self._replay.looks
        if looks != self._looks:
            self._looks = looks
            for node in self._hanging:
                node.remove()
            self._hanging = [self._hang(row, k) for k, row in enumerate(rows[carried])]
        self._show_loose(rows[~carried])

    def _look_from(self, eye: Any) -> None:
        """Initial camera of the page."""
        camera, forward = self._player.initial_camera, np.array(eye.forward, np.float64)
        pos = self._scale * np.array(eye.pos, np.float64)
        distance = float(self._camera.distance) or float(self._recording.model.stat.extent)
        distance *= self._scale
        camera.position, camera.look_at = tuple(pos), tuple(pos + distance * forward)
        camera.up = np.array((0.0, 0.0, 1.0) if abs(forward[2]) < 0.99 else eye.up, np.float64)
        if not eye.orthographic:
            camera.fov = float(2.0 * np.arctan(eye.frustum_top / eye.frustum_near))

    def _put(self, node: Any, pos: np.ndarray, quat: np.ndarray | None, size: Any = None) -> None:
        """Move a node; what stays as it was is not said again."""
        for name, value in (("position", pos), ("wxyz", quat), ("scale", size)):
            if value is None:
                continue
            value = np.array(value, np.float64) * (1.0 if name == "wxyz" else self._scale)
            key = (node.name, name)
            if key not in self._last or (self._last[key] != value).any():
                self._last[key] = value
                setattr(node, name, tuple(map(float, value)))

    def _hang(self, row: np.ndarray, k: int) -> Any:
        """Add a geom or a site to the frame of its body."""
        model, data = self._recording.model, self._replay.data
        body = int(getattr(model, CARRIERS[int(row["objtype"])])[row["objid"]])
        turn, origin = data.xmat[0, body].reshape(3, 3), data.xpos[0, body]
        mat = turn.T @ row["mat"].astype(np.float64)
        node = self._add(f"/world/{body}/{self._looks}-{k}", row, row["size"])
        node.position = tuple(map(float, self._scale * (turn.T @ (row["pos"] - origin))))
        node.wxyz = quaternion(mat)
        return node

    def _show_loose(self, rows: np.ndarray) -> None:
        """Show what hangs on no body, as tendons, in nodes of unit size that are used again."""
        shown = set()
        for k, row in enumerate(rows):
            key = (k, int(row["type"]))
            shown.add(key)
            if key not in self._loose:
                self._loose[key] = self._add(f"/world/loose-{k}-{key[1]}", row, None)
            size = row["size"].copy()
            if key[1] == LINE:  # whose width is in pixels
                size[:2] = THIN * EXTENT / self._scale
            self._put(self._loose[key], row["pos"], np.array(quaternion(row["mat"])), size)
        for key, node in self._loose.items():
            if node.visible != (key in shown):
                node.visible = key in shown

    def _add(self, name: str, row: np.ndarray, size: np.ndarray | None) -> Any:
        """Add a shape to viser's scene, of unit size where none is given."""
        model, scene = self._recording.model, self._player.scene
        heights = self._replay.data.of_worlds("hfield_data", slice(None)).reshape(-1)
        solid = solids.of(model, row, size, self._reach, heights)
        if size is not None:
            solid = solid._replace(points=self._scale * solid.points)
        rgba = np.clip(row["rgba"].astype(np.float64), 0.0, 1.0)
        texture = solids.texture_of(model, int(row["matid"]))
        if texture is None or solid.uv is None:
            colour = 255.0 * rgba[:3] * (1.0 if texture is None else texture.mean)
            return scene.add_mesh_simple(
                name,
                solid.points.astype(np.float32),
                solid.faces.astype(np.uint32),
                color=colour.round().astype(np.uint8),
                opacity=None if rgba[3] >= 0.995 else float(rgba[3]),
                flat_shading=solid.flat,
                side="double",
            )
        return scene.add_mesh_trimesh(name, textured(solid, texture, rgba))


def textured(solid: "solids.Solid", texture: "solids.Texture", rgba: np.ndarray) -> Any:
    """A mesh of trimesh, with a picture on it."""
    import trimesh
    from trimesh.visual import TextureVisuals
    from trimesh.visual.material import PBRMaterial

    assert solid.uv is not None
    # colours of materials are linear in glTF
    factor = np.append(rgba[:3] ** 2.2, rgba[3])
    material = PBRMaterial(
        baseColorTexture=Image.fromarray(texture.image),
        baseColorFactor=(255 * factor).round().astype(np.uint8),
        metallicFactor=0.0,
        roughnessFactor=0.8,
        doubleSided=True,
        alphaMode="BLEND" if rgba[3] < 0.995 else "OPAQUE",
    )
    uv = np.column_stack([solid.uv[:, 0], 1.0 - solid.uv[:, 1]])
    return trimesh.Trimesh(
        solid.points,
        solid.faces,
        vertex_normals=solid.normals,
        visual=TextureVisuals(uv=uv, material=material),
        process=False,
    )


def quaternion(mat: np.ndarray) -> tuple[float, float, float, float]:
    """The rotation of a matrix (3, 3), real part first."""
    w, x, y, z = map(float, mat2quat(np.asarray(mat, np.float64)))
    return w, x, y, z
