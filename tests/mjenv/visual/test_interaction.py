"""Selecting, pulling and turning bodies with the mouse, beside MuJoCo's."""

import mujoco
import numpy as np
import pytest

import mjenv
from mjenv.visual import Selection
from tests.mjenv.visual.beside import Both, copied, different_fields
from tests.mjenv.visual.test_scene import SKIN, fixed_camera

VIS, PERT = mujoco.mjtVisFlag, mujoco.mjtPertBit

XML = """
<mujoco>
  <visual><map stiffness="150" stiffnessrot="300"/></visual>
  <worldbody>
    <camera name="flat" pos="0 -3 1" xyaxes="1 0 0 0 0 1" projection="orthographic" fovy="2"/>
    <camera name="lens" pos="0 -3 1" xyaxes="1 0 0 0 0.2 1" sensorsize="0.036 0.024"
      focal="0.02 0.02" principal="0.002 -0.001" resolution="60 40"/>
    <geom type="plane" size="3 3 1"/>
    <body name="marker" mocap="true" pos="1 0 1" quat="0.6 0 0.8 0">
      <geom type="box" size="0.2 0.1 0.1" pos="0.1 0 0"/></body>
    <body name="root" pos="-0.5 0 1"><freejoint/>
      <geom type="box" size="0.3 0.1 0.2" pos="0.05 0 0"/>
      <body name="child" pos="0.4 0 0.1"><joint axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 0.5 0 0.1" size="0.1"/></body></body>
    <body name="hanging" pos="0 0.5 1.5"><joint type="ball"/>
      <geom type="capsule" fromto="0 0 0 0.1 0 -0.6" size="0.08" group="3"/></body>
    <body name="fixed" pos="0 1 0.3"><geom size="0.2"/></body>
  </worldbody>
</mujoco>
"""


class Interactive(Both):
    """Both, with data of ours in the state of MuJoCo's, and scenes."""

    def __init__(self, xml: str = XML, camera: mujoco.MjvCamera | None = None):
        super().__init__(xml, steps=10)
        self.d.qvel[:] = np.random.default_rng(3).normal(size=self.m.nv)
        mujoco.mj_forward(self.m, self.d)
        self.worlds = mjenv.Data(self.model, 2)
        self.worlds.qpos[1], self.worlds.qvel[1] = self.d.qpos, self.d.qvel
        mjenv.forward(self.model, self.worlds)
        self.compare(camera=camera)
        self.theirs_pert, self.pert = mujoco.MjvPerturb(), mjenv.MjvPerturb()

    def perturb(self, **values) -> None:
        """Set both perturbations."""
        for pert in (self.theirs_pert, self.pert):
            for name, value in values.items():
                setattr(pert, name, value)

    def start(self) -> None:
        """Start to pull, in both."""
        mujoco.mjv_initPerturb(self.m, self.d, self.theirs, self.theirs_pert)
        mjenv.mjv_initPerturb(self.model, self.worlds, self.ours, self.pert, world=1)


CAMERAS = {"free": None, "flat": fixed_camera(0), "lens": fixed_camera(1)}


@pytest.fixture(scope="module", params=CAMERAS)
def one(request) -> Interactive:
    return Interactive(camera=CAMERAS[request.param])


def test_selection(one):
    """All over the picture, with groups and static geoms on and off."""
    chosen = {}
    for values in ({}, {"geomgroup": 1}, {"flags": {VIS.mjVIS_STATIC: 0}}):
        their_option, option = one.options(**values)
        for relx in np.linspace(0.03, 0.97, 9):
            for rely in np.linspace(0.03, 0.97, 9):
                point, ids = np.zeros(3), np.full((3, 1), -1, np.int32)
                body = mujoco.mjv_select(
                    one.m, one.d, their_option, 1.5, relx, rely, one.theirs, point, *ids
                )
                found = mjenv.mjv_select(
                    one.model, one.worlds, option, 1.5, relx, rely, one.ours, world=1
                )
                assert (found.bodyid, *found[2:]) == (body, *ids[:, 0])
                np.testing.assert_allclose(found.point, point, atol=1e-5)
                chosen[body] = found
    assert len(chosen) > 3
    assert isinstance(found, Selection)


