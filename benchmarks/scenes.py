"""Scenes in one world, stepped by one thread: many bodies that lie on each other, deformables.

mjenv runs such a scene with a broad phase and island by island (`Data(scene=True)`); the peer is
MuJoCo's `mj_step` without threads. Both start from the model's reference position and make
`warmup` calls that are not timed, in which bodies fall and come to lie in contact.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .clock import now
from .models import ROOT, model_text
from .stages import Profiled

if TYPE_CHECKING:
    from mjenv.benchmarks.rows import Row


BOX = '<body pos="{} {} {}"><freejoint/><geom type="box" size=".1 .1 .1"/></body>'
FLOOR = '<geom type="plane" size="40 40 .1"/>'


def boxes100() -> tuple[str, dict]:
    """A pile of 100 boxes."""
    rng = np.random.default_rng(0)
    places = [(i % 5 * 0.22, i // 5 % 5 * 0.22, 0.11 + i // 25 * 0.23) for i in range(100)]
    boxes = "".join(BOX.format(*np.round(rng.normal(place, 0.01), 3)) for place in places)
    return f"<mujoco><worldbody>{FLOOR}{boxes}</worldbody></mujoco>", {}


def humanoids100() -> tuple[str, dict]:
    """100 humanoids a metre apart, which fall on each other."""
    attached = "".join(
        f'<frame pos="{i % 10} {i // 10} 0">'
        f'<attach model="one" body="torso" prefix="h{i}_"/></frame>'
        for i in range(100)
    )
    text = (
        '<mujoco><option timestep=".003"/><asset><model name="one" file="humanoid.xml"/></asset>'
        f"<worldbody>{FLOOR}{attached}</worldbody></mujoco>"
    )
    return text, {"humanoid.xml": (ROOT / "xml" / "humanoid.xml").read_bytes()}


SCENES = {"boxes100": boxes100, "humanoids100": humanoids100}


def scene(name: str) -> tuple[str, dict]:
    """Text of a scene, and its assets."""
    return SCENES[name]() if name in SCENES else (model_text(name), {})


def mjenv(row: "Row", nthread: int):
    """Steps per second of mjenv."""
    import mjenv

    text, assets = scene(row.model)
    model = mjenv.Model.from_xml_string(text, assets=assets)
    data = mjenv.Data(model, keep=[], nthread=1)
    repeat = _timed(
        row, lambda: mjenv.reset(model, data), lambda: mjenv.step(model, data, row.nstep)
    )
    return Profiled(repeat, lambda: mjenv.profile(model, data, 20))


def mujoco_step(row: "Row", nthread: int):
    """Steps per second of MuJoCo's `mj_step`."""
    import mujoco

    text, assets = scene(row.model)
    model = mujoco.MjModel.from_xml_string(text, assets)
    data = mujoco.MjData(model)
    return _timed(
        row,
        lambda: mujoco.mj_resetData(model, data),
        lambda: mujoco.mj_step(model, data, row.nstep),
    )


def _timed(row: "Row", start: Callable[..., Any], call: Callable[..., Any]):
    """A repeat from the reference position on."""

    def repeat():
        start()
        for _ in range(row.warmup):
            call()
        began = now()
        for _ in range(row.calls):
            call()
        return row.calls * row.nstep / (now() - began)

    return repeat
