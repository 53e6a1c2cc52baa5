"""One way to run: what calls do besides running stages is done where it is needed."""

import numpy as np
import pytest

import mjenv
from mjenv.engine.data.prepared_step import PreparedStep
from mjenv.engine.run.execution import RUN_CONTEXTS
from mjenv.engine.tables.enums import SOL_PGS
from tests.engine.reference import XML

BALL = '<body pos="0 0 .2"><freejoint/><geom size=".1"/></body>'
TENDON = '<spatial name="t{0}"><site site="a{0}"/><site site="b{0}"/></spatial>'
SITED = (
    '<body pos="{0} 0 0"><freejoint/><geom size=".1"/><site name="a{0}"/></body><site name="b{0}"/>'
)
SLEEP = '<option><flag sleep="enable"/></option>'


def document(inside="", bodies="", after=""):
    floor = '<geom type="plane" size="5 5 1"/>'
    return f"<mujoco>{inside}<worldbody>{floor}{BALL}{bodies}</worldbody>{after}</mujoco>"


def hooked(data):
    mjenv.set_hook(data, "passive", lambda model, worlds: None)


JOINED = document(
    SLEEP,
    SITED.format(1) + SITED.format(3),
    f"<tendon>{TENDON.format(1)}{TENDON.format(3)}</tendon>"
    '<equality><tendon tendon1="t1" tendon2="t3" active="false"/></equality>',
)
HFIELD = document(
    '<asset><hfield name="h" nrow="3" ncol="3" size="1 1 1 1"/></asset>',
    '<geom type="hfield" hfield="h"/>',
)
# document, arguments of Data, what is done to the data, duties
CASES = [
    (document(), {}, None, []),
    (document(), {"nworld": 9}, None, []),
    (document('<option solver="PGS"/>'), {}, None, []),
    (document('<option solver="PGS" integrator="RK4"/>'), {}, None, ["keep_state"]),
    (document('<option noslip_iterations="2"/>'), {"nworld": 9}, None, ["keep_state"]),
    (document(), {"large_model": True}, None, []),
    (document(), {"large_model": True, "nworld": 3}, None, ["keep_state", "lengthen_lists"]),
    (document(SLEEP), {"large_model": True}, None, []),
    (JOINED, {"large_model": True}, None, ["refuse_joined_trees"]),
    (document(), {}, hooked, []),
    (HFIELD, {}, None, ["refuse_more_cells"]),
]  # fmt: skip


@pytest.mark.sweep(6)
@pytest.mark.parametrize("case", CASES, ids=["+".join(case[3]) or "none" for case in CASES])
def test_duties(case):
    """They are those of the model, and a prepared step gives the bits of a plain one."""
    xml, options, change, expected = case
    model = mjenv.Model.from_xml_string(xml)
    one, other = (mjenv.Data(model, **options) for _ in range(2))
    for data in (one, other):
        if change:
            change(data)
    prepared = PreparedStep(one, 3)
    for _ in range(2):
        one.plan.refresh()
        prepared()
        mjenv.step(model, other, 3)
    assert [context.__name__ for context in one.plan.contexts] == expected
    assert one.qpos.tobytes() == other.qpos.tobytes()
    assert (one.time > 0).all()


def test_every_duty_has_a_case():
    assert {context.around.__name__ for context in RUN_CONTEXTS} == {
        name for case in CASES for name in case[3]
    }


@pytest.mark.sweep(2)
@pytest.mark.parametrize("path", sorted(XML.glob("*.xml")), ids=lambda path: path.stem)
def test_environments_have_none(path):
    """Nothing stands between their steps and the stages, where the solver cannot need memory."""
    model = mjenv.Model.from_xml_path(str(path))
    grows = model.opt.solver == SOL_PGS
    for nworld in (1, 16):
        assert bool(mjenv.Data(model, nworld).plan.contexts) == grows


def test_prepared_steps_follow_options():
    """Also those that ask for duties, and back again."""
    model = mjenv.Model.from_xml_string(document())
    one, other = mjenv.Data(model, 3), mjenv.Data(model, 3)
    prepared = PreparedStep(one, 2)
    for solver, count in ((2, 0), (0, 1), (1, 0)):
        model.opt.solver = solver
        one.plan.refresh()
        prepared(np.array([0, 2]))
        mjenv.step(model, other, 2, mask=np.array([True, False, True]))
        assert len(one.plan.contexts) == count
        assert one.qpos.tobytes() == other.qpos.tobytes()
    assert one.time[1] == 0


def test_forces_from_outside_count_as_soon_as_they_are_used():
    """In threads that are there, and in those that come later."""
    model = mjenv.Model.from_xml_string(document('<option gravity="0 0 0"/>'))
    data = mjenv.Data(model, 64, nthread=2)
    mjenv.step(model, data, mask=np.arange(64) < 2)
    data.xfrc_applied[:, 1, 0] = 1.0
    mjenv.step(model, data)
    assert (data.qvel[:, 0] > 0).all()
