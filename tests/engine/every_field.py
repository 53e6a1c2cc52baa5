"""All that users see of data, and a model in which every list of theirs grows and shrinks."""

import numpy as np

from mjenv.engine.data.memory import MEMORY
from mjenv.engine.tables.fields import CONTACT, DATA

# contacts, limits, friction, equality, tendons that wrap, islands, a camera
LISTS = """
<mujoco>
  <option timestep="0.01" {option}><flag {flag}/></option>
  <worldbody>
    <camera name="side" pos="0 -3 1" mode="trackcom"/>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 .2"><freejoint/><geom size=".1"/><geom size=".05" pos=".2 0 0"/></body>
    <body pos=".6 0 .2"><freejoint/><geom type="capsule" size=".05 .1"/></body>
    <body pos="0 1 .5">
      <joint name="h" axis="0 1 0" range="-30 30" limited="true" frictionloss=".1"/>
      <geom type="capsule" size=".03" fromto="0 0 0 .3 0 0"/>
      <body pos=".3 0 0">
        <joint name="s" type="slide" axis="1 0 0"/>
        <geom size=".04"/><site name="b" pos=".1 0 0"/>
      </body>
    </body>
    <site name="w" pos="0 1 1"/>
    <geom name="drum" type="cylinder" size=".1 .1" pos=".2 1 .8" euler="90 0 0" contype="0"
      conaffinity="0"/>
  </worldbody>
  <tendon>
    <spatial name="t" range="0 .6" limited="true">
      <site site="w"/><geom geom="drum"/><site site="b"/>
    </spatial>
    <fixed name="f" frictionloss=".1"><joint joint="h" coef="1"/><joint joint="s" coef="2"/></fixed>
  </tendon>
  <equality><joint joint1="h" joint2="s"/></equality>
  <actuator><motor joint="h"/><motor tendon="t"/></actuator>
  <sensor><clock/><touch site="b"/></sensor>
</mujoco>
"""


def fields_of(data) -> dict[str, np.ndarray]:
    """Every field that the data have, with those of contacts, by name; not their memory."""
    found = {}
    for name in (field.name for field in DATA if field.name not in MEMORY):
        value = getattr(data, name, None)
        if isinstance(value, np.ndarray):
            found[name] = value
    return found | {f"contact.{f.name}": getattr(data.contact, f.name) for f in CONTACT}


def differing(some: dict, others: dict, world=slice(None), other=slice(None)) -> list[str]:
    """Names of the fields whose bits differ, in one world of each or in all."""
    return [
        name
        for name, array in some.items()
        if array[world].tobytes() != others[name][other].tobytes()
    ]
