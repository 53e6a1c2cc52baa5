"""Small copies of films, as animated GIFs, for places that show pictures only."""

import subprocess
from pathlib import Path

import imageio_ffmpeg

SECONDS, FPS, WIDTH = 10, 10, 240  # of a clip, at most
PATIENCE = 30.0  # seconds that making one may take

# one palette for all frames: they are few and small
_FILTER = (
    f"fps={FPS},scale='min({WIDTH},iw)':-1,split[a][b];[a]palettegen=reserve_transparent=0[p];"
    "[b][p]paletteuse=dither=none:diff_mode=rectangle"
)


def clip(path: str | Path) -> bytes:
    """The beginning of a film as a GIF file, small enough to be kept in a log.

    Args:
        path: the film, of any format that ffmpeg reads.

    Raises:
        OSError: ffmpeg cannot read the film, or takes too long.
    """
    source = ("-t", str(SECONDS), "-i", f"file:{path}")
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-v", "error", *source, "-an"]
    # a film that ffmpeg hangs on must not stop the training
    try:
        done = subprocess.run(
            [*command, "-filter_complex", _FILTER, "-f", "gif", "-"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            start_new_session=True,  # Ctrl-C is for the process that trains
        )
    except subprocess.TimeoutExpired:
        raise OSError(f"{path}: no clip of it after {PATIENCE:.0f} s") from None
    if done.returncode or not done.stdout:
        said = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise OSError(f"{path}: ffmpeg cannot read it: {said or done.returncode}")
    return done.stdout


def size_of(gif: bytes) -> tuple[int, int]:
    """Width and height of a GIF file (pixels)."""
    return int.from_bytes(gif[6:8], "little"), int.from_bytes(gif[8:10], "little")
