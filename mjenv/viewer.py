"""The window of `mjenv view` and `watch`: a model that moves freely, or an environment."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

HELP = "drag: turn   right drag: come closer   space: pause   backspace: start again   escape: quit"


class Viewer:
    """Draws one world, again and again, from a camera that the mouse turns about the model.

    Attributes:
        camera: the free camera; dragging the mouse changes it.
        paused: whether time stands still.
    """

    def __init__(
        self,
        model: "Model",
        data: "Data",
        advance: Callable[[], None],
        restart: Callable[[], None],
        camera: dict[str, Any] | None = None,
        size: tuple[int, int] = (800, 600),
        fps: float = 60.0,
        title: str = "mjenv",
    ):
        """Open the window.

        Args:
            model: the model.
            data: its worlds, of which the first is shown.
            advance: moves the world on by the time of a frame.
            restart: puts the world back to its start.
            camera: settings of the free camera at the start.
            size: width and height (pixels).
            fps: frames per second.
            title: of the window.
        """
        from mjenv.render import Renderer
        from mjenv.render.visual import default_camera
        from mjenv.render.window import Window

        width, height = size
        self.data, self._advance, self._restart = data, advance, restart
        settings = {"azimuth": 90.0, "elevation": -20.0, "distance": 1.5 * model.stat.extent}
        self.camera = default_camera(model, data, settings | (camera or {}))
        self.paused = False
        self._renderer = Renderer(model, height, width)
        self._window = Window(width, height, fps, title)

    def run(self, frames: int | None = None) -> None:
        """Show frames until the window is closed, or so many of them."""
        while not self._window.closed and (frames is None or frames > 0):
            self._follow()
            if self._window.closed:
                break
            if not self.paused:
                self._advance()
            self._renderer.update_scene(self.data, self.camera)
            self._window.show(self._renderer.render())
            frames = None if frames is None else frames - 1
        self.close()

    def close(self) -> None:
        """Close the window."""
        self._window.close()

    def turn(self, right: float, down: float) -> None:
        """Move the camera around the model, by pixels of the mouse."""
        self.camera.azimuth -= 0.4 * right
        self.camera.elevation = max(-89.0, min(89.0, self.camera.elevation - 0.4 * down))

    def approach(self, down: float) -> None:
        """Move the camera towards the model, by pixels of the mouse."""
        self.camera.distance *= 1.01**down

    def _follow(self) -> None:
        """Act on what the user has done since the last frame, however short it was."""
        import pygame

        actions = {
            pygame.K_SPACE: self._pause,
            pygame.K_BACKSPACE: self._restart,
            pygame.K_ESCAPE: self.close,
        }
        for event in self._window.take_events():
            if event.type == pygame.KEYDOWN and event.key in actions:
                actions[event.key]()
            elif event.type == pygame.MOUSEMOTION:
                left, _, right = event.buttons
                if left:
                    self.turn(*event.rel)
                elif right:
                    self.approach(event.rel[1])

    def _pause(self) -> None:
        self.paused = not self.paused


def model_viewer(path: str | Path, fps: float = 60.0) -> Viewer:
    """A viewer of a model file, at real speed and without controls."""
    import mjenv

    model = mjenv.Model.from_xml_path(str(path))
    data = mjenv.Data(model)
    nstep = max(1, round(1.0 / (fps * model.opt.timestep)))

    def restart() -> None:
        mjenv.reset(model, data)
        mjenv.forward(model, data)

    restart()
    fps = 1.0 / (nstep * model.opt.timestep)
    return Viewer(
        model, data, lambda: mjenv.step(model, data, nstep), restart, fps=fps, title=str(path)
    )


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
    """
    import gymnasium

    try:
        env = gymnasium.make(env_id, **{**(env_kwargs or {}), "render_mode": "rgb_array"})
    except TypeError as error:
        raise ValueError(f"{env_id}: {error}") from error
    frames: Any = getattr(env.unwrapped, "mujoco_renderer")  # noqa: B009  the type has no such name
    observation, _ = env.reset(seed=seed)
    env.action_space.seed(seed)

    def reset() -> None:
        nonlocal observation
        observation, _ = env.reset()

    def advance() -> None:
        nonlocal observation
        action = env.action_space.sample() if act is None else act(observation)
        observation, _, terminated, truncated, _ = env.step(action)
        if terminated or truncated:
            reset()

    return Viewer(
        frames.model,
        frames.data,
        advance,
        reset,
        camera=frames.default_cam_config,
        fps=env.metadata["render_fps"],
        title=env_id,
    )
