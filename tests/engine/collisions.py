"""Contacts of two geoms beside MuJoCo's, over thousands of relative poses."""

import mujoco
import numpy as np

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from mjenv.engine.pipeline.layouts import CONTACT_ARRAYS
from tests.engine.reference import copy_state

# absolute: distance (m), then position (m) and frame
TOLERANCE = {"dist": 1e-8, "pos": 1e-6, "frame": 1e-6}
KEPT = ["ncon", "geom_xpos", "geom_xmat", *(field.name for field in CONTACT_ARRAYS)]
SCENE = """
<mujoco>
  <default><geom margin="{margin}"/></default>
  <worldbody>
    {static}
    <body pos="0 0 0.7"><freejoint/><geom name="first" {first}/></body>
    {second}
  </worldbody>
</mujoco>
"""
# quarter turns and diagonals, for faces and edges that are parallel exactly
ALIGNED = np.array(
    [
        *[(1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (1, 1, 0, 0)],
        *[(1, 0, 1, 0), (1, 0, 0, 1), (1, 1, 1, 1), (1, -1, 1, 1), (1, 1, -1, 1)],
    ],
    float,
)


def large_model(first: str, second: str, margin: float = 0.01) -> str:
    """A free geom over another one, which is free unless it is a plane."""
    if "plane" in second:
        return SCENE.format(margin=margin, static=f"<geom {second}/>", first=first, second="")
    free = f"<body pos='0 0 0.1'><freejoint/><geom name='second' {second}/></body>"
    return SCENE.format(margin=margin, static="", first=first, second=free)


def poses(model, count: int, seed: int = 0) -> np.ndarray:
    """Positions at which the geoms are apart, near, touch, penetrate, or share their center.

    A third of the orientations is random, a third aligned exactly, a third aligned nearly.
    """
    rng = np.random.default_rng(seed)
    qpos = np.zeros((count, model.nq))
    reach = model.geom_rbound.sum() + model.geom_margin.sum()
    direction = rng.normal(size=(count, 3))
    sparse = rng.random(count) < 0.3
    direction[sparse] *= rng.integers(-1, 2, (sparse.sum(), 3))
    direction /= np.maximum(np.linalg.norm(direction, axis=1, keepdims=True), 1e-9)
    away = direction * (reach * rng.uniform(0, 1.05, (count, 1)))
    for start in range(0, model.nq, 7):
        quat = rng.normal(size=(count, 4))
        kind = rng.integers(0, 3, count)
        quat = np.where((kind > 0)[:, None], ALIGNED[rng.integers(0, len(ALIGNED), count)], quat)
        tilt = 10.0 ** rng.uniform(-6, -1, (count, 1))
        quat = quat + (kind == 2)[:, None] * rng.normal(size=(count, 4)) * tilt
        qpos[:, start + 3 : start + 7] = quat / np.linalg.norm(quat, axis=1, keepdims=True)
        if start:
            # where the second geom is does not matter, unless axes are to be parallel exactly
            qpos[:, start : start + 3] = rng.normal(size=(count, 3)) * (kind != 1)[:, None]
            away = away + qpos[:, start : start + 3]
    qpos[:, :3] = away
    return qpos


def found_contacts(model, qpos: np.ndarray, width: int = 8) -> Data:
    """Contacts at given positions, one world for each."""
    data = Data(model, len(qpos), keep=KEPT, width=width)
    data.qpos[:] = qpos
    forward(model, data)
    return data


def expected_contacts(mj, qpos, data, world: int) -> mujoco.MjData:
    """MuJoCo's contacts at one position.

    It takes over our frames of the geoms, which may differ in the last bit: of faces that are
    parallel exactly, the last bit may decide which corners are listed.
    """
    source = mujoco.MjData(mj)
    source.qpos[:] = qpos
    mujoco.mj_kinematics(mj, source)
    np.testing.assert_allclose(data.geom_xmat[world], source.geom_xmat, atol=1e-14)
    source.geom_xpos[:], source.geom_xmat[:] = data.geom_xpos[world], data.geom_xmat[world]
    mujoco.mj_collision(mj, source)
    return source


def wrong(data, world: int, source) -> str:
    """What differs between the contacts of a world and MuJoCo's, in order; empty: nothing."""
    n = source.ncon
    if data.ncon[world] != n:
        return f"{data.ncon[world]} contacts, expected {n}"
    if not n:
        return ""
    for name in ("geom", "exclude"):
        if not np.array_equal(
            getattr(data.contact, name)[world, :n], getattr(source.contact, name)
        ):
            return name
    for name, tolerance in TOLERANCE.items():
        error = np.abs(getattr(data.contact, name)[world, :n] - getattr(source.contact, name)).max()
        if not error <= tolerance:
            return f"{name}: {error:.1e}"
    return ""


def check_contacts(xml: str, qpos=None, count: int = 2000, seed: int = 0, allowed: int = 0) -> set:
    """Compare at all positions; returns the numbers of contacts that occurred.

    Args:
        allowed: positions that may differ, where MuJoCo decides by the last bits of its rounding.
    """
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    qpos = poses(model, count, seed) if qpos is None else qpos
    data = found_contacts(model, qpos)
    numbers, bad = set(), []
    for world, position in enumerate(qpos):
        source = expected_contacts(mj, position, data, world)
        numbers.add(source.ncon)
        problem = wrong(data, world, source)
        if problem:
            bad.append((world, problem))
    assert len(bad) <= allowed, f"{len(bad)} of {len(qpos)} differ: {bad[:8]}"
    return numbers


def check_widths(xml: str, count: int = 200, seed: int = 1) -> None:
    """The same bits in single worlds and in packs of lanes that diverge."""
    model = mjenv.Model.from_xml_string(xml)
    qpos = poses(model, count, seed)
    results = []
    for width in (1, 8):
        data = Data(model, count, keep=KEPT, width=width)
        data.qpos[:] = qpos
        step(model, data, 3)
        results.append((data, np.concatenate([data.qpos, data.qvel], axis=1)))
    (one, first), (other, second) = results
    assert np.isfinite(first).all()
    assert np.array_equal(first, second)
    assert np.array_equal(one.ncon, other.ncon)
    assert len(np.unique(one.ncon)) > 1
    for world, n in enumerate(one.ncon):
        for name in TOLERANCE:
            here, there = (getattr(d.contact, name)[world, :n] for d in (one, other))
            assert np.array_equal(here, there), name


def check_trajectory(xml: str, nstep: int = 300, every: int = 6, seeds: int = 8) -> int:
    """One step from states along MuJoCo's own trajectories; returns the contacts seen."""
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    data = Data(model, seeds, keep=KEPT, width=8)
    sources = [mujoco.MjData(mj) for _ in range(seeds)]
    for seed, source in enumerate(sources):
        rng = np.random.default_rng(seed)
        for start in range(3, model.nq, 7):
            source.qpos[start : start + 4] = rng.normal(size=4)
        source.qvel[:] = rng.normal(size=mj.nv)
    seen = 0
    for k in range(nstep):
        if k % every == 0:
            for world, source in enumerate(sources):
                copy_state(source, data, world)
            step(model, data)
        for source in sources:
            mujoco.mj_step(mj, source)
            seen += source.ncon
        if k % every == 0:
            for world, source in enumerate(sources):
                np.testing.assert_allclose(data.qpos[world], source.qpos, rtol=0, atol=1e-7)
                np.testing.assert_allclose(data.qvel[world], source.qvel, rtol=1e-5, atol=1e-5)
    return seen
