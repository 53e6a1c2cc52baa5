"""A musculoskeletal arm: shoulder and elbow, moved by six muscles whose tendons wrap around both.

Two muscles bend and stretch each joint, two more span both. Each tendon runs over the cylinder of a
joint; a site beside it says on which side. The muscles' ranges of length are given, as not every
version of MuJoCo finds them.
"""

# name, range of length (m), path: sites, and cylinders with the side on which the tendon passes
MUSCLES = (
    ("shoulder_flexor", "0.095 0.325", "front shoulder/shoulder_front upper_front"),
    ("shoulder_extensor", "0.15 0.285", "back shoulder/shoulder_back upper_back"),
    ("elbow_flexor", "0.13 0.265", "lower_front elbow/elbow_front fore_front"),
    ("elbow_extensor", "0.15 0.22", "lower_back elbow/elbow_back fore_back"),
    ("both_flexor", "0.185 0.55", "front shoulder/shoulder_front middle_front elbow/elbow_front"
     " fore_front"),
    ("both_extensor", "0.365 0.605", "back shoulder/shoulder_back middle_back elbow/elbow_back"
     " fore_back"),
)  # fmt: skip
ARM = """
<mujoco model="arm">
  <option timestep="0.002"/>
  <default>
    <geom contype="0" conaffinity="0" density="1100"/>
    <joint axis="0 -1 0" damping="0.1" armature="0.002"/>
    <site size="0.005"/>
    <muscle ctrlrange="0 1" force="400"/>
  </default>
  <worldbody>
    <site name="front" pos="0.02 0 0.15"/>
    <site name="back" pos="-0.05 0 0.1"/>
    <site name="shoulder_front" pos="0.1 0 0"/>
    <site name="shoulder_back" pos="-0.1 0 0"/>
    <body name="upper">
      <joint name="shoulder" range="-45 120"/>
      <geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.03"/>
      <geom name="shoulder" type="cylinder" size="0.04 0.03" euler="90 0 0" density="0"/>
      <site name="upper_front" pos="0.035 0 -0.14"/>
      <site name="upper_back" pos="-0.035 0 -0.1"/>
      <site name="middle_front" pos="0.045 0 -0.15"/>
      <site name="middle_back" pos="-0.045 0 -0.15"/>
      <site name="lower_front" pos="0.03 0 -0.1"/>
      <site name="lower_back" pos="-0.035 0 -0.2"/>
      <body name="fore" pos="0 0 -0.3">
        <joint name="elbow" range="0 130"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.25" size="0.025"/>
        <geom name="elbow" type="cylinder" size="0.03 0.03" euler="90 0 0" density="0"/>
        <geom type="sphere" pos="0 0 -0.28" size="0.035"/>
        <site name="elbow_front" pos="0.08 0 0"/>
        <site name="elbow_back" pos="-0.08 0 0"/>
        <site name="fore_front" pos="0.015 0 -0.06"/>
        <site name="fore_back" pos="-0.03 0 -0.05"/>
      </body>
    </body>
  </worldbody>
  <tendon>{tendons}</tendon>
  <actuator>{muscles}</actuator>
  <sensor><jointpos joint="shoulder"/><jointpos joint="elbow"/>{sensors}</sensor>
</mujoco>
"""


def arm() -> str:
    """The model as MJCF."""
    return ARM.format(
        tendons="".join(_tendon(name, path) for name, _, path in MUSCLES),
        muscles="".join(
            f'<muscle name="{name}" tendon="{name}" lengthrange="{length}"/>'
            for name, length, _ in MUSCLES
        ),
        sensors="".join(f'<tendonpos tendon="{name}"/>' for name, *_ in MUSCLES),
    )


def _tendon(name: str, path: str) -> str:
    parts = []
    for part in path.split():
        geom, slash, side = part.partition("/")
        parts.append(
            f'<geom geom="{geom}" sidesite="{side}"/>' if slash else f'<site site="{part}"/>'
        )
    return f'<spatial name="{name}">{"".join(parts)}</spatial>'
