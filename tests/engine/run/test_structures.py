"""What is derived from a model once serves later data of models with the same structure."""

import numpy as np
import pytest

from mjenv import Data, Model, step
from mjenv.engine.model.change_detection import LOCKED, WATCHED
from mjenv.engine.model.model import SIZES
from mjenv.engine.run import structures
from mjenv.engine.run.derived import Wanted, derive
from mjenv.engine.run.structures import FREE, OPTIONS, structure_of
from tests.engine.calls import calls_of
from tests.engine.every_field import LISTS
from tests.engine.reference import MODELS, ZOO, load

MODEL = """
<mujoco>
  <worldbody>
    <geom type="plane" size="5 5 .1"/>
    <body pos="0 0 {z}"><freejoint/><geom size="{size}" contype="1"/></body>
    <body pos="1 0 1"><joint axis="0 1 0"/><geom type="capsule" size=".1 .2"/></body>
  </worldbody>
</mujoco>
"""
DELAYS = """
<mujoco>
  <worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody>
  <actuator><motor joint="j" delay=".01" nsample="4"/></actuator>
</mujoco>
"""
TEXTS = {"zoo": ZOO, "lists": LISTS.format(option="", flag=""), "delays": DELAYS}


def made(z: float = 1.0, size: float = 0.2) -> Model:
    return Model.from_xml_string(MODEL.format(z=z, size=size))


class Recorder:
    """Notes which fields are read."""

    def __init__(self, of: object, read: set[str], options: set[str]):
        self._of, self._read, self._options = of, read, options

    def __getattr__(self, name: str):
        value = getattr(self._of, name)
        if name == "opt":
            return Recorder(value, self._options, self._options)
        self._read.add(name)
        return value


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", [*MODELS, *TEXTS])
def test_what_is_derived_depends_on_nothing_but_the_key(name):
    model = Model.from_xml_string(TEXTS[name]) if name in TEXTS else load(name)[1]
    for capacity in (None, (None, None)):
        read: set[str] = set()
        options: set[str] = set()
        derive(Recorder(model, read, options), Wanted(1, capacity=capacity))
        assert not read - {*WATCHED, *LOCKED, *FREE, *SIZES}
        assert not options - {*OPTIONS, "timestep"}


def test_starts_of_delays_depend_on_the_time_step():
    """The only use of the time step."""
    model = Model.from_xml_string(DELAYS)
    before = Data(model).history.copy()
    model.opt.timestep *= 3
    assert not np.array_equal(Data(model).history, before)
    assert np.array_equal(Data(model).history, Data(Model.from_bytes(model.to_bytes())).history)


def test_models_that_differ_in_real_numbers_share_what_is_derived():
    one, other = made(), made(z=2.0, size=0.3)
    assert structure_of(one) is structure_of(other)
    first, second = Data(one), Data(other)
    assert first.plan.derived.tables is second.plan.derived.tables
    step(one, first), step(other, second)
    alone = Data(made(z=2.0, size=0.3), large_model=False)
    step(alone.model, alone)
    assert second.qpos.tobytes() == alone.qpos.tobytes()


def test_an_edit_of_the_structure_is_another_structure():
    model = made()
    step(model, Data(model), 400)
    model.geom_contype[1] = model.geom_conaffinity[1] = 0
    data = Data(model)
    step(model, data, 400)
    assert data.qpos[0, 2] < 0  # fell through the floor
    model.geom_contype[1] = 1
    data = Data(model)
    step(model, data, 400)
    assert data.qpos[0, 2] > 0


def test_data_that_share_tables_do_not_share_what_grows():
    model = made()
    one, other = Data(model, large_model=True), Data(model, large_model=True)
    one.plan.sizes["nconmax"] += 10
    one.plan.conditions["medium"] = True
    assert other.plan.sizes["nconmax"] + 10 == one.plan.sizes["nconmax"]
    assert not Data(model, large_model=True).plan.conditions["medium"]


def test_bad_references_are_found_in_models_of_known_structure():
    model = made()
    Data(model)
    model.geom_matid[1] = 7
    with pytest.raises(ValueError, match="geom_matid"):
        Data(model)


def test_bad_references_are_found_in_long_arrays_after_data_were_made(monkeypatch):
    """Long arrays are compared with what they were, rather than hashed for each data."""
    mesh = '<asset><mesh name="m" builtin="sphere" params="4"/></asset>'
    monkeypatch.setattr(structures, "LONG", 1000)
    model = Model.from_xml_string(f"<mujoco>{mesh}</mujoco>")
    key = structure_of(model)
    assert structure_of(model) is key
    model.mesh_facenormal[7, 1] += 1
    assert structure_of(model) is not key
    model.mesh_facenormal[7, 1] = 10**6
    for _ in range(2):
        with pytest.raises(ValueError, match="mesh_facenormal"):
            Data(model)


def test_more_data_of_a_model_cost_little():
    model = made()
    Data(model)
    assert calls_of(lambda: Data(model)) < 3000
    again = made(z=3.0)
    assert calls_of(lambda: Data(again)) < 12000


def test_old_structures_are_dropped(monkeypatch):
    monkeypatch.setattr(structures, "MOST", 2)
    for n in range(1, 5):
        bodies = "<body><freejoint/><geom size='.1'/></body>" * n
        Data(Model.from_xml_string(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>"))
    assert len(structures._known) == 2


def test_worlds_start_alike_in_first_and_later_data():
    model = made()
    first, later = Data(model, 3), Data(model, 3)
    for name, array in first._arrays.items():
        assert array.shape == later._arrays[name].shape
        assert np.array_equal(array, later._arrays[name])
        assert not array.size or not np.shares_memory(array, later._arrays[name])
