"""Texts name the type of a mesh file's contents where the compilation for them had to read it."""

import mujoco
import pytest

import mjenv.mujoco as ours

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def document(folder, meshes, collides=1):
    """A model of meshes by name: attributes of each."""
    assets = "".join(f"<mesh name='{name}' {what}/>" for name, what in meshes.items())
    geoms = "".join(f"<geom type='mesh' mesh='{n}' contype='{collides}' conaffinity='{collides}'/>"
                    for n in meshes)  # fmt: skip
    return (
        f"<mujoco><compiler meshdir='{folder}'/><asset>{assets}</asset>"
        f"<worldbody>{geoms}</worldbody></mujoco>"
    )


def lines(spec):
    """Lines of meshes in the text of a spec."""
    return [line.strip() for line in spec.to_xml().splitlines() if "<mesh" in line]


def texts(module, text, compiled):
    """Lines of a text's spec, at once or after it was compiled, and once more."""
    spec = module.MjSpec.from_string(text)
    if compiled:
        spec.compile()
    return [lines(spec), lines(spec), lines(spec.copy())]


A = "file='a.obj'"
CASES = {
    "one": [{"a": A}, {"a": A}],
    "others": [{"a": A}, {"b": "file='b.obj'", "a": A}],
    "given": [{"a": f"{A} content_type='model/obj'"}] * 2,
    "scales": [{"a": A, "b": f"{A} scale='2 2 2'"}, {"c": f"{A} scale='2 2 2'"}],
    "settings": [
        {"a": A}, {"a": f"{A} inertia='shell'"}, {"a": f"{A} maxhullvert='10'"},
        {"a": f"{A} refpos='1 0 0'"},
    ],
    "shape": [{"a": "builtin='sphere' params='2'"}],
}  # fmt: skip


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_files(case, compiled, tmp_path):
    for name in "ab":
        (tmp_path / f"{name}.obj").write_text(OBJ)
    found = [
        [texts(module, document(tmp_path, meshes), compiled) for meshes in CASES[case]]
        for module in (mujoco, ours)
    ]
    assert found[0] == found[1]
    if case == "one":
        assert ("content_type" in found[1][0][0][0]) == (not compiled)


@pytest.mark.parametrize("collides", [(0, 1, 0), (1, 0)])
def test_hulls_that_are_needed_later(collides, tmp_path):
    (tmp_path / "a.obj").write_text(OBJ)
    found = [
        [texts(module, document(tmp_path, {"a": A}, c), False) for c in collides]
        for module in (mujoco, ours)
    ]
    assert found[0] == found[1]


def test_models_that_were_compiled_before(tmp_path):
    (tmp_path / "a.obj").write_text(OBJ)
    text, found = document(tmp_path, {"a": A}), []
    for module in (mujoco, ours):
        module.MjModel.from_xml_string(text)
        found.append(texts(module, text, False))
    assert found[0] == found[1]
    assert "content_type" not in found[1][0][0]


def test_contents_that_change_in_memory():
    text, found = document(".", {"q": "file='in_memory.obj'"}), []
    for module in (mujoco, ours):
        for more in ("", "", "# more\n"):
            files = {"in_memory.obj": (OBJ + more).encode()}
            found.append(lines(module.MjSpec.from_string(text, assets=files)))
    assert found[:3] == found[3:]
    assert ["content_type" in line[0] for line in found[3:]] == [True, False, True]
