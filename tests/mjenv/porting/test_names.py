"""Names of environments to be ported: what is said where there is none."""

import sys

import pytest

from mjenv.porting.original import made


@pytest.mark.parametrize("name", ["NoSuch-v0", "metaworlds/reach-v3", "HalfCheetah-v999"])
def test_unknown_environment(name):
    with pytest.raises(ValueError, match="expected an id of Gymnasium or of an installed") as error:
        made(name, {})
    assert str(error.value).startswith(f"{name}: no such environment (")


def test_functions_of_modules(tmp_path, monkeypatch):
    """The module is looked for in the current folder, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "ported_tasks.py").write_text("def make(size):\n    return size\nother = 3\n")
    assert made("ported_tasks:make", {"size": 2}) == 2
    for name in ("mak", "other"):
        with pytest.raises(ValueError, match=f"found no function '{name}' in ported_tasks"):
            made(f"ported_tasks:{name}", {})
    with pytest.raises(ValueError, match="absent_tasks: no such module in"):
        made("absent_tasks:make", {})
