#!/usr/bin/env python3
"""Simulates the whole service from seeds, judges each history with an oracle of another making, and makes failures small.

Ends with 1 when a history fails.
"""

import argparse
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Shared.program import arguments
from Simulation.judge import judge

CHUNK = 10
SHOWN = 3


def main() -> int:
    """Plays the seeds of the command line and returns the exit code."""
    options = parse_options()
    began = time.monotonic()
    first, _, last = options.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)
    size = 1 if options.first else CHUNK
    chunks = [seeds[start:start + size] for start in range(0, len(seeds), size)]
    failed: Counter[str] = Counter()
    played = 0
    with ProcessPoolExecutor(options.jobs) as pool:
        for outcomes in pool.map(play_chunk, chunks, [options] * len(chunks)):
            for outcome in outcomes:
                played += 1
                if options.digests:
                    print(outcome["seed"], outcome["digest"], flush=True)
                if outcome["flaws"]:
                    failed[outcome["flaws"][0].partition(":")[0]] += 1
                    report(outcome, options)
                    if options.first:
                        pool.shutdown(cancel_futures=True)
                        return 1
    seconds = time.monotonic() - began
    kinds = ", ".join(f"{count} {check}" for check, count in failed.most_common())
    print(f"{played} seeds of {options.days} days and {options.users} users, {seconds:.0f} s: "
          + (f"{failed.total()} failed ({kinds})" if failed else "passed"))
    return 1 if failed else 0


def play_chunk(seeds: range, options: argparse.Namespace) -> list[dict]:
    """Plays some seeds one after the other in one process, so that nothing of one may reach the next."""
    outcomes = list(play(options, seeds[0], seeds[-1], options.drop))
    if len(outcomes) < len(seeds):
        seed = seeds[len(outcomes)]
        outcomes.append({"seed": seed, "digest": "", "mishaps": 0, "flaws": ["crash: the simulation died"], "story": []})
    return outcomes


def play(options: argparse.Namespace, first: int, last: int, drop: list[int]) -> Iterator[dict]:
    """Plays seeds and judges each."""
    words = [str(options.program), "--seeds", f"{first}-{last}", "--days", str(options.days), "--users", str(options.users),
             "--export"]
    words += ["--drop", ",".join(map(str, drop))] if drop else []
    words += ["--quiet"] if options.quiet else []
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        for line in process.stdout:
            history = json.loads(line)
            outcome = {name: history[name] for name in ("seed", "digest", "mishaps", "story")}
            outcome["flaws"] = [history["flaw"]] if history["flaw"] else flaws(history)
            yield outcome


def flaws(history: dict) -> list[str]:
    """What the oracle finds."""
    lives = {user: {kind: spans(texts) for kind, texts in kinds.items()} for user, kinds in history["lives"].items()}
    records = [json.loads(line) for line in history["ledger"].splitlines()]
    times = {name: spans(history[name]) for name in ("fast", "blind", "lies", "losses")}
    gone = {zone: spans(texts) for zone, texts in history["gone"].items()}
    return judge({**history, "lives": lives, "gone": gone, **times}, records)


def spans(texts: list[str]) -> list[tuple[int, ...]]:
    """What stands in texts like `from-to`, in seconds."""
    return [tuple(map(int, text.split("-"))) for text in texts]


def report(outcome: dict, options: argparse.Namespace) -> None:
    """Tells of a failure, with the command that repeats it; made small if that is asked for."""
    drop = options.drop
    if options.shrink:
        drop, outcome = shrink(outcome, options)
    print(f"seed {outcome['seed']}: {'; '.join(outcome['flaws'][:SHOWN])}")
    if options.shrink:
        for mishap in outcome["story"]:
            print(f"    {mishap}")
    words = [sys.argv[0], str(options.program), "--seeds", str(outcome["seed"]), "--days", str(options.days), "--users",
             str(options.users)]
    words += ["--drop", ",".join(map(str, drop))] if drop else []
    print("  repeat it: " + " ".join(words), flush=True)


def shrink(outcome: dict, options: argparse.Namespace) -> tuple[list[int], dict]:
    """Leaves out halves, quarters … and at last single mishaps, as long as the same check fails."""
    check, seed = outcome["flaws"][0].partition(":")[0], outcome["seed"]
    kept = [number for number in range(outcome["mishaps"] + len(options.drop)) if number not in options.drop]
    best, size, total = outcome, max(1, len(kept) // 2), len(kept) + len(options.drop)

    def fails(numbers: list[int]) -> dict | None:
        dropped = [number for number in range(total) if number not in numbers]
        for again in play(options, seed, seed, dropped):
            if again["flaws"] and again["flaws"][0].partition(":")[0] == check:
                return again
        return None

    while size:
        start = 0
        while start < len(kept):
            smaller = kept[:start] + kept[start + size:]
            again = fails(smaller)
            if again:
                kept, best = smaller, again
            else:
                start += size
        size //= 2
    return [number for number in range(total) if number not in kept], best


def parse_options() -> argparse.Namespace:
    """What the command line says."""
    parser = arguments(__doc__, "the simulation, a release build")
    parser.add_argument("--seeds", default="1-100", metavar="A-B")
    parser.add_argument("--days", type=int, default=30, metavar="D")
    parser.add_argument("--users", type=int, default=20, metavar="U")
    parser.add_argument("--jobs", type=int, default=1, metavar="J", help="how many processes at a time")
    parser.add_argument("--drop", type=lambda text: [int(part) for part in text.split(",") if part], default=[],
                        metavar="N,M", help="leave out these of the things that go wrong")
    parser.add_argument("--quiet", action="store_true", help="let nothing go wrong")
    parser.add_argument("--first", action="store_true", help="end with the first failure")
    parser.add_argument("--shrink", action="store_true", help="make failures small")
    parser.add_argument("--digests", action="store_true", help="print a number that stands for all bytes of each history")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
