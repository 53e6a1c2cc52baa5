"""The cache of compiled code: what an entry's file is named after, and what loading takes."""

import subprocess
import sys
import types

import pytest

from mjenv.engine import kernel
from mjenv.engine.kernel import kernel as mark
from mjenv.engine.record import Layout

LAYOUT = Layout("test", [("x", "f8"), ("n", "size")])
SOURCE = '''
FACTOR = {factor}

@mark
def inner(x):
    """{doc}"""
    return x {sign} FACTOR

@mark
def unrelated(x):
    return x * {other}

@mark
def entry(m, d):
    for k in range(m.n):
        d.x[k] = inner(d.x[k])
'''


def digest(factor=2.0, doc="Text.", sign="*", other=3.0, width=4) -> str:
    module = types.ModuleType("scratch")
    module.mark = mark
    source = SOURCE.format(factor=factor, doc=doc, sign=sign, other=other)
    exec(compile(source, "scratch", "exec"), module.__dict__)
    records = ((LAYOUT, 0, True), (LAYOUT, width, False))
    return kernel._digest(module.entry, records)


def test_an_edit_recompiles_what_depends_on_it():
    assert digest() == digest()
    assert digest(factor=3.0) != digest()
    assert digest(sign="+") != digest()
    assert digest(width=8) != digest()
    assert digest(doc="Other words.") == digest()
    assert digest(other=4.0) == digest()


def test_a_kernel_names_only_kernels_and_constants():
    @mark
    def wrong(m, d):
        return subprocess

    with pytest.raises(TypeError, match="global 'subprocess' is a module; expected a kernel"):
        kernel._digest(wrong, ((LAYOUT, 0, True), (LAYOUT, 1, False)))


def test_loading_needs_no_compiler():
    """What is in the cache is linked without numba."""
    code = (
        "import sys, mjenv\n"
        "xml = '<mujoco><worldbody><body><joint/><geom size=\".1\"/></body></worldbody></mujoco>'\n"
        "model = mjenv.Model.from_xml_string(xml)\n"
        "mjenv.step(model, mjenv.Data(model, keep=[]))\n"
        "print('numba' in sys.modules)\n"
    )
    for expected in (None, "False"):
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert expected in (None, out.stdout.strip())
