"""The window: `launch` shows a model that moves by itself, `launch_passive` one that you step."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mjenv.engine.views import View
from mjenv.viewing.keys import summary
from mjenv.viewing.subjects import EnvironmentSubject, ModelSubject
from mjenv.viewing.viewer import Viewer

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model
    from mjenv.render.visual.scene import MjvScene
    from mjenv.render.visual.settings import MjvCamera, MjvOption, MjvPerturb

HELP = summary()
RATE = 1 / 60  # s between pictures of a passive window, at least
STEADY = 0.1  # s between them, at most, for one to be drawn while the world is stepped


def launch(model: "Model", data: "Data | None" = None) -> None:
    """Show a model in a window, moving at real speed, until the window is closed.

    Args:
        model: the model.
        data: its worlds, of which the first is shown and all move; None for one world in its
            initial state.

    Raises:
        OSError: there is no display.
    """
    Viewer(ModelSubject(model, data.batch if isinstance(data, View) else data)).run()


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
        ValueError: no such world.
    """
    if isinstance(data, View):
        data, world = data.batch, data._world
    return Handle(
        Viewer(model=model, data=data, world=world, size=size, fps=0, key_callback=key_callback)
    )


class Handle:
    """A window on a world that is stepped by whoever has the handle; also a context manager."""

    def __init__(self, viewer: Viewer):
        self._viewer = viewer
        self._shown = -RATE

    @property
    def cam(self) -> "MjvCamera":
        """The camera."""
        return self._viewer.cam

    @property
    def opt(self) -> "MjvOption":
        """What is drawn."""
        return self._viewer.opt

    @property
    def perturb(self) -> "MjvPerturb":
        """What is selected and pulled."""
        return self._viewer.pert

    @property
    def user_scn(self) -> "MjvScene":
        """Geoms that are shown besides: the first `ngeom` of `geoms`."""
        return self._viewer.user_scn

    def is_running(self) -> bool:
        """Whether the window is open."""
        return not self._viewer.closed

    def sync(self) -> None:
        """Obey the user and show the world as it is now; at most 60 times a second, else nothing.

        When this is called ten times a second or more, a picture is drawn while the world is
        stepped, and shown in the call after.

        While the user pulls a body, its row of `data.xfrc_applied` is set. Nothing happens once the
        window is closed.
        """
        viewer = self._viewer
        now = viewer.pace.clock()
        if viewer.closed or now - self._shown < RATE:
            return
        viewer.steady, self._shown = now - self._shown < STEADY, now
        viewer._mouse.push()
        viewer.changed = True
        viewer.frame()

    def set_texts(self, texts: list[tuple[str, str]]) -> None:
        """Show pairs of words in a corner, until others are set."""
        self._viewer.texts = [(str(a), str(b)) for a, b in texts]

    def clear_texts(self) -> None:
        """Show no words."""
        self._viewer.texts = []

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


def model_viewer(path: str | Path) -> Viewer:
    """A viewer of a model file, at real speed and without controls.

    Raises:
        ValueError: the file is no model.
        OSError: it cannot be read, or there is no display.
    """
    return Viewer(ModelSubject(path=path))


def environment_viewer(
    env_id: str,
    seed: int = 0,
    env_kwargs: dict[str, Any] | None = None,
    act: Callable[[Any], Any] | None = None,
) -> Viewer:
    """A viewer of an environment.

    Args:
        env_id: the environment.
        seed: of the first reset and of random actions.
        env_kwargs: keyword arguments of the environment.
        act: actions for observations; None for random actions.

    Raises:
        ValueError: the environment does not take these arguments.
        OSError: there is no display.
    """
    import gymnasium

    try:
        env = gymnasium.make(env_id, **{**(env_kwargs or {}), "render_mode": "rgb_array"})
    except TypeError as error:
        raise ValueError(f"{env_id}: {error}") from error
    return Viewer(EnvironmentSubject(env, act, seed, env_id))
