#!/usr/bin/env python3
"""Plants faults in a copy of the sources, one at a time, and simulates seeds until each is found.

Each fault leaves out a sync, a fence, a dedupe or a rule. Ends with 1 when one is not found within the limit, or when a patch does
not fit the sources any more.
"""

import argparse
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
STEP = 20


@dataclass(frozen=True)
class Mutant:
    """A fault: in this file, this text becomes that one."""

    name: str
    file: str
    old: str
    new: str


LOG = "LedgerStore/Writing/SealedLog.swift"
FILE_SINK = "NotificationRelay/FileSink.swift"
HISTORY = "Evidence/RouteHistory+Observe.swift"

MUTANTS = (
    # Syncs.
    Mutant("a batch is acknowledged before it is synced", LOG,
           "      try fileSystem.sync(file)\n      syncSeconds", "      syncSeconds"),
    Mutant("a new segment's name is not synced", LOG, "      try fileSystem.syncFolder(folder)\n", ""),
    Mutant("the journal of events is not synced", FILE_SINK, "    try fileSystem.sync(file)\n    if isNew", "    if isNew"),
    Mutant("a new journal's name is not synced", FILE_SINK,
           "    if isNew || !isNameKept.withLock({ $0 }) { try keepName() }\n", "    _ = isNew\n"),
    # Fences.
    Mutant("a failed write is not cut off", LOG, "      try fileSystem.truncate(file, to: sizeBytes)\n", ""),
    Mutant("a file is trusted after a failed sync", LOG, "    } catch {\n      close()\n      throw error", "    } catch {\n      throw error"),
    Mutant("a torn line of the journal stays", FILE_SINK, "    try cutTornLine(file)\n", ""),
    Mutant("pages that never came are damage", "LedgerStore/Writing/TailDecision.swift",
           "if isLastBatch, !isNamed, try holdsNUL", "if false, !isNamed, try holdsNUL"),
    Mutant("the wall clock is believed at once", "Operations/Clock/HeldClock.swift",
           "else { return (expected, parted) }", "else { return (present.wall, nil) }"),
    Mutant("a plan is applied in part", "Scheduling/Writer/PlanAppending.swift",
           "let changed = plans.filter { !$0.records.isEmpty }",
           "let changed = plans.filter { !$0.records.isEmpty }.dropLast()"),
    Mutant("a file of the inbox is put away although its lines were not taken", "Operations/Reconcile/InboxSweep.swift",
           "let rejected = try await add(portion, of: name, readAt: readAt, into: &outcome)",
           "let rejected = (try? await add(portion, of: name, readAt: readAt, into: &outcome)) ?? []"),
    # Dedupes.
    Mutant("the same evidence is recorded again", "Engine/Intake.swift",
           "      let isEarlier = !known.contains", "      let isEarlier = activity.kind == .gift || !known.contains"),
    Mutant("a key is granted again", "Engine/Difference.swift",
           "guard let standing = find(intent.key) else {",
           "guard let standing = find(intent.key), standing.net.baseExp != 15 else {"),
    Mutant("a fire of a job is recorded again", "Scheduling/Writer/LedgerWriter.swift",
           "Proposal(state.ledger.jobs.holds(run) ? [] : [Draft([.run(run)])])", "Proposal([Draft([.run(run)])])"),
    Mutant("a failed delivery counts as made", "NotificationRelay/DeliveryQueue.swift",
           "return due.map { .later($0) } ?? .settled", "return .settled"),
    # Rules of coverage.
    Mutant("a failed look proves silence", HISTORY,
           "      failures.append(Failure(at: look.at, cause: cause))\n",
           "      failures.append(Failure(at: look.at, cause: cause))\n      coverage.cover(from: .earliest, to: look.at)\n"),
    Mutant("the last value proves all that was before", HISTORY,
           "kind == .watch ? .earliest : newest?.from ?? .earliest", "kind == .watch ? .earliest : .earliest"),
    Mutant("a lying answer is believed", HISTORY, "if isWhole, let contradiction =", "if !isWhole, let contradiction ="),
    Mutant("an answer that was refused in part proves silence", HISTORY, "    guard isWhole else { return }\n", ""),
    Mutant("an unknown is not recorded", "Engine/DayClose.swift",
           "    for line in Self.unknowns(of: day, account) { days.append(line) }\n", ""),
    Mutant("late activities of forgotten days are dropped", "Scheduling/Looks/LookIntake.swift",
           "    if !receipt.undecided.isEmpty { try await past.weigh(looks.user, &receipt, keeper) }\n", ""),
    Mutant("a day that nobody saw breaks the streak", "RewardRules/StreakRules.swift",
           "return isProven && !facts.window.isShortened ? .missed : .held", "return !facts.window.isShortened ? .missed : .held"),
    Mutant("a gap in the coverage is bridged", "Evidence/Coverage.swift",
           "if let last = intervals.last, last.from <= from, from <= last.to {",
           "if let last = intervals.last, last.from <= from {"),
    # Rules of rewards.
    Mutant("an excuse is forgotten", "Engine/Timeline+Facts.swift",
           "excuse.seq <= last && excuse.covers(user, on: window.day)",
           "excuse.seq < 0 && excuse.covers(user, on: window.day)"),
    Mutant("an activity that ends with the day touches the next", "Evidence/Activity.swift",
           "from < window.start, to > window.start else", "from < window.start, to >= window.start else"),
    Mutant("an item is drawn that the user has", "RewardRules/ItemDraw.swift",
           "for item in category.items where !owned.contains(item) {", "for item in category.items where !item.isEmpty {"),
    Mutant("exp beyond a level's cap is lost", "RewardRules/AccountState.swift", "      exp -= cap\n", "      exp = 0\n"),
    Mutant("a booster does not double", "RewardRules/DayFold.swift",
           "reward.multiplier = rules.boosterMultiplier", "reward.multiplier = 1"),
)


