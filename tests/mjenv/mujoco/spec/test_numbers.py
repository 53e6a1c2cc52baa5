"""Numbers of elements (`id`) after edits of a spec, as MuJoCo has them."""

import mujoco
import pytest

import mjenv.mujoco as ours

TEXT = """<mujoco>
  <asset><material name="m"/></asset>
  <worldbody>
    <frame name="f"><geom name="framed" size=".1"/></frame>
    <body name="b"><joint name="j"/><geom name="g" size=".1"/><site name="s"/>
      <camera/><light/></body>
  </worldbody>
  <actuator><motor name="a" joint="j"/></actuator>
</mujoco>"""
KINDS = [
    "bodies",
    "joints",
    "geoms",
    "sites",
    "cameras",
    "lights",
    "frames",
    "materials",
    "actuators",
]
CHILD = "<mujoco><worldbody><body name='x'><geom size='.1'/></body></worldbody></mujoco>"
EDITS = {
    "body": lambda s: s.worldbody.add_body(),
    "geom": lambda s: s.body("b").add_geom(size=[0.1, 0, 0]),
    "geom in a frame": lambda s: s.frame("f").add_geom(size=[0.1, 0, 0]),
    "site": lambda s: s.body("b").add_site(),
    "joint": lambda s: s.body("b").add_joint(name="other"),
    "freejoint": lambda s: s.worldbody.add_body().add_freejoint(),
    "camera": lambda s: s.body("b").add_camera(),
    "light": lambda s: s.body("b").add_light(),
    "frame": lambda s: s.body("b").add_frame(),
    "material": lambda s: s.add_material(name="other"),
    "actuator": lambda s: s.add_actuator(target="j"),
    "geom deleted": lambda s: s.delete(s.geom("g")),
    "body deleted": lambda s: s.delete(s.body("b")),
    "attached": lambda s: s.attach(type(s).from_string(CHILD), frame=s.frame("f"), prefix="p"),
    "into a frame": lambda s: s.geom("framed").set_frame(s.frame("f")),
}


def numbers(spec):
    return {kind: [element.id for element in getattr(spec, kind)] for kind in KINDS}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("first", ["attached", "geom"])
@pytest.mark.parametrize("edit", EDITS)
def test_numbers(edit, first, compiled):
    """What is added to the tree takes all of its numbers away, until they are given anew."""
    found = []
    for module in (mujoco, ours):
        spec = module.MjSpec.from_string(TEXT)
        if compiled:
            spec.compile()
        EDITS[edit](spec)
        seen = [numbers(spec)]
        if edit != first and (edit, first) != ("body deleted", "geom"):
            EDITS[first](spec)
            seen.append(numbers(spec))
        found.append(seen)
    assert found[0] == found[1]
    if compiled and edit == "geom":
        assert found[1][0]["geoms"] == [-1, -1, -1]
