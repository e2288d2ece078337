#!/usr/bin/env python3
"""Lets several workers share the shards of a database, come and go, while gifts are given and logins handed in from elsewhere.

usage: workers.py PROGRAM [--workers N] [--shards N] [--changes N] [--skewed] [--seed S]

Each worker lives in a mount namespace of its own, as on a machine of its own: commands reach it by the database alone. At each
change one is started, killed, stopped for longer than its lease, or asked to end. Whatever was acknowledged must be there, once;
every shard must be served again in time; no worker may have more than its part when nothing changes any more. With --skewed the workers' wall clocks are up to ten minutes off, and step: what
the ledgers say must be of the right time. Takes root.
"""

import argparse
import json
import random
import signal
import sys
import threading
import time
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Postgres import gifts
from Postgres.worlds import APART, are_apart
from Shared.civil import parse, show
from Shared.installation import Installation
from Shared.places import Database, Server, running_server
from Shared.program import Answer, arguments, json_lines
from Shared.service import Service, end_all
from Shared.tools import wrong_clock
from Shared.waiting import wait_for

USERS = [f"u{number}" for number in range(24)]
# A lease, two looks around, and an opening.
SERVED_SECONDS = 40
# By the built-in rules.
LOGIN_POINTS = 25
REPEATED_SECONDS = 120
SKEW_SECONDS = 600


