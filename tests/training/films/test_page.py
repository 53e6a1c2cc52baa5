"""Pages for browsers: their shapes, what they are told, and how one looks in Chromium."""

import base64
import re
import shutil
import subprocess

import numpy as np
import pytest

import mjenv
from mjenv.commands.cli import main
from mjenv.engine.tables.enums import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_SPHERE,
)
from mjenv.training.films import meshes as solids
from mjenv.training.films.html_page import EXTENT, page, write_page
from mjenv.training.films.recording import Replay
from mjenv.training.films.shot import Shot
from mjenv.visual.records import GEOM, row_of
from tests.training.recorded import recorded

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
MODEL = """
<mujoco model="a &lt;b&gt;">
  <asset>
    <texture name="checker" type="2d" builtin="checker" rgb1="0 0 0" rgb2="1 1 1"
      width="8" height="8"/>
    <material name="floor" texture="checker" texrepeat="4 4"/>
    <hfield name="hills" nrow="3" ncol="4" size="1 .7 .3 .1"
      elevation="0 0 0 0  0 .5 1 0  0 0 0 0"/>
    <mesh name="tetra" vertex="0 0 0  .4 0 0  0 .4 0  0 0 .4"/>
    <mesh name="roof" vertex="0 0 0 .6 0 0 .6 .6 0 0 .6 0 .3 .3 .3"
      face="0 1 4 1 2 4 2 3 4 3 0 4 0 3 2 0 2 1" texcoord="0 0 1 0 1 1 0 1 .5 .5"/>
  </asset>
  <worldbody>
    <light pos="0 0 4"/>
    <camera name="view" pos="0 -5 2" xyaxes="1 0 0 0 .37 .93"/>
    <geom type="plane" size="3 3 .1" material="floor"/>
    <geom type="hfield" hfield="hills" pos="0 2 .1" rgba=".3 .7 .3 1"/>
    <body name="ball" pos="1 0 1">
      <freejoint/><geom type="sphere" size=".4" rgba="1 0 0 1"/><site name="b" pos="0 0 .4"/>
    </body>
    <body pos="-1 0 1"><freejoint/><geom type="capsule" size=".1 .2"/></body>
    <body pos="2 0 1"><freejoint/><geom type="cylinder" size=".15 .2"/></body>
    <body pos="3 0 1"><freejoint/><geom type="box" size=".2 .1 .15" rgba="0 0 1 .4"/></body>
    <body pos="4 0 1"><freejoint/><geom type="ellipsoid" size=".3 .1 .15"/></body>
    <body pos="5 0 1"><freejoint/><geom type="mesh" mesh="tetra"/></body>
    <body pos="6 0 1"><freejoint/><geom type="mesh" mesh="roof" material="floor"/></body>
    <site name="a" pos="1 0 3"/>
  </worldbody>
  <tendon><spatial width=".02"><site site="a"/><site site="b"/></spatial></tendon>
</mujoco>"""


@pytest.fixture(scope="module")
def model():
    return mjenv.Model.from_xml_string(MODEL)


@pytest.fixture(scope="module")
def falling(model):
    data = mjenv.Data(model, nworld=2)
    data.qvel[1, 0] = 1.0
    return recorded(model, data)


def volume(solid):
    """Of what triangles enclose; negative where they are seen from inside."""
    a, b, c = np.moveaxis(solid.points[solid.faces], 1, 0)
    return (np.cross(a, b) * c).sum() / 6.0


@pytest.mark.parametrize(
    ("kind", "size", "expected"),
    [
        (GEOM_SPHERE, (0.5, 0.5, 0.5), 4 / 3 * np.pi * 0.125),
        (GEOM_ELLIPSOID, (0.5, 0.2, 0.1), 4 / 3 * np.pi * 0.01),
        (GEOM_CAPSULE, (0.2, 0.2, 0.7), 4 / 3 * np.pi * 0.008 + np.pi * 0.04 * 1.4),
        (GEOM_CYLINDER, (0.2, 0.2, 0.7), np.pi * 0.04 * 1.4),
        (GEOM_BOX, (0.2, 0.3, 0.7), 8 * 0.042),
    ],
)
def test_shapes_are_closed_and_seen_from_outside(kind, size, expected, model):
    row = row_of(GEOM, type=kind, size=size)[0]
    solid = solids.of(model, row, row["size"], 1.0)
    assert volume(solid) == pytest.approx(expected, rel=0.03)
    # wherever it is
    assert volume(solid._replace(points=solid.points + 5.0)) == pytest.approx(volume(solid))
    unit = solids.of(model, row, None, 1.0)
    assert np.abs(unit.points).max() == pytest.approx(1.0)


def test_triangles_of_assets(model):
    assert volume(solids.mesh(model, 0, False)) == pytest.approx(0.4**3 / 6)
    assert volume(solids.mesh(model, 1, False)) == pytest.approx(0.36 * 0.3 / 3)
    assert solids.mesh(model, 1, False).uv is not None
    # the bottom of .1 m, and pyramids of a quarter of the area below each inner point
    hills = solids.hfield(model, 0, model.hfield_data)
    assert volume(hills) == pytest.approx(2 * 1.4 * 0.1 + 0.3 * 1.5 * (2 / 3) * 0.7, rel=1e-6)
    assert hills.points[:, 2].min() == -0.1


