"""Pictures decode to MuJoCo's pixels; damaged ones are refused, as MuJoCo does."""

import struct
import zlib

import mujoco
import numpy as np
import pytest

from mjenv.engine.mjcf.assets import compiled
from mjenv.engine.mjcf.assets.png import COLOURS, PictureError, decode
from tests.engine.pictures import chunk, header, noise

KINDS = [(colour, depth) for colour, (_, depths) in COLOURS.items() for depth in depths]


def reference(data, channels):
    """MuJoCo's pixels of a picture, and whether it takes it for sRGB."""
    # MuJoCo keeps what it has read from files by their names
    name = f"{zlib.crc32(data)}.png"
    texture = f'<texture name="t" type="2d" file="{name}" nchannel="{channels}"/>'
    xml = f"<mujoco><asset>{texture}</asset></mujoco>"
    model = mujoco.MjModel.from_xml_string(xml, {name: data})
    shape = (model.tex_height[0], model.tex_width[0], channels)
    return model.tex_data.reshape(shape), model.tex_colorspace[0] == 2


@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize(("colour", "depth"), KINDS)
def test_pixels(colour, depth, channels):
    rng = np.random.default_rng(colour * 100 + depth)
    for interlaced in (0, 1):
        for width, height in ((1, 1), (13, 5), (4, 19)):
            extra = chunk(b"sRGB", b"\0") if width == 4 else chunk(b"gAMA", b"\0\0\xb1\x8f")
            filters = 3 if width == 4 else 5
            data = noise(rng, width, height, depth, colour, interlaced, extra, filters)
            ours, (pixels, srgb) = decode(data, channels), reference(data, channels)
            assert np.array_equal(ours.pixels, pixels)
            assert ours.srgb == srgb


@pytest.mark.parametrize("kernel", [True, False])
@pytest.mark.parametrize("colour", COLOURS)
def test_rows_of_usual_pictures(monkeypatch, colour, kernel):
    """A kernel unfilters them, and Pillow where there is none; both find MuJoCo's pixels."""
    monkeypatch.setattr(compiled, "FEW", 1 if kernel else 10**9)
    monkeypatch.setattr(compiled, "MANY", 1)
    rng = np.random.default_rng(colour)
    width, height, count = 23, 31, COLOURS[colour][0]
    rows = b"".join(bytes([rng.integers(5)]) + rng.bytes(width * count) for _ in range(height))
    palette = chunk(b"PLTE", rng.bytes(300)) if colour == 3 else b""
    first = header(width, height, 8, colour)
    data = picture(palette, rows, first)
    for channels in (1, 3, 4):
        assert np.array_equal(decode(data, channels).pixels, reference(data, channels)[0])
    # a filter that does not exist, in the last row
    last = len(rows) - width * count - 1
    wrong = picture(palette, rows[:last] + b"\5" + rows[last + 1 :], first)
    with pytest.raises(PictureError, match="damaged pixels"):
        decode(wrong, 3)


@pytest.mark.parametrize("interlaced", [0, 1])
def test_the_transparent_colour_has_all_bits_of_a_sample(interlaced):
    """Sixteen of them, where pixels keep eight."""
    key, samples = (0x1234, 0x5678, 0x9ABC), [(0x1234, 0x5678, 0x9ABC), (0x1234, 0x5678, 0x9ABD)]
    # the pass of the second pixel comes later
    rows = [struct.pack(">3H", *one) for one in samples]
    packed = zlib.compress(b"\0" + rows[0] + (b"\0" if interlaced else b"") + rows[1])
    body = chunk(b"tRNS", struct.pack(">3H", *key)) + chunk(b"IDAT", packed)
    data = header(2, 1, 16, 2, interlaced) + body + chunk(b"IEND")
    pixels = decode(data, 4).pixels
    assert pixels[0, :, 3].tolist() == [0, 255]
    assert np.array_equal(pixels, reference(data, 4)[0])


