#!/usr/bin/env python3
"""Lets several workers on one PostgreSQL live through a simulated fortnight with faults, and compares with the users' true lives.

usage: fortnight.py PROGRAM TESTS [--workers N] [--shards N] [--users N] [--days N] [--mishaps N] [--seed S]

Workers are processes, each in a mount namespace of its own, as on a machine of its own; all go by a clock that is moved on here. Leases go
by the database's own. The API fails in all ways of the demo, with an outage of seven hours. At random moments workers are killed,
stopped for longer or shorter than a lease, asked to end, and started; the database breaks down; connections are cut. In the end every shard
is audited, the grants are compared with the lives, events with what the receiver got, and each shard's export is handed to
chain.py where CHECKS names a folder that has it. Takes root.
"""

import argparse
import json
import os
import random
import signal
import socket
import struct
import subprocess
import sys
import time
from collections import Counter
from datetime import datetime, timezone
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Postgres.worlds import APART, are_apart
from Shared.civil import show
from Shared.installation import SECRET
from Shared.places import Database, Server, running_server
from Shared.program import Failed, arguments

# The demo's world: its first day, and how far its time reaches beyond its days.
FIRST_DAY = datetime(2026, 10, 22, tzinfo=timezone.utc)
BEFORE_SECONDS, AFTER_SECONDS = 15 * 3600, 14 * 3600
# Must be that of the workers' clock.
STEP_SECONDS = 30
# How much time may pass, in seconds of the simulation, before what a mishap left behind is waited for.
UNSERVED_SECONDS = 1800
# After the last mishap, so that all is served, closed and delivered.
QUIET_SECONDS = 3 * 3600
# A lease, two looks around, and an opening.
SERVED_SECONDS = 60
# What is in hand is finished.
ENDED_SECONDS = 30

# The lines of the inbox that were refused: all were right when they were handed in.
REFUSED = """SELECT convert_from(string_agg(bytes, '' ORDER BY start), 'UTF8')
  FROM rewards.file JOIN rewards.piece ON (piece.shard, piece.file) = (file.shard, id)
  WHERE name LIKE 'inbox/rejected/%' GROUP BY file.shard, id"""

WAYS = ("kill", "pause", "end", "breakdown", "cut")


class Part:
    """A process that goes by the clock of this one."""

    def __init__(self, fleet: "Fleet", name: str, *machine: str):
        own, other = socket.socketpair()
        environment = fleet.environment | {"FORTNIGHT_PART": name, "FORTNIGHT_CLOCK": str(other.fileno())}
        words = [*machine, fleet.tests, "--testing-library", "swift-testing", "--filter", f"FortnightTests/{name}"]
        with open(fleet.folder / f"{name}-{len(fleet.parts)}.log", "ab") as log:
            self.process = subprocess.Popen(words, env=environment, cwd=fleet.folder, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, pass_fds=[other.fileno()])
        other.close()
        # How many answers it owes.
        self.clock, self.owes, self.is_stopped = own, 0, False
        self.give(fleet.now)

    def give(self, seconds: int) -> None:
        """Gives it the time; it owes one more answer then."""
        self.owes += 1
        try:
            self.clock.sendall(struct.pack("=q", seconds))
        except OSError:
            # It has ended: that is heard.
            pass

    def hear(self) -> bool:
        """Waits until it has done what was due; False when it has ended."""
        while self.owes:
            try:
                if not self.clock.recv(1):
                    return False
            except OSError:
                return False
            self.owes -= 1
        return True

    def stop(self) -> None:
        """Stops it in the midst of whatever it does."""
        self.process.send_signal(signal.SIGSTOP)
        self.is_stopped = True

    def go_on(self, seconds: int) -> None:
        """Lets it go on, at the time that it is by now: clocks do not stop with a process."""
        self.give(seconds)
        self.process.send_signal(signal.SIGCONT)
        self.is_stopped = False


