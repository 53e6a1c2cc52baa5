"""Analysis functions beside MuJoCo's, in worlds along its trajectories."""

import mujoco
import numpy as np
import pytest

import mjenv
from tests.engine.reference import ZOO, copy_state, trajectory

NWORLD = 9
CHAIN = """
    <body name="base" pos="2 0 1">
      <freejoint/>
      <geom name="trunk" type="box" size="0.1 0.2 0.3"/>
      <site name="tip" pos="0.1 0.2 0.3" euler="10 20 30"/>
      <camera name="eye" pos="0.1 0 0" euler="30 20 10"/>
      <body name="limb" pos="0 0 0.3" euler="0 30 0">
        <joint type="ball" pos="0 0 -0.1"/>
        <geom type="capsule" size="0.05 0.2" pos="0 0 0.2"/>
        <body name="hand" pos="0 0 0.4">
          <joint axis="1 1 0"/>
          <joint type="slide" axis="0 1 1"/>
          <geom name="palm" type="ellipsoid" size="0.1 0.05 0.08" pos="0.1 0 0"/>
          <body name="held" pos="0.2 0 0"><geom size="0.03"/></body>
        </body>
      </body>
    </body>
    <body name="post" pos="3 0 0"><geom name="pole" size="0.1"/></body>
  </worldbody>"""
XML = ZOO.replace("</worldbody>", CHAIN)


@pytest.fixture(scope="module")
def large_model():
    """Both models, our data, MuJoCo's data of every world, and a random generator."""
    mj, model = mujoco.MjModel.from_xml_string(XML), mjenv.Model.from_xml_string(XML)
    data, sources = mjenv.Data(model, NWORLD), []
    for world, source in enumerate(trajectory(mj, 30 * NWORLD, every=30)):
        copy_state(source, data, world)
        sources.append(mujoco.MjData(mj))
        mujoco.mj_copyData(sources[-1], mj, source)
    mjenv.forward(model, data, post=True)
    for source in sources:
        mujoco.mj_forward(mj, source)
        mujoco.mj_rnePostConstraint(mj, source)
    return mj, model, data, sources, np.random.default_rng(5)


def close(found, expected, tolerance=1e-10):
    np.testing.assert_allclose(
        found, np.reshape(expected, np.shape(found)), rtol=tolerance, atol=tolerance
    )


BODIES = ["world", "box", "rod", "base", "limb", "hand", "held", "post"]


@pytest.mark.parametrize("name", BODIES)
def test_jacobians_of_bodies(large_model, name):
    mj, model, data, sources, rng = large_model
    point, axis = rng.normal(size=(2, NWORLD, 3))
    body, nv = model.body(name).id, model.nv
    found = {
        "jac": mjenv.jac(model, data, point, name),
        "body": mjenv.jac_body(model, data, body),
        "com": mjenv.jac_body_com(model, data, name),
        "axis": mjenv.jac_point_axis(model, data, point, axis, name),
        "dot": mjenv.jac_dot(model, data, point, name),
    }
    moment = mjenv.angmom_mat(model, data, name)
    subtree = mjenv.jac_subtree_com(model, data, name)
    force, torque = rng.normal(size=(2, 3))
    pushed = mjenv.apply_ft(model, data, force, torque, point, name)
    for world, source in enumerate(sources):
        p, a = point[world], axis[world]
        calls = {
            "jac": lambda x, y, s=source, p=p: mujoco.mj_jac(mj, s, x, y, p, body),
            "body": lambda x, y, s=source: mujoco.mj_jacBody(mj, s, x, y, body),
            "com": lambda x, y, s=source: mujoco.mj_jacBodyCom(mj, s, x, y, body),
            "axis": lambda x, y, s=source, p=p, a=a: mujoco.mj_jacPointAxis(
                mj, s, x, y, p, a, body
            ),
            "dot": lambda x, y, s=source, p=p: mujoco.mj_jacDot(mj, s, x, y, p, body),
        }
        for kind, call in calls.items():
            jacp, jacr = np.zeros((2, 3, nv))
            call(jacp, jacr)
            close(found[kind][0][world], jacp)
            close(found[kind][1][world], jacr)
        mat = np.zeros((3, nv))
        mujoco.mj_angmomMat(mj, source, mat, body)
        close(moment[world], mat)
        mujoco.mj_jacSubtreeCom(mj, source, mat, body)
        close(subtree[world], mat)
        target = np.zeros(nv)
        mujoco.mj_applyFT(mj, source, force, torque, p, body, target)
        close(pushed[world], target)


