"""PNG files to pixels, by a kernel or by Pillow, strict about damage as MuJoCo is.

Pillow forgives: wrong checksums of pixels, more pixels than announced, malformed chunks. So chunks
are looked at here, and Pillow gets a file of header, palette and pixels alone. Rows of usual
pictures, of eight bits and not interlaced, are unfiltered by a kernel where that is compiled.

Reference: ISO/IEC 15948 (Portable Network Graphics, second edition).
"""

import zlib
from io import BytesIO
from typing import Any, NamedTuple

import numpy as np

from ...simd.record import Layout
from .compiled import pays, run

SIGNATURE = b"\x89PNG\r\n\x1a\n"
# colour type: samples per pixel, depths in bits
COLOURS = {
    0: (1, (1, 2, 4, 8, 16)),
    2: (3, (8, 16)),
    3: (1, (1, 2, 4, 8)),
    4: (2, (8, 16)),
    6: (4, (8, 16)),
}
GREY, RGB, PALETTE, GREY_ALPHA, RGBA = COLOURS
# chunks of a fixed length
LENGTHS = {b"tIME": 7, b"pHYs": 9, b"gAMA": 4, b"cHRM": 32, b"sRGB": 1}
BACKGROUND = {GREY: 2, GREY_ALPHA: 2, RGB: 6, RGBA: 6, PALETTE: 1}
# passes of an interlaced picture: first row and column, steps between them
ADAM7 = (
    (0, 0, 8, 8), (0, 4, 8, 8), (4, 0, 8, 4), (0, 2, 4, 4), (2, 0, 4, 2), (0, 1, 2, 2),
    (1, 0, 2, 1),
)  # fmt: skip
LONGEST = 32768  # side in pixels
LARGEST = 1 << 28  # bytes of a picture
AN_ITEM = 200  # bytes whose filters take as long as what is done with a triangle of a mesh
LAYOUT = Layout(
    "png rows",
    [
        ("height", "size"), ("width", "size"), ("sample", "size"), ("channel", "size"),
        ("data", "u1"), ("pixel", "u1"), ("bad", "i4"),
    ],
)  # fmt: skip
DEFLATE = 1032  # most bytes that a byte of compressed data can stand for


class PictureError(ValueError):
    """A damaged picture; the message says what was found."""


class Picture(NamedTuple):
    """A decoded picture.

    Attributes:
        pixels: (height, width, channels) uint8, the first row on top.
        srgb: whether the file says that it is sRGB.
    """

    pixels: np.ndarray
    srgb: bool


class _Header(NamedTuple):
    width: int
    height: int
    depth: int
    colour: int
    interlaced: bool

    @property
    def bits(self) -> int:
        """Bits of a pixel."""
        return COLOURS[self.colour][0] * self.depth


class _Chunks:
    """Chunks of a PNG file: compressed data, palette and the transparent colour."""

    def __init__(self):
        self.compressed = bytearray()
        self.palette: np.ndarray | None = None  # (n, 4) uint8
        self.key: tuple | None = None
        self.srgb = False


def decode(data: bytes, channels: int) -> Picture:
    """Decode a PNG file.

    Args:
        data: the file.
        channels: 1 for grey (the red of colours), 3 for RGB, 4 for RGB and opacity. Samples of 16
            bits keep their higher byte, shorter ones are scaled; gamma is not applied.

    Raises:
        PictureError: the file is not a PNG file, damaged, or has more than `LARGEST` bytes.
    """
    header = _header(data)
    chunks = _read(data, header)
    if header.colour == PALETTE and chunks.palette is None:
        raise PictureError("expected a palette, found none")
    rows = _inflated(header, chunks)
    samples, low = _unfiltered(header, chunks, rows, channels), None
    if samples is None:
        # what is inflated already is not compressed again, only unfiltered
        bare = _bare(data, chunks, zlib.compress(rows, 0))
        samples = _samples(bare)
        if chunks.key is not None and header.depth == 16 and header.colour == RGB:
            low = _samples(bare, "RGB;16L")
    colours = _colours(samples, header, chunks, channels, low)
    return Picture(np.ascontiguousarray(colours), chunks.srgb)


def _header(data: bytes) -> _Header:
    if data[:8] != SIGNATURE:
        raise PictureError("not a PNG file")
    if len(data) < 33 or data[8:16] != b"\0\0\0\x0dIHDR":
        raise PictureError("no header")
    _check_sum(data, 8, 13)
    width, height = int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")
    depth, colour, compression, filtering, interlacing = data[24:29]
    if not (width and height):
        raise PictureError(f"{width} x {height} pixels")
    if colour not in COLOURS or depth not in COLOURS[colour][1]:
        raise PictureError(f"colour type {colour} with {depth} bits")
    if compression or filtering or interlacing > 1:
        raise PictureError("unknown methods in the header")
    header = _Header(width, height, depth, colour, bool(interlacing))
    if max(width, height) > LONGEST or width * height * max(header.bits, 32) > 8 * LARGEST:
        raise PictureError(
            f"{width} x {height} pixels are too many, expected at most {LONGEST} on a side and"
            f" {LARGEST >> 20} MB"
        )
    return header


