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


def boxes1000() -> tuple[str, dict]:
    """1,000 boxes that fall in 40 loose layers, and come to lie on the floor and on each other."""
    rng = np.random.default_rng(1)
    places = [(i % 5 * 0.32, i // 5 % 5 * 0.32, 0.2 + i // 25 * 0.32) for i in range(1000)]
    boxes = "".join(BOX.format(*np.round(rng.normal(place, 0.03), 3)) for place in places)
    return f"<mujoco><worldbody>{FLOOR}{boxes}</worldbody></mujoco>", {}


# profiles of turned things: radius and height of a few circles, from the bottom up
TURNED = {
    "plate": ((0.06, 0.0), (0.11, 0.01), (0.12, 0.02)),
    "bowl": ((0.04, 0.0), (0.08, 0.03), (0.1, 0.07)),
    "cup": ((0.03, 0.0), (0.04, 0.04), (0.04, 0.09)),
    "bottle": ((0.04, 0.0), (0.045, 0.15), (0.02, 0.22), (0.015, 0.27)),
    "pot": ((0.1, 0.0), (0.11, 0.02), (0.11, 0.12)),
    "apple": ((0.01, 0.0), (0.03, 0.01), (0.04, 0.035), (0.03, 0.06), (0.01, 0.07)),
}


def kitchen() -> tuple[str, dict]:
    """60 turned meshes of 72 to 120 vertices, which fall on a worktop and on each other."""
    angle = np.arange(24) * (np.pi / 12)
    meshes = ""
    for name, profile in TURNED.items():
        rings = [(r * np.cos(a), r * np.sin(a), z) for r, z in profile for a in angle]
        vertices = " ".join(f"{x:.5f}" for x in np.ravel(rings))
        meshes += f'<mesh name="{name}" vertex="{vertices}"/>'
    rng, names, things = np.random.default_rng(2), list(TURNED), ""
    for i in range(60):
        place = (i % 5 * 0.26 - 0.5, i // 5 % 4 * 0.26 - 0.4, 0.95 + i // 20 * 0.3)
        x, y, z = np.round(rng.normal(place, 0.02), 3)
        things += (
            f'<body pos="{x} {y} {z}" euler="{rng.integers(30)} {rng.integers(30)} 0"><freejoint/>'
            f'<geom type="mesh" mesh="{names[i % len(names)]}" density="500"/></body>'
        )
    worktop = '<geom type="box" size=".8 .7 .03" pos="0 0 .87"/>'
    return (
        f"<mujoco><asset>{meshes}</asset><worldbody>{FLOOR}{worktop}{things}</worldbody></mujoco>",
        {},
    )


SCENES = {
    "boxes100": boxes100, "boxes1000": boxes1000, "humanoids100": humanoids100, "kitchen": kitchen,
}  # fmt: skip


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
