"""Recordings: what comes back of them, cameras, grids of worlds, and mistakes."""

import numpy as np
import pytest

import mjenv
from mjenv.commands.cli import main
from mjenv.training.films.cameras import camera_of, check_camera
from mjenv.training.films.film import draw, film
from mjenv.training.films.film_pictures import Pictures
from mjenv.training.films.recording import ALL, Recording, Replay, is_recording, make, play, record
from mjenv.training.films.shot import FPS, Shot, grid
from tests.training.recorded import recorded

HOPPER = "mjenv/Hopper-v5"
MODEL = """
<mujoco model="swing">
  <worldbody>
    <light pos="0 0 3"/>
    <camera name="side" pos="0 -3 1" xyaxes="1 0 0 0 .3 1"/>
    <camera name="top" pos="0 0 4"/>
    <geom type="plane" size="2 2 .1"/>
    <body name="ball" pos="0 0 1"><freejoint/><geom type="sphere" size=".2" rgba="1 0 0 1"/></body>
  </worldbody>
</mujoco>"""


def recording_of(worlds=2, seconds=0.4, **env_kwargs):
    return record(HOPPER, None, seconds, env_kwargs=env_kwargs, worlds=worlds)


@pytest.fixture(scope="module")
def hoppers():
    return recording_of(seconds=0.6)


@pytest.fixture
def falling():
    model = mjenv.Model.from_xml_string(MODEL)
    data = mjenv.Data(model, nworld=3)
    data.qvel[:, 0] = [-1.0, 0.0, 1.0]
    return recorded(model, data)


def replayed(recording):
    """States at the ends of rows, computed step by step from the rows before."""
    replay = Replay(recording)
    for row in range(len(recording) - 1):
        replay.go(row * recording.nstep)
        mjenv.step(recording.model, replay.data, recording.nstep)
        replay._time = -1
        yield mjenv.get_state(recording.model, replay.data, ALL)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    "env_kwargs",
    [
        {},
        {
            "randomization": {
                "body_mass": mjenv.Uniform(0.5, 2.0),
                "geom_size": mjenv.Uniform(1, 1.2),
            }
        },
    ],
)
def test_steps_between_rows_have_the_bits_of_the_episode(env_kwargs):
    """Also of episodes that end, in worlds that differ."""
    recording = recording_of(worlds=3, seconds=0.8, **env_kwargs)
    assert recording.starts[1:].any()
    assert sorted(recording.varied) == sorted(recording_of(seconds=0.01, **env_kwargs).varied)
    assert bool(recording.varied) == bool(env_kwargs)
    for states, later, starts in zip(
        replayed(recording), recording.states[1:], recording.starts[1:], strict=True
    ):
        np.testing.assert_array_equal(states[~starts], later[~starts])


def test_worlds_are_those_of_environments_with_seeds():
    """World i is the single environment with seed + i."""
    import gymnasium

    recording = play(make(HOPPER, 2), lambda obs: np.zeros((len(obs), 3)), 0.08, seed=5)
    for i in range(2):
        env = gymnasium.make(HOPPER)
        env.reset(seed=5 + i)
        for row in range(1, 6):
            env.step(np.zeros(3))
            qpos = recording.states[row, i, 1:7]
            np.testing.assert_array_equal(env.unwrapped.data.qpos.ravel(), qpos)


def test_a_replay_goes_back_and_ends(falling):
    replay = Replay(falling)
    replay.go(7)
    height = replay.data.qpos[:, 2].copy()
    replay.go(1000)
    assert (replay.data.qpos[:, 2] < height).all()
    np.testing.assert_array_equal(replay.data.qpos, falling.states[-1][:, 1:8])
    replay.go(7)
    np.testing.assert_array_equal(replay.data.qpos[:, 2], height)


def test_what_ended_stays_until_the_next_start(hoppers):
    row = int(hoppers.starts[1:].any(axis=1).argmax())
    world = int(hoppers.starts[row + 1].argmax())
    replay = Replay(hoppers)
    replay.go(row * hoppers.nstep)
    before = replay.data.qpos[world].copy()
    replay.go((row + 1) * hoppers.nstep - 1)
    np.testing.assert_array_equal(replay.data.qpos[world], before)
    replay.go((row + 1) * hoppers.nstep)
    assert (replay.data.qpos[world] != before).any()


def test_files_give_the_same_pictures(hoppers, tmp_path):
    path = tmp_path / "new" / "states.npz"
    hoppers.save(path)
    again = Recording.load(path)
    assert is_recording(path)
    assert (again.nworld, len(again), again.dt) == (hoppers.nworld, len(hoppers), hoppers.dt)
    shot = Shot((128, 64))
    for time in (0, 13, 90):
        first = Pictures(hoppers, shot).at(time).copy()
        np.testing.assert_array_equal(first, Pictures(again, shot).at(time))
    assert again.info["look"] == hoppers.info["look"]
    assert len(again.cut(3, 1)) == 3
    assert again.cut(3, 1).nworld == 1


