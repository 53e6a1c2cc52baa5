"""A world beside others has the bits that it has alone, in every field, warnings included."""

import numpy as np
import pytest

from mjenv.engine.data.data import Data
from mjenv.engine.data.requested_fields import ROWS
from mjenv.engine.data.step import forward, inverse, step
from mjenv.engine.edit.compile import Model
from mjenv.engine.tables.enums import WARN_BADCTRL, WARN_BADQACC, WARN_BADQPOS, WARN_BADQVEL

# which entries of a list are there: the dimension that it has, and the field that counts them
COUNTED = {"nconmax": "ncon", "nefc": "nefc", "nJ": "nJ"}
OPTIONS = (
    'solver="Newton" integrator="Euler"',
    'solver="Newton" cone="elliptic" integrator="implicitfast" jacobian="sparse"',
    'solver="CG" integrator="implicit"',
    'solver="PGS" integrator="RK4" noslip_iterations="3"',
)
MIXED = """
<mujoco>
  <option {option}><flag autoreset="{autoreset}" energy="enable"/></option>
  <default><geom condim="{condim}" friction=".7 .01 .01"/></default>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body name="t" mocap="true" pos="0 0 2"><site name="goal"/></body>
    <body name="a" pos="0 0 .25"><freejoint name="a"/><geom name="a" type="box" size=".1 .12 .1"/>
      <site name="a" pos=".1 0 0"/></body>
    <body name="b" pos=".15 .05 .45"><freejoint name="b"/><geom name="b" size=".11"/>
      <site name="b"/></body>
    <body name="arm" pos="-.3 0 .5">
      <joint name="j" axis="0 1 0" range="-40 40" frictionloss=".1" damping=".1"/>
      <geom name="arm" type="capsule" size=".05" fromto="0 0 0 .3 0 0"/>
      <body pos=".3 0 0"><joint name="k" axis="0 0 1" stiffness="2" armature=".01"/>
        <geom name="tip" type="cylinder" size=".06 .08" pos=".1 0 0"/>
        <site name="tip" pos=".1 0 0"/></body></body>
  </worldbody>
  <equality><connect name="e" body1="a" body2="b" anchor="0 0 .1" active="false"/>
    <joint joint1="j" joint2="k" polycoef="0 .2 0 0 0"/></equality>
  <tendon><spatial name="rope" limited="true" range="0 .9" frictionloss=".05" damping=".1">
    <site site="a"/><site site="tip"/></spatial></tendon>
  <actuator><motor joint="j"/><position joint="k" kp="3" kv=".1" delay=".01" nsample="8"/>
    <muscle tendon="rope" ctrllimited="false"/></actuator>
  <sensor><accelerometer site="tip"/><touch site="a"/><force site="tip"/>
    <subtreeangmom body="arm"/><contact geom1="a" num="2" reduce="maxforce" data="force dist"/>
    <jointpos joint="j" delay=".01" nsample="6"/><tendonlimitfrc tendon="rope"/>
    <framepos objtype="site" objname="goal"/></sensor>
</mujoco>
"""


def present(data: Data, name: str, world: int) -> bytes:
    """What is in a field of one world, without the entries of lists that count for nothing."""
    values = getattr(data, name)[world]
    count = COUNTED.get(ROWS[name].shape[0] if ROWS[name].shape else "")
    return values[: getattr(data, count)[world]].tobytes() if count else values.tobytes()


def differing(data: Data, world: int, alone: Data) -> list[str]:
    """Fields in which a world differs from the only one of other data."""
    names = [name for name in ROWS if name in data._arrays and hasattr(alone, name)]
    found = [name for name in names if present(data, name, world) != present(alone, name, 0)]
    return found + ["warning"] * (data.warning[world].tobytes() != alone.warning[0].tobytes())


def disturb(data: Data, world: int, seed: int, calm: bool) -> None:
    """Move a world's state a little, and unless it is calm, sometimes into what is bad."""
    rng = np.random.default_rng(seed)
    data.ctrl[world] = rng.normal(size=data.ctrl.shape[1])
    data.qvel[world] += 0.3 * rng.normal(size=data.qvel.shape[1])
    data.eq_active[world, 0] = rng.random() < 0.3
    kind, dof = rng.integers(9), rng.integers(data.qvel.shape[1])
    if calm or kind > 5:
        return
    fields = ("ctrl", "qvel", "qpos", "qfrc_applied", "qfrc_applied", "qacc_warmstart")
    bad = (np.nan, np.inf, 1e11, 1e300, np.nan, np.nan)[kind]
    values = getattr(data, fields[kind])
    values[world, dof % values.shape[1]] = bad


@pytest.mark.slow
@pytest.mark.parametrize("option", OPTIONS)
def test_every_field_of_a_world_is_as_if_it_were_alone(option):
    model = Model.from_xml_string(MIXED.format(option=option, autoreset="enable", condim=4))
    nworld = 11
    alone = [Data(model, 1) for _ in range(nworld)]
    packs = [Data(model, nworld, width=width, nthread=1) for width in (1, 8)]
    for turn in range(6):
        for world in range(nworld):
            for data, row in [(alone[world], 0), *((data, world) for data in packs)]:
                disturb(data, row, 100 * turn + world, calm=world % 4 == 0)
        nstep = 1 + turn % 3
        for data in (*alone, *packs):
            step(model, data, nstep, post=True)
            if turn == 4:
                forward(model, data)
                inverse(model, data)
        for data in packs:
            for world in range(nworld):
                assert not differing(data, world, alone[world]), (data.width, turn, world)
    assert sum(one.warning_numbers.sum() for one in alone) > 5


WARNING = """
<mujoco><option><flag autoreset="{autoreset}"/></option>
  <worldbody><body><joint name="j" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
  <actuator><motor joint="j"/></actuator></mujoco>
"""
POKES = {
    WARN_BADQPOS: ("qpos", np.nan),
    WARN_BADQVEL: ("qvel", 1e11),
    WARN_BADQACC: ("qfrc_applied", 1e300),
    WARN_BADCTRL: ("ctrl", np.nan),
}


@pytest.mark.parametrize("autoreset", ["enable", "disable"])
def test_warnings_do_not_depend_on_neighbours(autoreset):
    """Every kind beside every other, which comes at another time."""
    model = Model.from_xml_string(WARNING.format(autoreset=autoreset))
    kinds = [(first, second) for first in POKES for second in (*POKES, None)]
    alone = [Data(model, 1, keep=[]) for _ in kinds]
    packs = [Data(model, len(kinds), keep=[], width=width, nthread=1) for width in (1, 2, 4, 8, 16)]
    for turn in range(3):
        for world, pair in enumerate(kinds):
            for data, row in [(alone[world], 0), *((data, world) for data in packs)]:
                if pair[turn % 2] is not None:
                    field, value = POKES[pair[turn % 2]]
                    getattr(data, field)[row, 0] = value
        for data in (*alone, *packs):
            step(model, data, 1 + turn)
        for data in packs:
            for world, one in enumerate(alone):
                assert (data.warning[world] == one.warning[0]).all(), (data.width, turn, world)
    assert all(any(one.warning_numbers[0, kind] for one in alone) for kind in POKES)
