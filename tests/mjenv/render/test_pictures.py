"""Pictures: distances against formulas, the same pixels for any number of threads, messages."""

import gymnasium
import numpy as np
import pytest

import mjenv
from mjenv.render import Renderer, tile

SCENE = """
<mujoco>
  <asset>
    <texture type="skybox" builtin="gradient" rgb1="1 1 1" rgb2="0 0 0.5" width="64" height="64"/>
  </asset>
  <worldbody>
    <light pos="0 0 4" dir="0 0 -1"/>
    <camera name="down" pos="0 0 3"/>
    <geom type="plane" size="5 5 0.1"/>
    <geom name="target" {geom} pos="0 0 0.5"/>
  </worldbody>
</mujoco>
"""
TOPS = {
    'type="sphere" size="0.4"': 0.9,
    'type="box" size="0.3 0.3 0.2"': 0.7,
    'type="capsule" size="0.1 0.3"': 0.9,
    'type="cylinder" size="0.3 0.25"': 0.75,
    'type="ellipsoid" size="0.4 0.4 0.35"': 0.85,
}


def drawn(geom: str, **options):
    model = mjenv.Model.from_xml_string(SCENE.format(geom=geom))
    data = mjenv.Data(model)
    mjenv.forward(model, data)
    return Renderer(model, 64, 64, **options), data


def picture_of(renderer, data, camera=-1, **options):
    renderer.update_scene(data, camera, **options)
    return renderer.render()


@pytest.mark.parametrize(("geom", "top"), TOPS.items())
def test_depth_seen_from_above(geom, top):
    renderer, data = drawn(geom)
    renderer.enable_depth_rendering()
    depth = picture_of(renderer, data, "down")
    assert depth.shape == (64, 64)
    assert depth.dtype == np.float32
    # a pixel is 4 cm wide there: the narrow capsule falls off by up to 4 mm within it
    np.testing.assert_allclose(depth[31:33, 31:33], 3 - top, atol=5e-3)
    np.testing.assert_allclose(depth[0, 0], 3.0, rtol=1e-5)


def test_picture_shows_floor_shadow_and_sky():
    renderer, data = drawn('type="sphere" size="0.4"')
    camera = mjenv.MjvCamera()
    camera.elevation, camera.distance = -15.0, 6.0
    picture = picture_of(renderer, data, camera)
    assert picture.shape == (64, 64, 3)
    assert picture.dtype == np.uint8
    assert picture[2, :, 2].mean() > picture[2, :, 0].mean()  # the sky is blue
    above = picture_of(renderer, data, "down")
    assert above[:, :, 0].std() > 5  # the ball stands out


def test_pixels_do_not_depend_on_threads():
    geom = 'type="box" size="0.3 0.2 0.2"'
    pictures = [
        picture_of(renderer, data, "down")
        for renderer, data in (drawn(geom, nthread=n) for n in (1, 2))
    ]
    assert np.array_equal(*pictures)


def test_messages():
    renderer, data = drawn('type="sphere" size="0.4"')
    with pytest.raises(ValueError, match="there is no scene yet; call update_scene first"):
        renderer.render()
    with pytest.raises(KeyError, match="down"):
        renderer.update_scene(data, "dwon")
    with pytest.raises(ValueError, match=r"camera=3, expected -1 \(free\) to 0"):
        renderer.update_scene(data, 3)
    with pytest.raises(ValueError, match="world=2, expected 0 to 0"):
        renderer.update_scene(data, world=2)
    renderer.update_scene(data)
    with pytest.raises(ValueError, match=r"out is float64 \(2,\), expected a contiguous, writable"):
        renderer.render(out=np.zeros(2))
    with pytest.raises(AttributeError, match="rendr"):
        renderer.rendr()
    renderer.close()
    renderer.close()
    with pytest.raises(RuntimeError, match="render: the renderer is closed"):
        renderer.render()


def test_tile():
    frames = np.arange(3)[:, None, None, None] * np.ones((3, 2, 4, 3))
    assert tile(frames, columns=2).shape == (4, 8, 3)


@pytest.mark.parametrize("mode", ["rgb_array", "depth_array", "rgbd_tuple", "human"])
def test_modes_of_an_environment(mode):
    env = gymnasium.make("mjenv/InvertedPendulum-v5", render_mode=mode, width=48, height=32)
    env.reset(seed=0)
    picture = env.render()
    shapes = {"rgb_array": (32, 48, 3), "depth_array": (32, 48)}
    if mode in shapes:
        assert picture.shape == shapes[mode]
    elif mode == "rgbd_tuple":
        assert [p.shape for p in picture] == [(32, 48, 3), (32, 48)]
    else:
        assert picture is None
    env.close()
    env.close()


@pytest.mark.slow
def test_record_video(tmp_path):
    env = gymnasium.make("mjenv/InvertedPendulum-v5", render_mode="rgb_array", width=64, height=48)
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path), episode_trigger=lambda _: True)
    env.reset(seed=0)
    for _ in range(5):
        env.step(env.action_space.sample())
    env.close()
    (video,) = tmp_path.glob("*.mp4")
    assert video.stat().st_size > 0
