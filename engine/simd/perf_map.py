"""Names of kernels for Linux's `perf`, which otherwise sees addresses without names.

`perf` looks for names of code that is made while a program runs in `/tmp/perf-PID.map`: a line
of start, size and name for each function.
"""

import os
import re
import struct
from collections.abc import Iterator
from pathlib import Path

FUNCTION, SYMBOLS = 2, 2  # kinds of a symbol, and of a section, of an ELF file
SECTION_TABLE, SECTION_SIZES = 0x28, 0x3A  # where its header has them
LENGTH = re.compile(r"\d+")


def add_names(code: bytes, name: str, address: int, folder: Path = Path("/tmp")) -> None:
    """Add the functions of an object file to this process's map.

    Args:
        code: an ELF file of 64 bits that has been linked.
        name: of one of its functions.
        address: of that function.
        folder: where the map is.

    Raises:
        ValueError: it is no such file.
    """
    if code[:6] != b"\x7fELF\x02\x01":
        raise ValueError(
            f"MJENV_PERF_MAP: found object code that begins with {code[:6]!r}, expected an ELF "
            "file, as Linux has them; unset the variable on other systems"
        )
    found = list(functions(code))
    base = address - next(start for start, _, symbol in found if symbol == name)
    with (folder / f"perf-{os.getpid()}.map").open("a") as file:
        for start, size, symbol in found:
            file.write(f"{base + start:x} {size:x} {plain(symbol)}\n")


def functions(code: bytes) -> Iterator[tuple[int, int, str]]:
    """Start, size and name of each function of an ELF file."""
    (table,) = struct.unpack_from("<Q", code, SECTION_TABLE)
    step, number = struct.unpack_from("<2H", code, SECTION_SIZES)
    # name, kind, flags, address, offset, size, link, info, alignment, size of an entry
    sections = [struct.unpack_from("<2I4Q2I2Q", code, table + k * step) for k in range(number)]
    for _, kind, _, _, offset, size, link, _, _, entry in sections:
        if kind == SYMBOLS:
            names = sections[link][4]
            for at in range(offset, offset + size, entry):
                name, info, _, _, start, length = struct.unpack_from("<I2BH2Q", code, at)
                if info & 15 == FUNCTION:
                    end = code.index(b"\0", names + name)
                    yield start, length, code[names + name : end].decode()


def plain(symbol: str) -> str:
    """Module and function of a mangled name (lengths before its parts); others as they are."""
    parts, rest = [], symbol.removeprefix("_ZN")
    while rest != symbol and (found := LENGTH.match(rest)):
        end = found.end() + int(found.group())
        parts.append(rest[found.end() : end])
        rest = rest[end:]
    return ".".join(parts[-2:]) or symbol
