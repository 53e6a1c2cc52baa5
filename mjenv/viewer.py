"""The window: `launch` shows a model that moves by itself, `launch_passive` one that you step."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mjenv.engine.data.views import View
from mjenv.engine.errors import UnsupportedFeature
from mjenv.viewing.keys import summary
from mjenv.viewing.simulations import EnvironmentSimulation, ModelSimulation
from mjenv.viewing.viewer import Viewer

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model
    from mjenv.visual.scene import MjvScene
    from mjenv.visual.settings import MjvCamera, MjvOption, MjvPerturb

HELP = summary()
RATE = 1 / 60  # s between pictures of a passive window, at least
STEADY = 0.1  # s between them, at most, for one to be drawn while the world is stepped


# places of words, by mjtGridPos
CORNERS = (
    "top left", "top right", "bottom left", "bottom right", "top", "bottom", "left", "right",
)  # fmt: skip


class Rectangle(NamedTuple):
    """A part of the window, pixels from its lower left corner, as MuJoCo's MjrRect."""

    left: int
    bottom: int
    width: int
    height: int


def launch(model: "Model", data: "Data | None" = None) -> None:
    """Show a model in a window, moving at real speed, until the window is closed.

    Args:
        model: the model.
        data: its worlds, of which the first is shown and all move; None for one world in its
            initial state.

    Raises:
        OSError: there is no display.
        TypeError: no model, or no data.
    """
    data = data.batch if isinstance(data, View) else data
    _check("launch", model, data)
    Viewer(ModelSimulation(model, data)).run()


def launch_from_path(path: str | Path) -> None:
    """Show the model of a file in a window until it is closed; edits of the file are seen.

    Raises:
        ValueError: the file is no model.
        OSError: it cannot be read, or there is no display.
    """
    model_viewer(path).run()


def launch_passive(
    model: "Model",
    data: "Data",
    *,
    key_callback: Callable[[int], object] | None = None,
    world: int = 0,
    size: tuple[int, int] = (1024, 768),
) -> "Handle":
    """Show a world that you step yourself: `sync` of the handle shows how it is now.

    The window has no thread of its own: it obeys its user, and calls `key_callback`, in `sync`.

    Args:
        model: the model.
        data: its worlds, or the view of one.
        key_callback: called with GLFW's number of each key that goes down (ord("A") for a).
        world: which world.
        size: width and height of the window (pixels).

    Raises:
        OSError: there is no display.
        TypeError: no model, or no data.
        ValueError: no such world, or no such size.
    """
    if isinstance(data, View):
        data, world = data.batch, data._world
    _check("launch_passive", model, data)
    return Handle(
        Viewer(model=model, data=data, world=world, size=size, fps=0, key_callback=key_callback)
    )


def _check(where: str, model: Any, data: Any) -> None:
    """Refuse what is no model, or no data."""
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

    kinds = (Data, type(None)) if where == "launch" else (Data,)
    for name, value, expected in (("model", model, (Model,)), ("data", data, kinds)):
        if not isinstance(value, expected):
            raise TypeError(
                f"{where}: {name} is {type(value).__name__}, expected mjenv.{expected[0].__name__}"
            )


