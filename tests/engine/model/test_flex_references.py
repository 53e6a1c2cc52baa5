"""Files of models with deformables: numbers that lead nowhere are refused by name."""

import numpy as np
import pytest

import mjenv
from mjenv.engine.errors import ModelFileError
from tests.engine.data.test_edits_of_flexes import SCENE

# a number of a field, among those of which there are some: its place from the end, and what it is
BAD = [
    ("flex_dim", 0, 4), ("flex_interp", 0, 3), ("flex_cellnum", 0, 0), ("flex_nodenum", 1, 40),
    ("flex_vertadr", 1, 3), ("flex_edge", 0, 100), ("flex_edgeflap", 0, -2), ("flex_elem", 0, 50),
    ("flex_elemedge", 0, -1), ("flex_vertbodyid", 0, 1000), ("flex_stiffnessadr", 1, 10**6),
    ("flex_vertedge", "first", 30), ("flexvert_J_rownnz", "first", -3),
    ("flexvert_J_rowadr", "first", 10**5), ("flexvert_J_colind", 0, 10**4),
    ("bvh_nodeid", 0, 500), ("bvh_child", "flex", 9),
    ("flex_bvhadr", 0, 0),
]  # fmt: skip


@pytest.fixture(scope="module")
def saved() -> bytes:
    return mjenv.Model.from_xml_string(SCENE).to_bytes()


@pytest.mark.parametrize(("name", "place", "value"), BAD)
def test_numbers_that_lead_nowhere(saved, name, place, value):
    model = mjenv.Model.from_bytes(saved)
    array = np.array(getattr(model, name))
    flat = array.reshape(-1)
    if place == "flex":
        place = 2 * int(model.flex_bvhadr[-1])
    elif place == "first":
        place = int(np.flatnonzero(flat)[0])
    else:
        place = flat.size - 1 - place
    flat[place] = value
    vars(model)[name] = array
    with pytest.raises(ModelFileError, match=name.removesuffix("adr").removesuffix("num")):
        mjenv.Model.from_bytes(model.to_bytes())