def test_jacobians_of_geoms_and_sites(large_model):
    mj, model, data, sources, _ = large_model
    cases = [("geom", g) for g in ("floor", "trunk", "palm", "pole")]
    cases += [("site", s) for s in ("mark", "tip")]
    for kind, name in cases:
        found = getattr(mjenv, f"jac_{kind}")(model, data, name)
        theirs = {"geom": mujoco.mj_jacGeom, "site": mujoco.mj_jacSite}[kind]
        for world, source in enumerate(sources):
            jacp, jacr = np.zeros((2, 3, model.nv))
            theirs(mj, source, jacp, jacr, getattr(model, kind)(name).id)
            close(found[0][world], jacp)
            close(found[1][world], jacr)


OBJECTS = [("body", "hand"), ("xbody", "hand"), ("geom", "palm"), ("site", "tip"),
           ("camera", "eye"), ("body", "post"), ("geom", "floor")]  # fmt: skip


@pytest.mark.parametrize("local", [False, True])
def test_motion_of_objects(large_model, local):
    mj, model, data, sources, _ = large_model
    for objtype, name in OBJECTS:
        vel = mjenv.object_velocity(model, data, objtype, name, local)
        acc = mjenv.object_acceleration(model, data, objtype, name, local)
        kind = getattr(mujoco.mjtObj, f"mjOBJ_{objtype.upper()}")
        objid = getattr(mj, "body" if objtype == "xbody" else objtype)(name).id
        for world, source in enumerate(sources):
            result = np.zeros(6)
            mujoco.mj_objectVelocity(mj, source, kind, objid, result, local)
            close(vel[world], result)
            mujoco.mj_objectAcceleration(mj, source, kind, objid, result, local)
            close(acc[world], result, 1e-7)


def test_poses_in_bodies(large_model):
    _, model, data, sources, rng = large_model
    pos, quat = rng.normal(size=3), np.array([0.5, 0.5, 0.5, -0.5])
    for same in range(5):
        xpos, xmat = mjenv.local_to_global(model, data, pos, quat, "hand", same)
        for world, source in enumerate(sources):
            p, r = np.zeros(3), np.zeros(9)
            mujoco.mj_local2Global(source, p, r, pos, quat, model.body("hand").id, same)
            close(xpos[world], p)
            close(xmat[world], r)


def test_contact_forces(large_model):
    mj, model, data, sources, _ = large_model
    most = max(source.ncon for source in sources)
    assert most > 3
    for contact in range(most + 1):
        found = mjenv.contact_force(model, data, contact)
        for world, source in enumerate(sources):
            force = np.zeros(6)
            mujoco.mj_contactForce(mj, source, contact, force)
            close(found[world], force, 1e-6)
    assert not mjenv.contact_force(model, data, 10**6).any()


def test_inertia(large_model):
    mj, model, data, sources, rng = large_model
    vec = rng.normal(size=(NWORLD, 3, model.nv))
    full, product = mjenv.full_m(model, data), mjenv.mul_m(model, data, vec)
    solved = mjenv.solve_m(model, data, vec)
    one = mjenv.mul_m(model, data, vec[0, 0])
    for world, source in enumerate(sources):
        expected = np.zeros((model.nv, model.nv))
        mujoco.mj_fullM(mj, expected, source.qM)
        close(full[world], expected)
        for k in range(3):
            result = np.zeros(model.nv)
            mujoco.mj_mulM(mj, source, result, vec[world, k])
            close(product[world, k], result)
            mujoco.mj_solveM(mj, source, result[None], vec[world, k][None])
            close(solved[world, k], result, 1e-8)
        close(one[world], expected @ vec[0, 0])
    assert mjenv.get_totalmass(model) == pytest.approx(mujoco.mj_getTotalmass(mj))


