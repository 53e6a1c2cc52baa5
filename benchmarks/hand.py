"""A robot hand with mesh fingers that holds a box: a wrist, five fingers of three hinges each.

A motor with position control bends each finger at the palm; another pulls a tendon that couples
its two outer joints, as in tendon-driven hands. Phalanges are convex meshes of 32 vertices.
"""

import numpy as np

# length and radius of the phalanges, from the palm outward (m)
PHALANGES = ((0.045, 0.009), (0.028, 0.008), (0.022, 0.007))
# name, where the finger leaves the palm (m), its direction (degrees)
FINGERS = (
    ("index", "0.045 0.033 0", "0 0 0"),
    ("middle", "0.045 0.011 0", "0 0 0"),
    ("ring", "0.045 -0.011 0", "0 0 0"),
    ("little", "0.045 -0.033 0", "0 0 0"),
    ("thumb", "-0.01 0.05 0", "0 0 60"),
)
HAND = """
<mujoco model="hand">
  <option timestep="0.002" integrator="implicitfast"/>
  <default>
    <geom friction="1 0.01 0.001" condim="4" density="1500"/>
    <joint axis="0 -1 0" range="0 90" damping="0.02" armature="0.001" frictionloss="0.005"/>
    <position kp="1" forcerange="-1 1"/>
  </default>
  <asset>{meshes}</asset>
  <worldbody>
    <geom type="plane" size="1 1 0.1"/>
    <body name="palm" pos="0 0 0.2">
      <joint name="wrist" range="-30 30" damping="0.5" armature="0.01"/>
      <geom type="box" size="0.045 0.045 0.012"/>
      {fingers}
    </body>
    <body name="object" pos="0.02 0 0.25">
      <freejoint/>
      <geom type="box" size="0.022 0.026 0.022" density="600"/>
    </body>
  </worldbody>
  <tendon>{tendons}</tendon>
  <actuator>
    <position name="wrist" joint="wrist" kp="20" ctrlrange="-0.3 0.3" forcerange="-10 10"/>
    {motors}
  </actuator>
</mujoco>
"""


def hand() -> str:
    """The model as MJCF."""
    names = [name for name, *_ in FINGERS]
    return HAND.format(
        meshes="".join(_mesh(k, *size) for k, size in enumerate(PHALANGES)),
        fingers="".join(_finger(*finger) for finger in FINGERS),
        tendons="".join(
            f'<fixed name="{name}"><joint joint="{name}1" coef="1"/>'
            f'<joint joint="{name}2" coef="1"/></fixed>'
            for name in names
        ),
        motors="".join(
            f'<position name="{name}0" joint="{name}0" ctrlrange="0 1.5"/>'
            f'<position name="{name}12" tendon="{name}" ctrlrange="0 3"/>'
            for name in names
        ),
    )


def _mesh(k: int, length: float, radius: float) -> str:
    """A phalanx along x, of four rings of eight vertices."""
    angles = np.arange(8) * np.pi / 4
    rings = [
        (x, r * np.cos(angle), r * np.sin(angle))
        for x, r in ((0.0, 0.7), (0.15, 1.0), (0.85, 0.9), (1.0, 0.55))
        for angle in angles
    ]
    vertices = np.array(rings) * (length, radius, radius)
    text = " ".join(f"{x:.6f}" for x in vertices.ravel())
    return f'<mesh name="phalanx{k}" vertex="{text}"/>'


def _finger(name: str, pos: str, euler: str) -> str:
    """Nested bodies of a finger."""
    inner = ""
    for k in reversed(range(len(PHALANGES))):
        place = f'pos="{pos}" euler="{euler}"' if k == 0 else f'pos="{PHALANGES[k - 1][0]} 0 0"'
        inner = (
            f'<body name="{name}{k}" {place}><joint name="{name}{k}"/>'
            f'<geom type="mesh" mesh="phalanx{k}"/>{inner}</body>'
        )
    return inner
