"""The functions `mjv_` beside the reference's: the same arguments, the same outputs."""

import copy
import pickle

import numpy as np
import pytest

from mjenv.mujoco.api import facts

TOLERANCE = {"rtol": 1e-5, "atol": 1e-6}  # scenes hold numbers of 32 bits


def fields(thing, kind):
    return {name: getattr(thing, name) for name in facts()["classes"][kind]["fields"]}


# what the reference leaves as memory was, in geoms that nothing has filled
UNSET = ("objtype", "objid", "category", "segid", "camdist", "transparent")


def same(one, other, kind, but=()):
    for (name, a), b in zip(fields(one, kind).items(), fields(other, kind).values(), strict=True):
        if name in but:
            continue
        if isinstance(a, str):
            assert a == b, name
        else:
            np.testing.assert_allclose(a, b, err_msg=f"{kind}.{name}", **TOLERANCE)


def outputs(both, name, sizes, *more, dtype=np.float64):
    """What a function writes into arrays of these sizes, in both modules."""
    found = []
    for w in both:
        arrays = [np.zeros(size, dtype) for size in sizes]
        arguments = [getattr(w, word, word) if isinstance(word, str) else word for word in more]
        getattr(w.mujoco, name)(*arrays, *arguments)
        found.append(arrays)
    for a, b in zip(*found, strict=True):
        np.testing.assert_allclose(a, b, err_msg=name, **TOLERANCE)
    assert found[0][0].any()


def test_a_scene(both):
    (w, r) = both
    assert w.scn.ngeom == r.scn.ngeom == 3
    for a, b in zip(w.scn.geoms[:3], r.scn.geoms[:3], strict=True):
        same(a, b, "MjvGeom")
    for a, b in zip(w.scn.camera, r.scn.camera, strict=True):
        same(a, b, "MjvGLCamera")
    assert w.scn.nlight == r.scn.nlight == 2
    for a, b in zip(w.scn.lights[:2], r.scn.lights[:2], strict=True):
        same(a, b, "MjvLight")


@pytest.mark.parametrize("camera", ["side", "lens", "flat"])
def test_cameras_of_the_model(both, camera):
    for w in both:
        w.cam.type, w.cam.fixedcamid = w.mujoco.mjtCamera.mjCAMERA_FIXED, w.m.camera(camera).id
        w.mujoco.mjv_updateCamera(w.m, w.d, w.cam, w.scn)
    same(both[0].scn.camera[0], both[1].scn.camera[0], "MjvGLCamera")
    outputs(both, "mjv_cameraFrame", (3, 3, 3, 3), "d", "cam")
    outputs(both, "mjv_cameraFrustum", (2, 2, 2), "m", "cam", dtype=np.float32)


def test_eyes(both):
    outputs(both, "mjv_cameraInModel", (3, 3, 3), "scn")
    outputs(both, "mjv_cameraInRoom", (3, 3, 3), "scn")
    pose = np.array([1.0, 2, 3]), np.array([0.5, 0.5, 0.5, 0.5])
    outputs(both, "mjv_room2model", (3, 4), *pose, "scn")
    outputs(both, "mjv_model2room", (3, 4), *pose, "scn")
    outputs(both, "mjv_alignToCamera", (3,), np.array([1.0, 2, 3]), np.array([0.3, 0.8, 0.1]))
    heights = [w.mujoco.mjv_frustumHeight(w.scn) for w in both]
    assert heights[0] == pytest.approx(heights[1], rel=1e-6)
    mean = [w.mujoco.mjv_averageCamera(*w.scn.camera) for w in both]
    assert isinstance(mean[0], both[0].mujoco.MjvGLCamera)
    same(*mean, "MjvGLCamera")


def test_geoms(both):
    for w in both:
        w.mujoco.mjv_addGeoms(
            w.m, w.d, w.mujoco.MjvOption(), w.mujoco.MjvPerturb(),
            w.mujoco.mjtCatBit.mjCAT_DYNAMIC.value, w.scn,
        )  # fmt: skip
        assert w.scn.ngeom == 5
        for geom in w.scn.geoms[5:7]:
            w.mujoco.mjv_initGeom(
                geom, w.mujoco.mjtGeom.mjGEOM_BOX, np.array([0.1, 0.2, 0.3]), np.ones(3),
                np.eye(3).ravel(), np.array([1, 0, 0, 1], np.float32),
            )  # fmt: skip
        kind = w.mujoco.mjtGeom.mjGEOM_CAPSULE
        w.mujoco.mjv_connector(geom, kind, 0.05, np.zeros(3), np.array([1.0, 1, 0]))
    for a, b in zip(both[0].scn.geoms[:7], both[1].scn.geoms[:7], strict=True):
        same(a, b, "MjvGeom", UNSET)


