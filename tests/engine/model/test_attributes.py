"""Attributes that there are not, what cannot be assigned, and how objects look when printed."""

import numpy as np
import pytest

import mjenv

XML = """
<mujoco model="pair">
  <worldbody>
    <geom name="floor" type="plane" size="1 1 .1"/>
    <body name="ball" pos="0 0 .05"><freejoint/><geom name="skin" size=".1"/></body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def model():
    return mjenv.Model.from_xml_string(XML)


@pytest.fixture
def data(model):
    return mjenv.Data(model)


def refusal(action, kind=AttributeError) -> str:
    with pytest.raises(kind) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize(
    ("owner", "name", "message"),
    [
        ("data", "ctlr", "Data.ctlr: no such field; did you mean 'ctrl'?"),
        ("data", "qpso", "Data.qpso: no such field; did you mean 'qpos'?"),
        ("data", "nworld", "Data.nworld: cannot be assigned; make data with as many worlds: "
         "Data(model, nworld=...)"),
        ("data", "model", "Data.model: cannot be assigned; make data for the other model: "
         "Data(model)"),
        ("data", "contact", "Data.contact: cannot be assigned; it is computed from positions"),
        ("data", "body", "Data.body: cannot be assigned"),
        ("model", "nq", "Model.nq: cannot be assigned; a size, which the document decides; compile "
         "another model"),
        ("model", "names", "Model.names: cannot be assigned; the document decides it; compile "
         "another model"),
        ("model", "opt", "Model.opt: cannot be assigned; set its fields: opt.timestep, impratio, "
         "tolerance, ls_tolerance, ..."),
        ("model", "body_mas", "Model: body_mas: no such field; did you mean 'body_mass'?"),
        ("opt", "tmestep", "Option: tmestep: no such field; did you mean 'timestep'?"),
        ("vis", "globl", "Visual: globl: no such field; did you mean 'global_'?"),
    ],
)  # fmt: skip
def test_assignments_that_are_refused(model, data, owner, name, message):
    objects = {"data": data, "model": model, "opt": model.opt, "vis": model.vis}
    assert refusal(lambda: setattr(objects[owner], name, 5)) == message


def test_unknown_attributes_when_read(model, data):
    assert "did you mean 'body_mass'?" in refusal(lambda: model.body_mas)
    assert "did you mean 'qpos'?" in refusal(lambda: data.qpso)
    assert "did you mean 'timestep'?" in refusal(lambda: model.opt.timstep)
    assert "did you mean 'dist'?" in refusal(lambda: data.contact.dits)
    assert not hasattr(model, "__array__")


def test_specs_and_renderers(model):
    spec = mjenv.Spec.from_string(XML)
    renderer = mjenv.Renderer(model, 4, 4)
    assert "Spec: optoin: no such attribute; did you mean 'option'?" in refusal(
        lambda: setattr(spec, "optoin", 1)
    )
    assert "Spec.option: cannot be assigned" in refusal(lambda: setattr(spec, "option", 1))
    spec.modelname = "other"
    assert spec.compile().modelname == "other"
    for action in (lambda: setattr(renderer, "widht", 1), lambda: renderer.widht):
        assert refusal(action) == "Renderer: widht: no such attribute; did you mean 'width'?"


def test_access_without_a_name_lists_the_names(model, data):
    for owner in (model, data):
        message = refusal(owner.geom, KeyError)
        assert "geom: '': no such name; there are floor, skin" in message


def test_fields_of_data_are_assigned_as_a_whole(model, data):
    data.qpos = model.qpos0 + 1
    data.xfrc_applied = 2.0
    mjenv.forward(model, data)
    data.qM = 3.0  # one that is computed when it is looked at
    assert (data.qpos[0] == model.qpos0 + 1).all()
    assert (data.xfrc_applied == 2).all()
    assert (data.qM == 3).all()


def test_contacts_of_one_world_are_a_list(model, data):
    mjenv.forward(model, data)
    assert len(data.contact) == 1
    (contact,) = data.contact
    assert contact.dist == data.contact.dist[0, 0] == pytest.approx(-0.05)
    assert contact.geom.tolist() == [0, 1]
    assert repr(contact) == "<contact of geoms 0 and 1, dist -0.05>"
    assert repr(data.contact) == "<1 contacts>"
    contact.friction[:] = 0.5
    assert (data.contact[-1].friction == 0.5).all()
    assert (
        refusal(lambda: data.contact[1], IndexError)
        == "Data.contact[1]: found 1 contacts, expected an index below that"
    )
    many = mjenv.Data(model, 3)
    assert not many.contact
    assert refusal(lambda: len(many.contact), TypeError) == (
        "Data.contact: a list of one world only, these are 3 worlds; expected fields with a world "
        "first: data.contact.dist[world, :data.ncon[world]]"
    )


def test_without_anything_that_touches_there_are_no_contacts():
    model = mjenv.Model.from_xml_string(
        "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    )
    for nworld in (1, 9):
        data = mjenv.Data(model, nworld)
        mjenv.step(model, data)
        assert not data.contact
        assert data.contact.dist.shape == (nworld, 0)
        assert data.contact.frame.shape[0] == nworld
    assert len(mjenv.Data(model, keep=[]).contact) == 0


def test_how_objects_look(model, data):
    assert repr(model) == (
        "<mjenv.Model 'pair': nq=7 nv=6 nu=0 na=0 nbody=2 njnt=1 ngeom=2 nsensor=0>"
    )
    assert repr(data) == "<mjenv.Data of 'pair': 1 world, time 0>"
    many = mjenv.Data(model, 3)
    mjenv.step(model, many, mask=np.array([True, False, False]))
    assert repr(many) == "<mjenv.Data of 'pair': 3 worlds, time 0 to 0.002>"
    assert repr(mjenv.Spec.from_string(XML)) == "<mjenv.Spec 'pair': 1 bodies>"
    assert repr(data.body("ball")) == "<body 1 'ball'>"
    assert repr(mjenv.Renderer(model, 40, 60)) == "<mjenv.Renderer of 'pair': 60 x 40 pixels>"


def test_what_is_no_model_is_refused():
    assert refusal(lambda: mjenv.Model(XML), TypeError) == (
        "Model: found a str; expected Model.from_xml_path(path) or Model.from_xml_string(text)"
    )
    assert refusal(lambda: mjenv.Data(XML), TypeError) == (
        "Data: found a str, expected a model: Data(Model.from_xml_path(...))"
    )


def test_copy_data_has_the_order_of_mujoco(model, data):
    """A call with the arguments the other way round is refused: it would erase its source."""
    mjenv.step(model, data, 5)
    for arguments in ((model, data, mjenv.Data(model)), (mjenv.Data(model), data, model)):
        message = refusal(lambda found=arguments: mjenv.copy_data(*found), TypeError)
        assert "expected (dst, model, src) as in mj_copyData" in message
    copy = mjenv.Data(model)
    mjenv.copy_data(copy, model, data)
    assert copy.time == data.time == pytest.approx(0.01)
    other = mjenv.Data(model)
    mjenv.copy_data(model=model, src=data, dst=other)
    assert other.time == data.time