def test_pictures_lie_as_the_renderer_lays_them(model):
    """Four repetitions of half a picture from the middle to the edge."""
    plane = row_of(GEOM, type=0, size=(3, 3, 0.1), matid=0)[0]
    solid = solids.of(model, plane, plane["size"], 9.0)
    np.testing.assert_allclose(solid.uv, solid.points[:, :2] / 3 * [2, -2] - 0.5)
    endless = row_of(GEOM, type=0, matid=0)[0]
    assert np.abs(solids.of(model, endless, endless["size"], 9.0).points).max() == 9.0
    assert solids.texture_of(model, 0).image.shape == (8, 8, 3)
    assert solids.texture_of(model, -1) is None
    np.testing.assert_allclose(solids.texture_of(model, 0).mean, 0.5, atol=0.01)


def test_cubes_show_the_face_that_lies_ahead():
    """All points of a box's side lie in one of the six pictures, in the order of the texture."""
    model = mjenv.Model.from_xml_string("""
        <mujoco><asset>
          <texture name="dice" type="cube" builtin="flat" mark="cross" rgb1="1 0 0" markrgb="0 0 1"
            width="8" height="8"/>
          <material name="dice" texture="dice"/>
        </asset></mujoco>""")
    row = row_of(GEOM, type=GEOM_BOX, size=(0.1, 0.2, 0.3), matid=0)[0]
    solid = solids.of(model, row, row["size"], 1.0)
    assert volume(solid) == pytest.approx(8 * 0.006)
    for corners in solid.faces:
        points, uv = solid.points[corners], solid.uv[corners]
        (axis,) = np.flatnonzero(np.ptp(points, axis=0) < 1e-9)
        assert (np.floor(6 * uv[:, 1]) == 2 * axis + (points[0, axis] < 0)).all()
        assert np.ptp(uv[:, 0]) > 0.99
    # +x is seen with z to the left and y upwards
    ahead = (solid.points[:, 0] > 0) & (np.floor(6 * solid.uv[:, 1]) == 0)
    assert ((solid.uv[ahead, 0] < 0.5) == (solid.points[ahead, 2] > 0)).all()
    assert ((6 * solid.uv[ahead, 1] < 0.5) == (solid.points[ahead, 1] > 0)).all()
    assert solids.texture_of(model, 0).image.shape == (48, 8, 3)
    ball = row_of(GEOM, type=GEOM_SPHERE, size=(0.3, 0.3, 0.3), matid=0)[0]
    solid = solids.of(model, ball, ball["size"], 1.0)
    assert volume(solid) == pytest.approx(4 / 3 * np.pi * 0.027, rel=0.03)
    # points at the poles lie on one triangle each, which leans by 1/32 of a turn's half
    np.testing.assert_allclose(solid.normals, solid.points / 0.3, atol=0.5 * np.pi / 16 + 1e-3)


def test_lines_and_arrows_go_along_their_axis(model):
    for kind in (100, 101, 102, 103):
        solid = solids.of(model, row_of(GEOM, type=kind)[0], None, 1.0)
        assert volume(solid) == pytest.approx(np.pi, rel=0.03)
        assert (solid.points[:, 2].min(), solid.points[:, 2].max()) == (0, 1)


def test_other_shapes_are_refused(model):
    with pytest.raises(ValueError, match="geom of type 104: pages have no such shape"):
        solids.of(model, row_of(GEOM, type=104)[0], None, 1.0)


def told(text):
    """What a page tells its player: pairs of a time and a message."""
    msgspec, zstandard = pytest.importorskip("msgspec"), pytest.importorskip("zstandard")
    raw = base64.b64decode(re.search(r'__VISER_EMBED_DATA__="([^"]+)"', text)[1])
    inner = zstandard.ZstdDecompressor().decompressobj().decompress(raw[8:])
    length = int.from_bytes(inner[:8], "little")
    return msgspec.msgpack.decode(inner[8 : 8 + length])


@pytest.mark.slow
def test_bodies_are_where_they_were(falling):
    """Every pose of the ball, at its time; names of worlds and models are no markup."""
    pytest.importorskip("viser")
    text, count = page(falling, ["view"], world=1)
    assert "<title>a &lt;b&gt;</title>" in text
    film = told(text)
    assert count == 1 + 100 // 17
    assert film["durationSeconds"] == pytest.approx(count * 0.034)
    places = [
        (time, message["position"])
        for time, message in film["messages"]
        if message["type"] == "SetPositionMessage" and message["name"] == "/world/1"
    ]
    assert len(places) == count
    replay, scale = Replay(falling.only(1)), EXTENT / falling.model.stat.extent
    for k, (time, place) in enumerate(places):
        replay.go(17 * k)
        assert time == pytest.approx(0.034 * k)
        np.testing.assert_allclose(place, scale * replay.data.xpos[0, 1], rtol=1e-6)
    names = {m.get("name") for _, m in film["messages"]}
    names.discard(None)
    assert all(any(name.startswith(f"/world/{k}/1-") for name in names) for k in range(8))
    assert any(name.startswith("/world/loose-") for name in names)  # the tendon


