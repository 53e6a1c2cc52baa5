"""Text of specs beside that of MuJoCo."""
# ruff: noqa: E501 (models in few lines)

import mujoco
import pytest

import mjenv.mujoco as ours

CHILD = """<mujoco model="child"><default><geom material="m"/><default class="small"><geom size=".1"/></default></default><asset><material name="m" rgba="1 0 0 1"/></asset>
<worldbody><body name="b"><geom class="small"/><geom size=".2"/></body>
</worldbody></mujoco>"""
WRITTEN = {
    "classes of attached models keep their materials' names": """<mujoco><asset>
<model name="child" file="child.xml"/></asset><worldbody><attach model="child" body="b" prefix="x_"/>
</worldbody></mujoco>""",
    "comments with empty lines": """<mujoco><!-- one

two -->
<option timestep=".01"/><worldbody><geom size="1"/></worldbody></mujoco>""",
    "comments alone": "<mujoco><!-- one\n\ntwo --></mujoco>",
    "tetrahedra turned outside": """<mujoco><deformable><flex name="f" dim="3" radius=".01" body="world"
vertex="0 0 0 1 0 0 0 1 0 0 0 1 1 1 1" element="0 2 1 3 1 2 3 4"/></deformable></mujoco>""",
    "coordinates in textures": """<mujoco><deformable><flex name="f" dim="2" radius=".01" body="world"
vertex="0 0 0 1 0 0 0 1 0" element="0 1 2" texcoord="0 0 1 0 0 1"/></deformable></mujoco>""",
    "what is not seen": """<mujoco><compiler discardvisual="true"/><asset><material name="m"/></asset>
<worldbody><geom name="kept" size="1" material="m"/><body><freejoint/><geom size=".1 .2 .3" type="box"
contype="0" conaffinity="0"/></body><body><inertial pos="0 0 1" mass="2" diaginertia="1 1 1"/>
<geom size=".1" contype="0" conaffinity="0"/></body></worldbody></mujoco>""",
}  # fmt: skip


@pytest.mark.parametrize("name", WRITTEN)
def test_texts(name):
    texts = []
    for module in (ours, mujoco):
        spec = module.MjSpec.from_string(
            WRITTEN[name], include={"child.xml": CHILD.encode()}, assets={}
        )
        spec.compile()
        texts.append(spec.to_xml())
    assert texts[0] == texts[1]
