"""Packs of worlds with the same rows: which worlds go together, and that it shows in no bit."""

import numpy as np

import mjenv
from mjenv.engine.run import program as programs
from mjenv.engine.tables.enums import COUNT_BLOCK

XML = """
<mujoco>
  <option timestep="0.002"/>
  <worldbody>
    <geom type="plane" size="5 5 1"/>
    <body pos="0 0 1">
      <joint name="x" type="slide" axis="1 0 0" limited="true" range="-1 1"/>
      <joint name="z" type="slide" axis="0 0 1"/>
      <joint name="turn" axis="0 1 0"/>
      <geom type="capsule" size="0.1 0.3"/>
    </body>
  </worldbody>
</mujoco>
"""
LENGTH = 0.4 - 0.01  # height of the body at which one end of the upright capsule is in the ground


def of_kinds(kinds, **options):
    """Worlds that touch with an end or are at a limit: "u"pper or "l"ower end, "<", ">" limit."""
    model = mjenv.Model.from_xml_string(XML)
    data = mjenv.Data(model, len(kinds), **{"nthread": 1, **options})
    for world, kind in enumerate(kinds):
        data.qpos[world] = {
            " ": (0, 1, 0), "u": (0, LENGTH - 1, np.pi), "l": (0, LENGTH - 1, 0),
            "<": (-1.01, 1, 0), ">": (1.01, 1, 0),
        }[kind]  # fmt: skip
    return model, data


def blocks(data):
    """Blocks of the last pack."""
    return data.plan.threads(1)[0].data.arrays["count"][COUNT_BLOCK]


def test_limits_of_a_joint_share_a_block():
    model, data = of_kinds("<><><><>", width=8)
    mjenv.forward(model, data)
    assert blocks(data) == 1
    assert (data.nefc == 1).all()
    pushed = np.sign(data.qfrc_constraint[:, 0])
    np.testing.assert_array_equal(pushed, [1, -1] * 4)


def test_world_at_both_limits_has_two_rows():
    text = XML.replace('range="-1 1"', 'range="-1 1" margin="2"')
    model = mjenv.Model.from_xml_string(text)
    data, alone = mjenv.Data(model, 8, width=8), mjenv.Data(model)
    data.qpos[:, 1] = alone.qpos[:, 1] = 1
    data.qpos[:, 0] = np.linspace(-4, 4, 8)
    mjenv.forward(model, data)
    assert set(data.nefc) == {1, 2}
    for world in range(8):
        alone.qpos[0, 0] = data.qpos[world, 0]
        alone.qacc_warmstart[:] = 0
        mjenv.forward(model, alone)
        assert alone.qacc[0].tobytes() == data.qacc[world].tobytes()


def test_ends_of_a_capsule_share_a_block():
    model, data = of_kinds("ululullu", width=8)
    mjenv.forward(model, data)
    assert blocks(data) == 1
    assert (data.ncon == 1).all()


def test_tendon_limits_share_a_block():
    fixed = '<fixed limited="true" range="-1 1"><joint joint="x" coef="1"/></fixed>'
    text = XML.replace('limited="true" range="-1 1"', "")
    text = text.replace("</mujoco>", f"<tendon>{fixed}</tendon></mujoco>")
    model = mjenv.Model.from_xml_string(text)
    data = mjenv.Data(model, 8, width=8)
    data.qpos[:, 1], data.qpos[:, 0] = 1, [-1.1, 1.1] * 4
    mjenv.forward(model, data)
    assert blocks(data) == 1
    np.testing.assert_array_equal(np.sign(data.qfrc_constraint[:, 0]), [1, -1] * 4)


def test_like_worlds_go_together(monkeypatch):
    """Two kinds of worlds in turn: from the second call on, each pack has one kind."""
    monkeypatch.setattr(programs, "NEIGHBOURS", 16)
    model, data = of_kinds(" <" * 16, width=8, keep=[])
    mjenv.step(model, data)
    mjenv.step(model, data)
    order = data.plan.program(programs.forward_program, data.kept, False, True, False).chosen()
    kinds = order.reshape(4, 8) % 2
    assert (kinds == kinds[:, :1]).all()
    # among neighbours only
    assert set(order[:16]) == set(range(16))


def test_order_shows_in_no_bit():
    """Some worlds, all worlds, and a number that fills no pack; beside one by one."""
    kinds = "<u l>"[::-1] * 9
    steps = [None, np.arange(45) % 3 > 0, None, np.arange(45) < 20, None, None]
    found = []
    for options in ({"width": 1}, {"width": 8}, {"width": 8, "nthread": 2}, {"width": 4}):
        model, data = of_kinds(kinds, **options)
        for mask in steps:
            mjenv.step(model, data, nstep=20, mask=mask)
        found.append((data.qpos.tobytes(), data.qvel.tobytes(), data.ncon.tobytes()))
    assert set(found) == {found[0]}


def test_hooks_see_worlds_in_their_order():
    """Functions of users are given the worlds of a pack as they come."""
    _, data = of_kinds(" <" * 8, width=8)
    assert data.plan.sorts_worlds
    mjenv.set_hook(data, "control", lambda model, data: None)
    assert not data.plan.sorts_worlds


def test_worlds_with_most_rows_come_first():
    """Threads that share packs end at about the same time if the longest ones come first."""
    _, data = of_kinds(" " * 8 + "<" * 8 + "u" * 8, width=8, keep=[])
    for _ in range(2):
        mjenv.step(data.model, data)
    order = data.plan.program(programs.forward_program, data.kept, False, True, False).chosen()
    assert order.tolist() == [*range(16, 24), *range(8, 16), *range(8)]


def test_last_world_fills_up_its_pack():
    """Whatever is left of the worlds before, in calls of fewer."""
    model, data = of_kinds("u<l><uuu<l", width=8, keep=[])
    single = [of_kinds(kind, width=1)[1] for kind in "u<l><uuu<l"]
    mask = np.arange(10) % 3 == 0
    for step in range(6):
        mjenv.step(model, data, mask=mask if step % 2 else None)
        for world, one in enumerate(single):
            if step % 2 == 0 or mask[world]:
                mjenv.step(one.model, one)
            assert one.qpos.tobytes() == data.qpos[world].tobytes()
