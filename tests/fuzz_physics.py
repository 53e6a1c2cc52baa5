"""Random models beside MuJoCo, in random states: compiled, forwarded, stepped, inverted, edited.

    python tests/fuzz_physics.py --minutes 60 [--seed 0] [--cases 1000] [--used FILE]

Every case is a model from its number: `--seed N --cases 1` runs one again, `--show` prints its
document, `--minimise FIELD` a smaller one in which the field still differs. A difference from
MuJoCo is a fault unless `fuzzing/explanations.py` has a reason for it, which is checked each time.
A child process runs the cases, because MuJoCo crashes on some models.
"""

import argparse
import collections
import json
import os
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

SECONDS = 20  # of processor time that a call of MuJoCo may take


def child(first: int, stop: int) -> None:
    """Run cases; lines of JSON tell what is about to happen and how it ended."""
    import mujoco

    from tests.fuzzing.cases import Case
    from tests.fuzzing.models import schema_of

    mujoco.set_mju_user_warning(lambda text: None)
    pipe = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def tell(**what) -> None:
        pipe.write(json.dumps(what) + "\n")

    for seed in range(first, stop):

        def begin(phase: str, seed=seed) -> None:
            # MuJoCo hangs on some models; ours may have to compile kernels first
            limit = SECONDS if phase.startswith("mujoco") else 100 * SECONDS
            signal.setitimer(signal.ITIMER_PROF, limit)
            tell(seed=seed, phase=phase)

        begin("draws")
        try:
            case = Case(seed, phase=begin).run()
        except Exception as error:
            stack = traceback.extract_tb(error.__traceback__)[-3:]
            where = " < ".join(f"{Path(f.filename).name}:{f.lineno}" for f in reversed(stack))
            found = [("exception", f"{type(error).__name__}: {str(error)[:200]} at {where}", 0, "")]
            tell(seed=seed, outcome="exception", found=found, used=[], counts={})
            continue
        used = sorted({f"{path} {name}" for path, name in schema_of(case.root)})
        tell(seed=seed, outcome=case.outcome, found=case.found, used=used, counts=case.counts)


def minimise(seed: int, field: str) -> None:
    """Print the smallest document in which a field still differs unexplained."""
    import mujoco

    from tests.fuzzing.cases import Case
    from tests.fuzzing.minimise import minimised
    from tests.fuzzing.models import to_text

    mujoco.set_mju_user_warning(lambda text: None)
    case = Case(seed)
    case.compile()

    def shows(root) -> bool:
        return any(d.field.startswith(field) for d in Case(seed, root).run().unexplained())

    print(to_text(minimised(case.root, shows)))


class Totals:
    """What was found so far."""

    def __init__(self, log):
        self.log = log
        self.outcomes: collections.Counter = collections.Counter()
        self.reasons: collections.Counter = collections.Counter()
        self.counts: collections.Counter = collections.Counter()
        self.used: set[str] = set()
        self.faults: dict[int, list] = {}
        self.start = time.monotonic()

    def end(self, news: dict) -> None:
        """Count a case."""
        seed = news["seed"]
        self.outcomes[news["outcome"]] += 1
        self.counts.update(news["counts"])
        self.used.update(news["used"])
        self.reasons.update({reason for *_, reason in news["found"] if reason})
        open_ = [row for row in news["found"] if not row[3]]
        if open_:
            self.faults[seed] = open_
            self.say(f"case {seed}: " + "; ".join(f"{w}: {f} {e:.1e}" for w, f, e, _ in open_[:8]))

    def crash(self, seed: int, phase: str, code) -> None:
        """Count a case that ended its process."""
        if phase.startswith("mujoco"):
            self.outcomes["mujoco crashes"] += 1
            self.say(f"case {seed}: mujoco ends with {code} while: {phase}")
        else:
            self.outcomes["crash"] += 1
            self.faults[seed] = [("crash", f"{phase}: {code}", 0, "")]
            self.say(f"case {seed}: CRASH {code} while: {phase}")

    def say(self, text: str) -> None:
        print(text, file=self.log, flush=True)

    def summary(self) -> str:
        n, minutes = sum(self.outcomes.values()), (time.monotonic() - self.start) / 60
        return "\n".join([
            f"{n} cases in {minutes:.1f} minutes: {dict(self.outcomes)}",
            f"unexplained: {len(self.faults)}: {[*self.faults][:40]}",
            f"cases with explained differences: {dict(self.reasons)}",
            f"counts: {dict(self.counts.most_common(60))}",
            f"elements and attributes: {len(self.used)}",
        ])  # fmt: skip


def supervise(totals: Totals, seed: int, stop: int, minutes: float) -> None:
    """Run cases in a child, which is replaced when it ends."""
    end = time.monotonic() + 60 * minutes
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    while seed < stop and time.monotonic() < end:
        command = [sys.executable, __file__, "--child", str(seed), str(stop)]
        phase = ""
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, env=environment, text=True
        ) as process:
            for line in process.stdout:
                news = json.loads(line)
                if "outcome" in news:
                    totals.end(news)
                    seed, phase = news["seed"] + 1, ""
                    n = sum(totals.outcomes.values())
                    if n % 1000 == 0:
                        totals.say(totals.summary())
                    elif n % 100 == 0:
                        totals.say(f"{n} cases")
                else:
                    seed, phase = news["seed"], news["phase"]
                if time.monotonic() > end:
                    process.kill()
                    return
            code = process.wait()
            if phase:
                totals.crash(seed, phase, code)
                seed += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--cases", type=int, default=1 << 40)
    parser.add_argument(
        "--minimise", metavar="FIELD", help="print a smaller case of this difference"
    )
    parser.add_argument("--show", action="store_true", help="print the document of the first case")
    parser.add_argument(
        "--used", type=Path, help="file for the elements and attributes that were used"
    )
    parser.add_argument("--child", type=int, nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(*options.child)
        return 0
    if options.minimise:
        minimise(options.seed, options.minimise)
        return 0
    if options.show:
        from tests.fuzzing.models import random_model, to_text

        print(to_text(random_model(options.seed)))
        return 0
    totals = Totals(sys.stdout)
    supervise(totals, options.seed, options.seed + options.cases, options.minutes)
    totals.say(totals.summary())
    if options.used:
        options.used.write_text("\n".join(sorted(totals.used)) + "\n")
    return bool(totals.faults)


if __name__ == "__main__":
    sys.exit(main())
