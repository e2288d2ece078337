#!/usr/bin/env python3
"""Closes days of users who are divided among the shards of a database, each of which has too few of them to tell an outage.

usage: closes.py PROGRAM [--shards N] [--users N] [--ways WAY…]

By commands in simulated time: quiet days are closed by one command; a day on which nobody is seen waits in all shards, and is closed
in all when an operator says so; then the shards are made to disagree, and an audit must tell how. By services in real time: no shard closes before the last one has counted its streaks, and all
do then, by their jobs and by a command.
"""

import argparse
import json
import sys
import time
from collections import Counter
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.append(str(Path(__file__).resolve().parent.parent))

from Shared.installation import Installation
from Shared.places import Database, running_server
from Shared.program import Failed, arguments, json_lines
from Shared.service import Service, end_all
from Shared.waiting import wait_until

# A lease, two looks around, an opening, and an inbox.
CLOSED_SECONDS = 90
# So long a close is not made although all but one have counted.
PATIENCE_SECONDS = 5
TRY_AGAIN = 75
OFTEN = {"name": "often", "schedule": "* * * * *", "timeZone": "user", "do": ["reconcile", "--prove"], "overlap": "skip",
         "catchUp": "1h", "timeout": "10m", "enabled": True}


class Divided(Installation):
    """An installation whose users live in the shards of a database."""

    def __init__(self, options: argparse.Namespace, socket: Path, folder: Path, name: str, *jobs: dict):
        super().__init__(options.program, folder / name, {"relay": {}, "inbox": {"everySeconds": 1}, "admin": {"listen": "127.0.0.1:0"}},
                         Database(options.program, socket, name, options.shards))
        for job in jobs:
            self.write(f"jobs/{job['name']}.json", json.dumps(job))
        self.shards = options.shards
        self.users = [f"u{number}" for number in range(options.users)]
        self.workers: list[Service] = []

    def roster(self, **members: str) -> str:
        """All users, in one zone."""
        return json_lines({"user": user, "timezone": "Etc/UTC"} | members for user in self.users)

    def logins(self, at: datetime) -> str:
        """A login of everybody."""
        return json_lines({"user": user, "kind": "login", "at": show(at)} for user in self.users)

    def closes(self) -> Counter[str]:
        """In how many shards each day is closed."""
        found: Counter[str] = Counter()
        for shard in range(self.shards):
            found.update(line["day"] for line in self.place.lines(shard) if line["type"] == "close")
        return found

    @contextmanager
    def served(self, count: int):
        """So many workers while the block runs."""
        self.workers = [Service(self) for _ in range(count)]
        try:
            yield
            if any(codes := [worker.stop() for worker in self.workers]):
                raise Failed(f"workers ended with {codes}")
        finally:
            end_all()

    def wait_for(self, what: str, condition) -> None:
        """Waits until something holds."""
        try:
            wait_until(condition, what, CLOSED_SECONDS, every=2)
        except Failed as failure:
            raise Failed(f"{failure}; {dict(self.closes())}\n{''.join(worker.log[-2000:] for worker in self.workers)}") from None

    def count_logged(self, event: str) -> int:
        """How often workers have logged something."""
        return sum(worker.log.count(event) for worker in self.workers)

    def count_held(self) -> int:
        """How many shards some worker serves."""
        return len(self.place.serving())


def show(at: datetime) -> str:
    """An instant as commands take it."""
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def hold_back(options: argparse.Namespace, socket: Path, folder: Path) -> None:
    """Five quiet days, then one on which nobody is seen."""
    installation = Divided(options, socket, folder, "simulated")
    begin = datetime(2026, 3, 2, tzinfo=timezone.utc)
    installation.run("users", "import", "-", "--now", show(begin), given=installation.roster())
    for number in range(5):
        day = begin + timedelta(days=number)
        installation.run("ingest", "-", "--now", show(day + timedelta(hours=9)), given=installation.logins(day + timedelta(hours=8)))
        told = installation.run("reconcile", "--prove", "--now", show(day + timedelta(days=1, minutes=30))).out
        if "NOT" in told:
            raise Failed(told)
    night = show(begin + timedelta(days=6, minutes=30))
    last = (begin + timedelta(days=5)).strftime("%Y-%m-%d")
    told = installation.run("reconcile", "--now", night, "--format", "json", codes=(1,)).out
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


def disagree(installation: Divided, day: datetime) -> None:
    """An audit tells what no ledger knows of itself: closes of which others were told otherwise, users in the wrong shard, a
    shard that nobody can write to, and days that one shard judges by other rules. The last of these stays."""
    night = day + timedelta(days=1, minutes=30)

    def found() -> set[int]:
        lines = installation.run("audit", "--format", "json", "--now", show(night), codes=(1,)).out.splitlines()
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

    installation.write("other.json", json.dumps({
        "version": "other", "effectiveFrom": day.strftime("%Y-%m-%d"), "missions": {"gift": {"points": 1}}}))
    installation.configure(rules=["other.json"])
    installation.run("--shard", "1", "ingest", "-", "--now", show(day + timedelta(hours=8)))
    del installation.settings["rules"]
    installation.configure()
    installation.run("ingest", "-", "--now", show(day + timedelta(hours=9)), given=installation.logins(day + timedelta(hours=8)))
    installation.run("audit", "--now", show(day + timedelta(hours=10)))
    installation.run("reconcile", "--prove", "--now", show(night))
    expect(found(), 17)


def close_in_services(installation: Divided, by_hand: bool) -> None:
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
    close_in_services(Divided(options, socket, folder, "jobs", OFTEN), by_hand=False)


def close_by_hand(options: argparse.Namespace, socket: Path, folder: Path) -> None:
    """A command has the services close."""
    close_in_services(Divided(options, socket, folder, "by_hand"), by_hand=True)


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
    parser = arguments(__doc__)
    parser.add_argument("--shards", type=int, default=4, metavar="N")
    parser.add_argument("--users", type=int, default=40, metavar="N", help="20 or more, fewer than 20 in each shard")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS), metavar="WAY", help=", ".join(WAYS))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