class Fleet(Installation):
    """The workers, and what is given beside them."""

    def __init__(self, options: argparse.Namespace, server: Server, folder: Path):
        super().__init__(options.program, folder, {"relay": {}, "admin": {"listen": "127.0.0.1:0"}},
                         Database(options.program, server.folder, "workers", options.shards))
        self.shards = options.shards
        # What shows a worker another time on the wall.
        self.skew = options.skewed and str(wrong_clock(folder))
        self.began = time.time()
        self.draw = random.Random(options.seed)
        self.workers: list[Service] = []
        self.given: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.worst = 0.0
        self.faults: list[str] = []
        self.is_over = threading.Event()

    def run(self, *words: str, **options: object) -> Answer:
        """Runs a command on a machine of its own."""
        return super().run(*words, machine=APART, **options)

    def add(self, **settings: str) -> None:
        """One worker more, perhaps with settings of its own."""
        number = len(self.workers)
        if self.skew:
            self.step(number)
            settings |= {"LD_PRELOAD": self.skew, "WRONG_CLOCK": str(self.folder / f"skew-{number}")}
        self.workers.append(Service(self, APART, **settings))

    def step(self, number: int) -> None:
        """Sets a worker's wall clock."""
        skew = self.draw.randint(-SKEW_SECONDS, SKEW_SECONDS)
        new = self.folder / "skew"
        new.write_text(f"{skew}\n")
        new.rename(self.folder / f"skew-{number}")

    @property
    def living(self) -> list[Service]:
        """Those that have not ended."""
        return [worker for worker in self.workers if worker.poll() is None]

    def change(self) -> None:
        """Something happens to a worker; some worker is left."""
        ways = ["start", "kill", "end", "pause"] if len(self.living) > 1 else ["start"]
        ways += ["step"] if self.skew and self.living else []
        way = self.draw.choice(ways if len(self.living) < 5 else ways[1:])
        self.counts[way] += 1
        if way == "start":
            self.add()
            return
        worker = self.draw.choice(self.living)
        if way == "step":
            self.step(self.workers.index(worker))
        elif way == "kill":
            worker.kill()
        elif way == "end":
            if worker.stop():
                self.faults.append(f"a worker that was asked to end did with {worker.returncode}")
        else:
            worker.send_signal(signal.SIGSTOP)
            time.sleep(self.draw.choice((3, 18)))
            worker.send_signal(signal.SIGCONT)

    def give(self, number: int) -> None:
        """Gives to users until all is over, each gift until it is acknowledged."""
        draw = random.Random(f"{number}")
        count = 0
        while not self.is_over.is_set():
            count += 1
            user = draw.choice(USERS)
            words = ["grant", user, "--points", "1", "--reason", "thanks", "--id", f"gift-{number}-{count}"]
            began = time.monotonic()
            while (answer := self.run(*words, codes=None)).code:
                self.counts["repeated"] += 1
                if time.monotonic() - began > REPEATED_SECONDS:
                    self.faults.append(f"{' '.join(words)} was not acknowledged: {answer.said}")
                    return
            self.worst = max(self.worst, time.monotonic() - began)
            self.given[user] += 1

    def wait_until_served(self) -> None:
        """Waits until each shard is served, by nobody more than its part."""
        share = -(-self.shards // len(self.living))

        def is_served() -> bool:
            held = self.place.serving()
            return len(held) == self.shards and max(Counter(held).values()) <= share

        if not wait_for(is_served, SERVED_SECONDS, every=0.5):
            logs = "".join(f"{worker.log_path.name}: {worker.log[-1000:]}" for worker in self.workers)
            self.faults.append(f"after {SERVED_SECONDS} s {len(self.living)} workers hold {Counter(self.place.serving())} of {self.shards}\n{logs}")

    def stray(self) -> None:
        """A worker with settings of its own is told of while it lives."""
        self.add(REWARDS_GUARD_BREAK_FACTOR="9")
        self.wait_for_differences(["settings"])
        self.workers[-1].stop()
        self.wait_for_differences([])

    def wait_for_differences(self, wanted: list[str]) -> None:
        """Waits until the workers differ in just that."""
        def found() -> list[str]:
            return self.run("store", "status", "--format", "json", codes=None).document["differences"]

        if not wait_for(lambda: found() == wanted, SERVED_SECONDS, every=0.5):
            self.faults.append(f"workers are said to differ in {found()}, not in {wanted}")

    def log_in(self) -> None:
        """Hands in a login of each user, in one file."""
        self.run("ingest", "-", given=json_lines({"user": user, "kind": "login", "at": show(time.time())} for user in USERS))
        for user in USERS:
            wait_for(lambda: self.login_points(user), 30, every=0.2)
            if (points := self.login_points(user)) != LOGIN_POINTS:
                self.faults.append(f"the login of {user} brought {points} points")
            self.given[user] += LOGIN_POINTS

    def check_shards(self) -> None:
        """Each user is in one shard, and no key in two."""
        keys: Counter[str] = Counter()
        homes: dict[str, set[int]] = {}
        for shard in range(self.shards):
            for line in map(json.loads, self.run("ledger", "export", "--shard", str(shard)).out.splitlines()):
                if not self.began - 2 <= parse(line["at"]) <= time.time() + 1:
                    self.faults.append(f"line {line['seq']} of shard {shard} is of {line['at']}")
                if "user" in line:
                    homes.setdefault(line["user"], set()).add(shard)
                if line["type"] == "grant":
                    keys[line["key"]] += 1
        self.faults += [f"{user} is in the shards {sorted(shards)}" for user, shards in homes.items() if len(shards) > 1]
        self.faults += [f"{key} stands {count} times" for key, count in keys.items() if count > 1]
        if set(homes) != set(USERS):
            self.faults.append(f"{sorted(set(USERS) - set(homes))} are in no shard")

    def login_points(self, user: str) -> int:
        """The points of a user's login, 0 for none."""
        found = [json.loads(line) for line in self.run("ledger", "export", "--type", "grant", "--user", user).out.splitlines()]
        return sum(line["points"] for line in found if line["mission"] == "login")


def live(fleet: Fleet, options: argparse.Namespace) -> None:
    """Gives while workers come and go, and compares."""
    fleet.run("users", "import", "-", given=json_lines({"user": user, "timezone": "Asia/Tokyo"} for user in USERS))
    for _ in range(options.workers):
        fleet.add()
    fleet.wait_until_served()
    givers = [threading.Thread(target=fleet.give, args=(number,)) for number in range(2)]
    for giver in givers:
        giver.start()
    for _ in range(options.changes):
        time.sleep(fleet.draw.uniform(0.5, 4))
        fleet.change()
    fleet.wait_until_served()
    fleet.is_over.set()
    for giver in givers:
        giver.join()
    fleet.stray()
    fleet.log_in()
    fleet.check_shards()
    fleet.faults += gifts.faults(fleet, USERS, fleet.given)
    fleet.faults += [f"a worker ended with {worker.returncode}" for worker in fleet.workers
                     if worker.poll() not in (None, 0, -signal.SIGKILL)]


def main() -> int:
    """Lets workers come and go, and compares."""
    options = parse_options()
    if not are_apart():
        return 0
    began = time.monotonic()
    with running_server("rewards-workers-") as (folder, server):
        fleet = Fleet(options, server, folder)
        try:
            live(fleet, options)
        finally:
            fleet.is_over.set()
            end_all()
    print(f"{sum(fleet.given.values())} points, {len(fleet.workers)} workers on {options.shards} shards, {dict(fleet.counts)}, "
          f"a gift took {fleet.worst:.1f} s at worst, {time.monotonic() - began:.0f} s: "
          + ("; ".join(fleet.faults) or "each is there once"))
    return 1 if fleet.faults else 0


def parse_options() -> argparse.Namespace:
    """What the command line says."""
    parser = arguments(__doc__)
    parser.add_argument("--workers", type=int, default=3, metavar="N", help="at the beginning")
    parser.add_argument("--shards", type=int, default=6, metavar="N")
    parser.add_argument("--changes", type=int, default=8, metavar="N")
    parser.add_argument("--skewed", action="store_true", help="the workers' wall clocks are wrong, and step")
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
