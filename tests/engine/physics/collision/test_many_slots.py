"""Contacts in models with many more slots than contacts, which share marks."""

import mujoco
import numpy as np

import mjenv
from mjenv.engine.physics.collision.contact import NPART, PART_BITS

BOXES = "".join(
    f'<body pos="{2 * k} 0 0"><freejoint/><geom type="box" size=".5 .5 .5"/></body>'
    for k in range(40)
)


def test_contacts_of_first_middle_and_last_pairs():
    """Some boxes overlap in a model of more slots than there are marks for."""
    xml = f'<mujoco><option gravity="0 0 0"/><worldbody>{BOXES}</worldbody></mujoco>'
    model, reference = mjenv.Model.from_xml_string(xml), mujoco.MjModel.from_xml_string(xml)
    data = mjenv.Data(model, 3, large_model=False)
    assert data.plan.sizes["nslot"] > NPART << PART_BITS
    for world, moved in enumerate([(0, 39), (1, 20), ()]):
        for box in moved:
            # onto its neighbour
            data.qpos[world, 7 * box] += 1.01 if box < 39 else -1.01
    for _ in range(2):
        mjenv.forward(model, data)
        for world in range(3):
            theirs = mujoco.MjData(reference)
            theirs.qpos[:] = data.qpos[world]
            mujoco.mj_forward(reference, theirs)
            n = data.ncon[world]
            assert n == theirs.ncon == (8, 8, 0)[world]
            np.testing.assert_array_equal(data.contact.geom[world, :n], theirs.contact.geom)
            np.testing.assert_allclose(data.contact.pos[world, :n], theirs.contact.pos, atol=1e-12)
            np.testing.assert_allclose(data.qacc[world], theirs.qacc, atol=1e-8)
        # once more with contacts elsewhere
        data.qpos[:] = np.roll(data.qpos, 1, axis=0)
        mjenv.forward(model, data)
        data.qpos[:] = np.roll(data.qpos, -1, axis=0)