def test_pages_go_along_with_their_camera(model, falling):
    """The world is moved, where the camera of a film would be."""
    pytest.importorskip("viser")
    film = told(page(falling, ["track:ball"], world=1)[0])
    roots = [
        message["position"]
        for _, message in film["messages"]
        if message["type"] == "SetPositionMessage" and message["name"] == "/world"
    ]
    replay = Replay(falling.only(1))
    begin = replay.data.subtree_com[0, 1].copy()
    replay.go(17 * 5)
    moved = EXTENT / falling.model.stat.extent * (begin - replay.data.subtree_com[0, 1])
    np.testing.assert_allclose(roots[-1], moved, atol=1e-5)


def test_command(tmp_path, monkeypatch, capsys):
    pytest.importorskip("viser")
    monkeypatch.chdir(tmp_path)
    assert main(["record", "Hopper-v5", "--seconds", "0.2", "--output", "hopper.html"]) == 0
    assert re.search(r"hopper.html: 6 poses, [01]\.\d MB; open it", capsys.readouterr().out)
    assert "<title>mjenv/Hopper-v5</title>" in (tmp_path / "hopper.html").read_text()
    for words, expected in (
        (["--slow", "2"], "slow has no effect on x.html"),
        (["--size", "64x48"], "size has no effect on x.html"),
        (["--worlds", "2"], "worlds is 2, expected 1: a page shows one world"),
        (["--camera", "trak"], "did you mean 'track'?"),
    ):
        assert main(["record", "Hopper-v5", "--output", "x.html", *words]) == 1
        assert expected in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["hopper.html"]


def test_mistakes(falling, tmp_path):
    pytest.importorskip("viser")
    with pytest.raises(ValueError, match=r"ends with '\.mp4', expected \.html"):
        write_page(falling, tmp_path / "x.mp4")
    with pytest.raises(ValueError, match="world is 2, expected 0 to 1"):
        page(falling, world=2)
    with pytest.raises(ValueError, match="seconds is -1, expected more than 0"):
        page(falling, seconds=-1)
    for shot, message in ((Shot(fps=0), "fps is 0"), (Shot(slow=2), "slow has no effect")):
        with pytest.raises(ValueError, match=message):
            shot.check("x.html")
    with pytest.raises(ValueError, match="seconds is 0"):
        Shot().check("x.html", 0)


def test_poses_are_never_more_than_asked_for(falling):
    """A pose shows a step of physics: at 220 a second every third of those of 2 ms."""
    pytest.importorskip("viser")
    assert falling.model.opt.timestep == 0.002
    assert page(falling, fps=220)[1] == 1 + 100 // 3


def test_notebooks(falling, monkeypatch):
    pytest.importorskip("viser")
    shown = falling._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!')
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    assert "pip install &#x27;mjenv[browser]&#x27;" in falling._repr_html_()


def test_without_viser(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(__import__("sys").modules, "viser", None)
    assert main(["record", "Hopper-v5", "--output", str(tmp_path / "x.html")]) == 1
    assert "viser: not installed, a page for browsers needs it; pip install 'mjenv[browser]'" in (
        capsys.readouterr().err
    )


def red(picture):
    """Middle of what is red in a picture, as shares of its height, from its own middle."""
    r, g, b = np.moveaxis(picture[..., :3].astype(int), -1, 0)
    y, x = np.nonzero((r > 100) & (r > 2.5 * g) & (r > 2 * b))
    assert len(x) > 100
    height, width = picture.shape[:2]
    return (x.mean() - width / 2) / height, (y.mean() - height / 2) / height


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no Chromium")
def test_in_a_browser(falling, tmp_path):
    """The page needs no network, and shows the ball where pictures do."""
    pytest.importorskip("viser")
    from PIL import Image

    # one pose: the page is at its end at once
    write_page(falling, tmp_path / "x.html", ["view"], seconds=0.001)
    options = "--headless=new --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader"
    net = "--host-resolver-rules=MAP * ~NOTFOUND"
    size = "--window-size=800,640 --hide-scrollbars --virtual-time-budget=3000"
    file = f"--screenshot={tmp_path / 'x.png'}"
    command = [BROWSER, *options.split(), net, *size.split(), file, f"file://{tmp_path}/x.html"]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    seen = np.asarray(Image.open(tmp_path / "x.png").convert("RGB"))[:600]  # without the player
    renderer = mjenv.Renderer(falling.model, 600, 800, limited=False)
    renderer.update_scene(Replay(falling).data, "view")
    np.testing.assert_allclose(red(seen), red(renderer.render()), atol=0.03)
