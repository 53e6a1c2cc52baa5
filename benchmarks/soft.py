"""Models of deformables, cables and signed distance fields."""

FLOOR = '<geom type="plane" size="3 3 .1"/>'


def flag() -> str:
    """A flag in the wind: inextensible edges, nothing touches it."""
    return """
<mujoco>
  <option wind="5 5 0" density="10" solver="CG" tolerance="1e-6"/>
  <worldbody>
    <body name="pole" pos="0 0 1.5">
      <flexcomp name="flag" type="grid" dim="2" count="9 19 1"
          spacing=".05 .05 .05" mass="10" radius=".001">
        <edge equality="true" damping=".001"/>
        <contact contype="0" conaffinity="0" selfcollide="none"/>
        <pin id="0 18"/>
      </flexcomp>
    </body>
  </worldbody>
</mujoco>"""


def jelly() -> str:
    """A block of jelly that falls on the floor."""
    return f"""
<mujoco>
  <option solver="CG" tolerance="1e-6" timestep=".001" integrator="implicitfast"/>
  <worldbody>
    {FLOOR}
    <flexcomp name="jelly" type="grid" dim="3" count="6 6 6"
        spacing=".07 .07 .07" pos="0 0 .25" mass="5" radius=".01">
      <elasticity young="2e4" poisson=".2" damping=".002"/>
      <contact condim="3" selfcollide="none" solref=".01 1"/>
    </flexcomp>
  </worldbody>
</mujoco>"""


def trampoline() -> str:
    """A box and a ball that fall on a cloth, which is pinned at its border."""
    border = " ".join(str(k) for k in range(225) if k % 15 in (0, 14) or k // 15 in (0, 14))
    return f"""
<mujoco>
  <option solver="CG" tolerance="1e-6" timestep=".001"/>
  <worldbody>
    <flexcomp name="cloth" type="grid" dim="2" count="15 15 1"
        spacing=".05 .05 .05" pos="0 0 1" mass="1" radius=".005">
      <edge equality="true"/>
      <contact condim="3" selfcollide="none" solref=".01 1"/>
      <pin id="{border}"/>
    </flexcomp>
    <body pos=".1 0 1.15"><freejoint/><geom type="box" size=".06 .06 .06" density="300"/></body>
    <body pos="-.12 .05 1.15"><freejoint/><geom size=".07" density="300"/></body>
  </worldbody>
</mujoco>"""


def ball() -> str:
    """A soft ball of tetrahedra that falls on the floor, beside a hard one."""
    return f"""
<mujoco>
  <option solver="CG" tolerance="1e-6" timestep=".001" integrator="implicitfast"/>
  <worldbody>
    {FLOOR}
    <flexcomp name="ball" type="ellipsoid" dim="3" count="7 7 7"
        spacing=".06 .06 .06" pos="0 0 .3" mass="4" radius=".008">
      <elasticity young="2e4" poisson=".2" damping=".002"/>
      <contact condim="3" selfcollide="none" solref=".01 1"/>
    </flexcomp>
    <body pos=".05 0 .7"><freejoint/><geom size=".08" density="500"/></body>
  </worldbody>
</mujoco>"""


def cable() -> str:
    """A cable that hangs from one end and touches the floor."""
    return f"""
<mujoco>
  <extension><plugin plugin="mujoco.elasticity.cable"/></extension>
  <option timestep=".002"/>
  <worldbody>
    {FLOOR}
    <composite type="cable" curve="s" count="41 1 1" size="1" offset="0 0 .6" initial="none">
      <plugin plugin="mujoco.elasticity.cable">
        <config key="twist" value="1e7"/><config key="bend" value="4e6"/>
      </plugin>
      <joint kind="main" damping=".01"/>
      <geom type="capsule" size=".005" density="5000" condim="1"/>
    </composite>
  </worldbody>
</mujoco>"""


def screw() -> str:
    """A nut that turns down on a bolt."""
    return """
<mujoco>
  <extension>
    <plugin plugin="mujoco.sdf.nut">
      <instance name="nut"><config key="radius" value=".26"/></instance>
    </plugin>
    <plugin plugin="mujoco.sdf.bolt">
      <instance name="bolt"><config key="radius" value=".255"/></instance>
    </plugin>
  </extension>
  <option sdf_iterations="10" sdf_initpoints="20"/>
  <asset>
    <mesh name="nut"><plugin instance="nut"/></mesh>
    <mesh name="bolt"><plugin instance="bolt"/></mesh>
  </asset>
  <default><geom solref=".01 1" solimp=".95 .99 .0001" friction=".01"/></default>
  <worldbody>
    <body pos="0 0 1.1">
      <freejoint/>
      <geom type="sdf" mesh="nut"><plugin instance="nut"/></geom>
    </body>
    <geom type="sdf" mesh="bolt" euler="180 0 0"><plugin instance="bolt"/></geom>
  </worldbody>
</mujoco>"""


SOFT = {
    "flag": flag, "jelly": jelly, "trampoline": trampoline, "ball": ball, "cable": cable,
    "screw": screw,
}  # fmt: skip
