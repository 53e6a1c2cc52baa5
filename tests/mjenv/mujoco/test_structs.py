"""MjModel, MjData and the structures inside them: views, copies, files, assignments, names."""

import copy
import gc
import pickle
import sys

import mujoco
import numpy as np
import pytest

import mjenv
import mjenv.mujoco as ours
from mjenv.mujoco.api import facts
from tests.mjenv.mujoco.scenes import EVERYTHING, compiled

BOTH = pytest.mark.parametrize("module", [ours, mujoco])
KINDS = [
    (owner, name)
    for owner in ("Model", "Data")
    for name in ("actuator", "body", "cam", "geom", "jnt", "light", "sensor", "site", "tendon")
] + [
    ("Model", name)
    for name in ("eq", "hfield", "key", "mat", "mesh", "numeric", "tex", "camera", "joint",
                 "equality", "keyframe", "material", "texture")
]  # fmt: skip


def moved(module, name="everything", steps=5):
    m, d = compiled(module, name)
    d.ctrl = 0.2
    module.mj_step(m, d, steps)
    module.mj_forward(m, d)
    return m, d


@pytest.mark.sweep(10)
@pytest.mark.parametrize(("owner", "kind"), KINDS)
def test_named_views(owner, kind):
    """They have the reference's attributes, with its shapes and numbers, also in their text."""
    views = []
    for module in (ours, mujoco):
        m, d = moved(module)
        source = m if owner == "Model" else d
        views.append([getattr(source, kind)(place) for place in range(2 if kind == "body" else 1)])
    for mine, real in zip(*views, strict=True):
        assert type(mine).__name__ == type(real).__name__
        for name in facts()["classes"][type(real).__name__]["fields"]:
            try:
                expected = getattr(real, name)
            except Exception:  # the reference itself cannot tell it
                continue
            # misspelt there, or read out of other memory than their own
            if name.startswith("_") or name in ("moment", "J_colind"):
                continue
            found = getattr(mine, name)
            if isinstance(expected, np.ndarray):
                assert (found.shape, found.dtype.kind) == (expected.shape, expected.dtype.kind), (
                    name
                )
                np.testing.assert_allclose(found, expected, atol=1e-9, err_msg=name)
            else:
                assert found == expected
        assert repr(mine).split("\n")[0] == repr(real).split("\n")[0]


@BOTH
def test_named_views_write_through(module):
    m, d = moved(module)
    d.body("box").xpos[0] = 3.0
    assert d.xpos[1, 0] == 3.0
    m.geom("box").size = [1, 2, 3]
    assert m.geom_size[2].tolist() == [1, 2, 3]
    view = d.joint("elbow")
    assert view is d.jnt(view.id)
    assert view.qpos is view.qpos
    module.mj_step(m, d)
    assert view.qpos[0] == d.qpos[m.jnt_qposadr[view.id]]


HELD = ("qpos", "xpos", "qM", "actuator_moment", "sensordata")
COPIED = (*HELD, "time", "qvel", "efc_force", "ncon", "history")


@BOTH
def test_arrays_stay_valid(module):
    m, d = moved(module)
    held = {
        name: getattr(d, name) for name in ("qpos", "xpos", "qM", "actuator_moment", "sensordata")
    }
    contact = d.contact
    d.qpos[2] += 1.0
    d.qpos[8] -= 0.1
    module.mj_forward(m, d)
    for name, array in held.items():
        np.testing.assert_array_equal(array, getattr(d, name), err_msg=name)
    assert len(contact) == d.ncon


@BOTH
def test_copies_are_apart(module):
    m, d = moved(module)
    one, other = copy.copy(d), copy.deepcopy(d)
    assert one.model is m
    assert other.model is not m
    for twin in (one, other, pickle.loads(pickle.dumps(d))):
        for name in (
            "time",
            "qpos",
            "qvel",
            "xpos",
            "qM",
            "efc_force",
            "sensordata",
            "ncon",
            "history",
        ):
            np.testing.assert_array_equal(getattr(twin, name), getattr(d, name), err_msg=name)
        assert twin.contact == d.contact
        module.mj_step(twin.model, twin)
        assert twin.time > d.time
    model = copy.deepcopy(m)
    model.geom_size[:] = 7.0
    assert m.geom_size[2, 0] == 0.1
    assert pickle.loads(pickle.dumps(m)).names == m.names


