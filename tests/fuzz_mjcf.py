"""Hostile model files: mutates models at random and checks how their compilation ends.

    python tests/fuzz_mjcf.py --minutes 60 [--seed 0] [--models FOLDER ...] [--save FOLDER]

Every case ends in a model or an MjcfError, within seconds and 2 GB; anything else is a fault. Cases
are numbered by seeds: `--seed N --cases 1` runs one again. A child process compiles them, so that
its memory can be limited and a case that hangs or crashes can be named.
"""

import argparse
import collections
import hashlib
import os
import re
import resource
import signal
import subprocess
import sys
import time
import traceback
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from mjenv.engine.edit.compile import Model, compile_text  # noqa: E402
from mjenv.engine.edit.spec import Spec  # noqa: E402
from mjenv.engine.errors import MjcfError  # noqa: E402 (behind the path)
from tests.mutations import Cases  # noqa: E402

SHARED = ROOT.parent / "shared" / "models"
SECONDS = 10  # of processor time that a case may take
MEMORY = 2 << 30  # bytes that the process may take


def run_case(text: bytes, source, as_spec: bool) -> str:
    """How the compilation of a document ends: "model" or "error"; other exceptions pass."""
    try:
        if as_spec:
            spec = Spec._read(text, "model.xml", source)
            spec.compile()
            spec.to_xml()
        else:
            model = compile_text(text, "model.xml", source)
            assert Model.from_bytes(model.to_bytes()).nbody == model.nbody
    except MjcfError as error:
        str(error).encode()
        if not re.match(r"\S[^\n]*: ", str(error)):
            raise RuntimeError(f"message without a place: {error}") from error
        return "error"
    return "model"


class TooSlowError(Exception):
    """A case took longer than it may."""


def _stop(*_):
    raise TooSlowError


def child(folders: list[Path], first: int, step: int) -> None:
    """Run cases until it is ended; a line for each: number, outcome, seconds, where it failed."""
    warnings.simplefilter("ignore")
    cases = Cases(folders)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.signal(signal.SIGPROF, _stop)
    seed = first
    while True:
        text, source, as_spec = cases.case(seed)
        print("begin", seed, flush=True)
        start = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            outcome = run_case(text, source, as_spec)
        except BaseException as error:
            signal.setitimer(signal.ITIMER_PROF, 0)
            stack = traceback.extract_tb(error.__traceback__)[-12:]
            ours = [
                f"{Path(f.filename).name}:{f.lineno} {f.name}"
                for f in stack
                if "engine" in f.filename
            ]
            where = " < ".join(reversed(ours[-4:]))
            outcome = f"FAULT {type(error).__name__}: {str(error)[:150]!r} at {where}"
            if isinstance(error, KeyboardInterrupt):
                return
        signal.setitimer(signal.ITIMER_PROF, 0)
        print("end", seed, f"{time.process_time() - start:.3f}", outcome, flush=True)
        seed += step


def supervise(folders: list[Path], minutes: float, seed: int, limit: int | None, save: Path | None):
    """Run cases in a child process, which is replaced when it dies or hangs.

    Returns:
        How many cases ended how, and the faults: number and description.
    """
    counts: collections.Counter = collections.Counter()
    faults: dict[str, list[int]] = collections.defaultdict(list)
    end, current, slowest = time.monotonic() + 60 * minutes, seed, (0.0, 0)
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    cases = Cases(folders) if save else None

    def fault(number: int, what: str) -> None:
        key = re.sub(r"\d+", "#", what.split(" at ")[-1] + what[:30])
        faults[key].append(number)
        if len(faults[key]) == 1:
            print(f"case {number}: {what}", flush=True)
            if cases is not None:
                save.mkdir(parents=True, exist_ok=True)
                name = hashlib.sha256(key.encode()).hexdigest()[:8]
                (save / f"{name}-{number}.xml").write_bytes(cases.case(number)[0])

    while time.monotonic() < end and (limit is None or current < seed + limit):
        command = [
            sys.executable,
            __file__,
            "--child",
            str(current),
            "--models",
            *map(str, folders),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
            last = time.monotonic()
            os.set_blocking(process.stdout.fileno(), False)
            buffer = b""
            while True:
                chunk = process.stdout.read() or b""
                buffer += chunk
                *lines, buffer = buffer.split(b"\n")
                for line in (line.decode(errors="replace") for line in lines):
                    last = time.monotonic()
                    what, number, *rest = line.split(" ", 3)
                    if limit is not None and int(number) >= seed + limit:
                        break
                    current = int(number) + (what == "end")
                    if what == "end":
                        counts[rest[1].split(":")[0]] += 1
                        slowest = max(slowest, (float(rest[0]), int(number)))
                        if rest[1].startswith("FAULT"):
                            fault(int(number), rest[1])
                over = time.monotonic() > end or (limit is not None and current >= seed + limit)
                if over:
                    process.kill()
                    break
                if process.poll() is not None and not chunk:
                    fault(current, f"FAULT process ended with {process.returncode}")
                    current += 1
                    break
                if time.monotonic() - last > 60 * SECONDS:
                    fault(current, "FAULT hangs")
                    process.kill()
                    current += 1
                    break
                if not chunk:
                    time.sleep(0.02)
    return counts, faults, slowest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int)
    parser.add_argument("--models", type=Path, nargs="*", default=[SHARED])
    parser.add_argument("--save", type=Path, help="folder for documents that make faults")
    parser.add_argument("--child", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    folders = [folder for folder in options.models if folder.exists()]
    if options.child is not None:
        child(folders, options.child, 1)
        return 0
    counts, faults, slowest = supervise(
        folders, options.minutes, options.seed, options.cases, options.save
    )
    print(f"{sum(counts.values())} cases: {dict(counts)}")
    print(f"slowest: {slowest[0]:.1f} s, case {slowest[1]}")
    for key, numbers in faults.items():
        print(f"{len(numbers)} times: {key}: {numbers[:5]}")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())