@pytest.mark.parametrize("flg_acc", [False, True])
def test_forces_of_motion(large_model, flg_acc):
    mj, model, data, sources, _ = large_model
    found, expected = mjenv.rne(model, data, flg_acc), np.zeros(model.nv)
    bias = data.qfrc_bias.copy()
    for world, source in enumerate(sources):
        mujoco.mj_rne(mj, source, flg_acc, expected)
        close(found[world], expected, 1e-8)
    np.testing.assert_array_equal(data.qfrc_bias, bias)


def test_positions(large_model):
    mj, model, data, _, rng = large_model
    vel = rng.normal(size=(NWORLD, model.nv))
    vel[0] = 0
    after = mjenv.integrate_pos(model, data.qpos, vel, -0.3)
    between = mjenv.differentiate_pos(model, 0.7, data.qpos, after)
    for world in range(NWORLD):
        qpos, qvel = data.qpos[world].copy(), np.zeros(model.nv)
        mujoco.mj_integratePos(mj, qpos, vel[world], -0.3)
        close(after[world], qpos)
        mujoco.mj_differentiatePos(mj, qvel, 0.7, data.qpos[world], after[world])
        close(between[world], qvel)
    close(between * 0.7, vel * -0.3)
    with pytest.raises(ValueError, match="qvel has shape"):
        mjenv.integrate_pos(model, data.qpos, vel[:, 1:], 1.0)


def test_same_bits(large_model):
    _, model, data, _, rng = large_model
    vec, point = rng.normal(size=(NWORLD, model.nv)), rng.normal(size=(NWORLD, 3))

    def results(worlds, data):
        v, p = vec[worlds], point[worlds]
        return [
            mjenv.mul_m(model, data, v),
            mjenv.solve_m(model, data, v),
            mjenv.rne(model, data, True),
            *mjenv.jac_dot(model, data, p, "hand"),
            mjenv.angmom_mat(model, data, "base"),
            mjenv.object_acceleration(model, data, "site", "tip", True),
            mjenv.integrate_pos(model, data.qpos, v, 0.1),
        ]

    expected = results(slice(None), data)
    one = mjenv.Data(model)
    for world in range(NWORLD):
        for name in ("qpos", "qvel", "ctrl", "qacc_warmstart"):
            getattr(one, name)[0] = getattr(data, name)[world]
        mjenv.forward(model, one, post=True)
        for a, b in zip(expected, results(slice(world, world + 1), one), strict=True):
            assert np.array_equal(a[world], b[0])


def test_messages(large_model):
    _, model, data, _, _ = large_model
    other = mjenv.Model.from_xml_string(XML)
    cases = (
        (lambda: mjenv.jac(model, data, [0, 0], "box"), ValueError,
         "jac: point has shape (2,), expected (3,) or (9, 3)"),
        (lambda: mjenv.jac_body(model, data, "bxo"), KeyError, "box"),
        (lambda: mjenv.object_velocity(model, data, "joint", 0), ValueError,
         "object_velocity: objtype='joint': expected one of 'body', 'xbody'"),
        (lambda: mjenv.mul_m(model, data, np.zeros(3)), ValueError, "mul_m: vec has shape"),
        (lambda: mjenv.full_m(other, data), ValueError,
         "full_m: data were made for another model"),
    )  # fmt: skip
    for call, kind, text in cases:
        with pytest.raises(kind) as error:
            call()
        assert text in str(error.value)


def test_subtrees(large_model):
    mj, model, data, sources, _ = large_model
    mjenv.subtree_vel(model, data)
    for world, source in enumerate(sources):
        mujoco.mj_subtreeVel(mj, source)
        close(data.subtree_linvel[world], source.subtree_linvel)
        close(data.subtree_angmom[world], source.subtree_angmom)
    one = mjenv.Data(model)
    one.qvel[0] = data.qvel[2]
    one.qpos[0] = data.qpos[2]
    mjenv.forward(model, one)
    mjenv.subtree_vel(model, one)
    assert np.array_equal(one.subtree_angmom[0], data.subtree_angmom[2])