def test_fields_that_differ_are_drawn_again(tmp_path):
    recording = recording_of(seconds=0.02, randomization={"geom_size": mjenv.Uniform(0.5, 1.5)})
    recording.save(tmp_path / "x.npz")
    shot = Shot((128, 64))
    picture = Pictures(recording, shot).at(0).copy()
    np.testing.assert_array_equal(picture, Pictures(Recording.load(tmp_path / "x.npz"), shot).at(0))
    recording.varied["geom_size"][:] *= 0.5
    assert (picture != Pictures(recording, shot).at(0)).any()


def test_files_that_do_not_fit(falling, hoppers, tmp_path):
    path = tmp_path / "states.npz"
    falling.save(path)
    with pytest.raises(ValueError, match=r"states.npz: recorded from a model .* is another"):
        Recording.load(path, hoppers.model)
    assert len(Recording.load(path, falling.model)) == 21
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match="is no recording"):
        Recording.load(path)
    with pytest.raises(FileNotFoundError):
        Recording.load(tmp_path / "none.npz")
    assert not is_recording(tmp_path / "none.npz")
    parts = {"info": '{"nstep": 1, "mjenv": "0.0.9", "env": "mjenv/Ant-v5"}', "looks": [0]}
    states = {"model": np.zeros(9, np.uint8), "states": np.zeros((1, 1, 9)), "starts": [0]}
    np.savez(path, **parts, **states)
    with pytest.raises(ValueError, match=r"from mjenv/Ant-v5 with mjenv 0.0.9: its model cannot"):
        Recording.load(path)


def test_files_whose_parts_are_damaged(falling, tmp_path):
    """Whatever is missing or of another length is told as a file that cannot be read."""
    path = tmp_path / "states.npz"
    falling.save(path)
    whole = path.read_bytes()
    # bytes of the compressed states
    at = len(whole) // 2
    path.write_bytes(whole[:at] + bytes(b ^ 255 for b in whole[at : at + 40]) + whole[at + 40 :])
    with pytest.raises(ValueError, match="is no recording"):
        Recording.load(path)
    path.write_bytes(whole)
    with np.load(path) as file:
        parts = dict(file)
    for change, expected in (
        ({"info": '{"nstep": 5}'}, "is no recording"),
        ({"info": "[]"}, "is no recording"),
        ({"starts": parts["starts"][:-1]}, "the file is damaged"),
        ({"looks": parts["looks"][:, :1]}, "the file is damaged"),
        ({"varied.geom_size": np.zeros((1, 2, 3))}, "the file is damaged"),
    ):
        np.savez(path, **{**parts, **change})
        with pytest.raises(ValueError, match=expected):
            Recording.load(path)
    np.savez(path, **{name: array for name, array in parts.items() if name != "model"})
    with pytest.raises(ValueError, match="is no recording"):
        Recording.load(path)


def test_rows_that_do_not_fit(falling, hoppers):
    with pytest.raises(ValueError, match="found 2 worlds, expected 3"):
        falling.append(mjenv.Data(falling.model, nworld=2))
    with pytest.raises(ValueError, match="model"):
        falling.append(mjenv.Data(hoppers.model, nworld=3))
    with pytest.raises(ValueError, match="nstep=0, expected"):
        Recording(falling.model, 0)


@pytest.mark.parametrize(
    ("count", "expected"),
    [(1, (1, 1, 1280, 720)), (2, (2, 1, 640, 720)), (16, (4, 4, 320, 180)), (7, (3, 3, 426, 240))],
)
def test_grids(count, expected):
    assert grid(count, (1280, 720)) == expected


def test_worlds_lie_side_by_side(falling):
    """Each picture is that of `render_worlds`, and the rest is black."""
    pictures = Pictures(falling, Shot((130, 64), camera=["side"]))
    shown = pictures.at(10)
    worlds = mjenv.Renderer(falling.model, 32, 65).render_worlds(pictures.replay.data, "side")
    np.testing.assert_array_equal(shown[:32, :65], worlds[0])
    np.testing.assert_array_equal(shown[:32, 65:], worlds[1])
    np.testing.assert_array_equal(shown[32:, :65], worlds[2])
    assert not shown[32:, 65:].any()


def test_cameras(falling):
    data = Replay(falling).data

    def camera(*words, look=None):
        return camera_of(falling.model, data, words, look)

    assert (camera("top").type, camera("top").fixedcamid) == (2, 1)
    assert camera("0").fixedcamid == 0
    assert camera("-1").type == camera("free").type == camera().type == 0
    tracking = camera("track:ball", "azimuth:60", "distance=2.5")
    assert (tracking.type, tracking.trackbodyid) == (1, 1)
    assert (tracking.azimuth, tracking.distance) == (60, 2.5)
    np.testing.assert_array_equal(camera("lookat:(0, 1, 2)").lookat, [0, 1, 2])
    assert camera(look={"camera": "top"}).fixedcamid == 1
    assert camera(look={"camera": 0}).fixedcamid == 0
    assert camera("elevation:-5", look={"camera": 0}).type == 0
    assert camera(look={"config": {"distance": 7.0}}).distance == 7.0


