"""Numbers at the limits of their types: accepted and refused as in MuJoCo."""

import mujoco
import numpy as np
import pytest

from mjenv import MjcfError, Model

NUMBERS = (
    "1e-40", "1.1754943e-38", "1.17549435e-38", "1e-38", "3.4028235e38", "3.4028236e38", "1e-46",
    "0", "-0.0", "1e300", "-1e300", "1e-300", "1e-400", "1e400", "inf", "-inf", "0x1p-130", "1e308",
    "0x1p-140",
)  # fmt: skip
PLACES = (
    "<geom size='1' rgba='{} 0 0 1'/>",
    "<geom size='1' solmix='{}'/>",
    "<site rgba='1 1 1 {}'/>",
    "<light diffuse='{} 0 0'/>",
    "<light cutoff='{}'/>",
    "<camera sensorsize='1 1' focal='1 {}'/>",
    "<camera ipd='{}'/>",
)
ASIDE = (
    "<visual><map fogend='{}'/></visual>",
    "<visual><rgba fog='0 {} 0 0'/></visual>",
    "<asset><material name='m' shininess='{}'/></asset>",
    "<default><geom rgba='{} 1 1 1'/></default>",
    "<option density='{}'/>",
)


def outcome(make, xml):
    try:
        return make(xml)
    except ValueError:  # so is MjcfError
        return None


@pytest.mark.sweep(4)
@pytest.mark.parametrize("place", PLACES + ASIDE)
def test_limits_of_numbers(place):
    around = (
        "<mujoco><worldbody>{}</worldbody></mujoco>" if place in PLACES else "<mujoco>{}</mujoco>"
    )
    for number in NUMBERS:
        xml = around.format(place.format(number))
        ours = outcome(Model.from_xml_string, xml)
        reference = outcome(mujoco.MjModel.from_xml_string, xml)
        assert (ours is None) == (reference is None), number
        for name in ("geom_rgba", "light_cutoff", "cam_intrinsic", "mat_shininess"):
            if ours is not None:
                np.testing.assert_array_equal(getattr(ours, name), getattr(reference, name))


def test_message_names_the_limits_of_single_precision():
    with pytest.raises(
        MjcfError, match=r"rgba='1e39 0 0 1': expected a number between 1.2e-38 and"
    ):
        Model.from_xml_string(
            "<mujoco><worldbody><geom size='1' rgba='1e39 0 0 1'/></worldbody></mujoco>"
        )


def test_axes_too_long_to_square():
    xml = "<mujoco><worldbody><site xyaxes='1e300 1 1 1 1 1'/></worldbody></mujoco>"
    assert outcome(mujoco.MjModel.from_xml_string, xml) is None
    with pytest.raises(MjcfError, match="expected axes that are not too long"):
        Model.from_xml_string(xml)


def test_what_is_not_a_number_is_accepted_with_a_warning():
    xml = "<mujoco><worldbody><site pos='nan 0 0'/></worldbody></mujoco>"
    with pytest.warns(
        UserWarning, match="<site>: pos='nan 0 0': expected numbers, accepted as MuJ"
    ):
        model = Model.from_xml_string(xml)
    np.testing.assert_array_equal(model.site_pos, mujoco.MjModel.from_xml_string(xml).site_pos)
    with pytest.warns(UserWarning, match="<geom>: solref='nan 1'"):
        Model.from_xml_string(xml.replace("site pos='nan 0 0'", "geom size='1' solref='nan 1'"))
