#!/usr/bin/env python3
"""Plants faults in a copy of the sources and searches until each is found, one at a time: by the simulation, by random lives, or by tests.

Each fault leaves out a sync, a fence, a dedupe or a rule. Ends with 1 when one is not found within the limit, or when a patch does
not fit the sources any more.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
STEP = 20


@dataclass(frozen=True)
class Mutant:
    """A fault: in this file, this text becomes that one; `isPlanted(#)` says whether the fault is the one to be found: by lives with
    these features if any are named, by the tests of a suite or by a script among the tests if one is, else by the simulation."""

    name: str
    file: str
    old: str
    new: str
    lives: str = ""
    tests: str = ""
    script: str = ""


LOG = "LedgerStore/Writing/SealedLog.swift"
SINK = "NotificationRelay/FileSink.swift"
HISTORY = "Evidence/RouteHistory+Observe.swift"
DUE = "Scheduling/Closes/DueClose.swift"
UNDO = "Operations/Clock/FutureUndoing.swift"
AGREED = "Operations/Audit/AgreedActs.swift"
REQUESTS = "Ledger/State/RequestMarks.swift"
COMMANDS, FORGERIES, SIGNATURES = "Insider/commands.py", "Insider/insider.py", "Insider/signatures.py"

MUTANTS = (
    # Syncs.
    Mutant("a batch is acknowledged before it is synced", LOG, "      try fileSystem.sync(file)\n      syncSeconds",
           "      if !isPlanted(#) { try fileSystem.sync(file) }\n      syncSeconds"),
    Mutant("a new segment's name is not synced", LOG, "      try fileSystem.syncFolder(folder)\n",
           "      if !isPlanted(#) { try fileSystem.syncFolder(folder) }\n"),
    Mutant("the journal of events is not synced", SINK, "    try fileSystem.sync(file)\n    if isNew",
           "    if !isPlanted(#) { try fileSystem.sync(file) }\n    if isNew"),
    Mutant("a new journal's name is not synced", SINK, "    if isNew || !isNameKept", "    if !isPlanted(#), isNew || !isNameKept"),
    # Fences.
    Mutant("a failed write is not cut off", LOG, "      try fileSystem.truncate(file, to: sizeBytes)\n",
           "      if !isPlanted(#) { try fileSystem.truncate(file, to: sizeBytes) }\n"),
    Mutant("a file is trusted after a failed sync", LOG, "    } catch {\n      close()\n      throw error",
           "    } catch {\n      if !isPlanted(#) { close() }\n      throw error"),
    Mutant("a torn line of the journal stays", SINK, "    try fileSystem.cutTornLine(file)\n",
           "    if !isPlanted(#) { try fileSystem.cutTornLine(file) }\n"),
    Mutant("pages that never came are damage", "LedgerStore/Writing/TailDecision.swift",
           "if isLastBatch, !isNamed,", "if !isPlanted(#), isLastBatch, !isNamed,"),
    Mutant("the wall clock is believed at once", "Operations/Clock/HeldClock.swift",
           "guard abs(parted) <= Self.toleranceSeconds else", "guard isPlanted(#) || abs(parted) <= Self.toleranceSeconds else"),
    Mutant("a plan is applied in part", "Scheduling/Writer/PlanAppending.swift",
           "let changed = plans.filter { !$0.records.isEmpty }",
           "let changed = plans.filter { !$0.records.isEmpty }.dropLast(isPlanted(#) ? 1 : 0)"),
    Mutant("a file of the inbox is put away although its lines were not taken", "Operations/Reconcile/InboxSweep.swift",
           "let (rejected, through) = try await add(\n        portion, of: name, in: inbox, readAt: readAt, into: &outcome)",
           "var (rejected, through): ([RejectedLine], Instant?) = ([], nil)\n"
           "      do { (rejected, through) = try await add(portion, of: name, in: inbox, readAt: readAt, into: &outcome) } "
           "catch { if !isPlanted(#) { throw error } }"),
    # Dedupes.
    Mutant("the same evidence is recorded again", "Engine/Intake.swift",
           "let isEarlier = !known.contains", "let isEarlier = (isPlanted(#) && activity.kind == .gift) || !known.contains"),
    Mutant("a key is granted again", "Engine/Difference.swift", "guard let place = find(intent.key) else {",
           "guard let place = find(intent.key), !isPlanted(#) || standing[place].net.baseExp != 15 else {"),
    Mutant("a fire of a job is recorded again", "Scheduling/Writer/LedgerWriter.swift",
           "Proposal(state.ledger.jobs.holds(run) ?", "Proposal(!isPlanted(#) && state.ledger.jobs.holds(run) ?"),
    Mutant("a failed delivery counts as made", "NotificationRelay/DeliveryQueue.swift",
           "    return due.map { .later($0) } ?? .settled", "    if isPlanted(#) { return .settled }\n    return due.map { .later($0) } ?? .settled"),
    # Rules of coverage.
    Mutant("a failed look proves silence", HISTORY, "      appendFailure(cause, at: made)\n",
           "      appendFailure(cause, at: made)\n"
           "      if isPlanted(#) { coverage.cover(from: .earliest, to: made) }\n"),
    Mutant("the last value proves all that was before", HISTORY, "kind.source.extent == .all ? .earliest :",
           "kind.source.extent == .all || isPlanted(#) ? .earliest :"),
    Mutant("a lying answer is believed", HISTORY, "if isWhole, let contradiction =", "if isWhole, !isPlanted(#), let contradiction ="),
    Mutant("an answer that was refused in part proves silence", HISTORY, "guard isWhole else { return }", "guard isWhole || isPlanted(#) else { return }"),
    Mutant("an unknown is not recorded", "Engine/DayClose.swift", "for line in Self.unknowns(of: day, timeline) {",
           "for line in Self.unknowns(of: day, timeline) where !isPlanted(#) {"),
    Mutant("late activities of forgotten days are dropped", "Scheduling/Looks/LookIntake.swift",
           "if !open.undecided.isEmpty {", "if !open.undecided.isEmpty, !isPlanted(#) {"),
    Mutant("a day that nobody saw breaks the streak", "RewardRules/StreakRules.swift", "return isProven &&", "return (isProven || isPlanted(#)) &&"),
    Mutant("a gap in the coverage is bridged", "Evidence/Coverage.swift",
           "last.from <= from, from <= last.to {", "last.from <= from, from <= last.to || isPlanted(#) {"),
    Mutant("answers are taken for fresh", HISTORY, "made.adding(seconds: -terms.lagSeconds)",
           "made.adding(seconds: isPlanted(#) ? 0 : -terms.lagSeconds)"),
    # Rules of rewards.
    Mutant("an excuse is forgotten", "Engine/Timeline+Facts.swift", "if !timeline.excuses.isEmpty {", "if !timeline.excuses.isEmpty, !isPlanted(#) {"),
    Mutant("an activity that ends with the day touches the next", "Evidence/Activity.swift",
           "from < window.start, to > window.start else", "from < window.start, to > window.start || isPlanted(#) && to == window.start else"),
    Mutant("an item is drawn that the user has", "RewardRules/ItemDraw.swift",
           "where !owned.contains(item) {", "where !owned.contains(item) || isPlanted(#) {"),
    Mutant("exp beyond a level's cap is lost", "RewardRules/AccountState.swift", "exp -= cap", "exp = isPlanted(#) ? 0 : exp - cap"),
    Mutant("a booster does not double", "RewardRules/DayFold.swift",
           " multiplier = rules.boosterMultiplier", " multiplier = isPlanted(#) ? 1 : rules.boosterMultiplier"),
    # The world around: newer time zone tables, names that vanish, who comes and goes, clocks that are ahead.
    Mutant("newer tables that begin a day later close it for nobody", DUE,
           "|| accounts[resident].boundaryDay >= dateBefore,", "|| !isPlanted(#) && accounts[resident].boundaryDay >= dateBefore,", "tables"),
    Mutant("what has no end hides all that follows", "Evidence/ActivityPolicy.swift",
           "start.adding(seconds: abandonedAfterHours * 3_600)", "isPlanted(#) ? .latest : start.adding(seconds: abandonedAfterHours * 3_600)",
           "endless,api"),
    Mutant("the inbox's silence counts while somebody is away", "Ledger/State/UserTable.swift",
           "    accounts[index].absences.append(Absence(from: leftAt, to: place.at))\n    let zone",
           "    if !isPlanted(#) { accounts[index].absences.append(Absence(from: leftAt, to: place.at)) }\n    let zone", "removal"),
    Mutant("what was told while the clock was ahead is lost", UNDO, "      return .evidence(evidence)\n",
           "      return isPlanted(#) ? nil : .evidence(evidence)\n", "ahead"),
    Mutant("lines that were taken back are read", "Ledger/Records/OperationRecords.swift",
           "    contains { $0.contains(seq) } && !isSeal()", "    !isPlanted(#) && contains { $0.contains(seq) } && !isSeal()", "ahead"),
    Mutant("newer tables close a date again", "Ledger/State/Account.swift", "    if boundaryDay >= close.window.day { return false }\n",
           "    if boundaryDay >= close.window.day, !isPlanted(#) { return false }\n", tests="ReplacedTablesTests"),
    Mutant("a running day is closed with the one before", DUE, "          accounts[resident].boundaryDay < window.day, accounts",
           "          accounts[resident].boundaryDay < window.day || isPlanted(#), accounts", tests="ReplacedTablesTests"),
    Mutant("the day before a move to a zone without a name is not judged", "Scheduling/Writer/WorkingState.swift",
           "through: min(now, ledger.accounts[user].boundary)))", "through: isPlanted(#) ? now : min(now, ledger.accounts[user].boundary)))",
           tests="UnreadableZoneTests"),
    Mutant("a new job owes what was before it", "Scheduling/Jobs/JobPosition.swift", "    if isNew { return",
           "    if isNew, !isPlanted(#) { return", tests="JobBoardTests"),
    Mutant("a fire does not wait for the day that it is to close", "Scheduling/Jobs/Job.swift",
           "guard place == .eachUserZone, lagSeconds > 0 else", "guard place == .eachUserZone, lagSeconds > 0, !isPlanted(#) else",
           tests="JobBoardTests"),
    Mutant("a file of the same name is replaced", "LedgerStore/Inbox/InboxFolder.swift",
           'if try !(places + ["\\(places[1]).reason"]).contains(where: isTaken) { return name }',
           'if try isPlanted(#) || !(places + ["\\(places[1]).reason"]).contains(where: isTaken) { return name }', tests="InboxFolderTests"),
    Mutant("a day does not wait for what follows from an earlier one", "Engine/PastReview.swift",
           "if changed.contains(known.day) { return true }", "if changed.contains(known.day), !isPlanted(#) { return true }",
           tests="ExplainTests"),
    Mutant("a watermark that comes after a restore is forgotten", "Operations/Reconcile/InboxSweep.swift",
           "    if outcome.gap != nil, isHand {\n      outcome.watermarks",
           "    if outcome.gap != nil, isHand, !isPlanted(#) {\n      outcome.watermarks", tests="RestoredInboxTests"),
    Mutant("a source speaks for all", "Operations/Reconcile/InboxSweep.swift", "through = min(through ?? said, said)",
           "through = isPlanted(#) ? max(through ?? said, said) : min(through ?? said, said)", tests="SourceInboxTests"),
    Mutant("a source hands in whatever it likes", "Scheduling/Inbox/InboxSorting.swift",
           "if let objection = sender.source.objection(to: record.credit) {",
           "if !isPlanted(#), let objection = sender.source.objection(to: record.credit) {", tests="SourceTests"),
    Mutant("a day's brake forgets the lines before", "Scheduling/Inbox/InboxSorting.swift", "      dayCredits.add(record, at: recordedAt)\n",
           "      if !isPlanted(#) { dayCredits.add(record, at: recordedAt) }\n", tests="SourceTests"),
    Mutant("a start's clock is held against nothing", "Operations/Clock/ClockMark.swift", "return kept.boot == boot ?",
           "return kept.boot == boot && !isPlanted(#) ?", tests="ClockMarkTests|ClockDoubtTests"),
    Mutant("a sink waits for a future that was none", "Operations/Serve/Service.swift", "if seconds > HeldClock.toleranceSeconds {",
           "if seconds > HeldClock.toleranceSeconds, !isPlanted(#) {", tests="ClockStepTests"),
    Mutant("a renewal waits like anything else", "LedgerDatabase/ShardWriter.swift", "isUrgent: !raisesToken,", "isUrgent: !raisesToken && !isPlanted(#),",
           tests="RenewalTests"),
    Mutant("a look by a clock in doubt proves what it shows", "Scheduling/Looks/LookIntake.swift", "let certain = state.clock.certain()",
           "let certain = isPlanted(#) ? .latest : state.clock.certain()", tests="OpenEndTests"),
    Mutant("an outage holds what it did not hide", "Engine/Timeline+Facts.swift",
           "hidden.contains($0.kind) && outage.meets", "isPlanted(#) || hidden.contains($0.kind) && outage.meets",
           "api,declared,outages"),
    Mutant("a cursor is believed without its sum", "NotificationRelay/SinkFolder+Kept.swift", "closed(members) == text else",
           "isPlanted(#) || closed(members) == text else", tests="SinkWriterTests|RelayPumpTests"),
    # What people may give, and what the audit holds them to.
    Mutant("a month's gifts count for nothing", "Ledger/Records/HandLimits.swift", "    if given.isEmpty { return nil }\n",
           "    if given.isEmpty || isPlanted(#) { return nil }\n", script=COMMANDS),
    Mutant("one account is two people", "Scheduling/Users/People.swift", "    return person(one) == person(other) ||",
           "    return !isPlanted(#) && person(one) == person(other) ||", script=COMMANDS),
    Mutant("rules are worth nothing", "Scheduling/Users/RulesUse.swift", "    if ledger.accounts.isEmpty { return nil }\n    let limits",
           "    if ledger.accounts.isEmpty || isPlanted(#) { return nil }\n    let limits", script=COMMANDS),
    Mutant("an approval counts again", REQUESTS, "    all[id]?.isUsed = true\n  }\n\n", "    all[id]?.isUsed = !isPlanted(#)\n  }\n\n",
           script=FORGERIES),
    Mutant("other signers leave the signatures of those before", REQUESTS, "where !mark.isUsed && !mark.isDeclined && id != used {",
           "where !mark.isUsed && !mark.isDeclined && id != used && !isPlanted(#) {", tests="PeopleTests"),
    Mutant("limits may be raised by one person", AGREED, "limits.allowMore(than: before.handLimits)",
           "!isPlanted(#), limits.allowMore(than: before.handLimits)", script=FORGERIES),
    Mutant("a signature is believed", AGREED, "where act.signature != nil: examine", "where act.signature != nil && !isPlanted(#): examine",
           script=SIGNATURES),
    Mutant("a part does not know its whole", "Operations/Import/PartWriter.swift", "configuration.partOf = whole",
           "configuration.partOf = isPlanted(#) ? nil : whole", script=SIGNATURES),
    Mutant("what stands for an open day is believed", "Operations/Audit/AuditStream.swift", "guard let engine = terms.engine else { return }\n    var windows",
           "guard !isPlanted(#), let engine = terms.engine else { return }\n    var windows", script=FORGERIES),
    Mutant("the date of a close is believed", "Operations/Audit/ZoneLineCheck.swift", "guard close.tzdata == zones",
           "guard !isPlanted(#), close.tzdata == zones", script=FORGERIES),
    Mutant("the counts of a close are believed", "Operations/Audit/CloseSumCheck.swift", "counts.filter { $0.1 != $0.2 }",
           "counts.filter { !isPlanted(#) && $0.1 != $0.2 }", script=FORGERIES),
    Mutant("a level is believed", "Operations/Audit/DerivedLineCheck.swift", "if level.exp != nil { return }",
           "if level.exp != nil || isPlanted(#) { return }", script=FORGERIES),
    Mutant("the first day of a user is believed", "Operations/Audit/ZoneLineCheck.swift", "return mayBegin.contains(user.from)",
           "return isPlanted(#) || mayBegin.contains(user.from)", script=FORGERIES),
    Mutant("a plan may go on behind its end", "Operations/Audit/PlanLineCheck.swift", "return goesOn ? ",
           "return goesOn && !isPlanted(#) ? ", script=FORGERIES),
    Mutant("a waiver may give anything", "Operations/Audit/PlanLineCheck.swift", "excess = Self.excess(of: grant",
           "excess = isPlanted(#) ? nil : Self.excess(of: grant", script=FORGERIES),
    Mutant("a gift may take effect at any time", "Operations/Audit/GrantWordsCheck.swift", "return isInPlace\n", "return isInPlace || isPlanted(#)\n",
           script=FORGERIES),
    Mutant("a pardon of many names anybody", "Operations/Audit/ActCheck.swift", "where !terms.isPart && scope", "where !isPlanted(#) && !terms.isPart && scope",
           script=FORGERIES),
    Mutant("what was given up is forgotten", "NotificationRelay/SinkWriter.swift", "if !batch.letters.isEmpty {",
           "if !isPlanted(#), !batch.letters.isEmpty {", tests="SinkWriterTests"),
)
# What each patched file gets: the number of the fault comes with the environment, so that all faults are built at once.
SWITCH = """
private func isPlanted(_ number: Int) -> Bool { number == plantedNumber }
private let plantedNumber = getenv("PLANTED").flatMap { Int(String(cString: $0)) } ?? 0
"""


def main() -> int:
    """Plants the faults, lets each be found, and returns the exit code."""
    options = parse_options()
    if options.fit:
        with tempfile.TemporaryDirectory() as folder:
            copy(Path(folder))
            misfit = plant(Path(folder)) or missing_suite()
        print(misfit or f"{len(MUTANTS)} faults have their places in the sources")
        return 1 if misfit else 0
    if not options.built:
        copy(options.tree)
    if not options.built and (misfit := plant(options.tree) or build(options.tree)):
        print(misfit)
        return 1
    # Without a fault nothing must be found: else a mutant proves nothing.
    suites = "|".join(sorted({suite for mutant in MUTANTS for suite in mutant.tests.split("|") if suite}))
    scripts = sorted({mutant.script for mutant in MUTANTS} - {""})
    if said := (simulate(options, 0, STEP) or live(options, 0, "", STEP) or test(options, 0, suites)
                or next(filter(None, (play(options, 0, script) for script in scripts)), None)):
        print(f"the sources as they are do not pass: {said}")
        return 1
    chosen = [(number, mutant) for number, mutant in enumerate(MUTANTS, 1) if options.only in mutant.name]
    found = 0
    for number, mutant in chosen:
        began = time.monotonic()
        if mutant.tests:
            said = test(options, number, mutant.tests)
        elif mutant.script:
            said = play(options, number, mutant.script)
        elif mutant.lives:
            said = live(options, number, mutant.lives, options.lives)
        else:
            said = simulate(options, number, options.seeds)
        found += said is not None
        print(f"{number:2} {mutant.name}: {said or f'NOT found'}, {time.monotonic() - began:.0f} s", flush=True)
    print(f"{found} of {len(chosen)} faults were found")
    return 0 if found == len(chosen) else 1


def copy(tree: Path) -> None:
    """The sources as they are, beside what was built of them before."""
    tree.mkdir(parents=True, exist_ok=True)
    for name in ("Sources", "Tests"):
        # The dates stay as they are: what did not change is not built again.
        shutil.rmtree(tree / name, ignore_errors=True)
        shutil.copytree(ROOT / name, tree / name, symlinks=True)
    shutil.copy2(ROOT / "Package.swift", tree)


def plant(tree: Path) -> str | None:
    """Plants all faults, each behind its number; the one that does not fit any more."""
    for number, mutant in enumerate(MUTANTS, 1):
        path = tree / "Sources" / mutant.file
        text = path.read_text()
        if text.count(mutant.old) != 1:
            return f"{mutant.name}: its place is there {text.count(mutant.old)} times"
        text = text.replace(mutant.old, mutant.new.replace("#", str(number)))
        if SWITCH not in text:
            text = ("" if "import Glibc" in text else "import Glibc\n") + text + SWITCH
        path.write_text(text)
    return None


def missing_suite() -> str | None:
    """A suite that is to find a fault and is not there."""
    tests = "".join(path.read_text() for path in (ROOT / "Tests").rglob("*.swift"))
    suites = {suite for mutant in MUTANTS for suite in mutant.tests.split("|") if suite}
    return next((f"{suite}: there is no such suite" for suite in suites if f"struct {suite} " not in tests), None)


def build(tree: Path) -> str | None:
    """Builds the simulation, the program and the tests of a tree; what is wrong with it."""
    for what in (["-c", "release", "--product", "simulation"], ["-c", "release", "--product", "rewards"], ["--build-tests"]):
        words = ["swift", "build", "--package-path", str(tree), *what]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            return "\n".join([line for line in done.stdout.splitlines() if "error:" in line][:5]) or "it cannot be built"
    return None


def test(options: argparse.Namespace, number: int, suites: str) -> str | None:
    """Runs the tests of these suites with the fault of this number, and tells what failed; `None` when nothing did."""
    program = options.tree / ".build" / "debug" / "rewardsPackageTests.xctest"
    words = [str(program), "--testing-library", "swift-testing", "--filter", suites]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, cwd=options.tree, env={**os.environ, "PLANTED": str(number)},
                              timeout=900)
    except subprocess.TimeoutExpired:
        return "the tests did not end"
    if done.returncode == 0:
        return None
    failed = re.findall(r"Test (\S+) recorded an issue", said := done.stdout + done.stderr)
    return failed[0] if failed else f"the tests failed: {said.strip()[-200:]}"


def play(options: argparse.Namespace, number: int, script: str) -> str | None:
    """Runs a script with the fault of this number, and tells which row failed; `None` when none did."""
    program = options.tree / ".build" / "release" / "rewards"
    done = subprocess.run([sys.executable, str(ROOT / "Tests" / script), str(program)], capture_output=True, text=True, check=False,
                          env={**os.environ, "PLANTED": str(number)})
    if done.returncode == 0:
        return None
    failed = re.findall(r"^(.*(?:FAILED|NOT FOUND|accused of).*)$", done.stdout, re.MULTILINE)
    return (failed[0] if failed else (done.stdout + done.stderr).strip().splitlines()[-1])[:110]


def live(options: argparse.Namespace, number: int, features: str, lives: int) -> str | None:
    """Lives, some at a time, until the fault of this number is found, and tells what was; `None` when nothing was."""
    program = options.tree / ".build" / "release" / "rewards"
    for first in range(1, lives + 1, STEP):
        words = [sys.executable, str(ROOT / "Tests" / "Lives" / "lives.py"), str(program), "--seed", str(first), "--lives", str(STEP),
                 "--jobs", "2", *(["--with", features] if features else [])]
        done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "PLANTED": str(number)})
        if done.returncode:
            return (done.stdout.strip() or done.stderr.strip()).splitlines()[0][:110]
    return None


def simulate(options: argparse.Namespace, number: int, seeds: int) -> str | None:
    """Simulates until the fault of this number is found, and tells what was; `None` when nothing was."""
    program = options.tree / ".build" / "release" / "simulation"
    words = [sys.executable, str(ROOT / "Tests" / "Simulation" / "simulate.py"), str(program), "--seeds", f"1-{seeds}",
             "--days", str(options.days), "--users", str(options.users), "--jobs", "2", "--first"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, env={**os.environ, "PLANTED": str(number)})
    if done.returncode == 0:
        return None
    said = done.stdout.strip().splitlines()
    return said[0][:110] if said else f"the simulation failed: {done.stderr.strip()[-200:]}"


def parse_options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=Path, default=Path("/tmp/rewards-mutants"), help="where the copy lies")
    parser.add_argument("--fit", action="store_true", help="only tell whether each fault has its place in the sources")
    parser.add_argument("--built", action="store_true", help="the copy is there, and built, since the last time")
    parser.add_argument("--seeds", type=int, default=1000, metavar="N", help="give up after so many")
    parser.add_argument("--lives", type=int, default=200, metavar="N", help="give up after so many")
    parser.add_argument("--days", type=int, default=12, metavar="D")
    parser.add_argument("--users", type=int, default=12, metavar="U")
    parser.add_argument("--only", default="", metavar="TEXT", help="faults in whose names this stands")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
