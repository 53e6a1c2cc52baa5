"""The command `mjenv doctor`: versions, machine and settings for bug reports, and a self-test."""

import argparse
import json
import os
import platform
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import mjenv
from mjenv.commands.cache import megabytes
from mjenv.commands.command import Command
from mjenv.commands.pack_lanes import lanes
from mjenv.commands.self_test import CHECKS
from mjenv.commands.values import positive
from mjenv.engine.simd.cache import cache_dir, limit, stored, writable
from mjenv.engine.simd.threads import available

SECONDS, COLD = 20, 300  # most for the self-test, and where nothing is compiled yet
SELF_TEST = [sys.executable, "-m", "mjenv.commands.self_test"]
OK, FAILED, LATE = "ok", "FAILED", "not reached"  # outcomes of a check
# registers by the feature of a processor that they come with, widest first
REGISTERS = {"avx512f": 512, "avx": 256, "sse2": 128, "neon": 128}


def doctor(arguments: argparse.Namespace) -> int:
    """Print versions, machine and settings, and run the self-test."""
    for name, text in (*software(), *hardware(), *surroundings()):
        print(f"{name + ':':12} {text}")
    if arguments.lanes:
        print(f"{'lanes:':12} {lanes()}", flush=True)
    if arguments.no_test:
        return 0
    cold = not stored(cache_dir())
    seconds = arguments.seconds or (COLD if cold else SECONDS)
    once = ", as the engine is compiled once" if cold else ""
    print(f"self-test, at most {seconds} s{once}:", flush=True)
    good = True
    for name, outcome, words in self_test(seconds):
        print(f"  {name + ':':12} {outcome}, {words}", flush=True)
        good &= outcome != FAILED
    return 0 if good else 1


# ---------------------------------------------------------------- installation


def software() -> Iterator[tuple[str, str]]:
    """Versions."""
    yield "mjenv", f"{mjenv.__version__}, {Path(mjenv.__file__).parent}"
    yield "python", f"{platform.python_version()} ({platform.python_implementation()})"
    needed, extra = packages()
    yield "packages", ", ".join(f"{name} {found or 'MISSING'}" for name, found in needed.items())
    there = [f"{name} {found}" for name, found in extra.items() if found]
    yield "extras", ", ".join(there) or "none"


def packages() -> tuple[dict[str, str | None], dict[str, str | None]]:
    """Versions of required packages, and of those of extras; None for missing ones."""
    needed: dict[str, str | None] = {"llvmlite": installed("llvmlite")}
    extra: dict[str, str | None] = {}
    for requirement in requires("mjenv") or ():
        name = requirement.partition(";")[0].partition("[")[0]
        name = name.rstrip("0123456789.,<>=!~ ")
        if name != "mjenv":
            (extra if "extra ==" in requirement else needed)[name] = installed(name)
    return needed, extra


def installed(name: str) -> str | None:
    """Version of a package, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def hardware() -> Iterator[tuple[str, str]]:
    """System and processor."""
    import llvmlite.binding as llvm

    from mjenv.engine.run.plan import NATIVE_WIDTH

    yield "system", f"{platform.system()} {platform.release()}, {platform.machine()}"
    features = llvm.get_host_cpu_features()
    bits = next((bits for name, bits in REGISTERS.items() if features.get(name)), 128)
    yield "processor", f"{llvm.get_host_cpu_name()}, {available()} of {os.cpu_count()} cores"
    yield "registers", f"{bits} bits, {bits // 64} real numbers; a pack has {NATIVE_WIDTH} worlds"


def surroundings() -> Iterator[tuple[str, str]]:
    """The cache, the display, ffmpeg, and settings."""
    folder = cache_dir()
    files = stored(folder)
    room = megabytes(sum(file.size for file in files))
    state = "" if writable(folder) else ", CANNOT BE WRITTEN: every process compiles again"
    yield "cache", f"{folder}: {len(files):,} files, {room} of at most {megabytes(limit())}{state}"
    yield "display", display()
    yield "films", films()
    names = sorted(name for name in os.environ if name.startswith(("MJENV_", "NUMBA_", "SDL_")))
    yield "settings", ", ".join(f"{name}={os.environ[name]}" for name in names) or "none"


def display() -> str:
    """Display for windows, the only ones that need it."""
    found = [f"{k}={os.environ[k]}" for k in ("DISPLAY", "WAYLAND_DISPLAY") if os.environ.get(k)]
    if platform.system() in ("Darwin", "Windows"):
        return "the system's"
    return ", ".join(found) or "none; pictures and films need none, windows do"


def films() -> str:
    """The program that writes films."""
    from imageio_ffmpeg import get_ffmpeg_exe, get_ffmpeg_version

    try:
        return f"ffmpeg {get_ffmpeg_version()}, {get_ffmpeg_exe()}"
    except (OSError, RuntimeError) as error:
        return f"NO ffmpeg ({error})"


# ---------------------------------------------------------------- self-test


def self_test(seconds: float) -> Iterator[tuple[str, str, str]]:
    """Name, outcome and text of each check; checks that are not reached in time are no failures.

    They run in another process, so that a crash is a line of the report.

    Args:
        seconds: time limit of that process.
    """
    child = subprocess.Popen(
        SELF_TEST, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    # the child is killed when its time is over, which ends the loop below
    late = threading.Event()
    timer = threading.Timer(seconds, lambda: (late.set(), child.kill()))
    timer.start()
    left = [check.name for check in CHECKS]
    try:
        # it writes a line for each finished check
        assert child.stdout is not None
        for line in child.stdout:
            name, passed, words, taken = json.loads(line)
            left.remove(name)
            yield name, OK if passed else FAILED, f"{words} ({taken:.1f} s)"
        status = child.wait()
    finally:
        timer.cancel()
        child.kill()
        child.wait()
    # checks without a line: the time was over, or the process crashed in the first of them
    if left and late.is_set():
        words = f"the one-time compilation took more than {seconds} s; run it again"
        kept = " (compiled code is cached), or" if writable(cache_dir()) else ""
        yield ", ".join(left), LATE, f"{words}{kept} with --seconds 300"
    elif left:
        yield left[0], FAILED, f"the process ended with status {status}"


def doctor_options(sub: argparse.ArgumentParser) -> None:
    """The self-test, and what is measured."""
    sub.add_argument("--no-test", action="store_true", help="leave the self-test out")
    sub.add_argument(
        "--lanes",
        action="store_true",
        help="measure packs of 4, 8 and 16 lanes, and say which are fastest here (compiles each)",
    )
    sub.add_argument(
        "--seconds",
        type=positive,
        help=f"time limit of the self-test ({SECONDS}; {COLD} if nothing is compiled yet)",
    )


COMMANDS = (
    Command(
        "doctor",
        doctor,
        "show versions, machine and settings, for reports of bugs, and run a self-test",
        doctor_options,
    ),
)
