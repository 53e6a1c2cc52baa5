"""The interactive window of `mjenv view`: a model that moves freely, or an environment."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

HELP = "drag: turn   right drag: come closer   space: pause   backspace: start again   escape: quit"


class Viewer:
    """Draws one world, again and again, from a camera that the mouse turns about the model.

    Attributes:
        camera: settings of the free camera; dragging the mouse changes them.
        paused: whether time stands still.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
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
        from mjenv.render.window import Window

        width, height = size
        self.data, self._advance, self._restart = data, advance, restart
        self.camera = {"azimuth": 90.0, "elevation": -20.0, "distance": 1.5 * model.stat.extent}
        self.camera.update(camera or {})
        self.paused = False
        self._renderer = Renderer(model, height, width)
        self._window = Window(width, height, fps, title)
        self._held: set[str] = set()

    def run(self, frames: int | None = None) -> None:
        """Show frames until the window is closed, or so many of them."""
        while not self._window.closed and (frames is None or frames > 0):
            self._follow_mouse()
            self._follow_keys()
            if not self.paused:
                self._advance()
            self._window.show(self._renderer.render(self.data, camera_config=self.camera))
            frames = None if frames is None else frames - 1
        self.close()

    def close(self) -> None:
        """Close the window."""
        self._window.close()

    def turn(self, right: float, down: float) -> None:
        """Move the camera around the model, by pixels of the mouse."""
        self.camera["azimuth"] -= 0.4 * right
        self.camera["elevation"] = max(-89.0, min(89.0, self.camera["elevation"] - 0.4 * down))

    def approach(self, down: float) -> None:
        """Move the camera towards the model, by pixels of the mouse."""
        self.camera["distance"] *= 1.01**down

    def _follow_mouse(self) -> None:
        import pygame

        left, _, right = pygame.mouse.get_pressed()
        x, y = pygame.mouse.get_rel()
        if left:
            self.turn(x, y)
        elif right:
            self.approach(y)

    def _follow_keys(self) -> None:
        """Act on keys once, when they go down."""
        import pygame

        pressed = pygame.key.get_pressed()
        keys = {"space": pygame.K_SPACE, "back": pygame.K_BACKSPACE, "escape": pygame.K_ESCAPE}
        down = {name for name, key in keys.items() if pressed[key]}
        new, self._held = down - self._held, down
        if "space" in new:
            self.paused = not self.paused
        if "back" in new:
            self._restart()
        if "escape" in new:
            self.close()


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


def environment_viewer(env_id: str, seed: int = 0) -> Viewer:
    """A viewer of an environment under random actions."""
    import gymnasium

    env = gymnasium.make(env_id, render_mode="rgb_array")
    frames: Any = getattr(env.unwrapped, "mujoco_renderer")  # noqa: B009  the type has no such name
    env.reset(seed=seed)
    env.action_space.seed(seed)

    def advance() -> None:
        _, _, terminated, truncated, _ = env.step(env.action_space.sample())
        if terminated or truncated:
            env.reset()

    return Viewer(
        frames.model,
        frames.data,
        advance,
        lambda: env.reset() and None,
        camera=frames.default_cam_config,
        fps=env.metadata["render_fps"],
        title=env_id,
    )