@BOTH
def test_a_list_in_a_copy_is_copied_deeply(module):
    m, d = moved(module)
    models, datas = copy.deepcopy(([m], [d]))
    assert datas[0].model is models[0] or module is mujoco


@BOTH
def test_assignments_that_are_refused(module):
    m, d = moved(module)
    for thing, name, value in (
        (m, "nq", 3), (m, "unknown", 1), (m, "opt", m.opt), (d, "contact", 1), (d, "warning", 1),
        (d, "model", m), (m.opt, "unknown", 1), (module.MjvCamera(), "unknown", 1),
    ):  # fmt: skip
        if thing is not d or name != "unknown":
            with pytest.raises(AttributeError):
                setattr(thing, name, value)
    with pytest.raises(TypeError):
        m.opt.iterations = 1.5
    with pytest.raises(TypeError):
        module.MjvCamera().fixedcamid = 0.5
    with pytest.raises(ValueError, match="broadcast"):
        d.qpos = np.zeros(3)
    with pytest.raises(TypeError):
        module.MjData(3)
    with pytest.raises(TypeError):
        module.MjModel()


@BOTH
def test_typing_errors_are_refused(module):
    """Unknown names, deleted fields, and values that are no numbers; subclasses may have more."""
    m, d = compiled(module, "everything")
    for owner, name in ((d, "qpso"), (m, "nope"), (m.opt, "nope"), (m.vis.map, "nope")):
        with pytest.raises(AttributeError):
            setattr(owner, name, 3)
    for owner, name in ((d, "qpos"), (d, "time"), (m, "nq"), (m, "qpos0"), (m.opt, "timestep")):
        with pytest.raises(AttributeError, match="no deleter"):
            delattr(owner, name)
    camera, quality = module.MjvCamera(), m.vis.quality
    reals = ((d, "time"), (m.opt, "timestep"), (m.vis.map, "znear"), (camera, "distance"))
    wholes = ((quality, "shadowsize"), (camera, "type"))
    for owner, name in reals + wholes:
        for value in (None, "a", [2.0], *((1.5,) * ((owner, name) in wholes))):
            with pytest.raises(TypeError):
                setattr(owner, name, value)
        setattr(owner, name, np.int64(2))
        assert getattr(owner, name) == 2
    with pytest.raises(ValueError, match="cannot exceed 99: got length 100"):
        module.MjvGeom().label = 100 * "x"

    class More(module.MjData):
        pass

    more = More(m)
    more.found = 3
    del more.found


@BOTH
def test_names_and_paths_may_be_bytes(module, tmp_path):
    path = tmp_path / "model.xml"
    path.write_text("<mujoco><worldbody><geom name='ball' size='1'/></worldbody></mujoco>")
    m = module.MjModel.from_xml_path(str(path).encode())
    assert m.geom(b"ball").id == module.MjData(m).geom(b"ball").id == 0
    assert module.MjSpec.from_file(str(path).encode()).compile().ngeom == 1
    for wrong in (0.5, None):
        with pytest.raises(TypeError):
            m.geom(wrong)


@BOTH
@pytest.mark.parametrize("name", ["integrator", "solver"])
def test_unknown_kinds_of_options(module, name):
    """Where they are used, and until they are others."""
    m = module.MjModel.from_xml_string(
        "<mujoco><worldbody><geom type='plane' size='1 1 1'/><body><joint type='slide'/>"
        "<geom size='.1'/></body></worldbody></mujoco>"
    )
    d = module.MjData(m)
    setattr(m.opt, name, 7)
    for _ in range(2):
        with pytest.raises(module.FatalError, match=name):
            module.mj_step(m, d)
    setattr(m.opt, name, 0)
    module.mj_step(m, d)


@BOTH
def test_another_model_of_equal_sizes(module):
    m, d = moved(module)
    heavy, held = copy.deepcopy(m), d.qpos
    heavy.opt.gravity[2] = -1.0
    module.mj_forward(heavy, d)
    assert d.model is m
    low = d.qacc.copy()
    module.mj_jacBody(heavy, d, np.zeros((3, m.nv)), None, 2)
    module.mj_forward(m, d)
    assert not np.allclose(low, d.qacc)
    module.mj_step(heavy, d)
    assert held is not d.qpos or held.base is d.qpos.base
    np.testing.assert_array_equal(held, d.qpos)


