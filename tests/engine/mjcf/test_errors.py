"""Where errors come from: features that are not built, files and lines, included files."""

import pytest

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError, UnsupportedFeature, nearest


def world(inside):
    return f"<mujoco>\n<worldbody>\n{inside}\n</worldbody>\n</mujoco>"


def actuator(inside):
    arm = "<worldbody><body><joint name='hip_5'/><geom size='1'/></body></worldbody>"
    return f"<mujoco>{arm}\n<actuator>\n{inside}\n</actuator>\n</mujoco>"


UNBUILT = [
    (
        "<mujoco><worldbody><flexcomp name='f'>\n<plugin plugin='p'/></flexcomp></worldbody>"
        "</mujoco>",
        "<plugin> in <flexcomp>",
    ),
]


@pytest.mark.parametrize(("xml", "what"), UNBUILT, ids=[what for _, what in UNBUILT])
def test_unbuilt_features_are_refused_by_name(xml, what):
    with pytest.raises(UnsupportedFeature, match=r"^<string>:2: <") as caught:
        Model.from_xml_string(xml)
    assert f": {what} is valid, but not supported" in str(caught.value)


def test_file_and_line_of_an_included_file(tmp_path):
    (tmp_path / "arm.xml").write_text("<mujoco>\n\n<geom size='x'/></mujoco>")
    (tmp_path / "main.xml").write_text(world("<include file='arm.xml'/>"))
    with pytest.raises(MjcfError, match=r"arm\.xml:3: <geom>: size='x'"):
        Model.from_xml_path(tmp_path / "main.xml")


def test_includes_from_memory():
    main = world("<include file='a.xml'/>\n<include file='a.xml'/>")
    assets = {"a.xml": b"<x><geom name='g' size='1'/></x>"}
    with pytest.raises(MjcfError, match=r"4: <include>: file='a\.xml': already included"):
        Model.from_xml_string(main, assets)
    once = world("<include file='a.xml'/>")
    assert Model.from_xml_string(once, assets).geom("g").id == 0


def test_nearest():
    assert nearest("knee_lft", ["knee_left", "hip"]) == "; did you mean 'knee_left'?"
    assert nearest("zzz", ["knee_left", "hip"]) == ""
