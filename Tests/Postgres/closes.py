#!/usr/bin/env python3
"""Closes days of users who are divided among the shards of a database, each of which has too few of them to tell an outage.

usage: closes.py PROGRAM [--shards N] [--users N] [--ways WAY…]

By commands in simulated time: quiet days are closed by one command; a day on which nobody is seen waits in all shards, and is closed
in all when an operator says so; then the shards are made to disagree, and an audit must tell how. By services in real time: no shard closes before the last one has counted its streaks, and all
do then, by their jobs and by a command.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent / "Lives"))

import gifts
from places import Database, running_server

# A lease, two looks around, an opening, and an inbox.
CLOSED_SECONDS = 90
# So long a close is not made although all but one have counted.
PATIENCE_SECONDS = 5
COMMAND_SECONDS = 180
TRY_AGAIN = 75
OFTEN = {"name": "often", "schedule": "* * * * *", "timeZone": "user", "do": ["reconcile", "--prove"], "overlap": "skip",
         "catchUp": "1h", "timeout": "10m", "enabled": True}


class Failed(Exception):
    """Something that must hold does not."""


class Installation:
    """A folder with a configuration whose users live in the shards of a database."""

    def __init__(self, options: argparse.Namespace, socket: Path, folder: Path, name: str, *jobs: dict):
        self.program, self.shards = options.program, options.shards
        self.folder = folder / name
        (self.folder / "jobs").mkdir(parents=True)
        for job in jobs:
            (self.folder / "jobs" / f"{job['name']}.json").write_text(json.dumps(job))
        self.place = Database(options.program, socket, name, options.shards)
        self.environment = os.environ | gifts.SECRET
        self.configure()
        self.users = [f"u{number}" for number in range(options.users)]

    def configure(self, **settings: object) -> None:
        """Writes the configuration."""
        (self.folder / "rewards.json").write_text(json.dumps({
            "data": self.place.address, "jobs": "jobs", "relay": {}, "inbox": {"everySeconds": 1},
            "admin": {"listen": "127.0.0.1:0"}} | settings))

    def run(self, *words: str, given: str = "", codes: tuple[int, ...] = (0,)) -> str:
        """Runs a command that must end with one of the codes, and gives what it printed."""
        done = subprocess.run([self.program, *words], env=self.environment, cwd=self.folder, input=given, text=True,
                              capture_output=True, check=False, timeout=COMMAND_SECONDS)
        if done.returncode not in codes:
            raise Failed(f"{' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout

    def roster(self, **members: str) -> str:
        """All users, in one zone."""
        return "".join(json.dumps({"user": user, "timezone": "Etc/UTC"} | members) + "\n" for user in self.users)

    def logins(self, at: datetime) -> str:
        """A login of everybody."""
        return "".join(json.dumps({"user": user, "kind": "login", "at": show(at)}) + "\n" for user in self.users)

    def closes(self) -> Counter[str]:
        """In how many shards each day is closed."""
        found: Counter[str] = Counter()
        for shard in range(self.shards):
            found.update(line["day"] for line in self.place.lines(shard) if line["type"] == "close")
        return found

    @contextmanager
    def served(self, count: int):
        """So many workers while the block runs."""
        workers = []
        for number in range(count):
            with open(self.folder / f"worker-{number}.log", "ab") as log:
                workers.append(subprocess.Popen([self.program, "serve", "--log-level", "info"], env=self.environment, cwd=self.folder,
                                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log))
        try:
            yield
            for worker in workers:
                worker.terminate()
            codes = [worker.wait(60) for worker in workers]
            if any(codes):
                raise Failed(f"workers ended with {codes}")
        finally:
            for worker in workers:
                worker.kill()
                worker.wait()

    def wait_for(self, what: str, condition, seconds: float = CLOSED_SECONDS) -> None:
        """Waits until something holds."""
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                logs = "".join(path.read_text()[-2000:] for path in self.folder.glob("worker-*.log"))
                raise Failed(f"not within {seconds} s: {what}; {dict(self.closes())}\n{logs}")
            time.sleep(2)

    def count_logged(self, event: str) -> int:
        """How often workers have logged something."""
        return sum(path.read_text().count(event) for path in self.folder.glob("worker-*.log"))

    def count_held(self) -> int:
        """How many shards some worker serves."""
        return len(self.place.serving())


def show(at: datetime) -> str:
    """An instant as commands take it."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def hold_back(options: argparse.Namespace, socket: Path, folder: Path) -> None:
    """Five quiet days, then one on which nobody is seen."""
    installation = Installation(options, socket, folder, "simulated")
    begin = datetime(2026, 3, 2, tzinfo=timezone.utc)
    installation.run("users", "import", "-", "--now", show(begin), given=installation.roster())
    for number in range(5):
        day = begin + timedelta(days=number)
        installation.run("ingest", "-", "--now", show(day + timedelta(hours=9)), given=installation.logins(day + timedelta(hours=8)))
        told = installation.run("reconcile", "--prove", "--now", show(day + timedelta(days=1, minutes=30)))
        if "NOT" in told:
            raise Failed(told)
    night = show(begin + timedelta(days=6, minutes=30))
    last = (begin + timedelta(days=5)).strftime("%Y-%m-%d")
    told = installation.run("reconcile", "--now", night, "--format", "json", codes=(1,))
    waiting = [entry for line in told.splitlines() for entry in json.loads(line)["waiting"]]
    everybody = f"{len(installation.users)} of {len(installation.users)} streaks would break"
    if not waiting or any(everybody not in entry["objection"] for entry in waiting):
        raise Failed(f"the day is not held back: {told}")
    # Asked again, it is still held back.
    installation.run("reconcile", "--now", night, codes=(1,))
    before = installation.closes()
    if last in before or len(before) != 5 or min(before.values()) != len(waiting):
        raise Failed(f"closed are {dict(before)}, {len(waiting)} wait")
    # The operator knows that it is right.
    installation.run("reconcile", "--confirm", "--actor", "ops", "--now", night, codes=(0, 1))
    if installation.closes()[last] != len(waiting):
        raise Failed(f"after --confirm closed are {dict(installation.closes())}")
    installation.run("audit", "--now", night)
    disagree(installation, begin + timedelta(days=6))