def _check_sum(data: bytes, start: int, length: int) -> None:
    """Compare the checksum of a chunk of a length that starts at a place."""
    end = start + 8 + length
    if zlib.crc32(data[start + 4 : end]) != int.from_bytes(data[end : end + 4], "big"):
        raise PictureError("wrong checksum")


def _read(data: bytes, header: _Header) -> _Chunks:
    """Read the chunks behind the header."""
    chunks, start, kind = _Chunks(), 33, b""
    while kind != b"IEND":
        if start + 12 > len(data):
            raise PictureError("the file ends too early")
        length = int.from_bytes(data[start : start + 4], "big")
        kind = data[start + 4 : start + 8]
        if start + 12 + length > len(data):
            raise PictureError("the file ends too early")
        _expect(kind, kind.isalpha() and kind[2:3].isupper())
        if _chunk(chunks, header, kind, data[start + 8 : start + 8 + length]):
            _check_sum(data, start, length)
        start += 12 + length
    return chunks


def _chunk(chunks: _Chunks, header: _Header, kind: bytes, data: bytes) -> bool:
    """Take the contents of one chunk; False for an unknown one."""
    if kind == b"IDAT":
        chunks.compressed += data
    elif kind == b"PLTE":
        _palette(chunks, data)
    elif kind == b"tRNS":
        _transparency(chunks, header, data)
    elif kind in LENGTHS:
        _expect(kind, len(data) == LENGTHS[kind])
        chunks.srgb |= kind == b"sRGB"
    elif kind == b"bKGD":
        _expect(kind, len(data) == BACKGROUND[header.colour])
        if header.colour == PALETTE:
            _expect(kind, chunks.palette is not None and data[0] < len(chunks.palette))
    elif kind in (b"tEXt", b"zTXt", b"iTXt", b"iCCP"):
        _keyword(kind, data)
    elif kind != b"IEND":
        _expect(kind, bool(kind[0] & 32))  # a chunk that can be left out
        return False
    return True


def _expect(kind: bytes, fine: bool) -> None:
    if not fine:
        raise PictureError(f"malformed chunk {kind.decode('latin-1')!r}")


def _palette(chunks: _Chunks, data: bytes) -> None:
    count = len(data) // 3
    _expect(b"PLTE", 1 <= count <= 256)
    chunks.palette = np.full((count, 4), 255, np.uint8)
    chunks.palette[:, :3] = np.frombuffer(data, np.uint8, 3 * count).reshape(-1, 3)


def _transparency(chunks: _Chunks, header: _Header, data: bytes) -> None:
    if header.colour == PALETTE:
        count = 0 if chunks.palette is None else len(chunks.palette)
        _expect(b"tRNS", len(data) <= count)
        if chunks.palette is not None:
            chunks.palette[: len(data), 3] = np.frombuffer(data, np.uint8)
        return
    _expect(b"tRNS", len(data) == {GREY: 2, RGB: 6}.get(header.colour))
    chunks.key = tuple(np.frombuffer(data, ">u2").tolist())


def _keyword(kind: bytes, data: bytes) -> None:
    """Check the keyword of a text or colour profile, and its compression."""
    keyword, end, rest = data.partition(b"\0")
    _expect(kind, 1 <= len(keyword) <= 79)
    if kind in (b"zTXt", b"iCCP"):
        _expect(kind, bool(end) and len(rest) > 1 and rest[0] == 0)
    if kind == b"iTXt":
        _expect(kind, bool(end) and len(rest) > 2 and rest[1] == 0)


def _inflated(header: _Header, chunks: _Chunks) -> bytes:
    """The rows of pixels, inflated; refused if they are not as many as the header announces."""
    expected = sum(rows * (1 + _row_bytes(header, columns)) for rows, columns in _passes(header))
    found = f"expected {expected} bytes of pixels, found"
    if expected > DEFLATE * len(chunks.compressed):
        raise PictureError(f"{found} fewer")
    inflate = zlib.decompressobj()
    try:
        rows = inflate.decompress(bytes(chunks.compressed), expected + 1)
    except zlib.error as error:
        raise PictureError(f"damaged pixels ({error})") from None
    if len(rows) != expected or not inflate.eof or inflate.unused_data:
        raise PictureError(f"{found} {'more' if len(rows) >= expected else 'fewer'}")
    return rows