class Handle:
    """A window on a world that is stepped by whoever has the handle; also a context manager."""

    def __init__(self, viewer: Viewer):
        self._viewer = viewer
        self._shown = -RATE

    @property
    def m(self) -> "Model":
        """The model."""
        return self._viewer.model

    @property
    def d(self) -> "Data":
        """Its worlds."""
        return self._viewer.data

    @property
    def viewport(self) -> Rectangle:
        """The rectangle of the picture."""
        return Rectangle(0, 0, *self._viewer.size)

    @property
    def cam(self) -> "MjvCamera":
        """The camera."""
        return self._viewer.cam

    @property
    def opt(self) -> "MjvOption":
        """The options of the visualizer."""
        return self._viewer.opt

    @property
    def perturb(self) -> "MjvPerturb":
        """The selection and its perturbation."""
        return self._viewer.pert

    @property
    def user_scn(self) -> "MjvScene":
        """Geoms that are shown besides: the first `ngeom` of `geoms`."""
        return self._viewer.user_scn

    def is_running(self) -> bool:
        """True if the window is open."""
        return not self._viewer.closed

    def sync(self, state_only: bool = False) -> None:
        """Obey the user and show the world as it is now; at most 60 times a second, else nothing.

        When this is called ten times a second or more, a picture is drawn while the world is
        stepped, and shown in the call after.

        While the user pulls a body, its row of `data.xfrc_applied` is set. Nothing happens once the
        window is closed.

        Args:
            state_only: as in MuJoCo, where it leaves a copy of the model as it is; here nothing is
                copied, and edits of the model are seen either way.
        """
        viewer = self._viewer
        now = viewer.real_time.clock()
        if viewer.closed or now - self._shown < RATE:
            return
        viewer.steady, self._shown = now - self._shown < STEADY, now
        viewer._mouse.push()
        viewer.changed = True
        viewer.frame()

    def set_texts(self, texts: Any) -> None:
        """Show words over the picture, until others are set.

        Args:
            texts: pairs of left and right words, or, as in MuJoCo, one or a list of tuples (font,
                corner, left, right): corners are mjtGridPos, None is the upper left one and no
                words, and there is one font.

        Raises:
            ValueError: a row of another length, or no such corner.
        """
        rows = []
        # one text, as MuJoCo's function takes it, or several
        for text in [texts] if isinstance(texts, tuple) else texts:
            if len(text) not in (2, 4):
                raise ValueError(
                    f"set_texts: found {text!r}, expected (left, right) or "
                    "(font, corner, left, right)"
                )
            *before, left, right = text
            corner = int(before[1]) if before and before[1] is not None else 0
            if not 0 <= corner < len(CORNERS):
                raise ValueError(f"set_texts: corner {corner}, expected 0 to {len(CORNERS) - 1}")
            words = ("" if word is None else str(word) for word in (left, right))
            rows.append((CORNERS[corner], *words))
        self._viewer.texts = rows

    def clear_texts(self) -> None:
        """Show no words."""
        self._viewer.texts = []

    def set_images(self, viewports_images: Any) -> None:
        """Show images over the picture, until others are set.

        Args:
            viewports_images: one or a list of pairs: where, `left, bottom, width, height` as a
                tuple or as attributes (pixels, from the lower left corner of the window), and
                what, uint8 (height, width, 3).

        Raises:
            ValueError: an image of another size.
        """
        pairs = [viewports_images] if isinstance(viewports_images, tuple) else viewports_images
        images = []
        for where, image in pairs:
            names = Rectangle._fields
            place = where if isinstance(where, tuple) else [getattr(where, n) for n in names]
            place = Rectangle(*(int(number) for number in place))
            expected = (place.height, place.width, 3)
            if np.shape(image) != expected:
                raise ValueError(f"set_images: image is {np.shape(image)}, expected {expected}")
            images.append((place, np.array(image, np.uint8)))
        self._viewer.images = images

    def clear_images(self) -> None:
        """Show no images."""
        self._viewer.images = []

    def set_figures(self, viewports_figures: Any) -> None:
        """Figures are not drawn: draw them with matplotlib, and show them with `set_images`.

        Raises:
            UnsupportedFeature: always.
        """
        raise UnsupportedFeature(
            "set_figures: figures are not drawn; set_images shows those of matplotlib"
        )

    def clear_figures(self) -> None:
        """There are none."""

    def update_texture(self, texid: int) -> None:
        """Draw a texture of the model as it is now; nothing once the window is closed.

        Raises:
            ValueError: no such texture.
        """
        self._viewer.upload("texture", texid)

    def update_mesh(self, meshid: int) -> None:
        """Draw a mesh of the model as it is now; nothing once the window is closed.

        Raises:
            ValueError: no such mesh.
        """
        self._viewer.upload("mesh", meshid)

    def update_hfield(self, hfieldid: int) -> None:
        """Draw a height field of the model as it is now; nothing once the window is closed.

        Raises:
            ValueError: no such height field.
        """
        self._viewer.upload("hfield", hfieldid)

    def lock(self) -> AbstractContextManager[None]:
        """For programs that lock MuJoCo's window: there is no other thread to wait for."""
        return nullcontext()

    def close(self) -> None:
        """Close the window; closing twice is no error."""
        self._viewer.close()

    def __enter__(self) -> "Handle":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def model_viewer(path: str | Path, camera: Sequence[str] = ()) -> Viewer:
    """A viewer of a model file, at real speed and without controls.

    Args:
        path: the file.
        camera: words for the camera, see `mjenv.training.films.cameras.check_camera`; none for the
            free one.

    Raises:
        ValueError: the file is no model, or has no such camera.
        OSError: it cannot be read, or there is no display.
    """
    return Viewer(ModelSimulation(path=path, camera=camera))


def environment_viewer(
    env_id: str,
    seed: int = 0,
    env_kwargs: dict[str, Any] | None = None,
    act: Callable[[Any], Any] | None = None,
    camera: Sequence[str] = (),
) -> Viewer:
    """A viewer of an environment.

    Args:
        env_id: the environment.
        seed: of the first reset and of random actions.
        env_kwargs: keyword arguments of the environment.
        act: actions for observations; None for random actions.
        camera: words for the camera, see `mjenv.training.films.cameras.check_camera`; none for one
            that goes with what travels.

    Raises:
        ValueError: the environment does not take these arguments, or has no such camera.
        OSError: there is no display.
    """
    import gymnasium

    from mjenv.gym.lookup import refuse_vector_only

    refuse_vector_only(env_id)
    options = {**(env_kwargs or {}), "render_mode": "rgb_array"}
    pixels = None if act is None else options.pop("pixels", None)
    try:
        env = gymnasium.make(env_id, **options)
    except TypeError as error:
        raise ValueError(f"{env_id}: {error}") from error
    if act is not None and pixels is not None:
        from mjenv.viewing.picture_actor import PictureActor

        act = PictureActor(env, pixels, act).act
    return Viewer(EnvironmentSimulation(env, act, seed, env_id, camera))