def test_a_model_of_other_sizes_is_refused():
    _, d = moved(ours)
    with pytest.raises(ours.FatalError, match="mj_step: found a model with nq = "):
        ours.mj_step(compiled(ours, "ant")[0], d)


@BOTH
def test_one_reference_to_the_model(module):
    d = module.MjData(module.MjModel.from_xml_string(EVERYTHING))
    model = d.model
    assert sys.getrefcount(model) == 3
    del d
    gc.collect()
    assert sys.getrefcount(model) == 2


@BOTH
def test_saved_models(module, tmp_path):
    m, _ = moved(module)
    path, buffer = str(tmp_path / "model.mjb"), np.zeros(module.mj_sizeModel(m), np.uint8)
    module.mj_saveModel(m, path, None)
    module.mj_saveModel(m, None, buffer)
    loaded = module.MjModel.from_binary_path(path)
    assert (loaded.nq, loaded.names) == (m.nq, m.names)
    again = module.MjModel.from_binary_path("in.mjb", {"in.mjb": buffer.tobytes()})
    np.testing.assert_array_equal(again.body_mass, m.body_mass)
    with pytest.raises(ValueError, match="mj_loadModel"):
        module.MjModel.from_binary_path(str(tmp_path / "none.mjb"))


def test_files_of_mujoco_are_refused_by_name(tmp_path):
    path = str(tmp_path / "model.mjb")
    mujoco.mj_saveModel(compiled(mujoco, "ant")[0], path, None)
    with pytest.raises(ValueError, match="binary file of MuJoCo"):
        ours.MjModel.from_binary_path(path)


@BOTH
def test_last_document_is_saved(module, tmp_path):
    m, _ = moved(module)
    path = str(tmp_path / "saved.xml")
    m.body_pos[2] = [5.0, 6.0, 7.0]
    module.mj_saveLastXML(path, m)
    again = module.MjModel.from_xml_path(path)
    np.testing.assert_allclose(again.body_pos, m.body_pos, atol=1e-6)


@pytest.mark.parametrize("edited", [False, True])
def test_text_of_the_last_document(edited, tmp_path):
    """It is MuJoCo's, from a file whose parts lie beside it too."""
    (tmp_path / "part.xml").write_text(
        "<mujoco><worldbody><body name='part'><joint range='-90 90'/>"
        "<geom type='capsule' size='.1' fromto='0 0 0 1 0 0'/></body></worldbody></mujoco>"
    )
    path = tmp_path / "model.xml"
    path.write_text(
        "<mujoco model='two'><include file='part.xml'/><worldbody><geom name='g' size='1'/>"
        "</worldbody><actuator><position name='p' joint='j' kp='3'/></actuator></mujoco>".replace(
            "<geom name='g'", "<body pos='3 0 0'><joint name='j'/><geom size='.1'/></body><geom"
        )
    )
    texts = []
    for module in (ours, mujoco):
        m = module.MjModel.from_xml_path(str(path))
        if edited:
            m.geom_rgba[:, 0], m.opt.timestep = 0.25, 0.004
        module.mj_saveLastXML(str(tmp_path / "saved.xml"), m)
        texts.append((tmp_path / "saved.xml").read_text())
        with pytest.raises(module.FatalError, match="File not found"):
            module.mj_saveLastXML(str(tmp_path / "none" / "saved.xml"), m)
    assert texts[0] == texts[1]
    assert ("rgba" in texts[0]) == edited


@BOTH
def test_timers_and_iterations(module):
    m, d = moved(module)
    _ = d.timer[0].number, d.solver[0].improvement
    before = d.timer[int(module.mjtTimer.mjTIMER_STEP)].number
    module.mj_step(m, d, 4)
    step = d.timer[int(module.mjtTimer.mjTIMER_STEP)]
    assert step.number == before + 4
    assert step.duration > 0.0
    assert len(d.timer) == len(mujoco.mjTIMERSTRING)
    assert len(d.solver) == 4000
    assert d.solver[0].nactive > 0


def test_parts_of_lists():
    _, d = moved(ours)
    part = d.contact[1:]
    assert len(part) == d.ncon - 1
    part[0].dist = 0.75
    assert d.contact.dist[1] == part.dist[0] == 0.75


def test_moment_arms_of_an_actuator():
    """In a dense row, as its shape says; the reference takes sparse ones for it."""
    m, d = moved(ours)
    moment = d.actuator("motor").moment
    assert moment.shape == (m.nv,)
    assert moment[m.joint("elbow").dofadr[0]] == 1.0
    assert np.count_nonzero(moment) == 1


