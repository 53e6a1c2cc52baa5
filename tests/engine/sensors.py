"""A scene for sensors: every joint type, tendons, contacts, cameras; MuJoCo beside mjenv."""

import mujoco
import numpy as np

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from tests.engine.reference import copy_state

SCENE = """
<mujoco>
  <option timestep=".004" magnetic=".1 -.3 .5" {option}/>
  <default><geom friction=".8 .02 .003" condim="4"/></default>
  <worldbody>
    <camera name="fixed" pos=".3 -2 1" xyaxes="1 0 0 0 .3 1" resolution="320 200" fovy="50"/>
    <camera name="lens" pos="0 -2 .5" euler="80 10 0" resolution="64 48" sensorsize=".01 .02"
      focal=".011 .013" principal=".001 .0003"/>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <site name="world" pos=".1 .2 .3" euler="10 20 30"/>
    <site name="room" type="box" size=".5 .6 .7" pos=".1 0 .2" euler="0 0 20"/>
    <site name="round" type="sphere" size=".6"/>
    <site name="pill" type="capsule" size=".2 .5" pos="0 0 .3"/>
    <site name="egg" type="ellipsoid" size=".5 .3 .4" pos="0 .4 .2"/>
    <site name="can" type="cylinder" size=".4 .3" pos=".4 0 .1"/>
    <body name="free" pos="0 0 .25">
      <freejoint/>
      <geom name="box" type="box" size=".1 .15 .08" pos=".02 0 .01" euler="10 0 0"/>
      <site name="imu" pos=".05 .01 .02" euler="30 40 50"/>
      <camera name="riding" mode="trackcom" pos="0 -1 .5" resolution="100 80"/>
      <camera name="looking" mode="targetbody" target="arm" pos="0 .1 .2"/>
    </body>
    <body name="tower" pos="0 .8 .6">
      <joint name="ball" type="ball" range="0 30" limited="true" stiffness="3" damping=".1"/>
      <geom name="post" type="capsule" fromto="0 0 0 0 0 .3" size=".04" mass=".5"/>
      <site name="top" pos=".01 0 .3" euler="0 20 5"/>
      <body name="arm" pos="0 0 .3">
        <joint name="bend" axis="0 1 0" range="-20 20" margin=".05" stiffness="1.5"
          springref="20" limited="true"/>
        <geom type="capsule" fromto="0 0 0 .3 0 0" size=".03" mass=".3"/>
        <site name="hand" pos=".3 0 .02"/>
        <body name="rod" pos=".3 0 0">
          <joint name="slide" type="slide" axis="1 0 0" range="-.05 .05" limited="true"/>
          <geom type="sphere" size=".06" mass=".2"/>
          <site name="tip" pos=".05 0 0" euler="10 20 30"/>
        </body>
      </body>
    </body>
    <body name="ghost" pos="0 -.5 .2"><body name="leaf" pos=".1 0 0">
      <joint name="turn" axis="1 0 1" stiffness="2"/><geom size=".05" pos="0 .05 0"/></body></body>
  </worldbody>
  <tendon>
    <fixed name="sum" range="-.1 .1" limited="true" margin=".02" stiffness="4">
      <joint joint="bend" coef=".5"/><joint joint="slide" coef="-1"/></fixed>
    <spatial name="cord" range="0 .6" limited="true">
      <site site="world"/><site site="imu"/></spatial>
  </tendon>
  <actuator>
    <motor name="m1" joint="bend" gear="2"/><motor name="m2" joint="slide" gear="5"/>
    <motor name="m3" joint="ball" gear=".3 .2 .1"/><motor name="m4" tendon="sum" gear="2"/>
    <position name="m5" tendon="cord" kp="3"/><position name="m6" joint="bend" kp="2"/>
  </actuator>
  <sensor>{sensors}</sensor>
</mujoco>
"""


def both(sensors: str, option: str = "", large_model: str = SCENE):
    """(mujoco.MjModel, mjenv.Model) of the scene with some sensors."""
    xml = large_model.replace("{option}", option).replace("{sensors}", sensors)
    return mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)


def walked(mj, nworld: int, nstep: int = 50, seed: int = 0) -> list:
    """MuJoCo's data of some worlds, each after steps from a random state under random controls."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(nworld):
        d = mujoco.MjData(mj)
        mujoco.mj_integratePos(mj, d.qpos, rng.normal(size=mj.nv), 0.5)
        d.qvel[:] = rng.normal(size=mj.nv)
        d.ctrl[:] = rng.normal(size=mj.nu)
        for _ in range(nstep):
            mujoco.mj_step(mj, d)
        found.append(d)
    return found


def taken_over(model, sources, **options) -> Data:
    """Data in the states of MuJoCo's."""
    data = Data(model, len(sources), **options)
    for world, source in enumerate(sources):
        copy_state(source, data, world)
    return data


def check_readings(mj, model, sources, tolerance: float = 1e-8, nstep: int = 3) -> None:
    """Readings and what they rest on after forward dynamics and after steps; at two widths."""
    wide, narrow = (taken_over(model, sources, width=width, nthread=1) for width in (8, 1))
    for run in range(2):
        for data in (wide, narrow):
            step(model, data, nstep) if run else forward(model, data)
        for source in sources:
            for _ in range(nstep if run else 1):
                mujoco.mj_step(mj, source) if run else mujoco.mj_forward(mj, source)
        np.testing.assert_array_equal(wide.sensordata, narrow.sensordata)
        expected = np.array([source.sensordata for source in sources])
        for sensor in range(mj.nsensor):
            adr, dim = mj.sensor_adr[sensor], mj.sensor_dim[sensor]
            error = np.abs(wide.sensordata - expected)[:, adr : adr + dim].max()
            scale = 1 + np.abs(expected[:, adr : adr + dim]).max()
            name = mujoco.mjtSensor(mj.sensor_type[sensor]).name
            assert error <= tolerance * scale, f"{name} {sensor}, run {run}: {error:.1e}"
