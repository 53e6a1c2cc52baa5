"""Public names that have changed: the former ones work for one more release, with a warning."""

import gymnasium
import pytest

import mjenv

XML = "<mujoco><worldbody><body><joint/><geom size='.1'/></body></worldbody></mujoco>"


@pytest.mark.parametrize("make", [gymnasium.make, gymnasium.make_vec])
def test_reason_for_numpy(make):
    env = make("mjenv/InvertedPendulum-v5", compiled=False)
    with pytest.warns(DeprecationWarning, match="found plain_reason, expected its new name comp"):
        assert env.unwrapped.plain_reason is None
    assert env.unwrapped.compile_error is None
    env.close()


def test_large_models():
    model = mjenv.Model.from_xml_string(XML)
    with pytest.warns(
        DeprecationWarning, match=r"found Data\(scene=\.\.\.\), expected its new name"
    ):
        data = mjenv.Data(model, scene=True)
    assert data.plan.large_model
