"""Assets are compiled once for all models that have them."""

import io

import mujoco
import numpy as np
import pytest

from mjenv import Model
from mjenv.engine.mjcf.assets import kept as module
from mjenv.engine.mjcf.assets.kept import digest, forget, kept
from tests.engine.calls import calls_of

TEXT = """
<mujoco>
  <asset>
    <mesh name="m" file="m.stl" scale="{scale} 1 1"/>
    <texture name="t" type="2d" file="t.png"/><material name="t" texture="t"/>
  </asset>
  <worldbody>
    <body pos="0 0 {z}"><freejoint/><geom type="mesh" mesh="m" material="t"/></body>
  </worldbody>
</mujoco>
"""


def stl(seed: int = 0) -> bytes:
    """A bent sheet of many triangles around a body, closed: an ellipsoid of two poles."""
    rng = np.random.default_rng(seed)
    n = 40
    size = 1 + 0.1 * rng.random(3)
    a, b = np.meshgrid(np.linspace(0, np.pi, n), np.linspace(0, 2 * np.pi, n), indexing="ij")
    points = np.stack([np.sin(a) * np.cos(b), np.sin(a) * np.sin(b), np.cos(a)], -1) * size
    quads = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    one, two = (np.stack([quads[k] for k in ks], 2) for ks in ((0, 1, 2), (0, 2, 3)))
    corners = np.concatenate([one.reshape(-1, 9), two.reshape(-1, 9)]).astype("<f4")
    rows = np.zeros(
        len(corners), [("normal", "<f4", 3), ("corners", "<f4", 9), ("attribute", "<u2")]
    )
    rows["corners"] = corners
    return bytes(80) + len(rows).to_bytes(4, "little") + rows.tobytes()


def png(seed: int = 0) -> bytes:
    from PIL import Image

    pixels = np.random.default_rng(seed).integers(0, 256, (64, 64, 3), dtype=np.uint8)
    Image.fromarray(pixels).save(file := io.BytesIO(), "png")
    return file.getvalue()


def made(scale: float = 1.0, z: float = 0.0, seed: int = 0) -> Model:
    assets = {"m.stl": stl(seed), "t.png": png(seed)}
    return Model.from_xml_string(TEXT.format(scale=scale, z=z), assets)


@pytest.mark.slow
def test_equal_assets_are_compiled_once():
    forget()
    first = made().to_bytes()
    count = len(module._kept)
    assert count == 3  # triangles, mesh, picture
    assert made().to_bytes() == first
    again = calls_of(lambda: made(z=1.0))
    assert len(module._kept) == count
    forget()
    assert calls_of(lambda: made(z=1.0)) > again + 2000


@pytest.mark.sweep(1)
@pytest.mark.parametrize("change", [{"scale": 2.0}, {"seed": 1}, {"scale": -1.0, "seed": 2}])
def test_what_differs_is_compiled_anew(change):
    made()
    found = made(**change).to_bytes()
    forget()
    assert made(**change).to_bytes() == found


def test_models_of_kept_assets_are_mujocos():
    made()
    mine = made(scale=1.5)
    assets = {"m.stl": stl(), "t.png": png()}
    its = mujoco.MjModel.from_xml_string(TEXT.format(scale=1.5, z=0.0), assets)
    for name in ("mesh_vert", "mesh_face", "mesh_normal", "bvh_aabb", "bvh_child", "tex_data"):
        np.testing.assert_allclose(getattr(mine, name), getattr(its, name), atol=1e-6)


def test_edits_of_a_model_do_not_reach_the_next():
    model = made()
    before = model.to_bytes()
    model.mesh_vert[:] = 0
    model.tex_data[:] = 0
    assert made().to_bytes() == before


def test_errors_come_every_time():
    for _ in range(2):
        with pytest.raises(ValueError, match="expected 84 bytes or more"):
            Model.from_xml_string(TEXT.format(scale=1, z=0), {"m.stl": b"x", "t.png": png()})