def test_the_mouse(both):
    for w in both:
        actions = w.mujoco.mjtMouse
        move = w.mujoco.mjv_moveCamera
        for action in (actions.mjMOUSE_ROTATE_H, actions.mjMOUSE_MOVE_V, actions.mjMOUSE_ZOOM):
            move(w.m, action, 0.1, 0.2, w.scn, w.cam)
    same(both[0].cam, both[1].cam, "MjvCamera")


def test_pulling(both):
    perturbations, selections = [], []
    for w in both:
        w.cam.lookat = w.d.xpos[1]
        w.mujoco.mjv_updateCamera(w.m, w.d, w.cam, w.scn)
        point, ids = np.zeros(3), [np.full(1, -1, np.int32) for _ in range(3)]
        body = w.mujoco.mjv_select(
            w.m, w.d, w.mujoco.MjvOption(), 4 / 3, 0.5, 0.5, w.scn, point, *ids
        )
        assert body == 1
        selections.append((body, *point, *(int(i[0]) for i in ids)))
        pert = w.mujoco.MjvPerturb()
        pert.select, pert.active = body, w.mujoco.mjtPertBit.mjPERT_TRANSLATE
        w.mujoco.mjv_initPerturb(w.m, w.d, w.scn, pert)
        mouse = w.mujoco.mjtMouse.mjMOUSE_MOVE_H
        w.mujoco.mjv_movePerturb(w.m, w.d, mouse, 0.1, 0.2, w.scn, pert)
        w.mujoco.mjv_applyPerturbForce(w.m, w.d, pert)
        w.mujoco.mjv_applyPerturbPose(w.m, w.d, pert, 1)
        perturbations.append(pert)
    np.testing.assert_allclose(*selections, atol=1e-6)
    same(*perturbations, "MjvPerturb")
    (w, r) = both
    assert w.d.xfrc_applied[1].any()
    np.testing.assert_allclose(w.d.xfrc_applied, r.d.xfrc_applied, rtol=1e-5, atol=1e-8)
    np.testing.assert_allclose(w.d.qpos, r.d.qpos, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("kind", ["Camera", "Option", "Perturb"])
def test_defaults(both, kind):
    things = []
    for w in both:
        thing = getattr(w.mujoco, f"Mjv{kind}")()
        field = {"Camera": "type", "Option": "label", "Perturb": "select"}[kind]
        setattr(thing, field, 2)
        getattr(w.mujoco, f"mjv_default{kind}")(thing)
        things.append(thing)
    same(*things, f"Mjv{kind}")


def test_default_figure(w):
    figure = w.mujoco.MjvFigure()
    figure.title, figure.linepnt[3] = "x", 5
    w.mujoco.mjv_defaultFigure(figure)
    assert figure.title == ""
    assert not figure.linepnt.any()


def test_wrong_arguments(w):
    with pytest.raises(TypeError, match=r"mjv_initGeom.*geom: found int, expected MjvGeom"):
        w.mujoco.mjv_initGeom(0, 0, np.ones(3), np.ones(3), np.ones(9), np.ones(4, np.float32))
    w.cam.type, w.cam.fixedcamid = 2, 9
    with pytest.raises(w.mujoco.FatalError, match="fixedcamid=9"):
        w.mujoco.mjv_updateCamera(w.m, w.d, w.cam, w.scn)


def test_scenes_have_their_fields_as_attributes_of_the_class(both):
    w, r = both
    for name in facts()["classes"]["MjvScene"]["fields"]:
        assert isinstance(getattr(w.mujoco.MjvScene, name), property), name
        one, other = getattr(w.scn, name), getattr(r.scn, name)
        if isinstance(other, np.ndarray):
            assert (one.shape, one.dtype) == (other.shape, other.dtype), name
        elif not isinstance(other, tuple):
            assert type(one) is type(other), name

    class Scene(w.mujoco.MjvScene):
        """As programs make them."""

        @property
        def geoms(self):
            return super().geoms[: super().ngeom]

    assert len(Scene(w.m, 10).geoms) == 0
    w.scn.scale = 2
    assert w.scn.scale == 2.0
    with pytest.raises(TypeError, match=r"MjvScene\.ngeom: found 2\.5, expected a whole number"):
        w.scn.ngeom = 2.5
    w.scn.translate = [1, 2, 3]
    assert w.scn.translate.dtype == np.float32


@pytest.mark.parametrize(
    "twin", [copy.copy, copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_copies_of_scenes(w, twin):
    other = twin(w.scn)
    assert type(other) is w.mujoco.MjvScene
    assert isinstance(other.geoms[0], w.mujoco.MjvGeom)
    same(other.geoms[1], w.scn.geoms[1], "MjvGeom")
    other.geoms[1].pos[0] = 99
    other.flags[0] = 7
    assert w.scn.geoms[1].pos[0] != 99
    assert w.scn.flags[0] != 7