def test_perturbations(one):
    """References, the mouse on them, and what they do to bodies: every body and action."""
    rng = np.random.default_rng(0)
    for body in range(one.m.nbody):
        one.perturb(select=body, localpos=rng.normal(size=3) / 10, active=0, active2=0)
        one.start()
        assert not different_fields(one.theirs_pert, one.pert, 50), body
        for action in (*range(1, 8), 1, 2, 1):
            for _ in range(3):
                dx, dy = rng.normal(size=2) / 4
                mujoco.mjv_movePerturb(one.m, one.d, action, dx, dy, one.theirs, one.theirs_pert)
                mjenv.mjv_movePerturb(
                    one.model, one.worlds, action, dx, dy, one.ours, one.pert, world=1
                )
                assert not different_fields(one.theirs_pert, one.pert, 200), (body, action)
            # what rounding has made of the references does not add up
            copied(one.theirs_pert, one.pert)
        for active in range(4):
            one.perturb(active=active, active2=(active + 1) % 4 if body % 2 else 0)
            one.d.xfrc_applied[:] = 0
            one.worlds.xfrc_applied[...] = 0
            mujoco.mjv_applyPerturbForce(one.m, one.d, one.theirs_pert)
            mjenv.mjv_applyPerturbForce(one.model, one.worlds, one.pert, world=1)
            wanted = one.d.xfrc_applied
            scale = 1 + np.abs(wanted).max()
            np.testing.assert_allclose(one.worlds.xfrc_applied[1], wanted, atol=1e-9 * scale)
            assert not one.worlds.xfrc_applied[0].any()
    assert wanted.shape == (one.m.nbody, 6)


@pytest.mark.parametrize("paused", [False, True])
def test_perturbed_poses(paused):
    """Mocap bodies move at any time, free ones and what hangs from them in a pause."""
    one = Interactive()
    moved = set()
    for body in range(one.m.nbody):
        for active in (0, int(PERT.mjPERT_TRANSLATE)):
            before = one.d.qpos.copy(), one.d.mocap_pos.copy()
            one.perturb(select=body, active=0, localpos=[0.1, 0, 0])
            one.start()
            one.perturb(active=active, refpos=[0.3, 0.2, 0.1 * body], refquat=[0.6, 0, 0, 0.8])
            mujoco.mjv_applyPerturbPose(one.m, one.d, one.theirs_pert, paused)
            mjenv.mjv_applyPerturbPose(one.model, one.worlds, one.pert, paused, world=1)
            for name in ("qpos", "mocap_pos", "mocap_quat"):
                mine = getattr(one.worlds, name)
                np.testing.assert_allclose(mine[1], getattr(one.d, name), atol=1e-9)
            if (before[0] != one.d.qpos).any() or (before[1] != one.d.mocap_pos).any():
                moved.add(body)
    assert moved == ({1, 2, 3} if paused else {1})


def test_selected_skins():
    """Skins before geoms, and the body that moves their nearest vertex most."""
    one = Interactive(SKIN)
    camera = mujoco.MjvCamera()
    camera.distance, camera.lookat = 4, [0.7, 0, 1]
    one.compare(camera=camera)
    skins = set()
    for flag in (1, 0):
        their_option, option = one.options(skingroup=1, flags={VIS.mjVIS_SKIN: flag})
        for relx in np.linspace(0.2, 0.8, 13):
            for rely in np.linspace(0.2, 0.8, 13):
                point, ids = np.zeros(3), np.full((3, 1), -1, np.int32)
                body = mujoco.mjv_select(
                    one.m, one.d, their_option, 1.0, relx, rely, one.theirs, point, *ids
                )
                found = mjenv.mjv_select(
                    one.model, one.worlds, option, 1.0, relx, rely, one.ours, world=1
                )
                assert (found.bodyid, *found[2:]) == (body, *ids[:, 0])
                np.testing.assert_allclose(found.point, point, atol=1e-5)
                skins.add(found.skinid)
    assert skins >= {-1, 0}


def test_moved_models():
    """The model in its room, by every action."""
    one = Both(XML)
    one.compare()
    for scene in (one.theirs, one.ours):
        scene.enabletransform, scene.scale = 1, 1.5
        scene.translate[:], scene.rotate[:] = (1, -2, 0.5), (0.5, 0.5, -0.5, 0.5)
    rng = np.random.default_rng(2)
    for action in (*range(1, 8), 5, 5):
        for _ in range(4):
            dx, dy = rng.normal(size=2)
            mujoco.mjv_moveModel(one.m, action, dx, dy, [0, 0, 1], one.theirs)
            mjenv.mjv_moveModel(one.model, action, dx, dy, [0, 0, 1], one.ours)
            for name in ("translate", "rotate", "scale"):
                wanted = getattr(one.theirs, name)
                np.testing.assert_allclose(getattr(one.ours, name), wanted, rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match=r"action=0, expected one of mjenv\.mjtMouse"):
        mjenv.mjv_moveModel(one.model, 0, 1, 1, [0, 0, 1], one.ours)
    one.ours.enabletransform = 0
    before = one.ours.rotate.copy()
    mjenv.mjv_moveModel(one.model, 1, 1, 1, [0, 0, 1], one.ours)
    assert (one.ours.rotate == before).all()


def test_refused_actions():
    one = Interactive()
    one.perturb(select=2)
    with pytest.raises(ValueError, match="action=0, expected one of"):
        mjenv.mjv_movePerturb(one.model, one.worlds, 0, 1, 1, one.ours, one.pert)
    empty = mjenv.MjvScene(one.model)
    with pytest.raises(ValueError, match="the scene has no camera yet"):
        mjenv.mjv_select(one.model, one.worlds, mjenv.MjvOption(), 1, 0.5, 0.5, empty)
