"""The field table against MuJoCo's own description of its structures."""

import mujoco
import numpy as np
import pytest
from mujoco.introspect import structs

from mjenv.engine.tables import fields

TABLES = {
    "mjModel": fields.MODEL,
    "mjOption": fields.OPTION,
    "mjStatistic": fields.STATISTIC,
    "mjVisual": fields.VISUAL,
    "mjData": fields.DATA,
    "mjContact": fields.CONTACT,
    "mjSolverStat": fields.SOLVER_STAT,
    "mjWarningStat": fields.WARNING_STAT,
    "mjTimerStat": fields.TIMER_STAT,
}

TYPES = {
    "mjtSize": "size",
    "size_t": "size",
    "int": "int",
    "uint64_t": "long",
    "uintptr_t": "long",
    "mjtNum": "real",
    "float": "float",
    "mjtByte": "byte",
    "char": "char",
    "void": "pointer",
}

# constants that the module does not export
CONSTANTS = {"mjNTEXROLE": int(mujoco.mjtTextureRole.mjNTEXROLE)}

# parts of mjModel that have tables of their own
NESTED = {"mjOption", "mjVisual", "mjStatistic"}

# a sample of each kind of object, to have arrays of every type to look at
SAMPLE = """
<mujoco>
  <worldbody>
    <light/> <camera/>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 .1"><freejoint/><geom size=".2"/><site/></body>
  </worldbody>
</mujoco>
"""


def element_type(ctype):
    """The C name of what an array, a pointer or a value holds."""
    while not hasattr(ctype, "name"):
        ctype = ctype.inner_type
    return ctype.name


def dimensions(field):
    """Shape as in the table; named constants become numbers."""
    extents = getattr(field.type, "extents", None) or field.array_extent or ()
    dims = []
    for n in extents:
        for factor in str(n).split("*"):
            constant = CONSTANTS.get(factor, getattr(mujoco, factor, factor))
            dims.append(int(constant) if str(constant).isdigit() else constant)
    # a product of constants, such as the solver's rows, is one dimension
    if dims and len(dims) > 1 and all(isinstance(n, int) for n in dims) and len(extents) == 1:
        return (int(np.prod(dims)),)
    return tuple(dims)


def reference(struct):
    """(name, type, shape) of every field, as MuJoCo declares them."""
    for field in structs.STRUCTS[struct].fields:
        if struct == "mjVisual":
            for part in field.type.fields:
                yield f"{field.name}.{part.name}", TYPES[element_type(part.type)], dimensions(part)
            continue
        ctype = element_type(field.type)
        if ctype in NESTED:
            continue
        kind = TYPES.get(ctype, ctype)
        pointer = hasattr(field.type, "inner_type") and not hasattr(field.type, "extents")
        yield field.name, "long" if kind == "size" and pointer else kind, dimensions(field)


@pytest.mark.parametrize("struct", TABLES)
def test_same_as_mujoco(struct):
    """Names, order, types and shapes are MuJoCo's."""
    assert [(f.name, f.type, f.shape) for f in TABLES[struct]] == list(reference(struct))


@pytest.mark.parametrize("struct", TABLES)
def test_meanings(struct):
    """Every field says what it is, and not in the words of MuJoCo's header."""
    declared = {f.name: getattr(f, "doc", "") for f in structs.STRUCTS[struct].fields}
    for field in TABLES[struct]:
        assert len(field.meaning) > 1, field.name
        assert len(field.meaning.split()) < 3 or field.meaning != declared.get(field.name)


def test_shapes_are_sizes_or_numbers():
    """A dimension is a size of the model, a count of the data, or a number."""
    sizes = {f.name for f in fields.MODEL if f.type == "size"}
    counts = {f.name for f in fields.DATA if f.type == "int" and not f.shape}
    for table in TABLES.values():
        for field in table:
            for n in field.shape:
                assert isinstance(n, int) or n in sizes | counts, (field.name, n)


@pytest.mark.parametrize("struct", ["mjModel", "mjData"])
def test_arrays_of_a_real_model(struct):
    """Arrays that MuJoCo allocates have the size and the type of the table."""
    model = mujoco.MjModel.from_xml_string(SAMPLE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    owner = model if struct == "mjModel" else data
    checked = 0
    for field in TABLES[struct]:
        array = getattr(owner, field.name, None)
        if not field.shape or field.type not in fields.DTYPES or not isinstance(array, np.ndarray):
            continue
        shape = [n if isinstance(n, int) else size_of(model, data, n) for n in field.shape]
        assert array.size == int(np.prod(shape)), field.name
        assert array.dtype.itemsize == np.dtype(fields.DTYPES[field.type]).itemsize, field.name
        checked += 1
    assert checked > 100


def size_of(model, data, name):
    """A size of the model or a count of the data."""
    return getattr(model, name) if hasattr(model, name) else getattr(data, name)
