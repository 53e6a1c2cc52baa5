"""MuJoCo beside mjenv: the same model in both, and states along MuJoCo's own trajectories."""

from functools import cache
from pathlib import Path

import mujoco
import numpy as np

import mjenv

XML = Path(__file__).resolve().parents[2] / "xml"
MODELS = ("inverted_pendulum", "hopper", "half_cheetah", "ant")

# what the four models leave out: joint types, friction loss, all condims, boxes, springs, damping
# polynomials, limits with margin, forces on bodies
ZOO = """
<mujoco model="zoo">
  <option timestep="0.004"/>
  <default>
    <geom friction="0.8 0.02 0.003" solref="0.015 0.9" margin="0.005"/>
    <joint armature="0.01" damping="0.2"/>
  </default>
  <worldbody>
    <light pos="0 0 3"/>
    <camera name="far" pos="0 -3 1" xyaxes="1 0 0 0 0.3 1"/>
    <geom name="floor" type="plane" size="5 5 0.1" condim="3" contype="3" conaffinity="3"/>
    <geom name="slope" type="plane" size="5 5 0.1" pos="1.5 0 0" euler="0 -20 0" condim="4"
    contype="3" conaffinity="3"/>
    <body name="box" pos="0 0 0.4">
      <freejoint/>
      <geom type="box" size="0.1 0.15 0.08" condim="6" gap="0.002" contype="2" conaffinity="2"/>
      <camera name="on_box" mode="trackcom" pos="0 -1 0.5"/>
    </body>
    <body name="ball" pos="0.5 0 0.5">
      <freejoint/>
      <geom type="sphere" size="0.12" condim="1" priority="1"/>
      <site name="mark" pos="0.1 0 0"/>
    </body>
    <body name="stick" pos="-0.6 0 0.3">
      <freejoint/>
      <geom type="capsule" size="0.05 0.15" condim="4" solmix="2"/>
    </body>
    <body name="tower" pos="0 0.8 0.6">
      <joint name="turn" type="ball" range="0 40" limited="true" stiffness="3"/>
      <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.04" mass="0.5"/>
      <body name="arm" pos="0 0 0.3">
        <joint name="bend" type="hinge" axis="0 1 0" range="-30 60" margin="0.05" frictionloss="0.3"
        stiffness="1.5" springref="20"/>
        <geom type="capsule" fromto="0 0 0 0.3 0 0" size="0.03" mass="0.3"/>
        <body name="rod" pos="0.3 0 0">
          <joint name="slide" type="slide" axis="1 0 0" range="-0.1 0.1" frictionloss="0.5"
          solimplimit="0.9 0.99 0.01 0.3 3"/>
          <geom type="sphere" size="0.06" mass="0.2"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor name="m1" joint="bend" gear="2" ctrlrange="-1 1" ctrllimited="true"/>
    <motor name="m2" joint="slide" gear="5" forcerange="-2 2" forcelimited="true"/>
    <motor name="m3" joint="turn" gear="0.3 0.2 0.1"/>
  </actuator>
</mujoco>
"""


@cache
def load(name: str):
    """(mujoco.MjModel, mjenv.Model) of one of `MODELS`, or of "zoo"."""
    if name == "zoo":
        return mujoco.MjModel.from_xml_string(ZOO), mjenv.Model.from_xml_string(ZOO)
    path = str(XML / f"{name}.xml")
    return mujoco.MjModel.from_xml_path(path), mjenv.Model.from_xml_path(path)


def trajectory(mj, nstep: int, seed: int = 0, every: int = 1):
    """Yield MuJoCo's data before each of nstep steps under random controls and pushes.

    The robots fall, hit their limits and lie in contact.
    """
    rng = np.random.default_rng(seed)
    d = mujoco.MjData(mj)
    d.qvel[:] = rng.normal(size=mj.nv)
    for k in range(nstep):
        if k % 5 == 0:
            d.ctrl[:] = rng.uniform(-1.5, 1.5, mj.nu)
        if k % every == 0:
            yield d
        mujoco.mj_step(mj, d)


def copy_state(source, data, world: int) -> None:
    """Put MuJoCo's state, inputs and warm start into one world."""
    for name in ("qpos", "qvel", "qacc_warmstart", "ctrl"):
        getattr(data, name)[world] = getattr(source, name)
    data.time[world] = source.time
    if np.any(source.qfrc_applied):
        data.qfrc_applied[world] = source.qfrc_applied
    if np.any(source.xfrc_applied):
        data.xfrc_applied[world] = source.xfrc_applied


def along(mj, model, data, nstep: int, every: int):
    """States of trajectories, one in each world, with forward dynamics in both.

    Yields:
        MuJoCo's data of the worlds.
    """
    walks = [trajectory(mj, nstep, seed, every=every) for seed in range(data.nworld)]
    for sources in zip(*walks, strict=True):
        for world, source in enumerate(sources):
            copy_state(source, data, world)
            mujoco.mj_forward(mj, source)
        mjenv.forward(model, data)
        yield sources


def check_same_bits(model, nstep: int) -> None:
    """Steps of random states have the same bits whatever the width and the threads."""
    results = []
    for width, nthread in ((1, 1), (8, 1), (8, 2)):
        data = mjenv.Data(model, 16, width=width, nthread=nthread, keep=[])
        data.qvel[:] = np.random.default_rng(0).normal(size=data.qvel.shape)
        mjenv.step(model, data, nstep)
        results.append(np.concatenate([data.qpos, data.qvel], axis=1))
    assert np.isfinite(results[0]).all()
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def close(found, expected, tolerance: float, what: str) -> None:
    """Compare with 1 and the largest number as the scale; what `found` has beyond is room."""
    expected = np.asarray(expected).ravel()
    found = np.asarray(found).ravel()[: expected.size]
    scale = 1 + np.abs(expected).max(initial=0)
    np.testing.assert_allclose(
        found / scale, expected / scale, rtol=0, atol=tolerance, err_msg=what
    )
