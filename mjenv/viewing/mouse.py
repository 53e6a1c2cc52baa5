"""The mouse: moves the camera, selects bodies, pulls and turns them; as in MuJoCo's window."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.visual.cameras import mjv_moveCamera
from mjenv.visual.interaction import (
    Selection,
    mjv_applyPerturbForce,
    mjv_applyPerturbPose,
    mjv_initPerturb,
    mjv_movePerturb,
    mjv_select,
)
from mjenv.visual.names import CAMERA, MOUSE, PERT

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model
    from mjenv.visual.scene import MjvScene
    from mjenv.visual.settings import MjvCamera, MjvOption, MjvPerturb

LEFT, MIDDLE, RIGHT = 1, 2, 3  # pygame's numbers of buttons
TURN, SHIFT, ZOOM = (int(MOUSE[f"mjMOUSE_{n}"]) for n in ("ROTATE_V", "MOVE_V", "ZOOM"))
LEVEL = {
    TURN: int(MOUSE.mjMOUSE_ROTATE_H), SHIFT: int(MOUSE.mjMOUSE_MOVE_H), ZOOM: ZOOM,
}  # with shift  # fmt: skip
TRANSLATE, ROTATE = int(PERT.mjPERT_TRANSLATE), int(PERT.mjPERT_ROTATE)
WHEEL = 0.05  # way of a notch, in heights of the picture
QUICK, NEAR = 0.4, 5  # s and pixels between the clicks of a double click


class Mouse:
    """Acts on a camera and a perturbation.

    Args:
        model, data, world: what is shown.
        scn: the scene of the picture.
        cam, opt, pert: what it is made with; the camera and the perturbation are changed.
    """

    def __init__(
        self, model: "Model", data: "Data", world: int, scn: "MjvScene", cam: "MjvCamera",
        opt: "MjvOption", pert: "MjvPerturb",
    ):  # fmt: skip
        self.model, self.data, self.world, self.scn = model, data, world, scn
        self.cam, self.opt, self.pert = cam, opt, pert
        self._clicked: tuple[int, float, tuple[int, int]] | None = None
        self._down = False

    @property
    def pulls(self) -> bool:
        """True if a body is pulled or turned."""
        return bool(self.pert.active) and self.pert.select > 0

    @property
    def busy(self) -> bool:
        """True if a button went down over the picture and is still down."""
        return self._down

    # ------------------------------------------------------------ events

    def press(
        self, button: int, place: tuple[int, int], size: tuple[int, int], ctrl: bool, now: float
    ) -> str:
        """A button goes down.

        Args:
            button: pygame's number.
            place: column and row.
            size: of the picture, pixels.
            ctrl: whether the control key is down.
            now: the time, s.

        Returns:
            What to tell the user about it, or nothing.
        """
        self._down = True
        # two clicks in one place, soon after one another
        last, self._clicked = self._clicked, (button, now, place)
        if last is not None and last[0] == button and now - last[1] < QUICK:
            way = max(abs(a - b) for a, b in zip(last[2], place, strict=True))
            if way <= NEAR:
                self._clicked = None
                return self._double_click(button, place, size, ctrl)
        # with ctrl: pull what is selected
        if ctrl and button in (LEFT, RIGHT) and self.pert.select > 0:
            self.pert.active = ROTATE if button == LEFT else TRANSLATE
            mjv_initPerturb(self.model, self.data, self.scn, self.pert, world=self.world)
        return ""

    def release(self) -> None:
        """A button goes up: nothing is pulled any more."""
        self._down = False
        if self.pulls:
            self.data.xfrc_applied[self.world, self.pert.select] = 0
        self.pert.active = 0

    def move(self, buttons: Any, way: tuple[int, int], height: int, shift: bool) -> bool:
        """The mouse moves.

        Args:
            buttons: which of left, middle and right are down, (3,).
            way: to the right and down, pixels.
            height: of the picture, pixels.
            shift: whether the shift key is down.

        Returns:
            Whether anything has changed.
        """
        left, middle, right = buttons
        if not (left or middle or right):
            return False
        # what the buttons mean
        action = TURN if left else SHIFT if right else ZOOM
        action = LEVEL[action] if shift else action
        dx, dy = way[0] / height, way[1] / height
        if self.pulls:
            mjv_movePerturb(
                self.model, self.data, action, dx, dy, self.scn, self.pert, world=self.world
            )
        else:
            mjv_moveCamera(self.model, action, dx, dy, self.scn, self.cam)
        return True

    def wheel(self, notches: float) -> None:
        """The wheel turns, away from the user for more than zero: closer."""
        mjv_moveCamera(self.model, ZOOM, 0.0, WHEEL * notches, self.scn, self.cam)

    def _double_click(
        self, button: int, place: tuple[int, int], size: tuple[int, int], ctrl: bool
    ) -> str:
        """Select a body, look at a point, or track a body."""
        found = self.at(place, size)
        if button == LEFT:
            return self.select(found.bodyid, found.point)
        if button != RIGHT or found.bodyid < 0:
            return ""
        if ctrl and found.bodyid > 0:
            self.cam.type, self.cam.trackbodyid = int(CAMERA.mjCAMERA_TRACKING), found.bodyid
            self.cam.fixedcamid = -1
            return f"tracks {self._name(found.bodyid)}"
        if self.cam.type == int(CAMERA.mjCAMERA_FREE):
            self.cam.lookat = found.point
        return ""

    # ------------------------------------------------------------ selection

    def at(self, place: tuple[int, int], size: tuple[int, int]) -> Selection:
        """Object at a pixel."""
        (x, y), (width, height) = place, size
        return mjv_select(
            self.model, self.data, self.opt, width / height, (x + 0.5) / width,
            1 - (y + 0.5) / height, self.scn, world=self.world,
        )  # fmt: skip

    def select(self, body: int, point: np.ndarray | None = None) -> str:
        """Select a body by a point of it (3,), m, its own origin by default; 0 or less for none."""
        self.pert.select = max(body, 0)
        if body <= 0:
            return "nothing is selected"
        place = np.reshape(self.data.xpos[self.world, body], 3)
        axes = np.reshape(self.data.xmat[self.world, body], (3, 3))
        self.pert.localpos = axes.T @ ((place if point is None else point) - place)
        return f"{self._name(body)} is selected"

    def _name(self, body: int) -> str:
        return self.model.body(body).name or f"body {body}"

    # ------------------------------------------------------------ pulling

    def push(self) -> None:
        """Pull the selected body in the steps that come."""
        if self.pulls:
            mjv_applyPerturbPose(self.model, self.data, self.pert, False, world=self.world)
            mjv_applyPerturbForce(self.model, self.data, self.pert, world=self.world)

    def put(self) -> bool:
        """Put the selected body where it is pulled, while time stands still; whether it moved."""
        if self.pulls:
            mjv_applyPerturbPose(self.model, self.data, self.pert, True, world=self.world)
        return self.pulls
