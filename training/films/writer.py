"""Film files: frames go to ffmpeg, and the file has its name when it is complete."""

import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import IO, Any, NamedTuple

import imageio_ffmpeg
from tqdm import tqdm

from mjenv.training.runs.files import check_place, whole
from mjenv.training.runs.progress_bar import bar


class Format(NamedTuple):
    """A kind of film file.

    Attributes:
        fps: most frames per second that players show.
        even: whether width and height have to be even.
        options: of ffmpeg.
    """

    fps: float
    even: bool
    options: tuple[str, ...]


# 4:2:0, which every player and browser shows; "veryfast" takes half of the usual time
_H264 = Format(
    60, True, ("-c:v", "libx264", "-preset", "veryfast", "-pix_fmt", "yuv420p", "-crf", "10")
)
_VP9 = Format(60, True, ("-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-crf", "24", "-b:v", "0"))
# a palette for each frame: one for all would keep all frames in memory
_PALETTES = (
    "split[a][b];[a]palettegen=stats_mode=single:reserve_transparent=0[p];[b][p]paletteuse=new=1"
)

# by the suffix of the file; waits in GIF are hundredths of a second, two at least
FORMATS = {
    ".mp4":  _H264,
    ".mov":  _H264,
    ".mkv":  _H264,
    ".webm": _VP9,
    ".gif":  Format(50, False, ("-filter_complex", _PALETTES)),
}  # fmt: skip

LARGEST = 8192  # pixels on a side


def check_film(path: str | Path, seconds: float, size: tuple[int, int]) -> Format:
    """The format of a film, before anything is done for it.

    Args:
        path: the file, whose suffix says the format.
        seconds: length.
        size: width and height of the frames (pixels).

    Raises:
        ValueError: the suffix is unknown, the size does not fit, or the length is not positive.
    """
    # the suffix says format and codec
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise ValueError(
            f"film: {str(path)!r} ends with {suffix!r}, expected one of {', '.join(FORMATS)}"
        )
    format = FORMATS[suffix]
    # the codecs want even sizes
    width, height = size
    step = 2 if format.even else 1
    if not all(step <= n <= LARGEST and n % step == 0 for n in (width, height)):
        kind = "even numbers" if format.even else "numbers"
        raise ValueError(
            f"film: size is {width}x{height}, expected {kind} of pixels up to {LARGEST}, "
            "such as 1280x720"
        )
    # and a length
    if not 0 < seconds < float("inf"):
        raise ValueError(f"film: seconds is {seconds}, expected more than 0")
    return format


@contextmanager
def film_writer(
    path: str | Path, size: tuple[int, int], fps: float
) -> Iterator[Callable[[Any], Any]]:
    """Write a film to `path`, whose folder is made, with `fps` frames per second.

    Yields:
        A function that appends a frame, contiguous uint8 (height, width, 3).

    Raises:
        ValueError: see `check_film`.
        OSError: the file cannot be written, here or when a frame is appended.
    """
    path, format = Path(path), check_film(path, 1.0, size)
    check_place(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as partial, tempfile.TemporaryFile() as messages:
        process = _start(partial, format, size, fps, messages)
        # frames go through a pipe; the process may end early, and says why in `messages`
        assert process.stdin is not None
        try:
            yield process.stdin.write
            process.stdin.close()
            process.wait()
        except BrokenPipeError:
            process.wait()
        finally:
            process.kill()
            process.communicate()
        if process.returncode:
            messages.seek(0)
            said = messages.read().decode(errors="replace").strip().rpartition("\n")[2]
            raise OSError(f"{path}: ffmpeg cannot write it: {said or process.returncode}")


def _start(
    path: Path, format: Format, size: tuple[int, int], fps: float, messages: IO[bytes]
) -> "subprocess.Popen[bytes]":
    """Have ffmpeg read frames from its input."""
    rate = str(Fraction(fps).limit_denominator(100_000))
    source = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{size[0]}x{size[1]}", "-r", rate)
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-y", "-v", "error", *source, "-i", "-", "-an"]
    return subprocess.Popen(
        [*command, *format.options, f"file:{path}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=messages,
        start_new_session=True,  # Ctrl-C is for the process that draws
    )


def progress(total: int | None, text: str, unit: str) -> "tqdm[Any]":
    """A bar that grows by steps or by the frames of a film; without a title none is shown."""
    return bar(10.0, total=total, desc=text, unit=unit, leave=unit == " frames", disable=not text)
