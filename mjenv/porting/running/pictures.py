"""Pictures of a port's worlds, seen as the environment's own renderer would see one."""

import warnings
from typing import Any

import numpy as np

from mjenv.engine.analysis.state import State, get_state, set_state
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward
from mjenv.mujoco.functions import mj_forward
from mjenv.porting.environment.changing import VARIED
from mjenv.porting.environment.in_place import ours_by_name
from mjenv.porting.environment.model_options import field_of, set_field
from mjenv.porting.environment.original import Original, model_numbers, varying_model_fields
from mjenv.porting.running.traced_worlds import TracedWorlds
from mjenv.render.frames import MODES, Frames, RenderSettings

# there is no window
PICTURE_MODES = [mode for mode in MODES if mode != "human"]
# what a picture may be of; the warm start is that of the worlds
_ALL = State.INTEGRATION
_SEEN = _ALL & ~State.WARMSTART
# arguments of Gymnasium's environments, which worlds that are drawn take in their place
_ARGUMENTS = ("width", "height", "camera_id", "camera_name")


def settings_of(render_mode: str | None, kwargs: dict[str, Any]) -> RenderSettings:
    """Settings of pictures, of which those of a size and a camera leave the arguments.

    Raises:
        ValueError: there are no pictures of that mode.
    """
    if render_mode is None:
        return RenderSettings()
    if render_mode not in PICTURE_MODES:
        raise ValueError(
            f"PortedVectorEnv: render_mode={render_mode!r}, expected None or one of {PICTURE_MODES}"
        )
    given = {name: kwargs.pop(name) for name in _ARGUMENTS if name in kwargs}
    return RenderSettings(render_mode, **given)


def frames_of(original: Original, data: Data, settings: RenderSettings) -> Frames:
    """What draws worlds of an environment, from its own camera where the settings name none."""
    renderer = getattr(original.inner, "mujoco_renderer", None)
    config = getattr(renderer, "default_cam_config", None)
    number = getattr(renderer, "camera_id", None)
    if settings.camera_id is None and settings.camera_name is None and number is not None:
        settings = settings._replace(camera_id=int(number))
    return Frames(data.model, data, config, settings)


class Marks:
    """What an environment's `render` does before it asks its renderer, such as to mark the goal.

    It is done in data of their own: the worlds stay as they are.

    Attributes:
        data: the worlds as pictures show them.
    """

    def __init__(self, original: Original, worlds: TracedWorlds, fields: tuple[str, ...]):
        """Of an environment that changes these fields of its model."""
        self._original, self._worlds = original, worlds
        model, own = worlds.data.model, worlds.data
        self._fields = tuple(dict.fromkeys((*own.varied, *fields)))
        self.data = Data(model, own.nworld, vary=self._fields)

    def update(self) -> None:
        """Have the data be what pictures are to show now; worlds that have not begun stay."""
        original, worlds, shown = self._original, self._worlds, self.data
        set_state(shown.model, shown, get_state(shown.model, worlds.data, _ALL), _ALL)
        for world in np.flatnonzero(worlds._begun).tolist():
            worlds.enter(world)
            mj_forward(original.model, original.data)
            before = {name: np.array(field_of(original.model, name)) for name in self._fields}
            rendered(original)
            one = original.data.batch
            set_state(shown.model, shown, get_state(one.model, one, _SEEN), _SEEN, world)
            for name, values in before.items():
                shown.varied[name][world] = field_of(original.model, name)
                set_field(original.model, name, values)
        state = get_state(shown.model, shown, _ALL)
        forward(shown.model, shown)
        set_state(shown.model, shown, state, _ALL)


class _NoRenderer:
    """In the place of an environment's renderer while it says what there is to draw."""

    def render(self, *_: Any, **__: Any) -> None:
        """Draw nothing."""


def rendered(original: Original) -> None:
    """Call an environment's `render`, all but the drawing."""
    inner: Any = original.inner
    renderer, inner.mujoco_renderer = inner.mujoco_renderer, _NoRenderer()
    try:
        with ours_by_name():
            inner.render()
    finally:
        inner.mujoco_renderer = renderer


def marks_of(original: Original, worlds: TracedWorlds) -> Marks | None:
    """What an environment marks in its pictures; None for nothing.

    Where that cannot be told, a warning says why.
    """
    # Gymnasium's own does nothing besides
    inner: Any = original.inner
    render = getattr(type(inner), "render", None)
    theirs = getattr(render, "__module__", "").startswith("gymnasium.")
    if theirs or vars(inner).get("mujoco_renderer") is None:
        return None
    # in a first picture, which whatever it does may fail
    original.renew()
    try:
        fields, moved = _changes(original)
        other = ", ".join(f"model.{name}" for name in fields if name not in VARIED)
        reason = f"it changes {other}" if other else ""
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
    finally:
        original.renew()
    if reason:
        warnings.warn(
            f"{original.name}: pictures are of its physics alone, without what its render marks: "
            f"{reason}",
            stacklevel=3,
        )
        return None
    return Marks(original, worlds, fields) if fields or moved else None


def _changes(original: Original) -> tuple[tuple[str, ...], bool]:
    """Fields of the model that a first picture changes, and whether it changes the state."""
    model, one = original.model, original.data.batch
    with ours_by_name():
        original.env.reset(seed=0)
    before, state = model_numbers(model), get_state(one.model, one, _SEEN)
    rendered(original)
    fields = tuple(varying_model_fields(before, model))
    moved = not np.array_equal(state, get_state(one.model, one, _SEEN))
    for name in fields:
        set_field(model, name, before[name])
    return fields, moved