def disagree(installation: Installation, day: datetime) -> None:
    """An audit tells what no ledger knows of itself: closes of which others were told otherwise, users in the wrong shard, a
    shard that nobody can write to, and days that one shard judges by other rules. The last of these stays."""
    night = day + timedelta(days=1, minutes=30)

    def found() -> set[int]:
        lines = installation.run("audit", "--format", "json", "--now", show(night), codes=(1,)).splitlines()
        reports = [json.loads(line) for line in lines]
        if any(check["found"] for report in reports[:-1] for check in report["checks"]):
            raise Failed(f"a ledger by itself is not right: {lines}")
        return {check["id"] for check in reports[-1]["checks"] if check["found"]}

    def expect(told: set[int], *checks: int) -> None:
        if told != set(checks):
            raise Failed(f"an audit finds {told}, not {checks}")

    place = installation.place
    place.ask("UPDATE rewards.streaks SET broken = broken - 100 WHERE is_open = 0")
    expect(found(), 18)
    place.ask("UPDATE rewards.streaks SET broken = broken + 100 WHERE is_open = 0")
    place.ask(f"UPDATE rewards.cluster SET shards = {installation.shards - 1}")
    expect(found(), 16, 19)
    place.ask(f"UPDATE rewards.cluster SET shards = {installation.shards}")
    place.ask("CREATE TABLE kept AS SELECT * FROM rewards.shard WHERE shard = 2; DELETE FROM rewards.shard WHERE shard = 2")
    expect(found(), 19)
    place.ask("INSERT INTO rewards.shard SELECT * FROM kept")
    installation.run("audit", "--now", show(night))

    (installation.folder / "other.json").write_text(json.dumps({
        "version": "other", "effectiveFrom": day.strftime("%Y-%m-%d"), "missions": {"gift": {"points": 1}}}))
    installation.configure(rules=["other.json"])
    installation.run("--shard", "1", "ingest", "-", "--now", show(day + timedelta(hours=8)))
    installation.configure()
    installation.run("ingest", "-", "--now", show(day + timedelta(hours=9)), given=installation.logins(day + timedelta(hours=8)))
    installation.run("audit", "--now", show(day + timedelta(hours=10)))
    installation.run("reconcile", "--prove", "--now", show(night))
    expect(found(), 17)


