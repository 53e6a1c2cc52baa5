"""Signed distance fields of users: compiled and plain, beside MuJoCo's and our own shapes."""

import numpy as np
import pytest

import mjenv
from mjenv.engine.errors import MjcfError
from mjenv.engine.shapes.plugin_shapes import bowl
from mjenv.engine.tables.plugin_kinds import KINDS
from tests.engine.reference import check_same_bits

PLUGIN = """
<mujoco>
  <extension>
    <plugin plugin="{kind}">
      <instance name="bowl">
        <config key="height" value="0.4"/>
        <config key="radius" value="1"/>
        <config key="thickness" value="0.05"/>
      </instance>
    </plugin>
  </extension>
  <option sdf_initpoints="20"/>
  <asset><mesh name="bowl"><plugin instance="bowl"/></mesh></asset>
  <worldbody>
    <geom name="bowl" type="sdf" mesh="bowl"><plugin instance="bowl"/></geom>
    <body pos="0.1 0.05 -0.5">
      <freejoint/>
      <geom type="{geom}" size="0.2 0.1 0.15"/>
    </body>
  </worldbody>
  <sensor><rangefinder site="up"/></sensor>
</mujoco>""".replace("<worldbody>", '<worldbody><site name="up" pos="0 0.02 0" euler="180 0 0"/>')


@mjenv.kernel
def compiled_bowl(numbers, p):
    return bowl(numbers[0], numbers[1], numbers[2], p)


def plain_bowl(numbers, p):
    height, radius, thick = numbers
    across = np.hypot(p[0], p[1])
    width = np.sqrt(radius**2 - height**2)
    rim = np.hypot(across - width, p[2] - height) - thick
    shell = np.abs(np.hypot(across, p[2]) - radius) - thick
    return np.where(height * across < width * p[2], rim, shell)


def around(numbers):
    return (numbers[1] + numbers[2],) * 3


NAMES = ("height", "radius", "thickness")
mjenv.register_plugin("test.bowl", NAMES, sdf=compiled_bowl, box=around)
mjenv.register_plugin("test.plain_bowl", NAMES, sdf=plain_bowl, box=around)


@pytest.fixture(scope="module", autouse=True)
def nothing_registered_afterwards():
    yield
    for name in [name for name in KINDS if name.startswith("test.")]:
        if KINDS[name].distance is not None:
            KINDS.pop(name)


def model(kind: str, geom: str = "sphere") -> mjenv.Model:
    return mjenv.Model.from_xml_string(PLUGIN.format(kind=kind, geom=geom))


def run(found: mjenv.Model, nworld: int = 1, steps: int = 150) -> mjenv.Data:
    data = mjenv.Data(found, nworld)
    mjenv.step(found, data, steps)
    return data


@pytest.mark.slow
@pytest.mark.parametrize("geom", ["sphere", "box"])
def test_a_compiled_field_has_the_bits_of_the_same_shape_of_mujocos(geom):
    ours, theirs = model("test.bowl", geom), model("mujoco.sdf.bowl", geom)
    for name in ("mesh_vert", "mesh_face", "geom_pos", "geom_size"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    one, other = run(ours), run(theirs)
    assert one.ncon[0] > 0
    np.testing.assert_array_equal(one.qpos, other.qpos)
    np.testing.assert_array_equal(one.sensordata, other.sensordata)
    assert 0 < one.sensordata[0, 0] < 1


@pytest.mark.slow
def test_a_plain_field_is_the_same_shape():
    ours, theirs = model("test.plain_bowl"), model("test.bowl")
    np.testing.assert_allclose(ours.mesh_vert, theirs.mesh_vert, atol=1e-6)
    one, other = run(ours), run(theirs)
    assert one.ncon[0] > 0
    np.testing.assert_allclose(one.qpos, other.qpos, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "steps"), [("test.bowl", 40), ("test.plain_bowl", 2)])
def test_worlds_have_the_same_bits(kind, steps):
    check_same_bits(model(kind), steps)


@pytest.mark.slow
def test_what_fails_in_python_is_raised():
    def fail(numbers, p):
        if np.ndim(p[0]):
            return plain_bowl(numbers, p)
        raise ZeroDivisionError("in the field")

    mjenv.register_plugin("test.failing", NAMES, sdf=fail, box=around)
    found = model("test.failing")
    with pytest.raises(ZeroDivisionError, match="in the field"):
        run(found)


@pytest.mark.parametrize(
    ("sdf", "box", "message"),
    [
        (lambda n, p: 1.0, around, "expected a surface inside of its box"),
        (plain_bowl, lambda n: (1.0, 2.0), "expected settings of a shape that has a size"),
        (plain_bowl, lambda n: (1.0, -1.0, 1.0), "expected settings of a shape that has a size"),
    ],
)
def test_shapes_without_a_surface(sdf, box, message):
    name = f"test.bad{len(KINDS)}"
    mjenv.register_plugin(name, NAMES, sdf=sdf, box=box)
    with pytest.raises(MjcfError, match=message):
        model(name)
    KINDS.pop(name)
