"""PNG files of every colour type, depth, filter and interlacing, filled with noise."""

import struct
import zlib

import numpy as np

from mjenv.engine.mjcf.assets.png import ADAM7, COLOURS, SIGNATURE


def chunk(kind: bytes, data: bytes = b"") -> bytes:
    """One chunk with its checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width, height, depth=8, colour=2, interlaced=0) -> bytes:
    """Signature and header of a file."""
    fields = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    return SIGNATURE + chunk(b"IHDR", fields)


def noise(rng, width, height, depth=8, colour=2, interlaced=0, extra=b"", filters=5) -> bytes:
    """A picture of random bytes; palettes and transparent colours are random too.

    Args:
        rng: numpy generator.
        width, height, depth, colour, interlaced: as in the header.
        extra: chunks in front of the pixels.
        filters: how many of the filters of rows are used.
    """
    count = COLOURS[colour][0]
    rows = b""
    for top, left, down, right in ADAM7 if interlaced else ((0, 0, 1, 1),):
        size = -(-max(0, -(-(width - left) // right)) * count * depth // 8)
        for _ in range(top, height if size else 0, down):
            rows += bytes([rng.integers(filters)]) + rng.bytes(size)
    out = header(width, height, depth, colour, interlaced)
    if colour == 3:
        entries = int(rng.integers(1, 257))
        out += chunk(b"PLTE", rng.bytes(3 * entries))
        out += chunk(b"tRNS", rng.bytes(entries // 2))
    elif colour in (0, 2):
        out += chunk(b"tRNS", struct.pack(f">{count}H", *rng.integers(0, 1 << depth, count)))
    packed = zlib.compress(rows)
    cut = len(packed) // 2
    return (
        out + extra + chunk(b"IDAT", packed[:cut]) + chunk(b"IDAT", packed[cut:]) + chunk(b"IEND")
    )


def plain(pixels: np.ndarray, extra: bytes = b"") -> bytes:
    """A picture with these pixels, (height, width, 1 to 4) uint8."""
    height, width, count = pixels.shape
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    colour = (0, 4, 2, 6)[count - 1]
    start = header(width, height, 8, colour) + extra
    return start + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND")
