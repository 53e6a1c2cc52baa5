"""Parameters of contacts, mixed from those of random geoms, against MuJoCo."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward
from tests.engine.reference import copy_state

FIELDS = (
    "dim",
    "geom",
    "exclude",
    "includemargin",
    "friction",
    "solref",
    "solreffriction",
    "solimp",
)
SHAPES = (
    'type="sphere" size="0.1"',
    'type="capsule" size="0.06 0.08"',
    'type="box" size=".1 .1 .1"',
)
OVERRIDE = """o_margin="0.05" o_solref="0.03 0.7" o_solimp="0.6 0.9 0.01 0.4 3"
  o_friction="0.5 0.6 0.1 0 0.3\""""


def numbers(values) -> str:
    return " ".join(f"{x:.4g}" for x in np.atleast_1d(values))


def geom(rng, name: str) -> str:
    """A geom with random parameters: rare signs, zeros, gaps wider than margins."""
    solref = rng.choice(
        [[0.02, 1], [0.1, 0.3], [-300, -20], [-50, 0], [0.05, 0], [0, -3], [1e-4, 1]]
    )
    solimp = [
        *rng.uniform(0, 1, 2),
        rng.choice([0, 0.01, 0.1]),
        rng.random(),
        rng.choice([1, 2, 3]),
    ]
    return f"""<geom name="{name}" {rng.choice(SHAPES)} margin="{rng.choice([0, 0.01, 0.05])}"
      gap="{rng.choice([0, 0.005, 0.03, 0.2])}" condim="{rng.choice([1, 3, 4, 6])}"
      priority="{rng.choice([0, 0, 1])}" solmix="{rng.choice([0, 1, 3])}"
      solref="{numbers(solref)}" solimp="{numbers(solimp)}"
      friction="{numbers(rng.choice([0, 0.2, 1, 3], 3))}"/>"""


def pair(rng, one: str, two: str) -> str:
    """A predefined pair, with some parameters of its own."""
    text = f'<pair geom1="{one}" geom2="{two}"'
    if rng.random() < 0.7:
        text += f""" margin="{rng.choice([0, 0.02])}" gap="{rng.choice([0, 0.01, 0.1])}"
          condim="{rng.choice([1, 3, 4, 6])}" solref="{numbers(rng.choice([[0.03, 1], [-90, -9]]))}"
          friction="{numbers(rng.choice([0, 0.5, 2], 5))}"
          solreffriction="{numbers(rng.choice([[0, 0], [0.02, 1], [-10, -3]]))}\""""
    return text + "/>"


def large_model(seed: int) -> str:
    rng = np.random.default_rng(seed)
    cone = ("pyramidal", "elliptic")[seed % 2]
    override = ' override="enable"' if seed % 5 == 4 else ""
    bodies = "".join(
        f'<body pos="{numbers(rng.normal(size=3) * 0.12)}"><freejoint/>{geom(rng, f"g{k}")}</body>'
        for k in range(5)
    )
    return f"""<mujoco><option cone="{cone}" {OVERRIDE}><flag energy="disable"{override}/></option>
      <worldbody><geom name="floor" type="plane" size="2 2 1" pos="0 0 -0.1" margin="0.02"
      condim="{rng.choice([1, 3, 6])}"/>{bodies}</worldbody>
      <contact>{pair(rng, "g0", "g1")}{pair(rng, "g3", "floor")}</contact></mujoco>"""


@pytest.mark.sweep(6)
@pytest.mark.parametrize("seed", range(20))
def test_parameters(seed):
    """Margins, gaps, dimensions, friction, solver parameters; the rows that follow from them."""
    xml = large_model(seed)
    mj, model = mujoco.MjModel.from_xml_string(xml), mjenv.Model.from_xml_string(xml)
    data, source, seen = Data(model), mujoco.MjData(mj), 0
    rng = np.random.default_rng(seed)
    for _ in range(5):
        mujoco.mj_resetData(mj, source)
        mujoco.mj_integratePos(mj, source.qpos, rng.normal(size=mj.nv) * 0.05, 1.0)
        source.qvel[:] = rng.normal(size=mj.nv)
        copy_state(source, data, 0)
        forward(model, data)
        mujoco.mj_forward(mj, source)
        n = source.ncon
        seen += n
        assert data.ncon[0] == n
        assert data.nefc[0] == source.nefc
        for name in FIELDS:
            ours, theirs = getattr(data.contact, name)[0, :n], getattr(source.contact, name)
            np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14, err_msg=name)
        for name in ("efc_aref", "efc_D", "efc_KBIP", "efc_pos", "efc_margin"):
            ours = getattr(data, name)[0, : source.nefc]
            np.testing.assert_allclose(
                ours, getattr(source, name), rtol=1e-9, atol=1e-9, err_msg=name
            )
    assert seen > 10
