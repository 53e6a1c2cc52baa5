"""Geoms that touch exactly: what MuJoCo's broad phase drops, within the rounding of its sort."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward
from tests.engine.collisions import KEPT, expected_contacts, found_contacts, wrong

CUBE = " ".join(f"{x} {y} {z}" for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5))
SHAPES = {
    "sphere": 'type="sphere" size="0.5"',
    "box": 'type="box" size="0.5 0.5 0.5"',
    "mesh": 'type="mesh" mesh="cube"',
    "cylinder": 'type="cylinder" size="0.5 0.5"',
}


def lattice(shape: str, count: int, margin: float = 0.0, extra: str = "", flag: str = "") -> str:
    """Free bodies of one geom, or of two where `extra` is a second one."""
    body = f'<body><freejoint/><geom {SHAPES[shape]} margin="{margin}"/>{extra}</body>'
    return f"""<mujoco><option o_margin="0.02"><flag {flag}/></option>
      <asset><mesh name="cube" vertex="{CUBE}"/></asset>
      <worldbody><body pos="0 0 -5"><geom type="box" size=".5 .5 .5"/></body>
      {body * count}</worldbody></mujoco>"""


def positions(model, count: int, seed: int, step: float = 1.0) -> np.ndarray:
    """Bodies at different points of a small lattice, turned by quarter turns or not at all."""
    rng = np.random.default_rng(seed)
    qpos = np.zeros((count, model.nq))
    points = np.stack(np.meshgrid([0, 1, 2], [0, 1, 2], [0, 1]), axis=-1).reshape(-1, 3)
    for row in qpos:
        chosen = rng.permutation(len(points))[: model.nq // 7]
        for k, point in enumerate(points[chosen]):
            row[7 * k : 7 * k + 3] = point * step + rng.choice([0, 0.1, 1 / 3]) * (seed % 2)
            row[7 * k + 3 : 7 * k + 7] = np.eye(4)[rng.choice([0, 0, rng.integers(0, 4)])]
    return qpos


def check(xml: str, qpos_of) -> int:
    """Contacts of all worlds are MuJoCo's; returns their number."""
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    qpos = qpos_of(model)
    data = found_contacts(model, qpos)
    for world, position in enumerate(qpos):
        assert wrong(data, world, expected_contacts(mj, position, data, world)) == ""
    return int(data.ncon.sum())


@pytest.mark.sweep(4)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", SHAPES)
def test_touching_neighbours(shape, seed):
    """Which of them have contacts depends on the order of bodies and on the spread of all."""
    # meshes and cylinders that touch exactly have no contact, whatever the broad phase says
    step = 1.0 if shape in ("sphere", "box") else 1.0 - 1e-9
    assert check(lattice(shape, 7), lambda model: positions(model, 30, seed, step)) > 0


@pytest.mark.parametrize("flag", ["", 'override="enable"'])
def test_margins_that_meet(flag):
    xml = lattice("box", 6, margin=0.01, flag=flag)
    assert check(xml, lambda model: positions(model, 30, 0, step=1.02 - 1e-9)) > 0


def test_bodies_of_several_geoms():
    """The box around a body holds all of its geoms."""
    extra = '<geom type="sphere" size="0.1" pos="0.5 0 0"/>'
    assert check(lattice("sphere", 5, extra=extra), lambda model: positions(model, 30, 1)) > 0


def test_same_bits():
    """Lanes in which other neighbours touch do not matter."""
    model = mjenv.Model.from_xml_string(lattice("box", 6))
    qpos = positions(model, 40, 2)
    found = []
    for width in (1, 8):
        data = Data(model, len(qpos), keep=KEPT, width=width)
        data.qpos[:] = qpos
        forward(model, data)
        found.append((data.ncon.copy(), data.contact.dist.copy()))
    assert np.array_equal(found[0][0], found[1][0])
    assert np.array_equal(found[0][1], found[1][1])
