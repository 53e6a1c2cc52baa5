"""Python's collector of cycles waits while a document is compiled, whatever comes of it."""

import gc

import pytest

import mjenv.engine.edit.compile as compiling
from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import MjcfError
from mjenv.engine.mjcf.text.collector import uncollected


@pytest.mark.parametrize("enabled", [True, False])
def test_it_is_as_before(enabled):
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        with uncollected():
            assert not gc.isenabled()
            with uncollected():
                assert not gc.isenabled()
            assert not gc.isenabled()
        assert gc.isenabled() == enabled
        with pytest.raises(MjcfError):
            Model.from_xml_string("<mujoco><wrong/></mujoco>")
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()


def test_it_waits_while_models_are_compiled(monkeypatch):
    seen, original = [], compiling.collect

    def collect(root):
        seen.append(gc.isenabled())
        return original(root)

    monkeypatch.setattr(compiling, "collect", collect)
    was = gc.isenabled()
    gc.enable()
    try:
        Model.from_xml_string("<mujoco/>")
        assert seen == [False]
        assert gc.isenabled()
    finally:
        if not was:
            gc.disable()
