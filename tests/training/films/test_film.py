"""Films: their formats, what is refused, and that there are no halves of them."""

import contextlib
import itertools
import subprocess

import imageio_ffmpeg
import numpy as np
import pytest
from PIL import Image

from mjenv.training.films.film import film
from mjenv.training.films.shot import Shot
from mjenv.training.films.writer import FORMATS, check_film, film_writer

ENV = "mjenv/InvertedPendulum-v5"
# what files of a kind begin with
MAGIC = {".mp4": b"ftyp", ".mov": b"ftyp", ".mkv": b"matroska", ".webm": b"webm", ".gif": b"GIF89a"}


def frames_of(path):
    """Number of frames and duration of a film, as ffmpeg reads them."""
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", str(path), "-f", "null", "-"]
    said = subprocess.run(command, capture_output=True, text=True).stderr
    last = said.rpartition("frame=")[2]
    return int(last.split()[0]), last.partition("time=")[2].split()[0]


def pictures(width=48, height=32):
    """Frames that differ."""
    for shade in itertools.cycle(range(0, 250, 10)):
        yield np.full((height, width, 3), shade, np.uint8)


@pytest.mark.parametrize("suffix", FORMATS)
def test_formats(suffix, tmp_path):
    path = tmp_path / f"film{suffix}"
    with film_writer(path, (48, 32), 25) as write:
        for frame in itertools.islice(pictures(), 50):
            write(frame)
            assert not path.exists()
    assert MAGIC[suffix] in path.read_bytes()[:100]
    count, time = frames_of(path)
    assert count == 50
    assert time.startswith(("00:00:02.0", "00:00:01.9"))
    assert list(tmp_path.iterdir()) == [path]


def test_progress_is_shown(tmp_path, capsys):
    assert film(ENV, None, tmp_path / "film.gif", seconds=0.2, shot=Shot((63, 48))) == 5
    assert "film.gif: 100%" in capsys.readouterr().err
    assert frames_of(tmp_path / "film.gif")[0] == 5


def test_films_may_have_the_second_look(tmp_path):
    """The background is black in MuJoCo's look, and a sky in the other."""
    for style in ("mujoco", "nice"):
        shot = Shot((48, 32), style=style)
        film("mjenv/InvertedPendulum-v5", None, tmp_path / f"{style}.gif", 0.1, shot)
        with Image.open(tmp_path / f"{style}.gif") as picture:
            corner = picture.convert("RGB").getpixel((2, 2))
        assert (sum(corner) > 300) == (style == "nice")
    with pytest.raises(ValueError, match=r"style is 'ugly', expected one of \['mujoco', 'nice'\]"):
        film(ENV, None, tmp_path / "film.gif", 0.1, Shot(style="ugly"))


def test_films_have_the_speed_of_the_world(tmp_path):
    """Hopper makes 500 steps of physics a second: films show every 17th one."""
    count = film("mjenv/Hopper-v5", None, tmp_path / "film.mp4", seconds=1, shot=Shot((48, 32)))
    assert count == 29
    assert frames_of(tmp_path / "film.mp4")[0] == 29
    assert frames_of(tmp_path / "film.mp4")[1].startswith(("00:00:01.0", "00:00:00.9"))


@pytest.mark.parametrize(
    ("name", "seconds", "size", "message"),
    [
        ("film.txt", 1, (64, 48), r"ends with '\.txt', expected one of \.mp4"),
        ("film", 1, (64, 48), "ends with '', expected"),
        ("film.mp4", 1, (65, 48), "size is 65x48, expected even"),
        ("film.mp4", 1, (64, 0), "size is 64x0, expected even"),
        ("film.gif", 1, (64, 0), "size is 64x0, expected numbers"),
        ("film.mp4", 1, (64, 10**6), "size is 64x1000000, expected even"),
        ("film.mp4", 0, (64, 48), "seconds is 0, expected more"),
        ("film.mp4", float("nan"), (64, 48), "seconds is nan, expected more"),
        ("film.mp4", float("inf"), (64, 48), "seconds is inf, expected more"),
    ],
)
def test_films_that_cannot_be(name, seconds, size, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        film("no-environment-is-made", None, tmp_path / name, seconds, Shot(size))
    with pytest.raises(ValueError, match=message):
        check_film(tmp_path / name, seconds, size)
    assert not list(tmp_path.iterdir())


def test_places_that_cannot_be_written(tmp_path):
    """They are found before an environment is made."""
    (tmp_path / "file").touch()
    (tmp_path / "folder.mp4").mkdir()
    for place in ("file/film.mp4", "folder.mp4"):
        with pytest.raises(OSError) as error:  # noqa: PT011  its kind depends on the place
            film("no-environment-is-made", None, tmp_path / place)
        assert place in str(error.value)


def test_half_a_film_is_none(tmp_path):
    path = tmp_path / "film.mp4"
    path.write_bytes(b"the film before")
    with contextlib.suppress(KeyboardInterrupt), film_writer(path, (48, 32), 25) as write:
        write(next(pictures()))
        raise KeyboardInterrupt
    assert path.read_bytes() == b"the film before"
    assert list(tmp_path.iterdir()) == [path]


def test_what_ffmpeg_says_is_reported(tmp_path, monkeypatch):
    """A disk that is full, say."""
    broken = FORMATS[".mp4"]._replace(options=("-c:v", "no-such-codec"))
    monkeypatch.setitem(FORMATS, ".mp4", broken)

    def write_film():
        with film_writer(tmp_path / "film.mp4", (480, 320), 25) as write:
            for frame in itertools.islice(pictures(480, 320), 20):
                write(frame)

    with pytest.raises(OSError, match=r"film\.mp4: ffmpeg cannot write it: .*Encoder"):
        write_film()
    assert not list(tmp_path.iterdir())