class Fleet:
    """The world, the workers, and the time by which they go."""

    def __init__(self, options: argparse.Namespace, server: Server, folder: Path):
        self.program, self.tests, self.server = options.program, options.tests, server
        self.options, self.draw = options, random.Random(options.seed)
        self.folder = folder / "world"
        (self.folder / "jobs").mkdir(parents=True)
        self.place = Database(options.program, server.folder, "fortnight", options.shards)
        self.environment = os.environ | {"REWARDS_DRAW_SECRET": SECRET} | {
            "FORTNIGHT_DATA": self.place.address, "FORTNIGHT_USERS": str(options.users),
            "FORTNIGHT_DAYS": str(options.days), "FORTNIGHT_SEED": str(options.seed),
            "FORTNIGHT_SHARDS": str(options.shards)}
        self.now = int(FIRST_DAY.timestamp()) - BEFORE_SECONDS
        self.end = int(FIRST_DAY.timestamp()) + options.days * 86400 + AFTER_SECONDS + QUIET_SECONDS
        self.parts: list[Part] = []
        self.counts: Counter[str] = Counter()
        self.faults: list[str] = []
        self.world = Part(self, "world")
        self.parts.append(self.world)
        if not self.world.hear():
            raise Failed(f"the world does not begin: {self.log(0)}")
        self.workers: list[Part] = []

    def log(self, number: int) -> str:
        """The end of what a part has told."""
        return "".join(path.read_text()[-3000:] for path in self.folder.glob(f"*-{number}.log"))

    def start(self) -> None:
        """One worker more."""
        worker = Part(self, "worker", *APART)
        self.parts.append(worker)
        self.workers.append(worker)
        worker.hear()

    def advance(self) -> None:
        """Moves time on by one step for the world; a worker that is ahead of it would believe what was told of an older time."""
        self.now += STEP_SECONDS
        self.world.give(self.now)
        if not self.world.hear():
            self.bury(self.world)

    def step(self) -> None:
        """Moves time on by one step; returns when all that became due is done."""
        self.advance()
        present = [worker for worker in self.workers if not worker.is_stopped]
        for worker in present:
            if not worker.owes:
                worker.give(self.now)
        for worker in present:
            if not worker.hear():
                self.bury(worker)

    def bury(self, part: Part) -> None:
        """Takes in that a part has ended, which only workers may do that were killed or asked to."""
        number = self.parts.index(part)
        if part is self.world:
            raise Failed(f"the world has ended: {self.log(number)}")
        self.workers.remove(part)
        if (code := part.process.wait()) not in (0, -signal.SIGKILL):
            self.faults.append(f"worker {number} ended with {code}: {self.log(number)}")

    def is_served(self) -> bool:
        """Whether a worker has each shard, none of which is stopped."""
        try:
            held = len(self.place.serving())
        except subprocess.CalledProcessError:
            return False
        return held == self.options.shards and not any(worker.is_stopped for worker in self.workers)

    def pass_unserved(self) -> None:
        """Lets some time pass while not all is served, and then waits until it is."""
        until = self.now + self.draw.randrange(0, UNSERVED_SECONDS, STEP_SECONDS)
        while self.now < until:
            self.step()
        deadline = time.monotonic() + SERVED_SECONDS
        while not self.is_served():
            if time.monotonic() > deadline:
                raise Failed(f"not all is served after {SERVED_SECONDS} s: {self.log(len(self.parts) - 1)}")
            # Workers look around by the clock that is given here.
            self.step()
            time.sleep(0.2)

    def mishap(self) -> None:
        """Something happens; some worker is left."""
        ways = self.options.ways if len(self.workers) > 1 else ["start"]
        if len(self.workers) < self.options.workers:
            ways = [*ways, "start"]
        way = self.draw.choice(ways)
        self.counts[way] += 1
        if way == "start":
            self.start()
        elif way == "breakdown":
            self.server.restart()
        elif way == "cut":
            self.place.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'fortnight' AND pid <> pg_backend_pid() AND random() < 0.5")
        else:
            self.strike(self.draw.choice(self.workers), way)
        self.pass_unserved()

    def strike(self, worker: Part, way: str) -> None:
        """Ends or stops a worker in the midst of its work."""
        self.advance()
        if not worker.owes:
            worker.give(self.now)
        time.sleep(self.draw.uniform(0, 0.01))
        if way == "kill":
            worker.process.kill()
            self.bury(worker)
        elif way == "end":
            worker.process.terminate()
            deadline = time.monotonic() + ENDED_SECONDS
            while worker in self.workers and time.monotonic() < deadline:
                self.step()
            if worker in self.workers:
                raise Failed(f"a worker was asked to end and does not within {ENDED_SECONDS} s, process {worker.process.pid}")
        else:
            worker.stop()
            until = self.now + self.draw.randrange(0, UNSERVED_SECONDS, STEP_SECONDS)
            while self.now < until:
                self.step()
            time.sleep(self.draw.choice((1, 3, 18)))
            worker.go_on(self.now)

    def live(self) -> None:
        """Lives through all days, with mishaps at random moments."""
        for _ in range(self.options.workers):
            self.start()
        self.pass_unserved()
        moments = sorted(self.draw.randrange(self.now, self.end - QUIET_SECONDS) for _ in range(self.options.mishaps))
        shown = 0
        while self.now < self.end:
            if moments and self.now >= moments[0]:
                moments.pop(0)
                self.mishap()
            self.step()
            if (day := (self.now - int(FIRST_DAY.timestamp())) // 86400) != shown:
                shown = day
                print(f"day {day}, {len(self.workers)} workers, {dict(self.counts)}", flush=True)
        for worker in list(self.workers):
            worker.process.terminate()
        for worker in list(self.workers):
            if code := worker.process.wait(60):
                self.faults.append(f"a worker was asked to end and did with {code}")

    def compare(self) -> dict:
        """Compares with the true lives; what was found."""
        self.world.clock.shutdown(socket.SHUT_WR)
        if self.world.process.wait(600):
            raise Failed(f"the comparison failed: {self.log(0)}")
        outcome = json.loads((self.folder / "outcome.json").read_text())
        self.faults += outcome.pop("wrong")
        self.faults += [f"refused: {line}" for line in self.place.ask(REFUSED).splitlines() if line]
        # Nothing that was kept may be damaged by what befell the workers, also where losing it costs little.
        for log in self.folder.glob("*.log"):
            self.faults += [f"{log.name}: {line}" for line in log.read_text(errors="replace").splitlines() if "cannot be read" in line]
        return outcome

    def audit(self) -> None:
        """Audits all shards, and hands each one's export to a stranger."""
        # What came late waits for a plan; behind that nothing may be left.
        for words in (["backfill", "--plan", "plan.json"], ["backfill", "--apply", "plan.json"], ["audit"]):
            if "--apply" in words and not (self.folder / "plan.json").exists():
                continue
            done = subprocess.run([self.program, *words, "--now", show(self.now)], env=self.environment, cwd=self.folder, capture_output=True, text=True, check=False)
            if done.returncode:
                self.faults.append(f"{' '.join(words)} ended with {done.returncode}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        check = Path(os.environ.get("CHECKS", Path(__file__).resolve().parents[3] / "shared" / "check")) / "chain.py"
        for shard in range(self.options.shards):
            export = self.folder / f"shard-{shard}"
            export.mkdir()
            with open(export / "00000000000000000001.jsonl", "wb") as file:
                subprocess.run([self.program, "ledger", "export", "--sealed", "--shard", str(shard)], env=self.environment, cwd=self.folder,
                               stdout=file, check=True)
            if check.exists():
                done = subprocess.run([sys.executable, check, export], capture_output=True, text=True, check=False)
                self.counts["exports accepted"] += not done.returncode
                if done.returncode:
                    self.faults.append(f"chain.py refuses shard {shard}: {done.stdout}{done.stderr}")


def main() -> int:
    """Lives through the days, and compares."""
    options = parse_options()
    if not are_apart():
        return 0
    began = time.monotonic()
    with running_server("rewards-fortnight-") as (folder, server):
        fleet = Fleet(options, server, folder)
        try:
            fleet.live()
            outcome = fleet.compare()
            fleet.audit()
        finally:
            for part in fleet.parts:
                part.process.kill()
                part.process.wait()
            if options.keep:
                subprocess.run(["cp", "-r", fleet.folder, options.keep], check=False)
    print(f"{options.days} days of {options.users} users in {options.shards} shards, {len(fleet.parts) - 1} workers one after another, "
          f"{dict(fleet.counts)}, {outcome}, {time.monotonic() - began:.0f} s: " + ("; ".join(fleet.faults) or "as the users lived"))
    return 1 if fleet.faults else 0


def parse_options() -> argparse.Namespace:
    """What the command line says."""
    parser = arguments(__doc__)
    parser.add_argument("tests", type=Path, help="the tests' binary: swift build --build-tests")
    parser.add_argument("--workers", type=int, default=4, metavar="N")
    parser.add_argument("--shards", type=int, default=8, metavar="N")
    parser.add_argument("--users", type=int, default=150, metavar="N")
    parser.add_argument("--days", type=int, default=14, metavar="N")
    parser.add_argument("--mishaps", type=int, default=60, metavar="N")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), metavar="WAY", help=f"what happens: {', '.join(WAYS)}")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--keep", metavar="DIR", help="leave the world's files there")
    options = parser.parse_args()
    options.tests = options.tests.resolve()
    return options


if __name__ == "__main__":
    sys.exit(main())