def _passes(header: _Header) -> list[tuple[int, int]]:
    """Rows and columns of each pass, those without pixels left out."""
    if not header.interlaced:
        return [(header.height, header.width)]
    sizes = [
        (-(-(header.height - row) // down), -(-(header.width - column) // right))
        for row, column, down, right in ADAM7
    ]
    return [(rows, columns) for rows, columns in sizes if rows > 0 and columns > 0]


def _row_bytes(header: _Header, columns: int) -> int:
    return -(-columns * header.bits // 8)


def _unfiltered(header: _Header, chunks: _Chunks, rows: bytes, channels: int) -> np.ndarray | None:
    """Samples of a usual picture by a kernel, (height, width, n) uint8; None of other pictures.

    Of colours these are the first channels, if there are so many.
    """
    from .png_kernel import unfilter

    if header.depth != 8 or header.interlaced or chunks.key is not None:
        return None
    if not pays(unfilter, LAYOUT, len(rows) // AN_ITEM):
        return None
    height, width, count = header.height, header.width, COLOURS[header.colour][0]
    kept = min(channels, count) if header.colour in (RGB, RGBA) else count
    samples, bad = np.empty((height, width, kept), np.uint8), np.zeros(1, np.int32)
    run(
        unfilter, LAYOUT, height=height, width=width, sample=count, channel=kept,
        data=np.array(bytearray(rows)), pixel=samples, bad=bad,
    )  # fmt: skip
    # of a filter that is not known, Pillow says what is wrong
    return None if bad[0] else samples


def _colours(
    samples: np.ndarray, header: _Header, chunks: _Chunks, channels: int, low: Any
) -> np.ndarray:
    """The first channels of RGBA, (height, width, channels) uint8.

    Args:
        samples: as `_samples` returns them.
        header, chunks: of the file.
        channels: how many.
        low: lower bytes of samples of 16 bits, where the transparent colour needs them.
    """
    if header.colour == PALETTE:
        # what the palette lacks is black
        palette = np.zeros((256, 4), np.uint8)
        palette[:, 3] = 255
        if chunks.palette is not None:
            palette[: len(chunks.palette)] = chunks.palette
        return palette[:, :channels][samples[..., 0]]
    if header.colour in (RGB, RGBA) and samples.shape[-1] == channels:
        return samples
    if channels <= 3:
        return _rgb_first(samples)[..., :channels]
    opaque = np.full(samples.shape[:2], 255, np.uint8)
    if chunks.key is not None:
        # the transparent colour has all bits of a sample, of which Pillow takes the higher eight
        exact, key = samples.astype(np.uint16), np.array(chunks.key)
        if low is not None:
            exact = exact << 8 | low
        elif header.depth < 8:
            key = key * 255 // ((1 << header.depth) - 1)
        opaque[np.all(exact == key, axis=-1)] = 0
    count = samples.shape[-1]
    alpha = _rgb_first(samples)[..., -1] if count in (2, 4) else opaque
    return np.dstack([_rgb_first(samples)[..., :3], alpha])


def _rgb_first(samples: np.ndarray) -> np.ndarray:
    """Samples as uint8, of which the first three are RGB and the last one opacity, if any is."""
    if samples.dtype == np.uint16:
        samples = (samples >> 8).astype(np.uint8)
    return samples[..., [0, 0, 0, -1]] if samples.shape[-1] < 3 else samples


def _bare(data: bytes, chunks: _Chunks, pixels: bytes) -> bytes:
    """A file of the same header, with compressed pixels, and a palette if there is one."""
    palette = b"" if chunks.palette is None else chunks.palette[:, :3].tobytes()
    parts = {b"PLTE": palette, b"IDAT": pixels}
    found = data[:33]
    for kind, part in parts.items():
        sum_ = zlib.crc32(kind + part).to_bytes(4, "big")
        found += len(part).to_bytes(4, "big") + kind + part + sum_ if part else b""
    return found


def _samples(bare: bytes, raw: str | None = None) -> np.ndarray:
    """Samples (height, width, n) uint8; grey ones of 16 bits uint16, indices of palettes as such.

    Args:
        bare: a file.
        raw: Pillow's name of another way to take the bytes of a pixel.
    """
    from PIL import Image

    try:
        with Image.open(BytesIO(bare), formats=["PNG"]) as picture:
            if raw is not None:
                picture.tile = [tile._replace(args=raw) for tile in picture.tile]
            samples = np.asarray(picture)
    except (OSError, SyntaxError, ValueError) as error:
        raise PictureError(f"damaged pixels ({error})") from None
    if samples.dtype == np.bool_:
        samples = samples * np.uint8(255)
    elif samples.dtype != np.uint8:
        samples = samples.astype(np.uint16)
    return samples.reshape(*samples.shape[:2], -1)