def main() -> int:
    """Plants each fault in turn and returns the exit code."""
    options = parse_options()
    tree = options.tree
    copy(tree)
    chosen = [mutant for mutant in MUTANTS if options.only in mutant.name]
    # Without a fault nothing must be found: else a mutant proves nothing.
    if not build(tree) or search(tree, options, STEP) is not None:
        print("the sources as they are do not pass")
        return 1
    lost = 0
    for number, mutant in enumerate(chosen, 1):
        began = time.monotonic()
        told = try_out(tree, mutant, options)
        lost += told.startswith("NOT")
        print(f"{number:2} {mutant.name}: {told}, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{len(chosen) - lost} of {len(chosen)} faults were found")
    return 1 if lost else 0


def copy(tree: Path) -> None:
    """The sources as they are, beside what was built of them before."""
    for name in ("Sources", "Tests"):
        # The dates stay as they are: what did not change is not built again.
        shutil.rmtree(tree / name, ignore_errors=True)
        shutil.copytree(ROOT / name, tree / name, symlinks=True)
    shutil.copy2(ROOT / "Package.swift", tree)


def try_out(tree: Path, mutant: Mutant, options: argparse.Namespace) -> str:
    """Plants a fault, simulates, takes it away again; what came of it."""
    path = (tree / "Sources" / mutant.file).resolve()
    text = path.read_text()
    if text.count(mutant.old) != 1:
        return f"NOT planted: its place is there {text.count(mutant.old)} times"
    path.write_text(text.replace(mutant.old, mutant.new))
    try:
        if not build(tree):
            return "NOT planted: it does not compile"
        found = search(tree, options, options.seeds)
        return found or f"NOT found within {options.seeds} seeds"
    finally:
        path.write_text(text)


def build(tree: Path) -> bool:
    """Builds the simulation of a tree."""
    words = ["swift", "build", "--package-path", str(tree), "--product", "simulation"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


def search(tree: Path, options: argparse.Namespace, seeds: int) -> str | None:
    """Simulates until something is found, and tells what."""
    program = tree / ".build" / "debug" / "simulation"
    words = [sys.executable, str(ROOT / "Tests" / "Simulation" / "simulate.py"), str(program), "--seeds", f"1-{seeds}",
             "--days", str(options.days), "--users", str(options.users), "--jobs", "2", "--first"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    said = done.stdout.strip().splitlines()
    return said[0][:110] if said else f"the simulation failed: {done.stderr.strip()[-200:]}"


def parse_options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=Path("/tmp/rewards-mutants"), help="where the copy lies")
    parser.add_argument("--seeds", type=int, default=1000, metavar="N", help="give up after so many")
    parser.add_argument("--days", type=int, default=12, metavar="D")
    parser.add_argument("--users", type=int, default=12, metavar="U")
    parser.add_argument("--only", default="", metavar="TEXT", help="faults in whose names this stands")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