def picture(body=b"", rows=b"\0123", first=None):
    first = header(1, 1) if first is None else first
    return first + body + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND")


DAMAGED = [
    (b"", "not a PNG file"),
    (b"GIF89a", "not a PNG file"),
    (header(1, 1)[:20], "no header"),
    (picture(first=header(0, 1)), "0 x 1 pixels"),
    (picture(first=header(1, 1, 4, 2)), "colour type 2 with 4 bits"),
    (picture(first=header(1, 1, 8, 5)), "colour type 5 with 8 bits"),
    (picture(first=header(1, 1, 8, 2, 2)), "unknown methods in the header"),
    (picture(first=header(1, 1)[:-1] + b"x"), "wrong checksum"),
    (picture()[:-1], "the file ends too early"),
    (picture()[:-12], "the file ends too early"),
    (picture()[:-13] + b"x" + picture()[-12:], "wrong checksum"),
    (picture(chunk(b"ABCD")), "malformed chunk 'ABCD'"),
    (picture(chunk(b"a3CD")), "malformed chunk 'a3CD'"),
    (picture(chunk(b"PLTE")), "malformed chunk 'PLTE'"),
    (picture(chunk(b"tRNS", b"abc")), "malformed chunk 'tRNS'"),
    (picture(chunk(b"bKGD", b"abc")), "malformed chunk 'bKGD'"),
    (picture(chunk(b"sRGB")), "malformed chunk 'sRGB'"),
    (picture(chunk(b"tEXt", b"\0")), "malformed chunk 'tEXt'"),
    (picture(chunk(b"zTXt", b"a\0\1b")), "malformed chunk 'zTXt'"),
    (picture(first=header(1, 1, 8, 3), rows=b"\0a"), "expected a palette, found none"),
    (picture(rows=b"\0"), "expected 4 bytes of pixels, found fewer"),
    (picture(rows=b"\0abcd"), "expected 4 bytes of pixels, found more"),
    (picture(rows=b"\5abc"), "damaged pixels"),
    (header(1, 1) + chunk(b"IDAT", b"x\x9c\xff\xff\xff") + chunk(b"IEND"), "damaged pixels"),
    (header(30000, 1000) + chunk(b"IEND"), "expected 90001000 bytes of pixels, found fewer"),
]


@pytest.mark.parametrize(("data", "message"), DAMAGED, ids=range(len(DAMAGED)))
def test_damaged_pictures(data, message):
    with pytest.raises(PictureError) as caught:
        decode(data, 3)
    assert message in str(caught.value)
    with pytest.raises(ValueError):  # noqa: PT011 (MuJoCo's)
        reference(data, 3)


@pytest.mark.parametrize("size", [(1 << 31, 1 << 31), (40000, 1), (20000, 20000)])
def test_huge_pictures_are_refused_before_anything_is_allocated(size):
    with pytest.raises(PictureError, match="pixels are too many"):
        decode(picture(first=header(*(min(n, 2**32 - 1) for n in size))), 3)


def test_mutations_are_pictures_or_refused():
    """Changed bytes, with checksums made right again: MuJoCo's pixels, or both refuse."""
    rng = np.random.default_rng(0)
    for k in range(150):
        colour, depth = KINDS[k % len(KINDS)]
        data = bytearray(noise(rng, 3, 4, depth, colour, k % 2, chunk(b"tEXt", b"a\0b")))
        data[rng.integers(8, len(data))] = rng.integers(256)
        place = 8
        while place + 12 <= len(data):
            end = place + 8 + int.from_bytes(data[place : place + 4], "big")
            data[end : end + 4] = struct.pack(">I", zlib.crc32(data[place + 4 : end]))
            place = end + 4
        try:
            ours = decode(bytes(data), 3).pixels
        except PictureError:
            ours = None
        try:
            pixels = reference(bytes(data), 3)[0]
        except ValueError:
            pixels = None
        assert np.array_equal(ours, pixels)
