"""Agents that act by pictures, in an environment that shows none."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.gym.pixels import Eye, settings_of
from mjenv.render.renderer import Renderer
from mjenv.training.learners.recurrent_state import begin
from mjenv.visual.cameras import default_camera

FIRST = np.zeros(1, np.int64)


class PictureActor:
    """Draws what an agent sees of a single environment, and has it act."""

    def __init__(self, env: Any, pixels: dict[str, Any], act: Callable[[Any], Any]):
        """Of an environment without pictures.

        Args:
            env: the environment.
            pixels: settings of the pictures, of one camera.
            act: actions for a picture (height, width, channels).
        """
        settings = settings_of(pixels)
        self._frames, self._agent = env.unwrapped.mujoco_renderer, act
        self._renderer = Renderer(
            self._frames.model, settings.height, settings.width, limited=False
        )
        camera = settings.camera
        found = None if camera is None else self._renderer.camera_of(camera)
        self._eye = Eye(found, settings, 1)

    def forget(self, which: np.ndarray | None = None) -> None:
        """Episodes begin."""
        begin(self._agent, which)

    def act(self, observation: Any) -> Any:
        """The agent's action; it does not look at the observation, but at the world."""
        shown = self._frames
        if self._eye.camera is None:
            self._eye.camera = default_camera(shown.model, shown.data, shown.default_cam_config)
        self._eye.look(self._renderer, shown.data, FIRST, np.ones(1, bool))
        return self._agent(self._eye.colours[0])