def close_in_services(installation: Installation, by_hand: bool) -> None:
    """Days that have ended before the services began; one of the shards comes late."""
    today = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
    day = today - timedelta(days=1)
    installation.run("users", "import", "-", given=installation.roster(since=day.strftime("%Y-%m-%d")))
    shards = installation.shards
    late = shards - 1
    installation.place.ask(f"UPDATE rewards.shard SET holder = 'nobody', process = 'elsewhere', expires = now() + interval '1 hour' WHERE shard = {late}")
    with installation.served(2):
        installation.wait_for("all shards but one are served", lambda: installation.count_held() == shards - 1)
        if by_hand:
            installation.run("reconcile", codes=(TRY_AGAIN,))
        else:
            # A job begins within a minute.
            installation.wait_for("all but one wait", lambda: installation.count_logged("a close waits for other shards") == shards - 1)
        time.sleep(PATIENCE_SECONDS)
        if made := installation.closes():
            raise Failed(f"closed are {dict(made)} while shard {late} has not counted")
        installation.place.ask(f"UPDATE rewards.shard SET expires = now() - interval '1 second' WHERE shard = {late}")
        installation.wait_for("all shards are served", lambda: installation.count_held() == shards)
        if by_hand:
            installation.run("reconcile", "--prove", codes=(0, 1))
        installation.wait_for("all shards have closed", lambda: list(installation.closes().values()) == [shards])
    runs = [line for shard in range(shards) for line in installation.place.lines(shard) if line["type"] == "run"]
    if odd := [run for run in runs if run["outcome"] not in ("done", "attention", "skipped")]:
        raise Failed(f"runs were {odd}")
    installation.run("audit")


def close_by_jobs(options: argparse.Namespace, socket: Path, folder: Path) -> None:
    """The services' own jobs close."""
    close_in_services(Installation(options, socket, folder, "jobs", OFTEN), by_hand=False)


def close_by_hand(options: argparse.Namespace, socket: Path, folder: Path) -> None:
    """A command has the services close."""
    close_in_services(Installation(options, socket, folder, "by_hand"), by_hand=True)


WAYS = {"simulated": hold_back, "by_hand": close_by_hand, "jobs": close_by_jobs}


def main() -> int:
    """Closes days in each way."""
    options = parse_options()
    began = time.monotonic()
    with running_server("rewards-closes-") as (folder, server):
        try:
            for way in options.ways:
                WAYS[way](options, server.folder, folder)
        except Failed as failure:
            print(f"FAILED: {failure}", file=sys.stderr)
            return 1
    print(f"{options.users} users in {options.shards} shards, {', '.join(options.ways)}, {time.monotonic() - began:.0f} s: closed together and held back together")
    return 0


def parse_options() -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="the rewards binary, a release build")
    parser.add_argument("--shards", type=int, default=4, metavar="N")
    parser.add_argument("--users", type=int, default=40, metavar="N", help="20 or more, fewer than 20 in each shard")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), metavar="WAY", help=", ".join(WAYS))
    options = parser.parse_args()
    options.program = options.program.resolve()
    return options


if __name__ == "__main__":
    sys.exit(main())
