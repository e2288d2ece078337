#!/usr/bin/env python3
"""Tests what the real program does when processes, disks and files fail it.

Each test prints one line: name, passed or failed, counts, seconds. At the end stands a table. Ends with 1 when a test
failed; then its breaches are named and its folder is kept. Small by default (about a minute), `--full` takes the
numbers that the project asks for. A test's random numbers come from the seed that is printed.
"""

import importlib
import sys
import tempfile
import threading
import time
import traceback
from pathlib import Path

# Nothing is left behind in the project's folders.
sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Faults.outcome import Options, Outcome
from Shared.program import Failed, Unable, arguments
from Shared.service import end_all

# Each with the module that says what passes.
TESTS = {"kills": "kills", "trace": "traces", "calls": "calls", "writers": "writers", "fulldisk": "fulldisk",
         "strangers": "strangers", "oddities": "oddities", "answers": "answers", "hands": "hands"}
BREACHES_SHOWN = 10


def main():
    """Runs what the command line asks for and returns the exit code."""
    parser = arguments(__doc__)
    parser.add_argument("--full", action="store_true", help="as often as the project asks for")
    parser.add_argument("--only", action="append", choices=TESTS, help="this test (repeatable)")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000_007)
    chosen = parser.parse_args()
    options = Options(chosen.program, chosen.full, chosen.seed)
    print(f"seed {options.seed}, {'full' if options.is_full else 'small'} size", flush=True)
    outcomes = [run(name, options) for name in TESTS if name in (chosen.only or TESTS)]
    print()
    print_table(outcomes)
    return 1 if any(outcome.breaches for outcome in outcomes) else 0


def run(name, options):
    """Runs one test and prints its line, and the breaches when there are some."""
    outcome = Outcome(name, Path(tempfile.mkdtemp(prefix=f"rewards-{name}-")))
    threading.excepthook = lambda error: outcome.breach(f"in a thread: {error.exc_value!r}")
    try:
        importlib.import_module(f"Faults.{TESTS[name]}").run(options, outcome)
    except (Failed, Unable) as error:
        outcome.breach(str(error))
    except Exception:
        # A test that has not come to its end has not passed.
        outcome.breach(traceback.format_exc())
    finally:
        end_all()
    outcome.finish()
    print(outcome.line(), flush=True)
    for text in outcome.breaches[:BREACHES_SHOWN]:
        print("  " + " ".join(text.split()))
    if outcome.breaches:
        hidden = len(outcome.breaches) - BREACHES_SHOWN
        more = f"{hidden} more; " if hidden > 0 else ""
        print(f"  {more}seed {options.seed}; kept: {outcome.folder}", flush=True)
    return outcome


def print_table(outcomes):
    """Name, verdict, breaches and seconds of each test."""
    print(f"{'TEST':10} {'VERDICT':8} {'BREACHES':>8} {'SECONDS':>8}")
    for outcome in outcomes:
        verdict = "failed" if outcome.breaches else "passed"
        print(f"{outcome.name:10} {verdict:8} {len(outcome.breaches):8} {outcome.seconds:8.1f}")


if __name__ == "__main__":
    sys.exit(main())