def test_films_follow_the_models_camera(hoppers):
    shots = [Pictures(hoppers, Shot((64, 48), words)).at(50) for words in ((), ("track",))]
    np.testing.assert_array_equal(*shots)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["sid"], r"camera: 'sid': no such camera; did you mean 'side'\?"),
        (["xyz"], r"'xyz': no such camera; there are side, top, free, track:BODY"),
        (["5"], r"camera: 5, expected -1 \(free\) to 1"),
        (["track:bal"], r"track:bal: no such body; did you mean 'ball'\?"),
        (["side", "azimuth:3"], "azimuth has no effect on the model's camera 'side'"),
        (["side", "top"], "found 'top' after 'side', expected one camera"),
        (["azimuth:north"], "azimuth: found 'north', expected a number"),
        (["distance:-1"], "distance: found '-1', expected a number above 0"),
        (["lookat:(1, 2)"], r"lookat: found '\(1, 2\)', expected three numbers"),
        (["lookat:(1, 2"], r"lookat: found '\(1, 2', expected three numbers"),
    ],
)
def test_cameras_that_there_are_not(words, message, falling, tmp_path):
    with pytest.raises(ValueError, match=message):
        check_camera(falling.model, words)
    with pytest.raises(ValueError, match=message):
        draw(falling, tmp_path / "film.mp4", Shot((64, 48), words))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("shot", "worlds", "message"),
    [
        (Shot(slow=0), 1, "slow is 0, expected"),
        (Shot(slow=float("inf")), 1, "slow is inf, expected"),
        (Shot(fps=-1), 1, "fps is -1, expected"),
        (Shot(), 0, "worlds is 0, expected"),
        (Shot((64, 48)), 10_000, "10000 worlds do not fit into 64x48 pixels"),
    ],
)
def test_films_that_cannot_be(shot, worlds, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        film("no-environment-is-made", None, tmp_path / "x.mp4", 1.0, shot, worlds=worlds)
    assert not list(tmp_path.iterdir())


def test_slow_motion_shows_more_of_the_physics():
    """Never more frames than there are steps of physics."""
    assert Shot().stride("x.mp4", 0.002) == 17
    assert Shot(slow=4).stride("x.mp4", 0.002) == 5
    assert Shot(slow=100).stride("x.mp4", 0.002) == 1
    assert Shot(fps=1000).stride("x.mp4", 0.002) == 9  # 60 frames a second
    assert Shot(fps=1000).stride("x.gif", 0.002) == 10
    assert Shot(fps=10).stride("x.mp4", 0.01) == 10
    assert FPS == 30


def test_lengths(falling, tmp_path):
    """Of 0.2 s, 100 steps."""
    shot = Shot((48, 32), fps=50, slow=2)
    assert draw(falling, tmp_path / "x.gif", shot) == 20
    assert draw(falling, tmp_path / "x.gif", shot, seconds=0.2) == 10
    assert draw(falling, tmp_path / "x.gif", shot, seconds=9) == 20


def test_recorded_states_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    options = ["--seconds", "0.2", "--size", "96x48", "--worlds", "3"]
    assert main(["record", "Hopper-v5", *options, "--states", "s.npz", "--output", "a.gif"]) == 0
    assert main(["record", "s.npz", "--output", "b.gif", "--size", "96x48"]) == 0
    assert (tmp_path / "a.gif").read_bytes() == (tmp_path / "b.gif").read_bytes()
    # another camera, slower, fewer worlds, in the usual place
    words = ["--camera", "free", "azimuth:40", "--slow", "3", "--worlds", "1", "--size", "48x32"]
    assert main(["record", "s.npz", *words]) == 0
    assert (tmp_path / "s.mp4").exists()
    assert capsys.readouterr().out.endswith("s.mp4: 16 frames of 48x32\n")
    for words, expected in (
        (["--worlds", "4"], "--worlds: s.npz has 3, expected no more"),
        (["--camera", "sid"], "'sid': no such camera"),
        (["--seed", "1"], "--seed: has no effect on recorded states"),
        (["--random"], "--random: has no effect"),
        (["--output", "x.txt"], "expected one of .mp4"),
    ):
        assert main(["record", "s.npz", *words]) == 1
        assert expected in capsys.readouterr().err
    assert main(["record", "Hopper-v5", "--states", "s.txt"]) == 1
    assert "s.txt ends with '.txt', expected .npz" in capsys.readouterr().err
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.gif", "b.gif", "s.mp4", "s.npz"]