def test_what_was_used_longest_ago_goes_first(monkeypatch):
    forget()
    monkeypatch.setattr(module.Limit, "capacity", 3000)
    for k in (1, 2, 1, 3):
        assert kept(("test", k), lambda k=k: np.full(150, k))[0] == k
    assert [key for _, key in module._kept] == [1, 3]
    with pytest.raises(ValueError, match="read-only"):
        kept(("test", 1), lambda: None)[0] = 7
    forget()


def test_digests_tell_where_one_part_ends():
    one, two = np.zeros((2, 3)), np.zeros((3, 2))
    assert digest([one]) != digest([two])
    assert digest([b"ab", b"c"]) != digest([b"a", b"bc"])
    assert digest([one]) == digest([one.copy()])


def test_the_cache_of_the_module():
    """mj_getCache and its like are about these."""
    from mjenv import mujoco as ours

    forget()
    cache = ours.mj_getCache()
    assert ours.mj_getCacheSize(cache) == 0
    made()
    held = ours.mj_getCacheSize(cache)
    assert 0 < held < ours.mj_getCacheCapacity(cache)
    before = ours.mj_getCacheCapacity(cache)
    assert ours.mj_setCacheCapacity(cache, held - 1) == held - 1
    assert 0 < ours.mj_getCacheSize(cache) < held
    ours.mj_setCacheCapacity(cache, before)
    made()
    ours.mj_clearCache(cache)
    assert ours.mj_getCacheSize(cache) == 0


def test_obj_files_are_read_once(monkeypatch):
    """Another scale makes another mesh of the same file."""
    from mjenv.engine.mjcf.assets import mesh_files

    read, calls = mesh_files.read_obj, []
    monkeypatch.setattr(mesh_files, "read_obj", lambda text: calls.append(1) or read(text))
    rows = np.random.default_rng(3).normal(size=(20, 3))
    contents = "".join(f"v {x} {y} {z}\n" for x, y, z in rows).encode()
    forget()
    for scale in (1, 2, 1):
        text = TEXT.format(scale=scale, z=0).replace("m.stl", "m.obj")
        assets = {"m.obj": contents, "t.png": png()}
        ours = Model.from_xml_string(text, assets)
        theirs = mujoco.MjModel.from_xml_string(text, assets)
        np.testing.assert_allclose(ours.mesh_vert, theirs.mesh_vert, atol=1e-6)
    assert len(calls) == 1
    # contents that differ are another file
    Model.from_xml_string(text, {"m.obj": contents + b"v 9 9 9\n", "t.png": png()})
    assert len(calls) == 2


DRAWN = """
<mujoco>
  <asset><texture name="t" type="{type}" builtin="{builtin}" width="{width}" height="6"
    rgb1="{rgb1}" rgb2="0 0 1" mark="{mark}" markrgb="{markrgb}" random="{random}"
    nchannel="{nchannel}"/></asset>
</mujoco>
"""
GIVEN = {
    "type": "2d", "builtin": "gradient", "width": "5", "rgb1": "1 .2 .3", "mark": "random",
    "markrgb": "0 1 0", "random": ".2", "nchannel": "3",
}  # fmt: skip
CHANGED = {
    "type": "cube", "builtin": "checker", "width": "7", "rgb1": "1 .2 .4", "mark": "edge",
    "markrgb": "0 1 1", "random": ".6", "nchannel": "4",
}  # fmt: skip


@pytest.mark.parametrize("change", [None, *CHANGED])
def test_drawn_textures_are_those_of_their_own_attributes(change):
    """A picture that is kept from another model is not taken for one that differs from it."""
    forget()
    values = GIVEN | ({change: CHANGED[change]} if change else {})
    first = Model.from_xml_string(DRAWN.format(**GIVEN))
    first.tex_data[:] = 0  # of the model alone
    model = Model.from_xml_string(DRAWN.format(**values))
    reference = mujoco.MjModel.from_xml_string(DRAWN.format(**values))
    np.testing.assert_array_equal(model.tex_data, reference.tex_data)
    assert len(module._kept) == 1 + bool(change)