@BOTH
def test_lists_of_structures(module):
    _, d = moved(module)
    number = d.ncon
    assert number > 2
    assert d.contact[number - 1].geom.tolist() == d.contact.geom[number - 1].tolist()
    d.contact[1].dist = -0.5
    assert d.contact.dist[1] == -0.5
    kept = copy.copy(d.contact[1])
    d.contact[1].dist = 0.25
    assert kept.dist == -0.5
    assert d.contact != d.warning
    with pytest.raises(IndexError):
        d.contact[number]
    assert repr(d.warning).startswith("<_MjWarningStatList")


@BOTH
def test_files_in_memory(module):
    tetra = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    text = "<mujoco><asset><mesh name='t' file='t.obj'/></asset></mujoco>"
    with module.MjVfs() as vfs:
        vfs["t.obj"] = tetra
        vfs["main.xml"] = text.encode()
        assert "t.obj" in vfs
        assert module.MjModel.from_xml_path("main.xml", vfs=vfs).nmesh == 1
        with pytest.raises(ValueError, match="assets"):
            module.MjModel.from_xml_string(text, {"t.obj": tetra}, vfs=vfs)
        with pytest.raises(ValueError, match=r"t\.obj"):
            vfs["t.obj"] = tetra
    with pytest.raises(RuntimeError):
        vfs["u.obj"] = tetra
    assert module.MjModel.from_xml_string(text, {"t.obj": tetra}).nmesh == 1
    with pytest.raises(ValueError, match=r"t\.obj"):
        module.MjModel.from_xml_string(text)
    with pytest.raises(ValueError, match="ParseXML"):
        module.MjModel.from_xml_path("nowhere.xml")


def test_unknown_names_are_told():
    with pytest.raises(AttributeError, match="no attribute 'mj_stepp'"):
        _ = ours.mj_stepp
    m, d = moved(ours)
    with pytest.raises(KeyError, match=r"Invalid name 'bowl'\. Valid names: \['box', 'floor'"):
        d.geom("bowl")
    with pytest.raises(IndexError, match=r"Invalid index 99\. Valid indices from 0 to"):
        m.body(99)
    with pytest.raises(AttributeError, match="nothing"):
        _ = d.nothing
    with pytest.raises(ValueError, match=r"unrecognized element\nElement 'cat', line 1"):
        ours.MjModel.from_xml_string("<mujoco><cat/></mujoco>")


def test_models_may_be_larger_than_texts_of_others(monkeypatch):
    """MuJoCo has no limit of their memory; that of the engine is for texts from elsewhere."""
    monkeypatch.setattr("mjenv.engine.mjcf.text.source.MAX_BYTES", 10_000)
    text = """<mujoco><asset><texture name="t" type="2d" builtin="flat" width="80" height="80"/>
    </asset><worldbody><geom size="1"/></worldbody></mujoco>"""
    with pytest.raises(mjenv.UnsupportedFeature, match="max_bytes"):
        mjenv.Model.from_xml_string(text)
    assert ours.MjModel.from_xml_string(text).ntexdata == 80 * 80 * 3
    assert ours.MjSpec.from_string(text).compile().ntexdata == 80 * 80 * 3


ASKING = {
    "mesh": '<asset><mesh file="nothing.obj"/></asset>',
    "texture": '<asset><texture type="2d" file="nothing.png"/></asset>',
    "hfield": '<asset><hfield file="nothing.png" size="1 1 1 1"/></asset>',
    "include": '<include file="nothing.xml"/>',
}


@BOTH
@pytest.mark.parametrize("kind", ASKING)
def test_words_about_missing_files(module, kind, tmp_path):
    """MyoSuite and others look for them in messages."""
    text, file = f"<mujoco>{ASKING[kind]}</mujoco>", tmp_path / "m.xml"
    file.write_text(text)
    ways = (
        lambda: module.MjModel.from_xml_string(text),
        lambda: module.MjModel.from_xml_path(str(file)),
        lambda: module.MjSpec.from_string(text).compile(),
        lambda: module.MjSpec.from_file(str(file)).compile(),
    )
    for way in ways:
        with pytest.raises(ValueError, match=r"Error: Error opening file '.*nothing\.\w+'"):
            way()
