"""Compare receval with other tools: interleaved rounds, medians, correctness, and a page.

    python -m benchmarks.run                           # what ``make bench`` does
    python -m benchmarks.run --quick                   # a short run, two minutes
    python -m benchmarks.run --sizes S,M --only receval,rectools --rounds 5

Each measurement runs in a new process, one at a time. RecTools, RePlay and LensKit take part if
RECEVAL_PEERS (or build/peers) is the folder of their environments. ``python -m benchmarks.peers``
makes these environments.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tqdm import tqdm

from benchmarks import data, report
from benchmarks.expected import faults
from benchmarks.tools import TOOLS

ROOT = Path(__file__).parents[1]
CASES = ("S", "S-text", "S-top100", "M", "M-text", "M-long", "M-shuffled", "L", "L-text")
COLD = "S"
SLOW = 15.0  # seconds of a measurement, from which one round is enough


def main(arguments=None):
    options = _parser().parse_args(arguments)
    if options.quick:
        options.sizes, options.rounds, options.limit = {"S", "M"}, 1, 5.0
        options.output = options.output or options.work
    run = Run(options.work, options.rounds, options.limit, _pythons(options.only))
    cases = [one for one in map(data.Case.named, options.cases) if one.size in options.sizes]
    options.work.mkdir(parents=True, exist_ok=True)
    output = options.output or ROOT / "docs"
    with tqdm(total=(len(cases) + 1) * len(run.pythons) * run.rounds) as run.bar:
        for case in cases:
            run.compare(case)
        if data.Case.named(COLD) in cases:
            run.compare(data.Case.named(COLD), cold=True)
    print(report.write(run.found(), output), *run.wrong, sep="\n")
    return int(bool(run.wrong))


def _parser():
    def names(text):
        return text.split(",")

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=names, default=["S", "M", "L"], help="of S, M, L")
    parser.add_argument("--cases", type=names, default=CASES, help=f"of {','.join(CASES)}")
    parser.add_argument("--only", type=names, default=list(TOOLS), help=f"of {','.join(TOOLS)}")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=30.0, help="seconds: no longer calls")
    parser.add_argument("--quick", action="store_true", help="S and M, one round")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "benchmarks")
    parser.add_argument("--output", type=Path, help="of the page and the picture; docs")
    return parser


def _pythons(wanted):
    """Map each installed tool to its interpreter."""
    peers = Path(os.environ.get("RECEVAL_PEERS", ROOT / "build" / "peers"))
    found = {}
    for name in wanted:
        folder = TOOLS[name].environment
        python = peers / folder / "bin" / "python" if folder else Path(sys.executable)
        if python.exists():
            found[name] = python
        else:
            print(f"{name} is left out: there is no {python}", file=sys.stderr)
    return found


@dataclass
class Run:
    """The measurements so far: ``results[case][tool]``, ``notes`` on gaps, ``wrong`` results."""

    work: Path
    rounds: int
    limit: float
    pythons: dict[str, Path]
    results: dict = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    bar: tqdm | None = None

    def found(self):
        """Return everything that the page needs."""
        return {
            "results": self.results,
            "notes": self.notes,
            "rounds": self.rounds,
            "python": platform.python_version(),
            "cores": len(os.sched_getaffinity(0)),
            "processor": _processor(),
            "memory": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        }

    def compare(self, case, *, cold=False):
        """Measure every tool on one case. In each round, the tools take turns."""
        data.write(case, self.work)
        tools = [
            name
            for name in self.pythons
            if not TOOLS[name].cases or (case.name in TOOLS[name].cases and not cold)
            if self._fits(name, case)
        ]
        if not tools:
            return
        conventions = {TOOLS[name].convention for name in tools}
        expected = self._ask(sys.executable, "expected", case, *sorted(conventions))
        measured = {name: [] for name in tools}
        for nth in range(self.rounds):
            for name in tools:
                if nth and (not measured[name] or measured[name][-1]["whole"] > SLOW):
                    continue
                one = self._measured(name, case, expected[TOOLS[name].convention], cold)
                if one is not None:
                    measured[name].append(one)
                self.bar.update()
        key = "cold" if cold else case.name
        self.results[key] = {n: _medians(many) for n, many in measured.items() if many}
        found = json.dumps(self.found(), indent=1) + "\n"
        (self.work / "results.json").write_text(found, encoding="utf-8")

    def _measured(self, name, case, expected, cold):
        self.bar.set_description(f"{case.name} {name}")
        start = time.perf_counter()
        try:
            one = self._ask(self.pythons[name], "measure", case, *["--cold"] * cold, tool=name)
            told = faults(one, expected)
        except RuntimeError as error:
            told = [str(error)]
        self.wrong += [f"{TOOLS[name].label} on {case}: {what}" for what in told]
        return None if told else one | {"whole": time.perf_counter() - start}

    def _ask(self, python, module, case, *arguments, tool=None):
        command = [
            *(str(python), "-W", "ignore", "-m", f"benchmarks.{module}"),
            *([tool] if tool else []),
            *(case.name, str(self.work.resolve()), *arguments),
        ]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"{module} failed: {done.stderr.strip().splitlines()[-1:]}")
        return json.loads(done.stdout.splitlines()[-1])

    def _fits(self, name, case):
        """Check whether a tool would finish in time, judging by a smaller case of the same kind."""
        for size in ("M", "S"):
            smaller = data.Case(size, min(case.text, 8))
            known = self.results.get(smaller.name, {}).get(name)
            if known and size != case.size:
                seconds = known["seconds"] * case.rows / smaller.rows
                if seconds > self.limit:
                    self.notes.append(
                        f"*{TOOLS[name].label}* was not run on *{case}*: about {seconds:.0f} s."
                    )
                return seconds <= self.limit
        return True


def _processor():
    """Return the name of the processor, or its architecture if the system has no name for it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _medians(many):
    """Return the medians of times and memory, and the other values of the last round."""
    middle = {
        what: statistics.median(one[what] for one in many)
        for what in ("seconds", "first", "import", "extra")
    }
    return many[-1] | middle | {"rounds": len(many)}


if __name__ == "__main__":
    sys.exit(main())
