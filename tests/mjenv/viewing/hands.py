"""What tests of the window do with it: keys, the mouse, sliders, time."""

import numpy as np
import pygame

import mjenv
from mjenv.visual.cameras import mjv_averageCamera, normalized

MODEL = """
<mujoco>
  <worldbody>
    <light pos="0 0 3"/>
    <geom type="plane" size="1 1 .1"/>
    <camera name="side" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
    <body name="ball" pos="0 0 1"><freejoint/><geom name="skull" size=".1"/>
      <body name="ear" pos=".2 0 0"><geom size=".05"/><site name="tip"/></body>
    </body>
  </worldbody>
  <sensor><framepos name="place" objtype="body" objname="ball"/></sensor>
  <keyframe>
    <key name="high" qpos="0 0 3 1 0 0 0"/>
    <key name="higher" qpos="0 0 4 1 0 0 0"/>
  </keyframe>
</mujoco>
"""
SIZE = (160, 120)


class Clock:
    """A time that the test sets."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def wait(viewer, seconds):
    """Let wall time pass, and show a frame."""
    viewer.real_time.clock.now += seconds
    viewer.frame()


def post(kind, **values):
    pygame.event.post(pygame.event.Event(kind, **values))


def tap(name):
    """Press and release a key between two frames."""
    *modifiers, name = name.split(" ", 1) if name.startswith(("ctrl", "shift")) else [name]
    mod = {"ctrl": pygame.KMOD_LCTRL, "shift": pygame.KMOD_LSHIFT}.get("".join(modifiers), 0)
    for kind in (pygame.KEYDOWN, pygame.KEYUP):
        post(kind, key=pygame.key.key_code(name), mod=mod)


def press(viewer, *names):
    """Tap keys, and show a frame."""
    for name in names:
        tap(name)
    viewer.frame()


def height(viewer):
    return viewer.data.qpos[0, 2]


def drawn(window):
    """The picture of a window's scene, drawn by another renderer."""
    renderer = mjenv.Renderer(window.model, SIZE[1], SIZE[0], limited=False)
    renderer.scene.copy_from(window.scn)
    return renderer.render()


def labels(scn, width, height):
    """Labels of a scene with the pixels where their geoms are seen: (text, column, row)."""
    rows = scn.geom_table[: scn.ngeom]
    rows = rows[rows["label"] != b""]
    if not len(rows):
        return []
    eye = mjv_averageCamera(scn.camera[0], scn.camera[1])
    pos, forward, up = (np.asarray(v, np.float64) for v in (eye.pos, eye.forward, eye.up))
    right = normalized(np.cross(forward, up))

    # places in the frame of the camera, scaled to the near plane
    away = rows["pos"].astype(np.float64) - pos
    depth = away @ forward
    scale = 1.0 if eye.orthographic else eye.frustum_near / np.maximum(depth, 1e-9)
    aside, above = (away @ right) * scale, (away @ up) * scale

    # from the near plane to pixels
    opening = eye.frustum_top - eye.frustum_bottom
    half = eye.frustum_width or 0.5 * opening * width / height
    x = (0.5 + 0.5 * (aside - eye.frustum_center) / half) * width
    y = (eye.frustum_top - above) / opening * height
    seen = (depth > eye.frustum_near) & (x >= 0) & (x < width) & (y >= 0) & (y < height)
    return [
        (rows["label"][k].decode(errors="replace"), int(x[k]), int(y[k]))
        for k in np.flatnonzero(seen)
    ]


def drag(buttons, rel, ctrl=False):
    post(pygame.MOUSEMOTION, pos=(0, 0), rel=rel, buttons=buttons)


def click(place, button=1, mod=0):
    post(pygame.MOUSEBUTTONDOWN, pos=place, button=button, mod=mod)


def middle_of(viewer, body):
    """The pixel that a body is seen at."""
    label, viewer.opt.label = viewer.opt.label, int(mjenv.mjtLabel.mjLABEL_BODY)
    viewer._update()
    (found,) = [at[1:] for at in labels(viewer.scn, *SIZE) if at[0] == body]
    viewer.opt.label = label
    return found


ARM = """
<mujoco>
  <worldbody>
    <body><freejoint/><geom size=".1"/>
      <body name="arm" pos="0 0 .3">
        <joint name="turn" type="hinge" range="-90 90" limited="true"/><geom size=".1"/>
        <body><joint name="push" type="slide"/><geom size=".1"/></body>
        <body><joint type="ball"/><geom size=".1"/></body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="strong" joint="turn" ctrlrange="-4 6" ctrllimited="true"/><motor joint="push"/>
  </actuator>
</mujoco>
"""


def slider(viewer, name):
    """A slider of the panel."""
    return [s for s, slider in viewer._panel._sliders if slider.name == name][-1]


def pull(viewer, name, way):
    """Drag a slider by so many pixels, between two frames."""
    found = slider(viewer, name)
    x, y = found._test_get_pos_value(found.get_value())
    post(pygame.MOUSEBUTTONDOWN, pos=(x, y), button=1)
    for k in range(abs(way)):
        step = way // abs(way)
        post(pygame.MOUSEMOTION, pos=(x + k * step, y), rel=(step, 0), buttons=(1, 0, 0))
    post(pygame.MOUSEBUTTONUP, pos=(x + way, y), button=1)
    viewer.frame()


def push_button(viewer, words):
    (button,) = [b for b in viewer._panel._buttons if b.get_title() == words]
    at = button.get_rect(to_real_position=True).center
    for kind in (pygame.MOUSEBUTTONDOWN, pygame.MOUSEBUTTONUP):
        post(kind, pos=at, button=1)
    viewer.frame()
